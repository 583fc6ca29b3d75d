"""From a request to the examples of each epoch."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from explainer.text.corpora import Corpus, SentencePair, read_pairs
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.batches import Example, concatenated
from explainer.train.learning.request import TrainRequest

Entry = TypeVar("Entry")


class TrainingData:
    """The examples of every epoch, the same for the same request.

    An epoch holds each pair of the corpus once; fresh joined pairs and the next portion of the file that is mixed in;
    and some pairs of the corpus again without their full stop, because visitors type unfinished sentences.
    """

    def __init__(self, request: TrainRequest, tokenizer: Tokenizer | None = None) -> None:
        """Read the corpus; learn a vocabulary from it unless one is given.

        Raises:
            ValueError: the corpus or the file to mix in holds no sentence pair.
        """
        self.request = request
        corpus = read_pairs(Path(request.corpus))
        self.report = corpus.report()
        pairs = corpus.pairs
        if not pairs:
            raise ValueError(f"nothing to learn from: {self.report}")
        mixed = pairs_to_mix(request)
        self.portion = int(request.mix_share * len(pairs))
        if tokenizer is None:
            first = portion_of(mixed.pairs, self.portion, epoch=0)
            lines = [text for pair in pairs + first for text in (pair.source, pair.target)]
            tokenizer = Tokenizer.train(lines, request.vocab_size)
        self.tokenizer = tokenizer
        bare = [pair for pair in map(_without_stop, pairs) if pair is not None]
        random.Random(request.seed).shuffle(bare)
        limit = self.limit = request.model_config(len(tokenizer)).max_positions
        self.corpus = fitting(to_examples(pairs, tokenizer), limit)
        self.report += _left_out(len(pairs) - len(self.corpus), limit)
        if not self.corpus:
            raise ValueError(f"nothing to learn from: {self.report}")
        self.bare = fitting(to_examples(bare[: int(request.unpunctuated * len(pairs))], tokenizer), limit)
        self.pool = fitting(to_examples(mixed.pairs, tokenizer), limit)
        if request.mix_share:
            left_out = _left_out(len(mixed.pairs) - len(self.pool), limit)
            if not self.pool:
                raise ValueError(f"nothing to mix in: {mixed.report()}{left_out}")
            self.report += f"\n{mixed.report()}{left_out}\n  {self.portion:,} of them in each epoch"

    def examples(self, epoch: int) -> list[Example]:
        """The examples of an epoch, counted from 0."""
        joined = concatenated(self.corpus, self.request.concatenated, seed=self.request.seed, epoch=epoch)
        return [
            *self.corpus,
            *self.bare,
            *fitting(joined, self.limit),
            *portion_of(self.pool, self.portion, epoch=epoch),
        ]


def pairs_to_mix(request: TrainRequest) -> Corpus:
    """What lies in the file that the request mixes in; nothing if it mixes in none.

    Raises:
        FileNotFoundError: an old request says how much was mixed in, but not from which file.
        OSError: the file cannot be opened or unpacked.
        ValueError: it holds no sentence pair.
    """
    if not request.mix_share:
        return Corpus("", [])
    if not request.mix:
        share = float(request.mix_share)
        raise FileNotFoundError(
            f"this run mixed in sentences ({share} × its corpus) that are a file of their own now: "
            f"go on with train --resume --mix FILE:{share}"
        )
    found = read_pairs(Path(request.mix))
    if not found.pairs:
        raise ValueError(f"nothing to mix in: {found.report()}")
    return found


def portion_of(entries: Sequence[Entry], size: int, *, epoch: int) -> list[Entry]:
    """The next `size` entries from where the epoch before stopped; after the last one comes the first."""
    return [entries[i % len(entries)] for i in range(epoch * size, (epoch + 1) * size)]


def to_examples(pairs: list[SentencePair], tokenizer: Tokenizer) -> list[Example]:
    """Token ids of both sides."""
    sources = tokenizer.encode_batch([pair.source for pair in pairs])
    targets = tokenizer.encode_batch([pair.target for pair in pairs])
    return [Example(source, target) for source, target in zip(sources, targets, strict=True)]


def fitting(examples: Iterable[Example], limit: int) -> list[Example]:
    """The examples that a model with positions for `limit` tokens can read."""
    return [example for example in examples if example.length <= limit]


def _left_out(count: int, limit: int) -> str:
    return f"\n  {count:,} pairs longer than {limit} tokens are left out" if count else ""


def _without_stop(pair: SentencePair) -> SentencePair | None:
    if pair.source[-1] != pair.target[-1] or pair.source[-1] not in ".?!":
        return None
    source, target = pair.source.rstrip(".?!"), pair.target.rstrip(".?!")
    return SentencePair(source, target) if source and target else None
