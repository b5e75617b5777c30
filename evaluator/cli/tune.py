"""Choosing hyper-parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import options
from evaluator.cli.corpus import Corpora
from evaluator.cli.output import console, plain_table, print_json, rate
from evaluator.cli.progress import Progress
from evaluator.errors import StudyError

if TYPE_CHECKING:
    import pandas as pd

    from evaluator.results.base import Difference, Estimate
    from evaluator.results.tuning import TuningFile
    from evaluator.studies.tuning import TuningResult

_SHOWN = 10


def tune(
    corpus: Corpora,
    test: options.Tests,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="For the study and its results.")
    ],
    trials: Annotated[int, typer.Option(metavar="N", help="How many samples of hyper-parameters.")] = 100,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUES", help="Restrict a hyper-parameter, as in dimension=50,100."),
    ] = None,
    sampler: Annotated[
        str, typer.Option(metavar="random|tpe", help="The same samples for all, or Optuna's TPE.")
    ] = "random",
    workers: options.Workers = 1,
    scheduler: options.Scheduler = None,
    epochs: Annotated[int, typer.Option(metavar="N", help="How often a corpus is gone through.")] = 5,
    whole: Annotated[
        bool, typer.Option("--whole", help="Choose by the whole test set; there is no honest number then.")
    ] = False,
    category: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this category; may be repeated.")
    ] = None,
    k: Annotated[int, typer.Option(metavar="K", help="Of Topk and OddOneOut.")] = 3,
    oov: options.Oov = "wrong",
    case: options.Case = "fold",
    profile: options.Profile = "",
    multiword: options.Multiword = "keep",
    seed: options.Seed = 0,
    test_format: options.TestFormat = "auto",
    language: options.Language = "und",
    no_figure: Annotated[bool, typer.Option("--no-figure", help="Draw no figure.")] = False,
    as_json: options.Json = False,
) -> None:
    """Search for the hyper-parameters that make the best vectors of a corpus; go on after an interruption."""
    from evaluator.datasets.testset import merge
    from evaluator.report.figures.style import require_matplotlib
    from evaluator.settings import Settings
    from evaluator.studies.tuning import PAPER, Tuning
    from evaluator.studies.tuning import tune as search
    from evaluator.text.corpus import Corpus

    if not no_figure:
        require_matplotlib()
    space = PAPER.narrowed(_restrictions(only or []))
    tuning = Tuning(
        trials,
        space,
        sampler,
        seed,
        epochs,
        workers,
        scheduler,
        (f"Topk@{k}", f"OddOneOut@{k}"),
        Settings(oov=oov, multiword=multiword, seed=seed),  # type: ignore[arg-type]  # Settings checks
        halves=not whole,
    )
    test_set = options.with_categories(merge(options.read_tests(test, test_format, language)), category)
    texts = Corpus(tuple(corpus), test_set.named_in or test_set.language, case, profile)
    with Progress("training") as progress:
        result = search(texts, test_set, output, tuning, progress)
    record = result.record()
    _write(record, result.frame(), output, figure=not no_figure)
    if as_json:
        print_json(record)
        return
    _print(result)
    typer.echo(f"All trials, figure and model: {output}")


def _restrictions(only: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in only]
    wrong = next((each for each, (_, found, _) in zip(only, pairs, strict=True) if not found), None)
    if wrong is not None:
        raise StudyError(f"--only {wrong}: give a name and values, as in --only dimension=50,100")
    return {name.strip().replace("-", "_"): values for name, _, values in pairs}


def _write(record: TuningFile, trials: pd.DataFrame, folder: Path, *, figure: bool) -> None:
    from evaluator.execution.output_files import write_text
    from evaluator.results.base import to_json

    write_text(folder / "tuning.json", f"{to_json(record)}\n")
    write_text(folder / "trials.csv", trials.to_csv(index=False))
    if figure:
        from evaluator.report.figures.style import save_figure
        from evaluator.report.figures.tuning import tuning_figure

        save_figure(tuning_figure(record.trials, record.best.number), folder, "tuning")


def _print(result: TuningResult) -> None:
    out = console()
    counts = result.statistics
    out.print(
        f"{result.corpus}: {counts.tokens:,} tokens, {counts.types:,} types; {result.test_set}: "
        f"{result.categories[result.view]} categories that this corpus can be scored on"
    )
    frame = result.frame().head(_SHOWN)
    names = [name for name in frame.columns if name.startswith("choice ")]
    measures = (name.removeprefix("choice ") for name in names)
    table = plain_table("trial", ("hyper-parameters", "words", *measures))
    by_number = {outcome.number: outcome for outcome in result.outcomes}
    for _, row in frame.iterrows():
        outcome = by_number[int(row["trial"])]
        cells = [rate(None if value != value else value) for value in row[names]]
        table.add_row(str(outcome.number), str(outcome.parameters), f"{outcome.vocabulary:,}", *cells)
    out.print(table)
    _print_honest(result)
    for note in result.notes:
        out.print(note)


def _print_honest(result: TuningResult) -> None:
    """The best and the default on what neither was chosen by."""
    out = console()
    honest = result.view == "report"
    out.print(
        "On the other half of each category, by which no model was chosen:"
        if honest
        else "On the same test set that the model was chosen by, which flatters it:"
    )
    models = {f"best ({result.best.outcome.number})": result.best}
    models |= {"default (0)": result.default} if result.default else {}
    estimates = {name: model.estimates(result.view) for name, model in models.items()}
    measures = list(next(iter(estimates.values())))
    table = plain_table("model", (each for name in measures for each in (name, "95% interval", "chance")))
    for name, found in estimates.items():
        cells = [
            (rate(each.value), f"{each.low:.4f} to {each.high:.4f}", rate(each.chance))
            for each in found.values()
        ]
        table.add_row(name, *(cell for group in cells for cell in group))
    out.print(table)
    for name, each in result.differences.items():
        out.print(f"{name}: best - default {_difference(each)}, p = {each.p:.4f}, {each.units} words")
    if result.combined_difference is not None:
        out.print(f"Combined: best - default {_difference(result.combined_difference)}")


def _difference(found: Difference | Estimate) -> str:
    return f"{found.value:+.4f} ({found.low:+.4f} to {found.high:+.4f})"
