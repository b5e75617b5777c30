"""Reports: from result files to one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evaluator.execution.output_files import write_text
from evaluator.reports.cells import columns, count, name
from evaluator.reports.inputs import InputFile
from evaluator.reports.page import Cell, Column, Downloads, Fact, Facts, Link, Page, Section, Table
from evaluator.reports.render import render, require_libraries
from evaluator.reports.sections.comparison import comparison_section
from evaluator.reports.sections.composite import composite_section
from evaluator.reports.sections.coverage import corpus_section, coverage_section
from evaluator.reports.sections.curve import curve_section
from evaluator.reports.sections.emoji import emoji_section
from evaluator.reports.sections.probes import probes_section
from evaluator.reports.sections.scores import scores_section
from evaluator.reports.sections.summary import summary_section
from evaluator.reports.sections.terms import terms_section
from evaluator.reports.sections.tuning import tuning_section
from evaluator.results.base import ResultFile
from evaluator.results.batch import BatchFile
from evaluator.results.comparison import ComparisonFile
from evaluator.results.composite import Composite
from evaluator.results.coverage import CorpusFile, CoverageFile
from evaluator.results.curve import CurveFile
from evaluator.results.emoji import EmojiFile
from evaluator.results.files import KINDS
from evaluator.results.probes import ProbesFile
from evaluator.results.scores import ScoresFile, TranslationFile
from evaluator.results.tuning import TuningFile

TITLE = "Word embeddings, evaluated"

SECTIONS: Mapping[type[ResultFile], Callable[[InputFile, Any], Section]] = {
    ScoresFile: scores_section,
    BatchFile: scores_section,
    TranslationFile: scores_section,
    Composite: composite_section,
    CoverageFile: coverage_section,
    CorpusFile: corpus_section,
    CurveFile: curve_section,
    TuningFile: tuning_section,
    ComparisonFile: comparison_section,
    EmojiFile: emoji_section,
    ProbesFile: probes_section,
}
"""What a report says of each kind of result file."""

_SCORED = (ScoresFile, CurveFile, TuningFile, ComparisonFile, EmojiFile)


def write_report(files: Sequence[InputFile], path: Path, title: str = TITLE) -> None:
    """Write a report.

    Args:
        files: What `read_inputs` gives.
        path: The HTML file to write.
        title: The heading.

    Raises:
        ExtraError: Jinja2 or matplotlib is not installed.
        OutputError: The file cannot be written.
    """
    write_text(path, make_report(files, title))


def make_report(files: Sequence[InputFile], title: str = TITLE) -> str:
    """A report as HTML; the same files give the same text.

    Args:
        files: What `read_inputs` gives.
        title: The heading.

    Raises:
        ExtraError: Jinja2 or matplotlib is not installed.
    """
    require_libraries()
    return render(build(files, title))


def build(files: Sequence[InputFile], title: str) -> Page:
    """The sections of a report, which say all that the files say."""
    scored = [each.result for each in files if isinstance(each.result, ScoresFile)]
    sections = [summary_section(scored)] if any(each.results for each in scored) else []
    if any(isinstance(each.result, _SCORED) for each in files):
        sections.append(terms_section())
    ordered = sorted(files, key=lambda each: KINDS.index(type(each.result)))
    sections += [SECTIONS[type(each.result)](each, each.result) for each in ordered]
    return Page(title, [*sections, _files(files)])


def _files(files: Sequence[InputFile]) -> Section:
    """What the report was made of, to check it and to keep it."""
    headings = [*columns("file", kind="name"), *columns("made by", kind="text"), Column("bytes")]
    headings += columns("sha256", kind="text")
    rows: list[list[Cell]] = [
        [name(each.name), name(each.result.command), count(len(each.content)), name(each.sha256)]
        for each in files
    ]
    made_by = Fact("This page", [f"made by evaluator report {version('testgen-evaluator')}"])
    links = [Link(each.name, each.content, "application/json") for each in files]
    return Section(
        "Files",
        [
            Table("Result files that this page was made of", headings, rows),
            Downloads(links),
            Facts([made_by]),
        ],
    )
