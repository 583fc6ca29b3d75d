"""What is kept for all visitors: the results of slow functions, as many as fit into their bytes."""

import dataclasses
import sys
import threading
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import cachetools
from cachetools.keys import hashkey

from explainer.language import language

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
_MEBIBYTE = 2**20
_ENTRY = 1000  # about what the question takes: sentences, tokens, names


class Kept(Protocol[P, R_co]):
    """A function whose results are kept."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """The result, computed or kept."""
        ...

    def cache_clear(self) -> None:
        """Forget all results."""


def kept(mebibytes: float, most: int | None = None) -> "Callable[[Callable[P, R_co]], Kept[P, R_co]]":
    """Keep the results of a function for all visitors; those used longest ago are dropped when they do not fit.

    Whoever asks for what is just being computed waits for it. A model among the arguments counts by its `digest`, and
    so does the language of whoever is looking: there may be words among the results. They may take `mebibytes`
    together, as `bytes_of` counts when they are made, and be `most` many: for results that grow while they are kept,
    such as a search that goes on.
    """
    wrap = cachetools.cached(store(mebibytes, most), key=_key, condition=threading.Condition())
    return cast("Callable[[Callable[P, R_co]], Kept[P, R_co]]", wrap)


def store(mebibytes: float, most: int | None = None) -> "cachetools.LRUCache[Any, Any]":
    """An empty store of results, for `kept`, or as the `_kept` of an object whose methods are `kept_with_it`."""
    room = round(mebibytes * _MEBIBYTE)
    least = 0 if most is None else room // most
    return cachetools.LRUCache(room, getsizeof=lambda value: max(least, _ENTRY + bytes_of(value)))


def kept_with_it(method: "Callable[P, R_co]") -> "Callable[P, R_co]":
    """Keep a method's results in the object's own `_kept`, a `store`, guarded by its `_changing`, a Condition.

    They are found again by the positional arguments.
    """
    name = method.__name__
    wrap: Any = cachetools.cachedmethod(
        attrgetter("_kept"),
        key=lambda _, *args, **kwargs: (name, _key(*args)),
        condition=attrgetter("_changing"),
    )
    return wrap(method)


def bytes_of(value: Any) -> int:
    """About how many bytes a value takes: what tells its `nbytes` is believed, containers count what they hold."""
    if isinstance(nbytes := getattr(value, "nbytes", None), int):
        return nbytes
    if isinstance(value, Mapping):
        return sum(bytes_of(key) + bytes_of(part) for key, part in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return sys.getsizeof(value) + sum(map(bytes_of, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return sum(bytes_of(getattr(value, field.name, None)) for field in dataclasses.fields(value))
    return sys.getsizeof(value)


def _key(*args: Any, **kwargs: Any) -> Any:
    return hashkey(language(), *map(_named, args), **{name: _named(value) for name, value in kwargs.items()})


def _named(argument: Any) -> Any:
    return getattr(argument, "digest", argument)
