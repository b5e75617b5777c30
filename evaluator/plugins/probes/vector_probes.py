"""Probes of single vectors and of pairs: the class of a word or text, and how similar two words are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from evaluator.plugins import ScoreError
from evaluator.plugins.probes.curves import Probe
from evaluator.plugins.probes.learners import (
    SENTENCE_MODELS,
    SIMILARITY_MODELS,
    WORD_MODELS,
    Floats,
    ProbeModel,
    Progress,
    check_matrix,
    probe,
    unit_rows,
)
from evaluator.plugins.probes.splits import Rows, SplitPlan, random_splits, stratified_splits


def membership(
    vectors: npt.NDArray[np.floating],
    labels: Sequence[Hashable],
    plan: SplitPlan | None = None,
    models: Sequence[ProbeModel] = WORD_MODELS,
    progress: Progress | None = None,
) -> Probe:
    """Probe how easily the class of a word can be learnt from its vector ("Single word" in the paper).

    Random forest, SVM with RBF kernel, naive Bayes, k-NN and logistic regression, besides the majority class;
    scored by accuracy. Vectors are scaled to length 1.

    Args:
        vectors: The vector of each word, shape (n, d).
        labels: The class of each word; True and False for membership in one category.
        plan: How the data is divided; `SplitPlan()` if None.
        models: What to fit.
        progress: Called repeatedly with the share that is done, from 0 to 1.
    """
    return _classify(
        "membership", unit_rows(vectors, "vectors"), labels, plan or SplitPlan(), models, progress
    )


def sentences(
    features: npt.NDArray[np.floating],
    labels: Sequence[Hashable],
    plan: SplitPlan | None = None,
    models: Sequence[ProbeModel] = SENTENCE_MODELS,
    progress: Progress | None = None,
) -> Probe:
    """Probe how easily the class of a sentence can be learnt from the mean of its words' vectors.

    Logistic regression and SVM with RBF kernel, besides the majority class; scored by accuracy. The
    paper's convolutional network is not here: it probes the order of words as much as the vectors.

    Args:
        features: The mean vector of each sentence, from `mean_vectors`, shape (n, d).
        labels: The class of each sentence.
        plan: How the data is divided; `SplitPlan()` if None.
        models: What to fit.
        progress: Called repeatedly with the share that is done, from 0 to 1.
    """
    checked = check_matrix(features, "features")
    return _classify("sentences", checked, labels, plan or SplitPlan(), models, progress)


def mean_vectors(vectors: npt.NDArray[np.floating], rows: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
    """The mean of the vectors of each sentence's words, each word's vector scaled to length 1 first.

    Args:
        vectors: The vocabulary, shape (v, d).
        rows: For each sentence the rows of its words, a word as often as it occurs.
    """
    if not rows:
        raise ScoreError("there are no sentences")
    empty = [number for number, sentence in enumerate(rows) if not len(sentence)]
    if empty:
        raise ScoreError(
            f"{len(empty)} of {len(rows)} sentences have no word with a vector, the first is number "
            f"{empty[0]}; leave them out"
        )
    known = np.unique(np.concatenate([np.asarray(sentence, np.intp) for sentence in rows]))
    unit = unit_rows(vectors[known], "vectors")
    means = [unit[np.searchsorted(known, sentence)].mean(axis=0) for sentence in rows]
    return np.array(means, dtype=np.float32)


def _classify(
    task: str,
    x: Floats,
    labels: Sequence[Hashable],
    plan: SplitPlan,
    models: Sequence[ProbeModel],
    progress: Progress | None,
) -> Probe:
    if len(labels) != len(x):
        raise ScoreError(f"{task}: {len(x)} vectors, but {len(labels)} labels")
    codes = _codes(task, labels)
    if np.all(x == x[0]):
        raise ScoreError(f"{task}: all vectors are equal, so nothing can be learnt from them")
    data = (x, codes.astype(np.float64), codes)
    return probe(task, "accuracy", data, stratified_splits(codes, plan), models, plan, progress)


def _codes(task: str, labels: Sequence[Hashable]) -> Rows:
    """Number the classes in the order in which they occur, and refuse what cannot be divided."""
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.intp)
    if len(numbers) < 2:
        raise ScoreError(f"{task}: there must be two or more classes, not {len(numbers)}")
    single = [label for label, count in zip(numbers, np.bincount(codes), strict=True) if count < 2]
    if single:
        raise ScoreError(
            f"{task}: {len(single)} of {len(numbers)} classes have a single item, such as {single[0]!r}; "
            "one to learn from and one to test on are needed"
        )
    return codes


_LEAST = 3  # test pairs; two would correlate by -1 or 1 whatever the vectors are


def similarity(
    first: npt.NDArray[np.floating],
    second: npt.NDArray[np.floating],
    ratings: Sequence[float] | npt.NDArray[np.floating],
    plan: SplitPlan | None = None,
    models: Sequence[ProbeModel] = SIMILARITY_MODELS,
    progress: Progress | None = None,
) -> Probe:
    """Probe how easily people's ratings of pairs of words can be learnt from their vectors.

    Support vector regression with RBF kernel and random forest, besides the cosine, which learns nothing;
    scored by Spearman's correlation on the test pairs. Vectors are scaled to length 1.

    Args:
        first: The vectors of the first words, shape (n, d).
        second: The vectors of the second words, shape (n, d).
        ratings: The rating of each pair.
        plan: How the data is divided; `SplitPlan()` if None.
        models: What to fit.
        progress: Called repeatedly with the share that is done, from 0 to 1.
    """
    plan = plan or SplitPlan()
    x = pair_features(first, second)
    y = np.array(ratings, np.float64)
    _check(x, y, plan)
    splits = random_splits(len(y), plan)
    if any(np.ptp(y[split.test]) == 0 for split in splits):
        raise ScoreError(
            f"similarity: of {len(y)} pairs so many have the same rating that the test data of "
            f"{plan.tests(len(y))} have no other; give more pairs, or a larger test_share"
        )
    data = (x, y, np.zeros(len(y), np.intp))
    return probe("similarity", "spearman", data, splits, models, plan, progress)


def pair_features(first: npt.NDArray[np.floating], second: npt.NDArray[np.floating]) -> Floats:
    """The features of two words u, v of length 1: √d·u∘v and |u − v|, shape (n, 2d).

    The paper does not define them. These do not depend on the order of the words; the sum of the products is
    the cosine, so they contain what the constant model knows; and √d brings both to the same order of
    magnitude.
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
            f"similarity: {len(y)} pairs are too few; of the {_LEAST} or more needed as test data, they give "
            f"{plan.tests(len(y))}"
        )
    if not np.isfinite(y).all():
        raise ScoreError("similarity: a rating is not a finite number")
    if np.ptp(y) == 0:
        raise ScoreError("similarity: all ratings are equal, so there is nothing to learn")
    if np.all(x == x[0]):
        raise ScoreError("similarity: all pairs have the same vectors, so nothing can be learnt from them")
