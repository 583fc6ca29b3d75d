"""The command line: `python -m explainer --help`.

Torch is imported inside the commands, after the environment that it reads is set; `--help` does without it.
Bad input ends with status 2 and one line on standard error.
"""

import dataclasses
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from explainer.options import options_of
from explainer.scores import compare, grouped
from explainer.text.corpora import read_pairs
from explainer.text.tidy import tidy
from explainer.train.request import TrainRequest

if TYPE_CHECKING:
    from explainer.decode.hypothesis import Hypothesis
    from explainer.train.runs import RunFolder
    from explainer.translator import Translator

app = typer.Typer(
    help="A small English-German Transformer in which every number can be looked at.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
Beam = Annotated[int, typer.Option(min=1, help="Hypotheses that are followed at once; 1 is greedy search.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Model = Annotated[
    Path | None, typer.Option(help="Checkpoint folder.", show_default="the pretrained translator")
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status: 0 when it worked, 2 on bad input."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return app(arguments or ["--help"], prog_name="python -m explainer", standalone_mode=False) or 0
    except typer.TyperException as error:
        typer.echo(f"error: {' '.join(error.format_message().split())}", err=True)
        return 2


@app.command()
def translate(
    text: Annotated[str, typer.Argument(help="English text.")],
    beam: Beam = 4,
    as_json: AsJson = False,
    model: Model = None,
) -> None:
    """Translate TEXT into German."""
    with bad_input_named():
        translator = load(model)
        hypotheses = search(translator, [source_ids(translator, text)], beam)[0]
    tokenizer = translator.checkpoint.tokenizer
    found = [
        {
            "translation": tokenizer.decode(hypothesis.words),
            "tokens": tokenizer.pieces(hypothesis.tokens),
            "log_prob": hypothesis.log_prob,
            "score": hypothesis.score,
        }
        for hypothesis in hypotheses
    ]
    about = {"source": tidy(text), "beam": beam, **origin(translator)}
    show({**about, **found[0], "hypotheses": found}, as_json, str(found[0]["translation"]))


@app.command()
def evaluate(
    corpus: Annotated[Path, typer.Option(help="TSV file: English TAB German; `.gz` is unpacked.")],
    beam: Beam = 4,
    as_json: AsJson = False,
    model: Model = None,
) -> None:
    """Translate a corpus and compare with its German sentences: BLEU and chrF, by sacrebleu.

    All German sentences of one English sentence are its references. The loss by teacher forcing is measured, too: in
    nats per token, the mean over all pairs.
    """
    with bad_input_named():
        references = read_references(corpus)
        translator = load(model)
        ids = [corpus_ids(translator, tidy(source), corpus) for source in references]
        nll = nll_of(translator, ids, references, corpus)
        started = time.perf_counter()
        best = [hypotheses[0] for hypotheses in search(translator, ids, beam)]
        seconds = time.perf_counter() - started
    translations = [translator.checkpoint.tokenizer.decode(hypothesis.words) for hypothesis in best]
    scores = {**compare(translations, list(references.values())), "nll": nll}
    about = {"sentences": len(references), "references": sum(map(len, references.values())), "beam": beam}
    text = "{bleu:.2f} BLEU ({bleu_signature})\n{chrf:.2f} chrF ({chrf_signature})".format(**scores)
    text += f"\n{nll:.3f} nats per token by teacher forcing"
    text += f"\n{len(references):,} sentences, beam {beam}, {seconds:.0f} s"
    show({**scores, **about, "seconds": round(seconds, 1), **origin(translator)}, as_json, text)


@app.command()
@options_of(TrainRequest, leave_out=("corpus", "valid"))
def train(
    corpus: Annotated[
        Path | None, typer.Option(help="TSV file of sentence pairs to learn from; `.gz` is unpacked.")
    ] = None,
    valid: Annotated[
        Path | None, typer.Option(help="TSV file on which the loss is measured, never learnt.")
    ] = None,
    runs_dir: Annotated[Path, typer.Option(help="Where run folders lie.")] = Path("runs"),
    name: Annotated[str, typer.Option(help="Name of the run: its folder in RUNS_DIR.")] = "run",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    device: Annotated[
        Literal["auto", "cpu", "cuda"],
        typer.Option(help="What computes; auto takes CUDA where there is one."),
    ] = "auto",
    threads: Annotated[
        int, typer.Option(min=1, help="CPU threads; more than there are idle cores slow it down.")
    ] = 1,
    **options: Any,
) -> None:
    """Learn to translate from sentence pairs. Ctrl-C saves and stops, --resume goes on."""
    chosen = {field: value for field, value in options.items() if value is not None}
    chosen |= {
        field: str(existing(path, field).resolve())
        for field, path in (("corpus", corpus), ("valid", valid))
        if path is not None
    }
    if name in ("", ".", "..") or Path(name).name != name:
        raise typer.BadParameter("must be the name of one folder", param_hint="'--name'")
    prepare_torch(threads)
    from explainer.train.runs import RunFolder
    from explainer.train.worker import run

    folder = RunFolder(runs_dir / name)
    with bad_input_named(ValueError):
        if resume:
            check_same(folder, chosen)
        elif corpus is None:
            raise typer.TyperException("a new run needs --corpus FILE, an old one --resume")
        else:
            folder.create(TrainRequest(**chosen))
        try:
            run(folder, device=device, say=typer.echo)
        except (ValueError, OSError):
            if not resume and not folder.state():  # it never began: the name is free again
                folder.forget()
            raise


@app.command()
def average(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    last: Annotated[int, typer.Option(min=1, help="How many of its saved steps, counted from the last.")],
    out: Annotated[Path, typer.Option(help="Checkpoint folder to write.")],
) -> None:
    """Average the weights of the last saved steps of a run: often better than any of them."""
    prepare_torch()
    import torch

    from explainer.checkpoints import load_checkpoint, save_checkpoint
    from explainer.train.runs import RunFolder, average

    folder = RunFolder(run)
    steps = [step for step in folder.saved_steps() if step > 0]
    if len(steps) < last:
        raise typer.TyperException(f"{run}: {len(steps)} saved steps, asked to average {last}")
    with bad_input_named():
        checkpoint = load_checkpoint(folder.step_folder(steps[-1]))
        average([folder.step_folder(step) for step in steps[-last:]], checkpoint.model)
        save_checkpoint(out, checkpoint.model, checkpoint.tokenizer, step=steps[-1], dtype=torch.float16)
    typer.echo(f"{out}: the mean of the weights of steps {', '.join(map(str, steps[-last:]))}")


@app.command()
def trace(
    text: Annotated[str, typer.Argument(help="English text.")],
    out: Annotated[Path, typer.Option(help="NumPy file to write, `.npz`.")],
    beam: Beam = 1,
    model: Model = None,
) -> None:
    """Translate TEXT, then write every tensor of the pass that reads it together with its translation.

    `numpy.load(FILE)` gives the arrays by hook name, and `info`, JSON text that tells the tokens.
    """
    with bad_input_named():
        translator = load(model)
        best = search(translator, [source_ids(translator, text)], beam)[0][0]
        found = translator.trace(text, best.words)
        found.save(out)
    typer.echo(f"{out}: {len(found)} tensors, {translator.checkpoint.tokenizer.decode(best.words)}")


def prepare_torch(threads: int = 1) -> None:
    """Import torch for this many threads; waiting ones sleep and leave their core to others."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import torch

    torch.set_num_threads(threads)


def load(folder: Path | None) -> "Translator":
    """The translator in a checkpoint folder, or the pretrained one."""
    prepare_torch()
    from explainer.translator import Translator

    return Translator.load() if folder is None else Translator.load(folder)


def search(translator: "Translator", sources: list[list[int]], beam: int) -> list[tuple["Hypothesis", ...]]:
    """The hypotheses of each source, searched by the rules of the app but for the size of the beam."""
    from explainer.decode.batch import translate_batch
    from explainer.translator import BEAM_4

    model = translator.checkpoint.model
    limit = min(BEAM_4.max_new_tokens, model.config.max_positions - 1)
    rules = dataclasses.replace(BEAM_4, beam_size=beam, max_new_tokens=limit)
    return translate_batch(model, sources, rules)


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


def nll_of(
    translator: "Translator", sources: list[list[int]], references: dict[str, list[str]], corpus: Path
) -> float:
    """Mean −log p of the references' tokens (nats) when the model is given those before."""
    from explainer.train.batches import Example
    from explainer.train.forcing import teacher_forced_nll

    examples = [
        Example(source, corpus_ids(translator, target, corpus))
        for source, targets in zip(sources, references.values(), strict=True)
        for target in targets
    ]
    return teacher_forced_nll(translator.checkpoint.model, examples)


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


def check_same(folder: "RunFolder", chosen: dict[str, Any]) -> None:
    """A run goes on as it began: options given again must be what was asked then."""
    asked = dataclasses.asdict(folder.request())
    for field, value in chosen.items():
        if asked[field] != value:
            option = field.replace("_", "-")
            raise typer.TyperException(
                f"{folder.path} was begun with --{option} {asked[field]}; it cannot go on with {value}"
            )


def origin(translator: "Translator") -> dict[str, Any]:
    """Which weights made a result."""
    return {"model_sha256": translator.checkpoint.sha256, "model_step": translator.checkpoint.step}


def show(result: dict[str, Any], as_json: bool, text: str) -> None:
    """Print the result as JSON or the text."""
    typer.echo(json.dumps(result, ensure_ascii=False, indent=2) if as_json else text)


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
        from explainer.translator import TooLongError

        if isinstance(error, (CheckpointError, TooLongError, *more)):
            raise typer.TyperException(str(error)) from error
        raise
