"""The language of whoever is looking: labels and sentences stand in English where they are read, inside `_()`.

Translations are gettext catalogues, `locale/<language>/LC_MESSAGES/glassbox.mo`, made from `locale/glassbox.pot`:
`pybabel -q extract -F pyproject.toml -o explainer/locale/glassbox.pot --add-location=file .`
What has no translation stays English; so do the errors of the library and the command line.
"""

import gettext
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TypeVar

T = TypeVar("T", bound=str)
ENGLISH, PSEUDO = "en", "pseudo"
LOCALE = Path(__file__).parent / "locale"
_SPOKEN: ContextVar[str] = ContextVar("language")


def _(text: str) -> str:
    """`text` in the language of whoever is looking."""
    return (
        _catalogue(language()).gettext(text) if text else ""
    )  # gettext keeps what it knows of a catalogue at ""


def ngettext(one: str, many: str, n: int) -> str:
    """`one` or `many`, as the language of whoever is looking counts `n` things."""
    return _catalogue(language()).ngettext(one, many, n)


def mark(text: T) -> T:
    """`text` as it is, for the catalogue: a constant of a module, which `_()` translates where it is shown."""
    return text


def language() -> str:
    """The language of whoever is looking: the one last spoken in this context, else that of the visitor behind it."""
    spoken = _SPOKEN.get(None)
    if spoken is None and (spoken := _visitor()) is not None:
        speak(spoken)
    return spoken or ENGLISH


def speak(name: str) -> None:
    """Speak this language from now on, in this context."""
    _SPOKEN.set(name)


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Speak this language for a while."""
    before = _SPOKEN.set(name)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def _visitor() -> str | None:
    return None


def ask_visitor(visitor: Callable[[], str | None]) -> None:
    """Let a context where nothing was spoken yet, as a new thread, ask its visitor's language (None: no visitor)."""
    global _visitor
    _visitor = visitor


def languages() -> tuple[str, ...]:
    """What can be spoken: English, the catalogues that are there, and the pseudo-language."""
    found = sorted(path.parts[-3] for path in LOCALE.glob("*/LC_MESSAGES/glassbox.mo"))
    return (ENGLISH, *found, PSEUDO)


@cache
def _catalogue(name: str) -> gettext.NullTranslations:
    if name == PSEUDO:
        return _Pseudo()
    return gettext.translation("glassbox", LOCALE, [name], fallback=True)


class _Pseudo(gettext.NullTranslations):
    """Shows whether every text can be translated, and whether there is room for longer ones."""

    def gettext(self, message: str) -> str:
        return pseudo(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return pseudo(msgid1 if n == 1 else msgid2)


_ACCENTED = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "áƀçðéƒĝĥíĵķļḿñóþɋŕšţúṽŵẋýžÁƁÇÐÉƑĜĤÍĴĶĻḾÑÓÞɊŔŠŢÚṼŴẊÝŽ",
)
_KEPT = re.compile(
    r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$"  # code, formulas
    r"|%?\{[^{}]*\}|‹[^›]*›"  # slots
    r"|</?\w[^<>]*>|&\w+;|\]\([^)]*\)|:material/\w+:",  # HTML, addresses, icons
    re.DOTALL,
)
_TEXT_IN_LATEX = re.compile(r"(?<!_\{\\text\{)(?<=\\text\{)[^{}]*(?=\})")
_BETWEEN_BLOCKS = re.compile(r"(\n\s*\n|\n(?=\s*(?:[-*] |\d+\. |\|)))")
_WORDS = re.compile(r"(\s*(?:[-*] |\d+\. |#+ )?)(.*?)(\s*)\Z", re.DOTALL)


def pseudo(text: str) -> str:
    """«ŧéẋţ»: all letters accented and the vowels doubled, about 30 % longer; slots, formulas, code and marks stay."""
    if "$" not in text and re.search(r"\\[a-zA-Z]", text):
        return _TEXT_IN_LATEX.sub(lambda words: f"«{_longer(words[0])}»", text)
    kept = [found[0] for found in _KEPT.finditer(text)]
    hidden = _KEPT.sub("\0", text)
    blocks = [_bracketed(block) for block in _BETWEEN_BLOCKS.split(hidden)]
    back = iter(kept)
    return re.sub("\0", lambda _found: next(back), "".join(blocks))


def _bracketed(block: str) -> str:
    longer = _longer(block)
    if longer == block or block.lstrip().startswith("|"):  # nothing to translate; or a row of a table
        return longer
    return _WORDS.sub(r"\1«\2»\3", longer, count=1)


def _longer(text: str) -> str:
    return re.sub("[aeiouAEIOU]", lambda vowel: vowel[0] + vowel[0].lower(), text).translate(_ACCENTED)
