"""A part of the page about the output head: two tokens against each other."""

import streamlit as st

from explainer.equations.output import (
    FINAL,
    LOG_PROB,
    LOGIT,
    MARGIN,
    TABLE,
    deciding,
    margin,
    margin_story,
    margin_terms,
    probabilities,
)
from explainer.figures.bars.tokens import term_bars
from explainer.figures.escape import for_markdown
from explainer.figures.latex import paint
from explainer.language import _, ngettext
from explainer.measures.vocabulary import listed, shares
from explainer.pages.frame import layout
from explainer.pages.frame.link import choose, link_number, set_link
from explainer.pages.frame.page import Words
from explainer.pages.frame.view import Translated
from explainer.pages.output_head.logit import Logit

TERMS = 10  # dimensions that a comparison names


def show_margin(view: Translated, logit: Logit, words: Words) -> None:
    """Which dimensions decide between the token and another one."""
    st.markdown(words["margin"])
    probs = probabilities(view.shown[LOG_PROB][logit.row])
    options = [int(token) for token in listed(probs, 6) if token != logit.token][:5]
    asked = link_number("other", options[0], 0, len(probs) - 1)
    if asked == logit.token:
        set_link(other=None)
    elif asked not in options:
        options.append(asked)
    label = _("{token} against").format(token=for_markdown(view.name_of(logit.token)))
    other = choose(
        "other",
        label,
        options,
        options[0],
        format_func=lambda token: for_markdown(view.name_of(token)),
    )
    x, table = view.shown[FINAL][logit.row], view.model.parameters[TABLE]
    one, two = table[logit.token], table[other]
    terms = margin_terms(x, one, two)
    dims = deciding(terms, TERMS)
    values = shares(terms, dims)
    n_others = len(terms) - len(dims)
    names = [_("dimension {n}").format(n=dim + 1) for dim in dims]
    names.append(ngettext("the other {n}", "the other {n}", n_others).format(n=n_others))
    alt = _("What each dimension adds to the logit of {token} minus that of {other}")
    left, right = st.columns([3, 2], gap="large")
    with left:
        layout.figure(
            term_bars(
                values,
                names,
                view.theme,
                one=view.tokenizer.piece(logit.token),
                other=view.tokenizer.piece(other),
            ),
            key="margin",
            alt=alt.format(token=view.name_of(logit.token), other=view.name_of(other)),
            table=lambda: (
                [_("dimension"), _("term")],
                [[name, f"{value:.6g}"] for name, value in zip(names, values.tolist(), strict=True)],
            ),
        )
    with right, st.container(key="margin-story"):
        st.latex(paint(MARGIN, view.theme))
        logits = view.shown[LOGIT][logit.row]
        layout.story(margin_story(x, one, two, margin(logits, logit.token, other)), view.theme)
        st.caption(words["odds"])
