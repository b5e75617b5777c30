"""Synonym detection: which of several words means the same as a given one?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import Category, TestSet
from evaluator.engine.similarities import Doubles, in_double_precision, unit_rows
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import (
    Evaluation,
    ImmediateEvaluation,
    Measure,
    Subscore,
    TestSetField,
    jackknife_pseudovalues,
)
from evaluator.settings import Settings

_NEEDED = 2
_TIE = 2.0**-40  # cosines in double precision that differ by no more are equal


@dataclass(frozen=True)
class SynonymDetection(Measure):
    """How often a word is nearer to its synonym than to k other words, as `SynonymDetection@3`.

    The test of Landauer & Dumais 1997, "A solution to Plato's problem": a word, its synonym, three others.
    Synonyms are the words of one item, such as a label and an alias; the others are words of the other items
    of the category. Nothing is drawn: if m of N others have a lower cosine with the word than its synonym
    has, the synonym is the nearest in `C(m,k)/C(N,k)` of all choices of k others. A tie is a miss. The score
    of an item is the mean over all ordered pairs of its words, that of a category the mean over its items
    with two words or more. The chance level is 1/(k+1).

    With `oov=wrong`, a pair with an OOV word is a miss, and a choice with one, too; with `oov=skip`, OOV
    words are left out.

    Attributes:
        k: How many others.
    """

    scores: ClassVar[TestSetField] = "categories"
    counted: ClassVar[str] = "items"

    k: int = 3

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:
        """Score the categories one by one; only the vectors of their words are needed."""
        found = [_Synonyms(each, lookup, settings) for each in test_set.categories]
        subscores = [each.subscore(self.k, lookup.queries) for each in found]
        return ImmediateEvaluation(subscores, known=any(each.known.any() for each in found))


class _Synonyms:
    """The words of a category that count, by item; `asked` are the items that have two words or more."""

    def __init__(self, category: Category, lookup: VocabularyLookup, settings: Settings) -> None:
        """Look up the words; one that several items have is the first one's."""
        item_of: dict[str, str] = {}
        for item in category.items:
            for word in lookup.normalized_words(item.words):
                item_of.setdefault(word, item.id)
        rows = lookup.query_rows(item_of)
        self.name = category.name
        every = np.array(list(item_of.values()), dtype=object)
        _, with_synonym = self._numbered(every)
        counts = rows >= 0 if settings.oov == "skip" else np.ones(len(rows), dtype=bool)
        self.size = len(with_synonym)
        self.oov = self.size - len(self._numbered(every[rows >= 0])[1])
        self.of_word = every[counts]
        self.ids = tuple(dict.fromkeys(self.of_word))
        self.item, self.asked = self._numbered(self.of_word)
        self.rows = rows[counts]
        self.known = self.rows >= 0

    @staticmethod
    def _numbered(ids: npt.NDArray[np.object_]) -> tuple[npt.NDArray[np.intp], list[int]]:
        """The number of each word's item, in the order of the words, and the items with two or more."""
        number = {each: n for n, each in enumerate(dict.fromkeys(ids))}
        item = np.array([number[each] for each in ids], dtype=np.intp)
        return item, np.flatnonzero(np.bincount(item, minlength=1) > 1).tolist()

    def _why_not(self, k: int) -> str | None:
        if len(self.asked) < _NEEDED:
            return f"items with two words or more: {len(self.asked)}, {_NEEDED} needed"
        sizes = np.bincount(self.item)
        others = len(self.item) - max(sizes[each] for each in self.asked)
        return f"{others} words of other items, {k} needed" if others < k else None

    def subscore(self, k: int, queries: Doubles) -> Subscore:
        """The score with its pseudo-values: each item is left out once, its questions and as another word."""
        reason = self._why_not(k)
        if reason is not None:
            return Subscore.of(self.name, self.size, self.oov, skipped=reason)
        vectors = np.zeros((len(self.rows), queries.shape[1]))
        vectors[self.known] = unit_rows(in_double_precision(queries, self.rows[self.known]))
        shares = np.array([self._shares(item, k, vectors) for item in self.asked])
        value = float(shares[:, -1].mean())
        asked = np.zeros((len(self.asked), len(self.ids)))
        asked[np.arange(len(self.asked)), self.asked] = 1
        without = (shares[:, :-1] * (1 - asked)).sum(axis=0) / (1 - asked).sum(axis=0)
        ceiling = float(np.mean([self._ceiling(item, k) for item in self.asked]))
        return Subscore.of(
            self.name,
            self.size,
            self.oov,
            value,
            self.ids,
            jackknife_pseudovalues(value, without),
            unknown=set(self.ids).difference(itertools.compress(self.of_word, self.known)),
            ceiling=ceiling,
            chance=ceiling / (k + 1),
        )

    def _shares(self, item: int, k: int, vectors: Doubles) -> Doubles:
        """The score of an item without each item as others, and with all; shape (items + 1,)."""
        own = np.flatnonzero(self.item == item)
        others = self.item != item
        sizes = np.append(np.bincount(self.item * others, others, len(self.ids)), 0)
        total = np.zeros(len(self.ids) + 1)
        for cosines, synonym in self._known_pairs(own, vectors):
            lower = others & self.known & (cosines < cosines[synonym] - _TIE)
            of_items = np.append(np.bincount(self.item * lower, lower, len(self.ids)), 0)
            total += _share_of_choices(lower.sum() - of_items, others.sum() - sizes, k)
        return np.asarray(total / (len(own) * (len(own) - 1)))

    def _known_pairs(self, own: npt.NDArray[np.intp], vectors: Doubles) -> Iterator[tuple[Doubles, int]]:
        """For each ordered pair of an item's known words, the cosines of the first, and the second."""
        known = own[self.known[own]].tolist()
        for word in known:
            cosines = vectors @ vectors[word]
            yield from ((cosines, synonym) for synonym in known if synonym != word)

    def _ceiling(self, item: int, k: int) -> float:
        """The best that an item can reach: below 1 where OOV words are misses."""
        own, others = self.item == item, self.item != item
        known, n = int(self.known[own].sum()), int(own.sum())
        share = _share_of_choices((others & self.known).sum(), others.sum(), k)
        return known * (known - 1) / (n * (n - 1)) * float(share)


def _share_of_choices(some: npt.ArrayLike, every: npt.ArrayLike, k: int) -> Doubles:
    """C(some, k) / C(every, k): the share of choices of k from all that take only some; 0 below k."""
    some, every = np.asarray(some, dtype=np.float64), np.asarray(every, dtype=np.float64)
    steps = np.arange(k).reshape(-1, *[1] * some.ndim)
    return np.asarray(np.prod(np.maximum(some - steps, 0) / np.maximum(every - steps, 1), axis=0))
