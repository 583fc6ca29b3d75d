"""Parts of the page about the output head: one logit, the distribution of one row, two tokens against each other."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.equations import output
from explainer.equations.output import LOG_PROB, LOGIT
from explainer.equations.softmax import entropy, even_entropy
from explainer.figures.bars.tokens import Bars, term_bars
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.heat.strips import dot_product
from explainer.figures.latex import paint
from explainer.figures.style import number, probability
from explainer.language import _, ngettext
from explainer.measures.flow import top
from explainer.measures.vocabulary import listed, rank, shares
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose, link_number, set_link, slide
from explainer.pages.frame.page import Words
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import query_labels
from explainer.pages.kit.tensor import Tensor, show_arithmetic
from explainer.pages.kit.tokens import before_and_after, show_token_bars

if TYPE_CHECKING:
    from explainer.translator.translator import Translator

SIZES = (5, 8, 12, 20)
FIRST = 3  # tokens that were the most probable before the changes: shown in any case
TERMS = 10  # dimensions that a comparison names


@dataclass(frozen=True, kw_only=True)
class Logit:
    """What is looked at: a decoder row (from 0), a token's logit, and the token that the translation goes on with."""

    row: int
    label: str
    token: int
    chosen: int


def show_logit(view: Translated, logit: Logit, words: Words) -> None:
    """The vectors of row and token, their products, and the sum."""
    left, right = st.columns([3, 2], gap="large")
    x, vector = view.shown[output.FINAL][logit.row], view.model.parameters[output.TABLE][logit.token]
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


def show_margin(view: Translated, logit: Logit, words: Words) -> None:
    """Two tokens against each other: which dimensions decide between the token and another one."""
    st.markdown(words["margin"])
    other = _choose_other(view, logit)
    x, table = view.shown[output.FINAL][logit.row], view.model.parameters[output.TABLE]
    one, two = table[logit.token], table[other]
    terms = output.margin_terms(x, one, two)
    dims = output.deciding(terms, TERMS)
    values = shares(terms, dims)
    n_others = len(terms) - len(dims)
    names = [_("dimension {n}").format(n=dim + 1) for dim in dims]
    names.append(ngettext("the other {n}", "the other {n}", n_others).format(n=n_others))
    spelled = {"one": view.tokenizer.piece(logit.token), "other": view.tokenizer.piece(other)}
    alt = _("What each dimension adds to the logit of {token} minus that of {other}")
    left, right = st.columns([3, 2], gap="large")
    with left:
        layout.figure(
            term_bars(values, names, view.theme, **spelled),
            key="margin",
            alt=alt.format(token=view.name_of(logit.token), other=view.name_of(other)),
            table=lambda: (
                [_("dimension"), _("term")],
                [[name, f"{value:.6g}"] for name, value in zip(names, values.tolist(), strict=True)],
            ),
        )
    with right, st.container(key="margin-story"):
        st.latex(paint(output.MARGIN, view.theme))
        difference = output.margin(view.shown[LOGIT][logit.row], logit.token, other)
        layout.story(output.margin_story(x, one, two, difference), view.theme)
        st.caption(words["odds"])


def _choose_other(view: Translated, logit: Logit) -> int:
    """One of the most probable other tokens, or the one that the link names."""
    probs = output.probabilities(view.shown[LOG_PROB][logit.row])
    options = [int(token) for token in listed(probs, 6) if token != logit.token][:5]
    asked = link_number("other", options[0], 0, len(probs) - 1)
    if asked == logit.token:
        set_link(other=None)
    elif asked not in options:
        options.append(asked)
    names = {token: for_markdown(view.name_of(token)) for token in (logit.token, *options)}
    label = _("{token} against").format(token=names[logit.token])
    return choose("other", label, options, options[0], format_func=names.__getitem__)


def _show_bars(view: Translated, logit: Logit, count: int, temperature: float) -> None:
    after, before = (output.probabilities(trace[LOG_PROB][logit.row]) for trace in (view.trace, view.before))
    ids = listed(after, count, (logit.token, logit.chosen, *top(before[None], FIRST)[0].tolist()))
    groups = before_and_after(before if view.specs else None, after, ids, is_difference=view.is_difference)
    if temperature != 1 and not view.is_difference:
        heated = _tempered(view, logit, temperature)
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
    log_probs = view.shown[LOG_PROB][logit.row]
    probs, heated = output.probabilities(log_probs), _tempered(view, logit, temperature)
    both = probs[logit.token], heated[logit.token]
    logs = log_probs[logit.token], np.log(heated[logit.token])
    rows = [
        [f"p({for_markdown(view.name_of(logit.token))})", *(probability(float(one)) for one in both)],
        [_("log p, nats"), *(number(float(one)) for one in logs)],
        [_("entropy of the row, nats"), *(number(float(entropy(each[None])[0])) for each in (probs, heated))],
    ]
    st.markdown(layout.as_table(["", _("model"), _("tempered")], rows))
    n_vocab = len(probs)
    told = _(
        "Its rank among the {n} tokens: {rank}. An even spread would have an entropy of {entropy} nats."
    ).format(
        n=f"{n_vocab:,}".replace(",", "\u2009"), rank=rank(probs, logit.token),
        entropy=number(even_entropy(n_vocab)),
    )  # fmt: skip
    st.caption(f"{words['two probabilities']} {told}")


def _tempered(view: Translated, logit: Logit, temperature: float) -> np.ndarray:
    return output.tempered(view.shown[LOGIT][logit.row].astype(np.float64), temperature)


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
    size = model.checkpoint.model.config.vocab_size
    return [token_label(piece).strip() for piece in model.checkpoint.tokenizer.pieces(range(size))]


def _product_table(x: np.ndarray, vector: np.ndarray) -> layout.Table:
    rows = zip(x.tolist(), vector.tolist(), output.products(x, vector).tolist(), strict=True)
    body = [[dim, *(f"{value:.6g}" for value in values)] for dim, values in enumerate(rows, 1)]
    return [_("dimension"), "x", "w", "x·w"], body
