"""How results are printed: plain tables for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    import pandas as pd


def print_json(frame: pd.DataFrame) -> None:
    """The rows as a list of objects."""
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    typer.echo(json.dumps(records, ensure_ascii=False, indent=1))


def print_table(frame: pd.DataFrame) -> None:
    """A plain table, wrapped to the terminal; at full width where the output is no terminal."""
    import pandas as pd
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, dtype in frame.dtypes.items():
        table.add_column(str(name), justify="right" if dtype.kind in "iuf" else "left", overflow="fold")
    for row in frame.itertuples(index=False):
        table.add_row(*("-" if value is pd.NA else str(value) for value in row))
    width = None if sys.stdout.isatty() else 10_000
    Console(width=width, highlight=False, markup=False, emoji=False).print(table)
