"""The lesson frame: what every page shares, from the question on top to the sentences to try at the end."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from explainer.capture.trace import COMPUTED
from explainer.equations.equation import Equation
from explainer.equations.story import CellStory
from explainer.figures.escape import for_markdown
from explainer.figures.latex import paint, story_latex
from explainer.figures.style import Theme, number, small
from explainer.language import language, speaking
from explainer.pages.frame.panel import panel
from explainer.pages.frame.session import prose, set_sentence

_CALCULATOR = (
    "With a pocket calculator: all numbers are rounded as shown, so each line holds **to ±1 in its last digit**. "
    "⇒ reads “which makes”: work out what stands before it, with the Σ above; behind it stands the number of the cell."
)
Table = tuple[Sequence[str], Sequence[Sequence[Any]]]  # heading and rows


def opening(page: str) -> dict[str, str]:
    """Show the page's question and introduction; return the page's prose by section."""
    sections = prose(page)
    st.title(sections["question"], anchor=False)
    st.markdown(sections["introduction"])
    return sections


def without_sentence() -> None:
    """Hide the sentence on a page that does not read it; it is kept for the others."""
    st.html("<style>.st-key-sentence { display: none; }</style>")


def examples(sections: dict[str, str], choose: Callable[[str], None]) -> None:
    """The sentences to try, one click each; `choose` is called with the one that was clicked."""
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="examples"):
        st.markdown("Try this:", width="content")
        for i, line in enumerate(sections["try this"].splitlines()):
            sentence, _, why = line.removeprefix("- ").partition(" — ")
            _sentence_button(sentence, f"try-{i}", choose, why or None)


def filled(text: str, **values: object) -> str:
    """Prose with the numbers of the model in it: ‹d_k› stands for the value called `d_k`.

    Raises:
        KeyError: the text names a value that is not given.
    """
    return re.sub("‹(.+?)›", lambda found: str(values[found[1]]), text)


def closing(sections: dict[str, str]) -> None:
    """The mistakes to avoid, and what to find out; the sentences that a task needs are one click away."""
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True, key="careful"):
        st.subheader("Careful!", anchor=False)
        st.markdown(sections["careful"])
    with right, st.container(border=True, key="tasks"):
        st.subheader("Find out", anchor=False)
        found = tasks(sections["find out"])
        if not found:
            st.markdown(sections["find out"])
        for number_, task in enumerate(found, 1):
            st.markdown(f"{number_}. {task.text}")
            if task.sentences:
                with st.container(horizontal=True, gap="xsmall", key=f"task-{number_}"):
                    for i, sentence in enumerate(task.sentences):
                        _sentence_button(sentence, f"task-{number_}-{i}", set_sentence)


@dataclass(frozen=True)
class Task:
    """Something to find out, and the sentences to try it with."""

    text: str
    sentences: tuple[str, ...]


def tasks(section: str) -> list[Task]:
    """The tasks of a numbered list; indented points below one are its sentences."""
    found = []
    for part in re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]:
        lines = [line.strip() for line in part.strip().splitlines()]
        sentences = tuple(line.removeprefix("- ") for line in lines if line.startswith("- "))
        found.append(Task(" ".join(line for line in lines if not line.startswith("- ")), sentences))
    return found


def _sentence_button(sentence: str, key: str, choose: Callable[[str], None], why: str | None = None) -> None:
    label = for_markdown(sentence)
    st.button(label, key=key, on_click=choose, args=(sentence,), help=why, type="tertiary")


def figure(
    drawing: dict[str, Any],
    *,
    key: str,
    alt: str,
    table: Callable[[], Table] | None = None,
    on_pick: Callable[[], None] | None = None,
    jump: str | None = None,
) -> dict[str, Any] | None:
    """A figure with its downloads (PNG, SVG, CSV), its table behind a switch, and words for who cannot see it.

    Args:
        drawing: The Plotly dictionary.
        key: Name of the figure: widget key and file name.
        alt: What the figure shows.
        table: Makes the heading and rows of the same numbers.
        on_pick: Called when a part is picked; `st.session_state[key].pick` says which.
        jump: CSS selector of what is scrolled into view when a part of the model is picked.

    Returns:
        What was picked in this run.
    """
    picked = panel(drawing, key=key, alt=alt, name=f"glassbox-{key}", on_pick=on_pick, jump=jump)
    if table is None:
        return picked
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"{key}-tools"):
        shown = st.toggle("Table", key=f"{key}-table")
        st.download_button(
            "CSV", data=partial(_csv, table, language()), file_name=f"glassbox-{key}.csv", mime="text/csv",
            key=f"{key}-csv", type="tertiary", on_click="ignore",
        )  # fmt: skip
    if shown:
        heading, rows = table()
        body = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
        rule = "|" + "---|" * len(heading)
        st.markdown("\n".join(["| " + " | ".join(map(_cell, heading)) + " |", rule, *body]))
    return picked


def equation(shown: Equation, seen: Any, colours: Theme) -> None:
    """The formula in symbols, where it is from, and how far it is from what the model computed."""
    st.latex(paint(shown.latex, colours))
    difference = f"max |Δ| = {small(shown.deviation(seen))}"
    replaced = f"{shown.explains}{COMPUTED}" in seen
    if shown.agrees(seen):
        checked = f"the formula in NumPy equals the model's tensor `{shown.explains}`, {difference}."
        restated = (
            f"This line restates the step that makes `{shown.explains}`; nothing independent is checked."
        )
        st.caption(
            f"{shown.source}. {restated if shown.restates else f'Checked: {checked}'}"
            + (
                " A **What if?** then put other numbers in its place; the figure shows those."
                if replaced
                else ""
            )
        )
    else:
        st.error(
            f"The formula in NumPy **differs** from the model's tensor `{shown.explains}`: {difference}."
        )


def story(told: CellStory, colours: Theme, name_of: Callable[[int], str] | None = None) -> None:
    """The arithmetic of the selected cell, and the model's number beside it; `name_of` names the places of its sum."""
    st.latex(story_latex(told, colours, name_of))
    st.caption(
        f"The model has {number(told.model, 4)} there; |Δ| = {small(told.deviation)}.", help=_CALCULATOR
    )


def matrix_table(values: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> Table:
    """Heading and rows of a matrix, full precision."""
    body = [[label, *(f"{value:.6g}" for value in row)] for label, row in zip(rows, values, strict=True)]
    return ["", *columns], body


def _csv(table: Callable[[], Table], name: str) -> bytes:
    """The table in a language; it is asked for where nobody looks at a page."""
    text = io.StringIO()
    with speaking(name):
        heading, rows = table()
    csv.writer(text).writerows([heading, *rows])
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    return for_markdown(str(value)).replace("\n", " ") or " "
