"""Clusters of vectors, made in several ways, and how well they agree with categories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from evaluator.engine.similarities import Doubles, Ints, unit_rows

SEEDS = 5
_GRID = 2.0**20  # points that single precision cannot tell apart are equal
_FINE = 2.0**40
_NOTHING = 1e-9


def clusterings(vectors: Doubles, k: int, seed: int, seeds: int = SEEDS) -> dict[str, list[Ints]]:
    """Divide words into k clusters in several ways, with some runs of k-means.

    Returns:
        By the name of the way, for each of its runs the number of each word's cluster, from 0, shape (n,).
    """
    longest = np.sqrt(np.einsum("ij,ij->i", vectors, vectors)).max() or 1.0
    directions, raw = _points(unit_rows(vectors)), _points(vectors / longest)
    cosine = _cosine_distances(unit_rows(vectors), directions.numbers)
    starts = np.random.SeedSequence([seed, len(vectors)]).generate_state(seeds).tolist()
    ways: dict[str, tuple[_Points, list[Callable[[], Ints]]]] = {
        "k-means, unit vectors": (directions, [partial(_means, directions, k, each) for each in starts]),
        "k-means, raw vectors": (raw, [partial(_means, raw, k, each) for each in starts]),
        "Ward, unit vectors": (directions, [partial(_linked, directions.all, k, "ward")]),
        "Ward, raw vectors": (raw, [partial(_linked, raw.all, k, "ward")]),
        "average, cosine": (directions, [partial(_linked, cosine, k, "average", "precomputed")]),
        "average, distance": (raw, [partial(_linked, raw.all, k, "average")]),
        "complete, cosine": (directions, [partial(_linked, cosine, k, "complete", "precomputed")]),
        "complete, distance": (raw, [partial(_linked, raw.all, k, "complete")]),
    }
    return {
        name: [points.numbers] if len(points.different) <= k else [run() for run in runs]
        for name, (points, runs) in ways.items()
    }


@dataclass(frozen=True, eq=False)
class _Points:
    """n vectors, rounded to what single precision can tell apart; and the m different ones among them."""

    all: Doubles
    different: Doubles
    counts: Ints  # how often each of these occurs, shape (m,)
    numbers: Ints  # which of these each vector is, shape (n,)


def _points(vectors: Doubles) -> _Points:
    """Vectors of a length of at most 1 as points."""
    rounded = np.rint(vectors * _GRID) / _GRID + 0.0  # turns -0 into 0
    different, numbers, counts = np.unique(rounded, axis=0, return_inverse=True, return_counts=True)
    return _Points(rounded, different, counts, numbers.reshape(-1))


def _cosine_distances(vectors: Doubles, numbers: Ints) -> Doubles:
    """1 - cosine of unit vectors, shape (n, n); 0 between equal points, even if they have no direction."""
    distances = np.asarray(vectors @ vectors.T)
    np.subtract(1, distances, out=distances)
    np.rint(distances * _FINE, out=distances)
    np.divide(distances, _FINE, out=distances)
    np.maximum(distances, 0, out=distances)
    distances[numbers[:, None] == numbers] = 0
    return distances


def _means(points: _Points, k: int, seed: int) -> Ints:
    """Clusters by k-means, in which points are weighted by how often they occur."""
    from sklearn.cluster import KMeans

    model = KMeans(k, n_init=1, random_state=seed)
    return np.asarray(model.fit_predict(points.different, sample_weight=points.counts), np.int64)[
        points.numbers
    ]


def _linked(points: Doubles, k: int, linkage: str, metric: str = "euclidean") -> Ints:
    from sklearn.cluster import AgglomerativeClustering

    model = AgglomerativeClustering(k, metric=metric, linkage=linkage)
    return np.asarray(model.fit_predict(points), np.int64)


def contingency(gold: Ints, clusters: Ints) -> Doubles:
    """How many words of each category, shape (..., n), are in each cluster; (..., categories, clusters)."""
    shape = int(gold.max()) + 1, int(clusters.max()) + 1
    several = gold.reshape(-1, len(clusters))
    cells = (np.arange(len(several))[:, None] * shape[0] + several) * shape[1] + clusters
    counts = np.bincount(cells.ravel(), minlength=len(several) * shape[0] * shape[1])
    return np.asarray(counts.reshape(*gold.shape[:-1], *shape), dtype=np.float64)


def purity(table: Doubles) -> Doubles:
    """The share of words that are of the most frequent category of their cluster."""
    return np.asarray(table.max(axis=-2).sum(axis=-1) / table.sum(axis=(-2, -1)))


def v_measure(table: Doubles) -> Doubles:
    """The harmonic mean of homogeneity and completeness; 1 where there is one category and one cluster.

    It is twice the mutual information divided by the sum of both entropies, from sums of x·ln x.
    """
    from scipy.special import xlogy

    of_category, of_cluster, of_all = (table.sum(axis=axis) for axis in (-1, -2, (-2, -1)))
    total = xlogy(of_all, of_all)
    apart = xlogy(of_category, of_category).sum(axis=-1) + xlogy(of_cluster, of_cluster).sum(axis=-1)
    entropies, shared = 2 * total - apart, 2 * (total - apart + xlogy(table, table).sum(axis=(-2, -1)))
    some = entropies > _NOTHING
    return np.asarray(np.where(some, np.clip(shared / np.where(some, entropies, 1), 0, 1), 1))
