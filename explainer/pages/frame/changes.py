"""The changes that are in force: in the link, and kept from page to page."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.language import _, ngettext
from explainer.pages.frame.link import say_once, set_link
from explainer.pages.frame.session import Specs

if TYPE_CHECKING:
    from torch import nn


_NAME, _BETWEEN = "what", "~"


def specs_in_force() -> Specs:
    """The changes of the link, or, after a walk to another page, those that were in force before."""
    if _NAME in st.query_params:
        st.session_state[_NAME] = tuple(dict.fromkeys(filter(None, st.query_params[_NAME].split(_BETWEEN))))
    specs: Specs = st.session_state.get(_NAME, ())
    if specs and _NAME not in st.query_params:
        set_link(**{_NAME: _BETWEEN.join(specs)})
    return specs


def set_specs(specs: Specs) -> None:
    """Put these changes in force, and in the link."""
    st.session_state[_NAME] = specs
    set_link(**{_NAME: _BETWEEN.join(specs) or None}, **({} if specs else {"show": None}))


def usable(model: "nn.Module", n_source: int, n_target: int) -> Specs:
    """The changes in force; those that are unknown or impossible for this sentence are dropped, which is said.

    `n_source` counts `</s>`; `n_target` are decoder rows.
    """
    from explainer.whatif.change import Lengths
    from explainer.whatif.changes import MOST, check, parse

    specs = specs_in_force()
    if len(specs) > MOST:
        told = ngettext(
            "The link names {n} change; the first {most} are taken.",
            "The link names {n} changes; the first {most} are taken.",
            len(specs),
        )
        say_once(told.format(n=len(specs), most=MOST))
    kept: list[str] = []
    for spec in specs[:MOST]:
        try:
            changes = tuple(map(parse, (*kept, spec)))
            check(changes, model, Lengths(n_source, n_target))
        except ValueError as error:
            told = _("The change {change} was dropped: {reason}.")
            say_once(told.format(change=for_markdown(spec[:60]), reason=for_markdown(str(error))))
        else:
            kept.append(changes[-1].spec)  # as this app writes it
    kept = list(dict.fromkeys(kept))
    if tuple(kept) != specs:
        set_specs(tuple(kept))
    return tuple(kept)
