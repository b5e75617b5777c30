"""What commands print: results as tables, JSON or CSV on stdout, and progress on stderr."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import typer

from evaluator.execution.output_files import csv_cell, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from rich.console import Console
    from rich.text import Text

    from evaluator.execution.inputs import Input
    from evaluator.results.base import ResultFile

R = TypeVar("R", bound="ResultFile")


def echo(text: str, *, err: bool = False) -> None:
    """Print a line, made `visible`, on stdout or stderr."""
    typer.echo(visible(text), err=err)


def echo_lines(text: str, *, nl: bool = True) -> None:
    """Print a text of several lines on stdout, such as JSON; names in it have no line ends of their own."""
    typer.echo(visible(text, lines=True), nl=nl)


def tell(*lines: str) -> None:
    """Say lines on stderr, each after the name of the program."""
    for line in lines:
        echo(f"evaluator: {line}", err=True)


GIVEN: ContextVar[tuple[str, ...]] = ContextVar("GIVEN", default=())
"""The arguments of the command that runs; see `options.grouped`."""


def signed(record: R) -> R:
    """Results, with the arguments of the command that gives them, its inputs, and the digest of all that."""
    from msgspec import UNSET
    from msgspec.structs import replace

    from evaluator.execution.inputs import recorded
    from evaluator.results.base import builtins_of, digest_of

    inputs = (*(record.inputs or ()), *recorded().but(record.all_inputs))
    record = replace(record, arguments=GIVEN.get(), inputs=_without_folders(inputs) or UNSET)
    results = getattr(record, "results", ())
    if any(getattr(each, "inputs", ()) for each in results):
        shown = (replace(each, inputs=_without_folders(each.inputs)) for each in results)
        record = replace(record, results=tuple(shown))
    return replace(record, sha256=digest_of(builtins_of(record)))


def _without_folders(inputs: Iterable[Input]) -> tuple[Input, ...]:
    from msgspec.structs import replace

    return tuple(replace(each, path=each.shown) for each in inputs)


def csv_of(frame: pd.DataFrame) -> str:
    """A table as CSV, of `csv_cell`s; says if a text is not as it was, so that programs know."""
    texts = (each for column in frame for each in frame[column].unique() if isinstance(each, str))
    changed = next((each for each in texts if csv_cell(each) != each), None)
    if changed is not None:
        tell(f"{changed}: in CSV {csv_cell(changed)}, for spreadsheets and terminals; JSON has it as it is")
    return frame.map(csv_cell).to_csv(index=False, lineterminator="\n")


def write_results(
    record: ResultFile, path: Path, table: str, table_path: Path, *, figures: bool = True
) -> None:
    """Write results as JSON, a table of them as CSV, and the figures of their section.

    Raises:
        OutputError: A file cannot be written.
    """
    from evaluator.execution.output_files import write_text
    from evaluator.reports.page import Figure
    from evaluator.reports.sections import section_of
    from evaluator.results.base import to_json
    from evaluator.results.figures import FORMATS, write_figure

    write_text(path, f"{to_json(signed(record))}\n")
    write_text(table_path, table)
    for block in section_of(record).walk() if figures else ():
        if isinstance(block, Figure) and block.file:
            write_figure(block.draw(), *(path.with_name(f"{block.file}.{each}") for each in FORMATS))


def console() -> Console:
    """The console for results: prints text as it is, at full width where stdout is not a terminal."""
    from rich.console import Console

    class VisibleConsole(Console):
        """A console to which each text is a line, made `visible`; its own control characters stay."""

        def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401  # those of rich
            return super().render_str(visible(text), **options)

        def print(self, *texts: Any, **options: Any) -> None:  # noqa: ANN401  # those of rich
            # A terminal breaks what is still too wide; rich would cut it off.
            super().print(*texts, crop=False, **options)

    width = None if sys.stdout.isatty() else 10_000
    return VisibleConsole(width=width, highlight=False, markup=False, emoji=False)


def announce(comparisons: int) -> None:
    """Say before the work how long it will take, if that is long."""
    from evaluator.engine.similarities import COMPARISONS_PER_SECOND
    from evaluator.execution.machine import cores

    seconds = comparisons / COMPARISONS_PER_SECOND / cores()
    if seconds > 10:
        tell(f"{comparisons:.1e} comparisons, about {seconds:.0f} seconds")


def tell_failed(failed: Sequence[str]) -> None:
    """Say on stderr what could not be done, after the rest was printed."""
    tell(*failed)
    if failed:
        raise typer.Exit(1)


@dataclass(eq=False)
class Progress:
    """Progress on stderr: a bar on a terminal; elsewhere, as in a file, a line for each finished step.

    After Ctrl-C, it says where finished results are `kept`, from which the same command resumes.
    """

    description: str
    kept: Path | None = None
    _done: float = field(default=0.0, init=False)

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import Progress as Bar

        console = Console(stderr=True)
        self._bar = Bar(console=console, transient=True, disable=not console.is_terminal)
        self._bar.start()
        self._task = self._bar.add_task(escape(visible(self.description)), total=1.0)
        return self

    def __call__(self, done: float) -> None:
        """Move the bar."""
        self._done = done
        self._bar.update(self._task, completed=done)

    def log(self, line: str) -> None:
        """Say that a step is finished, where there is no bar."""
        if self._bar.disable:
            tell(f"{self._done:4.0%} {line}")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._bar.stop()
        if self.kept is not None and self.kept.exists() and kind is KeyboardInterrupt:
            tell(f"finished results are kept in {self.kept}; run the same command again to resume")
