"""Reports: one HTML file, made from result files, that needs no other file.

Nothing is read or computed here that is not in a result file. In the order in which the modules build on
each other:

    page, cells  what a page is made of: sections, tables, figures
    commands     signatures, and the commands that give the same numbers again
    inputs       the files that a report is made of
    sections/    what a report says of each kind of result file
    render       from sections to HTML
    build        make_report, write_report
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from evaluator.reports.build import TITLE, make_report, write_report
from evaluator.reports.inputs import InputFile, input_of, read_inputs
from evaluator.results.base import ResultFile

__all__ = ["InputFile", "input_of", "make_report", "read_inputs", "report", "write_report"]


def report(
    results: Sequence[str | os.PathLike[str] | ResultFile],
    output: str | os.PathLike[str],
    title: str = TITLE,
) -> None:
    """Write one HTML page of results, as `evaluator.report(["scores.json"], "report.html")`.

    Args:
        results: Result files; or what `record()` of scores and studies gives.
        output: The HTML file to write.
        title: The heading.

    Raises:
        ResultsError: A file cannot be read, or holds no results.
        ExtraError: Jinja2 or matplotlib is not installed.
        OutputError: The file cannot be written.
    """
    files = [
        input_of(each, f"{each.command.split()[1]}.json")
        if isinstance(each, ResultFile)
        else read_inputs([Path(each)])[0]
        for each in results
    ]
    write_report(files, Path(output), title)
