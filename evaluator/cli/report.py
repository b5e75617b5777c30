"""One page from result files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence


def report(
    results: Annotated[
        list[Path],
        typer.Argument(metavar="RESULT…", help="Result files that any command wrote."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="Where the report goes.")
    ],
    title: Annotated[str, typer.Option(metavar="TEXT", help="Its heading.")] = "",
) -> None:
    """Make one HTML page of results: tables, figures, and how to get each number again."""
    from evaluator.report import read_inputs, write_report
    from evaluator.report.build import TITLE

    prepare_report(output, results)
    write_report(read_inputs(results), output, title or TITLE)


def prepare_report(path: Path, inputs: Sequence[Path]) -> None:
    """Find out before work starts whether a report can be made and written.

    Args:
        path: Where it goes.
        inputs: Files that are read.

    Raises:
        ExtraError: Jinja2 or matplotlib is not installed.
        OutputError: It cannot be written, or is one of the files that are read.
    """
    from evaluator.execution.output_files import prepare_file
    from evaluator.report.render import require_libraries

    require_libraries()
    prepare_file(path, inputs)
