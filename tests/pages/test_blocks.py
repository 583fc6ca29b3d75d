"""The page about blocks without a browser: what it draws is what the model has, with and without changes."""

from functools import partial

import numpy as np

from explainer.measures.flow import stream
from explainer.pages.frame.models import translator
from tests.pages.app import MONEY, array, figure, matrix, opened_on, said, traced

BICYCLE = "My sister bought a red bicycle yesterday."
page = partial(opened_on, "blocks", sentence=MONEY)


def test_hidden_units_are_those_that_their_numbers_name() -> None:
    app = page(side="encoder", layer="1", sublayer="feed_forward", stage="relu", cell="2.1", unit="77")
    drawing = figure(app, "units")
    units = [int(name) - 1 for name in drawing["layout"]["xaxis"]["ticktext"]]
    trace = traced(MONEY)
    assert 76 in units
    hidden = trace["encoder.layers.0.feed_forward.hook_pre"][1]
    assert int(hidden.argmax()) == units[0]
    assert int(hidden.argmin()) == units[-1]
    post = trace["encoder.layers.0.feed_forward.hook_post"]
    np.testing.assert_allclose(array(drawing["data"][0]["z"]), post[:, units], atol=1e-6)
    zeros = array(figure(app, "zeros")["data"][0]["x"])
    np.testing.assert_allclose(zeros, (post <= 0).mean(axis=1), atol=1e-6)


def test_no_residual_replaces_the_sum_and_shows_both_streams() -> None:
    app = page(side="encoder", layer="2", sublayer="self_attention", stage="sum")
    app.toggle(key="if-unadded").set_value(True).run()
    assert not app.exception
    plain, changed = traced(MONEY), traced(MONEY, "unadded:encoder.2.self_attention")
    replaced = changed["encoder.layers.1.self_attention.hook_output"]
    np.testing.assert_allclose(matrix(app, "matrix"), replaced, atol=1e-6)
    lines = {(line["name"], line["xaxis"]): array(line["y"]) for line in figure(app, "depth")["data"]}
    row = figure(app, "matrix")["layout"]["meta"]["grid"]["selected"]["y"]
    for name, trace in (("selected token", changed), ("before the changes", plain)):
        expected = stream(trace, "encoder")[:, row]
        np.testing.assert_allclose(lines[name, "x"], expected, rtol=1e-4)
    assert any("✕ x is not added" in str(trace.get("text")) for trace in figure(app, "block")["data"])


def test_the_lens_ends_with_what_the_model_says() -> None:
    app = page(row="2")
    shown = matrix(app, "lens")
    best = np.exp(traced(MONEY)["head.hook_log_probs"].max(axis=1))
    np.testing.assert_allclose(shown[:, -1], best, atol=1e-5)
    assert f"{best[1]:.3f}" in said(app)


def test_a_stage_that_attention_lacks_is_left_in_silence() -> None:
    app = page(side="encoder", sublayer="self_attention", stage="relu")
    assert not app.toast
    assert app.query_params.get("stage") is None


def ratios_of(sentence: str) -> np.ndarray:
    """‖f(x)‖ / ‖x‖ of the encoder, [layer, sublayer, token], by NumPy's own norm."""
    trace, length = traced(sentence), partial(np.linalg.norm, axis=-1)
    layers = range(translator().checkpoint.model.config.n_encoder_layers)
    paths = [f"encoder.layers.{i}.{name}" for i in layers for name in ("self_attention", "feed_forward")]
    ratios = [
        length(trace[f"{path}.hook_output"]) / length(trace[f"{path}_residual.hook_before"]) for path in paths
    ]
    return np.reshape(ratios, (len(layers), 2, -1))


def test_what_is_shown_first_is_the_largest_update_of_a_word() -> None:
    words, ratios = said(page(sentence=BICYCLE, side="encoder")), ratios_of(BICYCLE)
    tokens = traced(BICYCLE).info.source
    is_word = [any(char.isalnum() for char in token) and token != "</s>" for token in tokens]
    largest = ratios[:, :, is_word].max()
    layer, sublayer, place = np.argwhere(ratios == largest)[0]
    assert "of all tokens that are words (without punctuation and special tokens)" in words
    assert f"layer {layer + 1}" in words
    assert f"token {place + 1} {tokens[place].strip()}" in words.replace("\u2009", "")
    assert f"= {largest:.2f}; the median of all tokens is {np.median(ratios[layer, sublayer]):.2f}." in words


def test_no_special_token_is_called_a_word() -> None:
    words = said(page(sentence="😀", side="encoder"))
    assert "Shown first: of all tokens (none of them is a word)" in words


def test_the_map_says_the_same_medians_of_all_tokens() -> None:
    drawing = figure(opened_on("translate", BICYCLE), "map")
    texts = [text for trace in drawing["data"] if trace.get("mode") == "text" for text in trace["text"]]
    medians = np.median(ratios_of(BICYCLE), axis=-1)
    assert {f"{value:.2f}" for value in medians.ravel()} <= set(texts)
