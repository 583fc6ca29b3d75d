"""Which training the time machine looks back at: the shipped translator's, or a run's, and on which sentence."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.language import _, mark
from explainer.measures.anatomy import Kind
from explainer.measures.heads import HeadMeasures, all_measures
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.cut import limit_in_words
from explainer.pages.frame.link import choose
from explainer.pages.frame.models import chosen_checkpoint, loaded, runs_folder, saved_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explainer.train.runs.folder import RunFolder
    from explainer.translator.moments import Moment

SHIPPED = mark("the shipped translator")


@dataclass(frozen=True)
class History:
    """One sentence at all steps."""

    steps: tuple[int, ...]  # ascending
    moments: "tuple[Moment, ...]"  # what the model of each step did
    valid_nll: (
        "Mapping[int, float]"  # mean −log p per token on the validation pairs, by step, as far as measured
    )
    is_shipped: bool = False  # whether it is the shipped translator's
    cut_at: str = (
        ""  # the limit at which the German that all steps are forced to was cut, in words; "" if it ended
    )
    _measured: dict[Kind, list[list[HeadMeasures]]] = field(default_factory=dict, repr=False, compare=False)

    def measures(self, kind: Kind) -> list[list[HeadMeasures]]:
        """What all heads of a kind do at each step; computed once, as a history is kept between reruns."""
        if kind not in self._measured:
            self._measured[kind] = [all_measures(one.trace, kind) for one in self.moments]
        return self._measured[kind]


def choose_history(words: "Mapping[str, str]") -> History | None:
    """The run and the sentence that the link names; None after telling what is missing.

    While the link names no run, it is the one whose model all pages open.
    """
    runs = [SHIPPED, *_runs_with_steps()]
    opened = _opened_run()
    default = opened if opened in runs else SHIPPED
    forgotten = ("moment", "layer", "head", "pair")
    run = choose("run", _("Training of"), runs, default, forgets=forgotten, format_func=_name_of)
    if opened not in runs and run == SHIPPED:
        st.info(layout.filled(words["one step"], name=for_markdown(_name_of(opened))))
    try:
        if run == SHIPPED:
            return _of_the_shipped(words)
        if _folder_of(run).request().start:  # and not with random weights
            st.caption(words["continued"])
        sentence = st.session_state.get("sentence", "")
        if not sentence.strip():
            st.info(_("Type a sentence above."))
            return None
        with st.spinner(_("Asking the models of the saved steps …"), show_time=True):
            return _of_a_run(run, _last_saved(run), sentence)
    except ValueError as error:
        told = _("**There is nothing to look back at:** {error}")
        st.warning(told.format(error=for_markdown(str(error))), icon=":material/history_off:")
        return None


def _name_of(run: str) -> str:
    return _(run) if run == SHIPPED else run


def _opened_run() -> str:
    """The run whose model all pages open, or the shipped translator."""
    path = chosen_checkpoint()
    return SHIPPED if path is None else path.parents[1].name


def _folder_of(run: str) -> "RunFolder":
    from explainer.train.runs.folder import RunFolder

    return RunFolder(runs_folder() / run)


def _of_the_shipped(words: "Mapping[str, str]") -> History:
    sources = _kept_sources()
    st.caption(words["kept"])
    numbers = range(1, len(sources) + 1)
    number = choose(
        "pair", _("Sentence"), numbers, 1, format_func=lambda i: sources[i - 1], forgets=("moment",)
    )
    return _kept(number - 1)


@kept(mebibytes=1)
def _kept_sources() -> tuple[str, ...]:
    from explainer.translator.moments import KeptMoments

    return tuple(pair.source for pair in KeptMoments.load().pairs)


@kept(mebibytes=128)
def _kept(number: int) -> History:
    from explainer.translator.moments import KeptMoments

    kept = KeptMoments.load()
    moments = tuple(kept.at(step, kept.pairs[number]) for step in kept.steps)
    return History(kept.steps, moments, kept.valid_nll, is_shipped=True)


@kept(mebibytes=128)
def _of_a_run(run: str, last: tuple[int, int], sentence: str) -> History:
    """All steps of a run; `last` tells a run that went on, or another of the same name, from what was asked before."""
    from explainer.translator.moments import RunMoments

    found = RunMoments.load(_folder_of(run), last[0])
    pair = found.pair(sentence)
    moments = tuple(found.at(step, pair) for step in found.steps)
    last_model = loaded(found.run.step_folder(found.steps[-1]))
    cut_at = "" if pair.ended else limit_in_words(last_model, sentence)
    return History(found.steps, moments, found.valid_nll, cut_at=cut_at)


def _runs_with_steps() -> list[str]:
    from explainer.train.runs.names import run_names

    return sorted(name for name in run_names(runs_folder()) if len(_folder_of(name).saved_steps()) > 1)


def _last_saved(run: str) -> tuple[int, int]:
    """The last saved step and when it was written."""
    folder = _folder_of(run)
    step = folder.last_saved_step()
    return step, saved_at(folder.step_folder(step))
