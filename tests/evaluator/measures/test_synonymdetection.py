"""SynonymDetection against its definition: every choice of others is tried."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Category, Item, MeasureError, ScoreError, Settings, TestSet
from tests.evaluator.examples import observed, pseudovalues, score, vectors

VECTORS = st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), min_size=8, max_size=8)
SIZES = st.lists(st.integers(1, 3), min_size=3, max_size=4)


def categories_of(items):
    named = tuple(Item(f"Q{number}", tuple(words)) for number, words in enumerate(items))
    return TestSet("en", "synonyms", "0" * 64, categories=(Category("c", "Things", named),))


def items_of(sizes):
    names = (f"w{number}" for number in itertools.count())
    return [[next(names) for _ in range(size)] for size in sizes]


def cosine(x, y):
    lengths = np.linalg.norm(x) * np.linalg.norm(y)
    return float(x @ y / lengths) if lengths else 0.0


def share(word, synonym, others, vector_of, k):
    """In how many of all choices of others the synonym is nearest."""
    if word not in vector_of or synonym not in vector_of:
        return 0.0
    own = cosine(vector_of[word], vector_of[synonym])
    choices = list(itertools.combinations(others, k))
    found = [
        all(o in vector_of and cosine(vector_of[word], vector_of[o]) < own - 1e-10 for o in choice)
        for choice in choices
    ]
    return sum(found) / len(choices)


def defined(items, vector_of, k, oov):
    """The mean over items of the mean over pairs; None if it cannot be scored."""
    if oov == "skip":
        items = [[word for word in item if word in vector_of] for item in items]
    found = []
    for item in items:
        others = [word for other in items if other is not item for word in other]
        pairs = list(itertools.permutations(item, 2))
        if pairs and len(others) < k:
            return None
        if pairs:
            found.append(np.mean([share(*pair, others, vector_of, k) for pair in pairs]))
    return float(np.mean(found)) if len(found) > 1 else None


@given(
    VECTORS,
    SIZES,
    st.integers(1, 3),
    st.sets(st.integers(0, 7), max_size=4),
    st.sampled_from(["wrong", "skip"]),
)
def test_is_its_definition(rows, sizes, k, missing, oov):
    items = items_of(sizes)
    vector_of = {f"w{n}": np.array(row, dtype=float) for n, row in enumerate(rows) if n not in missing}
    table = vectors([*vector_of.values(), np.ones(2)], [*vector_of, "z"])
    measure = f"SynonymDetection@{k}"
    expected = defined(items, vector_of, k, oov)
    if expected is None or not vector_of.keys() & {word for item in items for word in item}:
        with pytest.raises(ScoreError):
            score(table, categories_of(items), measure, Settings(oov=oov))
    else:
        found = score(table, categories_of(items), measure, Settings(oov=oov))[measure]
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_the_jackknife_leaves_out_questions_and_others():
    items = items_of([2, 3, 1, 2, 1])
    rows = np.random.default_rng(3).normal(size=(9, 4))
    vector_of = {f"w{number}": row for number, row in enumerate(rows)}
    (subscore,) = score(vectors(rows), categories_of(items), "SynonymDetection@2")[
        "SynonymDetection@2"
    ].subscores
    without = [defined(items[:n] + items[n + 1 :], vector_of, 2, "wrong") for n in range(len(items))]
    whole = defined(items, vector_of, 2, "wrong")
    expected = whole + (len(items) - 1) * (np.mean(without) - np.array(without))
    assert pseudovalues(subscore) == pytest.approx(expected)
    assert observed(subscore) == ("Q0", "Q1", "Q2", "Q3", "Q4")


def test_chance_is_what_vectors_without_meaning_score():
    items = items_of([2] * 8)
    scores = [
        score(
            vectors(np.random.default_rng(seed).normal(size=(16, 6))),
            categories_of(items),
            "SynonymDetection",
        )
        for seed in range(60)
    ]
    found = [each["SynonymDetection@3"] for each in scores]
    assert {each.chance for each in found} == {0.25}
    assert np.mean([each.value for each in found]) == pytest.approx(0.25, abs=0.03)


def test_what_cannot_be_asked_is_said():
    with pytest.raises(ScoreError, match="0, 2 needed"):
        score(vectors(np.eye(3)), categories_of(items_of([1, 1, 1])), "SynonymDetection")
    with pytest.raises(ScoreError, match=r"2 .*, 3 needed"):
        score(vectors(np.eye(4)), categories_of(items_of([2, 2])), "SynonymDetection")
    with pytest.raises(MeasureError, match="k must be 1 or more"):
        score(vectors(np.eye(4)), categories_of(items_of([2, 2])), "SynonymDetection@0")
