"""Topk: are the nearest words of a category's word in the category too?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.measures.base import Among, Count, Measure, Norm
from evaluator.similarities import Floats, Kind
from evaluator.task import CategoryTask, Task


@dataclass(frozen=True)
class Topk(Measure):
    """The share of category members among the k nearest words, as `Topk@3`.

    For a category of n words (eq. 1 of the paper "Evaluating Word Embeddings on Low-Resource Languages"):
    `1/(n·k) · Σ_w |{the k words most similar to w, w itself excluded} ∩ C|`, similar by cosine.
    Among words equally similar, the more frequent ones count as nearer. A category of n ≤ k words cannot
    reach 1 but only (n-1)/k, its ceiling.

    Attributes:
        k: How many neighbours.
    """

    def kind(self, norm: Norm) -> Kind:  # noqa: ARG002  # cosine whatever the norm
        """Cosine."""
        return "cosine"

    def why_not(self, category: CategoryTask, vocabulary: int) -> str | None:
        """A category needs two usable words, and a vocabulary with k others beside each."""
        if category.usable < 2:
            return f"{category.usable} of {category.words} words in the vocabulary, 2 needed"
        if self.k >= vocabulary:
            return f"a word has only {vocabulary - 1} others in the vocabulary, {self.k} needed"
        if self.k > category.words:
            return f"k is above its {category.words} words"
        return None

    def ceiling(self, category: CategoryTask) -> float:
        """Below 1 where a word has fewer than k fellows, and where OOV words are misses."""
        known, built = len(category.known), category.usable - len(category.known)
        hits = known * min(known - 1, self.k) + built * min(known, self.k)
        return hits / (category.size * self.k)

    def counter(
        self,
        task: Task,
        categories: Sequence[CategoryTask],
        among: Among,  # noqa: ARG002  # neighbours are sought in the vocabulary
        seed: int,  # noqa: ARG002  # nothing is drawn
    ) -> _TopkCounter:
        """Start counting."""
        return _TopkCounter(self.k, task, categories)


class _TopkCounter:
    """Keeps the k nearest words of each test word so far."""

    def __init__(self, k: int, task: Task, categories: Sequence[CategoryTask]) -> None:
        self._k = k
        self._own = task.places
        self._categories = categories
        self._values = np.empty((len(task.queries), 0))
        self._words = np.empty((len(task.queries), 0), dtype=np.intp)

    def add(self, start: int, similarities: Floats) -> None:
        """Merge the block's nearest words into those so far."""
        similarities = similarities.copy()
        own = self._own - start
        here = (own >= 0) & (own < similarities.shape[1])
        similarities[np.flatnonzero(here), own[here]] = -np.inf
        nearest = _nearest(similarities, self._k)
        values = np.hstack([self._values, np.take_along_axis(similarities, nearest, axis=1)])
        words = np.hstack([self._words, nearest + start])
        best = _nearest(values, self._k)
        self._values = np.take_along_axis(values, best, axis=1)
        self._words = np.take_along_axis(words, best, axis=1)

    def counts(self) -> list[Count]:
        """Hits per category out of n·k."""
        return [
            Count(int(np.isin(self._words[category.rows], category.known).sum()), category.size * self._k)
            for category in self._categories
        ]


def _nearest(similarities: Floats, k: int) -> npt.NDArray[np.intp]:
    """Columns of the k greatest values of each row, greatest first, of equal ones the leftmost first."""
    columns = similarities.shape[1]
    k = min(k, columns)
    least = np.partition(similarities, columns - k, axis=1)[:, columns - k]
    # All columns that are no smaller than the k-th greatest: exactly k, or more where there are ties.
    row, column = np.nonzero(similarities >= least[:, None])
    order = np.lexsort((column, -similarities[row, column], row))
    row, column = row[order], column[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    return column[rank < k].reshape(-1, k)
