"""`evaluator items`: the words and categories of a test set that tell models apart, or do not."""

from __future__ import annotations

from typing import Annotated

import typer

from evaluator.cli import inputs, options
from evaluator.cli.output import Progress
from evaluator.cli.terminal import show


def items(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="VECTORS-OR-RESULTS…",
            help="Several models, with --test; or results of several, for categories alone.",
        ),
    ],
    *,
    test: Annotated[list[str] | None, options.TEST] = None,
    language: options.Language = options.TestOptions.language,
    measure: options.Measures = None,
    words: options.SpellingOptions,
    results: options.ResultOptions,
) -> None:
    """Find the words and categories that no model gets right, or that go against the rest of a test set.

    For example: evaluator items models/*.vec --test testsets/la.json
    """
    from evaluator.execution.machine import Machine
    from evaluator.results.files import read_results
    from evaluator.settings import Settings
    from evaluator.statistics.items import items as items_of
    from evaluator.studies.models import score

    if test:
        _, paths = inputs.training_runs(files)
        vectors = options.FileOptions().files(paths)
        tests = inputs.read_tests(test, language)
        with Progress(f"scoring {len(vectors)} models") as progress:
            machine = Machine(progress=progress)
            scored = score(vectors, tests, measure, Settings(**vars(words)), machine=machine)
        found = items_of(scored)
    else:
        found = items_of(read_results(*files).scores)
    show(results, found)
