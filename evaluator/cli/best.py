"""`evaluator best`: which of several models to keep."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from evaluator.cli import inputs, options
from evaluator.cli.output import console, echo_lines, signed
from evaluator.cli.score import groups_of, scored
from evaluator.cli.terminal import print_section

if TYPE_CHECKING:
    from evaluator.results.scores import ScoresFile


def best(
    vectors: options.VectorFiles,
    *,
    test: Annotated[list[str] | None, options.TEST] = None,
    language: options.Language = options.TestOptions.language,
    words: options.SpellingOptions,
    as_json: options.Json = False,
    reading: options.FileOptions,
    machine: options.MachineOptions,
) -> None:
    """Say which of several models to keep: `score`, without all that does not answer this.

    Without --test, the words are those of the languages that the files are named after, as la.vec is.

    For example: evaluator best models/*.la.vec

    For example: evaluator best one.vec two.vec --test la
    """
    from evaluator.reports.sections.best import best_section
    from evaluator.results.base import to_json
    from evaluator.settings import Settings
    from evaluator.studies.models import score_and_compare

    tests = options.FormatOptions(test or inputs.named_tests(vectors, language), language)
    read = options.VectorOptions(reading.bad_rows)
    groups = list(groups_of(vectors, tests, None, Settings(**vars(words)), read, machine))
    found = score_and_compare(groups, partial(scored, machine=machine, told=set()), machine.machine())
    record = _of_what_decides(found.record())
    if as_json:
        echo_lines(to_json(signed(record)))
    else:
        print_section(best_section(record), console(), details=False)
    if record.reasons:
        raise typer.Exit(1)


def _of_what_decides(record: ScoresFile) -> ScoresFile:
    """The same without failures of measures that decide nothing there."""
    from msgspec.structs import replace

    deciding = {
        (each.test_set, each.language, measure)
        for each in record.results
        for kept in record.kept
        if kept.is_of(each.test_set, each.language)
        for measure in (*kept.measures, *kept.chosen_by)
    }
    results = tuple(
        replace(
            each,
            failures=tuple(
                failure
                for failure in each.failures
                if (each.test_set, each.language, failure.measure) in deciding
            ),
        )
        for each in record.results
    )
    return replace(record, results=results)
