"""Clusters and their agreement with categories, against definitions and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from evaluator.engine.clusterings import clusterings, contingency, purity, v_measure
from tests.evaluator import definitions

cluster = pytest.importorskip("sklearn.cluster")
metrics = pytest.importorskip("sklearn.metrics")

WAYS = [
    "k-means, unit vectors",
    "k-means, raw vectors",
    "Ward, unit vectors",
    "Ward, raw vectors",
    "average, cosine",
    "average, distance",
    "complete, cosine",
    "complete, distance",
]

# Categories and clusters of some words, and as numbers.
LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=20)


def numbered(labels):
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


@given(LABELS)
def test_scores_are_their_definitions(labels):
    gold, clusters = (list(each) for each in zip(*labels, strict=True))
    table = contingency(numbered(gold), numbered(clusters))
    assert purity(table) == pytest.approx(definitions.purity(gold, clusters))
    assert v_measure(table) == pytest.approx(definitions.v_measure(gold, clusters), abs=1e-12)
    assert v_measure(table) == pytest.approx(metrics.v_measure_score(gold, clusters), abs=1e-12)


def test_by_hand():
    """Clusters {a, a, b} and {b, b, a, a}: purity is (2+2)/7."""
    gold, clusters = np.array([0, 0, 1, 1, 1, 0, 0]), np.array([0, 0, 0, 1, 1, 1, 1])
    assert purity(contingency(gold, clusters)) == pytest.approx(4 / 7)
    # Half of each category in each cluster: no information.
    assert v_measure(np.array([[1.0, 1], [1, 1]])) == 0
    assert v_measure(np.array([[2.0, 0], [0, 3]])) == 1
    # One category in two clusters is homogeneous, and its completeness is 0.
    assert v_measure(np.array([[2.0, 3]])) == 0
    assert v_measure(np.array([[4.0]])) == 1


# Clusters.


def same(one, other):
    return metrics.adjusted_rand_score(one, other) == 1


def test_clusters_are_those_of_scikit_learn():
    generator = np.random.default_rng(1)
    raw = generator.normal(size=(60, 6)) * generator.lognormal(0, 0.7, size=(60, 1))
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    found = clusterings(raw, 7, seed=3)
    assert list(found) == WAYS
    linked = {
        "Ward, unit vectors": (unit, "ward", "euclidean"),
        "Ward, raw vectors": (raw, "ward", "euclidean"),
        "average, cosine": (unit, "average", "cosine"),
        "average, distance": (raw, "average", "euclidean"),
        "complete, cosine": (unit, "complete", "cosine"),
        "complete, distance": (raw, "complete", "euclidean"),
    }
    for name, (points, linkage, metric) in linked.items():
        model = cluster.AgglomerativeClustering(7, linkage=linkage, metric=metric)
        (own,) = found[name]
        assert same(own, model.fit_predict(points)), name
    for name, points in (("k-means, unit vectors", unit), ("k-means, raw vectors", raw)):
        assert len(found[name]) == 5
        best = cluster.KMeans(7, n_init=20, random_state=0).fit(points).inertia_
        for own in found[name]:
            # Where k-means stops, every word is in the cluster whose mean is nearest.
            means = np.array([points[own == each].mean(axis=0) for each in range(7)])
            distances = ((points[:, None] - means) ** 2).sum(axis=2)
            assert (distances.argmin(axis=1) == own).mean() > 0.95
            assert distances.min(axis=1).sum() < 1.3 * best
        assert len({tuple(numbered(own)) for own in found[name]}) > 1


@hypothesis_settings(max_examples=12)
@given(
    st.lists(st.lists(st.integers(-1, 1), min_size=2, max_size=2), min_size=3, max_size=14),
    st.integers(2, 6),
)
def test_equal_vectors_are_in_the_same_cluster(rows, k):
    """And no more clusters are asked for than there are different vectors, of which libraries would warn."""
    matrix = np.array(rows, dtype=float)
    for name, several in clusterings(matrix, k, seed=0).items():
        points = matrix
        if "unit" in name or "cosine" in name:
            points = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
        different = len(np.unique(points.round(9), axis=0))
        for own in several:
            assert len(set(own.tolist())) == min(k, different), name
            equal = np.abs(points[:, None] - points).max(axis=2) < 1e-9
            assert (own[:, None] == own)[equal].all(), name


def test_rounding_makes_no_difference_between_vectors():
    generator = np.random.default_rng(1)
    matrix = np.repeat(np.eye(3), 4, axis=0) + 1e-9 * generator.normal(size=(12, 3))
    for several in clusterings(matrix, 5, seed=0).values():
        for own in several:
            assert same(own, np.repeat([0, 1, 2], 4))


def test_words_weigh_in_k_means_even_if_their_vectors_are_equal():
    """It is worth more to keep three thousand words apart that are near than three that are far."""
    places = [0.0] * 1000 + [1.0] * 1000 + [2.0] * 1000 + [10.0, 12.0, 14.0]
    found = clusterings(np.array(places)[:, None], 3, seed=0)["k-means, raw vectors"]
    apart_ = [len(set(own[[0, 1000, 2000]].tolist())) == 3 for own in found]
    assert sum(apart_) >= 3  # it may stop at a worse place; without weights it nearly always does


def test_clusters_do_not_depend_on_the_scale_of_vectors_or_on_threads():
    threads = pytest.importorskip("threadpoolctl").threadpool_limits
    matrix = np.random.default_rng(2).normal(size=(80, 5))
    found = clusterings(matrix, 6, seed=0)
    for scale in (2.0**-100, 2.0**60):
        for name, several in clusterings(matrix * scale, 6, seed=0).items():
            assert all(map(np.array_equal, several, found[name])), name
    for number in (1, 4):
        with threads(number):
            again = clusterings(matrix, 6, seed=0)
        assert all(map(np.array_equal, again[name], found[name]) for name in WAYS)
