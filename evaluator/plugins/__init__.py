"""What plug-ins are made with, and the two that ship with evaluator: `probes` and `emoji`.

A plug-in is a package that adds measures, formats, commands or kinds of results by entry points; see
docs/extending.md. The names here are stable: they change only with a new major version of evaluator. What
else evaluator has inside may change at any time.

    a measure               Measure, SimpleMeasure, Evaluation, ImmediateEvaluation, Subscore,
                            VocabularyLookup, jackknife_pseudovalues
    a format of vectors     vector_format, Vectors
    a format of data sets   dataset_format, DataSetSource, and what test sets hold
    a command               option, number, the groups of help (SCORED, …), `options`, which holds the
                            options of evaluator's own commands, Progress, show, write_results
    a kind of result        ResultFile, Score, Scores, frame_of (the long table), the types of its numbers,
                            Section, what sections hold, and the cells of tables: count, interval, name, rate,
                            signed
"""

from __future__ import annotations

from evaluator.cli import options as options
from evaluator.cli.options import COMPUTED as COMPUTED
from evaluator.cli.options import MATCHED as MATCHED
from evaluator.cli.options import OUTPUT as OUTPUT
from evaluator.cli.options import SCORED as SCORED
from evaluator.cli.options import TRAINED as TRAINED
from evaluator.cli.options import number as number
from evaluator.cli.options import option as option
from evaluator.cli.output import Progress as Progress
from evaluator.cli.output import csv_of as csv_of
from evaluator.cli.output import write_results as write_results
from evaluator.cli.terminal import show as show
from evaluator.cli.terminal import tell_written as tell_written
from evaluator.datasets.data_files import DataSetSource as DataSetSource
from evaluator.datasets.reading import dataset_format as dataset_format
from evaluator.datasets.reading import read_testset as read_testset
from evaluator.datasets.testset import AnalogySection as AnalogySection
from evaluator.datasets.testset import Category as Category
from evaluator.datasets.testset import Item as Item
from evaluator.datasets.testset import LabelledTexts as LabelledTexts
from evaluator.datasets.testset import OutlierGroup as OutlierGroup
from evaluator.datasets.testset import Pair as Pair
from evaluator.datasets.testset import RatedPairs as RatedPairs
from evaluator.datasets.testset import Relation as Relation
from evaluator.datasets.testset import TestSet as TestSet
from evaluator.datasets.testset import TranslatedItem as TranslatedItem
from evaluator.datasets.testset import TranslationList as TranslationList
from evaluator.engine.vocabulary_lookup import VocabularyLookup as VocabularyLookup
from evaluator.errors import EvaluatorError as EvaluatorError
from evaluator.errors import ExtraError as ExtraError
from evaluator.errors import ScoreError as ScoreError
from evaluator.errors import TestSetError as TestSetError
from evaluator.errors import TrainingError as TrainingError
from evaluator.errors import VectorsError as VectorsError
from evaluator.measures import Evaluation as Evaluation
from evaluator.measures import Measure as Measure
from evaluator.measures import Subscore as Subscore
from evaluator.measures import parse_measure as parse_measure
from evaluator.measures.base import Count as Count
from evaluator.measures.base import ImmediateEvaluation as ImmediateEvaluation
from evaluator.measures.base import Number as Number
from evaluator.measures.base import TestSetField as TestSetField
from evaluator.measures.base import jackknife_pseudovalues as jackknife_pseudovalues
from evaluator.measures.simple import SimpleMeasure as SimpleMeasure
from evaluator.reports.cells import count as count
from evaluator.reports.cells import interval as interval
from evaluator.reports.cells import name as name
from evaluator.reports.cells import rate as rate
from evaluator.reports.cells import signed as signed
from evaluator.reports.page import Block as Block
from evaluator.reports.page import Cell as Cell
from evaluator.reports.page import Column as Column
from evaluator.reports.page import Fact as Fact
from evaluator.reports.page import Facts as Facts
from evaluator.reports.page import Figure as Figure
from evaluator.reports.page import Fold as Fold
from evaluator.reports.page import Notes as Notes
from evaluator.reports.page import Section as Section
from evaluator.reports.page import Table as Table
from evaluator.reports.page import Text as Text
from evaluator.results.base import Estimate as Estimate
from evaluator.results.base import Name as Name
from evaluator.results.base import NonEmpty as NonEmpty
from evaluator.results.base import ResultFile as ResultFile
from evaluator.results.figures.lines import MOST_LINES as MOST_LINES
from evaluator.results.figures.lines import Line as Line
from evaluator.results.figures.lines import lines_figure as lines_figure
from evaluator.results.scores import Score as Score
from evaluator.results.scores import Scores as Scores
from evaluator.results.scores import frame_of as frame_of
from evaluator.settings import Settings as Settings
from evaluator.vectors import LoadOptions as LoadOptions
from evaluator.vectors import Vectors as Vectors
from evaluator.vectors import VectorsLike as VectorsLike
from evaluator.vectors import as_vectors as as_vectors
from evaluator.vectors import load_vectors as load_vectors
from evaluator.vectors import vector_format as vector_format
