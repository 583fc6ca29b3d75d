"""What was picked in a figure, by a click or by keyboard."""

from typing import Any

import streamlit as st


def picked_point(key: str) -> tuple[float, float] | None:
    """Column and row, as the figure's axes count them; None if what was picked has none.

    Args:
        key: Of the figure.
    """
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
