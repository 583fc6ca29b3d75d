"""The link: what a page shows, in the address, so that whoever opens it sees the same."""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.language import _
from explainer.pages.frame.share import note

T = TypeVar("T")
_CELL = re.compile(r"([1-9]\d{0,3})\.([1-9]\d{0,3})", re.ASCII)
_FALLEN = "fell back"


def read_link(name: str, default: T, parse: Callable[[str], T | None], expected: str) -> T:
    """What `parse` makes of a part of the link; `default` if there is none, or (said) if `parse` finds None in it."""
    raw = st.query_params.get(name)
    if raw is None:
        return default
    found = parse(raw)
    if found is None:
        fell_back(name, raw, expected)
        return default
    return found


def link_choice(name: str, options: Sequence[T], default: T) -> T:
    """The option that the link names; `default` (with a word to the visitor) if it names none."""

    def named(raw: str) -> T | None:  # 0.0 is shown as 0
        return next((one for one in options if raw in (str(one), str(one).removesuffix(".0"))), None)

    expected = _("one of {options}").format(options=", ".join(map(str, options)))
    found = read_link(name, default, named, expected)
    note(name, found)
    return found


def link_cell(name: str, default: tuple[int, int], shape: Sequence[int]) -> tuple[int, int]:
    """The cell `row.column`, counted from 1, that the link names; `default` (said) if there is no such cell."""

    def within(raw: str) -> tuple[int, int] | None:
        found = _CELL.fullmatch(raw)
        if found and int(found[1]) <= shape[0] and int(found[2]) <= shape[1]:
            return int(found[1]) - 1, int(found[2]) - 1
        return None

    expected = _("row.column up to {last}").format(last=f"{shape[0]}.{shape[1]}")
    row, column = read_link(name, default, within, expected)
    note(name, f"{row + 1}.{column + 1}")
    return row, column


def link_number(name: str, default: int, low: int, high: int) -> int:
    """The whole number that the link names; `default` (said) if it is none from `low` to `high`."""

    def within(raw: str) -> int | None:
        number = spelled_number(raw)
        return number if number is not None and low <= number <= high else None

    found = read_link(name, default, within, _("a number from {low} to {high}").format(low=low, high=high))
    note(name, found)
    return found


def spelled_number(raw: str) -> int | None:
    """The number that a part of the link spells; None if it is none of up to nine digits (Python reads no 4,301)."""
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else None


def choose(
    name: str, label: str, options: Sequence[T], default: T, *, forgets: Sequence[str] = (), **more: Any
) -> T:
    """A row of options whose choice stands in the link; `more` is for `st.segmented_control`.

    Another choice `forgets` the parts of the link that make no sense after it.
    """
    key = f"choose-{name}"
    st.session_state[key] = link_choice(name, options, default)
    changed = (name, key, forgets)
    st.segmented_control(label, options, key=key, required=True, on_change=chosen, args=changed, **more)
    return st.session_state[key]


def slide(name: str, label: str, default: float, low: float, high: float, step: float, **more: Any) -> float:
    """A slider whose value stands in the link; the default leaves the link clean."""

    def within(raw: str) -> float | None:
        try:
            return float(raw) if low <= float(raw) <= high else None
        except ValueError:
            return None

    expected = _("a number from {low} to {high}").format(low=f"{low:g}", high=f"{high:g}")
    value, key = read_link(name, default, within, expected), f"slide-{name}"
    note(name, f"{value:g}")
    st.session_state[key] = type(step)(value)
    st.slider(label, low, high, step=step, key=key, on_change=_slid, args=(name, key, default), **more)
    return st.session_state[key]


def set_link(**values: str | None) -> None:
    """Write parts of the link; None removes one."""
    for name, value in values.items():
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = value


def fell_back(name: str, raw: str, expected: str) -> None:
    """Drop a part of the link that means nothing here, and remember to say so."""
    told = _("The link says {name} = {said}; expected {expected}. The default is shown.")
    say_once(told.format(name=name, said=for_markdown(repr(raw[:40])), expected=expected))
    st.query_params.pop(name, None)


def say_once(message: str) -> None:
    """Something to be told to the visitor at the end of this run."""
    st.session_state.setdefault(_FALLEN, []).append(message)


def say_what_fell_back() -> None:
    """One message about all that this run could not use of the link."""
    if messages := st.session_state.pop(_FALLEN, None):
        st.toast("\n\n".join(dict.fromkeys(messages)), duration="long", icon=":material/link_off:")


def chosen(name: str, key: str, forgets: Sequence[str] = ()) -> None:
    """A widget with this key was changed: the link says what it says, and no more what it `forgets`."""
    set_link(**dict.fromkeys(forgets), **{name: str(st.session_state[key])})


def _slid(name: str, key: str, default: float) -> None:
    value = st.session_state[key]
    set_link(**{name: None if value == default else f"{value:g}"})


def picked_point(key: str) -> tuple[float, float] | None:
    """Column and row, as the figure's axes count them; None if what was picked has none."""
    picked = st.session_state[key].pick
    if picked and isinstance(picked.get("x"), int | float) and isinstance(picked.get("y"), int | float):
        return picked["x"], picked["y"]
    return None


def picked_cell(key: str) -> tuple[int, int] | None:
    """Row and column, from 0, of a heat map with one cell per unit."""
    point = picked_point(key)
    return None if point is None else (int(point[1]), int(point[0]))


def picked_part(key: str, kind: str) -> list[Any] | None:
    """What the figure says of a part of this kind beside its kind: ["row", 3] is a `row` and says [3]."""
    picked = st.session_state[key].pick
    data = picked["customdata"] if picked else None
    return data[1:] if isinstance(data, list) and data and data[0] == kind else None
