"""`evaluator compose`: one number for each model from its scores on several tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from evaluator.cli import options
from evaluator.cli.inputs import expect
from evaluator.cli.options import COMPUTED, option
from evaluator.cli.output import console, csv_of, plain_table, rate, show
from evaluator.cli.report import Results
from evaluator.errors import ResultsError

if TYPE_CHECKING:
    import pandas as pd

    from evaluator.results.composite import Composite


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
    show(
        results,
        lambda: found,
        text=lambda: _print(found),
        csv=lambda: csv_of(found.frame().rename_axis("model").reset_index()),
    )


def _print(found: Composite) -> None:
    out = console()
    _print_frame(found.frame())
    if found.pce is not None:
        explained = ", ".join(f"{share:.0%}" for share in found.pce.explained)
        out.print(f"Principal components explain {explained}. The first one, task by task:")
        _print_frame(found.pce.frame())
    for note in found.notes:
        out.print(note)


def _shown(cell: object) -> str:
    """A value of a pandas table, which has several ways to say that there is none."""
    import pandas as pd

    if cell is pd.NA or cell is None or cell != cell:
        return rate(None)
    return rate(cell) if isinstance(cell, float) else str(cell)


def _print_frame(frame: pd.DataFrame) -> None:
    """A pandas table with its index on the left."""
    rows = ((str(name), *map(_shown, cells)) for name, *cells in frame.itertuples())
    console().print(plain_table(str(frame.index.name or ""), map(str, frame.columns), rows))
