"""`python -m explainer strategies`: what it prints are the searches' own results."""

import json

import pytest

from explainer.decode.search.beam import best_hypotheses, greedy
from explainer.decode.search.rules import BeamRules
from explainer.decode.search.sampling import SamplingRules, sample
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.translator.translator import Translator
from tests.cli.conftest import Run

SENTENCE = "I have some money."


def test_every_strategy_is_told(run: Run) -> None:
    told = json.loads(run("strategies", SENTENCE, "--json", "--top-k", 5, "--seed", 3)[1])
    translator = Translator.load()
    model, sources = translator.checkpoint.model, source_batch([translator.source_ids(SENTENCE)])
    rows = told["strategies"]
    assert next(iter(rows)) == "greedy"
    assert list(rows)[-2:] == ["sample", "exact search"]
    first = greedy(CachedModel(model, sources), 100)
    assert rows["greedy"]["log_prob"] == pytest.approx(first.log_prob, abs=1e-4)
    assert rows["greedy"]["translation"] == translator.checkpoint.tokenizer.decode(first.words)
    best = best_hypotheses(CachedModel(model, sources), BeamRules(beam_size=8))[0]
    assert rows["beam 8"]["log_prob"] == pytest.approx(best.log_prob, abs=1e-4)
    *_, last = sample(CachedModel(model, sources), SamplingRules(top_k=5, seed=3))
    assert rows["sample"]["log_prob"] == pytest.approx(last.log_prob, abs=1e-4)
    assert told["exact_search"] == "proved"
    most = rows["exact search"]["log_prob"]
    assert all(row["log_prob"] <= most + 1e-4 for row in rows.values())
    assert {name for name, row in rows.items() if row["search_error"]} == {
        name for name, row in rows.items() if row["log_prob"] < most - 1e-4
    }


def test_as_text(run: Run) -> None:
    lines = run("strategies", SENTENCE, "--budget", 1)[1].splitlines()
    assert lines[0].startswith("greedy")
    assert lines[-1] == "exact search: budget"
