"""What the commands are tested with: a way to run them, a model that knows nothing, three sentence pairs."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from explainer.checkpoints import save_checkpoint
from explainer.cli.commands import main
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from tests.conftest import randomized

Run = Callable[..., tuple[int, str, str]]
TINY = ["--vocab-size=290", "--d-model=8", "--n-heads=2", "--d-ff=16", "--n-encoder-layers=1"]
TINY += ["--n-decoder-layers=1", "--warmup=2", "--precision=float32", "--device=cpu"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process: status, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def folder(tmp_path: Path, tiny_config: TransformerConfig, tokenizer: Tokenizer) -> Path:
    """A checkpoint that translates into nonsense, deterministically."""
    config = dataclasses.replace(
        tiny_config, vocab_size=len(tokenizer), n_encoder_layers=1, n_decoder_layers=1, max_positions=64
    )
    save_checkpoint(tmp_path / "model", randomized(Transformer(config)), tokenizer, step=70)
    return tmp_path / "model"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return written(
        tmp_path / "pairs.tsv", "The street is wide.\tDie Straße ist breit.", "Go.\tGeh.", "Go.\tLos!"
    )


def written(path: Path, *lines: str) -> Path:
    """A text file with these lines."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def refused(result: tuple[int, str, str], *said: str) -> None:
    """The command ended with status 2 and one line that says what is wrong."""
    status, out, err = result
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    for text in said:
        assert text in err
