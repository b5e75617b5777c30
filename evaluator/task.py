"""A task: the words of a test set looked up in a vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluator.testset import Category, TestSet
from evaluator.vectors import Vectors

OOV = Literal["wrong", "skip"]
Case = Literal["exact", "fold"]

_TURKIC = ("tr", "az", "crh", "gag", "kk-latn", "kk-tr", "tt-latn")


@dataclass(frozen=True, eq=False)
class CategoryTask:
    """One category, looked up.

    Attributes:
        name: The category's name.
        words: How many words it has.
        oov: How many of them have no vector.
        size: n of the measures: all words where an OOV word counts as wrong, else the usable ones.
        rows: The rows of its usable words in `Task.queries`, shape (usable,).
        places: The rows of these words in the vocabulary, -1 for words built from subwords, shape (usable,).
    """

    name: str
    words: int
    oov: int
    size: int
    rows: npt.NDArray[np.intp]
    places: npt.NDArray[np.intp]

    @property
    def usable(self) -> int:
        """How many words have a vector."""
        return len(self.rows)

    @property
    def known(self) -> npt.NDArray[np.intp]:
        """The vocabulary rows of its words: C_i ∩ V."""
        return self.places[self.places >= 0]


@dataclass(frozen=True, eq=False)
class Task:
    """A test set, looked up.

    Attributes:
        vectors: The vocabulary V in which neighbours and odd words are sought.
        queries: Raw vectors of all usable test words, none twice, shape (q, d).
        places: The vocabulary row of each, -1 for words built from subwords, shape (q,).
        categories: In the order of the test set.
    """

    vectors: Vectors
    queries: npt.NDArray[np.float32]
    places: npt.NDArray[np.intp]
    categories: tuple[CategoryTask, ...]


def look_up(vectors: Vectors, test_set: TestSet, oov: OOV = "wrong", case: Case = "exact") -> Task:
    """Find the vectors of all words of all categories.

    Args:
        vectors: Where to look.
        test_set: Whose words.
        oov: Whether a word without a vector stays in its category as a sure miss, or leaves it.
        case: Whether words must agree to the letter, or only when case is folded; of the vocabulary's words
            that fold to the same, the first (most frequent) counts.
    """
    key = folding(test_set.named_in or test_set.language) if case == "fold" else _as_is
    if case == "fold":
        vectors = vectors.fold(key)
    finder = _Finder(vectors)
    categories = tuple(_look_up(category, finder, key, oov) for category in test_set.categories)
    queries = np.array(finder.found, dtype=np.float32).reshape(-1, vectors.dimension)
    return Task(vectors, queries, np.array(finder.places, dtype=np.intp), categories)


def count_other_case(vectors: Vectors, test_set: TestSet) -> tuple[int, int]:
    """How many words of a test set have no vector, and how many of those have one in another case."""
    finder, key = _Finder(vectors), folding(test_set.named_in or test_set.language)
    words = {word for category in test_set.categories for word in category.words}
    folded = {word: key(word) for word in words if finder.row(word) is None}
    if not folded:
        return 0, 0
    found = set(folded.values()).intersection(map(key, vectors.words))
    return len(folded), sum(each in found for each in folded.values())


class _Finder:
    """Looks each word up once and remembers its row among the queries."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self.found: list[npt.NDArray[np.float32]] = []
        self.places: list[int] = []
        self._rows: dict[str, int | None] = {}

    def row(self, word: str) -> int | None:
        if word not in self._rows:
            self._rows[word] = self._find(word)
        return self._rows[word]

    def _find(self, word: str) -> int | None:
        place = self.vectors.index.get(word, -1)
        vector = self.vectors.matrix[place] if place >= 0 else None
        if vector is None and self.vectors.subword is not None:
            vector = self.vectors.subword(word)
        if vector is None:
            return None
        self.found.append(vector)
        self.places.append(place)
        return len(self.found) - 1


def _look_up(category: Category, finder: _Finder, key: Callable[[str], str], oov: OOV) -> CategoryTask:
    words = tuple(dict.fromkeys(key(word) for word in category.words))
    rows = [row for word in words if (row := finder.row(word)) is not None]
    places = np.array([finder.places[row] for row in rows], dtype=np.intp)
    size = len(words) if oov == "wrong" else len(rows)
    return CategoryTask(
        category.name, len(words), len(words) - len(rows), size, np.array(rows, dtype=np.intp), places
    )


def folding(language: str) -> Callable[[str], str]:
    """Full case folding by the rules of a language: in Turkish and its like, I folds to ı and İ to i."""
    return _fold_turkic if language in _TURKIC else _fold


def _fold(word: str) -> str:
    return _undotted(word).casefold()


def _fold_turkic(word: str) -> str:
    return _undotted(word).replace("I", "ı").casefold()


def _undotted(word: str) -> str:
    """İ is i in all its forms: one code point, two as in NFD, and the two that lower() makes of it."""
    return word.replace("İ", "i").replace("I\u0307", "i").replace("i\u0307", "i")


def _as_is(word: str) -> str:
    return word
