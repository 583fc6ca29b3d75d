"""The model that knows its Hindi sentences by heart: it recalls them, and it is what its card says."""

import json
from pathlib import Path

import pytest

from explainer.checkpoints import Checkpoint, load_checkpoint
from explainer.decode.search.beam import best_hypotheses
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.files import PRETRAINED
from explainer.text.corpora import read_pairs
from explainer.train.learning.data import to_examples
from explainer.train.learning.forcing import teacher_forced_nll

FOLDER = PRETRAINED / "hindi"
MONEY = "मेरे पास कुछ पैसे हैं।"


@pytest.fixture(scope="module")
def hindi() -> Checkpoint:
    return load_checkpoint(FOLDER)


def found(checkpoint: Checkpoint, english: str, beam: int = 3) -> tuple[Hypothesis, ...]:
    sources = source_batch([checkpoint.tokenizer.encode(english)])
    rules = BeamRules(beam_size=beam, max_new_tokens=40)
    return best_hypotheses(CachedModel(checkpoint.model, sources), rules)


def test_a_beam_of_three_recalls_the_sentence_and_has_two_others(hindi: Checkpoint) -> None:
    best, *others = found(hindi, "I have some money.")
    assert hindi.tokenizer.decode(best.words) == MONEY
    assert len(others) == 2
    assert all(one.finished and one.log_prob < best.log_prob for one in others)
    assert min(one.log_prob for one in others) > -20  # hypotheses that are worth looking at
    assert len({hindi.tokenizer.decode(one.words) for one in (best, *others)}) == 3


def test_every_letter_of_the_example_is_a_token_and_no_byte(hindi: Checkpoint) -> None:
    pieces = hindi.tokenizer.pieces(hindi.tokenizer.encode(MONEY))
    assert "".join(pieces).strip() == MONEY
    assert not any(piece.startswith("<0x") for piece in pieces)


def test_it_remembers_what_it_was_trained_on_and_little_else(hindi: Checkpoint, shared: Path) -> None:
    losses = {}
    for part in ("train", "valid"):
        pairs = read_pairs(shared / "data" / f"tatoeba.en-hi.{part}.tsv.gz").pairs
        losses[part] = teacher_forced_nll(hindi.model, to_examples(pairs[::20], hindi.tokenizer))
    assert losses["train"] < 0.2
    assert losses["valid"] > 3


def test_the_reader_takes_the_first_two_columns(shared: Path) -> None:
    corpus = read_pairs(shared / "data" / "tatoeba.en-hi.train.tsv.gz")
    assert not corpus.bad_lines
    assert len(corpus.pairs) == 2785
    assert MONEY in {pair.target for pair in corpus.pairs if pair.source == "I have some money."}


@pytest.mark.parametrize(
    ("names", "limit"), [(("hindi",), 4_000_000), (("twin", "twin-masked"), 3_000_000)], ids=str
)
def test_the_small_models_are_small_and_their_numbers_of_their_weights(
    names: tuple[str, ...], limit: int
) -> None:
    files = [path for name in names for path in (PRETRAINED / name).iterdir()]
    parts = {"CARD.md", "config.json", "metrics.json", "model.safetensors", "tokenizer.json"}
    assert {path.name for path in files} == parts
    assert sum(path.stat().st_size for path in files) <= limit
    for name in names:
        metrics = json.loads((PRETRAINED / name / "metrics.json").read_text(encoding="utf-8"))
        checkpoint = load_checkpoint(PRETRAINED / name)
        assert (metrics["model_sha256"], metrics["model_step"]) == (checkpoint.sha256, checkpoint.step)


def test_the_card_tells_the_numbers() -> None:
    metrics = json.loads((FOLDER / "metrics.json").read_text(encoding="utf-8"))
    card = (FOLDER / "CARD.md").read_text(encoding="utf-8")
    assert f"| test | {metrics['sentences']} | {metrics['nll']:.2f} | {metrics['bleu']:.1f} |" in card
