"""What if? The changes that are in force: in the link, the same on all pages, shown as chips until they are removed."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.style import change, number
from explainer.language import _
from explainer.pages.frame.changes import set_specs, specs_in_force
from explainer.pages.frame.cut import marked
from explainer.pages.frame.layout import as_table
from explainer.pages.frame.link import choose
from explainer.pages.frame.session import Specs
from explainer.pages.frame.view import COMPARES, Translated

if TYPE_CHECKING:
    from collections.abc import Mapping


def refusal(view: "Translated", spec: str, beside: Specs | None = None) -> str:
    """Why a change cannot be added to those in force (or to `beside`); "" if it can."""
    from explainer.whatif.change import Lengths
    from explainer.whatif.changes import check, parse

    lengths = Lengths(len(view.trace.info.source), len(view.trace.info.target))
    try:
        changes = tuple(map(parse, (*(view.specs if beside is None else beside), spec)))
        check(changes, view.model.checkpoint.model, lengths)
    except ValueError as error:
        return str(error)
    return ""


def offer(view: "Translated", spec: str, label: str, *, key: str) -> bool:
    """A switch for the change `spec`; refused, with the reason, where it cannot be. Returns whether it is on."""
    on = spec in view.specs
    why_not = "" if on else refusal(view, spec)
    st.session_state[key] = on
    args, off = (spec, key), bool(why_not)
    st.toggle(label, key=key, on_change=_switch, args=args, disabled=off, help=why_not or None)
    if why_not:
        _say_why_not_now(why_not)
    return on


def _say_why_not_now(why_not: str) -> None:
    st.caption(_("Not possible now: {reason}.").format(reason=why_not))


def offer_value(view: "Translated", prefix: str, spec: str, label: str, *, key: str) -> None:
    """A button that puts `spec` in force, in place of any change whose spec begins with `prefix`."""
    others, is_in_force = _others(view.specs, prefix), spec in view.specs
    why_not = _("already in force") if is_in_force else refusal(view, spec, others)
    args, off = ((*others, spec),), bool(why_not)
    st.button(label, key=key, on_click=set_specs, args=args, disabled=off, help=why_not or None)
    if why_not and not is_in_force:
        _say_why_not_now(why_not)


def bar(view: "Translated") -> None:
    """The changes in force as chips that can be removed, and what they do to the translation; nothing without any."""
    if not view.specs:
        return
    from explainer.whatif.changes import in_words, parse

    words = in_words(tuple(map(parse, view.specs)), view.tokenizer.piece)
    with st.container(border=True, key="whatif-bar"):
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="whatif-chips"):
            st.markdown(_("**What if:**"), width="content")
            for i, (spec, text) in enumerate(zip(view.specs, words, strict=True)):
                left, label = tuple(one for one in view.specs if one != spec), f"{for_markdown(text)} ✕"
                st.button(label, key=f"chip-{i}", on_click=set_specs, args=(left,), help=_("Take it back"))
            if len(words) > 1:
                st.button(_("Take all back"), key="chip-all", on_click=set_specs, args=((),), type="tertiary")
        with st.spinner(_("Translating under the changes …")):
            _before_after(view)
        choose("show", _("Figures show the pass"), COMPARES, "after", format_func=_)


def tell_effect(view: "Translated", words: "Mapping[str, str]") -> None:
    """Beside the switches: what the changes in force do to the translation, and where else that is shown."""
    if view.specs:
        before, after, __ = change(*view.log_probs)
        told = _("**Now:** {text}  \nlog p of the first translation: {before} → {after} nats")
        st.markdown(told.format(text=_texts(view)[1], before=before, after=after))
    st.caption(words["where it shows"])


def _texts(view: "Translated") -> tuple[str, str]:
    """The translation before and after, with a word if they are the same."""
    before, after = (
        marked(for_markdown(one.text) or "∅", one.ended)
        for one in (view.translation, view.changed_translation)
    )
    return before, _("{text} (unchanged)").format(text=after) if before == after else after


def _before_after(view: "Translated") -> None:
    (before, after, gap), texts = change(*view.log_probs), _texts(view)
    heading = ["", _("translation"), _("log p of the first translation, nats")]
    rows = [_("before"), texts[0], before], [_("after"), texts[1], f"{after} (Δ {gap})"]
    st.markdown(as_table(heading, rows))


def _switch(spec: str, key: str) -> None:
    others = tuple(one for one in specs_in_force() if one != spec)
    set_specs((*others, spec) if st.session_state[key] else others)


def renew_if_stale(view: "Translated") -> None:
    """Draw the page anew if a fragment has put other changes in force than those that it was drawn with."""
    is_compared = not view.specs or st.query_params.get("show", "after") == view.compare
    if specs_in_force() != view.specs or not is_compared:
        st.rerun()


def dial(
    view: Translated,
    prefix: str,
    label: str,
    neutral: float,
    low: float,
    high: float,
    step: float,
    *,
    key: str,
) -> None:
    """A slider for the number that follows `prefix` in the link's spelling; at `neutral` the change is taken back."""
    found = value_in_force(view, prefix)
    st.session_state[key] = neutral if found is None else min(high, max(low, found))
    why_not = refusal(view, f"{prefix}{low:g}", _others(view.specs, prefix))
    args, off = (prefix, neutral, key), bool(why_not)
    st.slider(label, low, high, step=step, key=key, on_change=_dialled, args=args, disabled=off)
    if why_not:
        _say_why_not_now(why_not)


def edit(view: Translated, prefix: str, label: str, value: float, *, key: str, why_not: str = "") -> None:
    """An input for a number that has this `value` in the model, and a button that puts what was typed in its place.

    `prefix` is the change as the link spells it, up to its number; another number needs another key. `why_not` says
    why it cannot be changed.
    """
    from explainer.whatif.change import fields_of
    from explainer.whatif.changes import BY_CODE

    *_places, typed = fields_of(BY_CODE[prefix.partition(":")[0]]).values()
    (low, high), found = typed.bounds, value_in_force(view, prefix)
    why_not = why_not or refusal(view, f"{prefix}0", _others(view.specs, prefix))
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        now, off = min(high, max(low, value if found is None else found)), bool(why_not)
        st.number_input(label, low, high, now, step=0.5, format="%.2f", key=key, disabled=off, width=220)
        st.button(_("Set"), key=f"{key}-set", on_click=_edited, args=(prefix, key), disabled=off)
        if found is not None:
            st.button(_("Take back"), key=f"{key}-back", on_click=_take_back, args=(prefix,), type="tertiary")
    if why_not:
        st.caption(_("Not possible: {reason}.").format(reason=why_not))
    elif found is not None:
        told = _("In force: {number} in place of what the model computes.")
        st.caption(told.format(number=number(found)))


def value_in_force(view: Translated, prefix: str) -> float | None:
    """The number of the change in force that begins with `prefix`; None if there is none."""
    numbers = (float(spec.removeprefix(prefix)) for spec in view.specs if spec.startswith(prefix))
    return next(numbers, None)


def _others(specs: tuple[str, ...], prefix: str) -> tuple[str, ...]:
    return tuple(one for one in specs if not one.startswith(prefix))


def _dialled(prefix: str, neutral: float, key: str) -> None:
    value, others = st.session_state[key], _others(specs_in_force(), prefix)
    set_specs(others if value == neutral else (*others, f"{prefix}{value:g}"))


def _edited(prefix: str, key: str) -> None:
    set_specs((*_others(specs_in_force(), prefix), f"{prefix}{st.session_state[key]:g}"))


def _take_back(prefix: str) -> None:
    set_specs(_others(specs_in_force(), prefix))
