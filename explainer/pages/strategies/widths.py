"""The beam-width curse: what a wider beam brings, on this sentence and on sentences of the test split."""

from typing import Any

import streamlit as st

from explainer.figures.amounts import count
from explainer.figures.bars.widths import Small, WidthCurve, by_width
from explainer.figures.escape import for_markdown
from explainer.figures.style import number
from explainer.language import _, mark
from explainer.pages.frame import layout
from explainer.pages.frame.page import Words
from explainer.pages.strategies.searches import measured_widths
from explainer.pages.strategies.watch import Contest


def show_widths(contest: Contest, words: Words) -> None:
    """Left this sentence, right the test sentences."""
    st.markdown(words["widths"])
    left, right = st.columns([2, 3], gap="large")
    with left:
        _show_this(contest, words)
    with right:
        _show_measured(contest, words)


def _show_this(contest: Contest, words: Words) -> None:
    found, view = contest.compared.beams, contest.view
    widths = sorted(found)
    if len(widths) < len(contest.compared.widths):
        st.info(words["beams to come"], icon=":material/hourglass_top:")
        return
    best = [found[width].hypothesis for width in widths]
    log_prob, length = None, None
    proof = contest.compared.proof
    if proof is not None and contest.compared.state(contest.budget) == "proved":
        log_prob, length = proof.hypothesis.log_prob, float(len(proof.hypothesis))
    st.markdown(words["widths here"])
    graphs = [
        Small(_("log p, nats"), [WidthCurve("", [one.log_prob for one in best])], log_prob, 2),
        Small(_("tokens"), [WidthCurve("", [float(len(one)) for one in best])], length, 1),
    ]
    texts = [view.spelled(one.words) for one in best]
    rows = [
        [width, f"{one.log_prob:.6g}", len(one), text]
        for width, one, text in zip(widths, best, texts, strict=True)
    ]
    layout.figure(
        by_width(widths, graphs, view.theme),
        key="widths",
        alt=_("Log p and length by beam width from {first} to {last}").format(
            first=widths[0], last=widths[-1]
        ),
        table=lambda: ([_("width"), "log p", _("tokens"), _("translation")], rows),
    )
    said_by: dict[str, list[str]] = {}
    for width, text in zip(widths, texts, strict=True):
        said_by.setdefault(text, []).append(str(width))
    st.markdown("\n".join(f"- {', '.join(ws)}: {for_markdown(text)}" for text, ws in said_by.items()))


def _show_measured(contest: Contest, words: Words) -> None:
    found = measured_widths(contest.view.model)
    if found is None:
        st.info(words["not measured"], icon=":material/straighten:")
        return
    st.markdown(layout.filled(words["widths measured"], n=found["sentences"], least=found["least_tokens"]))
    if found["is_other"]:
        st.warning(words["other model"], icon=":material/history:")
    widths = [int(width) for width in found["none"]]
    layout.figure(
        by_width(widths, _measured_graphs(found), contest.view.theme),
        key="measured",
        alt=_("BLEU, mean log p and mean length of test sentences by beam width, and of exact search"),
        table=lambda: _measured_table(found),
    )
    exact = found["exact"]
    greedy = _("greedy")
    missed = ", ".join(
        f"{greedy if width == '1' else width}: {by['search_errors']}" for width, by in found["none"].items()
    )
    st.markdown(
        layout.filled(
            words["errors measured"],
            missed=missed,
            n=found["sentences"],
            proved=exact["proved"],
            empty=exact["empty"],
            bleu=number(exact["bleu"], 1),
            nodes=count(exact["nodes"]),
        )
    )


def _measured_graphs(found: dict[str, Any]) -> list[Small]:
    def curves(name: str) -> list[WidthCurve]:
        return [
            WidthCurve(_("by log p"), [by[name] for by in found["none"].values()]),
            WidthCurve(
                _("by GNMT's score, α = 0.6"), [by[name] for by in found["gnmt"].values()], "residual", "dot"
            ),
        ]

    exact = found["exact"]
    return [
        Small("BLEU", curves("bleu"), exact["bleu"], 1),
        Small(_("mean log p"), curves("log_prob"), exact["log_prob"], 2),
        Small(_("mean tokens"), curves("tokens"), exact["tokens"], 1),
    ]


def _measured_table(found: dict[str, Any]) -> layout.Table:
    measured = [
        (f"{_(score)}, {width}", by) for score in (mark("none"), "gnmt") for width, by in found[score].items()
    ]
    heading = [_("score, width"), "BLEU", _("mean log p"), _("mean tokens"), _("empty")]
    return heading, [
        [title, *(f"{by[name]:.4g}" for name in ("bleu", "log_prob", "tokens", "empty"))]
        for title, by in (*measured, (_("exact"), found["exact"]))
    ]
