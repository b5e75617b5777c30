"""`evaluator report` and `evaluator compose`: pages, and one number for each model, from result files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from evaluator.cli import options
from evaluator.cli.inputs import check_file, expect
from evaluator.cli.options import COMPUTED, OUTPUT, option
from evaluator.cli.output import csv_of, echo, tell
from evaluator.cli.terminal import show
from evaluator.errors import OutputError, ResultsError

_RECORDS = "Records (--format every-eval-ever)"

LATEX = "% made by evaluator score"  # the first line of tables for LaTeX

_OURS: dict[str, Callable[[bytes], bool]] = {
    "report": lambda content: b'<meta name="generator" content="evaluator report">' in content,
    "figure": lambda content: b"Matplotlib" in content or b"matplotlib" in content,
    "latex": lambda content: content.startswith(LATEX.encode()),
}
"""Whether evaluator wrote a file, by its content."""

Results = Annotated[
    list[Path],
    typer.Argument(metavar="RESULTS…", help="Result files of any evaluator command."),
]


def report(
    results: Results,
    *,
    output: Annotated[
        Path,
        option(
            OUTPUT,
            "The page; or the tables for LaTeX, or all scores as CSV, if it ends in .tex or .csv.",
            *("--output", "-o"),
            metavar="FILE",
        ),
    ],
    title: Annotated[str, option(OUTPUT, "The heading of the page.", metavar="TEXT")] = "",
    format_: Annotated[
        Literal["every-eval-ever"] | None,
        option(
            _RECORDS,
            "Write a record of each model as the schema of Every Eval Ever wants it; --output is a folder.",
            "--format",
        ),
    ] = None,
    developer: Annotated[
        str | None,
        option(_RECORDS, "Who made the models, as on the Hugging Face hub.", metavar="NAME"),
    ] = None,
    evaluated_by: Annotated[
        str | None,
        option(_RECORDS, "Who scored them; if it is their developer, the record says so.", metavar="NAME"),
    ] = None,
    force: options.Force = False,
) -> None:
    """Make one HTML page of results: tables, figures, and the commands that give each number again.

    For example: evaluator report scores.json study/tuning.json --output report.html
    """
    from evaluator.reports.build import TITLE, read_inputs, write_report

    for path in results:
        expect(path, "results of evaluator", ResultsError)
    if format_ is not None:
        _write_records(results, output, developer, evaluated_by)
        return
    if developer or evaluated_by:
        raise OutputError("--developer and --evaluated-by are of --format every-eval-ever; give it, too")
    if output.suffix in (".tex", ".csv"):
        _write_tables(results, output, force=force)
        return
    prepare_output("report", output, results, force=force)
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


def _write_records(
    results: Sequence[Path], folder: Path, developer: str | None, evaluated_by: str | None
) -> None:
    from evaluator.execution.output_files import prepare_folder, write_text
    from evaluator.reports.build import read_inputs
    from evaluator.reports.every_eval_ever import Source, baselines, records

    if not developer or not evaluated_by:
        names = {"--developer NAME": developer, "--evaluated-by NAME": evaluated_by}
        lacking = " and ".join(option for option, given in names.items() if not given)
        raise OutputError(
            "a record names who made the models and who scored them, which no result file says: give "
            f"{lacking}"
        )
    if folder.suffix in (".json", ".html", ".tex", ".csv"):
        raise OutputError(f"{folder}: records are files in a folder, one for each model; name a folder")
    moment = os.environ.get("SOURCE_DATE_EPOCH") or str(int(time.time()))  # reproducible-builds.org
    if not (moment.isascii() and moment.isdecimal()):
        raise OutputError(f"SOURCE_DATE_EPOCH={moment}: must be seconds since 1970, a whole number; unset it")
    files = read_inputs(results)
    found = records(files, Source(developer, evaluated_by), int(moment))
    tell(*(f"{each}: left out, as a baseline is not a model of {developer}" for each in baselines(files)))
    for path, text in found.items():
        if not (folder / path).exists():  # with the same scores, and the time when they were first recorded
            prepare_folder((folder / path).parent)
            write_text(folder / path, text)
        echo(f"{folder / path}")


def prepare_output(kind: str, path: Path, inputs: Sequence[Path], *, force: bool) -> None:
    """Find out before the work whether a report, a figure or tables for LaTeX can be made and written."""
    from evaluator.execution.output_files import prepare_file
    from evaluator.results.figures import FORMATS, require_matplotlib

    if kind == "report":
        from evaluator.reports.render import require_report_libraries

        require_report_libraries()
    if kind == "figure":
        require_matplotlib()
        if path.suffix[1:] not in FORMATS:
            raise OutputError(f"{path}: a figure ends in {', '.join(f'.{each}' for each in FORMATS)}")
    prepare_file(path, inputs)
    if kind == "report":
        from evaluator.reports.build import check_ending

        check_ending(path)
    check_file(path, force=force, is_ours=lambda path: _OURS[kind](path.read_bytes()))


def compose(
    files: Results,
    *,
    leave_out: Annotated[
        Literal["models", "tasks"] | None,
        option(COMPUTED, "What to leave out if a model has no score on a task."),
    ] = None,
    each_test_set: Annotated[
        bool,
        option(
            COMPUTED,
            "Take each measure on each test set as a task; by default a measure is one task, its score the "
            "mean over the test sets.",
            "--each-test-set",
        ),
    ] = False,
    preset: Annotated[
        Literal["pce"] | None,
        option(
            COMPUTED,
            "pce: the tasks of the paper on PCE alone, similarity, analogy and categorization, and synonyms "
            "where there are scores.",
        ),
    ] = None,
    results: options.ResultOptions,
) -> None:
    """Compose scores of several models into the harmonic mean and the first principal component (PCE).

    For example: evaluator compose a.json b.json c.json
    """
    from evaluator.statistics.composite import compose as compose_results

    for path in files:
        expect(path, "results of evaluator", ResultsError)
    show(results, compose_results(files, leave_out=leave_out, each_test_set=each_test_set, preset=preset))
