"""The families of models: what a checkpoint calls its model → the classes of its configuration and of its module.

Here too is what the other rooms ask of a model of any family; `nn.Module` has most of it already.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

from jaxtyping import Float, Int
from torch import Tensor, nn


@runtime_checkable
class Network(Protocol):
    """What a checkpoint asks of a model: a module that is built from its configuration alone."""

    @property
    def config(self) -> Any:
        """What it was built from: see `register_family`."""
        ...

    def named_parameters(self, *, remove_duplicate: bool = True) -> Iterator[tuple[str, nn.Parameter]]:
        """Its weights by module path."""
        ...


@runtime_checkable
class Seq2Seq(Network, Protocol):
    """What the trainer asks of a model: hidden vectors of a target that is given, and the head that reads them."""

    training: bool

    @property
    def head(self) -> Any:
        """Makes logits of what `hidden` returns; its `table` is W: [vocab, d_model]."""
        ...

    @property
    def is_causal(self) -> bool:
        """Whether row t of `hidden` has read nothing of the target after its token t."""
        ...

    def hidden(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target d_model"]:
        """Teacher forcing up to the head: one vector per target token, of which it says the next one."""
        ...

    def parameters(self) -> Iterator[nn.Parameter]:
        """Its weights."""
        ...

    def train(self) -> Any:
        """With dropout from now on."""
        ...

    def eval(self) -> Any:
        """Without."""
        ...


class Family(NamedTuple):
    """What a checkpoint's field `model` says, and the two classes that it stands for."""

    name: str
    config: type[Any]
    module: type[Any]


FAMILIES: dict[str, Family] = {}  # import it from `explainer.model`: then all families are in it


def register_family(name: str, config: type[Any], module: type[Any]) -> None:
    """Let checkpoints hold models of this family, which `config.json` calls `name`.

    `config` is a frozen dataclass of their sizes, which it bounds; as `TransformerConfig` it has `vocab_size`,
    `max_positions`, `from_json`, `to_json` and `outline`. `module` is a `Network` built from such a configuration
    alone.

    Raises:
        ValueError: the name is another family's.
    """
    family = Family(name, config, module)
    if FAMILIES.setdefault(name, family) != family:
        raise ValueError(f"{name!r} is another family's name already")


def family_of(one: object) -> Family:
    """The family of a model or of a configuration; LookupError if none has registered its class."""
    from explainer.model import FAMILIES as REGISTERED  # all of them, whoever has been imported so far

    for family in REGISTERED.values():
        if type(one) in (family.config, family.module):
            return family
    raise LookupError(f"{type(one).__name__} belongs to no family: see register_family")
