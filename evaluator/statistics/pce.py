"""PCE, the first principal component of standardised scores, and the correlations of tasks behind it.

The source is Giabelli, "A Unified Framework for Intrinsic Evaluation of Word-Embedding Algorithms".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evaluator.results.composite import Correlations, Pce, Rows, TaskWeight

Doubles = npt.NDArray[np.float64]

SAME = 1e-9
"""Numbers that differ by no more than this are equal: PCE of two models, weights, eigenvalues per task."""
_CONSTANT = 1e-12
"""A column is constant if its values differ by no more than this share of the largest."""


def varies(table: Doubles) -> npt.NDArray[np.bool_]:
    """Whether the models' scores differ at all, for each task; only then can it be standardised."""
    return np.asarray(np.ptp(table, axis=0) > _CONSTANT * np.abs(table).max(axis=0))


def pce(tasks: Sequence[str], table: Doubles) -> Pce | None:
    """PCE of models.

    No column of the table of models × tasks is constant.

    Returns:
        None if there are no tasks, or if the two largest eigenvalues are equal: then every direction in a
        plane explains equally much of the variance, and none is the first component.
    """
    found = _first_component(table)
    if found is None:
        return None
    component, weights, eigenvalues = found
    ranks = _ranks(component)
    return Pce(
        tuple(component.tolist()),
        ranks,
        tuple((eigenvalues / len(tasks)).tolist()),
        tuple(
            TaskWeight(task, weight, loading, *_without(column, table, ranks))
            for column, (task, weight, loading) in enumerate(
                zip(tasks, weights.tolist(), (weights * np.sqrt(eigenvalues[0])).tolist(), strict=True)
            )
        ),
    )


def _without(
    column: int, table: Doubles, ranks: Sequence[int]
) -> tuple[tuple[int, ...], int] | tuple[None, None]:
    """The ranks of the models if a task is left out, and by how many a model moves at most."""
    found = _first_component(np.delete(table, column, axis=1))
    if found is None:
        return None, None
    without = _ranks(found[0])
    return without, max(abs(a - b) for a, b in zip(ranks, without, strict=True))


def correlations(tasks: Sequence[str], table: Doubles) -> Correlations:
    """Correlations of each two tasks."""
    from scipy.stats import rankdata

    ranked = rankdata(table, axis=0)
    pearson, spearman = (_correlation(_standardised(each)) for each in (table, ranked))
    return Correlations(tuple(tasks), rows(pearson), rows(spearman))


def rows(table: Doubles) -> Rows:
    """A table as tuples, which can be compared."""
    return tuple(tuple(row) for row in table.tolist())


def _first_component(table: Doubles) -> tuple[Doubles, Doubles, Doubles] | None:
    """PCE of each model, the tasks' weights, and all eigenvalues in descending order."""
    if not table.shape[1]:
        return None
    standard = _standardised(table)
    eigenvalues, vectors = np.linalg.eigh(_correlation(standard))
    eigenvalues, weights = np.maximum(eigenvalues[::-1], 0), vectors[:, -1]
    if any(first - second <= SAME * len(weights) for first, second in pairwise(eigenvalues[:2])):
        return None
    weights = weights * _sign(weights)
    component = standard @ weights
    return (component - component.min()) / np.ptp(component), weights, eigenvalues


def _sign(weights: Doubles) -> float:
    """The sign that makes the sum of the weights, and so of the correlations with the tasks, positive.

    If the sum is 0, the first task with a weight gets a positive one.
    """
    total = weights.sum()
    if abs(total) <= SAME:
        total = weights[np.abs(weights) > SAME][0]
    return float(np.sign(total))


def _standardised(table: Doubles) -> Doubles:
    """Each column with mean 0 and variance 1, which is the mean of the squares.

    Columns are scaled to a range of 1 first, as squares of very small deviations would underflow.
    """
    scaled = (table - table.min(axis=0)) / np.ptp(table, axis=0)
    centred = scaled - scaled.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def _correlation(standard: Doubles) -> Doubles:
    found = np.clip(standard.T @ standard / len(standard), -1, 1)
    np.fill_diagonal(found, 1)
    return np.asarray(found)


def _ranks(component: Doubles) -> tuple[int, ...]:
    """From 1 for the best; equals share the better rank."""
    better = (component > component[:, None] + SAME).sum(axis=1)
    return tuple((1 + better).tolist())
