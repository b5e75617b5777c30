"""`evaluator score`: vectors scored on test sets, and compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evaluator.cli import inputs, options
from evaluator.cli.options import COMPUTED, OUTPUT, SCORED, option
from evaluator.cli.output import Progress, announce, csv_of, print_differences, print_scores, show
from evaluator.cli.report import prepare_report
from evaluator.errors import ScoreError

if TYPE_CHECKING:
    from evaluator.results.base import Difference
    from evaluator.results.scores import ScoresFile
    from evaluator.settings import Settings
    from evaluator.studies.models import ModelToScore, ScoredModel
    from evaluator.studies.scoring import Scores


def score(
    context: typer.Context,
    vectors: options.VectorFiles,
    *,
    tests: options.TestOptions,
    measure: options.Measures = None,
    baseline: Annotated[
        bool, option(SCORED, "Also score a model that knows only how frequent words are.", "--baseline")
    ] = False,
    words: options.ScoreOptions,
    preset: Annotated[
        Literal["gensim", "gensim-evaluations"] | None,
        option(
            COMPUTED,
            "The conventions of gensim, or of gensim-evaluations, in place of --case, --oov and the like.",
        ),
    ] = None,
    reading: options.VectorOptions,
    report: Annotated[
        Path | None, option(OUTPUT, "Also write a report of the scores.", metavar="FILE.html")
    ] = None,
    force: options.Force = False,
    results: options.ResultOptions,
    machine: options.MachineOptions,
) -> None:
    """Score vectors on test sets, and compare further vectors with the first.

    For example: evaluator score la.vec --test testsets/la.json --measure Topk@3
    """
    from evaluator.execution.remote_files import is_url, without_file_scheme
    from evaluator.measures import parse_measure
    from evaluator.studies.models import ModelToScore

    settings = _settings(context, words, preset)
    if report is not None:
        local = (Path(each) for each in map(without_file_scheme, [*vectors, *tests.test]) if not is_url(each))
        prepare_report(report, list(local), force=force)
    test_sets = tuple(tests.read())
    files = reading.files(vectors)
    if machine.scheduler is None:
        inputs.check_there(vectors)
    by = tuple(str(parse_measure(each)) for each in measure) if measure else None
    models = [ModelToScore(file, test_sets, by, settings, baseline and file is files[0]) for file in files]
    scored = list(_scored(models, machine))
    _tell(models, scored)
    found, compared = _paired(scored)
    if report is not None:
        from evaluator.report import input_of, write_report

        write_report([input_of(_record(found, compared), "scores.json")], report)
    show(
        results,
        lambda: _record(found, compared),
        text=lambda: _print(found, compared),
        csv=lambda: _csv(found),
    )
    if any(each.errors for each in scored):
        raise typer.Exit(1)


_PRESET = ("oov", "norm", "case", "vocabulary", "profile", "multiword", "levels", "small_categories")


def _settings(context: typer.Context, words: options.ScoreOptions, preset: str | None) -> Settings:
    """What holds for the scores.

    Raises:
        ScoreError: A setting is wrong, or is given beside a preset.
    """
    from evaluator.settings import PRESETS

    if preset is None:
        return words.settings()
    given = [f"--{name.replace('_', '-')}" for name in _PRESET if _was_given(context, name)]
    if given:
        raise ScoreError(f"--preset {preset} decides {', '.join(given)}; leave out one or the other")
    return replace(PRESETS[preset], seed=words.seed)


def _was_given(context: typer.Context, name: str) -> bool:
    """Whether an option is on the command line, even with its default value."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _scored(models: Sequence[ModelToScore], machine: options.MachineOptions) -> Iterator[ScoredModel]:
    """Score one after another, each with a progress bar of its own, or several at a time."""
    from evaluator.studies.models import score_model, score_models

    if machine.in_this_process:
        for model in models:
            with Progress(f"scoring {model.file.name}") as progress:
                yield score_model(model, progress, announce)
        return
    with Progress(f"scoring {len(models)} models") as progress:
        found = score_models(models, machine.workers, machine.scheduler, progress)
    yield from found


def _paired(scored: Sequence[ScoredModel]) -> tuple[list[list[Scores]], list[tuple[Scores, Scores]]]:
    """The scores of each model, baselines included; and each pair of the first model and another one."""
    by_model = [own for each in scored for own in (each.scores, each.baseline) if own]
    compared = [
        (first, other)
        for others in by_model[1:]
        for first, other in zip(by_model[0], others, strict=True)
        if first and other
    ]
    return [[scores for scores in own if scores] for own in by_model], compared


def _tell(models: Sequence[ModelToScore], scored: Sequence[ScoredModel]) -> None:
    """Say on stderr which rows were left out, what to try, and what could not be scored.

    Raises:
        EvaluatorError: Nothing could be scored.
    """
    for model, each in zip(models, scored, strict=True):
        inputs.tell_dropped(model.file.name, each.dropped)
    errors = [error for each in scored for error in each.errors]
    if not any(any(each.scores) for each in scored):
        raise errors[0]
    for line in [*(hint for each in scored for hint in each.hints), *errors]:
        typer.echo(f"evaluator: {line}", err=True)


def _print(by_model: Sequence[Sequence[Scores]], compared: Sequence[tuple[Scores, Scores]]) -> None:
    for scores in (scores for own in by_model for scores in own):
        print_scores(scores)
    if compared:
        print_differences(list(_rows(compared)))


def _csv(by_model: Sequence[Sequence[Scores]]) -> str:
    """A row for each model, test set, measure and part of the test set."""
    import pandas as pd

    frames = [
        scores.frame().assign(vectors=scores.scores[0].vectors, test_set=scores.scores[0].test_set)
        for own in by_model
        for scores in own
    ]
    table = pd.concat(frames)
    first = ["vectors", "test_set"]
    return csv_of(table[[*first, *table.columns.drop(first)]])


Row = tuple[str, str, str, str, "Difference"]


def _rows(compared: Sequence[tuple[Scores, Scores]]) -> Iterator[Row]:
    """Test set, measure, both models, and how much the second is better."""
    from evaluator.statistics.inference import difference

    for first, second in compared:
        for text, score_ in second.items():
            found = difference(first[text].subscores, score_.subscores)
            if found is not None:
                yield score_.test_set, text, first[text].vectors, score_.vectors, found


def _record(by_model: Sequence[Sequence[Scores]], compared: Sequence[tuple[Scores, Scores]]) -> ScoresFile:
    """The content of the result file."""
    from msgspec.structs import asdict

    from evaluator.results.scores import ScoresFile, TestedDifference

    return ScoresFile(
        results=tuple(scores.record() for own in by_model for scores in own),
        differences=tuple(
            TestedDifference(**asdict(found), test_set=test, measure=measure, first=first, second=second)
            for test, measure, first, second, found in _rows(compared)
        ),
    )
