"""What is said of each kind of result, one module for each kind, and the summary of all scores.

A section is said once: a terminal, a page and a notebook show the same. How it looks is not decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluator.reports.page import Section
from evaluator.reports.sections.comparison import comparison_section
from evaluator.reports.sections.composite import composite_section
from evaluator.reports.sections.coverage import corpus_section, coverage_section
from evaluator.reports.sections.curve import curve_section
from evaluator.reports.sections.emoji import emoji_section
from evaluator.reports.sections.probes import probes_section
from evaluator.reports.sections.scores import scores_section
from evaluator.reports.sections.tuning import tuning_section
from evaluator.results.base import ResultFile
from evaluator.results.batch import BatchFile
from evaluator.results.comparison import ComparisonFile
from evaluator.results.composite import Composite
from evaluator.results.coverage import CorpusFile, CoverageFile
from evaluator.results.curve import CurveFile
from evaluator.results.emoji import EmojiFile
from evaluator.results.probes import ProbesFile
from evaluator.results.scores import ScoresFile, TranslationFile
from evaluator.results.tuning import TuningFile

SECTIONS: Mapping[type[ResultFile], Callable[[Any], Section]] = {
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
"""The function for each kind of result."""


def section_of(result: ResultFile) -> Section:
    """What is said of a result."""
    return SECTIONS[type(result)](result)
