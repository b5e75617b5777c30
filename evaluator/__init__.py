"""Honest scores for word embeddings in any language.

>>> import evaluator
>>> vectors = evaluator.load_vectors("la.vec")
>>> scores = evaluator.score(vectors, evaluator.read_testset("testsets/la.json"))
>>> scores["Topk@3"].value
"""

from __future__ import annotations

from evaluator.combined import combined
from evaluator.datasets import read_testset, write_category_file
from evaluator.errors import EvaluatorError, MeasureError, OutputError, ScoreError, TestSetError, VectorsError
from evaluator.measures import Measure, Part, parse_measure
from evaluator.score import Score, Scores, score
from evaluator.settings import GENSIM, Settings
from evaluator.testset import (
    AnalogySection,
    Category,
    Item,
    LabelledTexts,
    OutlierGroup,
    RatedPairs,
    Relation,
    TestSet,
)
from evaluator.vectors import Vectors, from_gensim, load_vectors

__all__ = [
    "GENSIM",
    "AnalogySection",
    "Category",
    "EvaluatorError",
    "Item",
    "LabelledTexts",
    "Measure",
    "MeasureError",
    "OutlierGroup",
    "OutputError",
    "Part",
    "RatedPairs",
    "Relation",
    "Score",
    "ScoreError",
    "Scores",
    "Settings",
    "TestSet",
    "TestSetError",
    "Vectors",
    "VectorsError",
    "combined",
    "from_gensim",
    "load_vectors",
    "parse_measure",
    "read_testset",
    "score",
    "write_category_file",
]
