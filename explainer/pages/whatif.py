"""What if? The changes that are in force: in the link, the same on all pages, shown as chips until they are removed."""

from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.style import change
from explainer.pages.cut import marked
from explainer.pages.link import choose, say_once, set_link
from explainer.pages.state import Specs, translator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explainer.config import TransformerConfig
    from explainer.pages.view import View

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


def usable(config: "TransformerConfig", n_source: int, n_target: int) -> Specs:
    """The changes in force; those that are unknown or impossible for this sentence are dropped, which is said.

    Args:
        config: The model.
        n_source: Source tokens, `</s>` counted.
        n_target: Decoder rows.
    """
    from explainer.whatif.change import Lengths
    from explainer.whatif.changes import MOST, check, parse

    specs = specs_in_force()
    if len(specs) > MOST:
        say_once(f"The link names {len(specs)} changes; the first {MOST} are taken.")
    kept: list[str] = []
    for spec in specs[:MOST]:
        try:
            changes = tuple(map(parse, (*kept, spec)))
            check(changes, config, Lengths(n_source, n_target))
        except ValueError as error:
            say_once(f"The change {for_markdown(spec[:60])} was dropped: {for_markdown(str(error))}.")
        else:
            kept.append(changes[-1].spec)  # as this app writes it
    kept = list(dict.fromkeys(kept))
    if tuple(kept) != specs:
        set_specs(tuple(kept))
    return tuple(kept)


def refusal(view: "View", spec: str, beside: Specs | None = None) -> str:
    """Why a change cannot be added to those in force (or to `beside`); "" if it can."""
    from explainer.whatif.change import Lengths
    from explainer.whatif.changes import check, parse

    lengths = Lengths(len(view.trace.info.source), len(view.trace.info.target))
    try:
        changes = tuple(map(parse, (*(view.specs if beside is None else beside), spec)))
        check(changes, translator().checkpoint.model.config, lengths)
    except ValueError as error:
        return str(error)
    return ""


def offer(view: "View", spec: str, label: str, *, key: str) -> bool:
    """A switch for one change; it is refused, with the reason, where it cannot be. Returns whether it is on.

    Args:
        view: What is shown.
        spec: The change as the link spells it.
        label: What it does.
        key: Widget key.
    """
    on = spec in view.specs
    why_not = "" if on else refusal(view, spec)
    st.session_state[key] = on
    st.toggle(
        label, key=key, on_change=_switch, args=(spec, key), disabled=bool(why_not), help=why_not or None
    )
    if why_not:
        st.caption(f"Not possible now: {why_not}.")
    return on


def offer_value(view: "View", prefix: str, spec: str, label: str, *, key: str) -> None:
    """A button that puts `spec` in force, in place of any change whose spec begins with `prefix`."""
    others = tuple(one for one in view.specs if not one.startswith(prefix))
    why_not = refusal(view, spec, others) if spec not in view.specs else "already in force"
    st.button(
        label,
        key=key,
        on_click=set_specs,
        args=((*others, spec),),
        disabled=bool(why_not),
        help=why_not or None,
    )
    if why_not and spec not in view.specs:
        st.caption(f"Not possible now: {why_not}.")


def bar(view: "View") -> None:
    """The changes in force as chips that can be removed, and what they do to the translation; nothing without any."""
    if not view.specs:
        return
    from explainer.whatif.changes import in_words, parse

    words = in_words(tuple(map(parse, view.specs)), translator().checkpoint.tokenizer.piece)
    with st.container(border=True, key="whatif-bar"):
        with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="whatif-chips"):
            st.markdown("**What if:**", width="content")
            for i, (spec, text) in enumerate(zip(view.specs, words, strict=True)):
                left = tuple(one for one in view.specs if one != spec)
                st.button(
                    f"{for_markdown(text)} ✕",
                    key=f"chip-{i}",
                    on_click=set_specs,
                    args=(left,),
                    help="Take it back",
                )
            if len(words) > 1:
                st.button("Take all back", key="chip-all", on_click=set_specs, args=((),), type="tertiary")
        with st.spinner("Translating under the changes …"):
            _before_after(view)
        choose("show", "Figures show the pass", ("after", "before", "difference"), "after")


def tell_effect(view: "View", words: "Mapping[str, str]") -> None:
    """Beside the switches: what the changes in force do to the translation, and where else that is shown."""
    if view.specs:
        (before, after, _), (_, text, same) = change(*view.log_probs), _texts(view)
        st.markdown(f"**Now:** {text}{same}  \nlog p of the first translation: {before} → {after} nats")
    st.caption(words["where it shows"])


def _texts(view: "View") -> tuple[str, str, str]:
    """The translation before and after, and a word if they are the same."""
    before, after = (
        marked(for_markdown(one.text) or "∅", one.ended)
        for one in (view.translation, view.changed_translation)
    )
    return before, after, " (unchanged)" if before == after else ""


def _before_after(view: "View") -> None:
    (before, after, gap), texts = change(*view.log_probs), _texts(view)
    st.markdown(
        "| | translation | log p of the first translation, nats |\n|---|---|---|\n"
        f"| before | {texts[0]} | {before} |\n"
        f"| after | {texts[1]}{texts[2]} | {after} (Δ {gap}) |"
    )


def _switch(spec: str, key: str) -> None:
    others = tuple(one for one in specs_in_force() if one != spec)
    set_specs((*others, spec) if st.session_state[key] else others)


def stale(view: "View") -> bool:
    """Whether a fragment has put other changes in force than those that the page was drawn with."""
    return specs_in_force() != view.specs
