"""`evaluator curve`: learning curves over the size of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

from evaluator.cli import inputs, options
from evaluator.cli.options import SCORED, TRAINED, number, option
from evaluator.cli.output import (
    Progress,
    console,
    csv_of,
    interval,
    plain_table,
    rate,
    show,
    tell_failed,
    write_results,
)
from evaluator.cli.overwriting import check_folder, figures

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from evaluator.datasets.testset import TestSet
    from evaluator.results.curve import CurveFile
    from evaluator.studies.curves import CurveOptions, LearningCurve


def curve(
    corpus: options.Corpora,
    *,
    test: Annotated[list[str] | None, options.TEST] = None,
    test_format: options.TestFormat = options.TestOptions.test_format,
    analogies: Annotated[
        str | None,
        option(
            SCORED,
            "A file of analogies. By default those of the test set; without a test set, categories are made "
            "of them.",
            metavar="FILE",
        ),
    ] = None,
    language: options.Language = options.TestOptions.language,
    measure: options.Measures = None,
    words: options.WordOptions,
    tokens: options.Tokens = "letter-runs",
    bad_rows: options.BadRows = "refuse",
    seed: options.Seed = options.ScoreOptions.seed,
    first: Annotated[
        str, option(TRAINED, "The smallest size of the corpus, in tokens.", "--from", metavar="SIZE")
    ] = "2^10",
    last: Annotated[
        str,
        option(TRAINED, "The largest size; each size is twice the one before.", "--to", metavar="SIZE|all"),
    ] = "all",
    seeds: Annotated[int, number(TRAINED, "How many models of each size, each with its own seed.")] = 1,
    seeds_up_to: Annotated[
        str, option(TRAINED, "Above this size, train one model only.", metavar="SIZE|all")
    ] = "all",
    model: Annotated[Literal["word2vec", "fasttext"], option(TRAINED, "What is trained.")] = "word2vec",
    architecture: Annotated[
        Literal["skip-gram", "cbow"], option(TRAINED, "The architecture of the model.")
    ] = "skip-gram",
    dimension: Annotated[int, number(TRAINED, "The dimension of the vectors.")] = 100,
    min_count: options.MinCount = 5,
    epochs: Annotated[int, number(TRAINED, "How many times each model reads its subset of the corpus.")] = 1,
    output: options.Output,
    no_figure: options.NoFigure = False,
    force: options.Force = False,
    results: options.ResultOptions,
    machine: options.MachineOptions,
    mixed_versions: options.MixedVersions = False,
    trainer: options.TrainerCommand = None,
) -> None:
    """Train on growing subsets of a corpus, and show from which size each measure is above chance level.

    Run the same command again to resume.

    For example: evaluator curve latin.txt.gz --test testsets/la.json --output curve
    """
    from evaluator.results.figures.style import require_matplotlib
    from evaluator.settings import Hyperparameters, Settings
    from evaluator.studies.curves import CurveOptions, parse_size
    from evaluator.studies.curves import curve as learn
    from evaluator.studies.curves.run import MEASURES
    from evaluator.studies.trainers import GensimTrainer, ProgramTrainer

    if not no_figure:
        require_matplotlib()
    plan = CurveOptions(
        parse_size(first) or _whole(),
        parse_size(last),
        seeds,
        parse_size(seeds_up_to),
        machine.workers,
        machine.scheduler,
        Hyperparameters(model, architecture, dimension, min_count=min_count, epochs=epochs),
        tuple(measure or MEASURES),
        Settings(multiword=words.multiword, seed=seed),
        mixed_versions,
        GensimTrainer() if trainer is None else ProgramTrainer(trainer),
    )
    categories, sections = _read(test or [], analogies, test_format, language, bad_rows)
    named = categories or sections
    code = language if named is None else named.named_in or named.language
    texts = inputs.read_corpus(corpus, code, words.case, words.profile, tokens=tokens)
    check_folder(output, force=force, marks=_MARKS, written=_WRITTEN)
    with Progress("training", output) as progress:
        result = learn(texts, output, categories, sections, plan, progress, progress.log)
    record, points = result.record(), result.frame()
    _write(record, points, output, figure=not no_figure)
    show(
        results,
        lambda: record,
        text=lambda: _print(result, plan, f"All points{'' if no_figure else ' and figures'}: {output}"),
        csv=lambda: csv_of(points),
    )
    tell_failed(result.failed)


_MARKS = ("points.jsonl", "sentences.sha256", "curve.json")
_WRITTEN = ("curve.json", "curve.csv", *figures("curve", "categories"), "sentences.txt")


def _whole() -> NoReturn:
    from evaluator.errors import StudyError

    raise StudyError("--from all: give the smallest size in tokens, such as 1024 or 2^10")


def _read(
    tests: list[str],
    analogies: str | None,
    test_format: str,
    language: str,
    bad_rows: Literal["refuse", "drop"],
) -> tuple[TestSet | None, TestSet | None]:
    from evaluator.datasets.testset import merge

    categories = merge(inputs.read_tests(tests, language, test_format, bad_rows)) if tests else None
    # A format that is named is that of the test sets, if there are any.
    named = "auto" if tests else test_format
    sections = inputs.read_tests([analogies], language, named, bad_rows)[0] if analogies else None
    return categories, sections


def _write(record: CurveFile, points: pd.DataFrame, folder: Path, *, figure: bool) -> None:
    write_results(record, folder / "curve.json", csv_of(points), folder / "curve.csv")
    if figure:
        from evaluator.results.figures.curve import categories_figure, curve_figure
        from evaluator.results.figures.style import save_figure

        save_figure(curve_figure(record), folder, "curve")
        save_figure(categories_figure(record), folder, "categories")


def _print(result: LearningCurve, plan: CurveOptions, last: str) -> None:
    out = console()
    tests = result.tests
    out.print(
        f"{result.corpus}: {result.tokens:,} tokens; {tests.categories.name}: "
        f"{len(tests.categories.categories)} categories; {tests.analogies.name}: "
        f"{len(tests.analogies.sections)} sections of analogies"
    )
    out.print(f"{result.parameters}, epochs {result.parameters.epochs}")
    out.print(_scores(result, plan))
    out.print(_onsets(result))
    if result.ratios:
        out.print(_ratios(result))
    for note in result.notes:
        out.print(note)
    out.print(last, soft_wrap=True)


def _scores(result: LearningCurve, plan: CurveOptions) -> Table:
    """A row for each size."""
    names = [cell for measure in result.measures for cell in (measure, "95% interval", "chance · frequency")]
    rows = []
    for row, size in enumerate(result.sizes):
        levels = [result.curves[measure][row] for measure in result.measures]
        cells = [
            cell
            for each in levels
            for cell in (
                rate(each.value),
                interval(each.low, each.high),
                f"{rate(each.chance)} · {rate(each.baseline)}",
            )
        ]
        rows.append((f"{size:,}", str(levels[0].seeds), f"{result.vocabulary(size):,.0f}", *cells))
    return plain_table("tokens", ("seeds", f"types ≥ {plan.parameters.min_count}", *names), rows)


def _onsets(result: LearningCurve) -> Table:
    """A row for each definition."""
    rows = []
    for name in next(iter(result.onsets.values())):
        found = [result.onsets[measure][name] for measure in result.measures]
        rows.append((name, *("–" if size is None else f"{size:,}" for size in found)))
    return plain_table("onset", result.measures, rows)


def _ratios(result: LearningCurve) -> Table:
    """A row for each definition, a column for each pair of measures."""
    pairs = list(dict.fromkeys((each.measure, each.over) for each in result.ratios))
    rows = (
        (name, *(str(each) for each in result.ratios if each.definition == name))
        for name in dict.fromkeys(each.definition for each in result.ratios)
    )
    return plain_table("ratio of onsets", (f"{measure} / {over}" for measure, over in pairs), rows)
