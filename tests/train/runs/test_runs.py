"""Run folders: averages, requests, and what a killed process leaves behind."""

import dataclasses
import json
from pathlib import Path

import pytest
import torch

from explainer.checkpoints import CheckpointError, save_checkpoint, weights_of
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.averaging import average
from explainer.train.learning.request import TrainRequest
from explainer.train.runs.folder import RunFolder
from tests.conftest import randomized

REQUEST = TrainRequest(corpus="pairs.tsv")


def test_an_average_is_the_mean(tmp_path: Path, tiny_config: TransformerConfig, tokenizer: Tokenizer) -> None:
    config = dataclasses.replace(tiny_config, vocab_size=len(tokenizer))
    models = [randomized(Transformer(config)) for _ in range(3)]
    folders = [tmp_path / str(i) for i in range(3)]
    for folder, model in zip(folders, models, strict=True):
        save_checkpoint(folder, model, tokenizer, step=1)
    mean = Transformer(config)
    average(folders, mean)
    for name, value in weights_of(mean).items():
        expected = torch.stack([weights_of(model)[name] for model in models]).mean(dim=0)
        torch.testing.assert_close(value, expected, msg=name)
    average(folders[:1] * 3, mean)
    for name, value in weights_of(mean).items():
        assert torch.equal(value, weights_of(models[0])[name]), name


def test_an_average_of_nothing_or_of_another_model_is_an_error(
    tmp_path: Path, tiny_config: TransformerConfig, tokenizer: Tokenizer
) -> None:
    model = randomized(Transformer(dataclasses.replace(tiny_config, vocab_size=len(tokenizer))))
    with pytest.raises(CheckpointError, match="no checkpoint to average"):
        average([], model)
    save_checkpoint(tmp_path, model, tokenizer, step=1)
    with pytest.raises(CheckpointError, match=r"has shape .*, expected"):
        average([tmp_path], Transformer(dataclasses.replace(model.config, d_ff=24)))


def test_a_request_survives_the_file(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    request = dataclasses.replace(REQUEST, dropout=0.25, tie_embeddings=False, norm="pre")
    folder.create(request)
    assert folder.request() == request
    with pytest.raises(FileExistsError, match="already holds a run"):
        folder.create(REQUEST)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "missing; is .* a run folder"),
        ("no json", "request.json: "),
        ("[]", "request.json: "),
        ('{"corpus": "a", "colour": 1}', "field = 'colour'"),
        ('{"corpus": "a", "steps": 0}', "steps = 0: must be at least 1"),
        ("{}", "corpus"),
        (f'{{"corpus": "{"a" * 2**16}"}}', "more than 65,536 bytes"),
        ("[" * 60_000, "nested too deep"),
    ],
)
def test_a_wrong_request_file_is_named(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "request.json").write_text(content)
    with pytest.raises(ValueError, match=message):
        RunFolder(tmp_path).request()


@pytest.mark.parametrize(
    "wrong",
    [
        *({name: 0} for name in ("steps", "warmup", "save_every", "max_tokens", "vocab_size", "peak")),
        *({name: -0.1} for name in ("mix_share", "concatenated", "weight_decay", "decay", "dropout")),
        *({name: 1.5} for name in ("smoothing", "decay", "dropout")),
        *({name: "odd"} for name in ("schedule", "precision", "norm", "positions")),
        {"d_model": 10, "n_heads": 3},
        *(
            {name: 10**400}
            for name in ("steps", "warmup", "save_every", "max_tokens", "seed", "d_model", "peak")
        ),
        *({name: float("nan")} for name in ("peak", "mix_share", "smoothing", "dropout", "weight_decay")),
        *({name: True} for name in ("steps", "seed", "n_heads")),
        {"steps": 10**9},
    ],
    ids=lambda wrong: str(wrong)[:40],
)
def test_an_impossible_request_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError), match=next(iter(wrong))):  # the shape checker may be first
        TrainRequest.from_json({"corpus": "a", **wrong})


def test_metrics_of_steps_that_were_not_saved_are_dropped(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.forget_after(3)  # there is nothing yet
    for step in range(1, 6):
        folder.append({"step": step, "loss": 1.0})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 6, "lo')  # killed while it wrote
    folder.forget_after(3)
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [1, 2, 3]


def test_saved_steps_are_ordered_and_half_saved_ones_are_not_seen(tmp_path: Path) -> None:
    for name in ("000500", "001000", ".001500", "notes", "1000000"):
        (tmp_path / "steps" / name).mkdir(parents=True)
    assert RunFolder(tmp_path).saved_steps() == [500, 1000, 1000000]
    assert RunFolder(tmp_path / "nothing").saved_steps() == []


def test_saving_a_step_again_replaces_it(
    tmp_path: Path, tiny_config: TransformerConfig, tokenizer: Tokenizer
) -> None:
    model = randomized(Transformer(dataclasses.replace(tiny_config, vocab_size=len(tokenizer))))
    folder = RunFolder(tmp_path)
    (folder.path / "steps" / ".70").mkdir(parents=True)
    (folder.path / "steps" / ".70" / "rest of a killed process").touch()
    for _ in range(2):
        folder.save_step(model, tokenizer, 70)
    assert sorted(p.name for p in folder.step_folder(70).iterdir()) == [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    ]
