"""Topk: are the nearest neighbours of a category's words in the category too?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import Floats, Kind, Similarities, best_first
from evaluator.engine.vocabulary_lookup import FoundCategory, VocabularyLookup
from evaluator.measures.base import CategoryEvaluation, CategoryMeasure, Subscore, share_pseudovalues
from evaluator.settings import Settings

Ints = npt.NDArray[np.int64]
_SPARE = 6
_UNSURE = 2.0**-19  # single precision may order words wrongly whose similarities differ by less than this


@dataclass(frozen=True)
class Topk(CategoryMeasure):
    """The share of category members among the k nearest neighbours of each member, as `Topk@3`.

    For a category of n words (eq. 1 of the paper "Evaluating Word Embeddings on Low-Resource Languages"):
    `1/(n·k) · Σ_w |{the k words most similar to w, w itself excluded} ∩ C|`, similar by cosine.
    Of equally similar words the more frequent ones count as nearer. The ceiling of a category of n ≤ k words
    is not 1 but (n-1)/k. The chance level is about (n-1)/(v-1).

    Attributes:
        k: How many neighbours.
    """

    k: int = 3

    def __post_init__(self) -> None:
        """Refuse a k below 1.

        Raises:
            MeasureError: k is too small.
        """
        super().__post_init__()
        self._refuse(self.k < 1, "k must be 1 or more")

    def why_not(self, category: FoundCategory, vocabulary: int) -> str | None:
        """A category needs two words with a vector, and the vocabulary k others for each word."""
        words = len(category.words)
        if category.usable < 2:
            return f"{category.usable} of {words} words in the vocabulary, 2 needed"
        if self.k >= vocabulary:
            return f"a word has only {vocabulary - 1} others in the vocabulary, {self.k} needed"
        if self.k > words:
            return f"k is above its {words} words"
        return None

    def ceiling(self, category: FoundCategory) -> float:
        """Below 1 where a word has fewer than k others in its category, and where OOV words are misses."""
        known, built = len(category.known), category.usable - len(category.known)
        hits = known * min(known - 1, self.k) + built * min(known, self.k)
        return hits / (category.size * self.k)

    @staticmethod
    def chance(category: FoundCategory, vocabulary: int) -> float:
        """The expected share of members among neighbours drawn at random from the vocabulary."""
        known, built = len(category.known), category.usable - len(category.known)
        return (known * (known - 1) / (vocabulary - 1) + built * known / vocabulary) / category.size

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> TopkEvaluation:
        """Look up the words of all categories."""
        return TopkEvaluation(self, test_set, lookup, settings)


class TopkEvaluation(CategoryEvaluation):
    """Keeps the nearest words of each test word so far: k, and a few more in case of ties."""

    kind: Kind | None = "cosine"

    def __init__(
        self, measure: Topk, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        """Look up the words of all categories."""
        super().__init__(measure, test_set, lookup, settings)
        self._measure = measure
        self._kept = min(measure.k + _SPARE, self.vocabulary - 1)
        self.comparisons = self.vocabulary * sum(category.usable for category in self.categories)

    def prepare(self, similarities: Similarities) -> None:
        """Find out which test words are asked about, and their own vocabulary rows."""
        rows = [category.rows for category in self.categories]
        self._rows = np.unique(np.concatenate(rows)) if rows else np.zeros(0, dtype=np.intp)
        self._own = similarities.vocabulary_rows[self._rows].astype(np.int64)
        self._similarities = similarities

    def begin(self) -> tuple[Floats, Ints]:
        """Similarities and words of the nearest, shape (asked, kept)."""
        shape = len(self._own), self._kept
        return np.full(shape, -np.inf, dtype=np.float32), np.full(shape, -1, dtype=np.int64)

    def add(self, state: tuple[Floats, Ints], start: int, similarities: Floats) -> None:
        """Merge the block's nearest words into those so far."""
        from evaluator.engine.kernels import keep_nearest

        keep_nearest(similarities, self._rows, start, self._own, *state)

    def scored(self, states: Sequence[tuple[Floats, Ints]]) -> list[Subscore]:
        """Hits per category out of n·k."""
        values, words = (np.hstack(each) for each in zip(*states, strict=True))
        k = self._measure.k
        nearest = best_first(values, words, k, self._kept, self.vocabulary, _UNSURE, self._exactly)
        return [self._subscore(category, nearest[:, :k]) for category in self.categories]

    def _subscore(self, category: FoundCategory, nearest: Ints) -> Subscore:
        k = self._measure.k
        hits = np.zeros(category.size, dtype=np.int64)
        own = nearest[np.searchsorted(self._rows, category.rows)]
        hits[: category.usable] = np.isin(own, category.known).sum(axis=1)
        total = int(hits.sum())
        return Subscore(
            category.name,
            len(category.words),
            category.oov,
            total / (category.size * k),
            category.observations,
            share_pseudovalues(hits, np.full(category.size, k)),
            total,
            category.size * k,
            self._measure.ceiling(category),
            self._measure.chance(category, self.vocabulary),
        )

    def _exactly(self, rows: Ints, words: Ints) -> npt.NDArray[np.float64]:
        """Cosines in double precision; a word is not its own neighbour."""
        similar = self._similarities.exactly(self._rows[rows], words)
        return np.where(words == self._own[rows, None], -np.inf, similar)
