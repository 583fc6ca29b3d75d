"""A sentence whose search was cut, on all pages that show its translation: no number counts an end nobody chose."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.decode.search import rules
from explainer.equations.loss import losses
from explainer.equations.output import LOG_PROB
from explainer.figures.escape import for_plotly
from explainer.figures.style import number
from explainer.pages.frame.models import translator
from explainer.translator import Translation
from tests.pages.app import array, figure, german, opened, opened_on, said

LIMIT, END = 4, f"→ {for_plotly('</s>')}"
CUT = "The old dog sleeps here now."  # no other test translates it: what is cut here is kept for all visitors
INSIDE = ("tokens", "positions", "self_attention", "multi_head", "masks", "blocks", "cross_attention",
          "output_head", "loss")  # fmt: skip


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every translation is cut after four tokens, whatever the model would say."""
    monkeypatch.setattr(rules, "LONGER", 0)
    monkeypatch.setattr(rules, "MORE", LIMIT)


def found() -> Translation:
    return translator().translate(CUT)


def ends(app: AppTest) -> list[str]:
    """Figures with a row that predicts `</s>`."""
    drawn = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    return [one["name"] for one in drawn if END in json.dumps(one.get("figure"), ensure_ascii=False)]


@pytest.mark.parametrize("name", INSIDE)
def test_every_page_says_once_that_it_was_cut_and_no_row_predicts_an_end(name: str) -> None:
    app = opened_on(name, CUT)
    assert sum("**Cut at the limit**" in info.value for info in app.info) == 1
    assert any(f"of {LIMIT} tokens" in info.value for info in app.info)
    assert ends(app) == []


def test_a_sentence_that_ends_says_nothing_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "LONGER", 1.5)
    app = opened_on("output_head", "The old dog sleeps here tonight.")
    assert not app.info
    assert "glassbox-rows" in ends(app)


def test_translate_shows_a_beginning_and_its_log_prob() -> None:
    assert not found().ended
    app = opened(sentence=CUT)
    assert german(app).endswith(" … (cut)")
    assert any("**Cut at the limit**" in info.value for info in app.info)
    assert f"log p = {number(found().best.log_prob)} nats over {LIMIT} tokens" in said(app)
    assert set(ends(app)) <= {"glassbox-map"}  # there `</s>` may be a candidate


def test_the_loss_is_that_of_the_tokens_that_were_chosen_and_a_typed_target_has_its_end() -> None:
    best = found().best
    app = opened_on("loss", CUT)
    assert f"Σ −log p over {LIMIT} tokens, nats | {number(-best.log_prob)} |" in said(app)
    rows = translator().trace(CUT, best.tokens)[LOG_PROB]
    drawn = figure(app, "forced")["data"]
    heights = next(array(one["x"]) for one in drawn if one["type"] == "bar" and len(array(one["x"])) == LIMIT)
    np.testing.assert_allclose(np.sort(heights), np.sort(losses(rows, best.tokens)), atol=1e-4)
    end = for_plotly("</s>")
    assert end not in json.dumps(drawn, ensure_ascii=False)
    typed = opened_on("loss", CUT, target="Der Hund.")  # a whole sentence: nobody cut it
    assert not any("Cut at the limit" in info.value for info in typed.info)
    assert end in json.dumps(figure(typed, "forced"), ensure_ascii=False)


def test_before_the_changes_is_the_log_prob_of_what_was_chosen() -> None:
    app = opened_on("cross_attention", CUT, what="uniform:cross")
    table = next(text.value for text in app.markdown if text.value.startswith("| | translation"))
    before = table.splitlines()[2].split("|")
    assert before[2].strip().endswith("… (cut)")
    shown = before[3].strip()
    decimals = len(shown.partition(".")[2])
    assert shown == number(found().best.log_prob, decimals)


def test_greedy_compares_no_cut_text_with_a_sentence() -> None:
    row = opened_on("greedy", CUT, row="1", next="1.5")
    text = said(row)
    assert "Cut, not finished" in row.warning[0].value
    assert "… (cut)" in text
    assert "What was **cut** is no sentence" in text
    assert "more probable**" not in text.partition("Careful")[0]
    assert "is less probable" not in text


def test_the_fields_begin_with_the_limit_of_the_sentence() -> None:
    for name in ("beam_search", "strategies"):
        app = opened_on(name, CUT)
        assert app.number_input(key="field-limit").value == LIMIT
        assert f"{LIMIT} tokens" in app.number_input(key="field-limit").help
        app = opened_on(name, CUT, limit="7")  # a link that names one keeps it
        assert app.number_input(key="field-limit").value == 7


def test_no_strategy_errs_because_a_beginning_is_more_probable() -> None:
    app = opened_on("strategies", CUT)
    for _ in range(40):
        app.run()
    assert any("**No verdict.**" in info.value for info in app.info)
    assert "Search error" not in "".join(box.value for box in [*app.warning, *app.success])
