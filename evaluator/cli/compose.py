"""`evaluator compose`: one number for each model from its scores on several tasks."""

from __future__ import annotations

from typing import Annotated, Literal

from evaluator.cli import options
from evaluator.cli.inputs import expect
from evaluator.cli.options import COMPUTED, option
from evaluator.cli.report import Results
from evaluator.cli.terminal import show
from evaluator.errors import ResultsError


def compose(
    files: Results,
    *,
    leave_out: Annotated[
        Literal["models", "tasks"] | None,
        option(COMPUTED, "What to leave out if a model has no score on a task."),
    ] = None,
    average: Annotated[
        bool, option(COMPUTED, "Take each measure as one task: its mean over the test sets.", "--average")
    ] = False,
    results: options.ResultOptions,
) -> None:
    """Compose scores of several models into the harmonic mean and the first principal component (PCE).

    For example: evaluator compose a.json b.json c.json
    """
    from evaluator.statistics.composite import compose as compose_results

    for path in files:
        expect(path, "results of evaluator", ResultsError)
    found = compose_results(files, leave_out=leave_out, average=average)
    show(results, found)
