"""A training step against Hugging Face's Marian of the same size, on the same batches.

    python tests/benchmarks/bench_train.py [rounds]

writes tests/benchmarks/results/train.json: medians over rounds of the ratio of seconds; lower is faster. A step is a
forward and a backward pass with dropout and label smoothing, the clipping of the gradient, and an update by AdamW. Both
start from one set of weights; their losses are compared before anything is timed. It runs on CUDA where there is one:
there the seconds are those of the clock, on a CPU those of the process, on one thread.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch
import transformers
from torch import Tensor
from torch.nn import functional as F

from explainer.model.transformer import Transformer
from explainer.text.tokenizer import PAD_ID
from explainer.train.learning.batches import Batch, Example, collate, token_batches
from explainer.train.learning.loop import Trainer
from explainer.train.learning.precision import choose_device
from tests.benchmarks.bench_decode import machine, ratio, report
from tests.peers import random_model, to_marian

RESULTS = Path(__file__).parent / "results" / "train.json"
SIZES: dict[str, Any] = {
    "vocab_size": 8192, "d_model": 256, "n_heads": 4, "d_ff": 1024, "n_encoder_layers": 4, "n_decoder_layers": 3,
}  # fmt: skip
MAX_TOKENS = {"cpu": 2048, "cuda": 8192}
SMOOTHING, PEAK, SEED = 0.1, 1e-3, 0
FORMATS = {"float32": None, "bfloat16": torch.bfloat16}
TARGETS = {"ours, bfloat16": 0.40, "ours / marian, bfloat16": 0.90}  # on CUDA


class MarianTrainer:
    """Marian with the loss and the optimiser of our recipe, by PyTorch's own functions."""

    def __init__(self, model: Transformer, autocast: torch.dtype | None, device: torch.device) -> None:
        peer: Any = to_marian(model).requires_grad_(True)
        self.peer = peer.to(device)
        for stack in (self.peer.model.encoder, self.peer.model.decoder):
            stack.embed_positions.requires_grad_(False)  # sinusoids
        self.autocast = autocast
        weights = [weight for weight in self.peer.parameters() if weight.requires_grad]
        self.optimizer = torch.optim.AdamW(
            weights, lr=PEAK, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.01, fused=True
        )

    def loss(self, batch: Batch) -> Tensor:
        """Smoothed cross-entropy, the mean over the labels."""
        with torch.autocast(batch.source.device.type, dtype=self.autocast, enabled=self.autocast is not None):
            logits = self.peer(
                input_ids=batch.source,
                attention_mask=batch.source != PAD_ID,
                decoder_input_ids=batch.target,
                decoder_attention_mask=batch.target != PAD_ID,
                use_cache=False,
            ).logits
        rows, labels = logits.flatten(0, 1).float(), batch.labels.flatten()
        return F.cross_entropy(rows, labels, ignore_index=PAD_ID, label_smoothing=SMOOTHING)

    def step(self, batch: Batch) -> tuple[float, float]:
        """One update; the loss and the norm of the gradient."""
        self.peer.train()
        self.optimizer.zero_grad()
        loss = self.loss(batch)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.peer.parameters(), 1.0)
        self.optimizer.step()
        return float(loss.detach()), float(norm)


def our_trainer(model: Transformer, autocast: torch.dtype | None, device: torch.device) -> Trainer:
    """Ours, as the command line makes it."""
    return Trainer(
        model.to(device).requires_grad_(True),
        lambda epoch: [],
        learning_rate=lambda step: PEAK,
        smoothing=SMOOTHING,
        autocast=autocast,
        seed=SEED,
    )


def batches(device: torch.device, count: int) -> list[Batch]:
    """Sentences of 4 to 20 random tokens, most of them short, as in the corpus; full batches only."""
    chance = random.Random(SEED)

    def sentence(length: int) -> list[int]:
        return [chance.randrange(300, SIZES["vocab_size"]) for _ in range(max(1, length))]

    examples = []
    for _ in range(20_000):
        length = min(20, 4 + int(chance.expovariate(1 / 5)))
        examples.append(Example(sentence(length), sentence(length + chance.randint(-2, 2))))
    made = token_batches(examples, MAX_TOKENS[device.type], seed=SEED, epoch=0)
    return [collate(batch).to(device) for batch in made[:count]]


def check(device: torch.device, batch: Batch) -> None:
    """Without dropout both have the same loss: what is timed computes the same."""
    model = random_model(seed=SEED, **SIZES, dropout=0.0)
    theirs = MarianTrainer(model, None, device).loss(batch)
    loss, _, n_labels = our_trainer(model, None, device).loss(batch)
    torch.testing.assert_close(loss / n_labels, theirs, rtol=1e-4, atol=1e-4)


def race(candidates: dict[str, Callable[[Batch], object]], given: list[Batch]) -> dict[str, list[float]]:
    """Seconds of each candidate for each batch, in turns; the first batch goes before, untimed."""
    is_cuda = given[0].source.is_cuda
    clock = time.perf_counter if is_cuda else time.process_time
    wait: Callable[[], None] = torch.cuda.synchronize if is_cuda else lambda: None
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for number, batch in enumerate(given):
        for name, step in candidates.items():
            wait()
            started = clock()
            step(batch)
            wait()
            if number:
                seconds[name].append(clock() - started)
    return seconds


def steps(device: torch.device, rounds: int) -> dict[str, float]:
    """One training step, in both number formats."""
    given = batches(device, rounds + 1)
    check(device, given[0])
    candidates: dict[str, Callable[[Batch], object]] = {}
    for name, autocast in FORMATS.items():
        candidates[f"marian, {name}"] = MarianTrainer(random_model(seed=SEED, **SIZES), autocast, device).step
        candidates[f"ours, {name}"] = our_trainer(random_model(seed=SEED, **SIZES), autocast, device).step
    seconds = race(candidates, given)
    return {
        "tokens in a batch": round(sum(batch.n_tokens for batch in given) / len(given)),
        **report(seconds, "marian, float32"),
        "ours / marian, bfloat16": ratio(seconds, "ours, bfloat16", "marian, bfloat16"),
    }


def main() -> None:
    """Measure, print, and write the results."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    device = choose_device("auto")
    about = machine()
    if device.type == "cuda":
        about["gpu"] = torch.cuda.get_device_name()
    results = {
        "machine": about,
        "rounds": rounds,
        f"step on {device.type}": {**steps(device, rounds), "targets on CUDA": TARGETS},
    }
    RESULTS.parent.mkdir(exist_ok=True)
    text = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
    RESULTS.write_text(text, encoding="utf-8")
    print(text, end="")  # noqa: T201


if __name__ == "__main__":
    main()
