"""One number from the scores of several models on several tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evaluator.cli import options
from evaluator.cli.output import console, plain_table, print_json, rate
from evaluator.errors import ResultsError

if TYPE_CHECKING:
    import pandas as pd

    from evaluator.results.composite import Composite


def compose(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULT…", help="Result files that score --json or batch wrote.")
    ],
    leave_out: Annotated[
        str | None,
        typer.Option(metavar="models|tasks", help="What to leave out where a model lacks a task."),
    ] = None,
    average: Annotated[
        bool, typer.Option("--average", help="A task is a measure, with the mean over its test sets.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Compose scores of several models into the harmonic mean and the first principal component (PCE)."""
    from evaluator.statistics.composite import compose as compose_results

    if leave_out not in (None, "models", "tasks"):
        raise ResultsError(f"--leave-out is {leave_out!r}; choose from models, tasks")
    chosen: Literal["models", "tasks"] | None = leave_out  # type: ignore[assignment]  # checked above
    found = compose_results(results, leave_out=chosen, average=average)
    if as_json:
        print_json(found)
        return
    _print(found)


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
    """A figure of a table of pandas, which has words of its own for what is missing."""
    import pandas as pd

    if cell is pd.NA or cell is None or cell != cell:
        return rate(None)
    return rate(cell) if isinstance(cell, float) else str(cell)


def _print_frame(frame: pd.DataFrame) -> None:
    """A table of pandas with its index on the left."""
    table = plain_table(str(frame.index.name or ""), map(str, frame.columns))
    for name, *cells in frame.itertuples():
        table.add_row(str(name), *(_shown(cell) for cell in cells))
    console().print(table)
