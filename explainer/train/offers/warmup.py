"""An experiment: the same small model with the norm after or before each sublayer, with and without warm-up.

The task is made on the spot (say the symbols of the source in reverse), so that anybody can repeat it:
`python -m explainer measure warmup` writes what the page about the schedule shows.
"""

import bisect
import dataclasses
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from explainer.files import PRETRAINED, write_bytes
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import UNKNOWN_ID
from explainer.train.learning.batches import Example
from explainer.train.learning.loop import Trainer, TrainStep

FILE = PRETRAINED / "warmup" / "runs.json"
FIRST, EVERY = 20, 6  # all of the first steps are kept, then one in so many


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What all runs of the experiment have in common.

    Attributes:
        symbols: Different symbols that sentences are made of, `shortest` to `longest` of them.
        sentences: How many fresh sentences make an epoch.
        n_layers: Encoder layers, and as many decoder layers.
        peak: Highest learning rate, kept to the end.
        warmup: Steps in which it is reached, in the runs with warm-up.
        max_tokens: Positions in a batch, a side.
        clip: Bound on the norm of the gradient.
    """

    symbols: int = 10
    shortest: int = 3
    longest: int = 7
    sentences: int = 6400
    n_layers: int = 6
    d_model: int = 64
    n_heads: int = 4
    d_ff: int = 128
    peak: float = 2e-3
    warmup: int = 100
    steps: int = 600
    max_tokens: int = 256
    clip: float = 1.0


@dataclass(frozen=True, kw_only=True)
class WarmupRun:
    """One run.

    Attributes:
        norm: "post" or "pre".
        warmup: Steps of warm-up; 1 is none.
        seed: Of the first weights and of the order of the data.
        steps: The steps, from 1, at which the others were taken.
        nll: −log p per target token in nats: the mean since the step before.
        gradient_norm: Of all weights together, before it was clipped; the largest since the step before.
        update: Root mean square of the change of a weight in this step, in units of the learning rate.
    """

    norm: str
    warmup: int
    seed: int
    steps: tuple[int, ...]
    nll: tuple[float, ...]
    gradient_norm: tuple[float, ...]
    update: tuple[float, ...]

    def index_at(self, step: int) -> int:
        """Where in the curves the last point up to `step` stands."""
        return max(0, bisect.bisect_right(self.steps, step) - 1)

    def moved(self, peak: float) -> tuple[float, ...]:
        """Root mean square of the change of a weight in these steps; `peak` is the highest learning rate."""
        rates = (peak * min(1.0, step / self.warmup) for step in self.steps)
        return tuple(rate * update for rate, update in zip(rates, self.update, strict=True))

    @property
    def last_loss(self) -> float:
        """Mean −log p over the last 10 points."""
        return sum(self.nll[-10:]) / len(self.nll[-10:])


@dataclass(frozen=True)
class Experiment:
    """The recipe and the runs that were made by it."""

    recipe: Recipe
    runs: tuple[WarmupRun, ...]

    def run(self, norm: str, *, warm: bool, seed: int) -> WarmupRun:
        """One of them; LookupError if there is none."""
        for run in self.runs:
            if (run.norm, run.warmup > 1, run.seed) == (norm, warm, seed):
                return run
        raise LookupError(f"no run with norm = {norm!r}, warm = {warm}, seed = {seed}")

    @property
    def seeds(self) -> list[int]:
        """The seeds of which all four runs are there."""
        counted = Counter(run.seed for run in self.runs)
        return sorted(seed for seed, count in counted.items() if count == 4)


def reversals(recipe: Recipe, epoch: int) -> list[Example]:
    """Fresh sentences of random symbols, whose translation is the same symbols in reverse."""
    chance = random.Random(f"reverse {epoch}")
    examples = []
    for _ in range(recipe.sentences):
        length = chance.randint(recipe.shortest, recipe.longest)
        source = [UNKNOWN_ID + 1 + chance.randrange(recipe.symbols) for _ in range(length)]
        examples.append(Example(source, source[::-1]))
    return examples


def trainer_of(recipe: Recipe, norm: str, warmup: int, seed: int) -> Trainer:
    """A new model and its trainer: the learning rate rises to the peak in `warmup` steps and stays there."""
    torch.manual_seed(seed)
    sizes = {name: getattr(recipe, name) for name in ("d_model", "n_heads", "d_ff")}
    layers = dict.fromkeys(("n_encoder_layers", "n_decoder_layers"), recipe.n_layers)
    fields = {"vocab_size": UNKNOWN_ID + 1 + recipe.symbols, "dropout": 0.0, "norm": norm}
    config = TransformerConfig.from_json(fields | sizes | layers)
    return Trainer(
        Transformer(config),
        lambda epoch: reversals(recipe, epoch),
        learning_rate=lambda step: recipe.peak * min(1.0, step / warmup),
        max_tokens=recipe.max_tokens,
        smoothing=0.0,
        clip=recipe.clip,
        weight_decay=0.0,
        seed=seed,
    )


def warmup_run(recipe: Recipe, norm: str, warmup: int, seed: int) -> WarmupRun:
    """Train once and keep the curves."""
    trainer = trainer_of(recipe, norm, warmup, seed)
    weights = list(trainer.model.parameters())
    before = torch.nn.utils.parameters_to_vector(weights).detach()
    points: list[tuple[int, float, float, float]] = []
    since: list[TrainStep] = []
    for report in trainer.steps():
        since.append(report)
        after = torch.nn.utils.parameters_to_vector(weights).detach()
        if report.step <= FIRST or report.step % EVERY == 0 or report.step >= recipe.steps:
            update = float((after - before).square().mean().sqrt()) / report.learning_rate
            nll = sum(one.nll for one in since) / len(since)
            points.append((report.step, nll, max(one.gradient_norm for one in since), update))
            since = []
        before = after
        if report.step >= recipe.steps:
            break
    steps, nll, norms, updates = zip(*points, strict=True)
    return WarmupRun(
        norm=norm, warmup=warmup, seed=seed, steps=steps, nll=nll, gradient_norm=norms, update=updates
    )


def experiment(recipe: Recipe, seeds: Iterable[int]) -> Iterator[Experiment]:
    """The experiment as it grows: four runs for each seed, post- and pre-norm, with and without warm-up."""
    runs: list[WarmupRun] = []
    for seed, norm, warmup in itertools.product(seeds, ("post", "pre"), (recipe.warmup, 1)):
        runs.append(warmup_run(recipe, norm, warmup, seed))
        yield Experiment(recipe, tuple(runs))


def save_experiment(experiment: Experiment, path: Path = FILE) -> None:
    """Write the recipe and the curves, one curve on a line, four digits each."""
    runs = [
        json.dumps({name: _rounded(value) for name, value in dataclasses.asdict(run).items()})
        for run in experiment.runs
    ]
    recipe = json.dumps(dataclasses.asdict(experiment.recipe))
    write_bytes(path, f'{{"recipe": {recipe},\n"runs": [\n{f",{chr(10)}".join(runs)}\n]}}\n'.encode())


def load_experiment(path: Path = FILE) -> Experiment:
    """Read what `save_experiment` wrote; ValueError says why the file is not that."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        runs: list[dict[str, Any]] = [
            {name: tuple(v) if isinstance(v, list) else v for name, v in run.items()}
            for run in fields["runs"]
        ]
        return Experiment(Recipe(**fields["recipe"]), tuple(WarmupRun(**run) for run in runs))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path}: not the runs of the warm-up experiment ({error})") from error


def _rounded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [one if isinstance(one, int) else float(f"{one:.4g}") for one in value]
    return value
