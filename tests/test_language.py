"""What a visitor reads can be translated: gettext, the pseudo-language, and no sentence that was forgotten."""

import ast
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po

from explainer import language as rooms
from explainer.language import ENGLISH, LOCALE, PSEUDO, _, languages, mark, ngettext, pseudo, speak, speaking

ROOT = LOCALE.parents[1]
EXTRACT = "-q extract -F pyproject.toml -o {} --add-location=file ."
NOT_SHOWN = (
    "cli",
    "server",
    "files.py",
    "language.py",
)  # the command line speaks English; a server has no words
NOT_YET = ("pages",)  # to be wrapped


def test_a_visitor_hears_the_language_that_is_spoken() -> None:
    assert (_("one row"), ngettext("{n} row", "{n} rows", 1)) == ("one row", "{n} row")
    with speaking(PSEUDO):
        assert _(mark("one row")) == "⟦óóñéé ŕóóŵ⟧"
        assert ngettext("{n} row", "{n} rows", 2).format(n=2) == "⟦2 ŕóóŵš⟧"
    assert _("one row") == "one row"


def test_a_language_without_a_catalogue_is_english() -> None:
    with speaking("tlh"):
        assert _("one row") == "one row"
    assert languages()[0] == ENGLISH
    assert languages()[-1] == PSEUDO


def test_threads_do_not_hear_each_other_and_ask_their_visitor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_visitor", lambda: names.get(threading.current_thread().name))
    names = {"german": "de", "pseudo": PSEUDO}
    heard: dict[str, str] = {}

    def listen() -> None:
        heard[threading.current_thread().name] = _("dog")

    speak(PSEUDO)
    try:
        for name in ("german", "pseudo", "nobody"):
            thread = threading.Thread(target=listen, name=name)
            thread.start()
            thread.join()
    finally:
        speak(ENGLISH)
    assert heard == {"german": "dog", "pseudo": "⟦ðóóĝ⟧", "nobody": "dog"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("{n:,} of ‹rows› rows", ["{n:,}", "‹rows›"]),
        ("%{y} looks at %{x}: %{z:.3f}<extra></extra>", ["%{y}", "%{x}", "%{z:.3f}<extra></extra>"]),
        ("The root $\\sqrt{d_{\\text{model}}}$ of `</s>`", ["$\\sqrt{d_{\\text{model}}}$", "`</s>`"]),
        ("**Bold** [there](https://a.org) :material/edit:", ["**", "](https://a.org)", ":material/edit:"]),
        ("1. One\n   - a point\n2. Two", ["1. ⟦", "\n   - ⟦", "\n2. ⟦"]),
        (r"\ell_v = \text{row } v \text{ of } W", [r"\ell_v = \text{⟦", r"⟧} v \text{⟦", "⟧} W"]),
    ],
)  # fmt: skip
def test_the_pseudo_language_keeps_what_is_no_word(text: str, kept: list[str]) -> None:
    shown = pseudo(text)
    place = -1
    for part in kept:
        place = shown.index(part, place + 1)
    for part in kept:
        shown = shown.replace(part, " ")
    assert not re.search("[A-Za-z]", shown)


def test_the_pseudo_language_is_a_third_longer() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[0]
    assert 1.2 < len(pseudo(text)) / len(text) < 1.4


def test_the_template_of_the_catalogues_is_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    CommandLineInterface().run(["pybabel", *EXTRACT.format(tmp_path / "new.pot").split()])
    ids = []
    for path in (LOCALE / "glassbox.pot", tmp_path / "new.pot"):
        with path.open("rb") as file:
            ids.append({message.id for message in read_po(file)})
    command = f"pybabel {EXTRACT.format('explainer/locale/glassbox.pot')}"
    assert ids[0] == ids[1], f"extract anew: {command}"


_NO_WORDS = re.compile(r"\\[A-Za-z]+|`[^`]*`|<[^<>]*>|%?\{[^{}]*\}|[\w.]*[_/=#][\w./=#]*")
_BESIDE_A_SPACE = re.compile(r"(?<![\w.'-])[A-Za-z]{3,}(?= )|(?<= )[A-Za-z]{3,}(?![\w'-])")


def forgotten(source: str) -> Iterator[tuple[int, str]]:
    """Lines and texts of a module that should stand inside `_()`, `ngettext()` or `mark()`.

    These are literals of four words or more; and literals with a word beside a space that are glued to something: parts
    of an f-string, of a sum, or with a `{slot}`. Not counted: docstrings, annotations, what is raised, code, LaTeX.
    """
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    glued: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Raise() | ast.Expr(value=ast.Constant()) | ast.Assert():
                skipped |= set(ast.walk(node))
            case ast.Call(func=ast.Name(id="_" | "ngettext" | "mark")):
                skipped |= {part for part in node.args if isinstance(part, ast.Constant)}
            case ast.arg(annotation=ast.AST() as kind) | ast.AnnAssign(annotation=kind):
                skipped |= set(ast.walk(kind))
            case ast.FunctionDef(returns=ast.AST() as kind):
                skipped |= set(ast.walk(kind))
            case ast.Subscript(slice=kind) | ast.Call(func=ast.Name(id="cast"), args=[kind, _]):
                skipped |= set(ast.walk(kind))
            case ast.JoinedStr(values=parts):
                glued |= set(parts)
            case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
                glued |= {left, right}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            text = _NO_WORDS.sub("0", node.value)
            is_glued = node in glued or "{" in node.value
            n_words = len(re.findall("[A-Za-z]{2,}", text)) if " " in text else 0
            if n_words >= 4 or (is_glued and _BESIDE_A_SPACE.search(text)):
                yield node.lineno, node.value
