"""Topk: are the nearest neighbours of a category's words in the category too?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import Distance, Doubles, Floats, Ints, Kind, Similarities, best_first
from evaluator.engine.spelling import SpellingSimilarities
from evaluator.engine.vocabulary_lookup import Circle, FoundCategory, VocabularyLookup
from evaluator.measures.base import (
    LEAST_WORDS,
    CategoryEvaluation,
    CategoryMeasure,
    Subscore,
    jackknife_pseudovalues,
    of_category,
)
from evaluator.settings import Settings

Bools = npt.NDArray[np.bool_]
_SPARE = 6
_UNSURE = {"cosine": 2.0**-19, "euclidean": 2.0**-40, "manhattan": 2.0**-40}
"""Words whose similarities differ by less may be in the wrong order; cosines are in single precision."""


@dataclass(frozen=True)
class Topk(CategoryMeasure):
    """The share of category members among the k nearest neighbours of each member, as `Topk@3`.

    For a category of n words (eq. 1 of the paper "Evaluating Word Embeddings on Low-Resource Languages"):
    `1/(n·k) · Σ_w |{the k words most similar to w, w itself excluded} ∩ C|`, similar by cosine.
    "Any distance metric can be used" (section 2.1): with `distance`, the nearest of the raw vectors instead.
    Of equally similar words the more frequent ones count as nearer. The ceiling of a category of n ≤ k words
    is not 1 but (n-1)/k. The chance level is about (n-1)/(v-1).

    Attributes:
        k: How many neighbours.
        distance: By what words are near.
    """

    k: int = 3
    distance: Distance = "cosine"

    trials_of_a_word: ClassVar[float] = 1.2

    @property
    def asks(self) -> Literal["neighbours"]:
        """The nearest words."""
        return "neighbours"

    def best(self, known: npt.NDArray[np.integer[Any]], size: int) -> Doubles:
        """Each known word has the others, up to k, as neighbours."""
        return np.asarray(known * np.clip(known - 1, 0, self.k) / (size * self.k))

    @property
    def needed(self) -> int:
        """As many words as neighbours are counted, or three."""
        return max(self.k, LEAST_WORDS)

    def can_score(self, category: FoundCategory, vocabulary: int) -> bool:
        """With two known words, as long as each has k others in the vocabulary."""
        return category.usable >= 2 and self.k < vocabulary

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

    def __init__(
        self, measure: Topk, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        super().__init__(measure, test_set, lookup, settings)
        self._measure = measure
        self.kind: Kind | None = measure.distance
        self._kept = min(measure.k + _SPARE, max(self.vocabulary - 1, 0))
        self.comparisons = self.vocabulary * sum(category.usable for category in self.categories)
        self.collects = tuple(self.scored_names)

    def prepare(self, similarities: Similarities) -> None:
        """Find out which test words are asked about, and their own vocabulary rows."""
        rows = [category.rows for category in self.categories]
        self._rows = np.unique(np.concatenate(rows)) if rows else np.zeros(0, dtype=np.intp)
        self._own = similarities.vocabulary_rows[self._rows].astype(np.int64)
        self._similarities = similarities

    def begin(self) -> tuple[Floats, Ints]:
        """Similarities and words of the nearest, shape (asked, kept)."""
        shape = len(self._own), self._kept
        precision = np.float32 if self.kind == "cosine" else np.float64
        return np.full(shape, -np.inf, dtype=precision), np.full(shape, -1, dtype=np.int64)

    def add(self, state: tuple[Floats, Ints], start: int, similarities: Floats) -> None:
        """Merge the block's nearest words into those so far."""
        from evaluator.engine.kernels import keep_nearest

        keep_nearest(similarities, self._rows, start, self._own, *state)

    def of_baseline(self, baseline: Circle | SpellingSimilarities) -> tuple[Floats, Ints]:
        """The same of few words; they are in order, and so their similarities are not compared."""
        words = baseline.around(self._rows, self._kept)
        order = np.lexsort((words, -self._exactly(np.arange(len(words)), words)), axis=1)
        nearest = np.take_along_axis(words, order[:, : self._kept], 1)
        return np.broadcast_to(-np.arange(nearest.shape[1], dtype=np.float32), nearest.shape), nearest

    def scored(self, states: Sequence[tuple[Floats, Ints]]) -> list[Subscore]:
        """Hits per category out of n·k."""
        if not self.categories:  # there may be no word that could be near
            return []
        values, words = map(np.hstack, zip(*states, strict=True))
        k = self._measure.k
        needed = min(k + 1, self._kept)  # the next word moves up if one of the k is taken away

        def at_least(rows: Ints, least: Floats) -> list[npt.NDArray[np.intp]] | None:
            return self._similarities.at_least(self._rows[rows], least)

        nearest = best_first(
            *(values, words, needed, self._kept, self.vocabulary),
            *(_UNSURE[self._measure.distance], self._exactly, at_least),
        )
        self._test_words = {
            row: word
            for category in self.categories
            for row, word in zip(category.vocabulary_rows.tolist(), category.words, strict=False)
            if row >= 0
        }
        return [self._subscore(category, nearest[:, :needed]) for category in self.categories]

    def _subscore(self, category: FoundCategory, nearest: Ints) -> Subscore:
        k, n = self._measure.k, category.size
        own = nearest[np.searchsorted(self._rows, category.rows)]
        member = np.isin(own, category.known)
        hits = np.zeros(n, dtype=np.int64)
        hits[: category.usable] = member[:, :k].sum(axis=1)
        lost, outside = self._moves(category, own, member)
        lost_of = list(map(lost.__getitem__, category.observations))
        without = (hits.sum() - hits - lost_of) / (max(n - 1, 1) * k)
        value = int(hits.sum()) / (n * k)
        return of_category(
            category,
            value,
            jackknife_pseudovalues(value, without),
            hits=int(hits.sum()),
            trials=n * k,
            ceiling=self._measure.ceiling(category),
            chance=self._measure.chance(category, self.vocabulary),
            outside=outside,
            shares=hits / k,
        )

    def _moves(
        self, category: FoundCategory, own: Ints, member: Bools
    ) -> tuple[Counter[str], dict[str, float]]:
        """What changes without a neighbour, as the next one moves up: hits lost, and shares."""
        k = self._measure.k
        lost, outside = Counter[str](), dict[str, float]()
        moves_up = member[:, k:].any(axis=1, keepdims=True)
        for word, place in np.argwhere(member[:, :k] != moves_up).tolist():
            neighbour = self._test_words.get(int(own[word, place]))
            if neighbour is not None and member[word, place]:
                lost[neighbour] += 1
            elif neighbour is not None:
                outside[neighbour] = outside.get(neighbour, 0.0) - 1 / (category.size * k)
        return lost, outside

    def _exactly(self, rows: Ints, words: Ints) -> npt.NDArray[np.float64]:
        """Similarities in double precision; a word is not its own neighbour."""
        similar = self._similarities.exactly(self._rows[rows], words)
        return np.where(words == self._own[rows, None], -np.inf, similar)
