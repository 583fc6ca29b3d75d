"""Forward pass, greedy and beam search against Hugging Face's Marian with the same weights.

    python tests/benchmarks/bench_decode.py [rounds]

writes tests/benchmarks/results/decode.json: medians over rounds of the ratio of process CPU times; lower is faster.
All candidates take turns in one process, on one thread. Two of them bound what any search with these weights can do on
this machine: "products alone" is the encoder and the matrix products of our search and nothing else; "weights read"
adds up every weight of the decoder once per token, which is what its memory allows.
"""

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
sys.path.insert(0, str(Path(__file__).parents[2]))

import torch
import transformers
from torch import Tensor
from transformers import MarianMTModel

from explainer.decode.search.beam import BeamRules, beam_search, best_hypotheses
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.tree import SearchTree
from explainer.decode.sources.transformer import CachedModel
from explainer.model.layout import column_major
from explainer.model.transformer import Transformer
from tests.peers import random_model, random_sources, to_marian

RESULTS = Path(__file__).parent / "results" / "decode.json"
SIZES: dict[str, Any] = {
    "vocab_size": 8000,
    "d_model": 256,
    "n_heads": 8,
    "d_ff": 1024,
    "n_encoder_layers": 3,
    "n_decoder_layers": 3,
}
COMPUTED_ONCE = ("cross_attention.key", "cross_attention.value")
N_TOKENS = 24
TARGETS = {"forward 12 → 12": 0.85, "greedy 24": 0.40, "beam 4, 24": 0.45}


def race(candidates: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """CPU seconds of each candidate in each round; one call of each goes before, untimed."""
    for run in candidates.values():
        run()
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, run in candidates.items():
            started = time.process_time()
            run()
            seconds[name].append(time.process_time() - started)
    return seconds


def report(seconds: dict[str, list[float]], against: str, calls: int = 1) -> dict[str, float]:
    """Median milliseconds of one call of the candidate `against`, and each other's median ratio to it."""
    ratios = {name: ratio(seconds, name, against) for name in seconds if name != against}
    return {f"{against}, ms": round(1000 * statistics.median(seconds[against]) / calls, 1), **ratios}


def ratio(seconds: dict[str, list[float]], one: str, other: str) -> float:
    """Median over rounds of the time of `one` over that of `other`."""
    return round(statistics.median(a / b for a, b in zip(seconds[one], seconds[other], strict=True)), 3)


def forward(model: Transformer, as_loaded: Transformer, peer: MarianMTModel, rounds: int) -> dict[str, float]:
    """Log-probabilities of one sentence pair of 12 and 12 tokens."""
    source, target = random_sources(12, vocab_size=8000), random_sources(12, vocab_size=8000, seed=1)
    mask = torch.ones_like(source)

    def theirs() -> Tensor:
        logits = peer(input_ids=source, attention_mask=mask, decoder_input_ids=target, use_cache=False).logits
        return logits.log_softmax(dim=-1)

    with torch.inference_mode():
        torch.testing.assert_close(model(source, target), theirs(), rtol=0, atol=1e-5)
        candidates = {
            "marian": theirs,
            "ours": lambda: model(source, target),
            "ours, weights row by row": lambda: as_loaded(source, target),
        }
        seconds = race({name: five_times(run) for name, run in candidates.items()}, rounds)
        return report(seconds, "marian", calls=5)


def five_times(run: Callable[[], object]) -> Callable[[], None]:
    """A run that is long enough for the clock."""
    return lambda: [run() for _ in range(5)].clear()


def search(
    model: Transformer, as_loaded: Transformer, peer: MarianMTModel, beam_size: int, rounds: int
) -> dict[str, float]:
    """24 tokens from a sentence of 12; no token ends a hypothesis."""
    source = random_sources(12, vocab_size=8000)
    mask, penalty = torch.ones_like(source), LengthPenalty("huggingface", 1.0)
    rules = BeamRules(
        beam_size=beam_size, max_new_tokens=N_TOKENS, penalty=penalty, early_stopping=False, end_id=8000
    )

    def theirs() -> tuple[int, ...]:
        options = {"early_stopping": False} if beam_size > 1 else {}
        found = cast(Any, peer).generate(
            input_ids=source, attention_mask=mask, num_beams=beam_size, max_new_tokens=N_TOKENS,
            do_sample=False, eos_token_id=8000, **options,
        )  # fmt: skip
        return tuple(found[0, 1:].tolist())

    def ours() -> tuple[int, ...]:
        return best_hypotheses(CachedModel(model, source), rules)[0].tokens

    assert ours() == theirs()
    weights = [
        (linear.weight.t(), linear.bias)
        for name, linear in model.decoder.named_modules()
        if isinstance(linear, torch.nn.Linear) and not name.endswith(COMPUTED_ONCE)
    ]
    seconds = race(
        {
            "marian": theirs,
            "ours": ours,
            "ours, every step kept": lambda: list(beam_search(CachedModel(model, source), rules)),
            "ours, tree recorded": lambda: SearchTree.of(beam_search(CachedModel(model, source), rules)),
            "ours, weights row by row": lambda: best_hypotheses(CachedModel(as_loaded, source), rules),
            "products alone": lambda: products(model, source, weights, beam_size),
            "weights read": lambda: read(model, weights),
        },
        rounds,
    )
    return {
        **report(seconds, "marian"),
        "every step kept / not": ratio(seconds, "ours, every step kept", "ours"),
        "tree recorded / not": ratio(seconds, "ours, tree recorded", "ours"),
    }


@torch.inference_mode()
def products(
    model: Transformer, source: Tensor, weights: Sequence[tuple[Tensor, Tensor]], n_rows: int
) -> None:
    """The encoder and the matrix products of a search, on rows that mean nothing."""
    model.encode(source)
    rows = {width: torch.zeros(n_rows, width) for width in (256, 1024)}
    for _ in range(N_TOKENS):
        for weight, bias in weights:
            torch.addmm(bias, rows[len(weight)], weight)
        torch.matmul(rows[256], model.head.table.T)


def read(model: Transformer, weights: Sequence[tuple[Tensor, Tensor]]) -> None:
    """Every weight of the decoder and of the output head, once for each token."""
    for _ in range(N_TOKENS):
        for weight, _ in weights:
            weight.sum()
        model.head.table.sum()


def machine() -> dict[str, object]:
    """What the numbers were measured on; load above 1 or so says that others were at work."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "load": [round(x, 1) for x in os.getloadavg()],
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def main() -> None:
    """Measure, print, and write the results."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    model, as_loaded = random_model(**SIZES), random_model(**SIZES)
    column_major(model)
    models = model, as_loaded, to_marian(as_loaded)
    results: dict[str, Any] = {
        "machine": machine(),
        "rounds": rounds,
        "forward 12 → 12": forward(*models, rounds),
        "greedy 24": search(*models, 1, rounds),
        "beam 4, 24": search(*models, 4, rounds),
    }
    for name, target in TARGETS.items():
        results[name]["target"] = target
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2, ensure_ascii=False))  # noqa: T201


if __name__ == "__main__":
    main()
