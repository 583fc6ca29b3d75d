"""The facade: how long a translation may grow."""

import dataclasses

import pytest

from explainer.pages.frame.models import translator
from explainer.translator.translator import BEAM_4, MAX_TOKENS, rules_for
from explainer.whatif.changes import parse

MONEY = "I have some money."


def test_a_sentence_is_searched_as_if_there_were_no_limit() -> None:
    model = translator()
    for sentence in (MONEY, "The animal didn't cross the street because it was too tired."):
        free = model.translate(sentence, rules=BEAM_4)
        assert model.translate(sentence).hypotheses[0] == free.hypotheses[0]


@pytest.mark.parametrize("spec", ["uniform:cross", "unnormed:decoder.3.feed_forward", "unplaced:source"])
def test_a_broken_model_stops_in_proportion_to_the_source(spec: str) -> None:
    model, sentence = translator(), "aaaa bbbb"
    limit = rules_for(len(model.source_ids(sentence))).max_new_tokens
    assert limit < BEAM_4.max_new_tokens
    assert len(model.translate(sentence, changes=(parse(spec),)).best) <= limit


def test_the_limit_grows_with_the_source_up_to_that_of_the_search() -> None:
    limits = [rules_for(n).max_new_tokens for n in range(MAX_TOKENS + 1)]
    assert limits == sorted(limits)
    assert limits[0] > 1
    assert limits[-1] == BEAM_4.max_new_tokens
    assert all(limit >= n for n, limit in enumerate(limits))
    assert dataclasses.replace(rules_for(9), max_new_tokens=BEAM_4.max_new_tokens) == BEAM_4
