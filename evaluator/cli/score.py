"""Scoring vectors on test sets, and comparing them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import options
from evaluator.cli.output import print_differences, print_json, print_scores
from evaluator.cli.progress import Progress, announce
from evaluator.cli.report import prepare_report
from evaluator.errors import ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.results.base import Difference
    from evaluator.results.scores import ScoresFile
    from evaluator.studies.batch import ModelToScore, ScoredModel
    from evaluator.studies.scoring import Scores


def score(
    context: typer.Context,
    vectors: Annotated[
        list[str],
        typer.Argument(metavar="VECTORS…", help="word2vec, GloVe or fastText vectors: paths, or URLs."),
    ],
    test: options.Tests,
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", metavar="TEXT", help="Such as Topk@3; may be repeated."),
    ] = None,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Score a model that knows only how frequent words are, too.")
    ] = False,
    preset: Annotated[
        str, typer.Option(metavar="gensim", help="The conventions of another program, instead of the below.")
    ] = "",
    oov: options.Oov = "wrong",
    norm: options.Norm = "unit",
    case: options.Case = "exact",
    vocabulary: options.Vocabulary = None,
    profile: options.Profile = "",
    multiword: options.Multiword = "keep",
    levels: options.Levels = "equal",
    seed: options.Seed = 0,
    workers: options.Workers = 1,
    scheduler: options.Scheduler = None,
    test_format: options.TestFormat = "auto",
    language: options.Language = "und",
    vector_format: options.VectorFormat = "auto",
    bad_rows: options.BadRows = "refuse",
    encoding: options.Encoding = "utf-8",
    unsafe_pickle: options.UnsafePickle = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a report of the scores, too.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Score vectors on test sets; several are compared with the first."""
    from evaluator.execution.remote_files import is_url, without_file_scheme
    from evaluator.measures import parse_measure
    from evaluator.settings import GENSIM, Settings
    from evaluator.studies.batch import ModelToScore

    settings = Settings(oov, norm, case, vocabulary, profile, multiword, levels, seed)  # type: ignore[arg-type]  # Settings checks
    if preset:
        _check_preset(context, preset)
        settings = replace(GENSIM, seed=seed)
    if report is not None:
        here = (Path(each) for each in map(without_file_scheme, vectors) if not is_url(each))
        prepare_report(report, [*here, *test])
    tests = tuple(options.read_tests(test, test_format, language))
    files = options.Loader(vector_format, bad_rows, encoding, unsafe_pickle).files(vectors)
    if scheduler is None:
        options.check_there(vectors)
    by = tuple(str(parse_measure(each)) for each in measure) if measure else None
    models = [ModelToScore(file, tests, by, settings, baseline and file is files[0]) for file in files]
    by_model = list(_by_model(models, workers, scheduler))
    first, *others = by_model
    compared = [pair for other in others for pair in zip(first, other, strict=True)]
    if report is not None:
        from evaluator.report import input_of, write_report

        write_report([input_of(_record(by_model, compared, settings.seed), "scores.json")], report)
    if as_json:
        print_json(_record(by_model, compared, settings.seed))
        return
    for scores in (scores for results in by_model for scores in results):
        print_scores(scores)
    if compared:
        print_differences(list(_rows(compared, settings.seed)))


_PRESET = ("oov", "norm", "case", "vocabulary", "profile", "multiword", "levels")


def _was_given(context: typer.Context, option: str) -> bool:
    """Whether an option stands on the command line, be it with its default value."""
    source = context.get_parameter_source(option)
    return source is not None and source.name != "DEFAULT"


def _check_preset(context: typer.Context, preset: str) -> None:
    if preset != "gensim" or any(_was_given(context, option) for option in _PRESET):
        raise ScoreError("--preset is gensim, and settles all that --oov to --levels say: leave these out")


def _by_model(
    models: Sequence[ModelToScore], workers: int, scheduler: str | None
) -> Iterator[tuple[Scores, ...]]:
    """Scores of each model on all test sets, the baseline being one; and advice, on stderr."""
    for model, scored in zip(models, _scored(models, workers, scheduler), strict=True):
        options.tell_dropped(model.file.name, scored.dropped)
        for hint in scored.hints:
            typer.echo(f"evaluator: {hint}", err=True)
        yield scored.scores
        if scored.baseline:
            yield scored.baseline


def _scored(models: Sequence[ModelToScore], workers: int, scheduler: str | None) -> Iterator[ScoredModel]:
    """Score one after another, each with a bar of its own, or several at a time."""
    from evaluator.studies.batch import score_model, score_models

    if workers == 1 and scheduler is None:
        for model in models:
            with Progress(f"scoring {model.file.name}") as progress:
                yield score_model(model, progress, announce)
        return
    with Progress(f"scoring {len(models)} models") as progress:
        found = score_models(models, workers, scheduler, progress)
    yield from found


Row = tuple[str, str, str, str, "Difference"]


def _rows(compared: Sequence[tuple[Scores, Scores]], seed: int) -> Iterator[Row]:
    """Test set, measure, both models, and how much the second is better."""
    from evaluator.statistics.resampling import difference

    for first, second in compared:
        for text, score_ in second.items():
            found = difference(first[text].subscores, score_.subscores, seed)
            if found is not None:
                yield score_.test_set, text, first[text].vectors, score_.vectors, found


def _record(
    by_model: Sequence[Sequence[Scores]], compared: Sequence[tuple[Scores, Scores]], seed: int
) -> ScoresFile:
    """What the result file holds."""
    from msgspec.structs import asdict

    from evaluator.results.scores import ScoresFile, TestedDifference

    return ScoresFile(
        results=tuple(scores.record() for results in by_model for scores in results),
        differences=tuple(
            TestedDifference(**asdict(found), test_set=test, measure=measure, first=first, second=second)
            for test, measure, first, second, found in _rows(compared, seed)
        ),
    )
