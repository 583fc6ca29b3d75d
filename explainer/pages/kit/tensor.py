"""One array of the pass: its matrix, with cells to pick, and the arithmetic of the picked one beside it."""

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from explainer.equations import equation_of
from explainer.figures.escape import for_markdown
from explainer.figures.style import Role, Theme, number, shape_text, span
from explainer.language import _, ngettext
from explainer.pages.frame import layout
from explainer.pages.frame.link import link_cell
from explainer.pages.frame.session import Specs
from explainer.pages.frame.view import Shown, Translated

if TYPE_CHECKING:
    from torch import nn


def show_code(view: Translated, hook: str, *, key: str, index: tuple[int, ...] = ()) -> None:
    """An expander with the function that really runs at this hook point, and how to get the same part of its array."""
    with st.expander(_("Show the code"), key=key):
        module, attribute = hook.rpartition(".")[::2]
        source = function_at(view.model.checkpoint.model.get_submodule(module), attribute)
        st.caption(_("What runs at `{hook}`, read from the source:").format(hook=hook))
        st.code(source, language="python")
        specs = () if view.compare == "before" else view.specs
        st.caption(_("The same array in Python or a notebook (copy with the button at the right):"))
        st.code(snippet(view, hook, specs, index), language="python")


def function_at(module: "nn.Module", attribute: str) -> str:
    """The source of the method of `module` that passes its tensor to the hook point `attribute`.

    Raises:
        LookupError: no method does.
    """
    for __, method in inspect.getmembers(type(module), inspect.isfunction):
        if method.__name__ != "__init__" and method.__module__.startswith("explainer."):
            source = inspect.getsource(method)
            if f"self.{attribute}(" in source:
                return textwrap.dedent(source)
    raise LookupError(f"no method of {type(module).__name__} passes a tensor to {attribute}")


def snippet(view: Translated, hook: str, specs: Specs, index: tuple[int, ...]) -> str:
    """Python that reproduces the array of a hook point for this sentence under these changes."""
    at = "".join(f"[{i}]" for i in index)
    lines = ["from explainer.translator import Translator"]
    if specs:
        lines.append("from explainer.whatif.changes import parse")
    lines += [
        "",
        view.model.code,
        f"sentence = {view.sentence!r}",
        "ids = translator.translate(sentence).ids",
    ]
    if specs:
        lines.append(f"changes = tuple(map(parse, {specs!r}))")
    more = (", changes=changes" if specs else "") + (f", padding={view.padding}" if view.padding else "")
    lines += [f"trace = translator.trace(sentence, ids{more})", f'print(trace["{hook}"]{at})']
    return "\n".join(lines)


D_MODEL = r"d_{\text{model}}"  # as shapes write it


@dataclass(frozen=True, kw_only=True)
class Tensor:
    """What a figure shows of one hook point: the whole array, or one head of it, from 0.

    Attributes:
        hook: Full name of the hook point.
        title: What it is, with its letter: "Q, queries".
        role: Its colour.
        symbols: The symbols of its shape, for `T_q × T_k = 9 × 9`.
        first_column: The number of the first column in words: ids count from 0, places from 1.
    """

    hook: str
    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    row_title: str
    column_title: str
    head: int | None = None
    role: Role = "attention"
    symbols: tuple[str, str] = ("T", D_MODEL)
    first_column: int = 1

    @property
    def is_weights(self) -> bool:
        """Whether its cells are from 0 to 1."""
        return self.hook.endswith("hook_weights")

    def index(self, cell: tuple[int, int]) -> tuple[int, ...]:
        """A cell of the figure as an index of the hook's array."""
        return cell if self.head is None else (self.head, *cell)


def dimensions(count: int) -> list[str]:
    """Labels of dimensions, from 1."""
    return [str(i + 1) for i in range(count)]


def cell_of(shown: Tensor, default: tuple[int, int]) -> tuple[int, int]:
    """The selected cell, from the link."""
    return link_cell("cell", default, (len(shown.rows), len(shown.columns)))


def show_matrix(
    view: Translated,
    shown: Tensor,
    *,
    key: str,
    also: layout.Said | None = None,
    says: Callable[[int, int], layout.Said] | None = None,
    bound: float | None = None,
    **look: Any,
) -> None:
    """The matrix; a click, or the arrow keys, select a cell.

    In the link a click also says `also`, such as which matrix the cell is in, or, instead of both, what `says` has for
    row and column. `bound` keeps the signed range still between matrices; default: the largest of all heads. `look` is
    as for `figures.heat.matrix.matrix`.
    """
    values = _part(view.values(shown.hook), shown.head)
    both = np.concatenate([view.before[shown.hook].ravel(), view.trace[shown.hook].ravel()])
    is_weights = shown.is_weights and not view.is_difference
    bold = _("**Difference of {title}**") if view.is_difference else "**{title}**"
    shape = shape_text(shown.symbols, values.shape)
    st.markdown(f"{bold.format(title=shown.title)} · ${shape}$")
    size = ", ".join(_size(values.shape, shown.row_title, shown.column_title))
    layout.matrix_figure(
        values, shown.rows, shown.columns, view.theme, key=key,
        alt=f"{title_in_alt(view, shown.title)}: {size}", row_title=shown.row_title, column_title=shown.column_title,
        role=shown.role, kind="weights" if is_weights else "signed", is_difference=view.is_difference,
        allowed=_allowed(view, shown),
        bound=None if view.is_difference else bound or span(both),  # the same for all heads, before and after
        says=says or (lambda y, x: {"cell": f"{y + 1}.{x + 1}", **(also or {})}),
        **look,
    )  # fmt: skip


def title_in_alt(view: Shown, title: str) -> str:
    """What a figure shows of an array, for those who do not see it."""
    difference = _("difference after − before of {title}")
    return difference.format(title=title) if view.is_difference else title


def _size(shape: Sequence[int], row_title: str, column_title: str) -> tuple[str, str]:
    """Its rows and columns in words."""
    rows, columns = shape
    return (
        ngettext("{n} row ({what})", "{n} rows ({what})", rows).format(n=rows, what=row_title),
        ngettext("{n} column ({what})", "{n} columns ({what})", columns).format(n=columns, what=column_title),
    )


def show_parameter(
    values: np.ndarray,
    title: str,
    symbols: tuple[str, str],
    theme: Theme,
    *,
    key: str,
    row_title: str,
    column_title: str,
    lit_column: int,
    **look: Any,
) -> None:
    """A part of a weight matrix that a selected number was made with: with its column `lit_column`.

    `title` is LaTeX and Markdown, `symbols` are those of its shape. `look` is the `role` whose colour the column is
    lit in, and what a click `says`, as for `layout.matrix_figure`.
    """
    st.markdown(f"**{title}** · ${shape_text(symbols, values.shape)}$")
    rows, columns = _size(values.shape, row_title, column_title)
    alt = _("{title}: {rows}, {columns}; column {column} is framed")
    layout.matrix_figure(
        values, dimensions(values.shape[0]), dimensions(values.shape[1]), theme,
        key=key, kind="signed", compact=True, lit_column=lit_column,
        alt=alt.format(title=title, rows=rows, columns=columns, column=lit_column + 1),
        row_title=row_title, column_title=column_title, **look,
    )  # fmt: skip


def show_arithmetic(
    view: Translated,
    shown: Tensor,
    cell: tuple[int, int],
    *,
    key: str,
    name_of: Callable[[int], str] | None = None,
) -> None:
    """The equation of the array, checked; the arithmetic of the selected cell; the code that runs.

    `name_of` names the places of the sum, such as the tokens that values are mixed of.
    """
    found = equation_of(shown.hook, view.shown.info.modules)
    if found is None:
        raise LookupError(f"no equation explains {shown.hook}")
    seen = found.seen(view.seen())
    layout.equation(found.equation, seen, view.theme)
    row, column = cell
    name = "" if shown.columns[column] == str(column + 1) else for_markdown(shown.columns[column])
    names = {"row_name": for_markdown(shown.rows[row]), "what": shown.column_title, "column_name": name}
    if shown.first_column:
        place = _("**Row {row}** {row_name}, **column {column}** {column_name}")
    else:
        place = _("**Row {row}** {row_name}, **{what} {column}** {column_name}")
    st.markdown(place.format(row=row + 1, column=column + shown.first_column, **names))
    layout.story(found.equation.story(seen, shown.index(cell)), view.theme, name_of)
    if view.specs:
        st.caption(_before_after(view, shown, cell))
    show_code(view, shown.hook, key=f"{key}-code", index=() if shown.head is None else (shown.head,))


def _before_after(view: Translated, shown: Tensor, cell: tuple[int, int]) -> str:
    before, after = (float(trace[shown.hook][shown.index(cell)]) for trace in (view.before, view.trace))
    told = _("This cell before the changes: {before}; after them: {after}.")
    return told.format(before=number(before, 4), after=number(after, 4))


def _part(values: np.ndarray, head: int | None) -> np.ndarray:
    return values if head is None else values[head]


def _allowed(view: Translated, shown: Tensor) -> np.ndarray | None:
    if not shown.hook.endswith(("attend.hook_masked", "attend.hook_weights")):
        return None
    mask = f"{shown.hook.rpartition('.')[0]}.hook_mask"
    allowed = _part(view.shown[mask], shown.head)
    return allowed | _part(view.before[mask], shown.head) if view.is_difference else allowed
