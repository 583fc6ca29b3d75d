"""`python -m explainer measure …`: the numbers that come with the app, made again. The same input, the same file."""

import dataclasses
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from explainer.cli.inputs import bad_input_named, read_references
from explainer.cli.model import load, nll_of, prepare_torch, rules_of, told
from explainer.cli.options import Corpus, Model
from explainer.cli.scores import compare
from explainer.files import write_json
from explainer.text.tidy import tidy

SEED = 0  # of the sentences that are drawn

measure = typer.Typer(help="Make the numbers that come with the app.", no_args_is_help=True)


@measure.command()
def warmup(
    out: Annotated[Path, typer.Option(help="JSON file to write, such as pretrained/warmup/runs.json.")],
    seed: Annotated[list[int] | None, typer.Option(help="Of one run each; given again: more runs.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Updates of each run.", show_default="600")] = None,
) -> None:
    """Train small models with the norm after and before each sublayer, with and without warm-up: their curves.

    Four models for each seed, by default 1, 2 and 3; about a minute each.
    """
    prepare_torch()
    from explainer.train.offers.warmup import Recipe, experiment, save_experiment

    recipe, seeds = Recipe() if steps is None else Recipe(steps=steps), seed or [1, 2, 3]
    with bad_input_named(ValueError):
        for grown in told(experiment(recipe, seeds), 4 * len(seeds)):
            save_experiment(grown, out)
    typer.echo(f"{out}: {4 * len(seeds)} runs of {recipe.steps} steps")


@measure.command()
def widths(
    corpus: Corpus,
    out: Annotated[Path, typer.Option(help="JSON file to write, such as pretrained/translator/widths.json.")],
    sentences: Annotated[
        int, typer.Option(min=1, help="How many are drawn by chance, always the same.")
    ] = 50,
    least: Annotated[int, typer.Option(min=1, help="Tokens of the shortest sentence.")] = 8,
    budget: Annotated[int, typer.Option(min=1, help="Prefixes that exact search may read.")] = 20_000,
    model: Model = None,
) -> None:
    """Search sentences of a corpus with beams of many widths and exactly: is a wider beam better?

    BLEU, log p, length and search errors by width; numbers only, no sentence. They belong to one model.
    """
    with bad_input_named():
        references, translator = read_references(corpus), load(model)
        from explainer.decode.search.prefixes import Hypothesis
        from explainer.decode.watched.widths import searched, table

        tokenizer = translator.checkpoint.tokenizer
        ids = {source: tokenizer.encode(tidy(source)) for source in references}
        long = sorted(source for source in references if least <= len(ids[source]) <= translator.most_tokens)
        if len(long) < sentences:
            fit = f"{least} to {translator.most_tokens} tokens"
            raise typer.TyperException(f"{corpus}: {len(long)} sentences of {fit}, asked for {sentences}")
        drawn = random.Random(SEED).sample(long, sentences)
        chosen = [ids[source] for source in drawn]
        by_width = searched(translator.checkpoint.model, chosen, rules_of(translator, beam=1), budget)
        found = list(told(by_width, sentences))

        def bleu(best: Sequence[Hypothesis]) -> float:
            translations = [tokenizer.decode(one.words) for one in best]
            return float(compare(translations, [references[source] for source in drawn])["bleu"])

        numbers = table(found, budget, bleu)
        about = {"sentences": sentences, "least_tokens": least, "of": len(long)}
        write_json(out, {"model": translator.digest, "corpus": corpus.name, **about, **numbers})
    typer.echo(f"{out}: {sentences} sentences, exact search proved {numbers['exact']['proved']}")


@measure.command()
def moments(
    checkpoints: Annotated[list[Path], typer.Argument(help="Checkpoint folders, ascending steps.")],
    sentence: Annotated[list[str], typer.Option(help="English text; given again: more sentences.")],
    out: Annotated[Path, typer.Option(help="Folder to write, such as pretrained/translator/moments.")],
    valid: Annotated[
        Path | None, typer.Option(help="TSV file of sentence pairs on which each loss is measured.")
    ] = None,
) -> None:
    """Keep what the models of some steps of a training do with sentences: attention, embeddings, translation, loss.

    The last checkpoint says to which German all are forced.
    """
    prepare_torch()
    from explainer.translator.moments import keep

    with bad_input_named(ValueError):
        nll = {} if valid is None else dict(_validated(path, valid) for path in checkpoints)
        kept = keep(out, checkpoints, sentence, valid_nll=nll)
    typer.echo(f"{out}: {len(kept.pairs)} sentences at {len(kept.steps)} steps")


@measure.command()
def training(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    out: Annotated[Path, typer.Option(help="Checkpoint folder that gets training.json.")],
) -> None:
    """Write beside weights how they were trained: the request and the learning rates of a run."""
    from explainer.train.runs.record import record_of, save_record

    with bad_input_named(ValueError):
        record = record_of(run)
        paths = ("corpus", "valid", "tokenizer", "mix", "start")
        names = {field: Path(getattr(record.request, field)).name for field in paths}
        save_record(out, dataclasses.replace(record, request=dataclasses.replace(record.request, **names)))
    typer.echo(f"{out}: training.json, {len(record.rates)} learning rates")


def _validated(checkpoint: Path, corpus: Path) -> tuple[int, float]:
    """Step and mean −log p on sentence pairs."""
    translator, references = load(checkpoint), read_references(corpus)
    sources = [translator.checkpoint.tokenizer.encode(tidy(source)) for source in references]
    return translator.checkpoint.step, round(nll_of(translator, sources, references, corpus), 4)
