"""State: what is cached for all visitors, and the sentence that all pages share."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from jaxtyping import Float

from explainer.equations.flow import flow_hooks
from explainer.equations.heads import HeadMeasures
from explainer.equations.output import LOG_PROB
from explainer.equations.places import attention_hooks
from explainer.figures.escape import for_markdown
from explainer.figures.style import Theme, theme_named
from explainer.pages.link import fell_back, set_link
from explainer.pages.model import chosen_checkpoint

if TYPE_CHECKING:  # torch takes a second to import: the page is on the screen before
    from explainer.capture.trace import Trace
    from explainer.translator import Translation, Translator
    from explainer.whatif.changes import Changes

MAX_CHARACTERS = 600
DEFAULT_SENTENCE = "The animal didn't cross the street because it was too tired."
Specs = tuple[str, ...]  # changes as the link spells them
PRETRAINED = Path(__file__).parents[2] / "pretrained"
_PROSE = Path(__file__).parent.parent / "prose"
_LOADING = threading.Lock()
_LOCKS: dict[Path, threading.Lock] = {}  # one for each model
_SHARED: "dict[tuple[Path, int], Translator]" = {}
_RUNS_AT_MOST = 6  # models of runs that are kept beside the shipped ones
_MEASURED_AT_MOST = 64  # sentences, kinds and changes
_MEASURING = threading.Lock()
_MEASURED: dict[tuple[object, ...], list[HeadMeasures]] = {}


def translator(name: str = "translator") -> "Translator":
    """A model of the folder `pretrained`, loaded once for all visitors; for "translator", the run that the link names.

    If the run's weights cannot be used, the visitor is told so and sees the shipped translator.

    Raises:
        CheckpointError: a shipped folder cannot be used.
    """
    own = chosen_checkpoint() if name == "translator" else None
    if own is not None:
        from explainer.checkpoints import CheckpointError

        try:
            return loaded(own)
        except CheckpointError as error:
            fell_back("model", own.parents[1].name, f"a run that can be read ({for_markdown(str(error))})")
    return loaded(PRETRAINED / name)


def loaded(folder: Path) -> "Translator":
    """The model in a checkpoint folder as it is now; a few are kept.

    Raises:
        CheckpointError: the folder cannot be used.
    """
    key = (folder, written(folder))
    if (known := _SHARED.get(key)) is not None:
        return known
    with _LOADING:
        lock = _LOCKS.setdefault(folder, threading.Lock())
    with lock:  # whoever needs another model does not wait for this one
        if (known := _SHARED.get(key)) is not None:
            return known
        import torch

        from explainer.translator import Translator

        torch.set_num_threads(1)  # two threads on a busy machine are many times slower than one
        model = Translator.load(folder)
        with _LOADING:
            runs = [one for one in _SHARED if one[0].parent != PRETRAINED]
            if len(runs) >= _RUNS_AT_MOST:
                del _SHARED[runs[0]]
            _SHARED[key] = model
        return model


def written(folder: Path) -> int:
    """When its weights were written, in nanoseconds, or 0: a new run may get the name of a deleted one."""
    try:
        return (folder / "model.safetensors").stat().st_mtime_ns
    except OSError:
        return 0


@st.cache_resource(max_entries=128, show_spinner=False)
def translation_of(checkpoint: str, text: str, specs: Specs = ()) -> "Translation":
    """The translation of `text`, kept for the next visitor who types the same.

    Args:
        checkpoint: Digest of the model: another one is another entry.
        text: English.
        specs: What is changed on the way.
    """
    return translator().translate(text, changes=_changes(specs))


@st.cache_resource(max_entries=48, show_spinner=False)
def trace_of(
    checkpoint: str,
    text: str,
    ids: tuple[int, ...],
    specs: Specs = (),
    *,
    whole: bool = False,
    padding: int = 0,
) -> "Trace":
    """The pass that reads `text` and predicts the target; shared by all visitors.

    Args:
        checkpoint: Digest of the model.
        text: English.
        ids: The target.
        specs: What is changed on the way.
        whole: Keep every hook point; else those that the Translate page shows.
        padding: How many `<pad>` stand after both sentences.
    """
    from explainer.capture.trace import everything

    wanted = everything if whole else shown_hooks
    return translator().trace(text, ids, wanted=wanted, changes=_changes(specs), padding=padding)


@st.cache_data(max_entries=256, show_spinner=False)
def last_log_probs(
    checkpoint: str, text: str, ids: tuple[int, ...], specs: Specs = ()
) -> Float[np.ndarray, " vocab"]:
    """Log-probabilities of the token after `ids`, in nats, by a pass that was given no later token."""
    trace = translator().trace(text, ids, wanted=LOG_PROB.__eq__, changes=_changes(specs))
    return trace[LOG_PROB][-1]


def measures_kept(key: tuple[object, ...], measure: Callable[[], list[HeadMeasures]]) -> list[HeadMeasures]:
    """What all heads of a kind do on a sentence, measured once and kept for all visitors.

    A page asks eight times: Streamlit's caches are slower than a dictionary.

    Args:
        key: Whatever the measures depend on.
        measure: Called when they are not kept; another visitor may drop them again meanwhile.
    """
    with _MEASURING:
        found = _MEASURED.get(key)
    if found is None:
        found = measure()
        with _MEASURING:
            while len(_MEASURED) >= _MEASURED_AT_MOST:
                _MEASURED.pop(next(iter(_MEASURED)))
            _MEASURED[key] = found
    return found


def shown_hooks(name: str) -> bool:
    """The hook points that the Translate page reads."""
    return flow_hooks(name) or attention_hooks(name) or name.startswith("head.")


def _changes(specs: Specs) -> "Changes":
    from explainer.whatif.changes import parse

    return tuple(map(parse, specs))


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
    set_link(
        **dict.fromkeys(("row", "cell", "next", "token", "merge", "dims", "swap-one", "swap-other", "target"))
    )
    set_link(**dict.fromkeys(("node", "force", "at", "end")))  # of a search tree


def theme() -> Theme:
    """The colours of the theme that the visitor sees."""
    return theme_named(st.context.theme.type)


@st.cache_data(show_spinner=False)
def prose(page: str, language: str = "en") -> dict[str, str]:
    """The sections of a page's Markdown file by their `## headings`."""
    text = (_PROSE / language / f"{page}.md").read_text(encoding="utf-8")
    parts = text.removeprefix("## ").split("\n## ")
    return {name.strip(): body.strip() for name, _, body in (part.partition("\n") for part in parts)}
