"""The page about several heads without a browser: all heads, how they are joined, and what each is worth."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.equations.softmax import entropy
from explainer.figures.style import number
from explainer.pages.frame.models import translator
from tests.pages.app import MONEY, array, figure, opened_on, table_of, traced


def page(**query: str) -> AppTest:
    app = opened_on("multi_head", MONEY, **query)
    assert not app.error  # a formula that differs from the model
    return app


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
    shown = array(bars["x"])
    assert len(shown) == 12
    assert np.abs(shown).tolist() == sorted(np.abs(shown).tolist(), reverse=True)
    for value, (_, layer, head) in list(zip(shown, bars["customdata"], strict=True))[:4]:
        without, plain = (
            sequence_log_prob(traced(MONEY, *specs)[LOG_PROB], ids)
            for specs in ((f"off:cross.{layer + 1}.{head + 1}",), ())
        )
        assert value == pytest.approx(without - plain, abs=2e-4)


@pytest.mark.parametrize("what", [{}, {"what": "off:cross.2.3"}], ids=["plain", "changed"])
def test_what_the_heads_add_sums_to_the_number_of_the_output(what: dict[str, str]) -> None:
    query = {"kind": "cross", "layer": "2", "head": "1", "cell": "3.1", "out": "70", "stage": "output C W_O"}
    table = table_of(page(**query, **what), "the model's number")
    *parts, whole = (float(text.replace("−", "-")) for text in re.findall(r"−?\d+\.\d+", table))
    expected = traced(MONEY, *what.values())["decoder.layers.1.cross_attention.hook_output"]
    assert whole == pytest.approx(expected[2, 69], abs=6e-4)
    assert sum(parts) == pytest.approx(whole, abs=4e-3)
    assert (parts[2] == 0) == bool(what)  # the head that is off adds nothing


def test_the_last_head_of_a_layer_cannot_be_switched_off() -> None:
    app = page(kind="encoder", layer="1", head="1", what="off:encoder.1.1~off:encoder.1.2~off:encoder.1.3")
    assert app.toggle(key="if-off-3").disabled
    assert any("keep at least one" in text.value for text in app.caption)
    assert app.toggle(key="if-off-0").value
