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
ENGLISH_STAYS = {  # module → the beginnings of texts that no visitor reads in his language; "" for all
    # code to copy, keys of prose and of strategies, CSS
    "pages/greedy/page.py": ("from explainer.", "model = ", "ids = ", "changes = ", "found = ", "], found.sums["),
    "pages/loss/page.py": ("cut at the limit", "import ", "from explainer.", "ids = ", "changes = ", "trace = ",
                           ", ids", "losses = ", '"][np.arange', "print("),
    "pages/strategies/watch.py": ("search error so far", "beam "),
    "pages/time_machine/page.py": ("<style>",),
    "pages/train/start.py": ("saved at the ends",),
    # errors of the library, made somewhere else than they are raised
    "decode/search/table.py": ("after ", ", must be from 0 to 1"),
    "model/config.py": (" characters)",),
    "translator/translator.py": (" tokens; the limit is", ": please shorten", "translator = ", "))  # import"),
    "train/runs/corpus_upload.py": ("one sentence pair only", "own corpus "),  # and the seed of a shuffle
    # what a training process prints, and what is wrong with the lines of a file
    "train/runs/session.py": ("",),
    "train/learning/data.py": ("",),
    "text/corpora.py": ("",),
    # seeds, Plotly's own words, fonts, a sentence for the model
    "train/learning/batches.py": ("batches ", "concatenated "),
    "train/offers/warmup.py": ("reverse ",),
    "figures/drawing.py": (" domain",),
    "figures/lines/graphs.py": (" domain",),
    "figures/style.py": ("Source Sans",),
    "train/offers/menu.py": ("Anna is buying",),
    # code and style sheets; a sentence for the model; the name of a section
    "pages/main.py": ("<style>",),
    "pages/frame/session.py": ("The animal didn't",),
    "pages/frame/share.py": ("\n    .share", "\n    function"),
    "pages/kit/tensor.py": ("from explainer.", "sentence = ", "ids = ", "changes = ", "trace = "),
    "pages/self_attention/steps.py": ("step ",),
}  # fmt: skip


def test_a_visitor_hears_the_language_that_is_spoken() -> None:
    assert (_("one row"), ngettext("{n} row", "{n} rows", 1)) == ("one row", "{n} row")
    assert (languages()[0], languages()[-1]) == (ENGLISH, PSEUDO)
    with speaking("tlh"):  # without a catalogue
        assert _("one row") == "one row"
    with speaking(PSEUDO):
        assert _(mark("one row")) == "«óóñéé ŕóóŵ»"
        assert ngettext("{n} row", "{n} rows", 2).format(n=2) == "«2 ŕóóŵš»"
    assert _("one row") == "one row"


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
    assert heard == {"german": "dog", "pseudo": "«ðóóĝ»", "nobody": "dog"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("{n:,} of ‹rows› rows", ["{n:,}", "‹rows›"]),
        ("%{y} looks at %{x}: %{z:.3f}<extra></extra>", ["%{y}", "%{x}", "%{z:.3f}<extra></extra>"]),
        ("The root $\\sqrt{d_{\\text{model}}}$ of `</s>`", ["$\\sqrt{d_{\\text{model}}}$", "`</s>`"]),
        ("**Bold** [there](https://a.org) :material/edit:", ["**", "](https://a.org)", ":material/edit:"]),
        ("1. One\n   - a point\n2. Two", ["1. «", "\n   - «", "\n2. «"]),
        (r"\ell_v = \text{row } v \text{ of } W", [r"\ell_v = \text{«", r"»} v \text{«", "»} W"]),
        (r"\text{length} = 2^{d_{\text{model}}}", [r"\text{«", r"»} = 2^{d_{\text{model}}}"]),
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
            ids.append({str(message.id) for message in read_po(file)})
    command = f"pybabel {EXTRACT.format('explainer/locale/glassbox.pot')}"
    assert ids[0] == ids[1], f"extract anew: {command}"


_NO_WORDS = re.compile(r"`[^`]*`|<[^<>]*>?|%?\{[^{}]*\}|[\w.]*[_/=#][\w./=#]*")  # code, HTML, slots, names
_LATEX_WORDS = re.compile(r"(?<!_\{)\\text\{([^{}]*)")
_BESIDE_A_SPACE = re.compile(r"(?<![\w.'-])[A-Za-z]{3,}(?= )|(?<= )[A-Za-z]{3,}(?![\w'-])")


def forgotten(source: str) -> Iterator[tuple[int, str]]:
    """Lines and texts of a module that should stand inside `_()`, `ngettext()` or `mark()`.

    These are literals of four words or more; and literals with a word beside a space that are glued to something: parts
    of an f-string, of a sum, or with a `{slot}`. Of LaTeX the words in `\\text{…}` count. Not counted: docstrings,
    annotations, subscripts, what is raised or asserted, code.
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
            case ast.FunctionDef(returns=ast.AST() as kind) | ast.Subscript(slice=kind):
                skipped |= set(ast.walk(kind))
            case ast.Call(func=ast.Name(id="cast"), args=[kind, __]):
                skipped |= set(ast.walk(kind))
            case ast.JoinedStr(values=parts):
                glued |= set(parts)
            case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
                glued |= {left, right}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            is_latex = re.search(r"\\[A-Za-z]", node.value) and "$" not in node.value
            text = _NO_WORDS.sub("0", node.value)
            if is_latex:
                text = " 0 ".join(_LATEX_WORDS.findall(node.value))
            is_glued = node in glued or "{" in node.value
            n_words = len(re.findall("[A-Za-z]{2,}", text)) if " " in text else 0
            if n_words >= 4 or (is_glued and _BESIDE_A_SPACE.search(text)):
                yield node.lineno, node.value


def modules() -> list[str]:
    """The modules whose words visitors read."""
    room = LOCALE.parent
    names = (path.relative_to(room).as_posix() for path in room.rglob("*.py"))
    return sorted(name for name in names if name.split("/")[0] not in NOT_SHOWN)


@pytest.mark.parametrize("name", modules())
def test_no_text_for_visitors_is_forgotten(name: str) -> None:
    found = list(forgotten((LOCALE.parent / name).read_text(encoding="utf-8")))
    stays = ENGLISH_STAYS.get(name, ())
    assert not [(line, text) for line, text in found if not text.startswith(tuple(stays))]
    unused = [one for one in stays if not any(text.startswith(one) for _line, text in found)]
    assert not unused, "an exemption without a text"


@pytest.mark.parametrize(
    ("source", "is_forgotten"),
    [
        ("x = 'words that stand here alone'", True),
        ("x = _('words that stand here alone')", False),
        ("x = 'three words here'", False),
        ("x = f'{n} rows'", True),
        ("x = f'{folder}/rows.{ending}'", False),
        ("x = 'row ' + n", True),
        ("x = '{n} rows'.format(n=1)", True),
        ("x = _('{n} rows').format(n=1)", False),
        ("x = rf'\\text{{the other {n}}}'", True),
        ("x = rf'\\operatorname{{sd}} = {n} \\cdot x_{{\\text{{model}}}}'", False),
        ("raise ValueError(f'{n} rows')", False),
        ("def f(x: 'one two three four') -> None: 'a docstring of four words'", False),
    ],
)
def test_what_counts_as_forgotten(source: str, is_forgotten: bool) -> None:
    assert bool(list(forgotten(source))) == is_forgotten


@pytest.mark.parametrize("name", modules())
def test_what_is_translated_is_found_by_babel(name: str) -> None:
    """It reads literals only, and none inside an f-string; a variable called `_` would hide the function."""
    tree = ast.parse((LOCALE.parent / name).read_text(encoding="utf-8"))
    imported = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "explainer.language"
        for alias in node.names
    ]
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr():
                assert not [part for part in ast.walk(node) if _translates_literal(part)]
            case ast.Call(func=ast.Name(id="ngettext" | "mark"), args=[first, *_rest]):
                assert isinstance(first, ast.Constant), ast.unparse(node)
            case ast.Call(func=ast.Name(id="_"), args=[ast.JoinedStr() | ast.BinOp()]):
                raise AssertionError(ast.unparse(node))
            case ast.Name(id="_", ctx=ast.Store()) | ast.arg(arg="_"):
                assert "_" not in imported, f"line {node.lineno}: {name} calls `_()`"


def _translates_literal(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="_" | "ngettext" | "mark"), args=[ast.Constant(), *_rest]):
            return True
    return False
