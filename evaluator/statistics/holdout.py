"""The two halves of a test set: the selection half chooses a model, the held-out half says how good it is."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

import numpy as np

from evaluator.datasets.testset import Category, TestSet, with_words
from evaluator.text.normalization import Normalizer, unchanged
from evaluator.vectors import Vectors


@dataclass(frozen=True)
class TestSetHalf:
    """Half of the items of each category, and the normalized words of the other half.

    These belong to the same categories, so they must be neither outliers nor wrong neighbours here, and leave
    the vocabulary.
    """

    __test__ = False  # pytest would otherwise collect a class named Test…

    test_set: TestSet
    excluded: frozenset[str]

    def vocabulary(self, vectors: Vectors) -> Vectors:
        """The vectors without the words of the other half; the words must be normalized."""
        return vectors.select(np.array([word not in self.excluded for word in vectors.words]))


def split_in_halves(
    test_set: TestSet, seed: int = 0, normalize: Normalizer = unchanged, known: Container[str] | None = None
) -> tuple[TestSetHalf, TestSetHalf]:
    """Divide the items of a test set's categories into two halves.

    An item of several categories is in the same half in all of them, and so are items that share a word: so
    no word of the second half is in the first. Items are taken in the order of a hash of their ids, and go to
    the half in which their categories have fewer items so far; the sizes differ by little more than one item.
    Each half gets as many items with one of the known, normalized words. Related words, whose groups hang
    together, are divided one by one: those of categories as there, the others by a hash. What is neither a
    category nor a group of related words is left out.
    """
    groups = _groups(test_set, normalize)
    categories: defaultdict[str, list[str]] = defaultdict(list)
    sizes: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    half_of: dict[str, int] = {}
    words_of: defaultdict[str, set[str]] = defaultdict(set)
    for category in test_set.categories:
        for item in category.items:
            categories[item.id].append(category.name)
            words_of[item.id].update(map(normalize, item.words))

    def order(ids: set[str]) -> tuple[bool, bytes]:
        found = known is None or any(word in known for each in ids for word in words_of[each])
        return not found, _hash(seed, min(ids))

    for ids in sorted(groups, key=order):
        own = [name for each in ids for name in categories[each]]
        balance = sum(sizes[0][name] - sizes[1][name] for name in own)
        half = int(balance > 0) if balance else int(_hash(seed, min(ids))[-1] & 1)
        sizes[half].update(own)
        half_of |= dict.fromkeys(ids, half)
    words = [
        frozenset(word for each, own in words_of.items() if half_of[each] == half for word in own)
        for half in (0, 1)
    ]

    def own_half(word: str) -> int:
        form = normalize(word)
        of_categories = (half for half in (0, 1) if form in words[half])
        return next(of_categories, int(_hash(seed, form)[-1] & 1))

    first, second = (_items_of_half(test_set, half_of, half) for half in (0, 1))
    first = replace(first, groups=with_words(test_set.groups, lambda word: own_half(word) == 0))
    second = replace(second, groups=with_words(test_set.groups, lambda word: own_half(word) == 1))
    return TestSetHalf(first, words[1]), TestSetHalf(second, words[0])


def _groups(test_set: TestSet, normalize: Normalizer) -> list[set[str]]:
    """Ids of items that share words, directly or through other items."""
    group_of: dict[str, set[str]] = {}
    holder: dict[str, str] = {}
    for item in (item for category in test_set.categories for item in category.items):
        own = group_of.setdefault(item.id, {item.id})
        for word in map(normalize, item.words):
            other = group_of[holder.setdefault(word, item.id)]
            if other is not own:
                own |= other
                group_of |= dict.fromkeys(other, own)
    return list({id(group): group for group in group_of.values()}.values())


def _hash(seed: int, text: str) -> bytes:
    return hashlib.blake2b(f"{seed} {text}".encode(), digest_size=8).digest()


def _items_of_half(test_set: TestSet, half_of: Mapping[str, int], half: int) -> TestSet:
    categories = (
        replace(category, items=tuple(item for item in category.items if half_of[item.id] == half))
        for category in test_set.categories
    )
    kept: tuple[Category, ...] = tuple(category for category in categories if category.items)
    name = f"{test_set.name}, {('first', 'second')[half]} half"
    return TestSet(
        test_set.language, name, test_set.sha256, kept, named_in=test_set.named_in, inputs=test_set.inputs
    )
