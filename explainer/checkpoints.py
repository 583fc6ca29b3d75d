"""A checkpoint folder ↔ a model and its tokenizer. Only JSON and safetensors: nothing in it can execute."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from explainer.files import write_bytes, write_json
from explainer.model import FAMILIES
from explainer.model.config import MAX_STEP, one_of, whole
from explainer.model.families import Network, family_of
from explainer.text.tokenizer import Tokenizer

CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
SIZE_LIMIT = 512 * 2**20  # bytes of the weights; the other files have smaller ones
LIMITS = {CONFIG: 2**16, TOKENIZER: 32 * 2**20}
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
Model = TypeVar("Model", bound=Network)


class CheckpointError(ValueError):
    """A checkpoint folder cannot be used; the message names the file, the field and what was expected."""


@dataclass(frozen=True)
class Checkpoint(Generic[Model]):
    """A model in eval mode (float32), its tokenizer, its optimiser steps, and the SHA-256 of its weights file."""

    model: Model
    tokenizer: Tokenizer
    step: int
    sha256: str

    @cached_property
    def digest(self) -> str:
        """Of weights, configuration and vocabulary: what the model makes of a text depends on nothing else."""
        config = json.dumps(self.model.config.to_json(), sort_keys=True)
        whole = "\n".join((self.sha256, config, self.tokenizer.to_str()))
        return hashlib.sha256(whole.encode()).hexdigest()


def save_checkpoint(
    folder: Path, model: Network, tokenizer: Tokenizer, *, step: int, dtype: torch.dtype = torch.float32
) -> None:
    """Write the folder. `dtype` is that of the stored weights; they are float32 again when loaded."""
    tensors = {name: value.detach().to(dtype).contiguous().cpu() for name, value in weights_of(model).items()}
    write_bytes(folder / WEIGHTS, save(tensors))
    write_bytes(folder / TOKENIZER, tokenizer.to_str().encode())
    write_json(folder / CONFIG, {"model": family_of(model).name, "step": step, **model.config.to_json()})


def load_checkpoint(folder: Path) -> Checkpoint[Any]:
    """Read and check the folder.

    Raises:
        CheckpointError: a file is missing, truncated, too large or not what its name says; a field of the
            configuration is unknown or out of bounds; a tensor's name, shape or dtype is not the model's.
    """
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder; expected one with {CONFIG}, {TOKENIZER}, {WEIGHTS}")
    config, step = read_config(folder / CONFIG)
    try:
        tokenizer = Tokenizer.from_str(_read(folder / TOKENIZER).decode())
    except ValueError as error:  # UnicodeDecodeError is one
        raise CheckpointError(f"{folder / TOKENIZER}: {error}") from error
    if len(tokenizer) != config.vocab_size:
        raise CheckpointError(
            f"{folder / TOKENIZER}: {len(tokenizer)} entries, but {CONFIG} says vocab_size = {config.vocab_size}"
        )
    tensors = read_tensors(folder / WEIGHTS, _expected(config))  # before memory is taken for the model
    model = family_of(config).module(config)
    for name, value in weights_of(model).items():
        value.data.copy_(tensors[name])
    digest = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
    return Checkpoint(model.eval().requires_grad_(False), tokenizer, step, digest)


def _expected(config: Any) -> dict[str, tuple[int, ...]]:
    """Name and shape of every weight, read off a model of the same build and tiny sizes: it takes no memory.

    (PyTorch's device "meta" would tell them too, but imports its compiler, a second of CPU time.)
    """
    tiny, sizes = config.outline()
    weights = weights_of(family_of(config).module(tiny))
    return {name: tuple(sizes[size] for size in value.shape) for name, value in weights.items()}


def weights_of(model: Network) -> dict[str, Tensor]:
    """The parameters by name, a matrix that has several names (tied weights) once."""
    return dict(model.named_parameters(remove_duplicate=True))


def read_tensors(path: Path, expected: dict[str, tuple[int, ...]]) -> dict[str, Tensor]:
    """The tensors of a safetensors file, if they are the expected ones; CheckpointError if not."""
    _check_size(path)
    try:
        with safe_open(path, framework="pt") as file:
            found = set(file.keys())
            for name in sorted(expected.keys() | found):
                if name not in found:
                    raise CheckpointError(f"{path}: tensor {name} is missing")
                if name not in expected:
                    raise CheckpointError(f"{path}: tensor {name} is not part of the model")
                part = file.get_slice(name)
                shape, dtype = tuple(part.get_shape()), part.get_dtype()
                if shape != expected[name]:
                    raise CheckpointError(
                        f"{path}: tensor {name} has shape {shape}, expected {expected[name]}"
                    )
                if dtype not in DTYPES:
                    raise CheckpointError(
                        f"{path}: tensor {name} is {dtype}, expected one of {', '.join(DTYPES)}"
                    )
            tensors = {name: file.get_tensor(name) for name in expected}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path}: not a complete safetensors file ({error})") from error
    for name, value in tensors.items():
        if not bool(value.isfinite().all()):
            raise CheckpointError(f"{path}: tensor {name} holds values that are not finite")
    return tensors


def read_config(path: Path) -> tuple[Any, int]:
    """The configuration of the model and the steps it was trained for; CheckpointError says what is wrong."""
    try:
        fields: Any = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: not JSON ({error})") from error
    if not isinstance(fields, dict):
        raise CheckpointError(f"{path}: expected an object of fields, found {type(fields).__name__}")
    kind, step = fields.pop("model", None), fields.pop("step", 0)
    try:
        one_of("model", kind, tuple(FAMILIES))
        return FAMILIES[kind].config.from_json(fields), whole("step", step, 0, MAX_STEP)
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{path}: {error}") from error


def _read(path: Path) -> bytes:
    _check_size(path)
    return path.read_bytes()


def _check_size(path: Path) -> None:
    if not path.is_file():
        raise CheckpointError(f"{path}: missing")
    limit = min(SIZE_LIMIT, LIMITS.get(path.name, SIZE_LIMIT))
    if path.stat().st_size > limit:
        raise CheckpointError(f"{path}: {path.stat().st_size:,} bytes, the limit is {limit:,}")
