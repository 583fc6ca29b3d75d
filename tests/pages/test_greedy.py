"""The page about greedy decoding without a browser: its numbers are those of a fresh decode."""

import json
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor

from explainer.decode.search import rules
from explainer.decode.sources.batch import source_batch
from explainer.decode.watched.walk import Walk, measured, walk
from explainer.figures.style import number, small
from explainer.model.transformer import Transformer
from explainer.pages.frame.models import translator
from explainer.pages.greedy import decoded as greedy_decoded
from explainer.pages.greedy.decoded import decoded
from explainer.text.tokenizer import END_ID, START_ID
from explainer.whatif.changes import compiled, edited, parse
from tests.pages.app import MONEY, array, figure, matrix, opened_on, said, table_of


def page(sentence: str = MONEY, **query: str) -> AppTest:
    return opened_on("greedy", sentence, **query)


@cache
def shown(row: int, decoder: str = "cache") -> AppTest:
    """A step that is only looked at."""
    return page(row=str(row), decoder=decoder, layer="3", head="2")


@cache
def fresh(sentence: str = MONEY, *specs: str) -> Walk:
    """Decoded anew, everything fed again."""
    changes, model = tuple(map(parse, specs)), translator().checkpoint.model
    sources = source_batch([edited(changes, translator().source_ids(sentence))])
    return walk(model, sources, "re-feed", interventions=compiled(changes, model))


def reading() -> tuple[Transformer, Tensor]:
    """The model and what it reads."""
    return translator().checkpoint.model, source_batch([translator().source_ids(MONEY)])


def says(*tokens: int) -> np.ndarray:
    """Log p of all that may follow these tokens, by a pass of its own."""
    model, sources = reading()
    return model(sources, torch.tensor([[START_ID, *tokens]]))[0, -1].numpy(force=True)


def bars(app: AppTest) -> dict[str, tuple[list[int], np.ndarray]]:
    """Name of each distribution → its tokens, and its bars, the others last."""
    return {
        trace["name"]: ([token for _, token in trace["customdata"][:-1]], array(trace["x"]))
        for trace in figure(app, "candidates")["data"]
    }


def titles(app: AppTest) -> list[str]:
    """The steps of the stepper."""
    for element in app.get("bidi_component"):
        data = json.loads(element.proto.json)
        if "milliseconds" in data:
            return data["titles"]
    raise AssertionError("no stepper")


@pytest.mark.parametrize("mode", ["cache", "re-feed"])
def test_a_step_shows_what_a_fresh_decode_says(mode: str) -> None:
    expected = fresh()
    assert len(expected.tokens) > 3
    for step in (0, 3, len(expected.tokens) - 1):
        app = shown(step + 1, mode)
        ((tokens, heights),) = bars(app).values()
        np.testing.assert_allclose(heights[:-1], np.exp(expected.log_probs[step, tokens]), atol=1e-5)
        assert heights.sum() == pytest.approx(1, abs=1e-5)
        assert tokens[0] == expected.tokens[step]
        assert f"The model has {number(float(expected.sums[step]), 4)} there" in said(app)
        assert not app.error  # a formula that differs from the search
        texts = figure(app, "lines")["data"][-2]["text"]
        for text, weight in zip(texts, expected.across[step, 2, 1], strict=True):
            assert weight < 0.02 or text.split("</b>")[-1].strip() == f"{weight:.3f}"


def test_it_opens_at_the_closest_choice_and_says_so() -> None:
    rows = np.sort(fresh().log_probs, axis=1)
    first = int((rows[:, -1] - rows[:, -2]).argmin())
    text = said(page())
    assert "Shown first because no choice was closer" in text
    one, two = np.exp(rows[first, [-1, -2]])
    assert f"{one:.3f} against" in text
    assert f"{two:.3f}." in text
    assert f"Decoder input: {first + 1} token" in text


def test_steps_are_labelled_and_both_modes_say_the_same() -> None:
    plain, app = fresh(), shown(1)
    pieces = translator().checkpoint.tokenizer.pieces([START_ID, *plain.tokens])
    found = [title.replace("\u2009", "") for title in titles(app)]
    assert found == [f"{one.strip()} → {two.strip()}" for one, two in pairwise(pieces)]
    assert (found[0][:6], found[-1][-6:]) == ("<s> → ", "→ </s>")
    cached = walk(*reading(), "cache", tokens=plain.tokens)
    deviation = np.abs(plain.log_probs - cached.log_probs.astype(float)).max()
    assert f"max |Δ| = {small(deviation)}" in said(app)
    assert deviation < 1e-4


def test_the_picture_shows_what_was_computed() -> None:
    step, n_source, n_steps = 3, len(translator().source_ids(MONEY)) + 1, len(fresh().tokens)
    for mode, past, english in (("cache", [0, 0, 0], [0, 1, 1]), ("re-feed", [2, 2, 2], [1, 2, 2])):
        one, two = (array(trace["z"]) for trace in figure(shown(step + 1, mode), "computed")["data"])
        assert one.shape == (3, n_source)
        assert [set(row) for row in one.tolist()] == [{value} for value in english]
        assert two.shape == (4, n_steps)
        assert (two[:, step] == 2).all()
        assert two[0, :step].tolist() == past  # Q of the past: not needed, or computed again
        assert (two[1:3, :step] == (1 if mode == "cache" else 2)).all()
        assert (two[:, step + 1 :] == 0).all()
    assert (matrix(shown(1), "computed") == 2).all()  # the encoder runs at the first step only


def test_rows_and_growth_are_those_that_were_counted() -> None:
    app, n_layers = page(row="2"), translator().checkpoint.model.config.n_decoder_layers
    traces = (trace for trace in figure(app, "growth")["data"] if trace["xaxis"] == "x")
    drawn = {trace["name"]: array(trace["y"]) for trace in traces}
    steps = np.arange(1, len(fresh().tokens) + 1)
    np.testing.assert_array_equal(drawn["re-feed"], 3 * n_layers * steps * (steps + 1) / 2)
    np.testing.assert_array_equal(drawn["cache"], 3 * n_layers * steps)
    numbers = " | ".join(str(k * n_layers) for k in (4, 6, 2, 4))
    assert f"| self K, V | {numbers} |" in table_of(app, "| self K, V |")


def test_time_is_measured_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greedy_decoded, "measured", partial(measured, rounds=1))
    app = page()
    assert "One run of each" in said(app)
    app.button(key="greedy-measure").click().run()
    assert not app.exception
    assert "Median of 5 runs" in said(app)
    app.text_input(key="sentence").set_value("It rains.").run()
    assert "One run of each" in said(app)  # what was measured belonged to the other sentence


def test_another_token_is_followed_greedily() -> None:
    plain = fresh()
    tokens = [plain.tokens[0], int(np.argsort(plain.log_probs[1])[-2])]
    log_prob = float(plain.log_probs[0, tokens[0]] + plain.log_probs[1, tokens[1]])
    link = f"2.{tokens[1]}"
    while tokens[-1] != END_ID:
        row = says(*tokens)
        tokens.append(int(row.argmax()))
        log_prob += float(row[tokens[-1]])
    app = page(row="2", next=link)
    lines = table_of(app, "instead, then greedy").splitlines()
    assert f"| {number(log_prob, 3)} |" in lines[3]
    assert f"| {number(float(plain.sums[-1]), 3)} |" in lines[2]
    assert ("is **more probable**" in said(app)) == (log_prob > plain.sums[-1])
    assert "instead, then greedy" not in said(page(row="1", next=link))  # it belongs to its step


@pytest.mark.parametrize("spec", ["uniform:cross", "swap:1.2"])
def test_a_change_is_followed_and_compared_after_the_same_tokens(spec: str) -> None:
    expected = fresh(MONEY, spec)
    both = bars(page(what=spec, row="2"))
    assert list(both) == ["before", "after"]
    for name, log_probs in (("before", says(expected.tokens[0])), ("after", expected.log_probs[1])):
        tokens, heights = both[name]
        np.testing.assert_allclose(heights[:-1], np.exp(log_probs[tokens]), atol=1e-5)


def test_before_is_the_page_without_the_change() -> None:
    plain, before = (page(row="2", **more) for more in ({}, {"what": "uniform:cross", "show": "before"}))
    for key in ("candidates", "lines"):
        assert figure(plain, key)["data"] == figure(before, key)["data"]


def test_without_the_mask_the_cache_is_refused_and_the_damage_is_told() -> None:
    app = page(what="ahead", decoder="cache", row="2")
    expected = fresh(MONEY, "ahead")
    acts = compiled((parse("ahead"),), reading()[0])
    wrong = walk(*reading(), "cache", tokens=expected.tokens, interventions=acts)
    damage = np.abs(expected.log_probs - wrong.log_probs.astype(float)).max()
    assert damage > 0.1
    assert f"max |Δ| = {number(damage)} nats" in app.warning[0].value
    assert "no look\\-ahead mask" in app.warning[0].value
    assert "decoder" not in app.query_params
    tokens, heights = bars(app)["after"]
    np.testing.assert_allclose(heights[:-1], np.exp(expected.log_probs[1, tokens]), atol=1e-5)


def test_a_model_without_a_mask_is_refused_in_its_own_words() -> None:
    twin = translator("twin")
    found = decoded(twin, MONEY)
    assert (found.cached, found.may_cache, found.modes) == (None, False, ("re-feed",))
    assert "without a look-ahead mask has nothing to cache" in found.refused
    assert found.walk("cache") is found.plain


def test_stepping_decodes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    app = page(row="1")

    def decoding(*_: object, **__: object) -> None:
        raise AssertionError("decoded again")

    for name in ("walk", "detour"):
        monkeypatch.setattr(greedy_decoded, name, decoding)
    for row in ("2", "3", "1"):
        app.query_params["row"] = row
        app.run()
        assert not app.exception


def test_a_search_that_hits_the_limit_is_marked_as_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "LONGER", 0)
    monkeypatch.setattr(rules, "MORE", 3)
    decoded.cache_clear()
    app = page("I love this old watch.")  # no other test translates it: it is kept as it was cut
    decoded.cache_clear()
    assert "Cut, not finished" in app.warning[0].value
    assert len(titles(app)) == 3


def test_a_step_beyond_a_shorter_translation_is_its_last() -> None:
    n = len(fresh().tokens)
    assert n < 60
    app = page(row="60")
    assert app.query_params["row"] == str(n)
    assert not app.toast


def test_the_code_on_the_page_gives_the_numbers_on_the_page() -> None:
    app = page(what="swap:1.2", row="2")
    code = app.expander[-1].code[-1].value
    names: dict[str, object] = {}
    exec(code.replace("print(", "shown = ("), names)
    token, log_probs, total = names["shown"]  # pyright: ignore[reportGeneralTypeIssues]
    expected = fresh(MONEY, "swap:1.2")
    assert token == expected.tokens[1]
    np.testing.assert_allclose(log_probs, expected.log_probs[1], atol=1e-5)
    assert total == pytest.approx(expected.sums[1], abs=1e-5)


def test_it_says_when_beam_search_found_a_more_probable_sentence() -> None:
    for sentence in ("Hello! How are you?", MONEY):
        plain = fresh(sentence)
        other = int(np.argsort(plain.log_probs[0])[-2])
        app = page(sentence, row="1", next=f"1.{other}")
        beam = translator().translate(sentence).best.log_prob
        assert ("Beam search, which keeps several" in said(app)) == (beam > plain.sums[-1] + 1e-3)
