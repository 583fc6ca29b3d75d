"""How heads are joined: their Z side by side, then W_O; the arithmetic of one number, and what each head adds to it."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from explainer.equations.attention import added_by_heads, column_in_concat, out_of_head, place_in_concat
from explainer.figures.style import number
from explainer.language import _, mark
from explainer.pages.frame import layout
from explainer.pages.frame.link import choose, link_number
from explainer.pages.frame.page import Words
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place
from explainer.pages.kit.pair import QueryKeyPair
from explainer.pages.kit.tensor import (
    D_MODEL,
    Tensor,
    dimensions,
    show_arithmetic,
    show_matrix,
    show_parameter,
)

ARRAYS = ("concatenation C", "output C W_O")  # as the link names them
_NAMES = {ARRAYS[0]: mark("concatenation $C$"), ARRAYS[1]: mark(r"output $C\,W_O$")}


def show_joining(view: Translated, place: Place, pair: QueryKeyPair, words: Words) -> None:
    """The concatenation or the output, whichever is chosen."""
    n_heads, d_head = _shape(view, place)
    st.markdown(layout.filled(words["joining"], h=n_heads, d_v=d_head, d_model=n_heads * d_head))
    shown = choose("stage", _("Show"), ARRAYS, ARRAYS[0], format_func=lambda one: _(_NAMES[one]))
    if shown == ARRAYS[0]:
        _show_concat(view, place, pair)
    else:
        _show_output(view, place, pair, words)


def _show_concat(view: Translated, place: Place, pair: QueryKeyPair) -> None:
    """C with a cell of the selected head, and the Z that the cell came from."""
    concat = _concat(view, place)
    cell = (pair.query, column_in_concat(place.head, pair.dim, _shape(view, place)[1]))
    left, right = st.columns([3, 2], gap="large")
    with left:
        says = _of_concat(view, place, pair)
        show_matrix(view, concat, key="joined", selected=cell, says=says, compact=True)
        mixed = place.tensor(view, "attend.hook_mixed")
        chosen = (pair.query, pair.dim)
        show_matrix(view, mixed, key="from-1", selected=chosen, says=pair.with_query, compact=True)
    with right, st.container(key="story"):
        show_arithmetic(view, concat, cell, key="story")


def _show_output(view: Translated, place: Place, pair: QueryKeyPair, words: Words) -> None:
    """C W_O + b, what each head adds to the selected number, and the row and the column that it was made of."""
    concat = _concat(view, place)
    n_heads, d_head = _shape(view, place)
    out = link_number("out", 1, 1, n_heads * d_head) - 1
    output = replace(
        concat,
        hook=f"{place.path}.hook_output",
        title=_("C W_O + b, the output"),
        columns=dimensions(n_heads * d_head),
        column_title=_("dimension"),
        role="residual",
        symbols=("T_q", D_MODEL),
    )
    cell = pair.query, out
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_matrix(
            view,
            output,
            key="joined",
            selected=cell,
            says=lambda row, column: {**pair.with_cell(row, pair.key), "out": str(column + 1)},
            compact=True,
        )
        st.markdown(layout.filled(words["added"], d_v=d_head))
        _show_added(view, place, cell)
    with right, st.container(key="story"):
        show_arithmetic(view, output, cell, key="story", name_of=concat.columns.__getitem__)
    left, right = st.columns(2, gap="large")
    with left:
        says = _of_concat(view, place, pair)
        show_matrix(view, concat, key="from-1", lit_row=pair.query, says=says, compact=True)
    with right:
        _show_w(view, place, n_heads, out)


def _shape(view: Translated, place: Place) -> tuple[int, int]:
    """How many heads, and how wide each is."""
    n_heads, __, d_head = view.trace[f"{place.path}.hook_q"].shape
    return n_heads, d_head


def _concat(view: Translated, place: Place) -> Tensor:
    n_heads, d_head = _shape(view, place)
    name = _("head\u2009{head},\u2009{dim}")
    return replace(
        place.tensor(view, "attend.hook_mixed"),
        hook=f"{place.path}.hook_concat",
        title=_("C, the heads side by side"),
        columns=[name.format(head=h + 1, dim=d + 1) for h in range(n_heads) for d in range(d_head)],
        column_title=_("head, dimension of its z"),
        head=None,
        symbols=("T_q", r"h \cdot d_v"),
    )


def _show_added(view: Translated, place: Place, cell: tuple[int, int]) -> None:
    """What each head adds to one number of the output, and the bias: their sum is that number."""
    row, column = cell
    weight, biases = (view.model.parameters[f"{place.path}.output.{name}"] for name in ("weight", "bias"))
    added = view.derived(lambda trace: added_by_heads(trace[f"{place.path}.attend.hook_mixed"], weight))
    parts = added[:, row, column].tolist()
    bias = 0.0 if view.is_difference else float(biases[column])
    whole = float(view.values(f"{place.path}.hook_output")[row, column])
    heads = (_("head {head}").format(head=h + 1) for h in range(len(parts)))
    names = [*heads, _("bias"), _("the model's number")]
    values = [number(value, 3) for value in (*parts, bias, whole)]
    st.markdown(layout.as_table(names, [values], left=0))


def _show_w(view: Translated, place: Place, n_heads: int, column: int) -> None:
    """The rows of W_O that belong to the head, with the column that the selected number was made with."""
    values = out_of_head(view.model.parameters[f"{place.path}.output.weight"], place.head, n_heads)
    show_parameter(
        values,
        _("$W_O$, the rows of head {head} of {n_heads}").format(head=place.head + 1, n_heads=n_heads),
        ("d_v", D_MODEL),
        view.theme,
        key="from-2",
        row_title=_("dimension of z, head {head}").format(head=place.head + 1),
        column_title=_("dimension of the model"),
        lit_column=column,
        role="residual",
        says=lambda row, column: {"out": str(column + 1)},
    )


def _of_concat(view: Translated, place: Place, pair: QueryKeyPair) -> Callable[[int, int], layout.Said]:
    """What the link says after a click on a cell of C: the head that its column came from is selected."""
    d_head = _shape(view, place)[1]

    def says(row: int, column: int) -> layout.Said:
        head, dim = place_in_concat(column, d_head)
        return {**pair.with_query(row, dim), "head": str(head + 1)}

    return says
