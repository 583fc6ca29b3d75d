"""The page about the output head without a browser: its numbers are the model's, with and without changes."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.pages.frame.models import translator
from tests.pages.app import MONEY, array, figure, matrix, opened_on, said, traced


def page(sentence: str = MONEY, **query: str) -> AppTest:
    return opened_on("output_head", sentence, **query)


def bars(app: AppTest) -> dict[str, tuple[list[int | None], np.ndarray]]:
    """Name of each distribution → the tokens of its bars, and their heights."""
    return {
        trace["name"]: ([token for _, token in trace["customdata"]], array(trace["x"]))
        for trace in figure(app, "candidates")["data"]
    }


def test_the_bars_are_the_models_probabilities_over_the_whole_vocabulary() -> None:
    app = page(row="3", k="5")
    log_probs = traced(MONEY)["head.hook_log_probs"][2]
    ((tokens, heights),) = bars(app).values()
    listed = [token for token in tokens if token is not None]
    np.testing.assert_allclose(heights[:-1], np.exp(log_probs[listed]), atol=1e-6)
    np.testing.assert_allclose(heights.sum(), 1.0, atol=1e-5)
    assert listed[0] == int(log_probs.argmax())


def test_a_temperature_is_a_second_distribution_beside_the_models() -> None:
    app = page(row="2", T="2")
    logits = traced(MONEY)["head.hook_logits"][1].astype(np.float64)
    heated = np.exp(logits / 2) / np.exp(logits / 2).sum()
    both = bars(app)
    assert list(both) == ["model probability", "tempered, T = 2.0"]
    tokens, heights = both["tempered, T = 2.0"]
    listed = [token for token in tokens if token is not None]
    np.testing.assert_allclose(heights[:-1], heated[listed], atol=1e-6)
    model = np.exp(traced(MONEY)["head.hook_log_probs"][1])
    np.testing.assert_allclose(both["model probability"][1][:-1], model[listed], atol=1e-6)


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


def test_a_change_shows_both_distributions_of_the_same_tokens() -> None:
    app = page(row="2")
    app.toggle(key="if-uniform").set_value(True).run()
    assert not app.exception
    both = bars(app)
    assert list(both) == ["before", "after"]
    for name, trace in (("before", traced(MONEY)), ("after", traced(MONEY, "uniform:cross"))):
        tokens, heights = both[name]
        listed = [token for token in tokens if token is not None]
        np.testing.assert_allclose(heights[:-1], np.exp(trace["head.hook_log_probs"][1, listed]), atol=1e-5)
    ids = translator().translate(MONEY).ids
    strip = matrix(app, "rows")
    for line, trace in zip(strip, (traced(MONEY), traced(MONEY, "uniform:cross")), strict=True):
        expected = [np.exp(row[token]) for row, token in zip(trace["head.hook_log_probs"], ids, strict=True)]
        np.testing.assert_allclose(line, expected, atol=1e-5)


def test_the_difference_is_after_minus_before() -> None:
    n_layers = translator().checkpoint.model.config.n_decoder_layers
    spec = f"unnormed:decoder.{n_layers}.feed_forward"
    app = page(row="2", what=spec, show="difference")
    ((tokens, heights),) = bars(app).values()
    listed = [token for token in tokens if token is not None]
    after, before = (
        np.exp(traced(MONEY, *specs)["head.hook_log_probs"][1, listed]) for specs in ((spec,), ())
    )
    np.testing.assert_allclose(heights[:-1], after - before, atol=1e-5)
    assert figure(app, "candidates")["layout"]["xaxis"]["range"][0] < -1


BICYCLE = "My sister bought a red bicycle yesterday."


@pytest.mark.parametrize("sentence", [MONEY, BICYCLE])
def test_the_first_row_shown_is_the_one_whose_bar_is_shortest(sentence: str) -> None:
    app = page(sentence)
    chosen = matrix(app, "rows")[-1]
    least = int(chosen.argmin())
    assert f"Row {least + 1}, " in said(app)
    assert f"probability {chosen[least]:.3f}. No row is less sure of its token." in said(app)
    probs = np.exp(traced(sentence)["head.hook_log_probs"][least].astype(np.float64))
    entropy = -(probs * np.log(probs)).sum()
    assert f"The entropy of the selected row's whole distribution is {entropy:.2f} nats." in said(app)


def test_another_row_names_the_least_sure_one() -> None:
    shortest = matrix(page(BICYCLE), "rows")[-1]
    least = int(shortest.argmin()) + 1
    other = 1 if least != 1 else 2
    words = said(page(BICYCLE, row=str(other)))
    assert f"The row that is least sure of its token is {least}, " in words
    assert f"{shortest.min():.3f}. The entropy" in words


def test_the_selected_token_has_a_line_of_its_own_in_the_softmax() -> None:
    """The token 3053 is far from the most probable ones of row 3."""
    app = page(BICYCLE, row="3", next="3053")
    logit = float(traced(BICYCLE)["head.hook_logits"][2, 3053])
    written = f"{logit:.5f}"
    formulas = [one.value for one in app.latex if r"\ln \Sigma" in one.value]
    assert len(formulas) == 1
    assert rf"e^{{{written}}} &=&" in formulas[0]
    assert rf"{written} - \ln" in formulas[0]


def test_a_dollar_stays_a_dollar_in_labels() -> None:
    """Between two unescaped ones Markdown reads a formula."""
    spelled = translator().checkpoint.tokenizer.piece
    bare, spaced = (i for i in range(len(translator().checkpoint.tokenizer)) if spelled(i).strip() == "$")
    app = page(row="1", next=str(bare), other=str(spaced))
    margin = next(one.proto for one in app.get("button_group") if one.proto.label.endswith("against"))
    assert margin.label == r"\$ against"
    assert margin.options[-1].content == r"\$"
