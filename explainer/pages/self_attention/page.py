"""Page: how does a word look at the others? Self-attention in six steps, one pair of words in all of them."""

import streamlit as st

from explainer.figures.style import number
from explainer.language import _
from explainer.measures.anatomy import Kind
from explainer.measures.heads import HeadMeasures
from explainer.pages.frame import whatif
from explainer.pages.frame.layout import as_table
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.stepper import stepper
from explainer.pages.frame.view import Translated
from explainer.pages.frame.whatif import dial, edit
from explainer.pages.kit.heads import Place, choose_head, choose_kind, measures_of, say_why, show_all_heads
from explainer.pages.kit.not_explanation import show_not_an_explanation
from explainer.pages.kit.pair import QueryKeyPair, SelectedHead, chosen_pair
from explainer.pages.self_attention.steps import TITLES, show_step

LINKS = ("kind", "layer", "head", "step", "cell", "dim", "part", "measure")
KINDS: tuple[Kind, ...] = ("encoder", "decoder")
SOFTMAX = 4  # the step that is shown first: the weights answer the page's question


def show(view: Translated, words: Words) -> None:
    """The head, its six steps, all heads, what if, and why weights are no explanation."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        kind = choose_kind(_("Where"), "encoder", kinds=KINDS)
        place = choose_head(view, kind)
    step = stepper("step", [*map(_, TITLES)], default=SOFTMAX)
    say_why(view, place)
    pair = chosen_pair(view, place)
    show_step(SelectedHead(view, place, pair), step, words)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(words["all heads"])
        show_all_heads(view, place)
    with right:
        _show_what_if(view, place, pair, words)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(words["filing cabinet"])
    with right:
        show_not_an_explanation(view, place, words)


def _show_what_if(view: Translated, place: Place, pair: QueryKeyPair, words: Words) -> None:
    st.markdown(words["what if"])
    here, spec = {"layer": place.layer + 1, "head": place.head + 1}, place.spec
    unscaled = _(r"Leave out the division by $\sqrt{{d_k}}$ in layer {layer}, head {head}").format(**here)
    whatif.offer(view, f"unscaled:{spec}", unscaled, key="if-unscaled")
    evenly = _("Let layer {layer}, head {head} look evenly at all tokens").format(**here)
    whatif.offer(view, f"uniform:{spec}", evenly, key="if-uniform")
    dial(view, f"temperature:{spec}:", _("Temperature: scores ÷ T"), 1.0, 0.1, 5.0, 0.1, key="if-temperature")
    cell = pair.query, pair.key
    scores = view.trace[f"{place.path}.attend.hook_scores"]
    edit(
        view,
        f"score:{spec}:{pair.query + 1}.{pair.key + 1}:",
        _("Scaled score of row {row}, column {column}").format(row=pair.query + 1, column=pair.key + 1),
        float(scores[(place.head, *cell)]),
        key=f"if-score-{spec}-{pair.query}-{pair.key}",
        why_not=_masked(view, place, cell),
    )
    _say_entropy(view, place, words)
    whatif.tell_effect(view, words)


def _masked(view: Translated, place: Place, cell: tuple[int, int]) -> str:
    mask = view.trace[f"{place.path}.attend.hook_mask"]
    return "" if mask[(place.head, *cell)] else _("this cell is masked: its weight is 0 whatever its score")


def _say_entropy(view: Translated, place: Place, words: Words) -> None:
    """Mean entropy of the head's rows, before and after the changes."""
    before, after = (_of(measures_of(view, place.kind, one), place) for one in ("before", "after"))
    numbers = before.entropy, after.entropy, after.even_entropy
    table = as_table(
        [_("before"), _("after"), _("an even spread")], [[number(value, 3) for value in numbers]]
    )
    st.markdown(f"{words['entropy']}\n\n{table}")


def _of(measures: list[HeadMeasures], place: Place) -> HeadMeasures:
    return next(one for one in measures if (one.layer, one.head) == (place.layer, place.head))


page("self_attention", show, needs=WHOLE_PASS, links=LINKS)
