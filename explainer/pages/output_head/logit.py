"""Parts of the page about the output head: one logit, the distribution of one row, two tokens against each other."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations.output import (
    FINAL,
    LOG_PROB,
    LOGIT,
    TABLE,
    TEMPERED,
    probabilities,
    products,
    tempered,
)
from explainer.equations.softmax import entropy, even_entropy
from explainer.figures.bars.tokens import Bars
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.heat.strips import dot_product
from explainer.figures.latex import paint
from explainer.figures.style import number, probability
from explainer.language import _
from explainer.measures.flow import top
from explainer.measures.vocabulary import listed, rank, shares
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, slide
from explainer.pages.frame.page import Words
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import query_labels
from explainer.pages.kit.tensor import Tensor, show_arithmetic
from explainer.pages.kit.tokens import before_and_after, show_token_bars

if TYPE_CHECKING:
    from explainer.translator.translator import Translator

SIZES = (5, 8, 12, 20)
FIRST = 3  # tokens that were the most probable before the changes: shown in any case


@dataclass(frozen=True, kw_only=True)
class Logit:
    """What is looked at.

    Attributes:
        row: The decoder row, from 0.
        label: Its label.
        token: The token whose logit is told.
        chosen: The token that the translation goes on with.
    """

    row: int
    label: str
    token: int
    chosen: int


def show_logit(view: Translated, logit: Logit, words: Words) -> None:
    """The vectors of row and token, their products, and the sum."""
    left, right = st.columns([3, 2], gap="large")
    x, vector = view.shown[FINAL][logit.row], view.model.parameters[TABLE][logit.token]
    name = for_markdown(view.name_of(logit.token))
    with left:
        st.markdown(words["logit"])
        st.markdown(words["tied" if view.model.checkpoint.model.config.tie_embeddings else "untied"])
        alt = _(
            "The final vector of row {row}, the vector of the token {token}, and their products, dimension by dimension"
        )
        layout.figure(
            dot_product(x, vector, ("x", "w"), view.theme),
            key="product",
            alt=alt.format(row=logit.row + 1, token=view.name_of(logit.token)),
            table=lambda: _product_table(x, vector),
        )
        st.caption(words["ranges"])
    with right, st.container(key="logit-story"):
        told = _("**v =** {token}, in row {row} ({name})")
        st.markdown(told.format(token=name, row=logit.row + 1, name=for_markdown(logit.label)))
        show_arithmetic(view, _tensor(view, LOGIT, _("logits")), (logit.row, logit.token), key="logit")


def show_candidates(view: Translated, logit: Logit, words: Words) -> None:
    """The most probable next tokens: the model's own, before and after the changes, and tempered."""
    st.markdown(words["softmax"])
    left, right = st.columns([3, 2], gap="large")
    with right:
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            count = choose("k", _("Tokens shown"), SIZES, 8)
        temperature = slide("T", _("Temperature T (of the display only)"), 1.0, 0.1, 3.0, 0.1)
    with left:
        _show_bars(view, logit, count, temperature)
    with right:
        _tell_distribution(view, logit, temperature, words)


def show_log_prob(view: Translated, logit: Logit) -> None:
    """Softmax, in its logarithm, and its arithmetic for the token."""
    shown = _tensor(view, LOG_PROB, _("log-probabilities"))
    show_arithmetic(view, shown, (logit.row, logit.token), key="log-prob", name_of=view.tokenizer.piece)


def show_temperature(view: Translated, words: Words) -> None:
    """The formula of the temperature."""
    st.latex(paint(TEMPERED, view.theme))
    st.markdown(words["temperature"])


def _show_bars(view: Translated, logit: Logit, count: int, temperature: float) -> None:
    after, before = (probabilities(trace[LOG_PROB][logit.row]) for trace in (view.trace, view.before))
    ids = listed(after, count, (logit.token, logit.chosen, *top(before[None], FIRST)[0].tolist()))
    groups = before_and_after(before if view.specs else None, after, ids, is_difference=view.is_difference)
    if temperature != 1 and not view.is_difference:
        heated = tempered(view.shown[LOGIT][logit.row].astype(np.float64), temperature)
        name = _("tempered, T = {temperature}").format(temperature=number(temperature, 1))
        groups.append(Bars(name, shares(heated, ids), "hatched"))
    alt = _("The most probable tokens after row {row}; {first} is first")
    show_token_bars(
        view.tokenizer,
        ids,
        groups,
        key="candidates",
        alt=alt.format(row=logit.row + 1, first=view.tokenizer.piece(int(ids[0]))),
        n_others=len(after) - len(ids),
        chosen=logit.chosen,
        selected=logit.token,
        signed=view.is_difference,
        says=lambda token: {"next": str(token), "other": None},
        label=lambda piece: token_label(piece).strip(),
    )


def _tell_distribution(view: Translated, logit: Logit, temperature: float, words: Words) -> None:
    probs = probabilities(view.shown[LOG_PROB][logit.row])
    heated = tempered(view.shown[LOGIT][logit.row].astype(np.float64), temperature)
    lines = ["| | " + _("model") + " | " + _("tempered") + " |", "|---|---|---|"]
    lines.append(
        f"| p({for_markdown(view.name_of(logit.token))}) | {probability(float(probs[logit.token]))} "
        f"| {probability(float(heated[logit.token]))} |"
    )
    log_prob = float(view.shown[LOG_PROB][logit.row, logit.token])
    name = _("log p, nats")
    lines.append(f"| {name} | {number(log_prob)} | {number(float(np.log(heated[logit.token])))} |")
    one, two = (float(entropy(each[None])[0]) for each in (probs, heated))
    name = _("entropy of the row, nats")
    lines.append(f"| {name} | {number(one)} | {number(two)} |")
    st.markdown("\n".join(lines))
    n_vocab = len(probs)
    told = _(
        "Its rank among the {n} tokens: {rank}. An even spread would have an entropy of {entropy} nats."
    ).format(
        n=f"{n_vocab:,}".replace(",", "\u2009"), rank=rank(probs, logit.token),
        entropy=number(even_entropy(n_vocab)),
    )  # fmt: skip
    st.caption(f"{words['two probabilities']} {told}")


def _tensor(view: Translated, hook: str, title: str) -> Tensor:
    return Tensor(
        hook=hook,
        title=title,
        rows=query_labels(view, "decoder"),
        columns=_vocabulary(view.model),
        row_title=_("input → predicts"),
        column_title=_("token"),
        symbols=("T", r"|V|"),
        first_column=0,
    )


@kept(mebibytes=32)
def _vocabulary(model: "Translator") -> list[str]:
    """Every entry as a label, in the order of their ids; the same for one checkpoint."""
    return [
        token_label(model.checkpoint.tokenizer.piece(token)).strip()
        for token in range(model.checkpoint.model.config.vocab_size)
    ]


def _product_table(x: np.ndarray, vector: np.ndarray) -> layout.Table:
    rows = zip(range(1, len(x) + 1), x.tolist(), vector.tolist(), products(x, vector).tolist(), strict=True)
    return [_("dimension"), "x", "w", "x·w"], [
        [dim, *(f"{value:.6g}" for value in values)] for dim, *values in rows
    ]
