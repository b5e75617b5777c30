"""From result files to the sections of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from evaluator.report.cells import count, name
from evaluator.report.comparison import comparison_section, read_comparison
from evaluator.report.composite import composite_section, read_composite
from evaluator.report.coverage import coverage_section, read_coverage
from evaluator.report.curve import curve_section, read_curve
from evaluator.report.emoji import emoji_section
from evaluator.report.emoji_file import read_emoji
from evaluator.report.page import Cell, Column, Downloads, Fact, Facts, Link, Section, Table
from evaluator.report.probes import probes_section, read_probes
from evaluator.report.scores import scores_section
from evaluator.report.scores_file import ScoresFile, read_scores
from evaluator.report.source import Source
from evaluator.report.summary import summary_section
from evaluator.report.tuning import read_tuning, tuning_section
from evaluator.results.jsonvalue import JsonValue


@dataclass(frozen=True)
class Format:
    """A sort of result file.

    Attributes:
        command: What writes it.
        read: Reads it, or refuses it.
        section: What a report says of it.
    """

    command: str
    read: Callable[[JsonValue], Any]
    section: Callable[[Source, Any], Section]


COVERAGE = Format("evaluator coverage --json", read_coverage, coverage_section)
"""The one sort of file without a `format`: it is a list."""

FORMATS: Mapping[str, Format] = {
    "scores": Format("evaluator score --json", read_scores, scores_section),
    "composite": Format("evaluator compose --json", read_composite, composite_section),
    "curve": Format("evaluator curve", read_curve, curve_section),
    "tuning": Format("evaluator tune", read_tuning, tuning_section),
    "comparison": Format("evaluator compare", read_comparison, comparison_section),
    "emoji": Format("evaluator emoji", read_emoji, emoji_section),
    "probes": Format("evaluator probe --json", read_probes, probes_section),
}
"""By the `format` that a file names."""


@dataclass(frozen=True)
class Page:
    """What a report consists of.

    Attributes:
        title: Its heading.
        sections: In their order.
    """

    title: str
    sections: Sequence[Section]


@dataclass(frozen=True)
class Read:
    """A result file, read."""

    source: Source
    format: Format
    found: Any


def read(source: Source) -> Read:
    """Read a result file of any sort.

    Raises:
        ResultsError: It is none, or something in it is wrong; the message names file and JSON path.
    """
    file = source.parsed()
    kind = _format(file)
    return Read(source, kind, kind.read(file))


def build(sources: Sequence[Source], title: str) -> Page:
    """Read result files, and say all that they say.

    Raises:
        ResultsError: A file is wrong; nothing is drawn before all have been read.
    """
    found = [read(source) for source in sources]
    scores = [each.found for each in found if isinstance(each.found, ScoresFile)]
    sections = [summary_section(scores)] if scores else []
    order = [*FORMATS.values(), COVERAGE]
    ordered = sorted(found, key=lambda one: order.index(one.format))
    sections += [each.format.section(each.source, each.found) for each in ordered]
    return Page(title, [*sections, _files(found)])


def _format(file: JsonValue) -> Format:
    if isinstance(file.value, list):
        return COVERAGE
    known = ", ".join(f'"{key}" ({each.command})' for key, each in FORMATS.items())
    if not isinstance(file.value, dict):
        file.fail("is no result of evaluator; give a file that it wrote")
    key = file.at("format")
    found = FORMATS.get(key.value) if isinstance(key.value, str) else None
    return found or key.fail(f"must be one of {known}; give a file that evaluator wrote")


def _files(found: Sequence[Read]) -> Section:
    """What the report was made of, to check it and to keep it."""
    columns = [
        Column("file", kind="name"),
        Column("made by", kind="text"),
        Column("bytes"),
        Column("sha256", kind="text"),
    ]
    rows: list[list[Cell]] = [
        [
            name(each.source.name),
            name(each.format.command),
            count(len(each.source.content)),
            name(each.source.sha256),
        ]
        for each in found
    ]
    made_by = Fact("This page", [f"made by evaluator report {version('testgen-evaluator')}"])
    links = [Link(each.source.name, each.source.content, "application/json") for each in found]
    return Section(
        "Files",
        [Table("Result files that this page was made of", columns, rows), Downloads(links), Facts([made_by])],
    )
