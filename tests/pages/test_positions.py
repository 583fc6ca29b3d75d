"""The page about positions without a browser: what it draws is what the model and the formula have."""

from functools import partial

import numpy as np
import pytest

from explainer.model.positions import sinusoidal_positions
from explainer.pages.frame.models import translator
from explainer.whatif.order import order_test
from tests.pages.app import array, figure, matrix, opened_on, said, table_of, traced

HELLO = "Hello! How are you?"
HOOKS = ("hook_token", "hook_scaled", "hook_position")
page = partial(opened_on, "positions", sentence=HELLO)


@pytest.mark.parametrize(
    ("shown", "count", "step"), [("sentence", 9, 1), ("300", 300, 1), ("3000", 3000, 10)]
)
def test_the_picture_is_the_models_own_table(shown: str, count: int, step: int) -> None:
    expected = sinusoidal_positions(count, translator().checkpoint.model.config.d_model).numpy()[::step]
    split = np.concatenate([expected[:, ::2], expected[:, 1::2]], axis=1)
    for layout, values in (("interleaved", expected), ("concatenated", split)):
        picture = matrix(page(range=shown, layout=layout), "table") / 127
        np.testing.assert_allclose(picture, values, atol=0.5 / 127 + 1e-5)


def test_curve_and_sizes_are_those_of_the_table() -> None:
    app = page(pos="7", at="9")
    table = sinusoidal_positions(300, translator().checkpoint.model.config.d_model).double().numpy()
    np.testing.assert_allclose(array(figure(app, "curve")["data"][0]["y"]), table @ table[7], atol=1e-3)
    assert f"The product of the two rows of the table is {table[7] @ table[9]:.4f}." in said(app)
    trace = traced(HELLO)
    for marks, hook in zip(figure(app, "sizes")["data"], HOOKS, strict=True):
        expected = np.linalg.norm(trace[f"source_embedding.{hook}"], axis=1)
        np.testing.assert_allclose(array(marks["x"]), expected, rtol=1e-5)


def test_the_same_words_in_another_order() -> None:
    app = page(shuffle="3")
    names = ["He", "ll", "o", "!", "How", "are", "you", "?"]
    tokenizer = translator().checkpoint.tokenizer
    ids = translator().source_ids(HELLO)
    assert [piece.strip() for piece in tokenizer.pieces(ids)] == names
    line = table_of(app, "Shuffled: ").rpartition("Shuffled: ")[2]
    shuffled = [part.replace("\\", "") for part in line.split(" · ")]
    assert shuffled[-1] == "</s>"
    order = [names.index(name) for name in shuffled[:-1]]
    found = order_test(translator().checkpoint.model, ids, order)
    drawn = matrix(app, "order")
    np.testing.assert_allclose(drawn[:, :32], found.with_positions.difference[:, :32], atol=1e-5)
    assert np.abs(drawn[:, 33:]).max() < 1e-5
    assert f"| with positions | **{found.with_positions.largest:.3f}** |" in said(app)
    app.button(key="shuffle-again").click().run()
    assert app.query_params["shuffle"] == "4"


def test_two_words_can_be_swapped_but_none_with_itself() -> None:
    app = page()
    app.selectbox(key="pick-swap-other").set_value(1).run()
    assert app.button(key="if-swap").disabled
    assert any("cannot be swapped with itself" in caption.value for caption in app.caption)
    app.selectbox(key="pick-swap-one").set_value(6).run()
    app.selectbox(key="pick-swap-other").set_value(7).run()
    app.button(key="if-swap").click().run()
    assert not app.exception
    assert app.query_params["what"] == "swap:6.7"
    expected = traced(HELLO, "swap:6.7")["source_embedding.hook_scaled"][:, :4]
    np.testing.assert_allclose(matrix(app, "sum")[:, :4], expected, atol=1e-5)


def test_a_model_with_learned_positions_has_no_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(translator().checkpoint.model.config), "positions", "learned")
    app = page()
    assert "There is no formula" in said(app)
    with pytest.raises(AssertionError, match="no panel table"):
        figure(app, "table")
