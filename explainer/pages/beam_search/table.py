"""By hand: a small table of probabilities that the visitor may edit, in place of a model."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from explainer.decode.search.table import (
    EXAMPLES,
    OTHERS,
    Prefix,
    ProbabilityTable,
    Rows,
    WorkedTable,
    prefix_of,
    read,
    row_of,
    table_text,
    words_of,
)
from explainer.decode.sources.wrappers import Remembered
from explainer.figures.escape import for_markdown
from explainer.language import _
from explainer.pages.beam_search.recorded import Tokens
from explainer.pages.beam_search.searched import Ground, Plain
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, fell_back, set_link
from explainer.pages.frame.page import Words

_AFTER, _ELSE = "after", "any other"
_PLACE = ("node", "force", "at", "end")  # what the link says of a search; of another table it says nothing


def choose_table(words: Words) -> Ground | None:
    """The examples, the table to edit; None after saying what is wrong with it."""
    name = choose(
        "table",
        _("Table"),
        tuple(EXAMPLES),
        "two",
        forgets=("rows", "words", *_PLACE),
        format_func=lambda one: _(EXAMPLES[one].title),
    )
    example = EXAMPLES[name]
    tokens = _link_words(example)
    rows = _link_rows(example, tokens)
    left, right = st.columns([2, 3], gap="large")
    with right:
        _edit(tokens, rows)
    with left:
        st.markdown(words[f"table {name}"])
        typed = " ".join(tokens)
        key = f"words-{typed}"
        label = _("Tokens; the last one ends")
        st.text_input(label, value=typed, key=key, on_change=_typed_words, args=(key, example))
        st.caption(words["table help"])
        problem = st.session_state.pop("table-refused", "")
        if {"rows", "words"} & set(st.query_params):
            back: dict[str, None] = dict.fromkeys(("rows", "words", *_PLACE))
            st.button(_("Put the example back"), on_click=set_link, kwargs=back, key="table-reset")
        try:
            if problem:
                raise ValueError(problem)
            return _ground(tokens, table_text(rows))
        except ValueError as error:
            told = _("**This table cannot be searched.** {error}.")
            st.error(told.format(error=for_markdown(str(error))), icon=":material/table:")
            return None


@kept(mebibytes=32, most=24)
def _ground(words: tuple[str, ...], rows: str) -> Ground:
    table = table_of(words, read(rows, words))

    def encode(typed: str) -> list[int]:
        unknown = [word for word in typed.split() if word not in words]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not a token of the table; they are {' '.join(words)}")
        return [words.index(word) for word in typed.split()]

    def check(tokens: Tokens) -> Plain:
        before = (table.probabilities(tuple(words[i] for i in tokens[:t])) for t in range(len(tokens)))
        ps = [row[token] for row, token in zip(before, tokens, strict=True)]
        with np.errstate(divide="ignore"):
            return Plain(np.log(np.array(ps, dtype=np.float64)))

    return Ground(
        name="table",
        source=Remembered(table),
        end_id=table.end_id,
        n_vocab=len(words),
        piece=lambda token: words[token],
        spell=lambda tokens: " ".join(words[token] for token in tokens),
        encode=encode,
        check=check,
    )


def table_of(words: tuple[str, ...], rows: Rows) -> ProbabilityTable:
    """A table that can be searched.

    Raises:
        ValueError: a row is no distribution; names the prefix, the value and the bound.
    """
    ProbabilityTable(words, {prefix: row for prefix, row in rows.items() if prefix != OTHERS}, end=words[-1])
    if OTHERS in rows:
        ProbabilityTable(words, {(_ELSE,): rows[OTHERS]}, end=words[-1])
    return ProbabilityTable(words, lambda prefix: row_of(rows, prefix), end=words[-1])


def edited(rows: Rows, changes: Mapping[str, Any], words: tuple[str, ...]) -> Rows:
    """The rows after what the visitor did in the table: `changes` as a Streamlit data editor tells them.

    Raises:
        ValueError: a prefix is not made of tokens, or stands there twice.
    """
    body: list[dict[str, Any]] = _body(rows, words)
    for number, cells in changes["edited_rows"].items():
        body[int(number)].update(cells)
    body = [row for i, row in enumerate(body) if i not in changes["deleted_rows"]]
    body += [row for row in changes["added_rows"] if any(value is not None for value in row.values())]
    found: dict[Prefix, tuple[float, ...]] = {}
    for row in body:
        prefix = prefix_of(str(row.get(_AFTER) or ""), words)
        if prefix in found:
            raise ValueError(f"after {' '.join(prefix) or 'the empty prefix'}: there are two such rows")
        cells = map(row.get, words)
        found[prefix] = tuple(math.nan if cell is None else float(cell) for cell in cells)
    return found


def _edit(words: tuple[str, ...], rows: Rows) -> None:
    key = f"editor-{table_text(rows)}"
    st.data_editor(
        _body(rows, words),
        key=key,
        num_rows="dynamic",
        hide_index=True,
        column_config={
            _AFTER: st.column_config.TextColumn(_("after")),
            **{word: st.column_config.NumberColumn(word, format="%.4g") for word in words},
        },
        on_change=_edited,
        args=(key, rows, words),
    )


def _body(rows: Rows, words: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{_AFTER: " ".join(prefix), **dict(zip(words, row, strict=False))} for prefix, row in rows.items()]


def _edited(key: str, rows: Rows, words: tuple[str, ...]) -> None:
    try:
        after = table_text(edited(rows, st.session_state[key], words))
        set_link(rows=after, **dict.fromkeys(_PLACE))
    except ValueError as error:
        st.session_state["table-refused"] = str(error)


def _typed_words(key: str, example: WorkedTable) -> None:
    """Other tokens: the rows are begun anew, evenly, unless they are the example's."""
    try:
        words = words_of(st.session_state[key])
    except ValueError as error:
        st.session_state["table-refused"] = str(error)
        return
    if words == example.words:
        set_link(**dict.fromkeys(("words", "rows", *_PLACE)))
    else:
        set_link(words=" ".join(words), rows=table_text(_even(words)), **dict.fromkeys(_PLACE))


def _link_words(example: WorkedTable) -> tuple[str, ...]:
    raw = st.query_params.get("words")
    if raw is None:
        return example.words
    try:
        return words_of(raw)
    except ValueError as error:
        fell_back("words", raw, _("tokens with spaces between them ({error})").format(error=error))
        return example.words


def _link_rows(example: WorkedTable, words: tuple[str, ...]) -> Rows:
    raw = st.query_params.get("rows")
    if raw is None and words == example.words:
        return example.rows
    try:
        return read(raw or "", words)
    except ValueError as error:
        if raw is not None:
            fell_back("rows", raw, _("a table ({error})").format(error=error))
        return example.rows if words == example.words else _even(words)


def _even(words: tuple[str, ...]) -> Rows:
    share = tuple(1 / len(words) for __ in words)
    return {(): share, OTHERS: share}
