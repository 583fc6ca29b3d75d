"""Two small models that differ in one thing, the look-ahead mask: what each says of this sentence, and of many."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from explainer.equations.output import LOG_PROB, nats_per_token
from explainer.figures.escape import for_markdown
from explainer.figures.style import number, probability
from explainer.files import PRETRAINED
from explainer.language import _, mark
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.cut import marked
from explainer.pages.frame.models import loaded
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import translation_of
from explainer.pages.frame.view import Translated

if TYPE_CHECKING:
    from explainer.translator.translator import Translator

NAMES = {
    "twin": mark("small, trained **without** the mask"),
    "twin-masked": mark("small, trained with the mask"),
    "translator": mark("the shipped translator, trained with the mask"),
}


@kept(mebibytes=2)
def facts(model: "Translator", english: str, german: str, ended: bool) -> tuple[float, str]:
    """Teacher-forced loss on `german` in nats per token, with `</s>` if it has ended, and the free translation.

    Raises:
        TooLongError: its vocabulary cuts the sentence into too many tokens.
    """
    from explainer.text.tokenizer import END_ID

    pieces = model.checkpoint.tokenizer.encode(german)
    ids = tuple(pieces) if pieces and not ended else (*pieces, END_ID)
    rows = model.trace(english, ids, wanted=LOG_PROB.__eq__)[LOG_PROB]
    rules = replace(model.rules_for(len(model.source_ids(english))), beam_size=1, early_stopping=True)
    written = model.translate(english, rules=rules)
    return nats_per_token(rows, ids), marked(written.text, written.ended)


def _here(name: str, english: str, german: str, ended: bool) -> tuple[str, str]:
    """Loss and text of a shipped model, as the table writes them."""
    from explainer.checkpoints import CheckpointError
    from explainer.translator.translator import TooLongError

    try:
        nll, written = facts(loaded(PRETRAINED / name), english, german, ended)
    except (TooLongError, CheckpointError) as error:
        return "–", for_markdown(str(error))
    return probability(nll), for_markdown(written) or _("*nothing*")


def _target(view: Translated) -> tuple[str, bool]:
    """What the shipped translator says, whichever model is open, and whether it ended; "" if it cannot be asked."""
    from explainer.checkpoints import CheckpointError
    from explainer.translator.translator import TooLongError

    found = view.translation
    try:
        if view.model.folder != PRETRAINED / "translator":
            found = translation_of(loaded(PRETRAINED / "translator"), view.sentence)
    except (TooLongError, CheckpointError):
        return "", True
    return found.text, found.ended


@kept(mebibytes=1)
def measured() -> dict[str, dict[str, float]]:
    """What was measured on many pairs, as shipped beside the weights."""
    return {
        name: json.loads((PRETRAINED / name / "metrics.json").read_text(encoding="utf-8"))
        for name in NAMES
        if (PRETRAINED / name / "metrics.json").exists()
    }


def show_twins(view: Translated, words: Words) -> None:
    """The table of the models: on this sentence, and as measured on many."""
    with st.container(border=True, key="twins"):
        st.markdown(words["twins"])
        target, ended = _target(view)
        st.markdown(layout.filled(words["twins here"], target=marked(for_markdown(target), ended)))
        found = measured()
        here = _("loss on this target, nats per token"), _("writes alone (greedy)")
        heading = _("model"), *here, _("loss on many"), _("BLEU on many")
        rows = [
            [
                _(told),
                *_here(name, view.sentence, target, ended),
                _measured(found, name, "nll", 3),
                _measured(found, name, "bleu", 1),
            ]
            for name, told in NAMES.items()
        ]
        st.markdown(layout.as_table(heading, rows))
        counts = {name: round(facts["sentences"]) for name, facts in found.items()}
        few, many = (counts.get(name, "–") for name in ("twin", "translator"))
        st.caption(layout.filled(words["twins why"], few=few, many=many))


def _measured(found: dict[str, dict[str, float]], name: str, what: str, decimals: int) -> str:
    value = found.get(name, {}).get(what)
    return "–" if value is None else number(value, decimals)
