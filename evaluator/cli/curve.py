"""Learning curves over the size of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from evaluator.cli import options
from evaluator.cli.corpus import Corpora
from evaluator.cli.output import console, plain_table, print_json, rate
from evaluator.cli.progress import Progress

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from evaluator.datasets.testset import TestSet
    from evaluator.results.curve import CurveFile
    from evaluator.studies.curves import CurveOptions, LearningCurve


def curve(
    corpus: Corpora,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where points are kept, and results.")
    ],
    test: Annotated[
        list[Path] | None,
        typer.Option(
            "--test", "-t", metavar="FILE", help="Categories; made of the analogies if none. May be repeated."
        ),
    ] = None,
    analogies: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Analogies; those of the test set, if it has any, if none."),
    ] = None,
    first: Annotated[
        str, typer.Option("--from", metavar="SIZE", help="The smallest size, in tokens.")
    ] = "2^10",
    last: Annotated[
        str, typer.Option("--to", metavar="SIZE|all", help="The largest; sizes between them double.")
    ] = "all",
    seeds: Annotated[int, typer.Option(metavar="N", help="Models of each size, on other subsets each.")] = 1,
    seeds_up_to: Annotated[
        str, typer.Option(metavar="SIZE|all", help="Beyond this size there is one model only.")
    ] = "all",
    workers: options.Workers = 1,
    scheduler: options.Scheduler = None,
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", metavar="TEXT", help="Instead of Topk@3, OddOneOut@3 and Analogy@1."),
    ] = None,
    model: Annotated[str, typer.Option(metavar="word2vec|fasttext", help="What is trained.")] = "word2vec",
    architecture: Annotated[
        str, typer.Option(metavar="skip-gram|cbow", help="How it is trained.")
    ] = "skip-gram",
    dimension: Annotated[int, typer.Option(metavar="N", help="Of the vectors.")] = 100,
    min_count: Annotated[int, typer.Option(metavar="N", help="Words less frequent are left out.")] = 5,
    epochs: Annotated[int, typer.Option(metavar="N", help="How often a subset is gone through.")] = 1,
    case: options.Case = "fold",
    profile: options.Profile = "",
    multiword: options.Multiword = "keep",
    seed: Annotated[int, typer.Option(metavar="N", help="The first seed; for what is drawn, too.")] = 0,
    test_format: options.TestFormat = "auto",
    language: options.Language = "und",
    no_figure: Annotated[bool, typer.Option("--no-figure", help="Draw no figures.")] = False,
    as_json: options.Json = False,
) -> None:
    """Train on growing parts of a corpus; show from which size on each measure tells something."""
    from evaluator.report.figures.style import require_matplotlib
    from evaluator.settings import Hyperparameters, Settings
    from evaluator.studies.curves import CurveOptions, learning_curve, parse_size
    from evaluator.studies.curves.run import MEASURES
    from evaluator.text.corpus import Corpus

    if not no_figure:
        require_matplotlib()
    plan = CurveOptions(
        parse_size(first) or _whole(),
        parse_size(last),
        seeds,
        parse_size(seeds_up_to),
        workers,
        scheduler,
        Hyperparameters(model, architecture, dimension, min_count=min_count, epochs=epochs),  # type: ignore[arg-type]  # Hyperparameters checks
        tuple(measure or MEASURES),
        Settings(multiword=multiword, seed=seed),  # type: ignore[arg-type]  # Settings checks
    )
    categories, sections = _read(test or [], analogies, test_format, language)
    named = categories or sections
    code = language if named is None else named.named_in or named.language
    texts = Corpus(tuple(corpus), code, case, profile)
    with Progress("training") as progress:
        result = learning_curve(texts, output, categories, sections, plan, progress)
    record = result.record()
    _write(record, result.frame(), output, figure=not no_figure)
    if as_json:
        print_json(record)
        return
    _print(result, plan)
    typer.echo(f"All points{'' if no_figure else ' and figures'}: {output}")


def _whole() -> NoReturn:
    from evaluator.errors import StudyError

    raise StudyError("--from all: give the smallest size in tokens, such as 1024 or 2^10")


def _read(
    tests: list[Path], analogies: Path | None, test_format: str, language: str
) -> tuple[TestSet | None, TestSet | None]:
    from evaluator.datasets.testset import merge

    categories = merge(options.read_tests(tests, test_format, language)) if tests else None
    # The format that is named is that of the test sets.
    named = "auto" if tests else test_format
    sections = options.read_tests([analogies], named, language)[0] if analogies else None
    return categories, sections


def _write(record: CurveFile, points: pd.DataFrame, folder: Path, *, figure: bool) -> None:
    from evaluator.execution.output_files import write_text
    from evaluator.results.base import to_json

    write_text(folder / "curve.json", f"{to_json(record)}\n")
    write_text(folder / "curve.csv", points.to_csv(index=False))
    if figure:
        from evaluator.report.figures.curve import categories_figure, curve_figure
        from evaluator.report.figures.style import save_figure

        save_figure(curve_figure(record), folder, "curve")
        save_figure(categories_figure(record), folder, "categories")


def _print(result: LearningCurve, plan: CurveOptions) -> None:
    out = console()
    tests = result.tests
    out.print(
        f"{result.corpus}: {result.tokens:,} tokens; {tests.categories.name}: "
        f"{len(tests.categories.categories)} categories; {tests.analogies.name}: "
        f"{len(tests.analogies.sections)} sections of analogies"
    )
    out.print(f"{result.parameters}, epochs={result.parameters.epochs}")
    out.print(_scores(result, plan))
    out.print(_onsets(result))
    if result.ratios:
        out.print(_ratios(result))
    for note in result.notes:
        out.print(note)


def _scores(result: LearningCurve, plan: CurveOptions) -> Table:
    """A row for each size."""
    names = [cell for measure in result.measures for cell in (measure, "95% interval")]
    table = plain_table("tokens", ("seeds", f"types ≥ {plan.parameters.min_count}", *names))
    for place, size in enumerate(result.sizes):
        levels = [result.curves[measure][place] for measure in result.measures]
        cells = [(rate(each.value), f"{each.low:.4f} to {each.high:.4f}") for each in levels]
        table.add_row(
            f"{size:,}",
            str(levels[0].seeds),
            f"{result.vocabulary(size):,.0f}",
            *(cell for pair in cells for cell in pair),
        )
    return table


def _onsets(result: LearningCurve) -> Table:
    """A row for each definition."""
    table = plain_table("onset", result.measures)
    for name in next(iter(result.onsets.values())):
        found = [result.onsets[measure][name] for measure in result.measures]
        table.add_row(name, *("-" if size is None else f"{size:,}" for size in found))
    return table


def _ratios(result: LearningCurve) -> Table:
    """A row for each definition, a column for each pair of measures."""
    pairs = list(dict.fromkeys((each.measure, each.over) for each in result.ratios))
    table = plain_table("ratio of onsets", (f"{measure} / {over}" for measure, over in pairs))
    for name in dict.fromkeys(each.definition for each in result.ratios):
        table.add_row(name, *(str(each) for each in result.ratios if each.definition == name))
    return table
