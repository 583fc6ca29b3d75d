"""Matrices on pages without a browser: under a change, and as a difference, each is what the model has at its hooks."""

from typing import Any

import numpy as np
import pytest

from explainer.capture.trace import Trace
from explainer.figures.style import number
from tests.pages.app import MONEY, figure, matrix, opened_on, said, traced

STEPS = ("hook_q", *(f"attend.hook_{made}" for made in ("dots", "scores", "masked", "weights", "mixed")))
STAGES = {
    "before": "feed_forward_residual.hook_before",
    "update": "feed_forward.hook_output",
    "sum": "feed_forward_residual.hook_sum",
    "normalised": "feed_forward_residual.norm.hook_normalized",
    "output": "feed_forward_residual.hook_after",
}
ATTENTION = {
    "encoder": "encoder.layers.1.self_attention",
    "decoder": "decoder.layers.1.self_attention",
    "cross": "decoder.layers.1.cross_attention",
}
HEAD = {"kind": "decoder", "layer": "2", "head": "3", "cell": "3.2"}
BLOCK = {"side": "decoder", "layer": "2", "sublayer": "feed_forward", "cell": "3.17"}
OUTPUT = {"kind": "cross", "layer": "2", "cell": "3.1", "out": "70", "stage": "output C W_O"}
PANELS: list[tuple[str, dict[str, str], str, str, list[str], Any]] = [  # page, link, panel, change, hooks, their part
    *(
        ("self_attention", {**HEAD, "step": str(step)}, "made", "unscaled:decoder.1~score:decoder.2.3:3.1:4.5",
         [f"{ATTENTION['decoder']}.{hook}"], 2)
        for step, hook in enumerate(STEPS, 1)
    ),
    *(
        ("masks", {**HEAD, "stage": stage}, panel, "ahead", [f"{ATTENTION['decoder']}.attend.hook_{panel}"], 2)
        for stage, panel in {"S + M": "masked", "weights A": "weights"}.items()
    ),
    *(
        ("cross_attention", {"layer": "2", "head": "3", "stage": stage}, "matrix", "uniform:cross.1",
         [f"{ATTENTION['cross']}.{hook}"], 2)
        for stage, hook in {"keys": "hook_k", "output Z": "attend.hook_mixed"}.items()
    ),
    *(
        ("multi_head", {"kind": kind, "layer": "2"}, "beside", "temperature:decoder.1:0.3~off:encoder.2.2",
         [f"{path}.attend.hook_weights"], np.s_[:])
        for kind, path in ATTENTION.items()
    ),
    ("multi_head", {**HEAD, "dim": "5"}, "joined", "off:decoder.2.1",
     [f"{ATTENTION['decoder']}.hook_concat"], np.s_[:]),
    ("multi_head", OUTPUT, "joined", "off:cross.2.3", [f"{ATTENTION['cross']}.hook_output"], np.s_[:]),
    *(
        ("blocks", {**BLOCK, "stage": stage}, "matrix", "unnormed:decoder.1.cross_attention",
         [f"decoder.layers.1.{hook}"], np.s_[:])
        for stage, hook in STAGES.items()
    ),
    ("tokens", {"row": "4", "cell": "4.11", "dims": "11"}, "rows", "replace:4:1698",
     ["source_embedding.hook_token", "source_embedding.hook_scaled"], np.s_[:, 10:16]),
    *(
        ("positions", {"side": side, "cell": "2.9", "dims": "9"}, "sum", f"unplaced:{side}",
         [f"{side}_embedding.hook_{part}" for part in ("scaled", "position", "sum")], np.s_[:, 8:12])
        for side in ("source", "target")
    ),
]  # fmt: skip


def beside(arrays: list[np.ndarray]) -> np.ndarray:
    """Matrices as one, with an empty column between them."""
    gap = np.full((len(arrays[0]), 1), np.nan)
    return np.hstack([one for array in arrays for one in (array, gap)][:-1])


def masked_out(trace: Trace, hook: str) -> np.ndarray | bool:
    """Where the mask forbids; False for arrays of which it is no part."""
    module, _, name = hook.rpartition(".")
    return ~trace[f"{module}.hook_mask"] if name in ("hook_masked", "hook_weights") else False


@pytest.mark.parametrize("show", ["after", "difference"])
@pytest.mark.parametrize(("page", "link", "panel", "change", "hooks", "part"), PANELS)
def test_a_matrix_is_what_the_model_has(
    page: str, link: dict[str, str], panel: str, change: str, hooks: list[str], part: Any, show: str
) -> None:
    app = opened_on(page, MONEY, what=change, show=show, **link)
    before, after = traced(MONEY), traced(MONEY, *change.split("~"))
    arrays = []
    for hook in hooks:
        values, hidden = after[hook].astype(np.float64), masked_out(after, hook)
        if show == "difference":
            hidden = hidden & masked_out(before, hook)
            with np.errstate(invalid="ignore"):
                values -= before[hook]
        values[hidden | ~np.isfinite(values)] = np.nan
        arrays += list(np.atleast_3d(values[part].T).T)
    shown = matrix(app, panel)
    np.testing.assert_allclose(shown, beside(arrays), rtol=1e-5, atol=1e-5)
    assert not app.error  # a formula that differs from the model
    if panel != "beside":
        selected = figure(app, panel)["layout"]["meta"]["grid"]["selected"]
        told = beside([after[hook][part] for hook in hooks])[selected["y"], selected["x"]]
        assert f"The model has {number(float(told), 4)} there" in said(app)
