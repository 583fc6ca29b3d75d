"""How rows and time of decoding grow, with a key/value cache and without: counted, and measured here."""

import numpy as np
import streamlit as st

from explainer.figures.decoding_work import Growth, growth
from explainer.figures.style import number
from explainer.pages import lesson
from explainer.pages.greedy_sight import Sight
from explainer.pages.greedy_state import seconds_of
from explainer.pages.inside import Words


def show_growth(sight: Sight, words: Words) -> None:
    """Rows up to each step and milliseconds of each step, in both modes; a button measures the time again."""
    seconds, measured = _seconds(sight)
    _draw(sight, seconds)
    _show_time(sight, seconds, measured, words)


def _seconds(sight: Sight) -> tuple[np.ndarray, bool]:
    """Seconds of each step in each mode; whether they are the median of several rounds."""
    key, view = "greedy-measured", sight.view
    about = (view.checkpoint, view.sentence, sight.walk.tokens, sight.specs)
    asked = st.session_state.get(key)
    if asked is not None and asked[:-1] == about:
        with st.spinner("Measuring …"):
            return seconds_of(*asked), True
    return np.stack([sight.found.walk(mode).seconds for mode in sight.found.modes]), False


def _draw(sight: Sight, seconds: np.ndarray) -> None:
    modes = sight.found.modes
    ways = [
        Growth(mode, sight.found.walk(mode).rows("decoder").cumsum(), 1000 * seconds[i], mode == sight.mode)
        for i, mode in enumerate(modes)
    ]
    lesson.figure(
        growth(ways, sight.view.theme, step=sight.step),
        key="growth",
        alt="Rows that self-attention projected up to each step, and the time of each step, in both modes",
        table=lambda: (
            ["step", *(f"{mode}: {what}" for mode in modes for what in ("rows so far", "ms"))],
            [
                [
                    t + 1,
                    *(
                        value
                        for way in ways
                        for value in (int(way.rows[t]), number(float(way.milliseconds[t]), 3))
                    ),
                ]
                for t in range(len(ways[0].rows))
            ],
        ),
    )


def _show_time(sight: Sight, seconds: np.ndarray, measured: bool, words: Words) -> None:
    sums = seconds.sum(axis=1) * 1000
    told = ", ".join(
        f"{mode} **{number(float(ms), 1)} ms**" for mode, ms in zip(sight.found.modes, sums, strict=True)
    )
    st.markdown(f"All {len(sight.walk.tokens)} steps: {told}. {words['median' if measured else 'one run']}")
    st.button(
        "Measure again" if measured else "Measure: median of 5 runs",
        key="greedy-measure",
        on_click=_measure,
        args=(sight,),
    )
    st.caption(words["time"])


def _measure(sight: Sight) -> None:
    view, turn = sight.view, (st.session_state.get("greedy-measured") or (0,))[-1] + 1
    about = (view.checkpoint, view.sentence, sight.walk.tokens, sight.specs)
    st.session_state["greedy-measured"] = (*about, turn)
