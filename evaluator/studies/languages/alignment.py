"""The aligned view: the same items in all languages, in vocabularies of the same size.

Test sets of different languages name different items, and vocabularies have different ones of them. In this
view a category consists of the items that all languages name and all vocabularies have, with one word each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from msgspec import structs

from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.results.comparison import AlignedCategory
from evaluator.studies.languages.inputs import Language
from evaluator.vectors import Vectors

Ints = npt.NDArray[np.intp]


@dataclass(frozen=True)
class KnownCategory:
    """A category: all its items, the words of each that a vocabulary has and no other item, and rows."""

    items: frozenset[str]
    words: Mapping[str, tuple[tuple[str, int], ...]]
    rows: frozenset[int]


@dataclass(frozen=True)
class KnownWords:
    """The words of the categories that a vocabulary has.

    This is small, while vectors are not: so each language can be read by another process. The size is that of
    its vocabulary, with normalized words.
    """

    code: str
    size: int
    categories: Mapping[str, KnownCategory]


def known_words(language: Language) -> KnownWords:
    """Look up the words of all categories."""
    index = language.loaded.index
    categories = {each.name: _known_category(each, index) for each in language.test_set.categories}
    return KnownWords(language.code, len(language.loaded), categories)


def _known_category(category: Category, index: Mapping[str, int]) -> KnownCategory:
    items_of_word = Counter(word for item in category.items for word in item.words)
    words = {
        item.id: tuple(
            (word, index[word]) for word in item.words if word in index and items_of_word[word] == 1
        )
        for item in category.items
    }
    return KnownCategory(
        frozenset(words),
        {item: own for item, own in words.items() if own},
        frozenset(index[word] for word in category.words if word in index),
    )


def align(languages: Sequence[KnownWords], name: str, least: int, cut: int | None = None) -> AlignedCategory:
    """Find the items of a category that all languages name and all vocabularies have."""
    # Other words of the category leave the vocabulary: they belong to it, so they are neither wrong
    # neighbours nor odd words. As their number differs between languages, so does the size of vocabularies
    # without them; with `cut`, all get the size of the smallest.
    without = [language.code for language in languages if name not in language.categories]
    if without:
        return AlignedCategory(name, 0, skipped=f"not in the test set of {', '.join(without)}")
    named = frozenset.intersection(*(language.categories[name].items for language in languages))
    sizes = {each.code: min(cut or each.size, each.size) for each in languages}
    chosen = {
        each.code: {
            item: usable[0]
            for item, pairs in each.categories[name].words.items()
            if (usable := [pair for pair in pairs if pair[1] < sizes[each.code]])
        }
        for each in languages
    }
    known = sorted(item for item in named if all(item in own for own in chosen.values()))
    words = {code: tuple(own[item][0] for item in known) for code, own in chosen.items()}
    found = AlignedCategory(name, len(named), tuple(known), words)
    if len(known) < least:
        return structs.replace(found, skipped=f"{len(known)} items that all name and know, {least} needed")

    def size_without_others(language: KnownWords) -> int:
        own, size = {chosen[language.code][item][1] for item in known}, sizes[language.code]
        return size - sum(row < size for row in language.categories[name].rows - own)

    return found if cut is None else structs.replace(found, size=min(map(size_without_others, languages)))


def aligned_test_set(language: Language, aligned: AlignedCategory) -> TestSet:
    """A test set with nothing but these items, one word each."""
    pairs = zip(aligned.items, aligned.words[language.code], strict=True)
    items = tuple(Item(item, (word,)) for item, word in pairs)
    own = language.test_set
    categories = (Category(aligned.category, aligned.category, items),)
    return TestSet(own.language, own.name, own.sha256, categories, inputs=own.inputs)


def aligned_vocabulary(language: Language, aligned: AlignedCategory, cut: int | None = None) -> Vectors:
    """The vocabulary that a category is scored with, cut to the common size; see `align`."""
    vectors = language.loaded if cut is None else language.loaded.restrict(cut)
    index, items = vectors.index, aligned.words[language.code]
    category = next(each for each in language.test_set.categories if each.name == aligned.category)
    others = sorted(index[word] for word in set(category.words) - set(items) if word in index)
    rows = np.setdiff1d(np.arange(len(vectors)), np.array(others, dtype=np.intp), assume_unique=True)
    if aligned.size is not None:
        keep = np.array([index[word] for word in items], dtype=np.intp)
        rows = _without_rarest(rows, len(rows) - aligned.size, keep)
    return _select(vectors, rows)


def _without_rarest(rows: Ints, number: int, keep: Ints) -> Ints:
    if not number:
        return rows
    free = rows[~np.isin(rows, keep)]
    return np.setdiff1d(rows, free[-number:], assume_unique=True)


def _select(vectors: Vectors, rows: Ints) -> Vectors:
    """The vectors of some rows; the matrix is a view if these are the first ones."""
    if len(rows) == rows[-1] + 1:
        return replace(vectors.restrict(len(rows)), subword=None)
    words = [vectors.words[row] for row in rows]
    return replace(vectors, words=words, matrix=vectors.matrix[rows], subword=None)
