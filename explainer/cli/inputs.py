"""What the commands are given: read, checked, and refused with one line that says what is wrong."""

import dataclasses
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from explainer.cli.scores import grouped
from explainer.text.corpora import read_pairs
from explainer.train.learning.request import MAX_SHARE

if TYPE_CHECKING:
    from explainer.train.runs.folder import RunFolder
    from explainer.translator.translator import Translator


def source_ids(translator: "Translator", text: str) -> list[int]:
    """Token ids of a text that was typed."""
    ids = translator.source_ids(text)
    if not ids:
        raise typer.TyperException("the text is empty")
    return ids


def corpus_ids(translator: "Translator", sentence: str, corpus: Path) -> list[int]:
    """Token ids of a sentence of a corpus, as many as the model has positions for."""
    ids = translator.checkpoint.tokenizer.encode(sentence)
    limit = translator.checkpoint.model.config.max_positions - 1
    if len(ids) > limit:
        raise typer.TyperException(
            f"{corpus}: “{sentence[:40]}…” has {len(ids)} tokens, the limit is {limit}"
        )
    return ids


def read_references(path: Path) -> dict[str, list[str]]:
    """The German sentences of each English sentence; a file with an unusable line is refused."""
    corpus = read_pairs(path)
    if corpus.bad_lines:
        more = f" (and {len(corpus.bad_lines) - 1:,} more)" if len(corpus.bad_lines) > 1 else ""
        raise typer.TyperException(f"{path}: {corpus.bad_lines[0]}{more}")
    if not corpus.pairs:
        raise typer.TyperException(f"{path}: no sentence pairs")
    return grouped(corpus.pairs)


def existing(path: Path, option: str) -> Path:
    """The path, if it is a file."""
    if not path.is_file():
        raise typer.BadParameter(f"{path}: no such file", param_hint=f"'--{option}'")
    return path


def shared(text: str, option: str) -> tuple[Path, float]:
    """FILE:SHARE as a file that exists and a number."""
    file, _, share = text.rpartition(":")
    hint = f"'--{option}'"
    if not file:
        raise typer.BadParameter(f"{text!r} is not FILE:SHARE, such as pairs.tsv:0.1", param_hint=hint)
    try:
        number = float(share)
    except ValueError:
        number = math.nan
    if not 0 < number <= MAX_SHARE:
        raise typer.BadParameter(
            f"{share!r}: the share must be a number above 0 and at most {MAX_SHARE}", param_hint=hint
        )
    return existing(Path(file), option), number


def mixture(text: str) -> dict[str, Any]:
    """FILE:SHARE as fields of a request."""
    file, share = shared(text, "mix")
    return {"mix": str(file.resolve()), "mix_share": share}


def check_same(folder: "RunFolder", chosen: dict[str, Any]) -> None:
    """A run goes on as it began: options given again must be what was asked then.

    Only the file that an old run mixed in was not a file then: it is named now, if it holds sentence pairs.
    """
    from explainer.train.learning.data import pairs_to_mix

    request = folder.request()
    names_file = "mix" in chosen and not request.mix and request.mix_share == chosen["mix_share"]
    begun = dataclasses.replace(request, mix=chosen["mix"]) if names_file else request
    asked, wanted = _as_options(dataclasses.asdict(begun)), _as_options(chosen)
    for option, value in wanted.items():
        if asked[option] != value:
            before = f"with --{option} {asked[option]}" if asked[option] != "" else f"without --{option}"
            raise typer.TyperException(f"{folder.path} was begun {before}; it cannot go on with {value}")
    if names_file:
        pairs_to_mix(begun)
        folder.write_request(begun)


def _as_options(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a request under the names of their options."""
    options = {field.replace("_", "-"): value for field, value in fields.items() if field != "mix_share"}
    if "mix" in fields:
        share = fields["mix_share"]
        options["mix"] = f"{fields['mix'] or 'FILE'}:{float(share)}" if share else ""
    return options


@contextmanager
def bad_input_named(*more: type[Exception]) -> Iterator[None]:
    """Turn errors that a user can mend into `typer.TyperException`, which `main` prints as one line."""
    try:
        yield
    except OSError as error:
        named = error.filename is not None and error.strerror is not None
        raise typer.TyperException(f"{error.filename}: {error.strerror}" if named else str(error)) from error
    except Exception as error:
        from explainer.checkpoints import CheckpointError
        from explainer.translator.translator import TooLongError

        if isinstance(error, (CheckpointError, TooLongError, *more)):
            raise typer.TyperException(str(error)) from error
        raise
