"""A window on a few of the d_model dimensions: the arrays of the input embedding side by side, with cells to pick."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explainer.figures.heat.joined import cell_in_joined, joined
from explainer.figures.heat.matrix import labels
from explainer.figures.style import span
from explainer.language import _, mark, ngettext
from explainer.measures.anatomy import EMBEDDINGS
from explainer.pages.frame import layout
from explainer.pages.frame.link import link_cell, link_choice, slide
from explainer.pages.frame.share import note
from explainer.pages.frame.view import Translated
from explainer.pages.kit.tensor import D_MODEL, Tensor, dimensions, title_in_alt

NAMES = {"source": mark("English"), "target": mark("German")}


@dataclass(frozen=True)
class Side:
    """One language of the pass: `source` or `target`."""

    name: str

    @property
    def path(self) -> str:
        """Module path of its input embedding."""
        return EMBEDDINGS[self.name]

    def pieces(self, view: Translated) -> tuple[str, ...]:
        """Its tokens in the pass that is shown."""
        return view.tokens.source if self.name == "source" else view.tokens.target

    def tensor(self, view: Translated, hook: str, title: str) -> Tensor:
        """One of its arrays, for the arithmetic of a cell."""
        name = f"{self.path}.{hook}"
        return Tensor(
            hook=name, title=title, rows=labels(self.pieces(view)), columns=dimensions(view.trace[name].shape[-1]),
            row_title=_("token"), column_title=_("dimension"), role="residual", symbols=("T", D_MODEL),
        )  # fmt: skip


@dataclass(frozen=True)
class Window:
    """Which dimensions are shown, from 0, and the selected cell."""

    first: int
    width: int
    cell: tuple[int, int]

    @property
    def columns(self) -> slice:
        """The dimensions."""
        return slice(self.first, self.first + self.width)


def chosen_side() -> Side:
    """The side that the link names."""
    return Side(link_choice("side", tuple(NAMES), "source"))


def choose_window(shape: Sequence[int], default: tuple[int, int], width: int) -> Window:
    """A slider for the first of `width` dimensions; until the link says, the window is where the selected cell is."""
    cell = link_cell("cell", default, shape)
    last = shape[1] - width
    start = min(cell[1] // width * width, last)
    if last <= 0:
        return Window(0, min(width, shape[1]), cell)
    told = ngettext(
        "{n} of {dimensions} dimensions is shown", "{n} of {dimensions} dimensions are shown", width
    ).format(n=width, dimensions=shape[1])
    first = int(slide("dims", _("First dimension shown"), start + 1, 1, last + 1, 1, help=told)) - 1
    if not first <= cell[1] < first + width:
        cell = (cell[0], first)
        note("cell", f"{cell[0] + 1}.{first + 1}")
    return Window(first, width, cell)


def show_joined(
    view: Translated,
    side: Side,
    hooks: Sequence[str],
    titles: Sequence[str],
    signs: Sequence[str],
    window: Window,
    *,
    key: str,
    lit: Sequence[tuple[int, int]] = (),
    sets_row: bool = False,
) -> None:
    """The arrays in the window, the selected cell framed in all of them; a click or the arrow keys select another.

    `hooks` are those of a language's input embedding, left to right, with `signs` between them. Rows `lit` (array,
    row) are framed. With `sets_row` a pick also chooses the token of its row.
    """
    names = [f"{side.path}.{hook}" for hook in hooks]
    values = [view.values(name) for name in names]
    if view.is_difference:
        bound = span(np.concatenate(values))
    else:  # the same before and after
        bound = max(span(trace[name]) for name in names for trace in (view.before, view.trace))
    rows, columns = labels(side.pieces(view)), dimensions(values[0].shape[1])
    drawing = joined(
        [value[:, window.columns] for value in values],
        titles,
        signs,
        rows,
        columns[window.columns],
        view.theme,
        bound=bound,
        selected=(window.cell[0], window.cell[1] - window.first),
        lit=lit,
    )
    if side.name == "source":
        alt = _("{arrays}: {n} English tokens, dimensions {first} to {last}")
    else:
        alt = _("{arrays}: {n} German tokens, dimensions {first} to {last}")
    places = {"first": window.first + 1, "last": window.first + window.width}
    layout.figure(
        drawing,
        key=key,
        alt=alt.format(arrays=title_in_alt(view, ", ".join(titles)), n=len(rows), **places),
        table=lambda: _table(values, titles, rows, window),
        says=lambda x, y: _of_point(x, y, window, sets_row=sets_row),
        part="point",
    )


def _table(
    values: Sequence[np.ndarray], titles: Sequence[str], rows: Sequence[str], window: Window
) -> layout.Table:
    heading = [_("token"), _("array"), *dimensions(values[0].shape[1])[window.columns]]
    body = [
        [row, title, *(f"{one:.6g}" for one in value[i, window.columns])]
        for i, row in enumerate(rows)
        for title, value in zip(titles, values, strict=True)
    ]
    return heading, body


def _of_point(x: float, y: float, window: Window, *, sets_row: bool) -> layout.Said:
    found = cell_in_joined(x, y, window.width)
    if found is None:
        return {}
    __, row, column = found
    chosen = {"row": str(row + 1), "token": None} if sets_row else {}
    return {"dims": str(window.first + 1), "cell": f"{row + 1}.{window.first + column + 1}", **chosen}
