"""A part of the page about the loss: the same positions, given the reference, and given the model's own words."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations.loss import first_difference, most_probable
from explainer.equations.output import LOG_PROB
from explainer.figures.bars.forced import two_ways
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.style import probability
from explainer.language import _, mark, ngettext
from explainer.measures.vocabulary import chosen_probabilities
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.cut import limit_in_words, limit_of
from explainer.pages.frame.page import Words
from explainer.pages.frame.session import Specs, trace_of
from explainer.pages.loss.pair import ForcedPair, second_choice, set_target

if TYPE_CHECKING:
    from explainer.translator.translator import Translator

WAYS = (mark("it reads the reference"), mark("it reads its own words"))


@dataclass(frozen=True)
class Said:
    """What was said at each position, and with which probability."""

    ids: tuple[int, ...]
    probabilities: np.ndarray
    ended: bool = True


@kept(mebibytes=8)
def _alone(model: "Translator", sentence: str, specs: Specs) -> Said:
    """Greedy search: at each step the most probable token, which is then read."""
    from explainer.decode.search.rules import BeamRules
    from explainer.whatif.changes import parse

    rules = BeamRules(beam_size=1, max_new_tokens=limit_of(model, sentence), early_stopping=True)
    found = model.translate(sentence, rules=rules, changes=tuple(map(parse, specs)))
    ids = found.best.tokens
    rows = trace_of(model, sentence, ids, specs)[LOG_PROB][: len(ids)]
    return Said(ids, chosen_probabilities(rows, ids), found.ended)


def show_free_running(pair: ForcedPair, words: Words) -> None:
    """Both ways side by side, and where they part."""
    view = pair.view
    forced = Said(*most_probable(view.shown[LOG_PROB]))
    specs = () if view.compare == "before" else view.specs
    alone = _alone(view.model, view.sentence, specs)
    count = max(len(pair.ids), len(alone.ids))
    pieces_of = pair.view.tokenizer.pieces
    columns = [[*pieces_of(way.ids), *[None] * (count - len(way.ids))] for way in (forced, alone)]
    said = [list(row) for row in zip(*columns, strict=True)]
    probabilities = np.full((count, 2), np.nan)
    for column, way in enumerate((forced, alone)):
        probabilities[: len(way.ids), column] = way.probabilities
    reference = [*map(token_label, pieces_of(pair.ids)), *["–"] * (count - len(pair.ids))]
    names = [f"{i}: {label}" for i, label in enumerate(reference, 1)]
    parting, ways = first_difference(alone.ids, pair.ids), [_(way) for way in WAYS]
    st.markdown(words["free"])
    left, right = st.columns([3, 2], gap="large")
    with left:
        layout.figure(
            two_ways(said, probabilities, ways, names, view.theme, selected=pair.row, parting=parting),
            key="free",
            alt=_(
                "What the model says at each position when it reads the reference, and when it reads its own words"
            ),
            table=lambda: (
                [_("position: reference"), *ways],
                [
                    [name, *map(_word, row, values)]
                    for name, row, values in zip(names, said, probabilities, strict=True)
                ],
            ),
            says=lambda __, y: {"row": str(int(y) + 1), "next": None} if 0 <= int(y) < len(pair.ids) else {},
            part="point",
        )
    with right, st.container(key="parting"):
        _tell(pair, forced, alone, parting)
        if not alone.ended:
            told = _("Left alone, it finds no end: cut at {limit}.")
            st.caption(told.format(limit=limit_in_words(view.model, view.sentence)))
        st.markdown(words["why free"])


def _word(piece: str | None, p: float) -> str:
    return "" if piece is None else f"{token_label(piece).strip()} {p:.4f}"


def _tell(pair: ForcedPair, forced: Said, alone: Said, parting: int | None) -> None:
    right = sum(one == other for one, other in zip(forced.ids, pair.ids, strict=True))
    told = ngettext(
        "Given the reference, the most probable token is the label in **{right} of {n}** position.",
        "Given the reference, the most probable token is the label in **{right} of {n}** positions.",
        len(pair.ids),
    )
    st.markdown(told.format(right=right, n=len(pair.ids)))
    if parting is None:
        same = _(
            "Left alone, it says the reference word for word: the two ways **do not part** here. Give it another "
            "one:"
        )
        st.markdown(same)
        if other := second_choice(pair.view):
            label = _("Reference: {text}").format(text=for_markdown(other))
            st.button(label, key="part", on_click=set_target, args=(other,))
        return
    said = for_markdown(pair.view.name_of(alone.ids[parting]))
    p = probability(float(alone.probabilities[parting]))
    label = _("nothing more")
    if parting < len(pair.ids):
        label = for_markdown(pair.view.name_of(pair.ids[parting]))
    told = _(
        "They **part at position {position}**: up to there both have read the same and say the same. The model says "
        "{said} ({p}), the reference has {label}. From the next position on the left column reads {label}, the right "
        "one {said}."
    )
    st.markdown(told.format(position=parting + 1, said=said, p=p, label=label))
