"""What is computed of each model: the measures, and the criteria that they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import evaluator
from evaluator.datasets.testset import TestSet
from evaluator.errors import EvaluatorError
from evaluator.plugins.papers.boundaries import Marked, boundaries, marked
from evaluator.settings import Settings
from evaluator.vectors import Vectors
from tools.choosing.texts import Text, categories, corpus_of, lists, synonyms, thesaurus, topics

MEASURES = ("KeywordRank", "KeywordRank(value=MAP)", "PairRank", "class words", "Topk@3", "OddOneOut@3")
GOOGLE = "Analogy@1, Google"
CLASSES = "thing-class"
MACHINE = evaluator.Machine(threads=1)
LEARNED, ASKED = 30_000, 15_000
"""How many words the task of sentence boundaries learns from, and is asked."""


@cache
def test_set_of(language: str, tests: Path) -> TestSet:
    """The test set of a language, as `testgen generate` writes it."""
    return evaluator.read_testset(tests / f"{language}.json")


@cache
def _google(data: Path) -> TestSet:
    return evaluator.read_testset(
        data / "benchmarks" / "analogy" / "en" / "google_questions-words.txt", language="en"
    )


@cache
def _marked(text: Text, data: Path) -> Marked:
    return marked(corpus_of(text, data), most=LEARNED + ASKED)


def value(vectors: Vectors, test_set: TestSet, measure: str) -> tuple[float, int]:
    """A score and how many words, pairs or questions it asked; NaN and 0 if there is none."""
    try:
        found = evaluator.score(vectors, test_set, measure, Settings(oov="skip"), machine=MACHINE)[measure]
    except EvaluatorError:
        return float("nan"), 0
    return found.value, found.answered


def measured(vectors: Vectors, text: Text, data: Path, tests: Path) -> dict[str, Any]:
    """The score by each measure, and how much it asked."""
    whole, found = test_set_of(text.language, tests), dict[str, Any]()
    classes = replace(whole, relations=tuple(each for each in whole.relations if each.name == CLASSES))
    for name in MEASURES:
        asked = (classes, "PairRank") if name == "class words" else (whole, name)
        found[name], found[f"{name}, asked"] = value(vectors, *asked)
    if text.language == "en":
        found[GOOGLE], found[f"{GOOGLE}, asked"] = value(vectors, _google(data), "Analogy@1")
    return found


def cosines(vectors: Vectors, text: Text, data: Path) -> dict[str, np.ndarray]:
    """Of each list the ratings and the cosines of the pairs whose words are known, shape (2, pairs)."""
    units = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    found = {}
    for asked, pairs in lists(text.language, data) if text.rated else ():
        known = [
            (rating, vectors.index[one.casefold()], vectors.index[other.casefold()])
            for one, other, rating in pairs.pairs
            if one.casefold() in vectors.index and other.casefold() in vectors.index
        ]
        ratings, ones, others = (np.array(each) for each in zip(*known, strict=True))
        near = np.einsum("ij,ij->i", units[ones.astype(int)], units[others.astype(int)])
        found[f"{asked}: {pairs.name}"] = np.stack([ratings, near])
    return found


def agreement(rated: Mapping[str, np.ndarray], asked: str = "") -> float:
    """The mean of Spearman's correlations with lists of ratings, weighted by their known pairs."""
    own = [each for name, each in rated.items() if name.startswith(asked)]
    if not own:
        return float("nan")
    values = [spearmanr(*each).statistic for each in own]
    return float(np.average(values, weights=[each.shape[1] for each in own]))


def criteria(vectors: Vectors, text: Text, data: Path) -> dict[str, float]:
    """The criteria but for ratings."""
    text_of = boundaries(
        vectors, _marked(text, data), corpus_of(text, data), models=("logistic",), train=LEARNED, test=ASKED
    )
    (score,) = text_of.results[0].scores
    found = {"sentence ends": score.value}
    if text.language == "en":
        found["topics"] = topic_accuracy(vectors, data)
        for name, test_set in categories(data).items():
            found[f"categories: {name}"] = value(vectors, test_set, "Categorization")[0]
    if text.language == "sa":
        found["thesaurus"] = value(vectors, thesaurus(vectors.index, data), "Similarity")[0]
    if text.language == "la":
        found["synonyms"] = value(vectors, synonyms(data), "KeywordRank")[0]
    return found


def topic_accuracy(vectors: Vectors, data: Path) -> float:
    """How often logistic regression says what an article is about, from the mean of its words' unit vectors.

    Five folds.
    """
    articles, kinds = topics(data)
    units = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    means = np.zeros((len(articles), vectors.dimension), dtype=np.float64)
    for number, words in enumerate(articles):
        rows = [vectors.index[word] for word in words if word in vectors.index]
        if rows:
            means[number] = units[rows].mean(axis=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    return float(cross_val_score(model, means, np.array(kinds), cv=folds).mean())
