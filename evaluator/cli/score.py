"""Scoring vectors on test sets, and comparing them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evaluator.cli import options
from evaluator.cli.output import print_differences, print_scores
from evaluator.cli.progress import Progress, announce
from evaluator.cli.report import prepare_report, write_scores_report
from evaluator.errors import ScoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.resampling import Difference
    from evaluator.scoring import Scores
    from evaluator.settings import Settings
    from evaluator.testset import TestSet
    from evaluator.vectors import Vectors


def score(
    context: typer.Context,
    vectors: Annotated[
        list[Path], typer.Argument(metavar="VECTORS…", help="word2vec, GloVe or fastText vectors.")
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
    test_format: options.TestFormat = "auto",
    language: options.Language = "und",
    vector_format: options.VectorFormat = "auto",
    bad_rows: options.BadRows = "refuse",
    encoding: options.Encoding = "utf-8",
    unsafe_pickle: options.UnsafePickle = False,
    no_cache: options.NoCache = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a report of the scores, too.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Score vectors on test sets; several are compared with the first."""
    from evaluator.baseline import frequency_baseline
    from evaluator.settings import GENSIM, Settings

    settings = Settings(oov, norm, case, vocabulary, profile, multiword, levels, seed)  # type: ignore[arg-type]  # Settings checks
    if preset:
        if preset != "gensim" or any(_was_given(context, option) for option in _PRESET):
            raise ScoreError(
                "--preset is gensim, and settles all that --oov to --levels say: leave these out"
            )
        settings = replace(GENSIM, seed=seed)
    if report is not None:
        prepare_report(report, [*vectors, *test])
    tests = options.read_tests(test, test_format, language)
    loader = options.Loader(vector_format, bad_rows, encoding, unsafe_pickle, no_cache)
    models = loader.load_each(vectors)
    by_model = [
        [_score(each, test_set, measure, settings) for test_set in tests]
        for number, loaded in enumerate(models)
        for each in ([loaded, frequency_baseline(loaded)] if baseline and number == 0 else [loaded])
    ]
    first, *others = by_model
    compared = [pair for other in others for pair in zip(first, other, strict=True)]
    text = _json(by_model, compared, settings.seed) if as_json or report is not None else ""
    if report is not None:
        write_scores_report(text, report)
    if as_json:
        typer.echo(text)
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


def _score(vectors: Vectors, test_set: TestSet, measures: list[str] | None, settings: Settings) -> Scores:
    """Score, and give advice."""
    from evaluator.scoring import case_hint
    from evaluator.scoring import score as score_vectors

    with Progress(f"scoring {vectors.name} on {test_set.name}") as progress:
        scores = score_vectors(vectors, test_set, measures or None, settings, progress, announce)
    hint = case_hint(vectors, test_set, settings)
    if hint:
        typer.echo(f"evaluator: {test_set.name}: {hint}", err=True)
    return scores


Row = tuple[str, str, str, str, "Difference"]


def _rows(compared: Sequence[tuple[Scores, Scores]], seed: int) -> Iterator[Row]:
    """Test set, measure, both models, and how much the second is better."""
    from evaluator.resampling import difference

    for first, second in compared:
        for text, score_ in second.items():
            found = difference(first[text].parts, score_.parts, seed)
            if found is not None:
                yield score_.test_set, text, first[text].vectors, score_.vectors, found


def _json(by_model: Sequence[Sequence[Scores]], compared: Sequence[tuple[Scores, Scores]], seed: int) -> str:
    from dataclasses import asdict

    content: dict[str, Any] = {
        "format": "scores",
        "version": 1,
        "results": [scores.as_dict() for results in by_model for scores in results],
        "differences": [
            {"test_set": test, "measure": measure, "first": first, "second": second, **asdict(found)}
            for test, measure, first, second, found in _rows(compared, seed)
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
