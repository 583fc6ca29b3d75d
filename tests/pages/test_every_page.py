"""What holds on every page: text is shown as text, forty tokens fit, and what a link cannot mean is told."""

import json
import re

import pytest

from explainer.figures.escape import for_markdown
from explainer.pages.frame.page import tasks
from explainer.pages.frame.session import prose
from tests.pages.app import LONG, PAGES, fell_back, opened_on, said

MARKUP = r'<b>bold</b> & "quotes" <script> <s> $\href{x}{y}$ **a** `b` 😀 कु'
WRONG: list[tuple[str, dict[str, str]]] = [
    ("translate", {"layer": "99", "head": "x", "kind": "sideways", "cell": "9999.1", "row": "-1"}),
    ("tokens", {"row": "99", "token": "8192", "side": "up", "merge": "77", "dims": "0", "plane": "x"}),
    ("positions", {"pairs": "0.999", "pos": "300", "at": "-1", "shuffle": "0", "swap-one": "50", "cell": "1.999"}),
    ("blocks", {"side": "encoder", "sublayer": "feed_forward", "unit": "5000", "cell": "99.1", "row": "x"}),
    ("output_head", {"next": "999999"}),
    *(("greedy", {"next": value}) for value in ("x", "99.5", "1.99999999", "1")),
    ("beam_search", {"beam": "100", "limit": "-1", "penalty": "best", "alpha": "nan", "stop": "soon", "at": "0",
                     "node": "1.x", "force": "4", "end": "x", "view": "5"}),
    ("beam_search", {"search": "bert", "node": "99999999", "force": "4:"}),
    ("beam_search", {"force": "4:9999999"}),
    ("strategies", {"k": "-1", "limit": "0", "seed": "x", "T": "nan", "p": "7", "budget": "5"}),
]  # fmt: skip
UNDERSTOOD = {"side": "encoder", "sublayer": "feed_forward"}


@pytest.mark.parametrize("name", PAGES)
def test_text_is_shown_as_text_no_gap_is_left_and_the_sentences_of_the_tasks_are_one_click_away(
    name: str,
) -> None:
    app = opened_on(name, MARKUP)
    drawn = json.dumps([element.proto.json for element in app.get("bidi_component")])
    assert not re.search(r"<script|<b>bold", drawn)
    assert not re.search(r"(?<!\\)<(?:script|b>bold)", said(app))
    assert "‹" not in said(app)
    found = tasks(prose(name)["find out"])
    shown = [text.value for text in app.markdown]
    assert all(f"{number}. {task.text}" in shown for number, task in enumerate(found, 1))
    sentences = {
        f"task-{n}-{i}": one for n, task in enumerate(found, 1) for i, one in enumerate(task.sentences)
    }
    assert {key: app.button(key=key).label for key in sentences} == {
        key: for_markdown(sentence) for key, sentence in sentences.items()
    }
    for key in list(sentences)[:1]:
        app.button(key=key).click()
        assert app.run().session_state["sentence"] == sentences[key]
        assert not app.exception


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("blocks", {"side": "decoder", "what": "unadded:decoder.2.cross_attention"}),
        ("output_head", {"what": "uniform:cross", "T": "0.5"}),
    ],
)
def test_forty_tokens_fit(name: str, query: dict[str, str]) -> None:
    assert "limit is" not in said(opened_on(name, LONG, **query))


@pytest.mark.parametrize(("name", "query"), WRONG, ids=lambda one: one if isinstance(one, str) else "")
def test_what_a_link_cannot_mean_falls_back_and_is_told(name: str, query: dict[str, str]) -> None:
    app = opened_on(name, **query)
    wrong = set(query.items()) - set(UNDERSTOOD.items())
    assert fell_back(app) == wrong
    assert not {key for key, _ in wrong} & set(app.query_params)
