"""What a model was at the saved steps of its training: what it said then, and where it looked.

A run folder holds the weights of its steps, so that any sentence can be asked. Of the shipped translator only what the
models of some steps did with a few sentences is kept (`pretrained/translator/moments`): their weights would be large.
"""

import contextlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

from explainer.capture.trace import Trace
from explainer.equations.output import LOG_PROB
from explainer.files import PRETRAINED, write_json
from explainer.measures.anatomy import TOKENS
from explainer.model.config import MAX_STEP
from explainer.text.tidy import tidy
from explainer.text.tokenizer import END_ID
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.reports import read_report
from explainer.translator.translator import Translator

SHIPPED = PRETRAINED / "translator" / "moments"
_MOST = 12  # saved steps of a run that are looked at


@dataclass(frozen=True, eq=False)
class Moment:
    """What the model of one step did with a sentence pair; `text` is what it said itself.

    `trace` has attention weights, masks and embeddings of the pass that was forced to the target, the same target for
    every step: matrices of different steps can be compared. `nats` is −log p of each token of the target.
    """

    step: int
    text: str
    trace: Trace
    nats: Float[np.ndarray, " target"]

    @property
    def total(self) -> float:
        """−log p of the whole target, in nats."""
        return float(self.nats.astype(np.float64).sum())

    @property
    def mean(self) -> float:
        """Nats per token of the target."""
        return self.total / len(self.nats)


@dataclass(frozen=True)
class Pair:
    """An English sentence and the German all steps are forced to: what the last says, `ended` by `</s>` or cut."""

    source: str
    target: str
    ended: bool = True


def pair_of(translator: Translator, source: str) -> Pair:
    """A sentence with the translation of this model."""
    found = translator.translate(source)
    return Pair(source, found.text, found.ended)


def is_kept(name: str) -> bool:
    """The hook points of a moment's trace."""
    return name.endswith(("attend.hook_weights", "attend.hook_mask")) or name in TOKENS.values()


def moment_of(translator: Translator, pair: Pair) -> Moment:
    """What the model of one step does with a sentence pair, forced to its German."""
    words = translator.checkpoint.tokenizer.encode(tidy(pair.target))
    ids = words if words and not pair.ended else [*words, END_ID]
    trace = translator.trace(pair.source, ids, wanted=lambda name: is_kept(name) or name == LOG_PROB)
    rows = trace[LOG_PROB]
    nats = -rows[np.arange(len(ids)), list(ids)]
    arrays = {name: array for name, array in trace.items() if name != LOG_PROB}
    text = translator.translate(pair.source).text
    return Moment(translator.checkpoint.step, text, Trace(arrays, trace.info), nats)


@dataclass(frozen=True)
class KeptMoments:
    """Moments of a few sentence pairs, read from a folder that `keep` wrote; steps ascend.

    `valid_nll`: mean −log p per token (nats) on the validation pairs, by step; steps not measured are missing.
    """

    folder: Path
    pairs: tuple[Pair, ...]
    steps: tuple[int, ...]
    valid_nll: dict[int, float]

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> "KeptMoments":
        """Read the folder's index.

        Raises:
            ValueError: it is missing or something else; says which file.
        """
        path = folder / "moments.json"
        try:
            about = json.loads(path.read_text(encoding="utf-8"))
            pairs = tuple(Pair(**pair) for pair in about["pairs"])
            steps = tuple(int(step) for step in about["steps"])
            valid_nll = {int(step): float(nll) for step, nll in about["valid_nll"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}: not an index of moments ({error})") from error
        return cls(folder, pairs, steps, valid_nll)

    def at(self, step: int, pair: Pair) -> Moment:
        """One of the moments; ValueError if its files are not there or broken."""
        name = _name(step, self.pairs.index(pair))
        trace = Trace.load(self.folder / f"{name}.npz")
        path = self.folder / f"{name}.json"
        try:
            about = json.loads(path.read_text(encoding="utf-8"))
            return Moment(step, str(about["text"]), trace, np.array(about["nats"], dtype=np.float32))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: not a moment ({error})") from error


@dataclass(frozen=True)
class RunMoments:
    """Moments of any sentence, computed from the weights that a run saved; `valid_nll` as in `KeptMoments`.

    `steps` are at most a dozen of its saved steps, close together at the beginning, where most happens.
    """

    run: RunFolder
    steps: tuple[int, ...]
    valid_nll: dict[int, float]

    @classmethod
    def load(cls, run: RunFolder, last: int = MAX_STEP) -> "RunMoments":
        """Look at what a run has saved, up to the step `last`; ValueError if it saved nothing yet."""
        steps = [step for step in run.saved_steps() if step <= last]
        if not steps:
            raise ValueError(f"{run.path}: no step has been saved yet")
        return cls(run, spread(steps, _MOST), valid_nll_of(run))

    def pair(self, source: str) -> Pair:
        """The sentence with the translation of the last step."""
        return pair_of(Translator.load(self.run.step_folder(self.steps[-1])), source)

    def at(self, step: int, pair: Pair) -> Moment:
        """What the model of a step does with a sentence pair; CheckpointError if its weights cannot be read."""
        return moment_of(Translator.load(self.run.step_folder(step)), pair)


def spread(steps: Sequence[int], most: int) -> tuple[int, ...]:
    """The first and the last of the steps and others between, `most` in all, even in their square roots."""
    if len(steps) <= most:
        return tuple(steps)
    roots = [math.sqrt(step) for step in steps]
    wanted = [roots[0] + (roots[-1] - roots[0]) * i / (most - 1) for i in range(most)]
    return tuple(sorted({min(steps, key=lambda step: abs(math.sqrt(step) - want)) for want in wanted}))


def valid_nll_of(run: RunFolder) -> dict[int, float]:
    """Mean −log p per token on the validation pairs, by step, as the run measured it; unreadable lines are skipped."""
    path, found = run.path / "metrics.jsonl", {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        if b"valid_nll" in line:
            with contextlib.suppress(ValueError, KeyError):
                report = read_report(line)
                found[report["step"]] = report["valid_nll"]
    return found


def keep(
    folder: Path,
    checkpoints: Sequence[Path],
    sources: Sequence[str],
    *,
    valid_nll: dict[int, float],
) -> KeptMoments:
    """Write what the models of some steps do with some English sentences; `valid_nll` as in `KeptMoments`.

    There is a checkpoint folder for each step, ascending; all are forced to the translations of the last.
    """
    folder.mkdir(parents=True, exist_ok=True)
    last = Translator.load(checkpoints[-1])
    pairs = tuple(pair_of(last, source) for source in sources)
    steps = []
    for path in checkpoints:
        translator = Translator.load(path)
        steps.append(translator.checkpoint.step)
        for number, pair in enumerate(pairs):
            moment = moment_of(translator, pair)
            name = _name(moment.step, number)
            moment.trace.save(folder / f"{name}.npz")
            write_json(folder / f"{name}.json", {"text": moment.text, "nats": moment.nats.tolist()})
    index = {
        "pairs": [pair.__dict__ for pair in pairs],
        "steps": steps,
        "valid_nll": {str(step): nll for step, nll in valid_nll.items()},
    }
    write_json(folder / "moments.json", index)
    return KeptMoments.load(folder)


def _name(step: int, number: int) -> str:
    return f"{step:06d}-{number + 1}"
