"""Honest scores for word embeddings in any language.

>>> import evaluator
>>> vectors = evaluator.load_vectors("la.vec")
>>> scores = evaluator.score(vectors, evaluator.read_testset("testsets/la.json"))
>>> scores["Topk@3"].value
"""

from __future__ import annotations

from evaluator.category_files import read_category_file, write_category_file
from evaluator.combined import combined
from evaluator.errors import EvaluatorError, MeasureError, OutputError, ScoreError, TestSetError, VectorsError
from evaluator.measures import Measure, parse_measure
from evaluator.score import CategoryScore, Score, Scores, Settings, score
from evaluator.testset import TestSet, read_testset
from evaluator.vectors import Vectors, from_gensim, load_vectors

__all__ = [
    "CategoryScore",
    "EvaluatorError",
    "Measure",
    "MeasureError",
    "OutputError",
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
    "read_category_file",
    "read_testset",
    "score",
    "write_category_file",
]
