"""The six steps of attention: the matrix that each makes, its arithmetic, and the matrices that it was made of."""

from collections.abc import Callable

import streamlit as st

from explainer.equations.masks import additive
from explainer.equations.places import columns_of
from explainer.equations.slices import into_head
from explainer.figures.matrix import matrix
from explainer.figures.style import Role, shape_text
from explainer.pages import lesson
from explainer.pages.attention_stage import BY_KEY, Stage
from explainer.pages.heads import key_labels, query_labels
from explainer.pages.inside import Words
from explainer.pages.link import choose, set_link
from explainer.pages.state import translator
from explainer.pages.tensor import Tensor, dimensions, show_arithmetic, show_matrix

TITLES = (
    "project X to Q, K and V",
    "dot products Q Kᵀ",
    "divide by √d_k",
    "mask",
    "softmax, row by row",
    "weighted sum Z = A V",
)
_MADE = ("hook_q", "attend.hook_dots", "attend.hook_scores", "attend.hook_masked", "attend.hook_weights",
         "attend.hook_mixed")  # fmt: skip
_PROJECTED: dict[str, tuple[str, Role]] = {
    "Q": ("hook_q", "query"),
    "K": ("hook_k", "key"),
    "V": ("hook_v", "value"),
}
_OVER_KEYS = 4  # from this step on a sum runs over keys, not dimensions


def show_step(stage: Stage, step: int, words: Words) -> None:
    """One step, counted from 0."""
    letter = "Q"
    if step == 0:
        letter = choose("part", "Arithmetic of", tuple(_PROJECTED), letter)
    hook = _PROJECTED[letter][0] if step == 0 else _MADE[step]
    left, right = st.columns([3, 2], gap="large")
    with left:
        stage.show(hook, "made", selected=True, compact=False)
    with right, st.container(key="story"):
        name = f"step {step + 1}"
        st.markdown(words.get(f"{name}, {stage.place.kind}") or words[name])
        names = columns_of(stage.place.kind, stage.view.tokens)
        name_of = names.__getitem__ if step >= _OVER_KEYS else None
        show_arithmetic(stage.view, stage.tensor(hook), stage.cell(hook), key="story", name_of=name_of)
    st.markdown(words[f"made {step + 1}"])
    one, other = (
        _SOURCES[step] if step else (lambda here: _show_x(here, hook), lambda here: _show_w(here, letter))
    )
    left, right = st.columns([3, 2] if other is None else 2, gap="large")
    with left:
        one(stage)
    if other is not None:
        with right:
            other(stage)


def _show_x(stage: Stage, hook: str) -> None:
    """X, with the row that the selected number was made of."""
    view, place, pair = stage.view, stage.place, stage.pair
    by_key = hook in BY_KEY
    width = view.trace[f"{place.path}.hook_x"].shape[1]
    shown = Tensor(
        hook=f"{place.path}.hook_{'y' if by_key else 'x'}",
        title="X, the residual stream",
        rows=key_labels(view, place.kind) if by_key else query_labels(view, place.kind),
        columns=dimensions(width),
        row_title="token",
        column_title="dimension of the model",
        role="residual",
    )
    says = pair.with_key if by_key else pair.with_query
    show_matrix(
        view,
        shown,
        key="from-1",
        lit_row=pair.key if by_key else pair.query,
        says=lambda row, _: says(row, pair.dim),
        compact=True,
    )


def _show_w(stage: Stage, letter: str) -> None:
    """The head's part of W_Q, W_K or W_V, with the column that the selected number was made with."""
    place, role = stage.place, _PROJECTED[letter][1]
    n_heads = len(stage.view.trace[f"{place.path}.hook_q"])
    values = into_head(translator().parameters[f"{place.path}.{role}.weight"], place.head, n_heads)
    rows, columns = map(dimensions, values.shape)
    st.markdown(
        f"**$W_{letter}$, the columns of head {place.head + 1}** · ${shape_text(('d_{model}', 'd_k'), values.shape)}$"
    )
    lesson.figure(
        matrix(
            values,
            rows,
            columns,
            stage.view.theme,
            kind="signed",
            row_title="dimension of the model",
            column_title=f"dimension of the {role}",
            lit_column=stage.pair.dim,
            role=role,
            compact=True,
        ),
        key="from-2",
        alt=f"The {values.shape[1]} columns of W_{letter} that belong to head {place.head + 1}",
        table=lambda: lesson.matrix_table(values, rows, columns),
        on_pick=_pick_dimension,
    )


def _show_mask(stage: Stage) -> None:
    view, place = stage.view, stage.place
    allowed = view.shown[f"{place.path}.attend.hook_mask"][place.head]
    values = additive(allowed)
    rows, columns = query_labels(view, place.kind), key_labels(view, place.kind)
    st.markdown(f"**M, the mask** · ${shape_text(('T_q', 'T_k'), values.shape)}$")
    lesson.figure(
        matrix(
            values,
            rows,
            columns,
            view.theme,
            kind="signed",
            row_title="query" if place.kind == "encoder" else "query: input → predicts",
            column_title="key",
            selected=(stage.pair.query, stage.pair.key),
            compact=True,
        ),
        key="from-2",
        alt=f"The mask: {int((~allowed).sum())} of {allowed.size} cells are −∞, the others 0",
        table=lambda: lesson.matrix_table(values, rows, columns),
        on_pick=_pick_cell,
    )


def _pick_dimension() -> None:
    if picked := st.session_state["from-2"].pick:
        set_link(dim=str(int(picked["x"]) + 1))


def _pick_cell() -> None:
    if picked := st.session_state["from-2"].pick:
        set_link(cell=f"{int(picked['y']) + 1}.{int(picked['x']) + 1}")


_Show = Callable[[Stage], None]
_SOURCES: dict[int, tuple[_Show, _Show | None]] = {  # of the steps after the first
    1: (
        lambda stage: stage.show("hook_q", "from-1", lit_row=stage.pair.query),
        lambda stage: stage.show("hook_k", "from-2", lit_row=stage.pair.key),
    ),
    2: (lambda stage: stage.show("attend.hook_dots", "from-1", selected=True), None),
    3: (lambda stage: stage.show("attend.hook_scores", "from-1", selected=True), _show_mask),
    4: (lambda stage: stage.show("attend.hook_masked", "from-1", lit_row=stage.pair.query), None),
    5: (
        lambda stage: stage.show("attend.hook_weights", "from-1", lit_row=stage.pair.query),
        lambda stage: stage.show("hook_v", "from-2", lit_column=stage.pair.dim),
    ),
}
