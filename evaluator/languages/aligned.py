"""The aligned view: the same things in all languages, in vocabularies that hold the same number of words.

Test sets of different languages name different things, and vocabularies know different ones of them. Here a
category consists of those items alone that all languages name and all vocabularies contain, one word each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.languages.entries import Compared
from evaluator.testset import Category, Item, TestSet
from evaluator.vectors import Vectors

Ints = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Concepts:
    """The items of a category that languages are compared on.

    Attributes:
        category: Its name.
        named: How many items all languages name.
        items: The ids of those that all vocabularies contain too.
        words: The word of each of these, by language.
        skipped: Why they are not compared, if they are not.
    """

    category: str
    named: int
    items: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    skipped: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        each = (
            {"id": item, "words": {code: words[number] for code, words in self.words.items()}}
            for number, item in enumerate(self.items)
        )
        return {
            "category": self.category,
            "named": self.named,
            "items": list(each),
            "skipped": self.skipped,
        }


def cut_to_smallest(languages: Sequence[Compared]) -> list[Compared]:
    """As many of each language's most frequent words as the smallest vocabulary has."""
    smallest = min(len(language.vectors) for language in languages)
    return [replace(each, vectors=each.vectors.restrict(smallest)) for each in languages]


def align(languages: Sequence[Compared], name: str, least: int) -> Concepts:
    """The items of a category that all languages name and all vocabularies contain.

    Args:
        languages: All that are compared.
        name: Of the category.
        least: With fewer items there is no comparison.
    """
    categories = {language.code: language.category(name) for language in languages}
    without = [code for code, category in categories.items() if category is None]
    if without:
        return Concepts(name, 0, (), {}, f"not in the test set of {', '.join(without)}")
    first, *others = ({item.id for item in each.items} for each in categories.values() if each is not None)
    named = first.intersection(*others)
    words = {language.code: _words_of_items(language, name) for language in languages}
    known = sorted(item for item in named if all(item in own for own in words.values()))
    why = f"{len(known)} items that all name and know, {least} needed" if len(known) < least else None
    chosen = {code: tuple(own[item] for item in known) for code, own in words.items()}
    return Concepts(name, len(named), tuple(known), chosen, why)


def test_set_of(language: Compared, concepts: Concepts) -> TestSet:
    """A test set of a language with these items and nothing else, one word each."""
    pairs = zip(concepts.items, concepts.words[language.code], strict=True)
    category = Category(
        concepts.category, concepts.category, tuple(Item(item, (word,)) for item, word in pairs)
    )
    return TestSet(language.test_set.language, language.test_set.name, language.test_set.sha256, (category,))


def vocabularies(languages: Sequence[Compared], concepts: Concepts, same_size: bool) -> Iterator[Vectors]:
    """The vocabularies in which neighbours and odd words of a category are sought.

    All other words of the category are taken out: they belong to it, and are neither the right neighbours nor
    odd. As languages differ in how many these are, vocabularies may differ in size again; with `same_size`
    the least frequent words outside the category go too, until all are of one size.

    Args:
        languages: All that are compared.
        concepts: The items of the category.
        same_size: Whether to bring all to the size of the smallest.
    """
    rows = [_rows_without_others(language, concepts) for language in languages]
    if same_size:
        size = min(map(len, rows))
        rows = [
            _without_the_rarest(own, len(own) - size, _rows_of_items(language, concepts))
            for language, own in zip(languages, rows, strict=True)
        ]
    return (_select(language.vectors, own) for language, own in zip(languages, rows, strict=True))


def _words_of_items(language: Compared, name: str) -> dict[str, str]:
    """For each item its first word that the vocabulary has and that is no other item's word, by item id."""
    category = language.category(name)
    items = category.items if category is not None else ()
    owners = Counter(word for item in items for word in item.words)
    index = language.vectors.index
    usable = (
        (item.id, [word for word in item.words if word in index and owners[word] == 1]) for item in items
    )
    return {item: words[0] for item, words in usable if words}


def _rows_of_items(language: Compared, concepts: Concepts) -> Ints:
    index = language.vectors.index
    return np.array([index[word] for word in concepts.words[language.code]], dtype=np.intp)


def _rows_without_others(language: Compared, concepts: Concepts) -> Ints:
    """The rows of a vocabulary without those of other words of the category, in order."""
    category, index = language.category(concepts.category), language.vectors.index
    words = set(category.words if category is not None else ()) - set(concepts.words[language.code])
    others = np.array(sorted(index[word] for word in words if word in index), dtype=np.intp)
    return np.setdiff1d(np.arange(len(language.vectors)), others, assume_unique=True)


def _without_the_rarest(rows: Ints, number: int, keep: Ints) -> Ints:
    """Rows without the last ones that need not be kept."""
    if not number:
        return rows
    free = rows[~np.isin(rows, keep)]
    return np.setdiff1d(rows, free[-number:], assume_unique=True)


def _select(vectors: Vectors, rows: Ints) -> Vectors:
    """The words in some rows; the matrix is a view where these are the first ones."""
    if len(rows) == rows[-1] + 1:
        return replace(vectors.restrict(len(rows)), subword=None)
    words = [vectors.words[row] for row in rows]
    return replace(vectors, words=words, matrix=vectors.matrix[rows], subword=None)
