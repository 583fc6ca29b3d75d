"""From a request to the examples of each epoch."""

import random
from collections.abc import Iterable
from pathlib import Path

from explainer.text.corpora import SentencePair, read_pairs
from explainer.text.grammar import generate
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.batches import Example, concatenated
from explainer.train.learning.request import TrainRequest

# Nouns and adjectives that the grammar must not pair in "… because it was too …", so that they can test it.
HELD_OUT = ("animal", "street", "road", "horse", "box", "hungry", "narrow")
_GRAMMAR_POOL = 12  # epochs' worth of different grammar sentences


class TrainingData:
    """The examples of every epoch, the same for the same request.

    An epoch holds each pair of the corpus once; fresh joined pairs and a fresh portion of grammar sentences; and
    some pairs of the corpus again without their full stop, because visitors type unfinished sentences.
    """

    def __init__(self, request: TrainRequest, tokenizer: Tokenizer | None = None) -> None:
        """Read the corpus; learn a vocabulary from it unless one is given.

        Raises:
            ValueError: the corpus holds no sentence pair.
        """
        self.request = request
        corpus = read_pairs(Path(request.corpus))
        self.report = corpus.report()
        pairs = corpus.pairs
        if not pairs:
            raise ValueError(f"nothing to learn from: {self.report}")
        pool = grammar_pairs(request, int(request.grammar * len(pairs)) * _GRAMMAR_POOL)
        portion = len(pool) // _GRAMMAR_POOL
        if tokenizer is None:
            lines = [text for pair in pairs + pool[:portion] for text in (pair.source, pair.target)]
            tokenizer = Tokenizer.train(lines, request.vocab_size)
        self.tokenizer = tokenizer
        bare = [pair for pair in map(_without_stop, pairs) if pair is not None]
        random.Random(request.seed).shuffle(bare)
        limit = self.limit = request.model_config(len(tokenizer)).max_positions
        self.corpus = fitting(to_examples(pairs, tokenizer), limit)
        if len(self.corpus) < len(pairs):
            self.report += (
                f"\n  {len(pairs) - len(self.corpus):,} pairs longer than {limit} tokens are left out"
            )
        if not self.corpus:
            raise ValueError(f"nothing to learn from: {self.report}")
        self.bare = fitting(to_examples(bare[: int(request.unpunctuated * len(pairs))], tokenizer), limit)
        self.pool, self.portion = to_examples(pool, tokenizer), portion

    def examples(self, epoch: int) -> list[Example]:
        """The examples of an epoch, counted from 0."""
        first = epoch % _GRAMMAR_POOL * self.portion
        joined = concatenated(self.corpus, self.request.concatenated, seed=self.request.seed, epoch=epoch)
        return [
            *self.corpus,
            *self.bare,
            *fitting(joined, self.limit),
            *self.pool[first : first + self.portion],
        ]


def grammar_pairs(request: TrainRequest, count: int) -> list[SentencePair]:
    """`count` pairs of the built-in grammar: half of them about *it* and its antecedent."""
    if not count:
        return []
    antecedent = generate(request.seed, count // 2, families=("antecedent",), hold_out=HELD_OUT)
    described = generate(request.seed, count - len(antecedent), families=("description",))
    pairs = [SentencePair(pair.english, pair.german) for pair in antecedent + described]
    random.Random(request.seed).shuffle(pairs)
    return pairs


def to_examples(pairs: list[SentencePair], tokenizer: Tokenizer) -> list[Example]:
    """Token ids of both sides."""
    sources = tokenizer.encode_batch([pair.source for pair in pairs])
    targets = tokenizer.encode_batch([pair.target for pair in pairs])
    return [Example(source, target) for source, target in zip(sources, targets, strict=True)]


def fitting(examples: Iterable[Example], limit: int) -> list[Example]:
    """The examples that a model with positions for `limit` tokens can read."""
    return [example for example in examples if example.length <= limit]


def _without_stop(pair: SentencePair) -> SentencePair | None:
    if pair.source[-1] != pair.target[-1] or pair.source[-1] not in ".?!":
        return None
    source, target = pair.source.rstrip(".?!"), pair.target.rstrip(".?!")
    return SentencePair(source, target) if source and target else None
