"""Record a forward pass, and change it on the way. The one place that listens to hook points."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from explainer.capture.trace import COMPUTED, Trace, TraceInfo, Wanted, everything, read_only
from explainer.model.dropout import Dropout
from explainer.model.hooks import HookPoint, hook_names, listening

Intervention = Callable[[Tensor], Tensor]
_PARTS: "WeakKeyDictionary[nn.Module, _Parts]" = WeakKeyDictionary()


class Recorder:
    """A listener that keeps the tensors whose names are wanted and applies interventions to some of them."""

    def __init__(
        self,
        model: nn.Module,
        wanted: Wanted = everything,
        interventions: Mapping[str, Intervention] | None = None,
    ) -> None:
        """Prepare to listen to `model`.

        Raises:
            KeyError: an intervention names a hook point that the model does not have.
        """
        hooks, droppers, _ = _parts_of(model)
        self.interventions = dict(interventions or {})
        for name in self.interventions:
            if name not in hooks:
                raise KeyError(f"no hook point is called {name!r}")
        self.has_dropout = any(module.training and module.limit for module in droppers)
        self._kept = {name for name in hooks if wanted(name)}
        self._names = {
            hook: name for name, hook in hooks.items() if name in self._kept or name in self.interventions
        }
        self.heard: dict[str, Tensor] = {}

    def wants(self, hook: HookPoint) -> bool:
        """Whether this hook point is recorded or changed."""
        return hook in self._names

    def hear(self, hook: HookPoint, value: Tensor) -> Tensor:
        """Replace `value` if an intervention is on (what was computed is kept with `COMPUTED`); keep it if wanted."""
        name = self._names.get(hook)
        if name is None:
            return value
        kept = name in self._kept
        if name in self.interventions:
            if kept:
                self.heard[f"{name}{COMPUTED}"] = value
            value = self.interventions[name](value)
        if kept:
            self.heard[name] = value
        return value


def record(
    model: nn.Module,
    *inputs: Any,
    wanted: Wanted = everything,
    interventions: Mapping[str, Intervention] | None = None,
    info: TraceInfo | None = None,
    run: Callable[..., Any] | None = None,
) -> Trace:
    """Run `model(*inputs)` once, or `run`, a method of it with part of its hook points; return what they saw.

    The arrays share the memory of the tensors (nothing is copied) and are read-only. The batch axis is dropped when
    the batch holds one sentence. The model must be in eval mode, or is a module of which dropout is no part. What an
    intervention returns, by hook name, stands in place of the tensor that passes.

    Raises:
        ValueError: the model is in training mode: dropout would be shown as if it were the model.
        KeyError: an intervention names no hook point.
    """
    recorder = Recorder(model, wanted, interventions)
    if recorder.has_dropout:
        raise ValueError(
            "the model is in training mode, dropout would change what is shown: call model.eval() first"
        )
    with torch.inference_mode(), listening(recorder):
        (run or model)(*inputs)
    info = replace(info or TraceInfo(), modules=_parts_of(model).modules)
    return Trace({name: _array(value) for name, value in recorder.heard.items()}, info)


@contextmanager
def changed(model: nn.Module, interventions: Mapping[str, Intervention]) -> Iterator[None]:
    """Let the interventions act on every pass of `model` in this context until the block ends.

    Raises:
        KeyError: an intervention names no hook point.
    """
    if not interventions:
        yield
        return
    with listening(Recorder(model, lambda name: False, interventions)):
        yield


class _Parts(NamedTuple):
    """What recording asks of a model."""

    hooks: dict[str, HookPoint]
    droppers: list[Dropout]
    modules: Mapping[str, str]


def _parts_of(model: nn.Module) -> _Parts:
    """Its hook points and classes by name, and its dropout; looked for once: the walk takes as long as a layer."""
    if model not in _PARTS:
        droppers = [module for module in model.modules() if isinstance(module, Dropout)]
        _PARTS[model] = _Parts(hook_names(model), droppers, classes_of(model))
    return _PARTS[model]


def classes_of(model: nn.Module) -> dict[str, str]:
    """Module path → name of its class, hook points left out."""
    return {
        path: type(module).__name__
        for path, module in model.named_modules()
        if not isinstance(module, HookPoint)
    }


def _array(value: Tensor) -> Any:
    array = value.numpy(force=True)
    return read_only(array[0] if array.ndim > 1 and len(array) == 1 else array)
