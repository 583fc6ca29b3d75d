"""Distilled pairs: what each sentence's own search finds, and only what can be learnt from."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from explainer.decode.distil import distilled
from explainer.decode.search.beam import BeamRules, best_hypotheses
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.model.transformer import Transformer
from explainer.text.corpora import SentencePair, read_pairs, write_pairs
from explainer.text.tokenizer import END_ID, Tokenizer
from tests.conftest import SENTENCES
from tests.peers import random_model

LONG = "wide " * 80  # 80 tokens and more: the models below have 64 positions


@pytest.fixture
def model(tokenizer: Tokenizer) -> Transformer:
    return random_model(vocab_size=len(tokenizer), max_positions=64, spread=3.0)


def found_alone(model: Transformer, tokenizer: Tokenizer, sentence: str, rules: BeamRules) -> str | None:
    """What a search for this sentence only ends with; None if it was cut."""
    sources = source_batch([tokenizer.encode(sentence)])
    best = best_hypotheses(CachedModel(model, sources), rules)[0]
    return tokenizer.decode(best.words).strip() if best.finished else None


def word_said(model: Transformer, tokenizer: Tokenizer, place: int) -> int:
    """The token that greedy search says at this place of its translation of the first sentence."""
    sources = source_batch([tokenizer.encode(SENTENCES[0])])
    return best_hypotheses(CachedModel(model, sources), BeamRules(beam_size=1, max_new_tokens=9))[0].tokens[
        place
    ]


@pytest.mark.parametrize("beam_size", [1, 3])
def test_each_sentence_has_the_translation_of_its_own_search(
    model: Transformer, tokenizer: Tokenizer, beam_size: int
) -> None:
    ends = word_said(model, tokenizer, 4)  # this model never says </s>: let another token end a sentence
    rules = BeamRules(beam_size=beam_size, max_new_tokens=12, end_id=ends)
    sentences = [*SENTENCES, "Die", "street", "How are you?", "The animal", "wide and tired"]
    expected = {sentence: found_alone(model, tokenizer, sentence, rules) for sentence in sentences}
    pairs = list(distilled(model, tokenizer, sentences, rules, batch_size=3))
    found = {pair.source: pair.target for pair in pairs if pair is not None}
    assert found == {sentence: said for sentence, said in expected.items() if said}
    assert len(pairs) == len(sentences)
    assert 0 < len(found) < len(sentences)  # some searches were cut


@pytest.mark.parametrize(
    ("says", "is_kept"), [("\n", False), ("a\tb", False), (" ", False), ("Tier 😀", True)]
)
def test_a_translation_is_kept_if_it_is_a_line_of_text(
    model: Transformer, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch, says: str, is_kept: bool
) -> None:
    hypothesis = Hypothesis((*tokenizer.encode(says), END_ID), -1.0, -1.0, True)

    def search(
        model: Transformer, sources: list[list[int]], *_: object
    ) -> Iterator[tuple[int, tuple[Hypothesis]]]:
        return ((number, (hypothesis,)) for number in range(len(sources)))

    monkeypatch.setattr("explainer.decode.distil.each_translated", search)
    pairs = list(distilled(model, tokenizer, ["The animal", LONG], BeamRules()))
    assert pairs == [
        None,
        SentencePair("The animal", says) if is_kept else None,
    ]  # the long one is never read


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.tsv.gz"])
def test_written_pairs_are_read_again(tmp_path: Path, name: str) -> None:
    pairs = [SentencePair("Go.", "Los!"), SentencePair("“It's”  wide", "„Es ist“ breit – sehr\u00a0😀")]
    write_pairs(tmp_path / name, pairs)
    corpus = read_pairs(tmp_path / name)
    assert (corpus.pairs, corpus.bad_lines) == (pairs, [])
    is_packed = (tmp_path / name).read_bytes().startswith(b"\x1f\x8b")
    assert is_packed == name.endswith(".gz")
    if is_packed:
        assert gzip.decompress((tmp_path / name).read_bytes()).count(b"\n") == 2
