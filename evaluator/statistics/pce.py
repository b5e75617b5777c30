"""PCE, the first principal component of standardised scores, and the correlations of tasks that it rests on.

The source is Giabelli, "A Unified Framework for Intrinsic Evaluation of Word-Embedding Algorithms".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

Doubles = npt.NDArray[np.float64]
Rows = tuple[tuple[float, ...], ...]

SAME = 1e-9
"""What is no further apart than this is equal: PCE of two models, weights, eigenvalues per task."""
_CONSTANT = 1e-12
"""A column is constant if its values are no further apart than this share of the largest."""


@dataclass(frozen=True)
class Correlations:
    """How far tasks rank and place models alike.

    Attributes:
        tasks: The rows and the columns.
        pearson: Linear correlation of each two.
        spearman: Correlation of the ranks; equals share their mean rank.
    """

    tasks: tuple[str, ...]
    pearson: Rows
    spearman: Rows

    def frame(self, kind: Literal["pearson", "spearman"] = "pearson") -> pd.DataFrame:
        """Tasks × tasks."""
        import pandas as pd

        return pd.DataFrame(getattr(self, kind), index=list(self.tasks), columns=list(self.tasks))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "tasks": list(self.tasks),
            "pearson": [list(row) for row in self.pearson],
            "spearman": [list(row) for row in self.spearman],
        }


@dataclass(frozen=True)
class Pce:
    """The first principal component, and how far it can be trusted.

    Attributes:
        tasks: Those it is made of.
        scores: Of each model, from 0 for the lowest of these models to 1 for the highest.
        ranks: Of each model, 1 for the best; equals share the better rank.
        weights: Of each task: the unit eigenvector a₁ of the correlation matrix (equation 1).
        loadings: The correlation of PCE with each task: a₁·√λ₁ (figure 1).
        explained: The share of the variance that each component explains, PCE's first: λ/p.
        ranks_without: For each task left out in turn the ranks of the models; None where there is no PCE.
    """

    tasks: tuple[str, ...]
    scores: tuple[float, ...]
    ranks: tuple[int, ...]
    weights: tuple[float, ...]
    loadings: tuple[float, ...]
    explained: tuple[float, ...]
    ranks_without: tuple[tuple[int, ...] | None, ...]

    @property
    def moves(self) -> tuple[int | None, ...]:
        """For each task the number of ranks that a model moves by at most if it is left out."""
        return tuple(
            None if without is None else max(abs(a - b) for a, b in zip(self.ranks, without, strict=True))
            for without in self.ranks_without
        )

    def frame(self) -> pd.DataFrame:
        """A row for each task; columns are weight, loading and moves."""
        import pandas as pd

        frame = pd.DataFrame({"weight": self.weights, "loading": self.loadings}, index=list(self.tasks))
        frame["moves"] = pd.Series(self.moves, frame.index, dtype="Int64")
        return frame

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        rows = zip(self.tasks, self.weights, self.loadings, self.ranks_without, self.moves, strict=True)
        return {
            "scores": list(self.scores),
            "ranks": list(self.ranks),
            "explained": list(self.explained),
            "tasks": [
                {
                    "task": task,
                    "weight": weight,
                    "loading": loading,
                    "ranks_without": without and list(without),
                    "moves": moves,
                }
                for task, weight, loading, without, moves in rows
            ],
        }


def varies(table: Doubles) -> npt.NDArray[np.bool_]:
    """Whether the models' scores differ at all, for each task; only then can it be standardised."""
    return np.asarray(np.ptp(table, axis=0) > _CONSTANT * np.abs(table).max(axis=0))


def pce(tasks: Sequence[str], table: Doubles) -> Pce | None:
    """PCE of models.

    Args:
        tasks: The names of the columns.
        table: Models × tasks; no column is constant.

    Returns:
        None if there are no tasks, or if the two largest eigenvalues are equal: every direction in a plane
        then explains as much of the variance as any other, so that none is the first component.
    """
    found = _first_component(table)
    if found is None:
        return None
    component, weights, eigenvalues = found
    without = [_first_component(np.delete(table, column, axis=1)) for column in range(len(tasks))]
    return Pce(
        tuple(tasks),
        tuple(component.tolist()),
        _ranks(component),
        tuple(weights.tolist()),
        tuple((weights * np.sqrt(eigenvalues[0])).tolist()),
        tuple((eigenvalues / len(tasks)).tolist()),
        tuple(None if other is None else _ranks(other[0]) for other in without),
    )


def correlations(tasks: Sequence[str], table: Doubles) -> Correlations:
    """Correlations of each two tasks.

    Args:
        tasks: The names of the columns.
        table: Models × tasks; no column is constant.
    """
    ranked = np.column_stack([_mean_ranks(column) for column in table.T])
    pearson, spearman = (_correlation(_standardised(each)) for each in (table, ranked))
    return Correlations(tuple(tasks), rows(pearson), rows(spearman))


def rows(table: Doubles) -> Rows:
    """A table as a value that can be compared."""
    return tuple(tuple(row) for row in table.tolist())


def _first_component(table: Doubles) -> tuple[Doubles, Doubles, Doubles] | None:
    """PCE of each model, the tasks' weights, and all eigenvalues from the largest down."""
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
    """What makes the correlations with the tasks, which are a multiple of the weights, positive in sum.

    If they cancel out, the first task that has any weight gets a positive one.
    """
    total = weights.sum()
    if abs(total) <= SAME:
        total = weights[np.abs(weights) > SAME][0]
    return float(np.sign(total))


def _standardised(table: Doubles) -> Doubles:
    """Each column with mean 0 and variance 1, which is the mean of the squares.

    Columns are brought to a range of 1 first: squares of very small deviations would vanish.
    """
    scaled = (table - table.min(axis=0)) / np.ptp(table, axis=0)
    centred = scaled - scaled.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def _correlation(standard: Doubles) -> Doubles:
    found = np.clip(standard.T @ standard / len(standard), -1, 1)
    np.fill_diagonal(found, 1)
    return np.asarray(found)


def _mean_ranks(column: Doubles) -> Doubles:
    """Ranks from 1 for the least; equals share the mean of theirs."""
    below = (column[:, None] > column).sum(axis=1)
    equal = (column[:, None] == column).sum(axis=1)
    return np.asarray(below + (equal + 1) / 2)


def _ranks(component: Doubles) -> tuple[int, ...]:
    """From 1 for the best; equals share the better rank."""
    better = (component > component[:, None] + SAME).sum(axis=1)
    return tuple((1 + better).tolist())
