"""The aligned view: the same things in all languages, in vocabularies that hold the same number of words.

Test sets of different languages name different things, and vocabularies know different ones of them. Here a
category consists of those items alone that all languages name and all vocabularies contain, one word each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.results.comparison import AlignedItem, AlignedItems
from evaluator.studies.languages.entries import Compared
from evaluator.studies.languages.known import Known
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
        size: How many words each vocabulary holds, where these are cut to one size.
        skipped: Why they are not compared, if they are not.
    """

    category: str
    named: int
    items: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    size: int | None = None
    skipped: str | None = None

    def record(self) -> AlignedItems:
        """What the result file holds of them."""
        items = (
            AlignedItem(item, {code: words[number] for code, words in self.words.items()})
            for number, item in enumerate(self.items)
        )
        return AlignedItems(self.category, self.named, tuple(items), self.skipped)


def align(languages: Sequence[Known], name: str, least: int, cut: int | None = None) -> Concepts:
    """The items of a category that all languages name and all vocabularies contain.

    Neighbours and odd words are sought among the words that are not in the category: its other words belong
    to it, and are neither the right neighbours nor odd. As languages differ in how many these are, the sizes
    of vocabularies differ again without them; with `cut` all are brought to the size of the smallest.

    Args:
        languages: All that are compared.
        name: Of the category.
        least: With fewer items there is no comparison.
        cut: To how many of their most frequent words all vocabularies are cut; None to leave them whole.
    """
    without = [language.code for language in languages if name not in language.categories]
    if without:
        return Concepts(name, 0, (), {}, skipped=f"not in the test set of {', '.join(without)}")
    named = frozenset.intersection(*(language.categories[name].items for language in languages))
    chosen = {each.code: _words_of_items(each, name, _size(each, cut)) for each in languages}
    known = sorted(item for item in named if all(item in own for own in chosen.values()))
    if len(known) < least:
        why = f"{len(known)} items that all name and know, {least} needed"
        return Concepts(name, len(named), tuple(known), _words(chosen, known), skipped=why)
    sizes = (
        _size_without_others(each, name, _size(each, cut), [chosen[each.code][item][1] for item in known])
        for each in languages
    )
    size = None if cut is None else min(sizes)
    return Concepts(name, len(named), tuple(known), _words(chosen, known), size)


def test_set_of(language: Compared, concepts: Concepts) -> TestSet:
    """A test set of a language with these items and nothing else, one word each."""
    pairs = zip(concepts.items, concepts.words[language.code], strict=True)
    category = Category(
        concepts.category, concepts.category, tuple(Item(item, (word,)) for item, word in pairs)
    )
    return TestSet(language.test_set.language, language.test_set.name, language.test_set.sha256, (category,))


def vocabulary_of(language: Compared, concepts: Concepts, cut: int | None = None) -> Vectors:
    """The vocabulary in which neighbours and odd words of a category are sought; see `align`.

    Where it has more words than it may hold, the least frequent ones outside the category go.
    """
    vectors = language.vectors if cut is None else language.vectors.restrict(cut)
    index, items = vectors.index, concepts.words[language.code]
    category = next(each for each in language.test_set.categories if each.name == concepts.category)
    others = sorted(index[word] for word in set(category.words) - set(items) if word in index)
    rows = np.setdiff1d(np.arange(len(vectors)), np.array(others, dtype=np.intp), assume_unique=True)
    if concepts.size is not None:
        keep = np.array([index[word] for word in items], dtype=np.intp)
        rows = _without_the_rarest(rows, len(rows) - concepts.size, keep)
    return _select(vectors, rows)


_Words = Mapping[str, tuple[str, int]]


def _size(language: Known, cut: int | None) -> int:
    return language.size if cut is None else min(cut, language.size)


def _words_of_items(language: Known, name: str, size: int) -> _Words:
    """For each item its first word that the vocabulary has and that is no other item's word, and its row."""
    words = language.categories[name].words.items()
    usable = ((item, [pair for pair in pairs if pair[1] < size]) for item, pairs in words)
    return {item: pairs[0] for item, pairs in usable if pairs}


def _size_without_others(language: Known, name: str, size: int, chosen: Iterable[int]) -> int:
    """How many words are left of a vocabulary without the other words of the category."""
    others = language.categories[name].rows - set(chosen)
    return size - sum(row < size for row in others)


def _words(chosen: Mapping[str, _Words], items: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {code: tuple(own[item][0] for item in items) for code, own in chosen.items()}


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
