"""What all tests share: one thread, a fixed seed, a small model, and the data if there is any."""

import os
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer

SHARED = Path(__file__).parent.parent.parent / "shared"
SENTENCES = (
    "The animal didn't cross the street because it was too tired.",
    "Das Tier überquerte die Straße nicht, weil es zu müde war.",
    "The street is wide and the animals are tired.",
    "Die Straße ist breit und die Tiere sind müde.",
    'She said: "How are you?" - Sie fragte: "Wie geht es dir?"',
)

settings.register_profile("glassbox", deadline=None)  # a busy machine must not fail a test
if "CI" not in os.environ:  # hypothesis has a profile for CI: no deadline, the same examples every time
    settings.load_profile("glassbox")
torch.set_num_threads(1)  # as the app does; more are slower on busy cores


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data beside the checkout; tests that need it are skipped where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"{SHARED / 'data'} is absent")
    return SHARED


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """A vocabulary of 340 entries, learnt from five sentences."""
    return Tokenizer.train(SENTENCES, vocab_size=340)


@pytest.fixture
def tiny_config() -> TransformerConfig:
    """Sizes that differ from each other, so that a swapped axis cannot fit."""
    return TransformerConfig(
        vocab_size=31,
        d_model=12,
        n_heads=3,
        d_ff=20,
        n_encoder_layers=2,
        n_decoder_layers=3,
        max_positions=40,
    )


@pytest.fixture
def tiny_model(tiny_config: TransformerConfig) -> Transformer:
    """A model of `tiny_config` in eval mode; its biases and gains are random too."""
    return randomized(Transformer(tiny_config))


def randomized(model: Transformer) -> Transformer:
    """The model in eval mode, with biases and gains that are not all 0 and 1: a forgotten one is noticed."""
    for parameter in model.requires_grad_(False).parameters():
        if parameter.dim() == 1:
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return model.eval()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What trains comes first, so that no core waits for it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
