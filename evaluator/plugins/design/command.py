"""`evaluator items` and `evaluator plan`: which words a test set needs, and how many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from evaluator.plugins import (
    COMPUTED,
    Progress,
    ResultsError,
    argument,
    expect,
    kind_of,
    number,
    options,
    read_tests,
    show,
    training_runs,
)

if TYPE_CHECKING:
    from evaluator.plugins import Results, ScoresFile


@dataclass(frozen=True)
class PilotOptions:
    """What vectors are scored on, if files are not results already."""

    test: Annotated[list[str] | None, options.TEST] = None
    language: options.Language = options.TestOptions.language
    measure: options.Measures = None

    def score(self, files: Sequence[str], words: options.SpellingOptions, *, pilots: bool) -> ScoresFile:
        """The scores of all models: of one pilot or two, or else of two models or more."""
        from evaluator.plugins import Machine, Settings, score

        _, paths = training_runs(files)
        if len(paths) > 2 if pilots else len(paths) < 2:
            wanted = "one model or two" if pilots else "two models or more"
            raise ResultsError(f"there are vectors of {len(paths)}; name those of {wanted}")
        vectors = options.FileOptions().files(paths)
        test_sets = read_tests(self.test or (), self.language)
        with Progress(f"scoring {len(vectors)} models") as progress:
            machine = Machine(progress=progress)
            return score(vectors, test_sets, self.measure, Settings(**vars(words)), machine=machine)


def _read(files: Sequence[str]) -> Results:
    from evaluator.plugins import read_results

    for each in files:
        if kind_of(Path(each)) == "vectors":
            raise ResultsError(f"{each}: holds vectors; name the test set on which to score them with --test")
        expect(each, "results of evaluator", ResultsError)
    return read_results(*files)


def items(
    files: Annotated[
        list[str],
        argument(
            "VECTORS-OR-RESULTS…",
            "Several models, with --test; or results of several, for categories alone.",
        ),
    ],
    *,
    tests: PilotOptions,
    words: options.SpellingOptions,
    results: options.ResultOptions,
) -> None:
    """Find the words and categories that no model gets right, or that go against the rest of a test set.

    For example: evaluator items models/*.vec --test testsets/la.json
    """
    from evaluator.plugins.design.item_analysis import items as items_of

    scored = tests.score(files, words, pilots=False) if tests.test else _read(files).scores
    show(results, items_of(scored))


def plan(
    files: Annotated[
        list[str],
        argument(
            "VECTORS-OR-RESULTS…",
            "One or two models, with --test; or a file of scores or of coverage.",
        ),
    ],
    *,
    tests: PilotOptions,
    difference: Annotated[
        float | None,
        number(COMPUTED, "The difference to find; by default, half of what is found now.", min=0, max=1),
    ] = None,
    value: Annotated[
        float | None,
        number(COMPUTED, "The score to expect, if a file of coverage is given.", "--score", min=0, max=1),
    ] = None,
    words: options.SpellingOptions,
    results: options.ResultOptions,
) -> None:
    """Say how small a difference of two models a test set shows, and how large it must be for smaller ones.

    For example: evaluator plan pilot.vec --test testsets/la.json --difference 0.05
    """
    from evaluator.plugins import CoverageFile
    from evaluator.plugins.design.power import plan as plan_of
    from evaluator.plugins.design.power import scores_of

    read = None if tests.test else _read(files)
    covered = [each for file in read or () if isinstance(file, CoverageFile) for each in file.results]
    if value is not None and not covered:
        raise ResultsError("--score is for a file of coverage; what is given here has scores of its own")
    pilots = list(tests.score(files, words, pilots=True) if read is None else read.scores)
    pilots += [scores_of(each, value or 0.0, tests.measure) for each in covered]
    show(results, plan_of(pilots, difference))
