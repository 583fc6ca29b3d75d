"""What it costs to look: a captured forward pass and an attention picture, each against the usual tool.

    python tests/benchmarks/bench_capture.py [rounds]

writes tests/benchmarks/results/capture.json. Ratios are medians over rounds, lower is better. The picture is compared
with bertviz if that can be imported; it is no dependency: `pip install --no-deps bertviz && pip install ipython`.
"""

import json
import sys
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import torch
import transformers
from torch import Tensor
from transformers import MarianMTModel

from explainer.capture.record import record
from explainer.capture.trace import Trace
from explainer.figures.heat.matrix import labels, matrix
from explainer.figures.heat.thumbnails import thumbnails
from explainer.figures.style import LIGHT
from explainer.model.layout import column_major
from explainer.model.transformer import Transformer
from explainer.pages.frame.panel import encoded
from tests.benchmarks.bench_decode import SIZES, five_times, machine, race, ratio, report
from tests.peers import random_model, random_sources, to_marian

RESULTS = Path(__file__).parent / "results" / "capture.json"
WEIGHTS = "attend.hook_weights"
N_PICTURE = 40  # tokens on either side
KINDS = (
    "encoder.layers.{}.self_attention",
    "decoder.layers.{}.self_attention",
    "decoder.layers.{}.cross_attention",
)


def against_marian(model: Transformer, peer: MarianMTModel, rounds: int) -> dict[str, float]:
    """One sentence pair of 12 and 12 tokens. Marian returns its attention weights and nothing else."""
    source, target = random_sources(12, vocab_size=8000), random_sources(12, vocab_size=8000, seed=1)
    mask = torch.ones_like(source)
    peer.set_attn_implementation("eager")  # transformers' fused kernels return no weights

    @torch.inference_mode()
    def theirs() -> tuple[Tensor, ...]:
        out = cast(Any, peer)(
            input_ids=source,
            attention_mask=mask,
            decoder_input_ids=target,
            use_cache=False,
            output_attentions=True,
        )
        out.logits.log_softmax(dim=-1)
        return (*out.encoder_attentions, *out.decoder_attentions, *out.cross_attentions)

    def weights_only() -> Trace:
        return record(model, source, target, wanted=lambda name: name.endswith(WEIGHTS))

    @torch.inference_mode()
    def nothing() -> Tensor:
        return model(source, target)

    for name, weights in zip(attentions(model), theirs(), strict=True):
        np.testing.assert_allclose(weights_only()[name], weights[0], atol=1e-5)
    seconds = race(
        {
            "marian": five_times(theirs),
            "ours, nothing captured": five_times(nothing),
            "ours, attention weights captured": five_times(weights_only),
            "ours, everything captured": five_times(lambda: record(model, source, target)),
        },
        rounds,
    )
    return {
        **report(seconds, "marian", calls=5),
        "target": 0.85,
        "hook points": len(record(model, source, target)),
        "everything / nothing": ratio(seconds, "ours, everything captured", "ours, nothing captured"),
        "everything / nothing, target": 1.05,
    }


def attentions(model: Transformer) -> list[str]:
    """Names of the weights of every attention: encoder, decoder, cross; layer by layer."""
    layers = range(model.config.n_decoder_layers)
    return [f"{kind.format(layer)}.{WEIGHTS}" for kind in KINDS for layer in layers]


def picture(model: Transformer, rounds: int) -> dict[str, Any]:
    """Bytes and time of the weights of one sentence pair of 40 and 40 tokens, from the trace to what is sent.

    bertviz always sends every head of the encoder, the decoder and the cross-attention. We send the head that is
    looked at, and a small picture of every head of its kind.
    """
    source = random_sources(N_PICTURE, vocab_size=8000)
    target = random_sources(N_PICTURE, vocab_size=8000, seed=1)
    trace = record(model, source, target, wanted=lambda name: name.endswith((WEIGHTS, "attend.hook_mask")))
    words = [f"word{i}" for i in range(N_PICTURE)]
    encoder, decoder, cross = np.split(np.stack([trace[name] for name in attentions(model)]), 3)
    allowed = trace[attentions(model)[-1].replace("weights", "mask")][0]

    def one_head() -> str:
        figure = matrix(
            cross[0, 0],
            labels(words),
            labels(words),
            LIGHT,
            kind="weights",
            row_title="query",
            column_title="key",
            allowed=allowed,
            selected=(1, 1),
        )
        return json.dumps(encoded(figure))

    def small_heads() -> str:
        return json.dumps(encoded(thumbnails(cross, allowed, LIGHT, selected=(0, 0), starred=(0, 0))))

    def both() -> str:
        return one_head() + small_heads()

    found: dict[str, Any] = {"one head, bytes": len(one_head()), "thumbnails, bytes": len(small_heads())}
    try:
        from bertviz import head_view  # pyright: ignore[reportMissingImports]: compared with if it is there
    except ImportError as error:
        return {**found, "bertviz": f"skipped: {error}"}

    def theirs() -> str:
        given = [[torch.tensor(layer)[None] for layer in kind] for kind in (encoder, decoder, cross)]
        return head_view(
            encoder_attention=given[0],
            decoder_attention=given[1],
            cross_attention=given[2],
            encoder_tokens=words,
            decoder_tokens=words,
            html_action="return",
        ).data

    n_bytes = {"bertviz": len(theirs()), "one head": len(one_head()), "with thumbnails": len(both())}
    seconds = race({"bertviz": theirs, "one head": one_head, "with thumbnails": both}, rounds)
    return {
        "bytes": {
            **n_bytes,
            "ratio": round(n_bytes["with thumbnails"] / n_bytes["bertviz"], 4),
            "target": 0.15,
        },
        "time": {**report(seconds, "bertviz"), "target": 0.1},
    }


def main() -> None:
    """Measure, print, and write the results."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    model = random_model(**SIZES)
    peer = to_marian(model)
    column_major(model)
    results = {
        "machine": machine(),
        "rounds": rounds,
        "forward 12 → 12, captured": against_marian(model, peer, rounds),
        "attention picture, 40 tokens": picture(model, rounds),
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=2, ensure_ascii=False))  # noqa: T201


if __name__ == "__main__":
    main()
