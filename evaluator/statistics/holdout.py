"""Two halves of a test set: one to choose a model by, the other to say how good the choice is."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.text.normalization import Form, as_is
from evaluator.vectors import Vectors


@dataclass(frozen=True)
class Half:
    """One half of the items of each category.

    Attributes:
        test_set: Its items only.
        others: The words of the other half, in compared form. They belong to the same categories, so that
            they may be neither outliers nor wrong neighbours here, and are to be taken out of the vocabulary.
    """

    test_set: TestSet
    others: frozenset[str]

    def vocabulary(self, vectors: Vectors) -> Vectors:
        """The vectors without the words of the other half, words being in compared form already."""
        kept = [row for row, word in enumerate(vectors.words) if word not in self.others]
        if len(kept) == len(vectors):
            return vectors
        return replace(vectors, words=[vectors.words[row] for row in kept], matrix=vectors.matrix[kept])


def halves(
    test_set: TestSet, seed: int = 0, form: Form = as_is, known: Container[str] | None = None
) -> tuple[Half, Half]:
    """Divide the items of a test set's categories into two halves.

    An item that is in several categories, and items that share a word, are in the same half in all of them,
    so that nothing of the second half has been seen in the first. In the order of a hash of their ids, items
    go where their categories have fewer so far, which makes halves that differ by little more than one item.

    Args:
        test_set: Its categories are divided; everything else is left out.
        seed: Another seed makes other halves.
        form: What brings words into compared form: words that are compared as the same are the same.
        known: Words, in compared form, of which each half is to have as many; all if None.
    """
    groups = _groups(test_set, form)
    categories: Mapping[str, list[str]] = _categories_of(test_set)
    sizes: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    half_of: dict[str, int] = {}
    words_of: defaultdict[str, set[str]] = defaultdict(set)
    for item in _items(test_set):
        words_of[item.id].update(map(form, item.words))

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
    first, second = (_part(test_set, half_of, half) for half in (0, 1))
    return Half(first, words[1]), Half(second, words[0])


def _groups(test_set: TestSet, form: Form) -> list[set[str]]:
    """Ids of items that share words, one way or another."""
    group_of: dict[str, set[str]] = {}
    holder: dict[str, str] = {}
    for item in _items(test_set):
        own = group_of.setdefault(item.id, {item.id})
        for word in map(form, item.words):
            other = group_of[holder.setdefault(word, item.id)]
            if other is not own:
                own |= other
                group_of |= dict.fromkeys(other, own)
    return list({id(group): group for group in group_of.values()}.values())


def _items(test_set: TestSet) -> Iterable[Item]:
    return (item for category in test_set.categories for item in category.items)


def _categories_of(test_set: TestSet) -> Mapping[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for category in test_set.categories:
        for item in category.items:
            found[item.id].append(category.name)
    return found


def _hash(seed: int, text: str) -> bytes:
    return hashlib.blake2b(f"{seed} {text}".encode(), digest_size=8).digest()


def _part(test_set: TestSet, half_of: Mapping[str, int], half: int) -> TestSet:
    categories = (
        replace(category, items=tuple(item for item in category.items if half_of[item.id] == half))
        for category in test_set.categories
    )
    kept: tuple[Category, ...] = tuple(category for category in categories if category.items)
    name = f"{test_set.name}, {('first', 'second')[half]} half"
    return TestSet(test_set.language, name, test_set.sha256, kept, named_in=test_set.named_in)
