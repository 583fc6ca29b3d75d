"""The page about strategies without a browser: its numbers are those of searches made anew."""

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.capture.record import changed
from explainer.decode.search.beam import best_hypotheses, greedy
from explainer.decode.search.exact import ExactRules, exact_search
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.search.sampling import SamplingRules, sample
from explainer.figures.escape import for_markdown
from explainer.figures.style import number
from explainer.pages.frame.models import translator
from explainer.pages.strategies import searches as strategies_state
from explainer.pages.strategies.searches import measured_widths
from explainer.text.tokenizer import END_ID
from explainer.whatif.changes import compiled, parse
from tests.pages.app import MONEY, array, figure, limit, opened_on, said, source, table_of

HARD = "It is no use crying over spilt milk."
EMPTY = "The parliament rejected the amendment by a narrow majority."


def page(sentence: str = MONEY, *, finish: bool = True, **query: str) -> AppTest:
    app = opened_on("strategies", sentence, **query)
    for _ in range(200):  # each run does a slice of the work, as the page's clock does
        assert not app.exception
        if not finish or not [one for one in app.button if one.key == "exact-stop"]:
            return app
        app.run()
    raise AssertionError("the searches do not end")


def drawn(app: AppTest) -> dict[str, tuple[float, int]]:
    """Name of each strategy → the score and the prefixes in the figure."""
    scores, work = figure(app, "strategies")["data"]
    names = [name for _, name in scores["customdata"]]
    return dict(zip(names, zip(array(scores["x"]), array(work["x"]), strict=True), strict=True))


def exact(sentence: str, known: Hypothesis, **fields: Any) -> Hypothesis:
    *_, last = exact_search(source(sentence), ExactRules(max_new_tokens=limit(sentence), **fields), known)
    assert last.outcome == "proved"
    assert last.best is not None
    return last.best


def test_every_strategy_has_the_score_of_a_search_made_anew() -> None:
    found = drawn(page())
    first = greedy(source(), limit())
    assert found["greedy"][0] == pytest.approx(first.log_prob, abs=1e-4)
    assert found["greedy"][1] == len(first)
    for width in (2, 4, 8, 16, 32):
        best = best_hypotheses(source(), BeamRules(beam_size=width, max_new_tokens=limit()))[0]
        assert found[f"beam {width}"][0] == pytest.approx(best.log_prob, abs=1e-4)
    assert found["exact search"][0] == pytest.approx(exact(MONEY, first).log_prob, abs=1e-4)
    for seed in (1, 2, 3):
        *_, last = sample(source(), SamplingRules(top_p=0.9, seed=seed, max_new_tokens=limit()))
        if last.log_prob > first.log_prob - 1:  # otherwise it may stand at the end of the scale
            assert found[f"sample, seed {seed}"][0] == pytest.approx(last.log_prob, abs=1e-4)
        assert number(last.log_prob, 3) in said(page())


def test_the_verdict_is_right_for_several_sentences() -> None:
    verdicts = set()
    for sentence in (MONEY, HARD):
        app = page(sentence)
        beams = {
            width: best_hypotheses(
                source(sentence), BeamRules(beam_size=width, max_new_tokens=limit(sentence))
            )[0]
            for width in (2, 4, 8, 16, 32)
        }
        first = greedy(source(sentence), limit(sentence))
        best = exact(sentence, first)
        missed = [one for one in (first, *beams.values()) if one.log_prob < best.log_prob - 1e-4]
        text = said(app)
        assert ("**Search error** by" in text) == bool(missed)
        assert ("**No search error:**" in text) == (not missed)
        assert (
            f"log p = {number(float(source(sentence).start().log_probs[0, 0, END_ID]), 3)}" in text
        )  # the empty one
        verdicts.add(bool(missed))
        if missed:
            behind = best.log_prob - min(one.log_prob for one in missed)
            shown = re.search(r"(?:up to|by up to) ([\d.]+)", text)
            assert shown
            assert float(shown[1]) == pytest.approx(behind, abs=2e-3)
    assert False in verdicts


def test_a_ready_sentence_is_translated_best_by_saying_nothing() -> None:
    app = page(EMPTY)
    assert for_markdown(EMPTY) in [button.label for button in app.button]
    text, found = said(app), drawn(app)
    log_p = float(source(EMPTY).start().log_probs[0, 0, END_ID])
    assert found["exact search"][0] == pytest.approx(log_p, abs=1e-4)
    assert max(found[f"beam {width}"][0] for width in (2, 4)) < log_p - 1  # a narrow beam does not see it
    assert "**Search error** by" in text
    assert "**Model error.** The best of all sentences is the **empty** one" in text


def test_scored_by_gnmt() -> None:
    penalty = LengthPenalty("gnmt", 0.6)
    found = drawn(page(penalty="gnmt"))
    first = greedy(source(), limit())
    assert found["greedy"][0] == pytest.approx(penalty.score(first.log_prob, len(first)), abs=1e-4)
    assert found["exact search"][0] == pytest.approx(exact(MONEY, first, penalty=penalty).score, abs=1e-4)


def test_a_budget_that_is_used_up_is_said() -> None:
    app = page("Colorless green ideas sleep furiously.", penalty="gnmt", budget="1000")
    text = said(app)
    assert "**The budget of 1\u202f000 prefixes is used up.**" in text
    assert "Proved" not in text
    assert drawn(app)["exact search"][1] >= 1000
    assert len(figure(app, "strategies")["layout"]["shapes"]) == 2  # there is room for something better


def test_it_can_be_stopped_and_goes_on() -> None:
    sentence = "Where have all the green flowers of my old uncle gone?"
    app = page(sentence, finish=False, penalty="gnmt")
    app.button(key="exact-stop").click().run()
    assert app.button(key="exact-go-on").label == "Go on"
    before = drawn(app)
    app.run()
    assert drawn(app) == before  # nothing is computed
    app.button(key="exact-go-on").click().run()
    assert app.button(key="exact-stop").label == "Stop"
    app.run()
    assert drawn(app) != before


def test_samples_have_two_probabilities_and_one_token_its_distribution() -> None:
    app = page(T="1.5", k="20", p="0.8", seed="7", samples="1", token="2")
    rules = SamplingRules(temperature=1.5, top_k=20, top_p=0.8, seed=7, max_new_tokens=limit())
    steps = list(sample(source(), rules))
    line = table_of(app, "log q as drawn").splitlines()[-1]
    assert number(steps[-1].log_prob, 3) in line
    assert number(steps[-1].drawn_log_prob, 3) in line
    assert abs(steps[-1].log_prob - steps[-1].drawn_log_prob) > 0.01
    model, q = figure(app, "drawn")["data"]
    tokens = [token for _, token in model["customdata"][:-1]]
    step = steps[1]
    assert step.token in tokens
    row = np.exp(step.frontier.log_probs[0, 0].numpy())
    np.testing.assert_allclose(array(model["x"])[:-1], row[tokens], atol=1e-5)
    np.testing.assert_allclose(array(q["x"])[:-1], np.exp(step.drawn_from[tokens]), atol=1e-5)
    np.testing.assert_allclose([array(one["x"]).sum() for one in (model, q)], 1.0, atol=1e-5)


def test_the_selected_strategy_is_multiplied_out_and_checked() -> None:
    app = page(strategy="greedy")
    first = greedy(source(), limit())
    latex = "\n".join(one.value for one in app.latex)
    assert f"{first.log_prob:.3f}" in latex
    assert r"\prod = " + f"{math.exp(first.log_prob):.3f}" in latex
    checked = next(
        one.value for one in app.caption if "|Δ| = " in one.value and "without a cache" in one.value
    )
    assert float(checked.split("|Δ| = ")[1].split()[0].strip(".").replace("−", "-")) < 1e-4


def test_the_curve_on_this_sentence() -> None:
    log_p, *others = figure(page(), "widths")["data"]
    assert array(log_p["x"]).tolist() == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
    best = best_hypotheses(source(), BeamRules(beam_size=6, max_new_tokens=limit()))[0]
    assert array(log_p["y"])[4] == pytest.approx(best.log_prob, abs=1e-4)
    assert any(trace["name"] == "exact search" for trace in others)


def test_changes_act_on_all_strategies() -> None:
    spec = "uniform:cross"
    changed_page, plain = drawn(page(what=spec)), drawn(page())
    model = translator().checkpoint.model
    with changed(model, compiled((parse(spec),), model)):
        expected = greedy(source(), limit())
    assert changed_page["greedy"][0] == pytest.approx(expected.log_prob, abs=1e-4)
    assert changed_page["greedy"][0] != pytest.approx(plain["greedy"][0], abs=0.01)
    assert drawn(page(what=spec, show="before"))["greedy"] == plain["greedy"]


def test_a_number_out_of_bounds_is_refused_at_its_field() -> None:
    app = page(finish=False)
    app.number_input(key="field-k").set_value(-3).run()
    assert any("top-k (0: all) = −3: must be from 0 to 1000" in error.value for error in app.error)
    assert "k" not in app.query_params


def test_a_sentence_that_is_cut_is_said_to_be_cut() -> None:
    app = page(limit="2", strategy="greedy")
    assert "… (cut)" in said(app)
    assert "it is **cut**, not finished" in said(app)


def test_the_measured_numbers_belong_to_the_model_or_the_page_says_so() -> None:
    found = measured_widths(translator())
    assert found is not None
    assert ("**another model**" in said(page(finish=False))) == found["is_other"]


def test_numbers_of_another_model_are_told(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    by = {"bleu": 1.0, "log_prob": -1.0, "tokens": 2.0, "empty": 0}
    both = {"1": {**by, "search_errors": 3}, "32": {**by, "search_errors": 1}}
    about = {"model": "another", "sentences": 50, "least_tokens": 8, "none": both, "gnmt": both}
    about["exact"] = {**by, "proved": 49, "nodes": 12.3, "budget": 100}
    (tmp_path / "translator").mkdir()
    (tmp_path / "translator" / strategies_state.WIDTHS_FILE).write_text(json.dumps(about), encoding="utf-8")
    monkeypatch.setattr(strategies_state, "PRETRAINED", tmp_path)
    measured_widths.cache_clear()
    try:
        found = measured_widths(translator())
        assert found is not None
        assert found["is_other"]
        assert "**another model**" in said(page(finish=False))
    finally:
        measured_widths.cache_clear()
