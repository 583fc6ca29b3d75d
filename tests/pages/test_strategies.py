"""The page about strategies without a browser: its numbers are those of searches made anew."""

import functools
import json
import math
import re
from pathlib import Path

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
from explainer.language import PSEUDO
from explainer.pages.frame.models import translator
from explainer.pages.strategies import searches, watch
from explainer.pages.strategies.searches import measured_widths
from explainer.text.tokenizer import END_ID
from explainer.whatif.changes import compiled, parse
from tests.pages.app import MONEY, array, figure, has_button, limit, opened_on, said, source, table_of

MISSED = "Ideas sleep."  # greedy search and narrow beams make an error, proved by few prefixes
EMPTY = "The parliament rejected the amendment by a narrow majority."


def page(sentence: str = MONEY, *, until: str = "all searches are done", **query: str) -> AppTest:
    """The page as soon as it says so, at the latest when nothing is left to stop; "" is the least work it does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch, "SLICE", 0.5 if until else 0.0)
        app = opened_on("strategies", sentence, **query)
        for _ in range(200):  # each run does a slice of the work, as the page's clock does
            assert not app.exception
            if until in said(app) or not has_button(app, "exact-stop"):
                return app
            app.run()
    raise AssertionError("the searches do not end")


@functools.cache
def shown(**query: str) -> AppTest:
    """A page that is only looked at, all searches done."""
    return page(**query)


def drawn(app: AppTest) -> dict[str, tuple[float, int]]:
    """Name of each strategy → the score and the prefixes in the figure."""
    scores, work = figure(app, "strategies")["data"]
    names = [name for _, name in scores["customdata"]]
    return dict(zip(names, zip(array(scores["x"]), array(work["x"]), strict=True), strict=True))


def beam(width: int, sentence: str = MONEY, penalty: LengthPenalty | None = None) -> Hypothesis:
    rules = BeamRules(beam_size=width, max_new_tokens=limit(sentence), penalty=penalty or LengthPenalty())
    return best_hypotheses(source(sentence), rules)[0]


def exact(known: Hypothesis, sentence: str = MONEY, penalty: LengthPenalty | None = None) -> Hypothesis:
    rules = ExactRules(max_new_tokens=limit(sentence), penalty=penalty or LengthPenalty())
    *_, last = exact_search(source(sentence), rules, known)
    assert last.outcome == "proved"
    assert last.best is not None
    return last.best


@pytest.mark.parametrize("penalty", [LengthPenalty(), LengthPenalty("gnmt", 0.6)], ids=lambda one: one.name)
def test_every_strategy_has_the_score_of_a_search_made_anew(penalty: LengthPenalty) -> None:
    found, first = drawn(shown(penalty=penalty.name)), greedy(source(), limit())
    assert found["greedy"][0] == pytest.approx(penalty.score(first.log_prob, len(first)), abs=1e-4)
    assert found["greedy"][1] == len(first)
    for width in (2, 8, 32):
        assert found[f"beam {width}"][0] == pytest.approx(beam(width, penalty=penalty).score, abs=1e-4)
    assert found["exact search"][0] == pytest.approx(exact(first, penalty=penalty).score, abs=1e-4)
    if penalty.name == "none":
        for seed in (1, 2, 3):
            *_, last = sample(source(), SamplingRules(top_p=0.9, seed=seed, max_new_tokens=limit()))
            if last.log_prob > first.log_prob - 1:  # otherwise it may stand at the end of the scale
                assert found[f"sample, seed {seed}"][0] == pytest.approx(last.log_prob, abs=1e-4)
            assert number(last.log_prob, 3) in said(shown(penalty="none"))
    log_p, *others = figure(shown(penalty=penalty.name), "widths")["data"]
    assert array(log_p["x"]).tolist() == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
    assert array(log_p["y"])[5] == pytest.approx(beam(8, penalty=penalty).log_prob, abs=1e-4)
    assert any(trace["name"] == "exact search" for trace in others)


@pytest.mark.parametrize(("sentence", "is_missed"), [(MONEY, False), (MISSED, True)])
def test_the_verdict_is_right(sentence: str, is_missed: bool) -> None:
    text = said(shown(sentence=sentence, penalty="none"))
    first = greedy(source(sentence), limit(sentence))
    best = exact(first, sentence)
    every = (first, *(beam(width, sentence) for width in (2, 4, 8, 16, 32)))
    missed = [one for one in every if one.log_prob < best.log_prob - 1e-4]
    assert bool(missed) == is_missed
    assert ("**Search error** by" in text) == is_missed
    assert ("**No search error:**" in text) == (not is_missed)
    empty = float(source(sentence).start().log_probs[0, 0, END_ID])
    assert f"log p = {number(empty, 3)}" in text
    if missed:
        behind = re.findall(r"(?:up to|by up to) ([\d.]+)", text)[0]
        assert float(behind) == pytest.approx(best.log_prob - min(one.log_prob for one in missed), abs=2e-3)


def test_a_ready_sentence_is_translated_best_by_saying_nothing() -> None:
    app = page(EMPTY, until="**Model error.** The best of all sentences is the **empty** one")
    assert for_markdown(EMPTY) in [button.label for button in app.button]
    found, text = drawn(app), said(app)
    log_p = float(source(EMPTY).start().log_probs[0, 0, END_ID])
    assert found["exact search"][0] == pytest.approx(log_p, abs=1e-4)
    assert max(found[f"beam {width}"][0] for width in (2, 4)) < log_p - 1  # a narrow beam does not see it
    assert "**Search error** by" in text
    assert "**Model error.** The best of all sentences is the **empty** one" in text


def test_a_budget_that_is_used_up_is_said() -> None:
    app = page(MISSED, penalty="gnmt", alpha="1.5", budget="1000")
    assert "**The budget of 1\u202f000 prefixes is used up.**" in said(app)
    assert "Proved" not in said(app)
    assert drawn(app)["exact search"][1] >= 1000
    assert len(figure(app, "strategies")["layout"]["shapes"]) == 2  # there is room for something better


def test_it_can_be_stopped_and_goes_on() -> None:
    app = page("Where have all the green flowers of my old uncle gone?", until="", penalty="gnmt")
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
    app = page(until="", T="1.5", k="20", p="0.8", seed="7", samples="1", token="2")
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
    app, first = page(until="", strategy="greedy"), greedy(source(), limit())
    latex = "\n".join(one.value for one in app.latex)
    assert f"{first.log_prob:.3f}" in latex
    assert r"\prod = " + f"{math.exp(first.log_prob):.3f}" in latex
    (checked,) = (
        one.value for one in app.caption if "|Δ| = " in one.value and "without a cache" in one.value
    )
    assert float(checked.split("|Δ| = ")[1].split()[0].strip(".").replace("−", "-")) < 1e-4


def test_changes_act_on_all_strategies() -> None:
    spec, model = "uniform:cross", translator().checkpoint.model
    with changed(model, compiled((parse(spec),), model)):
        expected = greedy(source(), limit())
    plain = drawn(shown(penalty="none"))["greedy"]
    after, before = (drawn(page(until="", what=spec, show=show))["greedy"] for show in ("after", "before"))
    assert after[0] == pytest.approx(expected.log_prob, abs=1e-4)
    assert after[0] != pytest.approx(plain[0], abs=0.01)
    assert before == plain


def test_what_is_cut_is_said_to_be_cut_and_a_number_out_of_bounds_is_refused_at_its_field() -> None:
    app = page(until="", limit="2", strategy="greedy")
    assert "… (cut)" in said(app)
    assert "it is **cut**, not finished" in said(app)
    app.number_input(key="field-k").set_value(-3).run()
    assert any("top-k (0: all) = −3: must be from 0 to 1000" in error.value for error in app.error)
    assert "k" not in app.query_params


def test_numbers_of_another_model_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured_widths(translator())
    assert found is not None
    assert ("**another model**" in said(page(until=""))) == found["is_other"]
    by = {"bleu": 1.0, "log_prob": -1.0, "tokens": 2.0, "empty": 0}
    both = {"1": {**by, "search_errors": 3}, "32": {**by, "search_errors": 1}}
    about = {"model": "another", "sentences": 50, "least_tokens": 8, "none": both, "gnmt": both}
    about["exact"] = {**by, "proved": 49, "nodes": 12.3, "budget": 100}
    (tmp_path / "translator").mkdir()
    (tmp_path / "translator" / searches.WIDTHS_FILE).write_text(json.dumps(about), encoding="utf-8")
    monkeypatch.setattr(searches, "PRETRAINED", tmp_path)
    measured_widths.cache_clear()
    try:
        found = measured_widths(translator())
        assert found is not None
        assert found["is_other"]
        assert "**another model**" in said(page(until=""))
        assert figure(page(until="", language=PSEUDO), "measured")["data"]  # found in every language
    finally:
        measured_widths.cache_clear()
