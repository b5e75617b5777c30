"""What plug-ins are made with, and the two that ship with evaluator: `probes` and `emoji`.

A plug-in is a package that adds measures, formats, commands or kinds of results by entry points; see
docs/extending.md. The names here are stable: they change only with a new major version of evaluator. What
else evaluator has inside may change at any time.

    a measure               Measure, SimpleMeasure, Evaluation, ImmediateEvaluation, Subscore,
                            VocabularyLookup, jackknife_pseudovalues
    a format of vectors     vector_format, Vectors
    a format of data sets   dataset_format, DataSetSource, TestSetContent, and what test sets hold
    a command               option, number, the groups of help (SCORED, …), `options`, which holds the
                            options of evaluator's own commands, Progress, show, write_results
    a kind of result        ResultFile, the types of its numbers, Section, what sections hold, and the cells
                            of tables: count, interval, name, rate, signed
"""

from __future__ import annotations

from evaluator.cli import options
from evaluator.cli.options import COMPUTED, MACHINE, MATCHED, OUTPUT, READ, SCORED, TRAINED, number, option
from evaluator.cli.output import Progress, csv_of, show, tell_written, write_results
from evaluator.datasets.data_files import DataSetSource
from evaluator.datasets.reading import TestSetContent, dataset_format, read_testset
from evaluator.datasets.testset import (
    AnalogySection,
    Category,
    Item,
    LabelledTexts,
    OutlierGroup,
    RatedPairs,
    Relation,
    TestSet,
    TranslatedItem,
    TranslationList,
)
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.errors import EvaluatorError, ExtraError, ScoreError, TestSetError, TrainingError, VectorsError
from evaluator.measures import Evaluation, Measure, SimpleMeasure, Subscore, parse_measure
from evaluator.measures.base import ImmediateEvaluation, TestSetField, jackknife_pseudovalues
from evaluator.reports.cells import count, interval, name, rate, signed
from evaluator.reports.page import (
    Block,
    Cell,
    Column,
    Fact,
    Facts,
    Figure,
    Fold,
    Notes,
    Section,
    Table,
    Text,
)
from evaluator.results.base import Count, Estimate, Name, NonEmpty, Number, ResultFile
from evaluator.results.figures.lines import MOST_LINES, Line, lines_figure
from evaluator.settings import Settings
from evaluator.vectors import LoadOptions, Vectors, VectorsLike, as_vectors, load_vectors, vector_format

__all__ = [
    "COMPUTED",
    "MACHINE",
    "MATCHED",
    "MOST_LINES",
    "OUTPUT",
    "READ",
    "SCORED",
    "TRAINED",
    "AnalogySection",
    "Block",
    "Category",
    "Cell",
    "Column",
    "Count",
    "DataSetSource",
    "Estimate",
    "Evaluation",
    "EvaluatorError",
    "ExtraError",
    "Fact",
    "Facts",
    "Figure",
    "Fold",
    "ImmediateEvaluation",
    "Item",
    "LabelledTexts",
    "Line",
    "LoadOptions",
    "Measure",
    "Name",
    "NonEmpty",
    "Notes",
    "Number",
    "OutlierGroup",
    "Progress",
    "RatedPairs",
    "Relation",
    "ResultFile",
    "ScoreError",
    "Section",
    "Settings",
    "SimpleMeasure",
    "Subscore",
    "Table",
    "TestSet",
    "TestSetContent",
    "TestSetError",
    "TestSetField",
    "Text",
    "TrainingError",
    "TranslatedItem",
    "TranslationList",
    "Vectors",
    "VectorsError",
    "VectorsLike",
    "VocabularyLookup",
    "as_vectors",
    "count",
    "csv_of",
    "dataset_format",
    "interval",
    "jackknife_pseudovalues",
    "lines_figure",
    "load_vectors",
    "name",
    "number",
    "option",
    "options",
    "parse_measure",
    "rate",
    "read_testset",
    "show",
    "signed",
    "tell_written",
    "vector_format",
    "write_results",
]
