"""What commands print: results as tables, JSON or CSV on stdout, and progress on stderr."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pandas as pd
    from rich.console import Console
    from rich.table import Table

    from evaluator.cli.options import ResultOptions
    from evaluator.results.base import ResultFile


def show(
    results: ResultOptions,
    record: Callable[[], ResultFile],
    *,
    text: Callable[[], None],
    csv: Callable[[], str],
) -> None:
    """Print results in the way that is asked for.

    Args:
        results: In which way.
        record: Gives the content of the result file, which JSON is made of.
        text: Prints tables for people.
        csv: Gives CSV with a line end after each row.
    """
    from evaluator.results.base import to_json

    if results.as_json:
        typer.echo(to_json(record()))
    elif results.as_csv:
        typer.echo(csv(), nl=False)
    else:
        text()


def csv_of(frame: pd.DataFrame) -> str:
    """A table as CSV."""
    return frame.to_csv(index=False, lineterminator="\n")


def write_results(record: ResultFile, path: Path, table: str, table_path: Path) -> None:
    """Write results as JSON, and a table of them as CSV.

    Raises:
        OutputError: A file cannot be written.
    """
    from evaluator.execution.output_files import write_text
    from evaluator.results.base import to_json

    write_text(path, f"{to_json(record)}\n")
    write_text(table_path, table)


def console() -> Console:
    """The console for results: prints text as it is, at full width where stdout is not a terminal."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 10_000
    return Console(width=width, highlight=False, markup=False, emoji=False)


def plain_table(left: str, right: Iterable[str], rows: Iterable[Iterable[str]] = ()) -> Table:
    """A table without lines: a column of names, then columns of numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(left, overflow="fold")
    for name in right:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def interval(low: float | None, high: float | None) -> str:
    """An interval with four decimals; a dash where there is none."""
    return "–" if low is None or high is None else f"{low:.4f} to {high:.4f}"


def rate(value: float | None) -> str:
    """A score with four decimals; a dash where there is none."""
    return "–" if value is None else f"{value:.4f}"


def announce(comparisons: int) -> None:
    """Say before the work how long it will take, if that is long."""
    from evaluator.engine.similarities import COMPARISONS_PER_SECOND
    from evaluator.execution.processes import cores

    seconds = comparisons / COMPARISONS_PER_SECOND / cores()
    if seconds > 10:
        typer.echo(f"evaluator: {comparisons:.1e} comparisons, about {seconds:.0f} seconds", err=True)


class Progress:
    """A progress bar on stderr, shown only on a terminal."""

    def __init__(self, description: str) -> None:
        """Prepare a bar with a description."""
        self._description = description

    def __enter__(self) -> Callable[[float], None]:
        """Show the bar; the returned function takes the finished share of the work, from 0 to 1."""
        from rich.console import Console
        from rich.progress import Progress as Bar

        console = Console(stderr=True)
        self._bar = Bar(console=console, transient=True, disable=not console.is_terminal)
        self._bar.start()
        task = self._bar.add_task(self._description, total=1.0)
        return lambda done: self._bar.update(task, completed=done)

    def __exit__(self, *_: object) -> None:
        """Remove the bar."""
        self._bar.stop()
