"""What if? by a number: a slider or an input whose value is a change in force."""

import streamlit as st

from explainer.figures.style import number
from explainer.pages.view import View
from explainer.pages.whatif import refusal, set_specs, specs_in_force

_MOST = 1000.0  # as `explainer.whatif` allows; not imported from there, because that imports torch


def dial(
    view: View, prefix: str, label: str, neutral: float, low: float, high: float, step: float, *, key: str
) -> None:
    """A slider for a change that has one number; at `neutral` the change is taken back.

    Args:
        view: What is shown.
        prefix: The change as the link spells it, up to its number.
        label: What the number is.
        neutral: The number that changes nothing.
        low: The least.
        high: The most.
        step: Between two of them.
        key: Widget key.
    """
    found = value_in_force(view, prefix)
    st.session_state[key] = neutral if found is None else min(high, max(low, found))
    why_not = refusal(view, f"{prefix}{low:g}", _others(view.specs, prefix))
    st.slider(
        label,
        min_value=low,
        max_value=high,
        step=step,
        key=key,
        on_change=_dialled,
        args=(prefix, neutral, key),
        disabled=bool(why_not),
    )
    if why_not:
        st.caption(f"Not possible now: {why_not}.")


def edit(view: View, prefix: str, label: str, value: float, *, key: str, why_not: str = "") -> None:
    """An input for a number of the model, and a button that puts what was typed in its place.

    Args:
        view: What is shown.
        prefix: The change as the link spells it, up to its number.
        label: Which number it is.
        value: What the model has there.
        key: Widget key; another number needs another one.
        why_not: Why it cannot be changed; "" if it can.
    """
    found = value_in_force(view, prefix)
    why_not = why_not or refusal(view, f"{prefix}0", _others(view.specs, prefix))
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        st.number_input(
            label,
            min_value=-_MOST,
            max_value=_MOST,
            value=min(_MOST, max(-_MOST, value if found is None else found)),
            step=0.5,
            format="%.2f",
            key=key,
            disabled=bool(why_not),
            width=220,
        )
        st.button("Set", key=f"{key}-set", on_click=_edited, args=(prefix, key), disabled=bool(why_not))
        if found is not None:
            st.button("Take back", key=f"{key}-back", on_click=_take_back, args=(prefix,), type="tertiary")
    if why_not:
        st.caption(f"Not possible: {why_not}.")
    elif found is not None:
        st.caption(f"In force: {number(found)} in place of what the model computes.")


def value_in_force(view: View, prefix: str) -> float | None:
    """The number of the change in force that begins with `prefix`; None if there is none."""
    for spec in view.specs:
        if spec.startswith(prefix):
            return float(spec.removeprefix(prefix))
    return None


def _others(specs: tuple[str, ...], prefix: str) -> tuple[str, ...]:
    return tuple(one for one in specs if not one.startswith(prefix))


def _dialled(prefix: str, neutral: float, key: str) -> None:
    value, others = st.session_state[key], _others(specs_in_force(), prefix)
    set_specs(others if value == neutral else (*others, f"{prefix}{value:g}"))


def _edited(prefix: str, key: str) -> None:
    set_specs((*_others(specs_in_force(), prefix), f"{prefix}{st.session_state[key]:g}"))


def _take_back(prefix: str) -> None:
    set_specs(_others(specs_in_force(), prefix))
