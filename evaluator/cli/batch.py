"""Scoring many models at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli import options
from evaluator.cli.progress import Progress


def batch(
    vectors: Annotated[
        list[str],
        typer.Argument(
            metavar="VECTORS…",
            help="Models: paths, quoted patterns such as 'models/{language}/*.vec', or URLs.",
        ),
    ],
    test: Annotated[
        list[str],
        typer.Option("--test", "-t", metavar="PLACE", help="Test sets, such as 'testsets/{language}.json'."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.jsonl", help="For the results, a model in a line.")
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", metavar="TEXT", help="Such as Topk@3; may be repeated."),
    ] = None,
    workers: options.Workers = 1,
    scheduler: options.Scheduler = None,
    oov: options.Oov = "wrong",
    norm: options.Norm = "unit",
    case: options.Case = "exact",
    vocabulary: options.Vocabulary = None,
    profile: options.Profile = "",
    multiword: options.Multiword = "keep",
    levels: options.Levels = "equal",
    seed: options.Seed = 0,
    test_format: options.TestFormat = "auto",
    vector_format: options.VectorFormat = "auto",
    bad_rows: options.BadRows = "refuse",
    encoding: options.Encoding = "utf-8",
) -> None:
    """Score many models on the test sets of their languages, here or on a cluster; go on after a stop."""
    from evaluator.settings import Settings
    from evaluator.studies.batch import score_many
    from evaluator.vectors import LoadOptions

    settings = Settings(oov, norm, case, vocabulary, profile, multiword, levels, seed)  # type: ignore[arg-type]  # Settings checks
    loading = LoadOptions(vector_format, bad_rows, encoding)  # type: ignore[arg-type]  # load_vectors checks
    begun = time.perf_counter()
    with Progress("scoring") as progress:
        found = score_many(
            vectors, test, output, measure, settings, loading, test_format, workers, scheduler, progress
        )
    seconds = time.perf_counter() - begun
    typer.echo(f"{output}: {found}")
    if found.values:
        each = 1000 * seconds / found.values
        typer.echo(f"evaluator: {seconds:.1f} seconds, {each:.2f} ms per category score", err=True)
