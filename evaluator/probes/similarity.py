"""How alike two words are: a probe of pairs of vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evaluator.errors import ScoreError
from evaluator.probes.learning import Progress, probe, unit_rows
from evaluator.probes.models import SIMILARITY_MODELS, Floats, Model
from evaluator.probes.results import Probe
from evaluator.probes.splits import SplitPlan, random_splits

_LEAST = 3  # test pairs; two would correlate by -1 or 1 whatever the vectors are


def similarity(
    first: npt.NDArray[np.floating],
    second: npt.NDArray[np.floating],
    ratings: Sequence[float] | npt.NDArray[np.floating],
    plan: SplitPlan | None = None,
    models: Sequence[Model] = SIMILARITY_MODELS,
    progress: Progress | None = None,
) -> Probe:
    """Probe how easily people's ratings of pairs of words can be learnt from their vectors.

    Support vector regression with RBF kernel and random forest, beside the cosine, which learns nothing;
    scored by Spearman's correlation on the test pairs. Vectors are taken at unit length.

    Args:
        first: The vectors of the first words, shape (n, d).
        second: The vectors of the second words, shape (n, d).
        ratings: The rating of each pair.
        plan: How the data is divided; `SplitPlan()` if None.
        models: What to fit.
        progress: Called now and then with the share of the work that is done, from 0 to 1.

    Raises:
        ScoreError: There are too few pairs, the ratings are all the same, too many of them are, or all pairs
            have the same vectors, or scikit-learn is missing.
    """
    plan = plan or SplitPlan()
    x = pair_features(first, second)
    y = np.array(ratings, np.float64)
    _check(x, y, plan)
    splits = random_splits(len(y), plan)
    if any(np.ptp(y[split.test]) == 0 for split in splits):
        raise ScoreError(
            f"similarity: of {len(y)} pairs so many have the same rating that a test part of "
            f"{plan.tests(len(y))} has no other; give more pairs, or a larger test_share"
        )
    data = (x, y, np.zeros(len(y), np.intp))
    return probe("similarity", "spearman", data, splits, models, plan, progress)


def pair_features(first: npt.NDArray[np.floating], second: npt.NDArray[np.floating]) -> Floats:
    """What a model sees of two words u, v at unit length: √d·u∘v and |u − v|, shape (n, 2d).

    The paper does not say. These do not depend on which word comes first; the products sum up to the cosine,
    so that what the constant model knows is there; and √d brings both to the same order of magnitude.
    """
    u, v = unit_rows(first, "first"), unit_rows(second, "second")
    if u.shape != v.shape:
        raise ScoreError(f"first has the shape {u.shape} and second {v.shape}; they must be the same")
    return np.hstack([np.sqrt(u.shape[1]) * u * v, np.abs(u - v)])


def _check(x: Floats, y: Floats, plan: SplitPlan) -> None:
    if y.shape != (len(x),):
        raise ScoreError(f"similarity: {len(x)} pairs, but ratings of the shape {y.shape}")
    if plan.tests(len(y)) < _LEAST:
        raise ScoreError(
            f"similarity: {len(y)} pairs are too few; {_LEAST} or more must be in the test part, which gets "
            f"{plan.tests(len(y))}"
        )
    if not np.isfinite(y).all():
        raise ScoreError("similarity: a rating is not a finite number")
    if np.ptp(y) == 0:
        raise ScoreError("similarity: all ratings are the same, so that they order nothing")
    if np.all(x == x[0]):
        raise ScoreError(
            "similarity: all pairs have the same vectors, so that nothing can be learnt from them"
        )
