"""Topk: are the nearest words of a category's word in the category too?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.measures.base import Count, Measure, Norm
from evaluator.similarities import Floats, Kind, Similarities
from evaluator.task import CategoryTask, Task

Ints = npt.NDArray[np.int64]
_SPARE = 6
_UNSURE = 2.0**-19  # single precision may put words in the wrong order that are less far apart than this


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

    def comparisons(self, category: CategoryTask, vocabulary: int) -> int:
        """Every usable word with every word of the vocabulary."""
        return category.usable * vocabulary

    def counter(
        self,
        task: Task,
        categories: Sequence[CategoryTask],
        similarities: Similarities,
        seed: int,  # noqa: ARG002  # nothing is drawn
    ) -> _TopkCounter:
        """Start counting."""
        return _TopkCounter(self.k, task, categories, similarities)


class _TopkCounter:
    """Keeps the nearest words of each test word so far: k, and some more to tell ties by."""

    def __init__(
        self, k: int, task: Task, categories: Sequence[CategoryTask], similarities: Similarities
    ) -> None:
        self._k, self._similarities = k, similarities
        self._own, self._vocabulary = task.places.astype(np.int64), len(task.vectors)
        self._kept = min(k + _SPARE, self._vocabulary)
        self._categories = categories

    def begin(self) -> tuple[Floats, Ints]:
        """Similarities and words of the nearest, shape (q, kept)."""
        shape = len(self._own), self._kept
        return np.full(shape, -np.inf, dtype=np.float32), np.full(shape, -1, dtype=np.int64)

    def add(self, state: tuple[Floats, Ints], start: int, similarities: Floats) -> None:
        """Merge the block's nearest words into those so far."""
        from evaluator.kernels import keep_nearest

        keep_nearest(similarities, start, self._own, *state)

    def counts(self, states: Sequence[tuple[Floats, Ints]]) -> list[Count]:
        """Hits per category out of n·k."""
        values, words = (np.hstack(parts) for parts in zip(*states, strict=True))
        nearest = [self._nearest(row, values[row], words[row]) for row in range(len(values))]
        return [
            Count(
                sum(int(np.isin(nearest[row], category.known).sum()) for row in category.rows),
                category.size * self._k,
            )
            for category in self._categories
        ]

    def _nearest(self, row: int, values: Floats, words: Ints) -> Ints:
        """The k nearest words of a test word, told apart in double precision."""
        order = np.argsort(-values, kind="stable")[: self._kept]
        values, words = values[order], words[order]
        words = words[words >= 0]
        if len(words) == self._kept < self._vocabulary and values[self._k - 1] - values[-1] < _UNSURE:
            words = np.arange(self._vocabulary)  # so many ties that the nearest may not be among those kept
            words = words[words != self._own[row]]
        similar = self._similarities.exactly(row, words)
        return np.asarray(words[np.lexsort((words, -similar))][: self._k])
