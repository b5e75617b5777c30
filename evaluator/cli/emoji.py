"""`evaluator emoji`: emoji vectors trained at many learning rates."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evaluator.cli import inputs, options
from evaluator.cli.options import MATCHED, SCORED, TRAINED, number, option
from evaluator.cli.output import Progress, console, csv_of, plain_table, rate, show, write_results
from evaluator.cli.overwriting import check_folder, figures

if TYPE_CHECKING:
    from rich.table import Table

    from evaluator.results.emoji import EmojiFile
    from evaluator.studies.emoji import EmojiScores, Sweep
    from evaluator.vectors import Vectors

RATES = "1e-5:1e-1:13"

_WRITTEN = ("emoji.json", "emoji.csv", "emoji.vec", *figures("emoji"))


def emoji(
    *,
    descriptions: Annotated[Path, option(SCORED, "Descriptions of emoji to learn from.", metavar="FILE")],
    dev: Annotated[Path, option(SCORED, "Descriptions to classify as right or wrong.", metavar="FILE")],
    held_out: Annotated[
        Path | None,
        option(SCORED, "Further descriptions, by which no model is chosen.", "--held-out", metavar="FILE"),
    ] = None,
    words: Annotated[Path, option(SCORED, "Vectors of the words of the descriptions.", metavar="VECTORS")],
    test: options.Tests,
    texts: Annotated[
        Path | None,
        option(SCORED, "Labelled texts with emoji, such as tweets and their sentiment.", metavar="FILE"),
    ] = None,
    reference: Annotated[
        Path | None, option(SCORED, "Other vectors of emoji, scored for comparison.", metavar="VECTORS")
    ] = None,
    case: options.Case = options.WordOptions.case,
    tokens: options.Tokens = "letter-runs",
    variation_selectors: Annotated[
        Literal["drop", "keep"],
        option(MATCHED, "What to do with U+FE0F in descriptions; as in the test set."),
    ] = "drop",
    reading: options.VectorOptions,
    rates: Annotated[
        str | None,
        option(
            TRAINED,
            f"COUNT rates from LOW to HIGH, in equal ratios; {RATES} by default.",
            metavar="LOW:HIGH:COUNT",
        ),
    ] = None,
    rate_: Annotated[
        list[float] | None, option(TRAINED, "A learning rate. May be repeated.", "--rate", metavar="X")
    ] = None,
    epochs: Annotated[int, number(TRAINED, "How many times each model reads the descriptions.")] = 40,
    batch: Annotated[int, number(TRAINED, "How many right descriptions each step learns from.")] = 4,
    ratio: Annotated[int, number(TRAINED, "How many wrong descriptions are drawn for each right one.")] = 1,
    seeds: Annotated[int, number(TRAINED, "How many models at each learning rate.")] = 3,
    seed: options.Seed = options.ScoreOptions.seed,
    choose: Annotated[
        Literal["auc", "accuracy", "topk", "oddoneout", "combined"],
        option(TRAINED, "The measure by which the best model is chosen."),
    ] = "combined",
    output: options.Output,
    force: options.Force = False,
    results: options.ResultOptions,
) -> None:
    """Train emoji vectors at many learning rates, and show which rate each measure would choose.

    For example: evaluator emoji --descriptions train.txt --dev dev.txt --words words.vec --test emoji.json
    --output tuned
    """
    from evaluator.datasets.testset import merge
    from evaluator.execution.output_files import prepare_folder, protect_inputs
    from evaluator.results.figures.style import require_matplotlib
    from evaluator.studies.emoji import (
        EmojiHyperparameters,
        EmojiTests,
        describe,
        emoji_texts,
        rates_between,
        read_descriptions,
        sweep,
    )

    if rates and rate_:
        raise typer.BadParameter("give --rates or --rate, not both")
    require_matplotlib()
    chosen = rate_ or rates_between(rates or RATES)
    given = (descriptions, dev, words, *map(Path, test), held_out, reference, texts)
    protect_inputs((path for path in given if path is not None), output, _WRITTEN)
    parameters = EmojiHyperparameters(epochs=epochs, batch=batch, ratio=ratio, seed=seed)
    read = partial(read_descriptions, variation_selectors=variation_selectors)
    test_set = merge(inputs.read_tests(test, bad_rows=reading.bad_rows))
    to_learn, to_choose = read(descriptions), read(dev)
    to_report = read(held_out) if held_out else None
    labelled = inputs.read_tests([str(texts)], bad_rows=reading.bad_rows)[0] if texts else None
    prepare_folder(output)
    check_folder(output, force=force, marks=["emoji.json"], written=_WRITTEN)
    loaded = reading.load(words)
    known = partial(describe, words=loaded, case=case, tokens=tokens)  # type: ignore[arg-type]  # it checks
    of_texts = emoji_texts(labelled, loaded, case, tokens, variation_selectors) if labelled else None
    tests = EmojiTests(test_set, known(to_choose), known(to_report) if to_report else None, of_texts)
    beside = tests.score(_emoji_of(reading.load(reference), variation_selectors)) if reference else None
    with Progress("training") as progress:
        found = sweep(known(to_learn), tests, chosen, seeds, parameters, progress)
    record = found.record(beside)
    _write(found, record, choose, output)
    show(
        results,
        lambda: record,
        text=lambda: _print(found, record, beside, choose, output),
        csv=lambda: csv_of(found.frame()),
    )


def _emoji_of(vectors: Vectors, variation_selectors: str) -> Vectors:
    """Vectors of emoji, spelled as in the descriptions."""
    from evaluator.studies.emoji import without_selectors

    return vectors.fold(without_selectors) if variation_selectors == "drop" else vectors


def _write(found: Sweep, record: EmojiFile, choose: str, folder: Path) -> None:
    """Write all result files: the numbers of every model, the figure, and the chosen model."""
    from evaluator.results.figures.emoji import sweep_figure
    from evaluator.results.figures.style import save_figure
    from evaluator.studies.emoji import write_emoji

    write_results(record, folder / "emoji.json", csv_of(found.frame()), folder / "emoji.csv")
    write_emoji(found.best_run(choose).vectors, folder / "emoji.vec")
    save_figure(sweep_figure(record), folder, "emoji")


def _print(found: Sweep, record: EmojiFile, beside: EmojiScores | None, choose: str, folder: Path) -> None:
    from evaluator.reports.sections.emoji import about, best_sentiment

    out = console()
    for line in about(record):
        out.print(line)
    several = f"{len(found.seeds)} models at each rate: mean (lowest to highest)"
    out.print(several if len(found.seeds) > 1 else "1 model at each rate")
    out.print(_rates(found, beside))
    out.print("The rate that each measure would choose:")
    out.print(_choices(found))
    out.print("Spearman's correlation over the rates:")
    out.print(_correlations(found))
    best = found.best_run(choose)
    for line in best_sentiment(record):
        out.print(line)
    out.print(f"{folder / 'emoji.vec'}: {best.vectors.name}, the best by {choose}, {len(best.vectors)} emoji")


def _rates(found: Sweep, beside: EmojiScores | None) -> Table:
    """A row for each rate; an asterisk before the highest mean of each measure."""
    from evaluator.studies.emoji import MEASURES

    rows = (
        (f"{each:.2e}", *(_cell(found, measure, row) for measure in found.measures))
        for row, each in enumerate(found.rates)
    )
    table = plain_table("rate", (MEASURES[measure] for measure in found.measures), rows)
    if beside is not None:
        table.add_row(beside.vectors.name, *(rate(beside.value(measure)) for measure in found.measures))
    return table


def _cell(found: Sweep, measure: str, row: int) -> str:
    values, mark = found.values(measure)[row], "*" if found.best(measure) == row else ""
    spread = f" ({rate(min(values))} to {rate(max(values))})" if len(values) > 1 else ""
    return f"{mark}{rate(found.means(measure)[row])}{spread}"


def _choices(found: Sweep) -> Table:
    from evaluator.studies.emoji import MEASURES

    best = ((MEASURES[measure], measure, found.best(measure)) for measure in found.measures)
    rows = (
        (
            *(name, f"{found.rates[row]:.2e}", rate(found.means(measure)[row])),
            *map(rate, found.held_out(measure) or (None, None)),
        )
        for name, measure, row in best
    )
    return plain_table("measure", ("rate", "mean", "held-out accuracy", "held-out AUC"), rows)


def _correlations(found: Sweep) -> Table:
    from evaluator.studies.emoji import MEASURES

    rows = ((MEASURES[measure], *map(_signed, row.values())) for measure, row in found.correlations.items())
    return plain_table("", (MEASURES[measure] for measure in found.measures[3:]), rows)


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"
