"""What the page about blocks looks at: a sublayer, an array, and one number of it, all from the link."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explainer.figures.flow.block import TITLES
from explainer.figures.style import Role
from explainer.language import _
from explainer.measures.anatomy import Kind, Sublayer
from explainer.measures.sublayers import HIDDEN
from explainer.pages.frame.link import link_cell, link_number
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import query_labels
from explainer.pages.kit.tensor import D_MODEL, Tensor, dimensions


@dataclass(frozen=True, kw_only=True)
class Spot:
    """What is looked at.

    Attributes:
        sublayer: The sublayer.
        array: Which of its arrays.
        rows: Labels of the tokens.
        row: The selected token.
        dim: The selected dimension of the stream.
        unit: The selected hidden unit, of feed-forward.
    """

    sublayer: Sublayer
    array: str
    rows: Sequence[str]
    row: int
    dim: int
    unit: int = 0

    def link_of(self, row: int) -> dict[str, str | None]:
        """What the link says after a click on a token: it is selected, its dimension as it was."""
        return {"cell": f"{row + 1}.{self.dim + 1}"}

    @property
    def hook(self) -> str:
        """Of the array."""
        return self.sublayer.hooks[self.array]

    @property
    def cell(self) -> tuple[int, int]:
        """The selected cell of the array."""
        return self.row, self.unit if self.array in HIDDEN else self.dim

    @property
    def row_title(self) -> str:
        """What the rows are."""
        return _("token") if self.sublayer.side == "encoder" else _("input → predicts")

    @property
    def accent(self) -> Role:
        """Colour of the side."""
        return "source" if self.sublayer.side == "encoder" else "target"

    def tensor(self, view: Translated) -> Tensor:
        """What a figure of the array shows."""
        wide = self.array in HIDDEN
        return Tensor(
            hook=self.hook,
            title=TITLES[self.array],
            rows=self.rows,
            columns=dimensions(view.trace[self.hook].shape[1]),
            row_title=self.row_title,
            column_title=_("hidden unit") if wide else _("dimension"),
            role="residual",
            symbols=("T", r"d_{\text{ff}}" if wide else D_MODEL),
        )


def spot_of(view: Translated, sublayer: Sublayer, array: str, position: int) -> Spot:
    """The selected cell, from the link; by default the largest number that is added to the token `position`."""
    kind: Kind = "encoder" if sublayer.side == "encoder" else "decoder"
    rows = query_labels(view, kind)
    update = view.before[sublayer.hooks["update"]]
    default = (position, int(np.abs(update[position]).argmax()))
    row, dim = link_cell("cell", default, update.shape)
    unit = 0
    if sublayer.name == "feed_forward":
        hidden = view.before[sublayer.hooks["hidden"]]
        unit = link_number("unit", int(hidden[row].argmax()) + 1, 1, hidden.shape[1]) - 1
    return Spot(sublayer=sublayer, array=array, rows=rows, row=row, dim=dim, unit=unit)
