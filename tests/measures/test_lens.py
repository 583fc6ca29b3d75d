"""The logit lens: after the last layer it is the model itself."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
import torch

from explainer.capture.record import record
from explainer.capture.trace import Trace
from explainer.measures.lens import read_layers
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from tests.conftest import randomized


def seen_of(config: TransformerConfig) -> tuple[Transformer, Trace]:
    """A model of random weights, and its pass with the parameters beside it."""
    model = randomized(Transformer(config))
    trace = record(model, torch.randint(3, 31, (1, 7)), torch.randint(3, 31, (1, 5)))
    return model, trace.beside(
        {name: p.numpy() for name, p in model.named_parameters(remove_duplicate=False)}
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("tied", [True, False])
def test_after_the_last_layer_the_lens_is_the_model(
    tiny_config: TransformerConfig, norm: Literal["post", "pre"], tied: bool
) -> None:
    _, seen = seen_of(replace(tiny_config, norm=norm, tie_embeddings=tied))
    reading = read_layers(seen, 4)
    model = seen["head.hook_log_probs"]
    expected = np.sort(np.exp(model), axis=-1)[:, ::-1][:, :4]
    assert reading.ids.shape == (tiny_config.n_decoder_layers, 5, 4)
    np.testing.assert_allclose(reading.probabilities[-1], expected, rtol=1e-5)
    np.testing.assert_array_equal(reading.ids[-1], np.argsort(-model, axis=-1)[:, :4])


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_below_it_the_lens_is_the_models_own_head(
    tiny_config: TransformerConfig, norm: Literal["post", "pre"]
) -> None:
    model, seen = seen_of(replace(tiny_config, norm=norm))
    reading = read_layers(seen, 31)
    x = torch.tensor(seen["decoder.layers.0.hook_resid_post"])
    with torch.inference_mode():
        expected = model.head(model.decoder.norm(x[None]))[0].exp().numpy()
    found = np.empty_like(expected)
    np.put_along_axis(found, reading.ids[0], reading.probabilities[0], axis=-1)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
