"""A Trace: what the hook points of one forward pass saw, as read-only NumPy arrays by hook name."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

COMPUTED = (
    "@computed"  # after a hook's name: what the model computed there before an intervention replaced it
)


@dataclass(frozen=True)
class TraceInfo:
    """Whose trace it is: tokens as the vocabulary spells them, digest and steps of the weights, what was changed.

    `source` ends in `</s>`. `target`, the decoder's input, begins with `<s>`: row t of a decoder array belongs to its
    token t and predicts `predicted[t]`, of the reference or the translation, `</s>` last unless it was cut. `modules`
    is module path → name of its class: what kind of module a hook point belongs to.
    """

    source: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    predicted: tuple[str, ...] = ()
    checkpoint: str = ""
    step: int = 0
    interventions: tuple[str, ...] = ()
    modules: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Trace(Mapping[str, np.ndarray]):
    """Hook name → array, in the order of the pass; for one sentence without a batch axis: `[head, query, key]` …."""

    arrays: Mapping[str, np.ndarray]
    info: TraceInfo = field(default_factory=TraceInfo)

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.arrays[name]
        except KeyError:
            raise KeyError(
                f"{name} was not recorded; recorded are {', '.join(self.arrays) or 'no hooks'}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def under(self, module: str) -> "Trace":
        """The part of the trace that belongs to one module, its hooks named as the module names them."""
        prefix = f"{module}."
        inside = {name.removeprefix(prefix): a for name, a in self.arrays.items() if name.startswith(prefix)}
        return type(self)(inside, self.info)

    def beside(self, more: Mapping[str, np.ndarray]) -> "Trace":
        """The same trace with other arrays beside it, such as the model's parameters."""
        return type(self)({**more, **self.arrays}, self.info)

    def save(self, path: Path) -> None:
        """Write an `.npz` file: the arrays by name, and `info` as JSON text."""
        about = json.dumps(self.info.__dict__)
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **{"info": np.array(about), **self.arrays})

    @classmethod
    def load(cls, path: Path) -> "Trace":
        """Read what `save` wrote. Raises ValueError if the file is something else."""
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
                about = json.loads(str(file["info"]))
                arrays = {name: read_only(file[name]) for name in file.files if name != "info"}
            fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in about.items()}
            info = TraceInfo(**fields)
        except Exception as error:  # zip, zlib, npy and JSON each have their own
            raise ValueError(f"{path}: not a trace ({error})") from error
        return cls(arrays, info)


def read_only(array: np.ndarray) -> np.ndarray:
    """The same memory, guarded against being changed by accident."""
    view = array.view()
    view.flags.writeable = False
    return view


def everything(name: str) -> bool:
    """The predicate that asks for every hook."""
    return True


Wanted = Callable[[str], bool]
