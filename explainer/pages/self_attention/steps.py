"""The six steps of attention: the matrix that each makes, its arithmetic, and the matrices that it was made of."""

import streamlit as st

from explainer.equations.attention import SPREAD, divided_by, into_head, spread_of_dots
from explainer.figures.latex import paint
from explainer.figures.lines.spread import spread_curves
from explainer.figures.style import Role, brief, number
from explainer.language import _, mark
from explainer.measures.anatomy import columns_of
from explainer.pages.frame import layout
from explainer.pages.frame.link import choose
from explainer.pages.frame.page import Words
from explainer.pages.kit import tensor
from explainer.pages.kit.mask import show_mask
from explainer.pages.kit.pair import BY_KEY, SelectedHead
from explainer.pages.kit.tensor import D_MODEL, Tensor

NAMES = ("q · k", "q · k ÷ √n", mark("if independent"))


def show_spread(head: SelectedHead, words: Words) -> None:
    """The standard deviation of q·k over 1, 2, 4 … d_k dimensions, divided by the root of their number and not."""
    view, place = head.view, head.place
    q, k = (view.shown[f"{place.path}.{hook}"][place.head] for hook in ("hook_q", "hook_k"))
    spread = spread_of_dots(q, k)
    curves = (spread.dots, spread.divided, spread.independent)
    st.markdown(layout.filled(words["spread"], d_k=q.shape[1]))
    names = [*map(_, NAMES)]
    layout.figure(
        spread_curves(spread.sizes, curves, names, view.theme, here="d_k"),
        key="spread",
        alt=_(
            "Standard deviation of q·k over 1 to {last} dimensions: it grows to {dots}; "
            "divided by the root it is {divided} at the end"
        ).format(last=q.shape[1], dots=number(float(curves[0][-1])), divided=number(float(curves[1][-1]))),
        table=lambda: (
            ["n", *names],
            [[n, *(f"{curve[i]:.6g}" for curve in curves)] for i, n in enumerate(spread.sizes.tolist())],
        ),
    )
    st.latex(paint(_(SPREAD), view.theme))


TITLES = (
    mark("project X to Q, K and V"),
    mark("dot products Q Kᵀ"),
    mark("divide by √d_k"),
    mark("mask"),
    mark("softmax, row by row"),
    mark("weighted sum Z = A V"),
)
_MADE = ("hook_q", "attend.hook_dots", "attend.hook_scores", "attend.hook_masked", "attend.hook_weights",
         "attend.hook_mixed")  # fmt: skip
_PROJECTED: dict[str, tuple[str, Role]] = {
    "Q": ("hook_q", "query"),
    "K": ("hook_k", "key"),
    "V": ("hook_v", "value"),
}
SOFTMAX = 4  # from this step on a sum runs over keys, not dimensions


def show_step(head: SelectedHead, step: int, words: Words) -> None:
    """One step, counted from 0."""
    letter = "Q"
    if step == 0:
        letter = choose("part", _("Arithmetic of"), tuple(_PROJECTED), letter)
    hook = _PROJECTED[letter][0] if step == 0 else _MADE[step]
    left, right = st.columns([3, 2], gap="large")
    with left:
        head.show(hook, "made", selected=True, compact=False)
    with right, st.container(key="story"):
        name = f"step {step + 1}"
        text = words.get(f"{name}, {head.place.kind}") or words[name]
        d_k = head.view.trace[f"{head.place.path}.hook_q"].shape[-1]
        st.markdown(layout.filled(text, d_k=d_k, root=brief(divided_by(d_k))))
        names = columns_of(head.place.kind, head.view.tokens)
        name_of = names.__getitem__ if step >= SOFTMAX else None
        tensor.show_arithmetic(head.view, head.tensor(hook), head.cell(hook), key="story", name_of=name_of)
    st.markdown(words[f"made {step + 1}"])
    _show_sources(head, step, letter, words)


def _show_sources(head: SelectedHead, step: int, letter: str, words: Words) -> None:
    """What a step's matrix was made of; beside the dot products, why they are divided."""
    pair, hook = head.pair, _MADE[step - 1]
    left, right = st.columns([3, 2] if step == SOFTMAX else 2, gap="large")
    with left:
        match step:
            case 0:
                _show_x(head, _PROJECTED[letter][0])
            case 2 | 3:  # made cell by cell
                head.show(hook, "from-1", selected=True)
            case _:
                head.show(hook, "from-1", lit_row=pair.query)
    with right:
        match step:
            case 0:
                _show_w(head, letter)
            case 1:
                head.show("hook_k", "from-2", lit_row=pair.key)
            case 2:
                show_spread(head, words)
            case 3:
                show_mask(head.view, head.place, (pair.query, pair.key), key="from-2", compact=True)
            case 5:
                head.show("hook_v", "from-2", lit_column=pair.dim)


def _show_x(head: SelectedHead, hook: str) -> None:
    """X, with the row that the selected number was made of."""
    view, place, pair = head.view, head.place, head.pair
    by_key = hook in BY_KEY
    row, says = (pair.key, pair.with_key) if by_key else (pair.query, pair.with_query)
    width = view.trace[f"{place.path}.hook_x"].shape[1]
    shown = Tensor(
        hook=f"{place.path}.hook_{'y' if by_key else 'x'}",
        title=_("X, the residual stream"),
        rows=head.tensor(hook).rows,
        columns=tensor.dimensions(width),
        row_title=_("token"),
        column_title=_("dimension of the model"),
        role="residual",
    )
    tensor.show_matrix(
        view,
        shown,
        key="from-1",
        lit_row=row,
        says=lambda row, column: says(row, pair.dim),
        compact=True,
    )


def _show_w(head: SelectedHead, letter: str) -> None:
    """The head's part of W_Q, W_K or W_V, with the column that the selected number was made with."""
    place, role = head.place, _PROJECTED[letter][1]
    n_heads = len(head.view.trace[f"{place.path}.hook_q"])
    columns = {
        "Q": _("dimension of the query"),
        "K": _("dimension of the key"),
        "V": _("dimension of the value"),
    }
    tensor.show_parameter(
        into_head(head.view.model.parameters[f"{place.path}.{role}.weight"], place.head, n_heads),
        _("{matrix}, the columns of head {head}").format(matrix=f"$W_{letter}$", head=place.head + 1),
        (D_MODEL, "d_k"),
        head.view.theme,
        key="from-2",
        row_title=_("dimension of the model"),
        column_title=columns[letter],
        lit_column=head.pair.dim,
        role=role,
        says=lambda row, column: {"dim": str(column + 1)},
    )
