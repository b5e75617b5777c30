"""Printing results: plain tables for people, JSON or CSV for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer
from msgspec import structs

from testgen.system import visible

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console
    from rich.text import Text


def echo(*lines: str, err: bool = False) -> None:
    """Print lines, each made `visible`, on stdout or stderr."""
    for line in lines:
        typer.echo(visible(line), err=err)


def echo_lines(text: str) -> None:
    """Print a text of several lines on stdout, such as JSON; names in it have no line ends of their own."""
    typer.echo(visible(text, lines=True))


def console(*, stderr: bool = False) -> Console:
    """A console to which each text is a line, made `visible`, at full width to files."""
    from rich.console import Console

    class VisibleConsole(Console):
        def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401  # those of rich
            return super().render_str(visible(text), **options)

    width = None if stderr or sys.stdout.isatty() else 10_000
    return VisibleConsole(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def print_json(content: pd.DataFrame | Mapping[str, Any] | Sequence[Any]) -> None:
    """Print JSON; of a table, its rows as a list of objects."""
    if not isinstance(content, Mapping | Sequence):
        content = content.astype(object).where(content.notna(), None).to_dict("records")
    echo_lines(json.dumps(content, default=structs.asdict, ensure_ascii=False, indent=1))


def print_table(frame: pd.DataFrame) -> None:
    """Print a plain table, wrapped to the terminal; at full width if stdout is not a terminal."""
    import pandas as pd

    rows = [["-" if value is pd.NA else value for value in row] for row in frame.itertuples(index=False)]
    right = [dtype.kind in "iuf" for dtype in frame.dtypes]
    print_rows(list(map(str, frame.columns)), rows, right)


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[bool] | None = None
) -> None:
    """The same of rows; columns of whole numbers are aligned at the right, unless `right` says which are."""
    from rich.table import Table

    rows = list(rows)
    right = [isinstance(value, int) for value in rows[0]] if right is None else right
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, at_the_right in zip(columns, right, strict=True):
        table.add_column(name, justify="right" if at_the_right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(str, row))
    console().print(table)


def note_categories_left_out(asked: set[str], made: Iterable[str], attrs: dict[Any, Any]) -> None:
    """Record in the attributes of a result what was asked for by name and was not found for any language."""
    for name in sorted(asked.difference(made)):
        attrs["failed"].setdefault(name, "it has too few items or usable words in every language")


def exit_if_incomplete(attrs: Mapping[Any, Any]) -> None:
    """Say what the source lacks and which queries failed, by a result; exit with 1 if any."""
    if attrs.get("lacking"):
        echo(f"testgen: {attrs['lacking']}", err=True)
    for line in lines_on_failures(attrs["failed"]):
        echo(line, err=True)
    if attrs["failed"]:
        raise typer.Exit(1)


def lines_on_failures(failed: Mapping[str, str]) -> list[str]:
    """A line for each message, with the names of all that it is about."""
    names: dict[str, list[str]] = {}
    for name, message in failed.items():
        names.setdefault(message, []).append(name)
    return [f"testgen: left out {', '.join(of_one)}: {message}" for message, of_one in names.items()]
