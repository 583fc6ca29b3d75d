"""The table of beam widths: a row is what that search finds alone, averaged; errors are counted against the proof."""

from statistics import mean

import pytest

from explainer.decode.search.beam import best_hypotheses, greedy
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.sources import source_of
from explainer.decode.sources.batch import source_batch
from explainer.decode.watched.widths import searched, table
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import END_ID

SENTENCES = [[7, 8, 9], [11, 5], [20, 21, 22, 23]]
GNMT, BUDGET = LengthPenalty("gnmt", 0.6), 50


def rules_for(n_source: int) -> BeamRules:
    return BeamRules(max_new_tokens=n_source + 1, penalty=GNMT)


def test_each_row_is_the_mean_of_its_searches(model: Transformer) -> None:
    found = list(searched(model, SENTENCES, rules_for, BUDGET, widths=(1, 3)))
    numbers = table(found, BUDGET, bleu=len)
    assert list(numbers["none"]) == list(numbers["gnmt"]) == ["1", "3"]
    sources = [source_of(model, source_batch([ids])) for ids in SENTENCES]
    for score, penalty in (("none", LengthPenalty()), ("gnmt", GNMT)):
        alone = [
            best_hypotheses(source, BeamRules(beam_size=3, max_new_tokens=len(ids) + 1, penalty=penalty))[0]
            for source, ids in zip(sources, SENTENCES, strict=True)
        ]
        assert numbers[score]["3"]["tokens"] == mean(map(len, alone))
        assert numbers[score]["3"]["log_prob"] == pytest.approx(mean(one.log_prob for one in alone), abs=1e-5)
        assert numbers[score]["3"]["empty"] == sum(one.tokens == (END_ID,) for one in alone)
        first = [greedy(source, len(ids) + 1) for source, ids in zip(sources, SENTENCES, strict=True)]
        assert numbers[score]["1"]["log_prob"] == pytest.approx(mean(one.log_prob for one in first), abs=1e-5)
        assert numbers[score]["1"]["bleu"] == len(SENTENCES)


def test_errors_and_proofs_are_those_of_each_sentence(model: Transformer) -> None:
    found = list(searched(model, SENTENCES, rules_for, BUDGET, widths=(1,)))
    numbers = table(found, BUDGET, bleu=len)
    exact = [one.none.exact for one in found]
    assert numbers["exact"]["nodes"] == mean(step.n_expanded for step in exact if step is not None)
    assert numbers["exact"]["proved"] == sum(step is not None and step.outcome == "proved" for step in exact)
    errors = [one.none.verdict(one.none.beams[1].hypothesis, BUDGET) == "search error" for one in found]
    assert numbers["none"]["1"]["search_errors"] == sum(errors)
    assert numbers["exact"]["log_prob"] >= numbers["none"]["1"]["log_prob"] - 1e-5
