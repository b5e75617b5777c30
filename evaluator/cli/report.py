"""`evaluator report`: one HTML page from result files, or a folder of pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from evaluator.cli import options
from evaluator.cli.inputs import check_file, expect
from evaluator.cli.options import OUTPUT, option
from evaluator.cli.output import Progress, csv_of, echo
from evaluator.errors import OutputError, ResultsError

_GENERATOR = b'<meta name="generator" content="evaluator report">'

LATEX = "% made by evaluator score"
"""The first line of tables for LaTeX."""

_MATPLOTLIB = (b"Matplotlib", b"matplotlib")

Results = Annotated[
    list[Path],
    typer.Argument(
        metavar="RESULTS…", help="Result files of any evaluator command; with --site, also folders of them."
    ),
]


def report(
    results: Results,
    *,
    output: Annotated[
        Path | None,
        option(
            OUTPUT,
            "The page; or the tables for LaTeX, or all scores as CSV, if it ends in .tex or .csv.",
            *("--output", "-o"),
            metavar="FILE",
        ),
    ] = None,
    site: Annotated[
        Path | None,
        option(OUTPUT, "Instead of one page, a folder of pages: tables of all models.", metavar="FOLDER"),
    ] = None,
    title: Annotated[str, option(OUTPUT, "The heading of the page.", metavar="TEXT")] = "",
    force: options.Force = False,
) -> None:
    """Make one HTML page of results: tables, figures, and the commands that give each number again.

    For example: evaluator report scores.json study/tuning.json --output report.html
    """
    from evaluator.reports.build import TITLE, read_inputs, write_report

    if site is not None and output is None:
        _write_site(results, site, title)
        return
    if output is None or site is not None:
        raise typer.BadParameter("give --output for one page, or --site for a folder of pages")
    for path in results:
        expect(path, "results of evaluator", ResultsError)
    if output.suffix in (".tex", ".csv"):
        _write_tables(results, output, force=force)
        return
    prepare_report(output, results, force=force)
    write_report(read_inputs(results), output, title or TITLE)


def _write_tables(results: Sequence[Path], output: Path, *, force: bool) -> None:
    from evaluator.execution.output_files import prepare_file, write_text
    from evaluator.results.files import read_results

    prepare_file(output, results)
    check_file(output, force=force, is_ours=lambda _: False)
    found = read_results(*results)
    if output.suffix == ".tex":
        write_text(output, "\n".join(each.latex() for each in found))
        return
    frames = [found.frame(), *(each.frame() for each in found if hasattr(each, "frame"))]
    frame = next((each for each in frames if not each.empty), None)
    if frame is None:
        raise ResultsError(f"{results[0]}: holds no scores, which CSV is for; write .tex or .html")
    write_text(output, csv_of(frame))


def _write_site(results: Sequence[Path], site: Path, title: str) -> None:
    from evaluator.reports.site import TITLE, write_site

    with Progress("writing pages") as progress:
        skipped = write_site(results, site, title or TITLE, progress)
    for file, reason in skipped.items():
        echo(f"evaluator: {file} is skipped: {reason}", err=True)
    echo(f"{site / 'index.html'}")
    if skipped:
        raise typer.Exit(1)


def prepare_report(path: Path, inputs: Sequence[Path], *, force: bool) -> None:
    """Find out before the work whether a report can be made and written."""
    from evaluator.execution.output_files import prepare_file
    from evaluator.reports.render import require_libraries

    require_libraries()
    prepare_file(path, inputs)
    check_file(path, force=force, is_ours=lambda path: _GENERATOR in path.read_bytes())


def prepare_figure(path: Path, inputs: Sequence[Path], *, force: bool) -> None:
    """Find out before the work whether a figure can be drawn and written."""
    from evaluator.execution.output_files import prepare_file
    from evaluator.results.figures import FORMATS, require_matplotlib

    require_matplotlib()
    if path.suffix[1:] not in FORMATS:
        raise OutputError(f"{path}: a figure ends in {', '.join(f'.{each}' for each in FORMATS)}")
    prepare_file(path, inputs)
    check_file(path, force=force, is_ours=lambda path: any(each in path.read_bytes() for each in _MATPLOTLIB))


def prepare_latex(path: Path, inputs: Sequence[Path], *, force: bool) -> None:
    """Find out before the work whether tables for LaTeX can be written; see `prepare_figure`."""
    from evaluator.execution.output_files import prepare_file

    prepare_file(path, inputs)
    check_file(path, force=force, is_ours=lambda path: path.read_bytes().startswith(LATEX.encode()))
