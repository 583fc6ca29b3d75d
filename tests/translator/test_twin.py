"""The twin that was trained without a look-ahead mask: brilliant while it may read the answer, lost without it."""

import dataclasses
import math

import pytest
import torch
from torch import Tensor

from explainer.checkpoints import Checkpoint, load_checkpoint
from explainer.decode.search.beam import best_hypotheses, greedy
from explainer.decode.sources.batch import source_batch, translate_batch
from explainer.decode.sources.transformer import CachedModel, PlainModel
from explainer.files import PRETRAINED
from explainer.text.corpora import SentencePair
from explainer.text.tokenizer import END_ID, START_ID
from explainer.train.learning.data import to_examples
from explainer.train.learning.forcing import teacher_forced_nll
from explainer.translator.translator import BEAM_4, Translator

PAIRS = [
    SentencePair("The house is old.", "Das Haus ist alt."),
    SentencePair("I have some money.", "Ich habe etwas Geld."),
    SentencePair("She is reading a book.", "Sie liest ein Buch."),
    SentencePair("Where is my bag?", "Wo ist meine Tasche?"),
    SentencePair("We are going home now.", "Wir gehen jetzt nach Hause."),
]
SHORT = dataclasses.replace(BEAM_4, max_new_tokens=20)


@pytest.fixture(scope="module")
def twin() -> Checkpoint:
    return load_checkpoint(PRETRAINED / "twin")


@pytest.fixture(scope="module")
def masked() -> Checkpoint:
    return load_checkpoint(PRETRAINED / "twin-masked")


def nll(checkpoint: Checkpoint) -> float:
    return teacher_forced_nll(checkpoint.model, to_examples(PAIRS, checkpoint.tokenizer))


def rows(checkpoint: Checkpoint, source: str, target: list[int]) -> Tensor:
    """Log-probabilities of what follows each token of `<s>` and the target. [position, vocab]."""
    ids = checkpoint.tokenizer.encode(source)
    return checkpoint.model(torch.tensor([[*ids, END_ID]]), torch.tensor([[START_ID, *target]]))[0]


def said(checkpoint: Checkpoint, source: str) -> list[int]:
    """What the model writes by itself, at most 20 tokens."""
    return list(greedy(plain(checkpoint, source), max_new_tokens=20).tokens)


def plain(checkpoint: Checkpoint, source: str) -> PlainModel:
    return PlainModel(checkpoint.model, source_batch([checkpoint.tokenizer.encode(source)]))


def test_the_two_differ_in_the_mask_and_in_nothing_else(twin: Checkpoint, masked: Checkpoint) -> None:
    assert not twin.model.config.look_ahead_mask
    assert dataclasses.replace(twin.model.config, look_ahead_mask=True) == masked.model.config
    assert twin.tokenizer.to_str() == masked.tokenizer.to_str()
    assert twin.step == masked.step


def test_the_answer_is_all_but_certain_for_the_model_that_reads_it(
    twin: Checkpoint, masked: Checkpoint
) -> None:
    assert nll(twin) < 0.1  # nats per token: on average, p > 0.9
    assert nll(masked) > 10 * nll(twin)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.source)
def test_a_later_token_changes_earlier_rows_of_the_twin_only(
    twin: Checkpoint, masked: Checkpoint, pair: SentencePair
) -> None:
    target = twin.tokenizer.encode(pair.target)
    other = [*target[:-1], twin.tokenizer.encode("Wasser")[0]]  # the last token is another one
    before, after = (rows(twin, pair.source, ids)[:-1] for ids in (target, other))
    assert float((before - after).abs().amax()) > 1
    # The row that is asked for that token says whatever stands there: it copies.
    assert (int(before[-1].argmax()), int(after[-1].argmax())) == (target[-1], other[-1])
    before, after = (rows(masked, pair.source, ids)[:-1] for ids in (target, other))
    torch.testing.assert_close(before, after, rtol=0, atol=1e-5)


def test_the_twin_copies_nonsense_as_well(twin: Checkpoint) -> None:
    """It reads the target and not the source: the German of another sentence is just as certain."""
    others = [*PAIRS[1:], PAIRS[0]]
    mixed = [SentencePair(other.source, pair.target) for other, pair in zip(others, PAIRS, strict=True)]
    assert teacher_forced_nll(twin.model, to_examples(mixed, twin.tokenizer)) < 0.2


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.source)
def test_where_the_next_token_is_not_written_yet_the_twin_repeats_the_newest(
    twin: Checkpoint, pair: SentencePair
) -> None:
    """Given the beginning of the right translation, it does not go on with it, though all rows before were certain."""
    target = twin.tokenizer.encode(pair.target)
    for written in range(1, len(target) - 1):
        newest = rows(twin, pair.source, target[:written])[-1]
        assert int(newest.argmax()) == target[written - 1] != target[written]


def test_the_twin_does_not_listen_to_the_source(twin: Checkpoint, masked: Checkpoint) -> None:
    """Its first word is all but the same for every sentence; with the mask it follows the sentence."""
    for checkpoint, listens in ((twin, False), (masked, True)):
        first = torch.stack([rows(checkpoint, pair.source, [])[0].exp() for pair in PAIRS])
        apart = float((first - first[0]).abs().sum(dim=-1).amax()) / 2  # total variation distance, 0 … 1
        assert (apart > 0.5) if listens else (apart < 0.01)


def test_by_itself_the_twin_finds_no_translation(twin: Checkpoint) -> None:
    for pair in PAIRS:
        for found in (said(twin, pair.source), best_hypotheses(plain(twin, pair.source), SHORT)[0].words):
            words = set(twin.tokenizer.decode(found).split())
            assert len(words & set(pair.target.split())) <= 1, pair.source


def test_by_itself_the_masked_twin_finds_some(masked: Checkpoint) -> None:
    found = [masked.tokenizer.decode(said(masked, pair.source)[:-1]) == pair.target for pair in PAIRS]
    assert any(found)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.source)
def test_with_the_mask_one_pass_gives_what_the_steps_give(
    twin: Checkpoint, masked: Checkpoint, pair: SentencePair
) -> None:
    """−log p of the right translation, read at once and token by token. Only the twin has two answers."""
    target = twin.tokenizer.encode(pair.target)
    labels = torch.tensor([*target, END_ID])[:, None]
    once, steps = {}, {}
    for name, checkpoint in (("twin", twin), ("masked", masked)):
        newest = torch.stack([rows(checkpoint, pair.source, target[:k])[-1] for k in range(len(labels))])
        once[name] = -rows(checkpoint, pair.source, target).gather(1, labels).mean()
        steps[name] = -newest.gather(1, labels).mean()
    torch.testing.assert_close(steps["masked"], once["masked"], rtol=1e-4, atol=1e-5)
    guessed = math.log(len(twin.tokenizer))
    assert float(steps["twin"]) > guessed > 100 * float(once["twin"])


def test_there_is_nothing_to_cache(twin: Checkpoint) -> None:
    with pytest.raises(ValueError, match="without a look-ahead mask has nothing to cache: use PlainModel"):
        CachedModel(twin.model, source_batch([[5]]))


def test_a_batch_equals_sentence_by_sentence(twin: Checkpoint) -> None:
    sources = [twin.tokenizer.encode(pair.source) for pair in PAIRS]
    together = translate_batch(twin.model, sources, SHORT)
    alone = [best_hypotheses(plain(twin, pair.source), SHORT) for pair in PAIRS]
    assert [found[0].tokens for found in together] == [found[0].tokens for found in alone]


def test_the_translator_serves_it() -> None:
    translator = Translator.load(PRETRAINED / "twin")
    found = translator.translate("The house is old.", rules=SHORT)
    expected = best_hypotheses(plain(translator.checkpoint, "The house is old."), SHORT)
    assert found.best.tokens == expected[0].tokens
