"""Telling on stderr how far the reading of dumps is, and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from testgen.cli.progress import SILENCE, duration

if TYPE_CHECKING:
    from rich.console import Console

    from testgen.dumps.make import Notify, Report


@contextmanager
def told() -> Iterator[Notify]:
    """Something to be told how far it is; it says so now and then, or all the time on a terminal."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False, markup=False)
    with console.status("") as status:
        yield _Talk(console, status.update)


class _Talk:
    """Says how much of the dumps has been read, and how long the rest will take at the pace so far."""

    def __init__(self, console: Console, update: Callable[[str], object]) -> None:
        self._console, self._update = console, update
        self._begun, self._first, self._last_line = time.monotonic(), -1, time.monotonic()

    def __call__(self, what: str, read: int, whole: int) -> None:
        if self._first < 0:  # when a pass goes on, what was read before is not of this pace
            self._first, self._begun = read, time.monotonic()
        done = read - self._first
        text = f"reading {what}: {read / whole:.1%} of {whole / 1e9:,.2f} GB" if whole else what
        if done > 0 and read < whole:
            left = (time.monotonic() - self._begun) * (whole - read) / done
            text += f", about {duration(left)} left"
        if self._console.is_terminal:
            self._update(text)
        elif time.monotonic() - self._last_line > SILENCE:
            self._console.print(f"testgen: {text}", soft_wrap=True)
            self._last_line = time.monotonic()


def tell(report: Report) -> None:
    """Say what was read, and what could not be."""
    typer.echo(
        f"{report.entities:,} entities in {report.read / 1e6:,.1f} MB of text read; "
        f"{report.statements:,} statements kept on the way",
        err=True,
    )
    if report.faulty:
        typer.echo(f"{report.faulty:,} lines could not be used:", err=True)
        for fault in report.faults:
            typer.echo(f"  {fault}", err=True)
        if report.faulty > len(report.faults):
            typer.echo(f"  and {report.faulty - len(report.faults):,} more", err=True)
    for end in report.ends:
        typer.echo(f"not whole, as allowed: {end}", err=True)
    for fault in report.failed:
        typer.echo(f"left out: {fault}", err=True)
    if report.empty:
        typer.echo(
            f"no answer to {', '.join(report.empty)}: lexemes are in a dump of their own, "
            "latest-lexemes.json.gz; give it with another --dump",
            err=True,
        )
