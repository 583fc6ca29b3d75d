"""The beam-width curse on sentences of the test split: BLEU, log p and length by width, search errors, exact search.

    python tests/benchmarks/bench_widths.py CORPUS.tsv.gz [sentences] [model folder]

writes `widths.json` into the model's folder (`pretrained/translator`), where the page "Strategies" reads it: numbers
only, no sentence. They belong to the model whose digest stands in the file; after a new model, measure again.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch

from explainer.cli.inputs import read_references
from explainer.cli.scores import compare
from explainer.decode.search.exact import ExactRules, ExactStep, exact_search
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.sources.batch import source_batch, translate_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.text.tidy import tidy
from explainer.translator.translator import PRETRAINED, Translator

WIDTHS = (1, 2, 4, 8, 16, 32)
LEAST_TOKENS, LIMIT, BUDGET, SEED = 8, 60, 20_000, 0
PENALTIES = {"none": LengthPenalty(), "gnmt": LengthPenalty("gnmt", 0.6)}


def chosen(
    translator: Translator, corpus: Path, count: int
) -> tuple[list[list[int]], list[list[str]], dict[str, int]]:
    """Token ids and references of `count` sentences that are not too short, drawn at random with a fixed seed."""
    references = read_references(corpus)
    encode = translator.checkpoint.tokenizer.encode
    ids = {source: encode(tidy(source)) for source in references}
    long = [source for source in references if LEAST_TOKENS <= len(ids[source]) < LIMIT]
    drawn = random.Random(SEED).sample(sorted(long), count)
    about = {"sentences": count, "least_tokens": LEAST_TOKENS, "of": len(long)}
    return [ids[source] for source in drawn], [references[source] for source in drawn], about


def measured(
    translator: Translator, best: Sequence[Hypothesis], references: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Means over the sentences."""
    texts = [translator.checkpoint.tokenizer.decode(hypothesis.words) for hypothesis in best]
    return {
        "bleu": compare(texts, references)["bleu"],
        "log_prob": statistics.mean(hypothesis.log_prob for hypothesis in best),
        "tokens": statistics.mean(map(len, best)),
        "empty": sum(not hypothesis.words for hypothesis in best),
    }


def exactly(translator: Translator, ids: Sequence[int], known: Hypothesis) -> ExactStep:
    """Exact search by log p with a budget."""
    rules = ExactRules(max_new_tokens=LIMIT, max_nodes=BUDGET)
    source = CachedModel(translator.checkpoint.model, source_batch([ids]))
    *_, last = exact_search(source, rules, known)
    return last


def main() -> None:
    """Measure, write, print."""
    corpus, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50
    folder = Path(sys.argv[3]) if len(sys.argv) > 3 else PRETRAINED / "translator"
    torch.set_num_threads(1)
    translator, started = Translator.load(folder), time.perf_counter()
    sources, references, about = chosen(translator, corpus, count)
    results: dict[str, Any] = {"model": translator.checkpoint.digest, "corpus": corpus.name, **about}
    found: dict[int, list[Hypothesis]] = {}
    for name, penalty in PENALTIES.items():
        rules = BeamRules(beam_size=1, max_new_tokens=LIMIT, penalty=penalty)
        by_width: dict[str, Any] = {}
        for width in WIDTHS:
            wide = replace(rules, beam_size=width, early_stopping=True if width == 1 else "never")
            pools = translate_batch(translator.checkpoint.model, sources, wide, batch_size=16)
            best = [pool[0] for pool in pools]
            by_width[str(width)] = measured(translator, best, references)
            if name == "none":
                found[width] = best
        results[name] = by_width
    exact = [exactly(translator, ids, max(known, key=lambda h: h.log_prob))
             for ids, *known in zip(sources, *found.values(), strict=True)]  # fmt: skip
    argmax = [step.best for step in exact if step.best is not None]
    results["exact"] = {
        **measured(translator, argmax, references),
        "proved": sum(step.outcome == "proved" for step in exact),
        "budget": BUDGET,
        "nodes": statistics.mean(step.n_expanded for step in exact),
    }
    for width, best in found.items():
        missed = [one.log_prob - 1e-4 > other.log_prob for one, other in zip(argmax, best, strict=True)]
        results["none"][str(width)]["search_errors"] = sum(missed)
    results["seconds"] = round(time.perf_counter() - started, 1)
    text = json.dumps(results, indent=1) + "\n"
    (folder / "widths.json").write_text(text, encoding="utf-8")
    print(text)  # noqa: T201


if __name__ == "__main__":
    main()
