"""The page about self-attention without a browser: every step shows the model's numbers, one pair selected."""

from functools import partial

import numpy as np
import pytest

from explainer.equations.softmax import entropy
from explainer.pages.frame.models import translator
from explainer.whatif.attention import Score
from explainer.whatif.change import fields_of
from tests.pages.app import MONEY, array, figure, matrix, opened_on, table_of, traced

HEAD = {"kind": "encoder", "layer": "2", "head": "3"}
PATH = "encoder.layers.1.self_attention.attend"
page = partial(opened_on, "self_attention", sentence=MONEY)


def test_the_pair_stays_selected_from_step_to_step() -> None:
    for step in range(1, 7):
        app = page(kind="encoder", layer="1", head="2", cell="4.2", dim="17", step=str(step))
        at = figure(app, "made")["layout"]["meta"]["grid"]["selected"]
        assert at == ({"x": 16, "y": 3} if step in (1, 6) else {"x": 1, "y": 3})


@pytest.mark.parametrize(("letter", "row"), [("Q", 3), ("K", 1), ("V", 1)])
def test_a_projection_is_of_the_query_or_of_the_key(letter: str, row: int) -> None:
    app = page(kind="encoder", layer="1", head="2", cell="4.2", dim="17", step="1", part=letter)
    assert figure(app, "made")["layout"]["meta"]["grid"]["selected"] == {"x": 16, "y": row}
    seen = traced(MONEY).under("encoder.layers.0.self_attention")
    column = matrix(app, "from-2")[:, 16]
    name = {"Q": "query", "K": "key", "V": "value"}[letter]
    bias = translator().parameters[f"encoder.layers.0.self_attention.{name}.bias"][64 + 16]
    found = seen["hook_x"][row] @ column + bias
    assert found == pytest.approx(seen[f"hook_{letter.lower()}"][1, row, 16], abs=1e-4)


def test_dividing_undoes_the_spread_and_the_colours_do_not_jump() -> None:
    steps = [page(kind="encoder", layer="3", head="1", step=str(step)) for step in (2, 3, 4)]
    dots, scores, masked = (figure(app, "made")["data"][0] for app in steps)
    assert (scores["zmin"], scores["zmax"]) == (masked["zmin"], masked["zmax"])
    assert dots["zmax"] == pytest.approx(8 * scores["zmax"])  # √64: the same picture
    relative = [array(one["z"]) / one["zmax"] for one in (dots, scores)]
    np.testing.assert_allclose(*relative, atol=1e-6)
    seen = traced(MONEY)["encoder.layers.2.self_attention.attend.hook_dots"][0]
    ends = [array(line["y"])[-1] for line in figure(steps[1], "spread")["data"][:2]]
    np.testing.assert_allclose(ends, [seen.std(), seen.std() / 8], rtol=1e-5)


def test_a_change_moves_neither_the_head_nor_the_cell_that_are_shown_first() -> None:
    plain = page()
    layer, head = place = [plain.session_state[f"choose-{name}"] for name in ("layer", "head")]
    cell = figure(plain, "made")["layout"]["meta"]["grid"]["selected"]
    changed = page(what=f"uniform:encoder.{layer}.{head}", show="difference")
    assert [changed.session_state[f"choose-{name}"] for name in ("layer", "head")] == place
    assert figure(changed, "made")["layout"]["meta"]["grid"]["selected"] == cell
    assert any(text.value.startswith("**Difference of A, weights**") for text in changed.markdown)
    assert any("Shown first: before the changes" in text.value for text in changed.caption)


def test_the_entropy_before_and_after_is_told() -> None:
    spec = "unscaled:encoder.2.3"
    before, after = (
        float(entropy(trace[f"{PATH}.hook_weights"][2].astype(float)).mean())
        for trace in (traced(MONEY), traced(MONEY, spec))
    )
    table = table_of(page(**HEAD, what=spec), "an even spread")
    assert table.splitlines()[-1].startswith(f"| {before:.3f} | {after:.3f} |")
    assert after < before


def test_the_temperature_is_a_change_in_force() -> None:
    app, spec = page(**HEAD), "temperature:encoder.2.3:0.5"
    app.slider(key="if-temperature").set_value(0.5).run()
    assert app.query_params["what"] == spec
    expected = traced(MONEY, spec)[f"{PATH}.hook_weights"][2]
    np.testing.assert_allclose(matrix(app, "made"), expected, atol=1e-6)
    app.slider(key="if-temperature").set_value(1.0).run()
    assert "what" not in app.query_params


def test_a_score_can_be_set_and_taken_back() -> None:
    app, spec = page(**HEAD, cell="4.2", step="6"), "score:encoder.2.3:4.2:9.5"
    before = matrix(app, "made")
    key = "if-score-encoder.2.3-3-1"
    typed = app.number_input(key=key)
    assert (typed.min, typed.max) == fields_of(Score)["value"].bounds == (-1000, 1000)
    typed.set_value(9.5)
    app.button(key=f"{key}-set").click().run()
    assert app.query_params["what"] == spec
    expected = traced(MONEY, spec)[f"{PATH}.hook_mixed"][2]
    np.testing.assert_allclose(matrix(app, "made"), expected, atol=1e-5)
    app.button(key=f"{key}-back").click().run()
    np.testing.assert_array_equal(matrix(app, "made"), before)


def test_the_score_of_a_masked_cell_cannot_be_set() -> None:
    app = page(kind="decoder", layer="1", head="1", cell="1.3")
    assert app.number_input(key="if-score-decoder.1.1-0-2").disabled
    assert any("masked" in text.value for text in app.caption)


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_norms_and_hidden_special_tokens(kind: str) -> None:
    path = f"{kind}.layers.0.self_attention"
    seen, output = traced(MONEY).under(path), translator().parameters[f"{path}.output.weight"]
    weights, v = seen["attend.hook_weights"][1], seen["hook_v"][1]
    allowed = seen["attend.hook_mask"][1]
    arrives = weights[:, :, None] * (v @ output[:, 64:128].T)[None]  # what each key adds to each row's output
    norms = matrix(page(kind=kind, layer="1", head="2"), "norms")
    np.testing.assert_allclose(norms[allowed], np.linalg.norm(arrives, axis=-1)[allowed], atol=1e-4)
    hidden = page(kind=kind, layer="1", head="2", measure="without special tokens")
    shown = np.nan_to_num(matrix(hidden, "norms"))
    special = 0 if kind == "decoder" else -1
    assert (shown[:, special] == 0).all()
    assert set(np.round(shown.sum(axis=1), 5)) <= {0.0, 1.0}
    assert any("not** the model's weights" in text.value for text in hidden.caption)
