"""The page about the output head without a browser: its numbers are the model's, with and without changes."""

from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.pages.frame.models import translator
from tests.pages.app import MONEY, array, figure, matrix, opened_on, said, traced

BICYCLE = "My sister bought a red bicycle yesterday."
page = partial(opened_on, "output_head", sentence=MONEY)


def log_probs(row: int, *specs: str, sentence: str = MONEY) -> np.ndarray:
    """What the model has for all tokens in a row, counted from 1."""
    return traced(sentence, *specs)["head.hook_log_probs"][row - 1].astype(np.float64)


def bars_are(app: AppTest, expected: dict[str, np.ndarray]) -> list[int]:
    """The bars are these numbers of the vocabulary, and one for all others. Returns the tokens."""
    drawn = figure(app, "candidates")["data"]
    assert [trace["name"] for trace in drawn] == list(expected)
    *listed, others = (token for _, token in drawn[0]["customdata"])
    assert others is None
    for trace, values in zip(drawn, expected.values(), strict=True):
        heights = array(trace["x"])
        np.testing.assert_allclose(heights[:-1], values[listed], atol=1e-5)
        np.testing.assert_allclose(heights.sum(), values.sum(), atol=1e-5)
    return listed


def test_the_bars_are_the_models_probabilities_and_tempered_beside_them() -> None:
    probs = np.exp(log_probs(3))
    listed = bars_are(page(row="3", k="5"), {"model probability": probs})
    assert listed[0] == int(probs.argmax())
    heated = np.sqrt(probs) / np.sqrt(probs).sum()
    expected = {"model probability": probs, "tempered, T = 2.0": heated}
    bars_are(page(row="3", T="2"), expected)


def test_a_change_shows_both_distributions_and_their_difference() -> None:
    app = page(row="2")
    app.toggle(key="if-uniform").set_value(True).run()
    assert not app.exception
    before, after = np.exp(log_probs(2)), np.exp(log_probs(2, "uniform:cross"))
    bars_are(app, {"before": before, "after": after})
    ids = translator().translate(MONEY).ids
    for line, specs in zip(matrix(app, "rows"), ((), ("uniform:cross",)), strict=True):
        expected = [np.exp(log_probs(row, *specs)[token]) for row, token in enumerate(ids, 1)]
        np.testing.assert_allclose(line, expected, atol=1e-5)
    app = page(row="2", what="uniform:cross", show="difference")
    bars_are(app, {"after − before": after - before})
    assert figure(app, "candidates")["layout"]["xaxis"]["range"][0] < -1


def test_the_logit_of_a_token_is_told() -> None:
    token = translator().translate(MONEY).ids[0]
    app = page(row="2", next=str(token))
    logit = traced(MONEY)["head.hook_logits"][1, token]
    assert f"The model has {logit:.4f} there".replace("-", "−") in said(app)
    strips = matrix(app, "product")
    x, w = traced(MONEY)["head.hook_x"][1], translator().parameters["head.table"][token]
    for shown, values in zip(strips, (x, w, x * w), strict=True):
        np.testing.assert_allclose(shown * np.abs(values).max(), values, atol=1e-5)


def test_the_terms_between_two_tokens_add_up_to_the_difference_of_their_logits() -> None:
    ids = translator().translate(MONEY).ids
    app = page(row="1", next=str(ids[0]), other=str(ids[1]))
    logits = traced(MONEY)["head.hook_logits"][0]
    terms = array(figure(app, "margin")["data"][0]["x"])
    np.testing.assert_allclose(terms.sum(), logits[ids[0]] - logits[ids[1]], atol=1e-3)


@pytest.mark.parametrize("sentence", [MONEY, BICYCLE])
def test_the_first_row_shown_is_the_one_whose_bar_is_shortest(sentence: str) -> None:
    app = page(sentence=sentence)
    chosen = matrix(app, "rows")[-1]
    least = int(chosen.argmin())
    assert f"Row {least + 1}, " in said(app)
    assert f"probability {chosen[least]:.3f}. No row is less sure of its token." in said(app)
    row = log_probs(least + 1, sentence=sentence)
    entropy = -(np.exp(row) * row).sum()
    assert f"The entropy of the selected row's whole distribution is {entropy:.2f} nats." in said(app)
    other = said(page(sentence=sentence, row="2" if least == 0 else "1"))
    assert f"The row that is least sure of its token is {least + 1}, " in other
    assert f"{chosen.min():.3f}. The entropy" in other


def test_the_selected_token_has_a_line_of_its_own_in_the_softmax() -> None:
    """The token 3053 is far from the most probable ones of row 3."""
    app = page(sentence=BICYCLE, row="3", next="3053")
    logit = float(traced(BICYCLE)["head.hook_logits"][2, 3053])
    written = f"{logit:.5f}"
    (formula,) = (one.value for one in app.latex if r"\ln \Sigma" in one.value)
    assert rf"e^{{{written}}} &=&" in formula
    assert rf"{written} - \ln" in formula


def test_a_dollar_stays_a_dollar_in_labels() -> None:
    """Between two unescaped ones Markdown reads a formula."""
    spelled = translator().checkpoint.tokenizer.piece
    bare, spaced = (i for i in range(len(translator().checkpoint.tokenizer)) if spelled(i).strip() == "$")
    app = page(row="1", next=str(bare), other=str(spaced))
    margin = next(one.proto for one in app.get("button_group") if one.proto.label.endswith("against"))
    assert margin.label == r"\$ against"
    assert margin.options[-1].content == r"\$"
