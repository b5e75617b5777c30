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
        typer.Argument(metavar="RESULT.json…", help="What score, coverage, tune, curve and so on wrote."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE.html", help="Where the report goes.")
    ],
    title: Annotated[str, typer.Option(metavar="TEXT", help="Its heading.")] = "",
) -> None:
    """Make one HTML page of results: tables, figures, and how to get each number again."""
    from evaluator.report import read_sources, write_report
    from evaluator.report.write import TITLE

    prepare_report(output, results)
    write_report(read_sources(results), output, title or TITLE)


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


def write_scores_report(text: str, path: Path) -> None:
    """Write a report of the scores of this run.

    Args:
        text: What `--json` prints.
        path: Where it goes.
    """
    from evaluator.report import Source, write_report

    write_report([Source("scores.json", f"{text}\n".encode(errors="replace"), "scores.json")], path)
