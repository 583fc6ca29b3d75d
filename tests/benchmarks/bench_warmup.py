"""Post-norm and pre-norm, with and without warm-up: the runs that the page about the schedule shows.

    python tests/benchmarks/bench_warmup.py [seed …]

trains four small models for each seed (about a minute each on one CPU core) and writes pretrained/warmup/runs.json.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch

from explainer.train.offers.warmup import Experiment, Recipe, WarmupRun, save_experiment, warmup_run


def main() -> None:
    """Train and write."""
    torch.set_num_threads(1)
    recipe, runs = Recipe(), list[WarmupRun]()
    for seed in map(int, sys.argv[1:] or ("1", "2", "3")):
        for norm in ("post", "pre"):
            for warmup in (recipe.warmup, 1):
                started = time.monotonic()
                runs.append(warmup_run(recipe, norm, warmup, seed))
                told = f"seed {seed}, {norm}-norm, warm-up {warmup}: {runs[-1].nll[-1]:.3f} nats at the end"
                print(f"{told}, {time.monotonic() - started:.0f} s", flush=True)  # noqa: T201
                save_experiment(Experiment(recipe, tuple(runs)))


if __name__ == "__main__":
    main()
