"""Options that several commands have, and the fields of a dataclass as options, explained by its docstring."""

import dataclasses
import inspect
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from explainer.model.config import TransformerConfig

Command = TypeVar("Command", bound=Callable[..., None])
Beam = Annotated[int, typer.Option(min=1, help="Hypotheses that are followed at once; 1 is greedy search.")]
Corpus = Annotated[Path, typer.Option(help="TSV file: English TAB German; `.gz` is unpacked.")]
OutPairs = Annotated[
    Path, typer.Option(help="TSV file to write: English TAB German; packed if its name ends in `.gz`.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Device = Annotated[
    Literal["auto", "cpu", "cuda"],
    typer.Option(help="What computes; auto takes CUDA where there is one."),
]
Threads = Annotated[
    int, typer.Option(min=1, help="CPU threads; more than there are idle cores slow it down.")
]
Model = Annotated[
    Path | None, typer.Option(help="Checkpoint folder.", show_default="the pretrained translator")
]


def options_of(cls: type[Any], leave_out: Collection[str] = ()) -> Callable[[Command], Command]:
    """Give a command that takes `**options` one option for each field of `cls`; None: it was not given."""

    def give(command: Command) -> Command:
        signature = inspect.signature(command)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        helps = attribute_docs(TransformerConfig) | attribute_docs(cls)
        options = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[
                    field.type | None, typer.Option(help=f"{helps[field.name]}  [default: {field.default}]")
                ],
            )
            for field in dataclasses.fields(cls)
            if field.name not in leave_out
        ]
        command.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        return command

    return give


def attribute_docs(cls: type[Any]) -> dict[str, str]:
    """What the docstring of `cls` says under "Attributes:", by attribute."""
    _, _, attributes = inspect.cleandoc(cls.__doc__ or "").partition("\nAttributes:\n")
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", attributes, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}
