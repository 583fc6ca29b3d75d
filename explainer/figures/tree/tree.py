"""The search tree: a card for each candidate, a branch for each token, step by step from left to right."""

from typing import Any

import numpy as np
from jaxtyping import Bool, Int

from explainer.figures.drawing import note, scatter
from explainer.figures.escape import for_plotly, token_label
from explainer.figures.style import Theme, base_layout, number, probability
from explainer.figures.tree.marks import Marks, branches, cards, style_of
from explainer.figures.tree.nodes import GHOST, PRUNED, Tree, Viewport, visible_nodes
from explainer.language import _

_ROOMY, _NARROW = 7, 12  # columns up to which everything is written, and up to which p is


def search_tree(tree: Tree, shown: Viewport, theme: Theme) -> dict[str, Any]:
    """A card for each candidate (token, Σ log p, score), p over log p beside it; a click carries `["node", place]`."""
    alive, visible = tree.alive(shown.now), visible_nodes(tree, shown)
    path = set(tree.path(shown.selected)) if shown.selected is not None else set()
    n_columns = shown.last - max(shown.first - 1, 0) + 1
    marks = Marks.of(n_rows=round(float(np.ceil(tree.heights.max()))) + 1, n_columns=n_columns)
    places = np.flatnonzero(visible)
    edges = places[tree.levels[places] > 0]
    lit = np.isin(edges, list(path))
    traces = branches(tree, edges, lit, alive, shown, theme, marks)
    traces += cards(tree, places, alive, shown, theme, marks)
    if n_columns <= _NARROW:
        traces += _edge_texts(tree, edges[tree.levels[edges] >= shown.first], theme, marks, n_columns)
    traces += [_names(tree, places, alive, theme, marks), _targets(tree, places, theme, marks)]
    if shown.without_dead:
        traces.append(_hidden(tree, visible, shown, theme, marks))
    return {"data": traces, "layout": _layout(tree, shown, theme, marks, n_columns)}


def _edge_texts(
    tree: Tree, edges: Int[np.ndarray, " edge"], theme: Theme, marks: Marks, n_columns: int
) -> list[dict[str, Any]]:
    """P above the end of each branch; log p below it where there is room."""
    x = tree.levels[edges] - marks.half_width - 0.015
    both = marks.roomy and n_columns <= _ROOMY
    texts = [(-9 / marks.row, [probability(float(p)) for p in np.exp(tree.log_ps[edges])])]
    if both:
        texts.append((9 / marks.row, [number(float(value)) for value in tree.log_ps[edges]]))
    return [
        scatter(
            "text",
            x,
            tree.heights[edges] + shift,
            text=text,
            textposition="middle left",
            textfont={"size": 11 if both else 10, "color": theme.muted, "shadow": _halo(theme)},
            hoverinfo="skip",
        )
        for shift, text in texts
    ]


def _halo(theme: Theme) -> str:
    """Keeps a text apart from the branch behind it."""
    return ", ".join([f"0 0 2px {theme.background}"] * 4)


def _names(
    tree: Tree,
    places: Int[np.ndarray, " shown"],
    alive: Bool[np.ndarray, " node"],
    theme: Theme,
    marks: Marks,
) -> dict[str, Any]:
    """What is written on the cards."""
    inks = [style_of(tree.fates[int(i)], bool(alive[i]), theme).text for i in places]
    return scatter(
        "text",
        tree.levels[places],
        tree.heights[places] + (2 / marks.row if marks.roomy else 0),
        text=[_text(tree, int(node), marks) for node in places],
        textfont={"size": 13 if marks.roomy else 12, "color": inks},
        hoverinfo="skip",
    )


def _text(tree: Tree, node: int, marks: Marks) -> str:
    """The token, and the sum with the score below it, or beside it where rows are narrow."""
    if tree.parents[node] < 0:
        return f"<b>{for_plotly('<s>')}</b>"
    fate = tree.fates[node]
    name = for_plotly(shortened(token_label(tree.names[node]).strip(), marks.most_letters))
    name = f"<b>{name}</b>" if fate not in (PRUNED, GHOST) else name
    name += {"finished": " ✓", "cut": " ✂", "forced": " ☚"}.get(fate, "")
    total = number(float(tree.log_probs[node]))
    if not marks.roomy:
        return f"{name} {total}" if marks.numbers else name
    score = "" if tree.divisor_is_one else f" │ {number(float(tree.scores[node]))}"
    return f'{name}<br><span style="font-size:11px">{total}{score}</span>' if marks.numbers else name


def shortened(text: str, most: int) -> str:
    """The first letters of a long text."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _targets(tree: Tree, places: Int[np.ndarray, " shown"], theme: Theme, marks: Marks) -> dict[str, Any]:
    """Invisible marks that can be clicked and pointed at."""
    return scatter(
        "markers",
        tree.levels[places],
        tree.heights[places],
        name="nodes",
        marker={"symbol": "square", "size": round(marks.row * 0.8), "opacity": 0, "color": theme.target},
        customdata=[["node", int(node)] for node in places],
        text=[_hover(tree, int(node), marks) for node in places],
        hovertemplate="%{text}<extra></extra>",
    )


def _hover(tree: Tree, node: int, marks: Marks) -> str:
    if tree.parents[node] < 0:
        return _("the beginning")
    name = for_plotly(token_label(tree.names[node]).strip())
    if not marks.numbers:  # a large tree; a click tells more
        return name
    parts = [f"<b>{name}</b>", _(tree.fates[node])]
    if tree.fates[node] not in ("forced", GHOST):
        parts.append(_("rank {rank}").format(rank=tree.ranks[node] + 1))
    told = _("p = {p}, log p = {log_p}<br>Σ log p = {sum}, score {score}").format(
        p=probability(float(np.exp(tree.log_ps[node]))),
        log_p=number(float(tree.log_ps[node]), 3),
        sum=number(float(tree.log_probs[node]), 3),
        score=number(float(tree.scores[node]), 3),
    )
    return f"{' · '.join(parts)}<br>{told}"


def _hidden(
    tree: Tree, visible: Bool[np.ndarray, " node"], shown: Viewport, theme: Theme, marks: Marks
) -> dict[str, Any]:
    """`+3` at the right of a card three of whose children are not drawn."""
    hidden = ~visible & (tree.levels <= min(shown.now, shown.last)) & ~tree.has_fate(GHOST)
    hidden &= tree.levels > max(shown.first - 1, 0)
    counts = np.bincount(tree.parents[hidden], minlength=len(visible)) * visible
    places = np.flatnonzero(counts)
    return scatter(
        "text",
        tree.levels[places] + marks.half_width,
        tree.heights[places],
        name="hidden",
        text=[f" +{counts[node]}" for node in places],
        textposition="top right",
        textfont={"size": 10, "color": theme.muted, "shadow": _halo(theme)},
        hoverinfo="skip",
    )


def _layout(tree: Tree, shown: Viewport, theme: Theme, marks: Marks, n_columns: int) -> dict[str, Any]:
    left = max(shown.first - 1, 0)
    bottom, width = float(np.ceil(tree.heights.max())), n_columns * marks.column
    layout = base_layout(
        theme,
        height=round(marks.row * (bottom + 2) + 16),
        xaxis={
            "visible": False,
            "range": [left - marks.margin, shown.last + marks.margin],
            "fixedrange": True,
        },
        yaxis={"visible": False, "range": [bottom + 0.6, -1.4], "fixedrange": True},
        hovermode="closest",
        hoverdistance=60,
        meta={"width": width, "follow": (shown.now - left + 1) / n_columns * width},
    )
    layout["annotations"] = []
    for level in range(max(shown.first, 1), shown.last + 1):
        name, is_now = _("step {step}").format(step=level), level == shown.now
        colour = theme.target if is_now else theme.muted
        layout["annotations"].append(note(f"<b>{name}</b>" if is_now else name, level, -1.0, 12, colour))
    return layout
