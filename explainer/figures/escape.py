"""Text that came from a visitor, made harmless and literal for each place where it is shown."""

import html
import re
import unicodedata

_KATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\u2009": r"\,",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&:^=\"'/])")


def for_plotly(text: str) -> str:
    """For tick labels, hover texts, annotations: Plotly reads a part of HTML there."""
    return html.escape(text, quote=False)


def for_markdown(text: str) -> str:
    """For prose: Markdown, HTML, emoji codes and LaTeX are shown literally."""
    return _MARKDOWN.sub(r"\\\1", _one_line(text))


def for_katex(text: str) -> str:
    r"""For equations: a \text{…} that shows `text` literally."""
    return r"\text{" + "".join(_KATEX.get(char, char) for char in _one_line(text)) + "}"


def token_label(piece: str) -> str:
    """A vocabulary entry as text: a thin space marks the start of a word, invisible characters get a sign or a name."""
    if piece.startswith(" ") and len(piece) > 1:
        piece = "\u2009" + piece[1:]
    return "".join(_visible(char) for char in piece) or "∅"


def _visible(char: str) -> str:
    if char == "\u2009":
        return char
    if char == " ":
        return "␣"
    return (
        f"U+{ord(char):04X}" if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cn", "Co") else char
    )


def _one_line(text: str) -> str:
    return " ".join(text.splitlines()) if text else text
