"""What tests of training share: a model with the vocabulary of the tests, and a run that has saved some steps."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from explainer.train.runs.folder import RunFolder
from tests.conftest import randomized
from tests.train.small import made

Save = Callable[..., RunFolder]


@pytest.fixture
def model(tiny_config: TransformerConfig, tokenizer: Tokenizer) -> Transformer:
    return randomized(Transformer(dataclasses.replace(tiny_config, vocab_size=len(tokenizer))))


@pytest.fixture
def save(tmp_path: Path, model: Transformer, tokenizer: Tokenizer) -> Save:
    """Lay a run that has saved these steps into the folder `runs`."""

    def saved(*steps: int, name: str = "run") -> RunFolder:
        path = tmp_path / "runs" / name
        folder = RunFolder(path) if path.exists() else made(path)
        for step in steps:
            folder.save_step(model, tokenizer, step)
        return folder

    return saved
