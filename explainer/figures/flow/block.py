"""One sublayer as a flow: f branches off the stream and is added; lines as thick as the vectors are long."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from explainer.figures.flow.sketch import WIDTH, Sketch, box
from explainer.figures.style import Role, Theme, faded, number
from explainer.language import _

Places = dict[str, tuple[float, float]]
_MAIN, _BRANCH, _HEIGHT, _CHIP = 124, 38, 176, 34
_THICKEST = 26.0  # pixels of the longest vector
_LEAST_WIDTH = 760  # on a phone the picture is panned
TITLES = {
    "before": "x",
    "hidden": "u = x W₁ + b₁",
    "relu": "max(0, u)",
    "update": "f(x)",
    "sum": "x + f(x)",
    "normalised": "x̂ = (x − μ) ÷ σ",
    "output": "y = g·x̂ + b",
}
_WIDE = {
    "before": 74,
    "hidden": 136,
    "relu": 110,
    "update": 128,
    "sum": 100,
    "normalised": 150,
    "output": 118,
}


def block_flow(
    lengths: Mapping[str, float],
    name: str,
    theme: Theme,
    *,
    array: str,
    branch: Sequence[str],
    role: Role,
    added: bool = True,
    normed: bool = True,
) -> dict[str, Any]:
    """The way through one sublayer; a click on a part carries `["stage", its name]`.

    `lengths` are ‖·‖ of the selected token's vector at each array, in the order of computing; `array` is lit. `name`
    says what f is; its branch, in the colour of `role`, passes the arrays `branch`, the others stand on the stream.
    Unless `added`, a What if? leaves x out; `normed` says whether the layer norm acts.
    """
    sketch, unit = Sketch(theme), _THICKEST / max(*lengths.values(), 1e-9)
    centres = _centres(list(lengths), branch)
    widths = {one: max(1.0, unit * length) for one, length in lengths.items()}
    _draw_stream(sketch, widths, centres, [one for one in lengths if one not in branch], added=added)
    _draw_branch(sketch, widths, centres, branch, faded(getattr(theme, role), 0.4))
    _draw_box(sketch, centres, branch, name)
    for one, (x, y) in centres.items():
        off = one in ("normalised", "output") and not normed
        _draw_array(sketch, one, x, y, lengths[one], lit=one == array, off=off)
    return sketch.figure(_HEIGHT, 40, width=_LEAST_WIDTH)


def _centres(arrays: list[str], branch: Sequence[str]) -> Places:
    """Where each array stands: the branch above the stretch between x and the sum."""
    after = arrays[arrays.index("sum") + 1 :]
    right = WIDTH - 80 - 190 * len(after)
    centres: Places = {"before": (60, _MAIN), "sum": (right, _MAIN)}
    step = (right - 210) / (len(branch) + 1)
    centres |= {one: (130 + step * (i + 1), _BRANCH) for i, one in enumerate(branch)}
    centres |= {one: (right + 190 * (i + 1), _MAIN) for i, one in enumerate(after)}
    return {one: centres[one] for one in arrays}


def _draw_stream(
    sketch: Sketch, widths: Mapping[str, float], centres: Places, main: list[str], *, added: bool
) -> None:
    """From one array of the stream to the next, and out at the right."""
    colour = faded(sketch.theme.residual, 0.4)
    for one, end in zip(main, [*(centres[other][0] for other in main[1:]), WIDTH - 10], strict=True):
        start = centres[one][0]
        if one == "before" and not added:
            sketch.text((start + end) / 2, _MAIN, _("✕ x is not added"), size=13)
        else:
            sketch.stroke([f"M{start:g},{_MAIN}H{end:g}"], colour, widths[one])


def _draw_branch(
    sketch: Sketch, widths: Mapping[str, float], centres: Places, branch: Sequence[str], colour: str
) -> None:
    start, end = 120, centres["sum"][0]
    for one, other in pairwise(["before", *branch]):
        x, left = centres[other][0], centres[one][0]
        path = f"M{start},{_MAIN}V{_BRANCH}H{x:g}" if one == "before" else f"M{left:g},{_BRANCH}H{x:g}"
        sketch.stroke([path], colour, widths[one])
    last = centres[branch[-1]][0]
    sketch.stroke([f"M{last:g},{_BRANCH}H{end:g}V{_MAIN}"], colour, widths[branch[-1]])


def _draw_box(sketch: Sketch, centres: Places, branch: Sequence[str], name: str) -> None:
    """Around f, with its name."""
    last = centres[branch[-1]][0]
    first = centres[branch[0]][0] - _WIDE[branch[0]] / 2 - 12
    sketch.text(first, _BRANCH - 24, f"f = <b>{name}</b>", colour=sketch.theme.muted, at="middle right")
    right = last + _WIDE[branch[-1]] / 2 + 12
    plate = box(first - 6, 4, right, _BRANCH + 32, 8)
    sketch.stroke([plate], faded(sketch.theme.residual, 0.5), 1)


def _draw_array(
    sketch: Sketch, array: str, x: float, y: float, length: float, *, lit: bool, off: bool
) -> None:
    theme, half = sketch.theme, _WIDE[array] / 2
    sketch.chip(x - half, x + half, y, _CHIP, theme.background, 8)
    sketch.chip(x - half, x + half, y, _CHIP, theme.residual if lit else faded(theme.residual, 0.22), 8)
    title = f"<b>{TITLES[array]}</b>" if lit else TITLES[array]
    title = f"✕ {TITLES[array]}" if off else title
    sketch.text(x, y, title, size=13, colour=theme.background if lit else theme.muted if off else theme.text)
    below = y + (26 if y == _BRANCH else 30)
    sketch.text(x, below, _("length {length}").format(length=number(length, 1)), size=11, colour=theme.muted)
    hover = _("{array}: length {length}").format(array=TITLES[array], length=number(length))
    for share in (-0.5, 0.0, 0.5):
        sketch.target(x + half * share, y, "stage", array, hover=hover)
