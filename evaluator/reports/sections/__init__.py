"""What is said of each kind of result, one module for each kind, and the summary of all scores.

A section is said once: a terminal, a page and a notebook show the same. How it looks is not decided here.
"""

from __future__ import annotations

from typing import Any

from evaluator.errors import ResultsError
from evaluator.execution.plugins import load_plugin
from evaluator.reports.page import Section
from evaluator.results.base import ResultFile, format_of

GROUP = "evaluator.sections"  # the entry points by which other packages add functions for kinds of results

SECTIONS = {
    "scores": "evaluator.reports.sections.scores:scores_section",
    "score lines": "evaluator.reports.sections.scores:scores_section",
    "composite": "evaluator.reports.sections.composite:composite_section",
    "coverage": "evaluator.reports.sections.coverage:coverage_section",
    "corpus": "evaluator.reports.sections.coverage:corpus_section",
    "curve": "evaluator.reports.sections.curve:curve_section",
    "tuning": "evaluator.reports.sections.tuning:tuning_section",
    "comparison": "evaluator.reports.sections.comparison:comparison_section",
    "average": "evaluator.reports.sections.models:average_section",
    "training": "evaluator.reports.sections.models:training_section",
}
"""The function for each of evaluator's own kinds of results, by their `format`."""


def section_of(result: ResultFile) -> Section:
    """What is said of a result."""
    name = format_of(type(result))
    function: Any = load_plugin(GROUP, name, SECTIONS)
    if function is None:
        raise ResultsError(f"{name!r}: no installed package registers a section of this kind in {GROUP}")
    return function(result)  # type: ignore[no-any-return]  # a Section
