"""Small vectors and test sets for tests."""

from __future__ import annotations

from functools import partial

import numpy as np

from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.studies import scoring
from evaluator.vectors import Vectors

score = partial(scoring.score, context=False)
"""What measures say alone, without baselines, which take as long."""


def vectors(matrix, words=None, **more):
    matrix = np.ascontiguousarray(matrix, dtype=np.float32)
    return Vectors(words or [f"w{row}" for row in range(len(matrix))], matrix, "test vectors", **more)


def test_set(**categories):
    return TestSet(
        "en",
        "test.json",
        "0" * 64,
        tuple(
            Category(name, name, tuple(Item(f"Q{number}", (word,)) for number, word in enumerate(words, 1)))
            for name, words in categories.items()
        ),
    )


test_set.__test__ = False


def observed(subscore):
    """The observations of a subscore, by name."""
    return () if subscore.observations is None else tuple(subscore.observations.influences)


def pseudovalues(subscore):
    """The pseudo-values that the influences of a subscore are from."""
    own = np.array(list(subscore.observations.influences.values()))
    return subscore.value + own * np.sqrt(len(own) * (len(own) - 1))
