"""State: what is cached for all visitors, and what the link of a page says."""

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from explainer.equations.flow import flow_hooks
from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.equations.places import attention_hooks

if TYPE_CHECKING:  # torch takes a second to import: the page is on the screen before
    from explainer.capture.record import Intervention
    from explainer.capture.trace import Trace
    from explainer.translator import Translation, Translator

T = TypeVar("T")
MAX_CHARACTERS = 600
DEFAULT_SENTENCE = "The animal didn't cross the street because it was too tired."
_PROSE = Path(__file__).parent.parent / "prose"
_CELL = re.compile(r"([1-9]\d{0,3})\.([1-9]\d{0,3})", re.ASCII)
_LOADING = threading.Lock()
_SHARED: dict[str, Any] = {}


def translator() -> "Translator":
    """The pretrained translator, loaded once for all visitors.

    Raises:
        CheckpointError: its folder cannot be used.
    """
    with _LOADING:
        if "translator" not in _SHARED:
            import torch

            from explainer.translator import Translator

            torch.set_num_threads(1)  # two threads on a busy machine are many times slower than one
            _SHARED["translator"] = Translator.load()
        return _SHARED["translator"]


@st.cache_resource(max_entries=128, show_spinner=False)
def translation_of(checkpoint: str, text: str, off: tuple[str, int] | None = None) -> "Translation":
    """The translation of `text`, kept for the next visitor who types the same.

    Args:
        checkpoint: Digest of the weights: another model is another entry.
        text: English.
        off: Attention path and number of a head that is switched off.
    """
    return translator().translate(text, interventions=_changes(off))


@st.cache_resource(max_entries=48, show_spinner=False)
def trace_of(checkpoint: str, text: str, ids: tuple[int, ...]) -> "Trace":
    """What the pages show of the pass that reads `text` and predicts the target; shared by all visitors."""
    return translator().trace(text, ids, wanted=shown_hooks)


@st.cache_data(max_entries=128, show_spinner=False)
def log_prob_without(checkpoint: str, text: str, ids: tuple[int, ...], off: tuple[str, int]) -> float:
    """Log p of the target, in nats, while a head is switched off."""
    trace = translator().trace(text, ids, wanted=LOG_PROB.__eq__, interventions=_changes(off))
    return sequence_log_prob(trace[LOG_PROB], ids)


def shown_hooks(name: str) -> bool:
    """The hook points that the pages read."""
    return flow_hooks(name) or attention_hooks(name) or name.startswith("head.")


def _changes(off: tuple[str, int] | None) -> "dict[str, Intervention]":
    from explainer.capture.interventions import without_head

    return {f"{off[0]}.attend.hook_mixed": without_head(off[1])} if off else {}


def choose_sentence() -> str:
    """The input for the sentence: live, in the link, the same on all pages."""
    st.session_state.setdefault("sentence", DEFAULT_SENTENCE)
    return (
        st.text_input(
            "English",
            key="sentence",
            bind="query-params",
            persist_state="session",
            live=True,
            on_change=forget_place,
            max_chars=MAX_CHARACTERS,
            placeholder="Type an English sentence",
        )
        or ""
    )


def set_sentence(sentence: str) -> None:
    """Put a sentence into the input."""
    st.session_state["sentence"] = sentence
    forget_place()


def forget_place() -> None:
    """Drop from the link what belonged to the sentence that was: another one has other rows and cells."""
    set_link(row=None, cell=None)


def link_choice(name: str, options: Sequence[T], default: T) -> T:
    """The option that the link names; `default` (with a word to the visitor) if it names none."""
    raw = st.query_params.get(name)
    if raw is None:
        return default
    for option in options:
        if str(option) == raw:
            return option
    _fell_back(name, raw, f"one of {', '.join(map(str, options))}")
    return default


def link_cell(name: str, default: tuple[int, int], shape: Sequence[int]) -> tuple[int, int]:
    """The cell `row.column`, counted from 1, that the link names; `default` (said) if there is no such cell."""
    raw = st.query_params.get(name)
    if raw is None:
        return default
    found = _CELL.fullmatch(raw)
    if found and int(found[1]) <= shape[0] and int(found[2]) <= shape[1]:
        return int(found[1]) - 1, int(found[2]) - 1
    _fell_back(name, raw, f"row.column up to {shape[0]}.{shape[1]}")
    return default


def choose(
    name: str, label: str, options: Sequence[T], default: T, *, forgets: Sequence[str] = (), **more: Any
) -> T:
    """A row of options whose choice stands in the link.

    Args:
        name: Its name in the link.
        label: Its name on the page.
        options: What can be chosen.
        default: What is shown while the link says nothing.
        forgets: Parts of the link that make no sense after another choice.
        **more: For `st.segmented_control`.
    """
    key = f"choose-{name}"
    st.session_state[key] = link_choice(name, options, default)
    changed = (name, key, forgets)
    st.segmented_control(label, options, key=key, required=True, on_change=_chosen, args=changed, **more)
    return st.session_state[key]


def set_link(**values: str | None) -> None:
    """Write parts of the link; None removes one."""
    for name, value in values.items():
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = value


def _chosen(name: str, key: str, forgets: Sequence[str]) -> None:
    set_link(**dict.fromkeys(forgets), **{name: str(st.session_state[key])})


def _fell_back(name: str, raw: str, expected: str) -> None:
    st.toast(
        f"The link says {name} = {raw[:20]!r}; expected {expected}. The default is shown.", duration="short"
    )
    del st.query_params[name]


@st.cache_data(show_spinner=False)
def prose(page: str, language: str = "en") -> dict[str, str]:
    """The sections of a page's Markdown file by their `## headings`."""
    text = (_PROSE / language / f"{page}.md").read_text(encoding="utf-8")
    parts = text.removeprefix("## ").split("\n## ")
    return {name.strip(): body.strip() for name, _, body in (part.partition("\n") for part in parts)}
