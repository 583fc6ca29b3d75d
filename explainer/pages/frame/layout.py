"""How pages lay out what they show: a figure with its table, an equation with its check, the story of a cell."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from explainer.capture.trace import COMPUTED
from explainer.equations.equation import Equation
from explainer.equations.story import CellStory
from explainer.figures.escape import for_markdown
from explainer.figures.heat.matrix import matrix
from explainer.figures.latex import paint, story_latex
from explainer.figures.lines.graphs import Line
from explainer.figures.style import Theme, number, small
from explainer.language import _, language, mark, speaking
from explainer.pages.frame.link import picked_cell, picked_part, picked_point, set_link
from explainer.pages.frame.panel import panel

_CALCULATOR = mark(
    "With a pocket calculator: all numbers are rounded as shown, so each line holds **to ±1 in its last digit**. "
    "⇒ reads “which makes”: work out what stands before it, with the Σ above; behind it stands the number of the cell."
)
Said = dict[str, str | None]  # what a click says in the link; None takes a name out
Table = tuple[Sequence[str], Sequence[Sequence[Any]]]  # heading and rows


def filled(text: str, **values: object) -> str:
    """Prose with the numbers of the model in it: ‹d_k› stands for the value called `d_k`.

    Raises:
        KeyError: the text names a value that is not given.
    """
    return re.sub("‹(.+?)›", lambda found: str(values[found[1]]), text)


def figure(
    drawing: dict[str, Any],
    *,
    key: str,
    alt: str,
    table: Callable[[], Table] | None = None,
    says: Callable[..., Said] | None = None,
    part: str = "cell",
    on_pick: Callable[[], None] | None = None,
    jump: str | None = None,
) -> dict[str, Any] | None:
    """A figure with its downloads (PNG, SVG, CSV), its table behind a switch, and words for who cannot see it.

    Args:
        drawing: The Plotly dictionary.
        key: Widget key and file name.
        alt: What the figure shows.
        table: Makes the heading and rows of the same numbers.
        says: What the link says after a click on a part, given the numbers or names that the figure has for it.
        part: Which parts those are: "cell" (row and column, from 0), "point" (x and y), or a kind of the figure.
        on_pick: Called when a part is picked, in place of `says`; `st.session_state[key].pick`, returned too, says
            which.
        jump: CSS selector of what is scrolled into view when a part of the model is picked.
    """
    if says is not None:
        on_pick = partial(_say, key, part, says)
    picked = panel(drawing, key=key, alt=alt, name=f"glassbox-{key}", on_pick=on_pick, jump=jump)
    if table is None:
        return picked
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"{key}-tools"):
        shown = st.toggle(_("Table"), key=f"{key}-table")
        st.download_button(
            "CSV", data=partial(_csv, table, language()), file_name=f"glassbox-{key}.csv", mime="text/csv",
            key=f"{key}-csv", type="tertiary", on_click="ignore",
        )  # fmt: skip
    if shown:
        heading, rows = table()
        st.markdown(as_table([_cell(value) for value in heading], [map(_cell, row) for row in rows]))
    return picked


def as_table(heading: Sequence[str], rows: Iterable[Iterable[str]], left: int | None = None) -> str:
    """A Markdown table; the first `left` columns stand at the left, the others at the right; None: all at the left."""
    at_left = len(heading) if left is None else left
    rule = "|" + "---|" * at_left + "---:|" * (len(heading) - at_left)
    one, *others = ("|" + "".join(f" {cell} |" if cell else " |" for cell in row) for row in (heading, *rows))
    return "\n".join([one, rule, *others])


def _say(key: str, part: str, says: Callable[..., Said]) -> None:
    read = {"cell": picked_cell, "point": picked_point}.get(part)
    picked = read(key) if read else picked_part(key, part)
    if picked is not None and None not in picked:  # such as the bar of all others
        set_link(**says(*picked))


def equation(shown: Equation, seen: Any, colours: Theme) -> None:
    """The formula in symbols, where it is from, and how far it is from what the model computed."""
    st.latex(paint(_(shown.latex), colours))
    told = {"hook": shown.explains, "difference": small(shown.deviation(seen))}
    if not shown.agrees(seen):
        differs = _(
            "The formula in NumPy **differs** from the model's tensor `{hook}`: max |Δ| = {difference}."
        )
        st.error(differs.format(**told))
        return
    restated = _("This line restates the step that makes `{hook}`; nothing independent is checked.")
    checked = _("Checked: the formula in NumPy equals the model's tensor `{hook}`, max |Δ| = {difference}.")
    sentences = [f"{_(shown.source)}.", (restated if shown.restates else checked).format(**told)]
    if f"{shown.explains}{COMPUTED}" in seen:
        sentences.append(_("A **What if?** then put other numbers in its place; the figure shows those."))
    st.caption(" ".join(sentences))


def story(told: CellStory, colours: Theme, name_of: Callable[[int], str] | None = None) -> None:
    """The arithmetic of the selected cell, and the model's number beside it; `name_of` names the places of its sum."""
    st.latex(story_latex(told, colours, name_of))
    compared = _("The model has {number} there; |Δ| = {deviation}.")
    st.caption(
        compared.format(number=number(told.model, 4), deviation=small(told.deviation)), help=_(_CALCULATOR)
    )


def matrix_figure(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    colours: Theme,
    *,
    key: str,
    alt: str,
    says: Callable[..., Said] | None = None,
    **look: Any,
) -> None:
    """A matrix as a heat map with its table: arguments as for `figure` and `figures.heat.matrix.matrix`."""
    drawing = matrix(values, rows, columns, colours, **look)
    figure(drawing, key=key, alt=alt, table=lambda: matrix_table(values, rows, columns), says=says)


def matrix_table(values: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> Table:
    """Heading and rows of a matrix, full precision."""
    body = [[label, *(f"{value:.6g}" for value in row)] for label, row in zip(rows, values, strict=True)]
    return ["", *columns], body


def line_table(x: str, lines: Sequence[Line], form: str, names: Sequence[str] = ()) -> Table:
    """Heading and rows of lines over the same whole numbers; `form` is the format of their values."""
    columns = zip(*(line.y for line in lines), strict=True)
    rows = [
        [int(at), *(f"{value:{form}}" for value in row)] for at, row in zip(lines[0].x, columns, strict=True)
    ]
    return [x, *(names or [line.name for line in lines])], rows


def _csv(table: Callable[[], Table], name: str) -> bytes:
    """The table in a language; it is asked for where nobody looks at a page."""
    text = io.StringIO()
    with speaking(name):
        heading, rows = table()
    csv.writer(text).writerows([heading, *rows])
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    return for_markdown(str(value)).replace("\n", " ") or " "
