"""What a vocabulary has of the categories: all that is asked of it to find what languages have in common.

It is small, where vectors are not: so languages can be looked at one by one, by several processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.datasets.testset import Category
from evaluator.studies.languages.entries import Compared


@dataclass(frozen=True)
class KnownCategory:
    """A category, and where a vocabulary has its words.

    Attributes:
        items: The ids of all its items.
        words: By item, its words that the vocabulary has and that are no other item's, with their rows.
        rows: The rows of all its words.
    """

    items: frozenset[str]
    words: Mapping[str, tuple[tuple[str, int], ...]]
    rows: frozenset[int]


@dataclass(frozen=True)
class Known:
    """A language.

    Attributes:
        code: Its code.
        size: How many words its vocabulary has, in compared form.
        categories: Those it has, by name.
    """

    code: str
    size: int
    categories: Mapping[str, KnownCategory]


def known_of(language: Compared) -> Known:
    """Look the words of all categories up."""
    categories = {each.name: _category(each, language.vectors.index) for each in language.test_set.categories}
    return Known(language.code, len(language.vectors), categories)


def _category(category: Category, index: Mapping[str, int]) -> KnownCategory:
    owners = Counter(word for item in category.items for word in item.words)
    found = {
        item.id: tuple((word, index[word]) for word in item.words if word in index and owners[word] == 1)
        for item in category.items
    }
    return KnownCategory(
        frozenset(found),
        {item: words for item, words in found.items() if words},
        frozenset(index[word] for word in category.words if word in index),
    )
