"""The rules of the search as fields: beam, length penalty, stop rule, limit. What is out of bounds is refused there."""

from typing import TYPE_CHECKING, Literal

import streamlit as st

from explainer.equations.decoding import DIVISORS
from explainer.language import _, mark
from explainer.pages.frame.cut import MOST_TOKENS, limit_in_words, limit_of
from explainer.pages.frame.link import choose, link_number, set_link, slide

if TYPE_CHECKING:
    from explainer.decode.search.rules import BeamRules
    from explainer.translator.translator import Translator

MOST_BEAMS = 10
PENALTY_NAMES = {"none": mark("none"), "huggingface": mark("Hugging Face"), "gnmt": mark("GNMT")}
STOPS: dict[str, bool | Literal["never"]] = {"never": "never", "likely": False, "full": True}
STOP_NAMES = {
    "never": mark("nothing can improve"),
    "likely": mark("it looks so"),
    "full": mark("B have ended"),
}
_FIRST_BEAM = {"translator": 4, "hindi": 3, "table": 2}
_TABLE_LIMIT = 6
_FIRST_PENALTY = {"translator": "gnmt", "hindi": "gnmt", "table": "none"}


def choose_rules(ground: str, model: "Translator | None" = None, sentence: str = "") -> "BeamRules":
    """Fields in one line; the rules that they make. The grounds "translator", "hindi" and "table" begin with their own.

    The model translates `sentence`; a table has none.
    """
    from explainer.decode.search.rules import BeamRules, LengthPenalty

    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="rules"):
        beam = whole_number("beam", _("Beam B"), _FIRST_BEAM[ground], 1, MOST_BEAMS)
        penalty = choose(
            "penalty", _("Length penalty"), tuple(DIVISORS), _FIRST_PENALTY[ground],
            format_func=lambda one: _(PENALTY_NAMES[one]),
        )  # fmt: skip
        alpha = slide("alpha", "α", 0.6, -1.0, 4.0, 0.1, width=150) if penalty != "none" else 0.6
        if model is None:
            limit = whole_number("limit", _("Limit, tokens"), _TABLE_LIMIT, 1, MOST_TOKENS)
        else:
            limit = limit_field(model, sentence)
        ends = tuple(STOPS)
        stop = choose("stop", _("Stop when"), ends, "never", format_func=lambda one: _(STOP_NAMES[one]))
    return BeamRules(
        beam_size=beam,
        max_new_tokens=limit,
        penalty=LengthPenalty(penalty, alpha),  # pyright: ignore[reportArgumentType]
        early_stopping=STOPS[stop],
    )


def limit_field(model: "Translator", sentence: str) -> int:
    """The field for the limit: while the link says nothing, that of the sentence on all pages."""
    most = min(MOST_TOKENS, model.checkpoint.model.config.max_positions)
    told = _("What has not ended then is cut. The limit of this sentence: {limit}.")
    told = told.format(limit=limit_in_words(model, sentence))
    return whole_number("limit", _("Limit, tokens"), limit_of(model, sentence), 1, most, help=told)


def whole_number(name: str, label: str, default: int, low: int, high: int, help: str | None = None) -> int:
    """A field for a number whose value the link names; one that is not from `low` to `high` is refused at the field."""
    value = link_number(name, default, low, high)
    key, refused = f"field-{name}", f"refused-{name}"
    st.session_state[key] = st.session_state.get(refused, value)
    with st.container(width=116, gap="xxsmall"):
        st.number_input(label, step=1, key=key, on_change=_typed, args=(name, default, low, high), help=help)
        if refused in st.session_state:
            typed = str(st.session_state[refused]).replace("-", "−")
            told = _("{label} = {typed}: must be from {low} to {high}. Still {value}.")
            st.error(told.format(label=label, typed=typed, low=low, high=high, value=value))
    return value


def forget_refused() -> None:
    """Nothing is out of bounds any more: the fields show what the link says."""
    for name in ("beam", "limit"):
        st.session_state.pop(f"refused-{name}", None)


def _typed(name: str, default: int, low: int, high: int) -> None:
    value = st.session_state[f"field-{name}"]
    if value is not None and low <= value <= high:
        st.session_state.pop(f"refused-{name}", None)
        set_link(**{name: None if value == default else str(value)})
    else:
        st.session_state[f"refused-{name}"] = value
