"""The time machine without a browser: what it draws at a step is what was kept of that step."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.figures.escape import for_markdown
from explainer.moments import KeptMoments, Moment
from tests.pages.test_blocks import said
from tests.pages.test_translate import array, figure, opened

PAIR = 1


def page(**query: str) -> AppTest:
    app = opened()
    app.switch_page("time_machine.py")
    for name, value in {"pair": str(PAIR + 1), **query}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


@pytest.fixture(scope="module")
def moments() -> list[Moment]:
    kept = KeptMoments.load()
    return [kept.at(step, kept.pairs[PAIR]) for step in kept.steps]


def test_the_colours_mean_the_same_at_every_step(moments: list[Moment]) -> None:
    for number in (1, len(moments)):
        app = page(moment=str(number), kind="encoder", layer="1", head="2")
        drawn = figure(app, "moment-matrix")["data"][0]
        assert (drawn["zmin"], drawn["zmax"]) == (0, 1)
        hook = "encoder.layers.0.self_attention.attend.hook_weights"
        np.testing.assert_allclose(array(drawn["z"]), moments[number - 1].trace[hook][1], atol=1e-6)
        cosines = figure(app, "moment-cosines")["data"][0]
        assert (cosines["zmin"], cosines["zmax"]) == (-1, 1)


def test_the_cosines_are_those_of_the_embeddings(moments: list[Moment]) -> None:
    trace = moments[4].trace
    rows, columns = trace["target_embedding.hook_token"][1:], trace["source_embedding.hook_token"]
    expected = [[a @ b / np.sqrt((a @ a) * (b @ b)) for b in columns] for a in rows]
    drawn = array(figure(page(moment="5"), "moment-cosines")["data"][0]["z"])
    np.testing.assert_allclose(drawn, expected, atol=1e-5)


def test_the_use_of_positions_is_shown_beside_cross_attention_too(moments: list[Moment]) -> None:
    """The largest share on a neighbour, read off the weights of the encoder's heads."""
    expected = []
    for moment in moments:
        best = 0.0
        hooks = [name for name in moment.trace if re.fullmatch(r"encoder.*hook_weights", name)]
        for one in (head for hook in hooks for head in moment.trace[hook]):
            best = max(best, *(np.diagonal(one, side).mean() for side in (-1, 1)))
        expected.append(best)
    lines = {one["name"]: array(one["y"]) for one in figure(page(kind="cross"), "moment-curves")["data"]}
    np.testing.assert_allclose(lines["use of positions"], expected, atol=1e-5)
    assert lines["use of positions"][-1] > 2 * lines["use of positions"][0]


def test_what_each_step_said_stands_in_the_table(moments: list[Moment]) -> None:
    text = said(page(moment="3"))
    assert f"**{moments[2].mean:.2f}**" in text
    assert for_markdown(moments[-1].text) in text
