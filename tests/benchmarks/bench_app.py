"""The app against the clock: a change on Translate beside an empty rerun, and the way to the first picture.

    python tests/benchmarks/bench_app.py

writes tests/benchmarks/results/app.json. Server times are process CPU time without a browser.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "app.json"
ROOT = Path(__file__).parents[2]
QUIET = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "PYTHONPATH": str(ROOT)}
OURS = """
import torch; torch.set_num_threads(1)
from explainer.translator import Translator
t = Translator.load(); t.trace("I have some money.", t.translate("I have some money.").ids)
"""
MARIAN = """
import torch; torch.set_num_threads(1)
from transformers import MarianConfig, MarianMTModel
m = MarianMTModel(MarianConfig(vocab_size=8192, d_model=256, encoder_layers=4, decoder_layers=3,
    encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=1024, decoder_ffn_dim=1024,
    pad_token_id=0, eos_token_id=2, decoder_start_token_id=1)).eval()
with torch.inference_mode():
    m(input_ids=torch.tensor([[5, 6, 7, 8, 9, 2]]), decoder_input_ids=torch.tensor([[1, 5, 6, 7]]))
"""


def milliseconds(act: Callable[[], object]) -> float:
    """Process CPU time of one call."""
    started = time.process_time()
    act()
    return 1000 * (time.process_time() - started)


def changes() -> dict[str, float]:
    """Server time and bytes of a new sentence of 12 tokens, of a click, and of an empty rerun."""
    import torch
    from streamlit.testing.v1 import AppTest

    torch.set_num_threads(1)
    empty = AppTest.from_string("import streamlit as st\nst.write('nothing')").run()
    app = AppTest.from_file(str(ROOT / "explainer" / "pages" / "main.py"), default_timeout=60).run()
    nouns = ("cat", "dog", "man", "bird", "horse", "woman", "boy", "girl", "bear", "king", "cow", "child")
    rounds = []
    for i, noun in enumerate(nouns):
        sentence = f"The old {noun} sleeps in the garden because it is tired."
        typed = milliseconds(lambda s=sentence: app.text_input(key="sentence").set_value(s).run())
        app.query_params["cell"] = f"{i % 5 + 1}.2"
        rounds.append((milliseconds(empty.run), typed, milliseconds(app.run)))
    blank, typed, clicked = (statistics.median(column) for column in zip(*rounds[2:], strict=True))
    sent = sum(len(panel.proto.SerializeToString()) for panel in app.get("bidi_component"))
    return {
        "empty rerun, ms": blank,
        "new sentence, ms": typed,
        "another cell, ms": clicked,
        "target for a change, ms": 3 * blank + 20,
        "panels, bytes": sent,
    }


def cpu_seconds(code: str) -> float:
    """CPU time of a fresh Python that runs `code`: the median of three."""
    times = []
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, "-c", code], env=QUIET, check=True, capture_output=True)
        after = os.times()
        times.append(
            after.children_user + after.children_system - before.children_user - before.children_system
        )
    return statistics.median(times)


def main() -> None:
    """Measure and write."""
    ours, marian = cpu_seconds(OURS), cpu_seconds(MARIAN)
    found = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        **changes(),
        "load, translate and trace, CPU s": ours,
        "Marian built at random and one forward pass, CPU s": marian,
        "start ratio (target 0.45)": ours / marian,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))  # noqa: T201


if __name__ == "__main__":
    main()
