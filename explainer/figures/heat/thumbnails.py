"""All heads of all layers as small heat maps with the same axes, tiled into one trace."""

from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from explainer.figures.drawing import BARE, CLEAR, note, scatter
from explainer.figures.heat.cells import box
from explainer.figures.style import Theme, base_layout
from explainer.language import _


def thumbnails(
    weights: Float[np.ndarray, "layer head query key"],
    allowed: Bool[np.ndarray, "query key"],
    theme: Theme,
    *,
    selected: tuple[int, int],
    starred: tuple[int, int],
) -> dict[str, Any]:
    """A row per layer, a column per head; the selected one framed, the most telling one starred, masked cells grey.

    A click on a tile carries `["head", layer, head]`.
    """
    n_layers, n_heads, n_queries, n_keys = weights.shape
    heat = {
        "type": "heatmap",
        "z": _tiled(weights, allowed),
        "zmin": -1.0,
        "zmax": 1.0,
        "colorscale": [[0.0, theme.masked], [0.499, theme.masked], [0.5, theme.zero], [1.0, theme.attention]],
        "showscale": False,
        "hoverinfo": "skip",
    }
    layers, heads = (grid.ravel() for grid in np.mgrid[0:n_layers, 0:n_heads])
    targets = scatter(
        "markers",
        heads * (n_keys + 1) + (n_keys - 1) / 2,
        layers * (n_queries + 1) + (n_queries - 1) / 2,
        marker={"size": 64, "symbol": "square", "color": CLEAR},
        customdata=[["head", int(layer), int(head)] for layer, head in zip(layers, heads, strict=True)],
        hovertemplate=[
            _("layer {layer}, head {head}").format(layer=layer + 1, head=head + 1) + "<extra></extra>"
            for layer, head in zip(layers, heads, strict=True)
        ],
    )
    layout = base_layout(theme, height=40 + 92 * n_layers, hovermode="closest")
    layout["margin"] = {"l": 62, "r": 8, "t": 28, "b": 4}
    layout["shapes"] = [
        _outline(layer, head, n_queries, n_keys, theme, (layer, head) == selected)
        for layer in range(n_layers)
        for head in range(n_heads)
    ]
    right, top = starred[1] * (n_keys + 1) + n_keys, starred[0] * (n_queries + 1)
    layout["annotations"] = [
        note("★", right - 0.6, top - 0.4, 16, theme.attention, xanchor="right", yanchor="top")
    ]
    layout["xaxis"] = {
        **_axis(theme, n_heads * (n_keys + 1) - 1),
        "side": "top",
        "tickvals": [head * (n_keys + 1) + (n_keys - 1) / 2 for head in range(n_heads)],
        "ticktext": [_("head {head}").format(head=head + 1) for head in range(n_heads)],
    }
    layout["yaxis"] = {
        **_axis(theme, n_layers * (n_queries + 1) - 1),
        "tickvals": [layer * (n_queries + 1) + (n_queries - 1) / 2 for layer in range(n_layers)],
        "ticktext": [_("layer {layer}").format(layer=layer + 1) for layer in range(n_layers)],
    }
    layout["yaxis"]["range"] = layout["yaxis"]["range"][::-1]
    return {"data": [heat, targets], "layout": layout}


def _tiled(
    weights: Float[np.ndarray, "layer head query key"], allowed: Bool[np.ndarray, "query key"]
) -> Float[np.ndarray, "row column"]:
    """The heads beside and below each other with a line of nothing between them; masked cells are −1."""
    n_layers, n_heads, n_queries, n_keys = weights.shape
    tiles = np.full((n_layers, n_queries + 1, n_heads, n_keys + 1), np.nan, dtype=np.float32)
    tiles[:, :-1, :, :-1] = np.where(allowed, weights, -1.0).transpose(0, 2, 1, 3)
    return tiles.reshape(n_layers * (n_queries + 1), n_heads * (n_keys + 1))


def _axis(theme: Theme, length: int) -> dict[str, Any]:
    return {
        **BARE,
        "range": [-0.9, length - 0.1],
        "tickfont": {"size": 12, "color": theme.muted},
    }


def _outline(
    layer: int, head: int, n_queries: int, n_keys: int, theme: Theme, chosen: bool
) -> dict[str, Any]:
    colour, width = (theme.attention, 3) if chosen else (theme.line, 1)
    return box(head * (n_keys + 1), layer * (n_queries + 1), n_keys, n_queries, colour, width)
