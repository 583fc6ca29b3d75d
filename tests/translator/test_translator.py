"""The facade: how long a translation may grow, and what is told of one that was cut."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from explainer.checkpoints import save_checkpoint
from explainer.decode.search.rules import length_limit
from explainer.decode.sources.batch import translate_batch
from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.pages.frame.models import translator
from explainer.text.tokenizer import END_ID, Tokenizer
from explainer.translator.translator import BEAM_4, MAX_TOKENS, TooLongError, Translator
from explainer.whatif.changes import parse
from tests.conftest import randomized

MONEY = "I have some money."
FREE = dataclasses.replace(BEAM_4, max_new_tokens=100)


@pytest.fixture
def short(tiny_config: TransformerConfig, tokenizer: Tokenizer, tmp_path: Path) -> Translator:
    """A random model with positions for 16 tokens; it hardly ever ends."""
    config = dataclasses.replace(tiny_config, vocab_size=len(tokenizer), max_positions=16)
    save_checkpoint(tmp_path, randomized(Transformer(config)), tokenizer, step=0)
    return Translator.load(tmp_path)


def test_a_sentence_is_searched_as_if_there_were_no_limit() -> None:
    model = translator()
    for sentence in (MONEY, "The animal didn't cross the street because it was too tired."):
        free = model.translate(sentence, rules=FREE)
        assert model.translate(sentence).hypotheses[0] == free.hypotheses[0]


@pytest.mark.parametrize("spec", ["uniform:cross", "unnormed:decoder.3.feed_forward", "unplaced:source"])
def test_a_broken_model_stops_in_proportion_to_the_source(spec: str) -> None:
    model, sentence = translator(), "aaaa bbbb"
    limit = model.limit_for(len(model.source_ids(sentence)))
    assert limit < FREE.max_new_tokens
    assert len(model.translate(sentence, changes=(parse(spec),)).best) <= limit


def test_the_limit_grows_with_the_source_up_to_the_positions_of_the_model() -> None:
    limits = [length_limit(n, 512) for n in range(MAX_TOKENS + 1)]
    assert limits == [10 + 3 * n // 2 for n in range(MAX_TOKENS + 1)]
    assert [length_limit(n, 40) for n in (2, 20, 60)] == [13, 40, 40]
    assert dataclasses.replace(translator().rules_for(9), max_new_tokens=100) == FREE


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_what_the_search_chose_is_what_the_rows_predict(limit: int) -> None:
    """A translation that was cut has no `</s>` anywhere, one that ended has it once; log p is of the same tokens."""
    model = translator()
    found = model.translate(MONEY, rules=dataclasses.replace(BEAM_4, max_new_tokens=limit))
    assert found.ended == (limit == 100)
    assert (END_ID in found.ids) == found.ended
    trace = model.trace(MONEY, found.ids)
    assert trace.info.predicted == tuple(model.checkpoint.tokenizer.pieces(found.ids))
    assert trace.info.target == ("<s>", *trace.info.predicted[:-1])
    assert len(trace[LOG_PROB]) == len(found.ids) == len(found.best)
    assert sequence_log_prob(trace[LOG_PROB], found.ids) == pytest.approx(found.best.log_prob, abs=1e-3)


def test_padding_stands_after_a_cut_target_and_an_empty_one_is_refused() -> None:
    model = translator()
    ids = model.translate(MONEY, rules=dataclasses.replace(BEAM_4, max_new_tokens=3)).ids
    plain, padded = model.trace(MONEY, ids), model.trace(MONEY, ids, padding=2)
    assert padded.info.predicted == (*plain.info.predicted, "<pad>", "<pad>")
    np.testing.assert_allclose(padded[LOG_PROB][:3], plain[LOG_PROB], atol=1e-4)
    with pytest.raises(ValueError, match="the target has no token"):
        model.trace(MONEY, ())


def test_the_longest_sentence_and_its_translation_fit_the_positions(short: Translator) -> None:
    longest = "The street is wide."
    while len(short.checkpoint.tokenizer.encode(f"{longest}.")) < 16:
        longest += "."
    assert len(short.source_ids(longest)) == 15
    found = short.translate(longest)
    assert len(found.ids) <= 16
    assert len(short.trace(longest, found.ids)[LOG_PROB]) == len(found.ids)
    with pytest.raises(TooLongError, match="the limit is 15"):
        short.source_ids(f"{longest}..")


def test_a_batch_cuts_each_sentence_at_its_own_limit(short: Translator) -> None:
    """As sentences one by one: the command line finds what the page finds."""
    sentences = [short.source_ids(text) for text in ("The", "wide", "tired.", "The animal", "it was tired")]
    together = translate_batch(short.checkpoint.model, sentences, short.rules_for, batch_size=2)
    model = short.checkpoint.model
    alone = [translate_batch(model, [ids], short.rules_for(len(ids)))[0] for ids in sentences]
    assert [[one.tokens for one in found] for found in together] == [[o.tokens for o in f] for f in alone]
    cut = {len(found[0]) for found in together if not found[0].finished}
    assert len(cut) > 1
    assert cut <= {short.limit_for(len(ids)) for ids in sentences}
