"""A choice among many: a list to open, whose choice stands in the link as those of `link.choose` do."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from explainer.language import _, mark
from explainer.pages.frame import whatif
from explainer.pages.frame.link import chosen, link_choice, read_link, set_link
from explainer.pages.frame.share import note
from explainer.pages.frame.view import Translated

CHOOSE = mark("Choose an option")  # as Streamlit says it


def pick_from(
    name: str, label: str, options: Sequence[int], default: int, *, format_func: Callable[[int], str]
) -> int:
    """One of many numbers, such as the tokens of a sentence: arguments as for `choose`."""
    key = f"pick-{name}"
    st.session_state[key] = link_choice(name, options, default)
    look: dict[str, Any] = {"format_func": format_func, "placeholder": _(CHOOSE)}
    st.selectbox(label, options, key=key, on_change=chosen, args=(name, key), **look)
    return st.session_state[key]


def pick_several(
    name: str,
    label: str,
    options: Sequence[int],
    default: Sequence[int],
    *,
    most: int,
    format_func: Callable[[int], str],
) -> list[int]:
    """One to `most` of many numbers, written `3.14` in the link; arguments as for `pick_from`."""
    known = {str(option): option for option in options}

    def named(raw: str) -> list[int] | None:
        parts = list(dict.fromkeys(raw.split(".")))
        is_known = 1 <= len(parts) <= most and all(part in known for part in parts)
        return [known[part] for part in parts] if is_known else None

    expected = _("1 to {most} numbers from {first} to {last}")
    expected = expected.format(most=most, first=options[0], last=options[-1])
    key, found = f"pick-{name}", read_link(name, list(default), named, expected)
    note(name, ".".join(map(str, found)))
    st.session_state[key] = found
    look: dict[str, Any] = {"format_func": format_func, "placeholder": _(CHOOSE)}
    st.multiselect(
        label, options, key=key, max_selections=most, on_change=_picked_several, args=(name, key), **look
    )
    return st.session_state[key] or list(default)


def offer_swap(view: Translated, names: Sequence[str]) -> None:
    """Two tokens of the source (`names`, as typed, without `</s>`), and a button that makes them change places."""
    if len(names) < 2:
        st.caption(_("One token alone cannot change places."))
        return
    places = range(1, len(names) + 1)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        numbered = {i: f"{i} · {name}" for i, name in zip(places, names, strict=True)}.__getitem__
        one = pick_from("swap-one", _("Swap token"), places, 1, format_func=numbered)
        other = pick_from("swap-other", _("with token"), places, 2, format_func=numbered)
        whatif.offer_value(view, "swap:", f"swap:{one}.{other}", _("Swap them"), key="if-swap")


def _picked_several(name: str, key: str) -> None:
    set_link(**{name: ".".join(map(str, st.session_state[key])) or None})
