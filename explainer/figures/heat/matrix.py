"""A matrix as a heat map: rows are queries, columns are keys, masked cells hatched, one cell selected."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool, Float

from explainer.figures.escape import token_label
from explainer.figures.heat.cells import (
    axis,
    box,
    cell_texts,
    colour_bar,
    flipped_cells,
    hatching,
    masked_cells,
    room,
)
from explainer.figures.style import Role, Theme, base_layout, diverging, number, sequential, span
from explainer.language import _

Kind = Literal["weights", "signed", "lengths"]
CELL = 32  # pixels of a row while there is room
_LEAST = 64  # pixels of all rows together: the colour bar beside them has three labels
FAINT = "·"  # in place of a weight or length that would be written as nothing but zeros
_TEXT_LIMIT = 16  # columns up to which numbers stand in the cells
_ROOMY = 24  # columns up to which slanted labels have room
_NAMED = 62  # columns up to which each has a name: there are more dimensions than tokens
_ROOM = 350  # pixels that the cells of a row have at least on a wide page, in half a page's width
_LETTER = 0.48  # width of a letter of a number, on the average, as a share of its size: points are narrow
_RIGHT, _BOTTOM = 46, 10  # margins in pixels; the colour bar stands at the right
_TITLE_LETTER = 5.8  # pixels of a letter of an axis title, on the average


def matrix(
    values: Float[np.ndarray, "row column"],
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    *,
    kind: Kind,
    row_title: str,
    column_title: str,
    allowed: Bool[np.ndarray, "row column"] | None = None,
    selected: tuple[int, int] | None = None,
    bound: float | None = None,
    role: Role = "attention",
    lit_row: int | None = None,
    lit_column: int | None = None,
    compact: bool = False,
    is_difference: bool = False,
) -> dict[str, Any]:
    """One heat map with a label for every row and column, as plain text.

    Values of kind "weights" are 0 … 1, of "lengths" 0 … `bound`, both in the role's colour, "signed" ones symmetric
    about zero, blue to vermillion. −∞ counts as masked; in a difference, after − before, ∞ is a cell that a change
    opened, −∞ one that it closed. Where `allowed` is False, cells are hatched and read 0 or −∞.
    The `selected` cell is framed; `lit_row` and `lit_column` are too, if a selected cell elsewhere was made of them.
    `bound` keeps the range still between figures; default: the largest value. A `compact` map has low rows and columns
    as narrow as the page: for what another matrix was made of.
    """
    masked, flipped = _hidden(values, allowed, is_difference=is_difference)
    limit = 1.0 if kind == "weights" else bound or span(values)
    heat = _heat(np.where(masked | flipped, np.nan, values), theme, kind, limit, role)
    traces = [heat]
    with_text = values.shape[1] <= _TEXT_LIMIT
    masked_text = "0" if kind != "signed" or is_difference else "−∞"
    traces.append(masked_cells(masked, masked_text if with_text else "", theme))
    if flipped.any():
        traces.append(flipped_cells(values, theme))
    if with_text:
        decimals = _decimals(values[~(masked | flipped)], kind, limit)
        hides_small = kind != "signed" or is_difference
        size = _text_size(values.shape[1], compact=compact)
        if kind == "signed":
            decimals = _fitting(values, decimals, size, _column_width(values.shape[1], compact=compact))
        texts = _texts(values, masked | flipped, decimals, hides_small=hides_small)
        traces.append(cell_texts(texts, heat, size))
        if any(FAINT in row for row in texts):
            less = f"{0.5 * 0.1**decimals:g}"
            note = _("{sign} stands for less than {number}").format(sign=FAINT, number=less)
            column_title += f" ({note})"
    layout = _layout(rows, columns, (row_title, column_title), theme, selected, compact=compact)
    frames = [] if selected is None else [box(selected[1], selected[0], 1, 1, theme.text, 2.5)]
    layout["shapes"] = [
        *hatching(masked, theme),
        *frames,
        *_lit(lit_row, lit_column, values.shape, getattr(theme, role)),
    ]
    return {"data": traces, "layout": layout}


def _hidden(
    values: np.ndarray, allowed: np.ndarray | None, *, is_difference: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Which cells are masked, and which a change has opened or closed."""
    masked = np.zeros(values.shape, dtype=bool) if allowed is None else ~allowed
    flipped = np.isinf(values) if is_difference else np.zeros(values.shape, dtype=bool)
    return (masked | np.isneginf(values)) & ~flipped, flipped


def _heat(shown: np.ndarray, theme: Theme, kind: Kind, limit: float, role: Role) -> dict[str, Any]:
    n_rows, n_columns = shown.shape
    ends = {"weights": [0.0, 0.5, 1.0], "lengths": [0.0, limit], "signed": [-limit, 0.0, limit]}[kind]
    return {
        "type": "heatmap",
        "z": shown.astype(np.float32),
        "zmin": ends[0],
        "zmax": limit,
        "colorscale": diverging(theme) if kind == "signed" else sequential(theme, role),
        "xgap": 1 if n_columns <= _NAMED else 0,
        "ygap": 1 if n_rows <= _NAMED else 0,
        "hoverongaps": False,
        "showscale": bool(np.nan_to_num(shown).any()),  # a matrix of zeros has no range
        "colorbar": colour_bar(ends, theme),
        "hovertemplate": _("row %{y}, column %{x}: %{z:.3f}") + "<extra></extra>",
    }


def _layout(
    rows: Sequence[str],
    columns: Sequence[str],
    titles: tuple[str, str],
    theme: Theme,
    selected: tuple[int, int] | None,
    *,
    compact: bool,
) -> dict[str, Any]:
    n_rows, n_columns = len(rows), len(columns)
    every = 1 if n_columns <= _NAMED else 16 if n_columns <= 128 else 32  # dimensions: 1, 17, 33 …
    is_dense = every == 1 and n_columns > _ROOMY
    short = max(map(len, columns), default=0) <= 3
    angle = -90 if is_dense else 0 if short and every > 1 else -45
    left, top = room(rows), room(columns, angle=angle, most=120)
    layout = base_layout(
        theme,
        xaxis=axis(
            columns,
            theme,
            title=titles[1],
            every=every,
            size=11 if is_dense else 13,
            side="top",
            tickangle=angle,
            range=[-0.5, n_columns - 0.5],
        ),
        yaxis=axis(
            rows,
            theme,
            title=titles[0],
            every=1 if n_rows <= _NAMED else 32,
            range=[n_rows - 0.5, -0.5],
            ticklabelstandoff=3,
        ),
    )
    height = max(_LEAST, round(n_rows * _row_height(n_rows, n_columns, compact=compact)))
    bottom = max(_BOTTOM, round((_TITLE_LETTER * len(titles[0]) - height) / 2))  # the title is turned
    layout["margin"] = {"l": left, "r": _RIGHT, "t": top, "b": bottom}
    layout["height"] = height + top + bottom
    layout["meta"] = {
        "width": left + _RIGHT + n_columns * _column_width(n_columns, compact=compact),
        "grid": {
            "rows": n_rows,
            "columns": n_columns,
            "selected": None if selected is None else {"x": selected[1], "y": selected[0]},
        },
    }
    return layout


def _column_width(n_columns: int, *, compact: bool) -> int:
    if compact and n_columns > _NAMED:
        return 1
    numbers = ((12, 30), (_TEXT_LIMIT, 24 if compact else 28))
    widths = (*numbers, (_ROOMY, 16), (_NAMED, 11), (64, 7))
    return next((width for most, width in widths if n_columns <= most), 3)


def _row_height(n_rows: int, n_columns: int, *, compact: bool) -> float:
    if compact:
        return 280 / n_rows if n_rows > _NAMED else 17.0
    longest = max(n_rows, n_columns)
    return CELL if longest <= 14 else max(15, round(CELL * 14 / longest))


def _decimals(values: np.ndarray, kind: Kind, limit: float) -> int:
    """Probabilities and small differences need three; whole numbers, as in a mask, none."""
    return 0 if not (values % 1).any() else 3 if kind == "weights" or limit < 0.5 else 2


def _texts(values: np.ndarray, hidden: np.ndarray, decimals: int, *, hides_small: bool) -> list[list[str]]:
    """The numbers in the cells."""

    def in_cell(value: float) -> str:
        text = number(value, decimals)
        return FAINT if hides_small and value != 0 and float(text.replace("−", "-")) == 0 else text

    return [
        ["" if gone else in_cell(value) for value, gone in zip(row, gone_row, strict=True)]
        for row, gone_row in zip(values.tolist(), hidden.tolist(), strict=True)
    ]


def _text_size(n_columns: int, *, compact: bool) -> float:
    return 11 if n_columns <= 12 else 9.5 if compact else 10.5


def _fitting(values: np.ndarray, decimals: int, size: float, width: int) -> int:
    """As many decimals as fit beside each other; the table and a hover have more."""
    longest = max(width, _ROOM / values.shape[1]) / (_LETTER * size)
    ends = values[np.isfinite(values)]
    ends = (float(ends.min(initial=0.0)), float(ends.max(initial=0.0)))
    fitting = (n for n in range(decimals, 0, -1) if max(len(number(end, n)) for end in ends) <= longest)
    return next(fitting, 0)


def _lit(row: int | None, column: int | None, shape: tuple[int, ...], colour: str) -> list[dict[str, Any]]:
    shapes = [] if row is None else [box(0, row, shape[1], 1, colour, 3)]
    return shapes if column is None else [*shapes, box(column, 0, 1, shape[0], colour, 3)]


def labels(pieces: Sequence[str]) -> list[str]:
    """Row or column labels of tokens."""
    return [token_label(piece) for piece in pieces]


def decoder_labels(inputs: Sequence[str], predicted: Sequence[str]) -> list[str]:
    """Labels of decoder rows: the token that is read → the one that this row predicts."""
    return [f"{one} → {other}" for one, other in zip(labels(inputs), labels(predicted), strict=True)]
