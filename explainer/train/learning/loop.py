"""The training loop: a generator that yields a report after every optimiser step."""

import dataclasses
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from explainer.model.families import Seq2Seq
from explainer.train.learning.batches import Batch, Example, collate, token_batches
from explainer.train.learning.forcing import summed_loss, teacher_forced_nll
from explainer.train.learning.ranks import ALONE, Ranks


@dataclass(frozen=True, kw_only=True)
class TrainStep:
    """What happened in one optimiser step. Losses are means per target token, in nats."""

    step: int
    epoch: int
    loss: float
    nll: float
    learning_rate: float
    gradient_norm: float
    n_tokens: int
    seconds: float


@dataclass(frozen=True)
class Position:
    """Where in the data the next step starts."""

    step: int = 0
    epoch: int = 0
    batch: int = 0


class Trainer:
    """A model, its optimiser, and the place in the data: all that a step needs and changes.

    Args:
        model: Is trained in place.
        examples_of: The examples of an epoch (counted from 0); the same for the same epoch.
        learning_rate: Maps a step, counted from 1, to its learning rate.
        max_tokens: Padded positions a side and batch.
        smoothing: ε of the label smoothing.
        shift_labels: Whether each row is asked for the token after the one that it reads.
        clip: Bound on the norm of the gradient of all weights together.
        weight_decay: Decoupled weight decay (Loshchilov & Hutter 2019).
        autocast: Precision of the matrix products; None computes in float32.
        seed: Of dropout and of the order of the data.
        ranks: The processes among which every batch is divided.
    """

    def __init__(
        self,
        model: Seq2Seq,
        examples_of: Callable[[int], list[Example]],
        *,
        learning_rate: Callable[[int], float],
        max_tokens: int = 4096,
        smoothing: float = 0.1,
        shift_labels: bool = True,
        clip: float = 1.0,
        weight_decay: float = 0.01,
        autocast: torch.dtype | None = None,
        seed: int = 0,
        ranks: Ranks = ALONE,
    ) -> None:
        self.model = model
        self.ranks = ranks
        self.examples_of = examples_of
        self.learning_rate = learning_rate
        self.max_tokens, self.smoothing, self.clip = max_tokens, smoothing, clip
        self.shift_labels = shift_labels
        self.autocast = autocast
        self.seed = seed
        self.device = next(model.parameters()).device
        self.position = Position()
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, weight_decay=weight_decay, fused=True
        )
        torch.manual_seed(seed + ranks.rank)

    def steps(self) -> Iterator[TrainStep]:
        """Train without end, from `position` on; the caller decides when to stop."""
        while True:
            examples = self.examples_of(self.position.epoch)
            batches = token_batches(examples, self.max_tokens, seed=self.seed, epoch=self.position.epoch)
            while self.position.batch < len(batches):
                whole = batches[self.position.batch]
                n_tokens = sum(example.n_tokens for example in whole)
                yield self.step(collate(self.ranks.share(whole)), n_tokens)
            self.position = Position(self.position.step, self.position.epoch + 1, 0)

    def step(self, batch: Batch, n_tokens: int | None = None) -> TrainStep:
        """One forward and backward pass with this process's part of a batch, and one update of the weights.

        `n_tokens` are the real tokens of the whole batch; None if this process has it all.
        """
        started = time.perf_counter()
        self.model.train()
        here = Position(self.position.step + 1, self.position.epoch, self.position.batch + 1)
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate(here.step)
        self.optimizer.zero_grad()
        loss, nll, n_labels = self.loss(batch.to(self.device))
        n_labels = self.ranks.total(n_labels)
        (loss / n_labels).backward()
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        self.ranks.sum_in_place([*gradients, loss.detach(), nll])  # they are those of the whole batch now
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        report = TrainStep(
            step=here.step,
            epoch=here.epoch,
            loss=float(loss.detach()) / n_labels,
            nll=float(nll) / n_labels,
            learning_rate=self.optimizer.param_groups[0]["lr"],
            gradient_norm=float(norm),
            n_tokens=batch.n_tokens if n_tokens is None else n_tokens,
            seconds=time.perf_counter() - started,
        )
        self.position = here
        return report

    def loss(self, batch: Batch) -> tuple[Tensor, Tensor, int]:
        """Smoothed cross-entropy and −log p of the labels, both summed (nats), and how many labels there are."""
        asked = batch if self.shift_labels else dataclasses.replace(batch, labels=batch.target)
        return summed_loss(self.model, asked, smoothing=self.smoothing, autocast=self.autocast)

    def evaluate(self, examples: list[Example]) -> float:
        """Mean −log p per target token (nats) of `examples`, without dropout."""
        self.model.eval()
        return teacher_forced_nll(self.model, examples, max_tokens=self.max_tokens, autocast=self.autocast)

    def state(self) -> dict[str, Tensor]:
        """Everything that the next step depends on, random numbers included, as tensors by name."""
        tensors = {f"model.{name}": value.data for name, value in self.model.named_parameters()}
        for name, value in self.model.named_parameters():
            for key, moment in self.optimizer.state.get(value, {}).items():
                tensors[f"optimizer.{key}.{name}"] = moment
        tensors["random"] = torch.get_rng_state()
        if self.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(self.device)
        tensors["position"] = torch.tensor(dataclasses.astuple(self.position))
        return tensors

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on where `state` was taken: exactly on the same device, on another kind with other dropout masks."""
        for name, value in self.model.named_parameters():
            value.data.copy_(tensors[f"model.{name}"])
            self.optimizer.state[value] = {
                key: tensors[f"optimizer.{key}.{name}"].to(value.device, copy=True)
                for key in ("step", "exp_avg", "exp_avg_sq")
                if f"optimizer.{key}.{name}" in tensors
            }
        if self.ranks.rank == 0:  # the state is that of the leading process
            torch.set_rng_state(tensors["random"].cpu())
            if self.device.type == "cuda" and "random.cuda" in tensors:
                torch.cuda.set_rng_state(tensors["random.cuda"].cpu(), self.device)
        self.position = Position(*tensors["position"].tolist())
