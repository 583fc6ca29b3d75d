"""The page about beam search without a browser: its tree is that of a fresh search, and what is wrong is refused."""

import functools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.checkpoints import CheckpointError
from explainer.decode.search.beam import beam_search, first_beam, force, greedy
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.search.step import BeamStep
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.pages.beam_search import table as beam_search_table
from explainer.pages.frame import models
from explainer.pages.frame.models import translator
from explainer.text.tokenizer import END_ID
from explainer.whatif.changes import parse
from tests.pages.app import MONEY, array, figure, limit, link_of, opened_on, said, source, table_of

GNMT = LengthPenalty("gnmt", 0.6)


def page(sentence: str = MONEY, **query: str) -> AppTest:
    return opened_on("beam_search", sentence, **query)


@functools.cache
def shown(**query: str) -> AppTest:
    """A page that is only looked at."""
    return page(**query)


def minus(number: float) -> str:
    return f"{number:.3f}".replace("-", "−")


def rows_of_the_tree(app: AppTest) -> list[list[str]]:
    app.toggle(key="tree-table").set_value(True).run()
    lines = table_of(app, "| step | rank |").replace("\\", "").splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def finished(app: AppTest) -> list[str]:
    return list(app.radio(key="finished-choice").options)


def assert_scores(labels: Sequence[str], found: Sequence[Hypothesis]) -> None:
    for label, hypothesis in zip(labels, found, strict=True):
        assert f"**{minus(hypothesis.score)}**" in label


def of_width(beam: int = 4) -> BeamRules:
    return BeamRules(beam_size=beam, max_new_tokens=limit(), penalty=GNMT)


def searched(**rules: Any) -> list[BeamStep]:
    return list(beam_search(source(), replace(of_width(), **rules)))


def best_of_four(**changes: Any) -> Sequence[Hypothesis]:
    return translator().translate(MONEY, rules=of_width(), **changes).hypotheses


def force_word(app: AppTest, word: str) -> None:
    app.text_input(key="force-text").set_value(word)
    next(button for button in app.button if button.label == "Force it").click().run()
    assert not app.exception


@pytest.mark.parametrize("beam", [1, 4, 10])
def test_the_tree_is_a_fresh_search(beam: int) -> None:
    steps = searched(beam_size=beam)
    rows = rows_of_the_tree(page(beam=str(beam), view="all", dead="off", ghost="off"))
    ranked = [row for row in rows if row[1] != "–"]
    expected = [(step, i) for step in steps for i in range(len(step.tokens))]
    for row, (step, i) in zip(ranked, expected, strict=True):
        assert (int(row[0]), int(row[1]), row[7]) == (step.step + 1, i + 1, step.fates[i])
        log_p = step.token_log_probs[i]
        numbers = [np.exp(log_p), log_p, step.log_probs[i], step.scores[i]]
        np.testing.assert_allclose([float(cell) for cell in row[3:7]], numbers, rtol=1e-4, atol=1e-5)


def test_the_finished_pool_is_the_result_and_greedy_search_is_told() -> None:
    assert len(finished(shown())) == 4
    assert_scores(finished(shown()), best_of_four())
    assert f"(log p {minus(greedy(source(), limit()).log_prob)})" in said(shown())


def test_a_step_shows_what_there_was_then() -> None:
    steps, app = searched(), page(at="3", view="3", dead="off", ghost="off")
    (trace,) = (one for one in figure(app, "tree")["data"] if one.get("name") == "nodes")
    cards = list(zip(array(trace["x"]).astype(int).tolist(), trace["text"], strict=True))
    assert {level for level, _ in cards} == {0, 1, 2, 3}
    for step in steps[:3]:
        mine = [text for level, text in cards if level == step.step + 1]
        assert sorted(re.findall(r"· (\w+)", text)[0] for text in mine) == sorted(step.fates.tolist())
        numbers = [re.findall(r"= (?:< )?([−\d.]+)|score ([−\d.]+)", text) for text in mine]
        sums = sorted(float("".join(found[2]).replace("−", "-")) for found in numbers)
        np.testing.assert_allclose(sums, np.sort(step.log_probs), atol=6e-4)
    vocab = translator().checkpoint.model.config.vocab_size
    assert f"{4 * vocab:,}".replace(",", "\u202f") in said(app)
    drawn, pool = figure(app, "pool")["data"][0], steps[2]
    np.testing.assert_allclose(array(drawn["x"]), pool.log_probs, rtol=1e-6)
    assert [text.split()[1] for text in drawn["text"]] == [
        "ended" if fate == "pruned" and token == END_ID else fate
        for fate, token in zip(pool.fates.tolist(), pool.tokens.tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    ("query", "penalty"),
    [
        ({"penalty": "none"}, LengthPenalty()),
        ({"penalty": "huggingface", "alpha": "1"}, LengthPenalty("huggingface", 1.0)),
        ({"penalty": "huggingface", "alpha": "-1"}, LengthPenalty("huggingface", -1.0)),
        ({"penalty": "gnmt", "alpha": "3"}, LengthPenalty("gnmt", 3.0)),
    ],
)
def test_another_penalty_ranks_the_finished_anew(query: dict[str, str], penalty: LengthPenalty) -> None:
    app = page(**query)
    steps, plain = searched(penalty=penalty), searched(penalty=LengthPenalty())
    assert_scores(finished(app), steps[-1].finished)
    if penalty.name == "none":
        assert "the score is the sum" in said(app)
    elif len(steps) > len(plain):
        assert re.search(rf"\*\*{len(steps) - len(plain)} more steps? had to be decoded", said(app))
    else:
        assert "nothing is decoded again" in said(app)


def test_showing_something_else_decodes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    app = page()
    calls = []
    extend = CachedModel.extend
    monkeypatch.setattr(CachedModel, "extend", lambda *args: calls.append(args) or extend(*args))
    for change in ("at=2", "at=5", "view=6", "penalty=none", "stop=full", "ghost=off"):
        name, _, value = change.partition("=")
        app.query_params[name] = value
        app.run()
        assert not app.exception
    assert calls == []


def test_the_stop_rule_is_told_with_its_numbers() -> None:
    last = searched()[-1]
    text = said(shown())
    assert "**The search stops.**" in text
    assert f"**{minus(last.best_possible)}** ≤ **{minus(last.finished[-1].score)}**" in text
    begun, vocab = said(page(at="1")), translator().checkpoint.model.config.vocab_size
    assert "The pool has room: 0 of 4" in begun
    assert f"1 × {vocab:,}".replace(",", "\u202f") in begun  # the first step extends one hypothesis


def test_a_node_tells_its_arithmetic_and_where_it_looks() -> None:
    ids = translator().translate(MONEY).ids
    app = page(node=".".join(map(str, ids[:3])))
    text, trace = said(app), translator().trace(MONEY, ids)
    log_ps = [float(trace["head.hook_log_probs"][i, token]) for i, token in enumerate(ids[:3])]
    assert rf"\sum = {sum(log_ps):.3f}" in text
    assert rf"\prod = {math.exp(sum(log_ps)):.3f}" in text
    deviation = re.findall(r"max \|Δ\| = ([\d.e−]+)", text)[0]
    assert float(deviation.rstrip(".").replace("−", "-")) < 1e-4
    expected = np.sort(np.exp(trace["head.hook_log_probs"][3]))[::-1][:10]
    np.testing.assert_allclose(array(figure(app, "next")["data"][0]["x"])[:-1], expected, rtol=1e-3)
    layer, head = map(int, re.findall(r"Layer (\d+), head (\d+): on the best", text)[0])
    row = trace[f"decoder.layers.{layer - 1}.cross_attention.attend.hook_weights"][head - 1, 2]
    assert f"{row.max():.3f} of its weight" in text


def test_a_forced_token_leads_the_search_elsewhere() -> None:
    prefix, model = searched()[2].beam.tokens[0, 0].tolist(), source()
    token = translator().checkpoint.tokenizer.encode("Hunger")[0]
    beam = first_beam(model)
    for one in (*prefix, token):
        beam = force(model, beam, 0, one)
    *_, last = beam_search(model, of_width(), start=beam)
    app = page(force=f"{'.'.join(map(str, prefix))}:{token}")
    assert_scores(finished(app), last.finished)
    assert all(one.tokens[:3] == (*prefix, token) for one in last.finished)
    app.button(key="forced-0").click().run()
    assert not app.exception
    assert "force" not in app.query_params


def test_what_is_typed_is_forced_as_its_pieces() -> None:
    app = page(at="1")
    force_word(app, "Flugzeugträger")
    pieces = translator().checkpoint.tokenizer.encode("Flugzeugträger")
    assert len(pieces) > 1
    assert link_of(app, "force").endswith(":" + ".".join(map(str, pieces)))
    assert "Flugzeugträger" in " ".join(finished(app))
    app = page(at="1")
    force_word(app, "!")  # a sign follows without a space
    assert any(re.search(r"\w\\!", label) for label in finished(app))


def test_numbers_out_of_bounds_are_refused_at_the_field() -> None:
    app = page()
    before = figure(app, "tree")
    for field, value, says in (
        ("beam", 0, "Beam B = 0: must be from 1 to 10"),
        ("beam", 100, "Beam B = 100: must be from 1 to 10"),
        ("limit", -3, "Limit, tokens = −3: must be from 1 to 100"),
    ):
        app.number_input(key=f"field-{field}").set_value(value).run()
        assert not app.exception
        assert any(says in message.value for message in app.error)
        assert app.number_input(key=f"field-{field}").value == value
        assert figure(app, "tree") == before
    for field in ("beam", "limit"):
        assert app.error
        app.number_input(key=f"field-{field}").set_value(3).run()
    assert not app.error


def test_what_cannot_be_forced_is_told() -> None:
    app = page(force="5000.5001:17")
    assert any("never looked at" in warning.value for warning in app.warning)
    assert finished(app) == finished(shown())


def test_a_sentence_at_the_limit_is_cut() -> None:
    app = page(limit="3")
    assert all("✂ cut at the limit" in label for label in finished(app))
    assert "what has not ended is cut" in said(app)


def test_the_tree_under_a_change() -> None:
    labels = finished(page(what="off:cross.3.1"))
    assert_scores(labels, best_of_four(changes=(parse("off:cross.3.1"),)))
    assert labels != finished(shown())
    assert finished(page(what="off:cross.3.1", show="before")) == finished(shown())


def test_by_hand_the_product_wins_and_adding_would_be_wrong() -> None:
    app = page(search="table")
    labels = finished(app)
    assert f"**{minus(math.log(0.4 * 0.7 * 0.65))}**" in labels[0]
    assert f"**{minus(math.log(0.6 * 0.3 * 0.95))}**" in labels[1]
    assert "max |Δ| = " in said(app)
    app.toggle(key="adding").set_value(True).run()
    table = table_of(app, "Σ p")
    assert "| 0.182 | 1 | 1.750 | **2** |" in table
    assert "| 0.171 | 2 | 1.850 | **1** |" in table
    assert any("This is wrong" in message.value for message in app.error)


def test_by_hand_greedy_is_not_best_and_both_survivors_share_a_parent() -> None:
    app = page(search="table", table="greedy")
    assert minus(math.log(0.054)) in finished(app)[0]
    assert f"(log p {minus(math.log(0.048))})" in said(app)
    rows = rows_of_the_tree(page(search="table", table="parent", at="2", ghost="off"))
    survivors = [row[2] for row in rows if row[0] == "2" and row[7] == "kept"]
    assert [text[:2] for text in survivors] == ["a ", "a "]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (":0.5 0.4 0;*:0 0 1", "sum to 0.9, must be 1"),
        (":nan 0.5 0.5;*:0 0 1", "p(a) = nan, must be from 0 to 1"),
        (":1.5 -0.5 0;*:0 0 1", "p(a) = 1.5, must be from 0 to 1"),
        (":0.5 0.5 0;*:1 0", "2 probabilities for 3 tokens"),
        (":1 0 0", "the table has no row"),
    ],
)
def test_a_table_that_is_none_is_refused(rows: str, says: str) -> None:
    app = page(search="table", table="parent", rows=rows)
    (message,) = (error.value for error in app.error)
    assert says in message.replace("\\", "")


def test_an_edited_table_is_searched_and_a_token_that_it_lacks_is_refused() -> None:
    app = page(search="table", table="parent", rows=":0.25 0.75 0;*:0 0 1")
    assert minus(math.log(0.75)) in finished(app)[0]
    app.query_params["at"] = "1"
    app.run()
    force_word(app, "Katze")
    assert any("Katze" in error.value and "not a token of the table" in error.value for error in app.error)


def test_what_is_done_in_the_editor_becomes_rows() -> None:
    words = ("a", "b", "</s>")
    rows = {(): (0.6, 0.4, 0.0), ("a",): (0.5, 0.4, 0.1), ("*",): (0.0, 0.0, 1.0)}
    changes = {
        "edited_rows": {0: {"a": 0.1, "b": 0.9}},
        "deleted_rows": [1],
        "added_rows": [{"after": "b a", "a": 0.0, "b": None, "</s>": 1.0}, {}],
    }
    found = beam_search_table.edited(rows, changes, words)
    assert found[()] == (0.1, 0.9, 0.0)
    assert list(found) == [(), ("*",), ("b", "a")]
    assert math.isnan(found["b", "a"][1])
    with pytest.raises(ValueError, match="'x' must be one of a, b"):
        beam_search_table.edited(rows, changes | {"added_rows": [{"after": "x"}]}, words)


def test_hindi_by_the_small_model_with_three_beams() -> None:
    small = translator("hindi")
    sources = source_batch([small.source_ids(MONEY)])
    *_, last = beam_search(CachedModel(small.checkpoint.model, sources), of_width(3))
    app = page(search="hindi")
    assert "memorised" in said(app)
    assert len(last.finished) == 3
    assert_scores(finished(app), last.finished)
    for label, hypothesis in zip(finished(app), last.finished, strict=True):
        assert small.checkpoint.tokenizer.decode(hypothesis.words[:-1]).split()[0] in label
    assert figure(app, "lines")["layout"]["annotations"][1]["text"] == "Hindi"


def test_hindi_needs_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(folder: Path) -> Any:
        if folder.name == "hindi":
            raise CheckpointError("pretrained/hindi: no such folder")
        return real(folder)

    real = models.loaded
    monkeypatch.setattr(models, "loaded", loaded)
    app = page(search="hindi")
    assert "memorised" in said(app)
    assert any("pretrained/hindi: no such folder" in error.value for error in app.error)


def test_hindi_gives_the_sentence_back() -> None:
    own = "You have some money."
    app = page(own)

    def search_in(ground: str) -> str:
        app.button_group(key="ground").set_value(ground).run()
        assert not app.exception
        return app.session_state["sentence"]

    assert search_in("hindi") == MONEY
    assert search_in("translator") == own
    search_in("hindi")
    app.text_input(key="sentence").set_value("You have some work.").run()
    assert search_in("translator") == "You have some work."  # typed since: that is what is meant now
