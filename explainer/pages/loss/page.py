"""Page: what is the model punished for? Teacher forcing, cross-entropy, label smoothing, and the gradient they make."""

import inspect
import textwrap

import streamlit as st

from explainer.equations import loss as equations
from explainer.equations.loss import losses, mean_nll, perplexity
from explainer.equations.output import LOG_PROB, LOGIT, sequence_log_prob
from explainer.figures.bars.forced import forced_losses
from explainer.figures.escape import for_markdown
from explainer.figures.latex import paint
from explainer.figures.style import number
from explainer.language import _, ngettext
from explainer.pages.frame import layout, whatif
from explainer.pages.frame.page import TRANSLATION, Words, page
from explainer.pages.frame.share import fragment
from explainer.pages.frame.view import Translated
from explainer.pages.loss.forcing import show_free_running
from explainer.pages.loss.pair import ForcedPair, choose_pair, trained
from explainer.pages.loss.smoothing import show_gradient, show_smoothing

LINKS = ("target", "row", "eps", "how", "next")


def show(view: Translated, words: Words) -> None:
    """The pair row by row, its mean, the smoothed target, the gradient, and the model left alone."""
    pair = choose_pair(view, words)
    if pair is None:
        return
    _show_rows(pair, words)
    left, right = st.columns(2, gap="large")
    with left, st.container(key="sentence-story"):
        _show_sentence(pair, words)
    with right:
        _show_what_if(view, words)
    _show_smoothed(pair, words)
    show_free_running(pair, words)


@fragment
def _show_smoothed(pair: ForcedPair, words: Words) -> None:
    """The smoothed target and its gradient; a fragment: ε changes nothing above or below."""
    show_gradient(pair, show_smoothing(pair, words), words)


def _show_rows(pair: ForcedPair, words: Words) -> None:
    """Input → label, and −log p of each; the arithmetic of the selected one."""
    view, ids = pair.view, pair.ids
    st.markdown(words["forced"])
    before, after = (losses(trace[LOG_PROB], ids) for trace in (view.before, view.trace))
    passes = [("−log p", after)]
    if view.is_difference:
        passes = [(_("after − before"), after - before)]
    elif view.specs:
        passes = [(_("before"), before), (_("after"), after)]
    alt = _(
        "For each decoder row the token that it reads, the token that it should say, and −log p of that; the selected "
        "row {row} pays {loss} nats"
    )
    left, right = st.columns([3, 2], gap="large")
    with left:
        layout.figure(
            forced_losses(
                view.tokens.target,
                view.tokens.predicted,
                passes,
                view.theme,
                selected=pair.row,
                signed=view.is_difference,
            ),
            key="forced",
            alt=alt.format(row=pair.names[pair.row], loss=number(float(after[pair.row]))),
            table=lambda: (
                [_("row"), _("reads → should say"), *(name for name, __ in passes)],
                [
                    [i + 1, name, *(f"{values[i]:.6g}" for __, values in passes)]
                    for i, name in enumerate(pair.names)
                ],
            ),
            says=lambda __, y: {"row": str(int(y) + 1), "next": None},
            part="point",
        )
    with right, st.container(key="story"):
        st.latex(paint(equations.NLL, view.theme))
        title = _("**Row {row}** {name}")
        st.markdown(title.format(row=pair.row + 1, name=for_markdown(pair.names[pair.row])))
        told = equations.nll_story(view.shown[LOGIT], pair.row, pair.label, -float(pair.log_p[pair.label]))
        layout.story(told, view.theme, view.tokenizer.piece)
        if view.specs:
            both = _("Before the changes: {before}; after them: {after}.")
            now, then = (number(float(each[pair.row]), 4) for each in (after, before))
            st.caption(both.format(before=then, after=now))
        _show_code(pair)


def _show_sentence(pair: ForcedPair, words: Words) -> None:
    """The mean, as a sum and as the training code has it."""
    view = pair.view
    st.markdown(words["sentence"])
    st.latex(paint(equations.MEAN, view.theme))
    each = losses(view.shown[LOG_PROB], pair.ids)
    told = equations.mean_story(each, trained(pair.view, 0.0)[0])
    layout.story(told, view.theme, lambda i: view.tokens.predicted[i])
    trains = _(
        "That number is from the code that trains, `explainer/train/learning/loss.py`, on the same vectors."
    )
    st.caption(trains)
    heading = [_("this sentence"), *([_("before"), _("after")] if view.specs else [""])]
    traces = (view.before, view.trace) if view.specs else (view.trace,)
    sums = [sequence_log_prob(trace[LOG_PROB], pair.ids) for trace in traces]
    means = [mean_nll(trace[LOG_PROB], pair.ids) for trace in traces]
    vocab, n = len(pair.log_p), len(pair.ids)
    total = ngettext("Σ −log p over {n} token, nats", "Σ −log p over {n} tokens, nats", n)
    rows = [
        [total.format(n=n), *(number(-one) for one in sums)],
        [_("loss, nats per token"), *(number(one, 3) for one in means)],
        [_("perplexity"), *(f"{perplexity(one):,.2f}".replace(",", "\u2009") for one in means)],
    ]
    st.markdown(layout.as_table(heading, rows))
    told = _("A uniform guess over {n} tokens would cost {loss} nats per token: perplexity {n}.")
    st.caption(told.format(n=f"{vocab:,}".replace(",", "\u2009"), loss=number(equations.uniform_loss(vocab))))


def _show_what_if(view: Translated, words: Words) -> None:
    st.markdown(words["what if"])
    evenly = _("Cross-attention looks evenly at all English tokens")
    whatif.offer(view, "uniform:cross", evenly, key="if-uniform")
    whatif.offer(view, "ahead", _("Take the look-ahead mask away"), key="if-ahead")
    whatif.offer(view, "unplaced:target", _("No positions on the German side"), key="if-unplaced")


def _show_code(pair: ForcedPair) -> None:
    """The training code, and how to get the loss of this pair."""
    with st.expander(_("Show the code"), key="loss-code"):
        from explainer.train.learning import forcing, loss

        st.caption(_("What training computes, read from the source:"))
        st.code(inspect.getsource(forcing.summed_loss), language="python")
        forward = inspect.getsource(loss._TiedCrossEntropy.forward)
        st.code(textwrap.dedent(forward), language="python")
        st.caption(_("The losses of this pair in Python or a notebook:"))
        st.code(_snippet(pair), language="python")


def _snippet(pair: ForcedPair) -> str:
    view = pair.view
    specs = () if view.compare == "before" else view.specs
    end = "</s> last" if view.translation.ended else "cut at the limit"
    lines = [
        "import numpy as np",
        "",
        "from explainer.translator import Translator",
        *(["from explainer.whatif.changes import parse"] if specs else []),
        "",
        view.model.code,
        f"ids = {list(pair.ids)}  # {view.translation.text!r}, {end}",
        *([f"changes = tuple(map(parse, {specs!r}))"] if specs else []),
        f"trace = translator.trace({view.sentence!r}, ids{', changes=changes' if specs else ''})",
        f'losses = -trace["{LOG_PROB}"][np.arange(len(ids)), ids]',
        "print(losses, losses.mean(), np.exp(losses.mean()))",
    ]
    return "\n".join(lines)


page("loss", show, needs=TRANSLATION, links=LINKS)
