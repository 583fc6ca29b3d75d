"""`python -m explainer strategies`: what it prints are the searches' own results; bad input is one line."""

import json

import pytest

from explainer.cli.commands import main
from explainer.decode.search.beam import best_hypotheses, greedy
from explainer.decode.search.rules import BeamRules
from explainer.decode.search.sampling import SamplingRules, sample
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.translator.translator import Translator

SENTENCE = "I have some money."


def test_every_strategy_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategies", SENTENCE, "--json", "--top-k", "5", "--seed", "3"]) == 0
    told = json.loads(capsys.readouterr().out)
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


def test_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategies", SENTENCE, "--budget", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("greedy")
    assert lines[-1] == "exact search: budget"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--top-p", "3"], "top_p = 3.0: must be above 0 and at most 1"),
        (["--temperature", "0"], "temperature = 0.0: must be above 0"),
        (["--top-k", "-1"], "top_k = -1: must be at least 0"),
        (["--budget", "0"], "--budget"),
    ],
)
def test_bad_input_is_one_line(options: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strategies", SENTENCE, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert says in err
    assert err.count("\n") == 1
