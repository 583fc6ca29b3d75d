"""The command line: `python -m explainer --help`.

Torch is imported inside the commands, after the environment that it reads is set; `--help` does without it.
Bad input ends with status 2 and one line on standard error.
"""

import json
import math
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from explainer.cli.inputs import (
    bad_input_named,
    check_same,
    corpus_ids,
    existing,
    mixture,
    read_references,
    shared,
    source_ids,
)
from explainer.cli.measure import measure
from explainer.cli.model import load, nll_of, origin, prepare_torch, rules_of, search, told
from explainer.cli.options import AsJson, Beam, Corpus, Device, Model, OutPairs, Threads, options_of
from explainer.cli.scores import compare
from explainer.files import PRETRAINED, RUNS
from explainer.text.corpora import SentencePair, read_pairs, write_pairs
from explainer.text.tidy import tidy
from explainer.train.learning.request import TrainRequest

app = typer.Typer(
    help="A small English-German Transformer in which every number can be looked at.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(measure, name="measure")


def main(arguments: Sequence[str] | None = None, program: str = "python -m explainer") -> int:
    """Run a command; the exit status: 0 when it worked, 2 on bad input."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        return app(arguments or ["--help"], prog_name=program, standalone_mode=False) or 0
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
            "finished": hypothesis.finished,
        }
        for hypothesis in hypotheses
    ]
    about = {"source": tidy(text), "beam": beam, **origin(translator)}
    show({**about, **found[0], "hypotheses": found}, as_json, str(found[0]["translation"]))
    if not hypotheses[0].finished:
        typer.echo(f"cut at the limit of {len(hypotheses[0])} tokens: the search found no end", err=True)


@app.command()
def evaluate(
    corpus: Corpus,
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
@options_of(TrainRequest, leave_out=("corpus", "valid", "mix", "mix_share", "tokenizer", "start"))
def train(
    corpus: Annotated[
        Path | None, typer.Option(help="TSV file of sentence pairs to learn from; `.gz` is unpacked.")
    ] = None,
    valid: Annotated[
        Path | None, typer.Option(help="TSV file on which the loss is measured, never learnt.")
    ] = None,
    mix: Annotated[
        str | None,
        typer.Option(
            metavar="FILE:SHARE",
            help="TSV file of more sentence pairs: every epoch takes SHARE × as many as the corpus has, in the order "
            "of the file, and goes on where the last one stopped.",
        ),
    ] = None,
    tokenizer: Annotated[
        Path | None, typer.Option(help="File tokenizer.json whose vocabulary is taken instead of a new one.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option(help="Checkpoint folder whose weights and vocabulary the run begins with.")
    ] = None,
    runs_dir: Annotated[
        Path, typer.Option(help="Where run folders lie.", show_default="those of the app, or GLASSBOX_RUNS")
    ] = RUNS,
    name: Annotated[str, typer.Option(help="Name of the run: its folder in RUNS_DIR.")] = "run",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped.")] = False,
    device: Device = "auto",
    threads: Threads = 1,
    **options: Any,
) -> None:
    """Learn to translate from sentence pairs. Ctrl-C saves and stops, --resume goes on."""
    chosen = {field: value for field, value in options.items() if value is not None}
    chosen |= {
        field: str(existing(path, field).resolve())
        for field, path in (("corpus", corpus), ("valid", valid), ("tokenizer", tokenizer))
        if path is not None
    }
    if mix is not None:
        chosen |= mixture(mix)
    if start is not None:
        chosen["start"] = str(existing(start / "model.safetensors", "start").resolve().parent)
    if name in ("", ".", "..") or Path(name).name != name:
        raise typer.BadParameter("must be the name of one folder", param_hint="'--name'")
    prepare_torch(threads)
    from explainer.train.learning.ranks import leads
    from explainer.train.runs.faults import NotFiniteError
    from explainer.train.runs.folder import RunFolder
    from explainer.train.runs.worker import run

    folder = RunFolder(runs_dir / name)
    with bad_input_named(ValueError, NotFiniteError):
        if not leads():  # of several processes one has the folder; it tells the others
            pass
        elif resume:
            check_same(folder, chosen)
        elif corpus is None:
            raise typer.TyperException("a new run needs --corpus FILE, an old one --resume")
        else:
            folder.create(TrainRequest(**chosen))
        try:
            run(folder, device=device, say=typer.echo)
        except (ValueError, OSError):
            if leads() and not resume and not folder.saved_steps():  # it never began: the name is free again
                folder.forget()
            raise


@app.command("corpus")
def write_corpus(
    name: Annotated[Literal["classroom"], typer.Argument(help="classroom: pairs of classroom German.")],
    out: OutPairs,
    part: Annotated[Literal["train", "valid", "test"], typer.Option(help="Which part of it.")] = "train",
) -> None:
    """Copy a corpus that comes with this program, to learn from it with `train --corpus`."""
    with bad_input_named():
        pairs = read_pairs(PRETRAINED / name / f"{part}.tsv.gz").pairs
        write_pairs(out, pairs)
    typer.echo(f"{out}: {len(pairs):,} pairs of {name} German, {part} part")


@app.command()
def vary(
    pairs: Annotated[
        list[str],
        typer.Option(
            metavar="FILE:TIMES", help="TSV file and how often each of its pairs is taken; repeatable."
        ),
    ],
    names: Annotated[Path, typer.Option(help="Given names, one a line.")],
    out: OutPairs,
    templates: Annotated[
        Path | None, typer.Option(help="TSV file of pairs with slots such as {city} and {number2}.")
    ] = None,
    values: Annotated[
        Path | None, typer.Option(help="Values of the slots: kind TAB English TAB German.")
    ] = None,
    fill: Annotated[int, typer.Option(min=1, help="How often each template is filled.")] = 100,
    without: Annotated[
        list[Path] | None,
        typer.Option(
            help="TSV file whose English sentences are to be left out, such as a test set; repeatable."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Where chance starts.")] = 1,
) -> None:
    """Write pairs again with other names, numbers and spelling, joined, in lower case, without stops.

    What comes out is shuffled, to be mixed into a training with `train --mix`.
    """
    import random

    from explainer.text.variety import Variety, key_of, read_values

    with bad_input_named(ValueError):
        banned = {key_of(pair.source) for path in without or [] for pair in read_pairs(path).pairs}
        variety = Variety(names.read_text(encoding="utf-8").split(), seed=seed)
        chance = random.Random(seed)
        found = []
        for file, times in (shared(text, "pairs") for text in pairs):
            whole = [pair for pair in read_pairs(file).pairs if key_of(pair.source) not in banned]
            for turn in range(math.ceil(times)):
                taken = chance.sample(whole, round(min(1, times - turn) * len(whole)))
                found += variety.pairs(taken)
        if templates is not None:
            slots = read_values(values) if values is not None else {}
            slots.setdefault("given", [SentencePair(name, name) for name in variety.names])
            filled = list(variety.filled(read_pairs(templates).pairs, slots, fill))
            chance.shuffle(filled)
            found += variety.pairs(filled)
        kept = [pair for pair in found if key_of(pair.source) not in banned]
        chance.shuffle(kept)
        write_pairs(out, kept)
    typer.echo(f"{out}: {len(kept):,} pairs")


@app.command(hidden=True)
def work(
    folder: Annotated[Path, typer.Argument(help="Run folder.")],
    server: Annotated[Path, typer.Option(help="Lock of the server that wants the run.")],
    device: Device = "auto",
) -> None:
    """Train a run for the app: with low priority, and only as long as the server lives that holds the lock."""
    from explainer.train.runs.launch import NICENESS

    if hasattr(os, "nice"):
        os.nice(NICENESS)
    prepare_torch()
    from explainer.train.runs.faults import NotFiniteError
    from explainer.train.runs.folder import RunFolder
    from explainer.train.runs.worker import run

    with bad_input_named(ValueError, NotFiniteError):
        run(RunFolder(folder), device=device, say=typer.echo, server=server)


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
    from explainer.train.learning.averaging import average
    from explainer.train.runs.folder import RunFolder

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
def distil(
    corpus: Corpus,
    out: OutPairs,
    beam: Beam = 4,
    model: Model = None,
    device: Device = "auto",
    threads: Threads = 1,
) -> None:
    """Translate each different English sentence of a corpus: pairs from which another model can learn.

    Sentences that the model cannot read or does not finish are left out.
    """
    prepare_torch(threads)
    from explainer.decode.distil import distilled
    from explainer.train.learning.precision import choose_device

    with bad_input_named(ValueError):
        sentences = list(read_references(corpus))
        where = choose_device(device)
        translator = load(model, threads)
        transformer, tokenizer = translator.checkpoint.model.to(where), translator.checkpoint.tokenizer
        pairs = distilled(transformer, tokenizer, sentences, rules_of(translator, beam))
        found = [pair for pair in told(pairs, len(sentences)) if pair is not None]
        if not found:
            raise typer.TyperException(
                f"{corpus}: the model finished none of {len(sentences):,} translations"
            )
        write_pairs(out, found)
    typer.echo(f"{out}: {len(found):,} pairs, {len(sentences) - len(found):,} sentences left out")


@app.command()
def strategies(
    text: Annotated[str, typer.Argument(help="English text.")],
    budget: Annotated[int, typer.Option(min=1, help="Prefixes that exact search may read.")] = 10_000,
    temperature: Annotated[float, typer.Option(help="Of sampling: 1 is the model itself.")] = 1.0,
    top_k: Annotated[int, typer.Option(help="Sample among this many tokens; 0: all.")] = 0,
    top_p: Annotated[float, typer.Option(help="Sample among the most probable with this much in sum.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Where chance starts.")] = 0,
    as_json: AsJson = False,
    model: Model = None,
) -> None:
    """Compare greedy search, beams, a sample and exact search on TEXT: by log p, without a length penalty."""
    with bad_input_named(ValueError):
        translator = load(model)
        from explainer.decode.search.sampling import SamplingRules
        from explainer.decode.watched.strategies import compared, described

        ids = source_ids(translator, text)
        limit = translator.limit_for(len(ids))
        rules = SamplingRules(
            temperature=temperature, top_k=top_k, top_p=top_p, seed=seed, max_new_tokens=limit
        )
        found = compared(translator.checkpoint.model, ids, rules, budget)
    rows = described(found, translator.checkpoint.tokenizer.decode)
    lines = [
        f"{name:<13} {row['log_prob']:8.3f} {row['prefixes']:>7,} prefixes {1000 * row['seconds']:>7.0f} ms"
        f"  {row['translation'] or '(empty)'}{'' if row['finished'] else ' … (cut)'}"
        for name, row in rows.items()
    ]
    state = found.state(budget)
    about = {"source": tidy(text), "budget": budget, "exact_search": state, **origin(translator)}
    show({**about, "strategies": rows}, as_json, "\n".join([*lines, f"exact search: {state}"]))


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
        found = translator.trace(text, best.tokens)
        found.save(out)
    typer.echo(f"{out}: {len(found)} tensors, {translator.checkpoint.tokenizer.decode(best.words)}")


def show(result: dict[str, Any], as_json: bool, text: str) -> None:
    """Print the result as JSON or the text."""
    typer.echo(json.dumps(result, ensure_ascii=False, indent=2) if as_json else text)
