"""Tasks: what in a test set can be probed, on which items, and how.

A probe cannot learn from nothing: an item with an OOV word is left out, whatever the setting for OOV, and is
counted. If several embeddings are probed, it is left out if any of them lacks the word, so that all have the
same items and the same splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evaluator.plugins import AnalogySection, LabelledTexts, RatedPairs, TestSet, VocabularyLookup
from evaluator.plugins.probes.analogy import RELATION_MODELS, analogy
from evaluator.plugins.probes.curves import Probe
from evaluator.plugins.probes.learners import (
    SENTENCE_MODELS,
    SIMILARITY_MODELS,
    WORD_MODELS,
    ProbeModel,
)
from evaluator.plugins.probes.splits import Rows
from evaluator.plugins.probes.vector_probes import mean_vectors, membership, sentences, similarity

Singles = npt.NDArray[np.float32]
TaskName = Literal["membership", "similarity", "relation", "sentences"]

LEAST = 5
"""A class with fewer items is left out; of as many, one is test data and four are training data."""

WORDS = "all categories"
"""The name of the only items of membership."""


@dataclass(frozen=True)
class ProbeItems:
    """The items of one category set, section, list of pairs or set of texts.

    `words` and `labels` are of each item that can be probed; of the others, `oov` lack a vector.
    """

    name: str
    size: int
    oov: int
    words: tuple[tuple[str, ...], ...] = ()
    labels: tuple[Hashable, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    skipped: str | None = None


class SharedVocabulary:
    """The words that several embeddings have in common."""

    def __init__(self, lookups: Sequence[VocabularyLookup]) -> None:
        self.embeddings = tuple(Embedding(lookup, self) for lookup in lookups)
        self._lookups = lookups

    def normalized(self, word: str) -> str | None:
        """The normalized form of a test word; None if the settings leave it out."""
        return self._lookups[0].normalized(word)

    def known(self, words: Iterable[str]) -> frozenset[str]:
        """Which normalized words have a vector in all embeddings."""
        return frozenset(
            word
            for word in dict.fromkeys(words)
            if all(lookup.find(word) is not None for lookup in self._lookups)
        )

    def in_vocabularies(self, words: Iterable[str]) -> frozenset[str]:
        """Which normalized words are in all vocabularies; words whose vector is built are not."""
        known = tuple(dict.fromkeys(words))
        for embedding in self.embeddings:
            rows = embedding.rows(known).tolist()
            known = tuple(word for word, row in zip(known, rows, strict=True) if row >= 0)
        return frozenset(known)

    @cached_property
    def vocabulary(self) -> dict[str, int] | None:
        """Numbers of the words in all vocabularies, in the order of the first; None for one embedding."""
        first, *others = (lookup.vectors for lookup in self._lookups)
        if not others:
            return None
        words = (word for word in first.words if all(word in other.index for other in others))
        return {word: row for row, word in enumerate(words)}


class Embedding:
    """One embedding, reduced to the words that all have in common."""

    def __init__(self, lookup: VocabularyLookup, shared: SharedVocabulary) -> None:
        self.name = lookup.vectors.name
        self._lookup = lookup
        self._shared = shared

    def of(self, words: Iterable[str]) -> Singles:
        """The vectors of words that have one in all embeddings, shape (n, d)."""
        rows = self._lookup.query_rows(words)
        return self._lookup.queries[rows]

    def matrix(self) -> Singles:
        """The vectors of the shared vocabulary, shape (v, d)."""
        common, vectors = self._shared.vocabulary, self._lookup.vectors
        return vectors.matrix if common is None else vectors.matrix[[vectors.index[word] for word in common]]

    def rows(self, words: Iterable[str]) -> Rows:
        """The rows of words in `matrix`; -1 for words that are not in the shared vocabulary."""
        query_rows = self._lookup.query_rows(words)
        own = np.full(len(query_rows), -1, np.intp)
        own[query_rows >= 0] = self._lookup.vocabulary_rows[query_rows[query_rows >= 0]]
        common, names = self._shared.vocabulary, self._lookup.vectors.words
        if common is None:
            return own
        return np.array([-1 if row < 0 else common.get(names[row], -1) for row in own.tolist()], np.intp)


@dataclass(frozen=True)
class ProbeTask:
    """A kind of probe: for what in a test set it is, how items are found, and how they are probed."""

    name: TaskName
    scores: Literal["categories", "rated_pairs", "sections", "labelled_texts"]
    counted: str
    all_models: tuple[ProbeModel, ...] = field(repr=False)
    items: Callable[[Any, SharedVocabulary], ProbeItems] = field(repr=False)
    function: Callable[..., Probe] = field(repr=False)
    data: Callable[[ProbeItems, Embedding], tuple[object, ...]] = field(repr=False)

    def run(self, items: ProbeItems, embedding: Embedding, models: Sequence[str], **how: object) -> Probe:
        """Probe items in one embedding with some of the models."""
        chosen = [model for model in self.all_models if model.name in models]
        return self.function(*self.data(items, embedding), models=chosen, **how)

    def find(self, test_set: TestSet, shared: SharedVocabulary) -> list[ProbeItems]:
        """The items of each list of a test set; of all categories together."""
        lists = [test_set] if self.scores == "categories" else getattr(test_set, self.scores)
        return [self.items(each, shared) for each in lists]

    @property
    def models(self) -> tuple[str, ...]:
        """The names of all models."""
        return tuple(model.name for model in self.all_models)

    @property
    def baselines(self) -> tuple[str, ...]:
        """The names of the models that learn nothing."""
        return tuple(model.name for model in self.all_models if model.kind == "constant")


def _members(test_set: TestSet, shared: SharedVocabulary) -> ProbeItems:
    """Words of all categories, each with its category; in a hierarchy, the lowest one."""
    inside: dict[str, set[str]] = {}
    within = {category.name: category.within for category in test_set.categories}
    for category in test_set.categories:
        for word in category.words:
            normalized = shared.normalized(word)
            if normalized is not None:
                inside.setdefault(normalized, set()).add(category.name)
    lowest = {word: _lowest(names, within) for word, names in inside.items()}
    alone = {word: next(iter(names)) for word, names in lowest.items() if len(names) == 1}
    known = shared.known(inside)
    found = [((word,), name) for word, name in alone.items() if word in known]
    ambiguous = sum(word in known for word in inside if word not in alone)
    left_out = {"in several categories": ambiguous} if ambiguous else {}
    return _classes(WORDS, len(inside), len(inside) - len(known), found, left_out, "categories")


def _lowest(names: set[str], within: Mapping[str, str | None]) -> set[str]:
    """Categories without those that contain others of them."""
    above: set[str] = set()
    for name in names:
        holder = within[name]
        while holder is not None and holder not in above:
            above.add(holder)
            holder = within.get(holder)
    return names - above


def _of_texts(texts: LabelledTexts, shared: SharedVocabulary) -> ProbeItems:
    """Texts with those of their words that have vectors, as often as they occur."""
    different = list(dict.fromkeys(texts.texts))
    normalized = {word: shared.normalized(word) for _, words in different for word in words}
    known = shared.known(word for word in normalized.values() if word is not None)
    found = [
        (tuple(word for word in map(normalized.get, words) if word is not None and word in known), label)
        for label, words in different
    ]
    usable = [(words, label) for words, label in found if words]
    return _classes(texts.name, len(found), len(found) - len(usable), usable, {}, "labels")


def _classes(
    name: str,
    size: int,
    oov: int,
    found: Sequence[tuple[tuple[str, ...], str]],
    left_out: Mapping[str, int],
    what: str,
) -> ProbeItems:
    """Items of the classes that have enough of them."""
    counts = Counter(label for _, label in found)
    enough = {label for label, count in counts.items() if count >= LEAST}
    kept = [(words, label) for words, label in found if label in enough]
    few = len(found) - len(kept)
    reasons = {**left_out, **({f"in {what} with fewer than {LEAST}": few} if few else {})}
    if len(enough) < 2:
        reason = f"{len(enough)} of its {what} with {LEAST} items that have vectors, 2 needed"
        return ProbeItems(name, size, oov, left_out=reasons, skipped=reason)
    words, labels = zip(*kept, strict=True)
    return ProbeItems(name, size, oov, tuple(words), tuple(labels), reasons)


def _of_pairs(rated: RatedPairs, shared: SharedVocabulary) -> ProbeItems:
    """Rated pairs; a pair that occurs again, in either order, has the mean of its ratings.

    Otherwise the same pair could be in training and test data.
    """
    ratings: dict[frozenset[str], list[float]] = {}
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for first, second, rating in rated.pairs:
        one, other = shared.normalized(first), shared.normalized(second)
        if one is not None and other is not None:
            pairs.setdefault(frozenset((one, other)), (one, other))
            ratings.setdefault(frozenset((one, other)), []).append(rating)
    known = shared.known(word for pair in pairs.values() for word in pair)
    kept = {key: pair for key, pair in pairs.items() if known.issuperset(pair)}
    labels = tuple(sum(ratings[key]) / len(ratings[key]) for key in kept)
    few = _too_few(len(kept), 3 * LEAST)
    return ProbeItems(
        rated.name, len(pairs), len(pairs) - len(kept), tuple(kept.values()), labels, skipped=few
    )


def _of_section(section: AnalogySection, shared: SharedVocabulary) -> ProbeItems:
    """Pairs of words in the vocabulary; of several correct answers the first one in it."""
    normalized = [
        (word, tuple(filter(None, map(shared.normalized, answers))))
        for word, answers in ((shared.normalized(word), answers) for word, answers in section.pairs)
        if word is not None
    ]
    different = list(dict.fromkeys(normalized))
    known = shared.in_vocabularies(each for word, answers in different for each in (word, *answers))
    pairs = [
        (word, next((answer for answer in answers if answer in known), None)) for word, answers in different
    ]
    kept = tuple((word, answer) for word, answer in pairs if word in known and answer is not None)
    pairs_kept, few = tuple(dict.fromkeys(kept)), _too_few(len(set(kept)), 2 * LEAST)
    return ProbeItems(section.name, len(different), len(different) - len(kept), pairs_kept, skipped=few)


def _too_few(pairs: int, needed: int) -> str | None:
    """Why pairs cannot be divided: a fifth of them must be enough test data, three ratings or two pairs."""
    return f"{pairs} pairs have vectors, {needed} needed" if pairs < needed else None


def _of_words(items: ProbeItems, embedding: Embedding) -> tuple[object, ...]:
    return embedding.of(word for (word,) in items.words), items.labels


def _of_means(items: ProbeItems, embedding: Embedding) -> tuple[object, ...]:
    row = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(items.words)))}
    texts = [[row[word] for word in text] for text in items.words]
    return mean_vectors(embedding.of(row), texts), items.labels


def _of_both(items: ProbeItems, embedding: Embedding) -> tuple[object, ...]:
    first, second = (embedding.of(side) for side in zip(*items.words, strict=True))
    return first, second, np.array(items.labels, np.float64)


def _rows_of_pairs(items: ProbeItems, embedding: Embedding) -> tuple[object, ...]:
    rows = [embedding.rows(side) for side in zip(*items.words, strict=True)]
    return embedding.matrix(), np.stack(rows, axis=1)


TASKS: Mapping[TaskName, ProbeTask] = {
    task.name: task
    for task in (
        ProbeTask("membership", "categories", "words", WORD_MODELS, _members, membership, _of_words),
        ProbeTask("similarity", "rated_pairs", "pairs", SIMILARITY_MODELS, _of_pairs, similarity, _of_both),
        ProbeTask("relation", "sections", "pairs", RELATION_MODELS, _of_section, analogy, _rows_of_pairs),
        ProbeTask("sentences", "labelled_texts", "texts", SENTENCE_MODELS, _of_texts, sentences, _of_means),
    )
}
"""All tasks; the first one that a test set is suitable for is the default."""
