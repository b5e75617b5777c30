"""Measures that are one function: generic pseudo-values beside analytic ones, and measures as objects."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import MeasureError, ScoreError, Settings, SimpleMeasure, difference, parse_measure
from evaluator.measures import measure_classes
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from tests.evaluator import definitions
from tests.evaluator.examples import observed, pseudovalues, score, test_set, vectors

WORDS = [f"w{row}" for row in range(8)]


@dataclass(frozen=True)
class Nearest(SimpleMeasure):
    """Topk as one function."""

    least: ClassVar[int] = 1
    k: int = 3

    def value(self, vectors, words, lookup):
        cosines = definitions.unit(vectors) @ definitions.unit(lookup.vectors.matrix).T
        cosines[np.arange(len(vectors)), words.vocabulary_rows] = -np.inf
        nearest = np.argsort(-cosines.round(9), axis=1, kind="stable")[:, : self.k]
        return np.isin(nearest, words.known).mean()

    def chance(self, category, lookup):
        return Topk.chance(category, len(lookup.vectors))


@dataclass(frozen=True)
class Odd(SimpleMeasure):
    """OddOneOut as one function."""

    least: ClassVar[int] = 3
    k: int = 3

    def value(self, vectors, words, lookup):
        outside = np.delete(definitions.unit(lookup.vectors.matrix), words.known, axis=0)
        subsets = combinations(definitions.unit(vectors), self.k)
        return np.mean([definitions.is_odd(np.array([*s, w])) for s in subsets for w in outside])


def subscore(measure, matrix, words=WORDS, **settings):
    return score(vectors(matrix), test_set(c=words), measure, Settings(**settings))[str(measure)].subscores[0]


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from(["wrong", "skip"]))
def test_nearest_words_are_those_of_topk(seed, k, oov):
    """But for a word that is left out of the words and not of the category, the influence of others."""
    matrix = np.random.default_rng(seed).normal(size=(20, 5))
    words = [*WORDS[:6], "x", "y"]
    own, known = (subscore(measure, matrix, words, oov=oov) for measure in (Nearest(k), Topk(k)))
    assert own.value == pytest.approx(known.value)
    assert observed(own) == observed(known)
    hits = np.zeros(len(observed(own)))
    for number in range(6):
        cosines = (definitions.unit(matrix) @ definitions.unit(matrix)[number]).round(9)
        cosines[number] = -np.inf
        hits[number] = np.isin(np.argsort(-cosines)[:k], range(6)).sum()
    assert pseudovalues(own) == pytest.approx(hits / k)
    assert (own.size, own.oov, own.chance) == (known.size, known.oov, known.chance)


@given(st.integers(0, 2**32 - 1))
def test_pseudovalues_of_odd_words_are_those_of_odd_one_out(seed):
    matrix = np.random.default_rng(seed).normal(size=(14, 3))
    own, known = (subscore(measure, matrix, WORDS[:6]) for measure in (Odd(), OddOneOut()))
    assert own.value == pytest.approx(known.value)
    assert pseudovalues(own) == pytest.approx(pseudovalues(known))


def test_a_category_without_a_word_to_spare_has_a_value_but_no_spread():
    matrix = np.random.default_rng(0).normal(size=(14, 3))
    found = subscore(Odd(), matrix, [*WORDS[:3], "x"], oov="wrong")
    assert pseudovalues(found).tolist() == [found.value] * 4
    assert subscore(Odd(), matrix, [*WORDS[:2], "x"]).value == 0
    with pytest.raises(ScoreError, match=r"Odd@3.*\bc: .*2.*3 needed"):
        subscore(Odd(), matrix, WORDS[:2])


def test_a_value_must_be_a_number():
    class Undefined(Nearest):
        def value(self, vectors, words, lookup):
            return np.nan

    with pytest.raises(ScoreError, match=r"Undefined@3 of category 'c'.*nan"):
        subscore(Undefined(), np.eye(8))


def test_a_value_must_not_be_above_one():
    class Doubled(Nearest):
        def value(self, vectors, words, lookup):
            return 2.0

    with pytest.raises(ScoreError, match=r"Doubled@3 of category 'c'.*2\.0.*0 to 1"):
        subscore(Doubled(), np.eye(8))


def test_what_a_measure_raises_says_where():
    class Broken(Nearest):
        def value(self, vectors, words, lookup):
            return 1 / 0

    with pytest.raises(ScoreError, match=r"Broken@3 of category 'c'.*ZeroDivisionError"):
        subscore(Broken(), np.eye(8))


def test_a_measure_that_is_passed_as_an_object_works_to_the_end():
    first, second = np.random.default_rng(0).normal(size=(2, 20, 5))
    found = score(vectors(first), test_set(c=WORDS, d=["w9", "w10", "w11"]), [Nearest(2), "Topk@2"])
    mine = found["Nearest@2"]
    assert found.scores == (mine, found["Topk@2"])
    assert "Nearest@3" not in found
    assert mine.value == pytest.approx(found["Topk@2"].value)
    assert mine.interval[0] < mine.value < mine.interval[1]
    assert mine.chance == found["Topk@2"].chance
    assert mine.signature.startswith("Nearest@2|")
    assert "Nearest@2" in found._repr_html_()
    other = score(vectors(second), test_set(c=WORDS, d=["w9", "w10", "w11"]), [Nearest(2)])["Nearest@2"]
    change = difference(Nearest(2), mine.subscores, other.subscores)
    assert change.value == pytest.approx(other.value - mine.value)
    assert parse_measure(Nearest(2)) == Nearest(2)
    with pytest.raises(MeasureError, match=r"unknown.*'Nearest'"):
        parse_measure("Nearest@2")


def test_measures_of_other_packages_are_found_by_name(monkeypatch):
    found = {"Nearest": Nearest}
    monkeypatch.setattr("evaluator.measures.load_plugins", lambda group, reserved, check: found)
    measure_classes.cache_clear()
    try:
        assert parse_measure("Nearest@5") == Nearest(5)
        assert list(measure_classes()) == sorted(measure_classes())
    finally:
        measure_classes.cache_clear()
