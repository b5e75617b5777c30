"""`evaluator plan`: how many words and categories a comparison of two models needs."""

from __future__ import annotations

from typing import Annotated

import typer

from evaluator.cli import inputs, options
from evaluator.cli.options import COMPUTED, option
from evaluator.cli.output import Progress
from evaluator.cli.terminal import show


def plan(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="VECTORS-OR-RESULTS…",
            help="One or two models, with --test; or a file of scores or of coverage.",
        ),
    ],
    *,
    test: Annotated[list[str] | None, options.TEST] = None,
    language: options.Language = options.TestOptions.language,
    measure: options.Measures = None,
    difference: Annotated[
        float | None,
        option(COMPUTED, "The difference that must be found; half of what is found now if not given."),
    ] = None,
    value: Annotated[
        float | None, option(COMPUTED, "The score to expect, if a file of coverage is given.", "--score")
    ] = None,
    words: options.SpellingOptions,
    results: options.ResultOptions,
) -> None:
    """Say how small a difference of two models a test set shows, and how large it must be for smaller ones.

    For example: evaluator plan pilot.vec --test testsets/la.json --difference 0.05
    """
    from evaluator.execution.machine import Machine
    from evaluator.results.coverage import CoverageFile
    from evaluator.results.files import read_results
    from evaluator.settings import Settings
    from evaluator.statistics.plan import plan as plan_of
    from evaluator.statistics.plan import scores_of
    from evaluator.studies.models import score

    if test:
        tests = inputs.read_tests(test, language)
        models = options.FileOptions().files(files)
        with Progress("scoring pilot models") as progress:
            machine = Machine(progress=progress)
            pilots = list(score(models, tests, measure, Settings(**vars(words)), machine=machine))
    else:
        read = read_results(*files)
        covered = [each for file in read if isinstance(file, CoverageFile) for each in file.results]
        pilots = [*read.scores, *(scores_of(each, value or 0.0, measure) for each in covered)]
    found = plan_of(pilots, difference)
    show(results, found)
