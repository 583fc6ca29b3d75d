"""Page: how does a word look at the others? Self-attention in six steps, one pair of words in all of them."""

import streamlit as st

from explainer.figures.style import number
from explainer.language import _
from explainer.measures.anatomy import Kind
from explainer.pages.frame import whatif
from explainer.pages.frame.layout import as_table
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.stepper import stepper
from explainer.pages.frame.view import Translated
from explainer.pages.frame.whatif import dial, edit
from explainer.pages.kit.heads import Place, choose_head, choose_kind, measures_of, say_why, show_all_heads
from explainer.pages.kit.not_explanation import show_not_an_explanation
from explainer.pages.kit.pair import QueryKeyPair, SelectedHead, chosen_pair
from explainer.pages.self_attention.steps import SOFTMAX, TITLES, show_step

LINKS = ("kind", "layer", "head", "step", "cell", "dim", "part", "measure")
KINDS: tuple[Kind, ...] = ("encoder", "decoder")


def show(view: Translated, words: Words) -> None:
    """The head, its six steps, all heads, what if, and why weights are no explanation."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        kind = choose_kind(_("Where"), "encoder", kinds=KINDS)
        place = choose_head(view, kind)
    step = stepper("step", [*map(_, TITLES)], default=SOFTMAX)  # the weights answer the page's question
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
    seen = view.trace.under(f"{place.path}.attend")
    score, is_open = (seen[hook][place.head, pair.query, pair.key] for hook in ("hook_scores", "hook_mask"))
    edit(
        view,
        f"score:{spec}:{pair.query + 1}.{pair.key + 1}:",
        _("Scaled score of row {row}, column {column}").format(row=pair.query + 1, column=pair.key + 1),
        float(score),
        key=f"if-score-{spec}-{pair.query}-{pair.key}",
        why_not="" if is_open else _("this cell is masked: its weight is 0 whatever its score"),
    )
    _say_entropy(view, place, words)
    whatif.tell_effect(view, words)


def _say_entropy(view: Translated, place: Place, words: Words) -> None:
    """Mean entropy of the head's rows, before and after the changes."""
    places = [(one.layer, one.head) for one in measures_of(view, place.kind)]
    here = places.index((place.layer, place.head))
    before, after = (measures_of(view, place.kind, which)[here] for which in ("before", "after"))
    numbers = before.entropy, after.entropy, after.even_entropy
    heading = _("before"), _("after"), _("an even spread")
    table = as_table(heading, [[number(value, 3) for value in numbers]])
    st.markdown(f"{words['entropy']}\n\n{table}")


page("self_attention", show, needs=WHOLE_PASS, links=LINKS)
