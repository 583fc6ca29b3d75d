"""The same tokens under two or more distributions: a group of bars for each token, and one for all the others."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from explainer.figures.amounts import others
from explainer.figures.drawing import bars, heading, in_bold, legend, name_axis, token_names, value_axis
from explainer.figures.style import Theme, base_layout, faded, number, probability
from explainer.language import _


class Bars(NamedTuple):
    """One distribution: of each token, the others together last; `look` is hatched where it is not the model's own."""

    name: str
    values: Float[np.ndarray, " bar"]
    look: Literal["full", "grey", "hatched"]


def grouped_bars(
    ids: Sequence[int],
    pieces: Sequence[str],
    groups: Sequence[Bars],
    theme: Theme,
    *,
    chosen: int | None,
    selected: int | None,
    n_others: int,
    signed: bool = False,
) -> dict[str, Any]:
    """Horizontal bars on a fixed range; a click on one carries `["candidate", token id or None]`.

    The first group is on top. The translation goes on with `chosen` (✓), the name of `selected` is bold; the last bar
    has `n_others` tokens. `signed` bars are differences: the range is −1 … 1, a sign is written.
    """
    names = [f"{name} ✓" if i == chosen else name for i, name in enumerate(token_names(pieces))]
    names = [*in_bold(names, selected), others(n_others)]
    traces = [_bars(group, [*ids, None], theme, signed=signed) for group in groups]
    height = 30 if len(groups) == 1 else 15 + 15 * len(groups)
    layout = base_layout(
        theme, height=height * len(names) + 84, bargap=0.24, bargroupgap=0.06, barmode="group"
    )
    layout["margin"] = {"l": 120, "r": 56, "t": 34 if len(groups) > 1 else 4, "b": 40}
    layout["showlegend"] = len(groups) > 1
    layout["legend"] = legend()
    layout["xaxis"] = _probability_axis(theme, signed=signed)
    layout["yaxis"] = name_axis(names, theme, size=14)
    return {"data": traces, "layout": layout}


def term_bars(
    terms: Float[np.ndarray, " bar"], names: Sequence[str], theme: Theme, *, one: str, other: str
) -> dict[str, Any]:
    """Signed bars, one for each term of a sum, the last for all the rest together.

    A positive term speaks for the token `one`, a negative one for the `other`.
    """
    limit = 1.35 * float(np.abs(terms).max(initial=1e-6))
    colours = [theme.target if term > 0 else theme.residual for term in terms]
    trace = bars(
        terms,
        [number(float(term), 2) for term in terms],
        theme,
        colours=colours,
        clicks=[("term", i) for i in range(len(terms))],
        hover="%{y}: %{x:.4f}<extra></extra>",
    )
    layout = base_layout(theme, height=24 * len(terms) + 76, bargap=0.25)
    layout["margin"] = {"l": 130, "r": 24, "t": 30, "b": 30}
    layout["meta"] = {"width": 440}  # below it the numbers would run into the names
    layout["xaxis"] = value_axis(theme, range=[-limit, limit])
    layout["yaxis"] = name_axis(names, theme)
    left, right = token_names([other, one])
    layout["annotations"] = [
        heading(_("← for {token}").format(token=left), 0.0, theme.residual),
        heading(_("for {token} →").format(token=right), 1.0, theme.target, anchor="right"),
    ]
    return {"data": [trace], "layout": layout}


def _bars(group: Bars, ids: Sequence[int | None], theme: Theme, *, signed: bool) -> dict[str, Any]:
    colour = faded(theme.residual, 0.55) if group.look == "grey" else theme.target
    last = theme.masked if group.look == "grey" else theme.muted
    shape = "/" if group.look == "hatched" else ""
    write = (lambda value: number(value, 3)) if signed else probability
    trace = bars(
        group.values,
        [write(float(value)) for value in group.values],
        theme,
        colours=[*[colour] * (len(ids) - 1), last],
        clicks=[("candidate", token) for token in ids],
        hover=f"{group.name}: %{{text}}<extra></extra>",
        name=group.name,
    )
    trace["marker"]["pattern"] = {"shape": shape, "fillmode": "replace", "size": 5}
    return trace


def _probability_axis(theme: Theme, *, signed: bool) -> dict[str, Any]:
    if signed:
        ticks, title, ends = [-1, -0.5, 0, 0.5, 1], _("difference of probabilities"), [-1.35, 1.35]
    else:
        ticks, title, ends = [0, 0.25, 0.5, 0.75, 1], _("probability"), [0, 1]
    texts = [f"{tick:g}".replace("-", "−") for tick in ticks]
    return value_axis(theme, title, range=ends, tickvals=ticks, ticktext=texts, zeroline=signed)
