"""The model that a command opens, and what is asked of it."""

import dataclasses
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from explainer.cli.inputs import corpus_ids

if TYPE_CHECKING:
    from explainer.decode.search.prefixes import Hypothesis
    from explainer.decode.sources.batch import RulesFor
    from explainer.translator import Translator

Result = TypeVar("Result")


def prepare_torch(threads: int = 1) -> None:
    """Import torch for this many threads; waiting ones sleep and leave their core to others."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import torch

    torch.set_num_threads(threads)


def load(folder: Path | None, threads: int = 1) -> "Translator":
    """The translator in a checkpoint folder, or the pretrained one."""
    prepare_torch(threads)
    from explainer.translator.translator import Translator

    return Translator.load() if folder is None else Translator.load(folder)


def search(translator: "Translator", sources: list[list[int]], beam: int) -> list[tuple["Hypothesis", ...]]:
    """The hypotheses of each source, searched by the rules of the app but for the size of the beam."""
    from explainer.decode.sources.batch import translate_batch

    return translate_batch(translator.checkpoint.model, sources, rules_of(translator, beam))


def rules_of(translator: "Translator", beam: int) -> "RulesFor":
    """The rules of the app but for the size of the beam."""
    return lambda n_source: dataclasses.replace(translator.rules_for(n_source), beam_size=beam)


def told(results: Iterable[Result], total: int, every: float = 10.0) -> Iterator[Result]:
    """The results as they come; how many there are so far is told on standard error a few seconds apart."""
    started = since = time.monotonic()
    for count, result in enumerate(results, start=1):
        yield result
        now = time.monotonic()
        if now - since >= every:
            left = (total - count) * (now - started) / count
            typer.echo(f"{count:,}/{total:,}  {left / 60:.0f} min left", err=True)
            since = now


def nll_of(
    translator: "Translator", sources: list[list[int]], references: dict[str, list[str]], corpus: Path
) -> float:
    """Mean −log p of the references' tokens (nats) when the model is given those before."""
    from explainer.train.learning.batches import Example
    from explainer.train.learning.forcing import teacher_forced_nll

    examples = [
        Example(source, corpus_ids(translator, target, corpus))
        for source, targets in zip(sources, references.values(), strict=True)
        for target in targets
    ]
    return teacher_forced_nll(translator.checkpoint.model, examples)


def origin(translator: "Translator") -> dict[str, Any]:
    """Which weights made a result."""
    return {"model_sha256": translator.checkpoint.sha256, "model_step": translator.checkpoint.step}
