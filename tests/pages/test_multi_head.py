"""The page about several heads without a browser: all heads, how they are joined, and what each is worth."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.equations.softmax import entropy
from explainer.figures.heat.multiples import tile_of
from explainer.figures.style import number
from explainer.pages.frame.models import translator
from tests.pages.app import MONEY, array, figure, matrix, opened_on, table_of, traced


def page(**query: str) -> AppTest:
    app = opened_on("multi_head", MONEY, **query)
    assert not app.error  # a formula that differs from the model
    return app


@pytest.mark.parametrize(
    "what", [(), ("temperature:decoder.1:0.3", "off:encoder.2.2")], ids=["plain", "changed"]
)
@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_all_heads_of_the_layer_are_the_models(kind: str, what: tuple[str, ...]) -> None:
    app = page(kind=kind, layer="2", head="1", **({"what": "~".join(what)} if what else {}))
    path = {
        "encoder": "encoder.layers.1.self",
        "decoder": "decoder.layers.1.self",
        "cross": "decoder.layers.1.cross",
    }
    expected = traced(MONEY, *what)[f"{path[kind]}_attention.attend.hook_weights"]
    shown = matrix(app, "beside")
    n_keys, seen = expected.shape[2], np.zeros(len(expected), dtype=int)
    for y, x in np.argwhere(np.isfinite(shown)):
        head, key = tile_of(int(x), n_keys, len(expected))
        assert shown[y, x] == pytest.approx(expected[head, y, key], abs=1e-6)
        seen[head] += 1
    n_allowed = np.tril(np.ones(expected.shape[1:])).sum() if kind == "decoder" else expected[0].size
    assert seen.tolist() == [n_allowed] * len(expected)


def test_the_difference_is_after_minus_before() -> None:
    spec = "temperature:encoder.2.1:0.3"
    app = page(kind="encoder", layer="2", head="1", what=spec, show="difference")
    path = "encoder.layers.1.self_attention.attend.hook_weights"
    difference = traced(MONEY, spec)[path] - traced(MONEY)[path]
    n_keys = difference.shape[2]
    np.testing.assert_allclose(matrix(app, "beside")[:, :n_keys], difference[0], atol=1e-6)
    assert np.abs(difference[0]).max() > 0.01
    assert (difference[1:] == 0).all()


def test_the_table_tells_entropy_and_shares() -> None:
    app = page(kind="encoder", layer="1", head="2")
    weights = traced(MONEY)["encoder.layers.0.self_attention.attend.hook_weights"].astype(float)
    table = table_of(app, "what it does here")
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert len(rows) == len(weights)
    for head, row in enumerate(rows):
        mean = float(entropy(weights[head]).mean())
        assert row[2].startswith(f"{mean:.2f} of ")
        assert row[heading.index("on itself")] == number(float(np.diagonal(weights[head]).mean()))
        before = np.diagonal(weights[head], offset=-1)
        assert row[heading.index("on token before")] == number(float(before.mean()))


def test_the_effects_are_those_of_switching_off_one_by_one() -> None:
    app = page(kind="cross", layer="3", head="1")
    bars = figure(app, "effects")["data"][0]
    ids = translator().translate(MONEY).ids

    def log_prob(*specs: str) -> float:
        return sequence_log_prob(traced(MONEY, *specs)[LOG_PROB], ids)

    shown = array(bars["x"])
    assert len(shown) == 12
    assert np.abs(shown).tolist() == sorted(np.abs(shown).tolist(), reverse=True)
    for value, (_, layer, head) in list(zip(shown, bars["customdata"], strict=True))[:4]:
        alone = log_prob(f"off:cross.{layer + 1}.{head + 1}") - log_prob()
        assert value == pytest.approx(alone, abs=2e-4)


def test_the_concatenation_holds_the_heads_side_by_side() -> None:
    app = page(kind="decoder", layer="1", head="3", cell="2.1", dim="5")
    mixed = traced(MONEY)["decoder.layers.0.self_attention.attend.hook_mixed"]
    np.testing.assert_allclose(matrix(app, "joined"), np.concatenate(mixed, axis=1), atol=1e-6)
    assert figure(app, "joined")["layout"]["meta"]["grid"]["selected"] == {"x": 2 * 64 + 4, "y": 1}
    assert any("C = " in text.value for text in app.latex)


@pytest.mark.parametrize("what", [(), ("off:cross.2.3",)], ids=["plain", "changed"])
def test_what_the_heads_add_sums_to_the_number_of_the_output(what: tuple[str, ...]) -> None:
    query = {"kind": "cross", "layer": "2", "head": "1", "cell": "3.1", "out": "70", "stage": "output C W_O"}
    app = page(**query, **({"what": "~".join(what)} if what else {}))
    expected = traced(MONEY, *what)["decoder.layers.1.cross_attention.hook_output"]
    np.testing.assert_allclose(matrix(app, "joined"), expected, atol=1e-5)
    table = table_of(app, "the model's number")
    cells = [float(text.replace("−", "-")) for text in re.findall(r"−?\d+\.\d+", table)]
    *parts, whole = cells
    assert whole == pytest.approx(expected[2, 69], abs=6e-4)
    assert sum(parts) == pytest.approx(whole, abs=4e-3)
    assert (parts[2] == 0) == bool(what)  # the head that is off adds nothing


def test_the_last_head_of_a_layer_cannot_be_switched_off() -> None:
    app = page(kind="encoder", layer="1", head="1", what="off:encoder.1.1~off:encoder.1.2~off:encoder.1.3")
    assert app.toggle(key="if-off-3").disabled
    assert any("keep at least one" in text.value for text in app.caption)
    assert app.toggle(key="if-off-0").value
