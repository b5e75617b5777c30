"""`evaluator verify`: whether results are what was computed, of what is still there."""

from __future__ import annotations

from evaluator.cli import options
from evaluator.cli.output import echo, tell_failed
from evaluator.errors import ResultsError


def verify(
    results: options.ResultFiles,
) -> None:
    """Check that results are what evaluator wrote, and that the models and test sets are still the same.

    For example: evaluator verify scores.jsonl study
    """
    from evaluator.reports.site import result_files
    from evaluator.studies.verification import verify as check

    wrong: list[str] = []
    for _, path in result_files(results):
        try:
            number, problems = check(path)
        except ResultsError as error:
            number, problems = 0, [str(error)]
        wrong += problems
        if not problems:
            digests = f"{number} digest{'s' * (number > 1)}"
            echo(f"{path}: {f'unchanged, by {digests}' if number else 'has no digests: nothing to check'}")
    tell_failed(wrong)
