"""By hand: a small table of probabilities that the visitor may edit, in place of a model."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from explainer.decode.search.table import (
    EXAMPLES,
    OTHERS,
    Prefix,
    Rows,
    WorkedTable,
    prefix_of,
    read,
    row_of,
    words_of,
    written,
)
from explainer.figures.escape import for_markdown
from explainer.language import _
from explainer.pages.beam_search.searched import Ground, table_ground
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, fell_back, set_link
from explainer.pages.frame.page import Words

if TYPE_CHECKING:
    from explainer.decode.search.table import ProbabilityTable

_AFTER, _ELSE = "after", "any other"


def choose_table(words: Words) -> Ground | None:
    """The examples, the table to edit; None after saying what is wrong with it."""
    name = choose(
        "table",
        _("Table"),
        tuple(EXAMPLES),
        "two",
        forgets=("rows", "words", "node", "force", "at", "end"),
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
        _edit_words(example, tokens)
        st.caption(words["table help"])
        problem = st.session_state.pop("table-refused", "")
        if {"rows", "words"} & set(st.query_params):
            st.button(_("Put the example back"), on_click=_reset, key="table-reset")
        try:
            if problem:
                raise ValueError(problem)
            return _ground(tokens, written(rows))
        except ValueError as error:
            told = _("**This table cannot be searched.** {error}.")
            st.error(told.format(error=for_markdown(str(error))), icon=":material/table:")
            return None


@kept(mebibytes=32, most=24)
def _ground(words: tuple[str, ...], rows: str) -> Ground:
    return table_ground(table_of(words, read(rows, words)))


def table_of(words: tuple[str, ...], rows: Rows) -> "ProbabilityTable":
    """A table that can be searched.

    Raises:
        ValueError: a row is no distribution; names the prefix, the value and the bound.
    """
    from explainer.decode.search.table import ProbabilityTable

    ProbabilityTable(words, {prefix: row for prefix, row in rows.items() if prefix != OTHERS}, end=words[-1])
    if OTHERS in rows:
        ProbabilityTable(words, {(_ELSE,): rows[OTHERS]}, end=words[-1])
    return ProbabilityTable(words, lambda prefix: row_of(rows, prefix), end=words[-1])


def edited(rows: Rows, changes: Mapping[str, Any], words: tuple[str, ...]) -> Rows:
    """The rows after what the visitor did in the table.

    Args:
        rows: Before.
        changes: `edited_rows`, `added_rows` and `deleted_rows` of a Streamlit data editor.
        words: The tokens: its columns after the first.

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
        found[prefix] = tuple(_float(row.get(word)) for word in words)
    return found


def _edit_words(example: WorkedTable, words: tuple[str, ...]) -> None:
    key = f"words-{' '.join(words)}"
    st.text_input(
        _("Tokens; the last one ends"),
        value=" ".join(words),
        key=key,
        on_change=_typed_words,
        args=(key, example),
    )


def _edit(words: tuple[str, ...], rows: Rows) -> None:
    key = f"editor-{written(rows)}"
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
        set_link(
            rows=written(edited(rows, st.session_state[key], words)), node=None, force=None, at=None, end=None
        )
    except ValueError as error:
        st.session_state["table-refused"] = str(error)


def _typed_words(key: str, example: WorkedTable) -> None:
    """Other tokens: the rows are begun anew, evenly, unless they are the example's."""
    text = st.session_state[key]
    try:
        words = words_of(text)
    except ValueError as error:
        st.session_state["table-refused"] = str(error)
        return
    rows = None if words == example.words else written(_even(words))
    set_link(
        words=None if rows is None else " ".join(words), rows=rows, node=None, force=None, at=None, end=None
    )


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


def _reset() -> None:
    set_link(rows=None, words=None, node=None, force=None, at=None, end=None)


def _float(value: Any) -> float:
    return float("nan") if value is None else float(value)
