"""Progress of long work, on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Callable


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
