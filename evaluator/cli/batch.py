"""`evaluator batch`: many models scored, each on the test sets of its language."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli import options
from evaluator.cli.options import OUTPUT, option
from evaluator.cli.output import GIVEN, Progress, echo
from evaluator.cli.report import prepare_report


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
    report: Annotated[
        Path | None, option(OUTPUT, "Also write a report of the scores.", metavar="FILE.html")
    ] = None,
    force: options.Force = False,
) -> None:
    """Score many models, each on the test sets of its language.

    Run the same command again to resume.

    For example: evaluator batch 'models/{language}/*.vec' --test testsets --output results.jsonl
    """
    from evaluator.settings import Settings
    from evaluator.studies.batch import batch as score_many

    if report is not None:
        prepare_report(report, [output, *map(Path, (*vectors, *test))], force=force)
    started = time.perf_counter()
    with Progress("scoring", output) as progress:
        found = score_many(
            vectors,
            test,
            output,
            measure,
            Settings(**vars(words)),
            reading.for_loading(),
            test_format,
            machine=machine.machine(progress),
            command=GIVEN.get(),
        )
    seconds = time.perf_counter() - started
    if report is not None:
        from evaluator.reports.build import write_report
        from evaluator.reports.inputs import read_inputs

        write_report(read_inputs([output]), report)
    echo(json.dumps(asdict(found)) if as_json else f"{output}: {found}")
    if found.values and not as_json:
        each = 1000 * seconds / found.values
        echo(f"evaluator: {seconds:.1f} seconds, {each:.2f} ms per category score", err=True)
    for note in found.notes:
        echo(f"evaluator: {note}", err=True)
    if words.oov == "skip":
        echo(
            "evaluator: with --oov skip, each model was asked the words that it knows; such scores of "
            "different models cannot be compared",
            err=True,
        )
    if found.failed:
        echo(f"evaluator: {output} says why {found.failed:,} could not be scored", err=True)
        raise typer.Exit(1)
