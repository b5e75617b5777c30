"""Making reports, and writing them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluator.execution.output_files import write_text
from evaluator.report.build import build
from evaluator.report.render import render, require_libraries
from evaluator.report.source import Source

TITLE = "Word embeddings, evaluated"


def make_report(sources: Sequence[Source], title: str = TITLE) -> str:
    """A report as HTML; the same files give the same text.

    Args:
        sources: What `read_sources` read; or results that are in no file yet.
        title: The heading.

    Raises:
        ExtraError: Jinja2 or matplotlib is not installed.
        ResultsError: A file is no result of evaluator, or something in it is wrong.
    """
    require_libraries()
    return render(build(sources, title))


def write_report(sources: Sequence[Source], path: Path, title: str = TITLE) -> None:
    """Write a report.

    Raises:
        ExtraError: Jinja2 or matplotlib is not installed.
        ResultsError: A file is no result of evaluator, or something in it is wrong.
        OutputError: It cannot be written.
    """
    write_text(path, make_report(sources, title))
