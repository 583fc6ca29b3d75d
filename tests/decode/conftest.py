"""A small random model and its source, shared by the tests of searches."""

import pytest
from torch import Tensor

from explainer.model.transformer import Transformer
from tests.peers import random_model, random_sources

VOCAB = 300  # beyond the vocabulary up to which every candidate is sorted


@pytest.fixture(scope="module")
def model() -> Transformer:
    return random_model(vocab_size=VOCAB, seed=2)


@pytest.fixture(scope="module")
def source() -> Tensor:
    return random_sources(6, vocab_size=VOCAB)
