"""The page about greedy decoding without a browser: its numbers are those of a fresh decode."""

import json
from itertools import pairwise

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor

from explainer.decode.search import rules
from explainer.decode.sources.batch import source_batch
from explainer.decode.watched.walk import Walk, walk
from explainer.figures.style import number, small
from explainer.model.transformer import Transformer
from explainer.pages.frame.models import translator
from explainer.pages.frame.session import DEFAULT_SENTENCE
from explainer.pages.greedy.decoded import decoded
from explainer.text.tokenizer import END_ID, START_ID
from explainer.whatif.changes import compiled, edited, parse
from tests.pages.app import MONEY, array, figure, matrix, opened_on, said, table_of


def page(sentence: str = MONEY, **query: str) -> AppTest:
    return opened_on("greedy", sentence, **query)


def fresh(sentence: str = MONEY, *specs: str) -> Walk:
    """Decoded anew, everything fed again."""
    changes, model = tuple(map(parse, specs)), translator().checkpoint.model
    sources = source_batch([edited(changes, translator().source_ids(sentence))])
    return walk(model, sources, "re-feed", interventions=compiled(changes, model))


def reading() -> tuple[Transformer, Tensor]:
    """The model and what it reads."""
    return translator().checkpoint.model, source_batch([translator().source_ids(MONEY)])


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
def test_the_bars_of_every_step_are_the_probabilities_of_a_fresh_decode(mode: str) -> None:
    expected = fresh()
    assert len(expected.tokens) > 3
    for step in (0, 2, len(expected.tokens) - 1):
        ((tokens, heights),) = bars(page(row=str(step + 1), decoder=mode)).values()
        np.testing.assert_allclose(heights[:-1], np.exp(expected.log_probs[step, tokens]), atol=1e-5)
        assert heights.sum() == pytest.approx(1, abs=1e-5)
        assert tokens[0] == expected.tokens[step]


def test_it_opens_at_the_closest_choice_and_says_so() -> None:
    rows = np.sort(fresh(DEFAULT_SENTENCE).log_probs, axis=1)
    first = int((rows[:, -1] - rows[:, -2]).argmin())
    app = page(DEFAULT_SENTENCE)
    text = said(app)
    assert "Shown first because no choice was closer" in text
    one, two = np.exp(rows[first, [-1, -2]])
    assert f"{one:.3f} against" in text
    assert f"{two:.3f}." in text
    assert f"Decoder input: {first + 1} tokens" in text


def test_the_sum_is_that_of_the_steps() -> None:
    expected = fresh()
    app = page(row="3")
    total = float(expected.sums[2])
    assert f"The model has {number(total, 4)} there" in said(app)
    assert not app.error  # a formula that differs from the search


def test_a_step_is_labelled_by_what_it_reads_and_predicts() -> None:
    pieces = translator().checkpoint.tokenizer.pieces([START_ID, *fresh().tokens])
    expected = [f"{one.strip()} → {two.strip()}" for one, two in pairwise(pieces)]
    found = [title.replace("\u2009", "") for title in titles(page())]
    assert found == expected
    assert found[0].startswith("<s> → ")
    assert found[-1].endswith("→ </s>")


@pytest.mark.parametrize("layer", [1, 3])
def test_the_lines_of_a_step_are_its_cross_attention(layer: int) -> None:
    weights = fresh().across[2, layer - 1, 1]
    texts = figure(page(row="3", layer=str(layer), head="2"), "lines")["data"][-2]["text"]
    shown = [text.split("</b>")[-1].strip() for text in texts]
    expected = [f"{weight:.3f}" if weight >= 0.02 else None for weight in weights]
    assert [text for text, weight in zip(shown, expected, strict=True) if weight] == list(
        filter(None, expected)
    )


def test_both_modes_say_the_same_and_the_difference_is_shown() -> None:
    model, sources = reading()
    plain = fresh()
    cached = walk(model, sources, "cache", tokens=plain.tokens)
    deviation = np.abs(plain.log_probs - cached.log_probs.astype(float)).max()
    assert f"max |Δ| = {small(deviation)}" in said(page())
    assert deviation < 1e-4


def test_the_picture_shows_what_was_computed() -> None:
    step, n_source, n_steps = 3, len(translator().source_ids(MONEY)) + 1, len(fresh().tokens)
    for mode, new_columns, english in (("cache", [0, 0, 0], [0, 1, 1]), ("re-feed", [2, 2, 2], [1, 2, 2])):
        one, two = (
            array(trace["z"]) for trace in figure(page(row=str(step + 1), decoder=mode), "computed")["data"]
        )
        assert one.shape == (3, n_source)
        assert [set(row) for row in one.tolist()] == [{value} for value in english]
        assert two.shape == (4, n_steps)
        assert (two[:, step] == 2).all()
        assert two[0, :step].tolist() == new_columns  # Q of the past: not needed, or computed again
        assert (two[1:3, :step] == (1 if mode == "cache" else 2)).all()
        assert (two[:, step + 1 :] == 0).all()


def test_the_encoder_runs_at_the_first_step_only() -> None:
    first, later = (matrix(page(row=row), "computed") for row in ("1", "2"))
    assert (first == 2).all()
    assert (later[0] == 0).all()


def test_rows_and_growth_are_those_that_were_counted() -> None:
    app = page(row="2")
    plain = fresh()
    n = len(plain.tokens)
    drawn = {
        trace["name"]: array(trace["y"]) for trace in figure(app, "growth")["data"] if trace["xaxis"] == "x"
    }
    n_layers = translator().checkpoint.model.config.n_decoder_layers
    steps = np.arange(1, n + 1)
    np.testing.assert_array_equal(drawn["re-feed"], 3 * n_layers * steps * (steps + 1) / 2)
    np.testing.assert_array_equal(drawn["cache"], 3 * n_layers * steps)
    table = next(text.value for text in app.markdown if text.value.startswith("| rows"))
    assert f"| self K, V | {4 * n_layers} | {6 * n_layers} | {2 * n_layers} | {4 * n_layers} |" in table


def test_time_is_measured_on_request() -> None:
    app = page()
    assert "One run of each" in said(app)
    app.button(key="greedy-measure").click().run()
    assert not app.exception
    assert "Median of 5 runs" in said(app)
    app.text_input(key="sentence").set_value("I love my new watch.").run()
    assert "One run of each" in said(app)  # what was measured belonged to the other sentence


def test_another_token_is_followed_greedily() -> None:
    plain = fresh()
    other = int(np.argsort(plain.log_probs[1])[-2])
    app = page(row="2", next=f"2.{other}")
    model, sources = reading()
    tokens = [plain.tokens[0], other]
    while tokens[-1] != END_ID:
        tokens.append(int(model(sources, torch.tensor([[START_ID, *tokens]]))[0, -1].argmax()))
    rows = model(sources, torch.tensor([[START_ID, *tokens[:-1]]]))[0]
    log_prob = float(rows.gather(1, torch.tensor(tokens)[:, None]).sum())
    table = table_of(app, "instead, then greedy")
    assert f"| {number(log_prob, 3)} |" in table.splitlines()[3]
    assert f"| {number(float(plain.sums[-1]), 3)} |" in table.splitlines()[2]
    better = log_prob > plain.sums[-1]
    assert ("is **more probable**" in said(app)) == better


def test_another_token_belongs_to_its_step() -> None:
    assert "instead, then greedy" not in said(page(row="1", next="2.77"))


@pytest.mark.parametrize("spec", ["uniform:cross", "off:decoder.1.2", "swap:1.2"])
def test_a_change_is_followed_and_compared_after_the_same_tokens(spec: str) -> None:
    expected = fresh(MONEY, spec)
    app = page(what=spec, row="2")
    both = bars(app)
    assert list(both) == ["before", "after"]
    model, sources = reading()
    unchanged = model(sources, torch.tensor([[START_ID, *expected.tokens[:1]]]))[0, -1].numpy()
    for name, log_probs in (("before", unchanged), ("after", expected.log_probs[1])):
        tokens, heights = both[name]
        np.testing.assert_allclose(heights[:-1], np.exp(log_probs[tokens]), atol=1e-5)


def test_before_is_the_page_without_the_change() -> None:
    plain, before = (page(row="2", **more) for more in ({}, {"what": "uniform:cross", "show": "before"}))
    assert figure(plain, "candidates")["data"] == figure(before, "candidates")["data"]
    assert figure(plain, "lines")["data"] == figure(before, "lines")["data"]


def test_without_the_mask_the_cache_is_refused_and_the_damage_is_told() -> None:
    app = page(what="ahead", decoder="cache", row="2")
    expected = fresh(MONEY, "ahead")
    model, sources = reading()
    acts = compiled((parse("ahead"),), model)
    wrong = walk(model, sources, "cache", tokens=expected.tokens, interventions=acts)
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

    monkeypatch.setattr("explainer.decode.watched.walk.walk", decoding)
    monkeypatch.setattr("explainer.decode.watched.walk.detour", decoding)
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
