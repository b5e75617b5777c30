"""How results are shown: each is said once, as a section, which a terminal, a page and a notebook show.

Nothing is read or computed here that is not in a result. In the order in which the modules build on each
other:

    page, words, cells  what is shown: sections of tables, figures and texts; and the words in them
    sections/           what is said of each kind of result; `section_of` finds it
    notebook, latex     from sections to what a notebook and a paper show; `evaluator.cli` prints them
    inputs, commands    the files that a report is made of, and the commands that give the same again
    render, build       from sections to a report, one HTML file that needs no other file
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from evaluator.reports.build import TITLE, make_report, write_report
from evaluator.reports.inputs import InputFile, input_of, read_inputs
from evaluator.reports.notebook import notebook
from evaluator.reports.sections import section_of
from evaluator.results.base import ResultFile

__all__ = ["InputFile", "as_html", "input_of", "make_report", "read_inputs", "report", "write_report"]


def as_html(result: ResultFile) -> str:
    """A result as plain HTML, as notebooks show it: what `read_results`, `compose` or `record()` gives."""
    return notebook(section_of(result))


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
