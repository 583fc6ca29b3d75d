"""How the chosen word was put together: its merges, one by one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import token_label
from explainer.figures.tokens.ladder import merge_ladder
from explainer.language import _, ngettext
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.stepper import stepper
from explainer.pages.frame.view import Translated
from explainer.pages.tokens.choice import Entry, plain, typed_pieces
from explainer.text.spelling import Word, kind_of

if TYPE_CHECKING:
    from explainer.translator.translator import Translator


def show_merges(view: Translated, entry: Entry, words: Mapping[str, str]) -> None:
    """The merges of the chosen word, one by one."""
    st.subheader(_("How the pieces came about"), anchor=False)
    n_rules = _count_rules(view.model)
    often = ngettext("once", "{n} times", n_rules).format(n=f"{n_rules:,}")
    st.markdown(layout.filled(words["merges"], often=often))
    word = entry.word
    if word is None:
        st.info(words["no merges of a special token"], icon=":material/touch_app:")
        return
    n_merges, n_pieces = len(word.steps), len(word.pieces)
    merges = ngettext("one merge", "{n} merges", n_merges).format(n=n_merges) if n_merges else _("no merge")
    ends = ngettext("one piece", "{n} pieces", n_pieces).format(n=n_pieces)
    left, right = st.columns([3, 2], gap="large")
    with right:
        titles = [_("characters"), *(" + ".join(map(token_label, step.pair)) for step in word.steps)]
        needs = _("**{name}** needs {merges} and ends in {pieces}.")
        st.markdown(needs.format(name=plain(word.text), merges=merges, pieces=ends))
        shown = stepper("merge", titles, default=n_merges) if word.steps else 0
        st.markdown(_step_words(view, word, shown, words))
    pieces = ", ".join(word.steps[shown - 1].after if shown else word.start)
    alt = _("The pieces of {word} after {shown} of {merges}: {pieces}")
    with left:
        layout.figure(
            merge_ladder(word.start, word.steps, view.theme, shown=shown),
            key="merges",
            alt=alt.format(word=word.text.strip(), shown=shown, merges=merges, pieces=pieces),
            table=lambda: _table(word),
            says=lambda merge: {"merge": str(merge + 1)},
            part="merge",
        )
    if typed_pieces(view, entry.side)[entry.row] != entry.side.pieces(view)[entry.row]:
        st.caption(words["merges of the typed"])
    _say_if_written_otherwise(view, entry, words)


@kept(mebibytes=1)
def _count_rules(model: "Translator") -> int:
    return len(model.checkpoint.tokenizer.merges)


def _table(word: Word) -> layout.Table:
    heading = [_("merge"), _("rule"), _("left"), _("right"), _("pieces")]
    rows = [[i, step.rank + 1, *step.pair, " · ".join(step.after)] for i, step in enumerate(word.steps, 1)]
    return heading, [[0, "", "", "", " · ".join(word.start)], *rows]


def _step_words(view: Translated, word: Word, shown: int, words: Mapping[str, str]) -> str:
    if not word.steps:
        return words["bytes alone" if any(kind_of(piece) == "byte" for piece in word.start) else "alone"]
    if not shown:
        return words["start of merges"]
    step = word.steps[shown - 1]
    left, right = map(plain, step.pair)
    told = _(
        "Merge {merge}: **{left}** and **{right}** become one. Their pair is rule {rule} of {rules}; "
        "no other neighbours here have an earlier rule."
    )
    rules = {"rule": step.rank + 1, "rules": _count_rules(view.model)}
    text = told.format(merge=shown, left=left, right=right, **rules)
    return text if shown < len(word.steps) else f"{text} {words['end of merges']}"


def _say_if_written_otherwise(view: Translated, entry: Entry, words: Mapping[str, str]) -> None:
    spelling = tuple(piece for word in entry.words for piece in word.pieces)
    typed = typed_pieces(view, entry.side)
    written = typed[:-1] if entry.side.name == "source" else typed[1:]
    if spelling != written:
        st.caption(words["written otherwise"])
