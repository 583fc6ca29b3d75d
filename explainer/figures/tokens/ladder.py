"""How BPE puts a word together: a line of pieces for each merge, the newest piece marked."""

from collections.abc import Sequence
from typing import Any

from explainer.figures.drawing import BARE, CLEAR, rectangle, scatter, token_names
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
    """
    boxes = [box for box in _boxes(start, steps) if box[0] <= shown]
    row = 40 if len(steps) <= 8 else 32
    layout = base_layout(theme, height=row * (len(steps) + 1) + 12, hovermode="closest")
    layout["margin"] = {"l": 118, "r": 6, "t": 6, "b": 6}
    room = max(len(start), 12)
    layout["xaxis"] = {**BARE, "visible": False, "range": [-0.55, room - 0.45]}
    layout["yaxis"] = {
        **BARE,
        "range": [len(steps) + 0.5, -0.5],
        "tickvals": list(range(shown + 1)),
        "ticktext": [_title(i, steps) for i in range(shown + 1)],
        "tickfont": {"size": 12, "color": theme.muted},
    }
    layout["shapes"] = [_rectangle(box, theme) for box in boxes]
    layout["meta"] = {"width": 124 + room * _CHARACTER}
    lines = [box[0] for box in boxes]
    trace = scatter(
        "markers+text",
        [(first + last) / 2 for __, first, last, *__ in boxes],
        lines,
        text=[_written(box) for box in boxes],
        textfont={"size": 15, "color": theme.text},
        marker={"size": row - 8, "symbol": "square", "color": CLEAR},
        customdata=[["merge", line] for line in lines],
        hovertemplate=[_hover(line, steps) for line in lines],
    )
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
    fill, width, opacity = (0.34, 2, 1.0) if is_new else (0.08, 1, 0.45)
    look = {"fillcolor": faded(theme.source, fill), "layer": "below"}
    edge = {"width": width, "color": faded(theme.source, opacity)}
    return rectangle(first - 0.45, last + 0.45, line - 0.38, line + 0.38, line=edge, **look)


def _written(box: _Box) -> str:
    *__, piece, is_new = box
    name = piece[3:5] if piece in BYTES else token_names([piece])[0]
    return f"<b>{name}</b>" if is_new else name


def _title(line: int, steps: Sequence[MergeStep]) -> str:
    if not line:
        return _("start")
    return _("merge {line} · rule {rule}").format(line=line, rule=steps[line - 1].rank + 1)


def _hover(line: int, steps: Sequence[MergeStep]) -> str:
    if not line:
        return _("the characters, or bytes, of the word") + "<extra></extra>"
    left, right = token_names(steps[line - 1].pair)
    told = _("{left} + {right} is rule {rule} of those that were learnt")
    return told.format(left=left, right=right, rule=steps[line - 1].rank + 1) + "<extra></extra>"
