"""How BPE puts a word together: a line of pieces for each merge, the newest piece marked."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Theme, base_layout, faded
from explainer.language import _
from explainer.text.spelling import MergeStep
from explainer.text.tokenizer import BYTES

_CHARACTER = 36  # pixels
_Box = tuple[int, int, int, str, bool]  # line, first and last character, piece, whether it is new


def merge_ladder(
    start: Sequence[str], steps: Sequence[MergeStep], theme: Theme, *, shown: int
) -> dict[str, Any]:
    """The pieces before any merge on top, below them the pieces after each of the first `shown` merges.

    The figure keeps its size while one walks through the merges. A click on a line carries `["merge", step]`.

    Args:
        start: Characters or bytes.
        steps: All merges of the word.
        theme: Colours.
        shown: How many merges have happened.
    """
    boxes = [box for box in _boxes(start, steps) if box[0] <= shown]
    row = 40 if len(steps) <= 8 else 32
    layout = base_layout(theme, height=row * (len(steps) + 1) + 12, hovermode="closest")
    layout["margin"] = {"l": 118, "r": 6, "t": 6, "b": 6}
    fixed = {"fixedrange": True, "showgrid": False, "zeroline": False, "ticks": ""}
    room = max(len(start), 12)
    layout["xaxis"] = {**fixed, "visible": False, "range": [-0.55, room - 0.45]}
    layout["yaxis"] = {
        **fixed,
        "range": [len(steps) + 0.5, -0.5],
        "tickvals": list(range(shown + 1)),
        "ticktext": [_title(i, steps) for i in range(shown + 1)],
        "tickfont": {"size": 12, "color": theme.muted},
    }
    layout["shapes"] = [_rectangle(box, theme) for box in boxes]
    layout["meta"] = {"width": 124 + room * _CHARACTER}
    lines = [box[0] for box in boxes]
    texts = [_written(box) for box in boxes]
    trace = {
        "type": "scatter",
        "mode": "markers+text",
        "x": np.array([(first + last) / 2 for __, first, last, *__ in boxes], dtype=np.float32),
        "y": np.array(lines, dtype=np.float32),
        "text": texts,
        "textfont": {"size": 15, "color": theme.text},
        "marker": {"size": row - 8, "symbol": "square", "color": "rgba(0,0,0,0)"},
        "customdata": [["merge", line] for line in lines],
        "hovertemplate": [_hover(line, steps) for line in lines],
    }
    return {"data": [trace], "layout": layout}


def _boxes(start: Sequence[str], steps: Sequence[MergeStep]) -> list[_Box]:
    spans = [(i, i) for i in range(len(start))]
    boxes = [(0, i, i, piece, False) for i, piece in enumerate(start)]
    for line, step in enumerate(steps, 1):
        merged = spans[step.at][0], spans[step.at + 1][1]
        spans = [*spans[: step.at], merged, *spans[step.at + 2 :]]
        boxes += [
            (line, *span, piece, i == step.at)
            for i, (span, piece) in enumerate(zip(spans, step.after, strict=True))
        ]
    return boxes


def _rectangle(box: _Box, theme: Theme) -> dict[str, Any]:
    line, first, last, __, is_new = box
    return {
        "type": "rect",
        "x0": first - 0.45,
        "x1": last + 0.45,
        "y0": line - 0.38,
        "y1": line + 0.38,
        "fillcolor": faded(theme.source, 0.34 if is_new else 0.08),
        "line": {"width": 2 if is_new else 1, "color": faded(theme.source, 1.0 if is_new else 0.45)},
        "layer": "below",
    }


def _written(box: _Box) -> str:
    *__, piece, is_new = box
    name = piece[3:5] if piece in BYTES else for_plotly(token_label(piece))
    return f"<b>{name}</b>" if is_new else name


def _title(line: int, steps: Sequence[MergeStep]) -> str:
    if not line:
        return _("start")
    return _("merge {line} · rule {rule}").format(line=line, rule=steps[line - 1].rank + 1)


def _hover(line: int, steps: Sequence[MergeStep]) -> str:
    if not line:
        return _("the characters, or bytes, of the word") + "<extra></extra>"
    left, right = (for_plotly(token_label(piece)) for piece in steps[line - 1].pair)
    told = _("{left} + {right} is rule {rule} of those that were learnt")
    return told.format(left=left, right=right, rule=steps[line - 1].rank + 1) + "<extra></extra>"
