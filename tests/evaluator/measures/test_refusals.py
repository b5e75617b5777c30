"""What every measure refuses: vectors that are not finite, and test sets with nothing to score."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator import AnalogySection, Category, Item, OutlierGroup, RatedPairs, ScoreError, TestSet
from tests.evaluator.examples import score, vectors

MEASURES = [
    *("Topk@1", "OddOneOut@2", "Categorization", "CategoryOutliers(size=2)", "Analogy", "AnalogySpace"),
    *("Similarity", "OutlierDetection"),
]
WORDS = [f"w{row}" for row in range(6)]
TEST = TestSet(
    "en",
    "test",
    "0" * 64,
    tuple(
        Category(n, n, tuple(Item(w, (w,)) for w in words))
        for n, words in (("a", WORDS[:3]), ("b", WORDS[3:]))
    ),
    analogies=(AnalogySection("s", "s", (("w0", ("w1",)), ("w2", ("w3",)))),),
    rated_pairs=(RatedPairs("r", "r", (("w0", "w1", 1.0), ("w2", "w3", 2.0), ("w1", "w4", 4.0))),),
    outlier_groups=(OutlierGroup("g", "g", ("w0", "w1", "w2"), ("w3",)),),
)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("measure", MEASURES)
def test_a_vector_that_is_not_finite_is_refused(measure, bad):
    matrix = np.random.default_rng(0).normal(size=(8, 3))
    assert np.isfinite(score(vectors(matrix), TEST, measure)[measure].value)
    matrix[1, 1] = bad
    with pytest.raises(ScoreError, match="NaN or infinity"):
        score(vectors(matrix), TEST, measure)


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_to_score_is_an_error_and_not_a_zero(measure):
    with pytest.raises(ScoreError, match=r"^test: .*test vectors.*are the vectors in"):
        score(vectors(np.eye(8), [f"other{row}" for row in range(8)]), TEST, measure)
    with pytest.raises(ScoreError, match=r"^empty: has no "):
        score(vectors(np.eye(8)), TestSet("en", "empty", "0" * 64), measure)
