"""`evaluator batch`: many models scored, each on the test sets of its language."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import Annotated

import typer

from evaluator.cli import options
from evaluator.cli.progress import Progress


def batch(
    vectors: Annotated[
        list[str],
        typer.Argument(
            metavar="VECTORS…",
            help="Vectors: paths, quoted patterns such as 'models/{language}/*.vec', or URLs.",
        ),
    ],
    *,
    test: options.Tests,
    test_format: options.TestFormat = options.TestOptions.test_format,
    measure: options.Measures = None,
    words: options.ScoreOptions,
    reading: options.VectorOptions,
    output: options.OutputFile,
    as_json: options.Json = False,
    machine: options.MachineOptions,
) -> None:
    """Score many models, each on the test sets of its language; the same command again resumes.

    For example: evaluator batch 'models/{language}/*.vec' --test testsets --output results.jsonl
    """
    from evaluator.studies.batch import Reading, score_many

    how = Reading(reading.loading(), test_format)
    begun = time.perf_counter()
    with Progress("scoring") as progress:
        found = score_many(
            *(vectors, test, output, measure, words.settings(), how),
            *(machine.workers, machine.scheduler, progress),
        )
    seconds = time.perf_counter() - begun
    if as_json:
        typer.echo(json.dumps(asdict(found)))
    else:
        typer.echo(
            f"{output}: {_count(found.models, 'model')}, {_count(found.test_sets, 'result')}; "
            f"failed: {found.failed:,}; finished before: {_count(found.before, 'model')}"
        )
    if found.categories and not as_json:
        each = 1000 * seconds / found.categories
        typer.echo(f"evaluator: {seconds:.1f} seconds, {each:.2f} ms for each category and measure", err=True)
    if found.failed:
        typer.echo(f"evaluator: {_count(found.failed, 'result')} failed; {output} has the reasons", err=True)
        raise typer.Exit(1)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
