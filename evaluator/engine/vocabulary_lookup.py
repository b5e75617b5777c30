"""Looking words up in a vocabulary, once for all measures of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import Category, TestSet
from evaluator.engine.similarities import Rows
from evaluator.settings import Settings
from evaluator.text.normalization import case_folding, normalizer, unchanged
from evaluator.vectors import Vectors


class VocabularyLookup:
    """Looks each word up once, and remembers those found as rows of one matrix of queries.

    Attributes:
        vectors: The vocabulary V in which neighbours and odd words are sought, its words in compared form.
    """

    def __init__(self, vectors: Vectors, language: str, settings: Settings) -> None:
        """Bring the vocabulary into the form in which words are compared.

        Args:
            vectors: Where to look.
            language: The language of the test words, whose rules of case hold.
            settings: Case, profile, restriction of the vocabulary, words of several words.

        Raises:
            ScoreError: There is no such profile.
        """
        self.vectors = vectors if settings.vocabulary is None else vectors.restrict(settings.vocabulary)
        self._settings = settings
        self._key = normalizer(language, settings.case, settings.profile)
        if settings.case == "upper":
            self._index: Mapping[str, int] = _first_rows(map(self._key, self.vectors.words))
        else:
            if self._key is not unchanged:
                self.vectors = self.vectors.fold(self._key)
            self._index = self.vectors.index
        self._rows: dict[str, int | None] = {}
        self._found: list[npt.NDArray[np.float32]] = []
        self._vocabulary_rows: list[int] = []
        self._several: dict[str, bool] = {}

    def normalized_words(self, words: Iterable[str]) -> tuple[str, ...]:
        """Test words in the form in which they are compared: none twice, none that the run leaves out."""
        return tuple(dict.fromkeys(form for word in words if (form := self.normalized(word)) is not None))

    def normalized(self, word: str) -> str | None:
        """A test word in the form in which it is compared; None if the run leaves it out."""
        several = len(word.split()) > 1
        self._several[word] = several
        if several and self._settings.multiword == "drop":
            return None
        if several and self._settings.multiword == "join":
            word = "_".join(word.split())
        return self._key(word)

    def find(self, word: str) -> int | None:
        """The row among the queries of a word in compared form; None if it has no vector."""
        if word not in self._rows:
            self._rows[word] = self._find(word)
        return self._rows[word]

    @property
    def vocabulary_rows(self) -> Rows:
        """The vocabulary row of each query, shape (q,).

        It is -1 for words that are not in the vocabulary but have a vector all the same: built from subwords,
        or the mean of several words.
        """
        return np.array(self._vocabulary_rows, dtype=np.intp)

    @property
    def queries(self) -> npt.NDArray[np.float32]:
        """Raw vectors of all words found so far, shape (q, d)."""
        return np.array(self._found, dtype=np.float32).reshape(-1, self.vectors.dimension)

    @property
    def spellings(self) -> Rows | None:
        """For each vocabulary row the first one that is compared as the same word, shape (v,).

        None if all are different words.
        """
        if len(self._index) == len(self.vectors):
            return None
        return np.array([self._index[self._key(word)] for word in self.vectors.words], dtype=np.intp)

    @property
    def missing(self) -> bool:
        """Whether any word was looked for in vain."""
        return None in self._rows.values()

    @property
    def multiword(self) -> tuple[int, int]:
        """How many different test words consist of several words, and how many words were asked for."""
        return sum(self._several.values()), len(self._several)

    def _find(self, word: str) -> int | None:
        place = self._index.get(word, -1)
        vector = self.vectors.matrix[place] if place >= 0 else self._build(word)
        if vector is None:
            return None
        self._found.append(vector)
        self._vocabulary_rows.append(place)
        return len(self._found) - 1

    def _build(self, word: str) -> npt.NDArray[np.float32] | None:
        if self._settings.multiword == "mean" and len(word.split()) > 1:
            parts = [self._of_part(part) for part in word.split()]
            known = [part for part in parts if part is not None]
            return np.mean(known, axis=0, dtype=np.float32) if len(known) == len(parts) else None
        return None if self.vectors.subword is None else self.vectors.subword(word)

    def _of_part(self, word: str) -> npt.NDArray[np.float32] | None:
        """The unit vector of a part of a word."""
        place = self._index.get(word, -1)
        if place < 0 and self.vectors.subword is None:
            return None
        vector = self.vectors.matrix[place] if place >= 0 else self._build(word)
        if vector is None:
            return None
        length = float(np.linalg.norm(vector.astype(np.float64)))
        return np.asarray(vector / (length or 1.0), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class FoundCategory:
    """A category whose words have been looked up.

    Attributes:
        name: The category's name.
        words: Its words as they are compared, those that were found first.
        oov: How many of them have no vector.
        size: n of the measures: all words where an OOV word counts as wrong, else the usable ones.
        rows: The rows of its usable words among the queries, shape (usable,).
        vocabulary_rows: The rows of these words in the vocabulary, -1 for words not in it, shape (usable,).
    """

    name: str
    words: tuple[str, ...]
    oov: int
    size: int
    rows: Rows
    vocabulary_rows: Rows

    @property
    def usable(self) -> int:
        """How many words have a vector."""
        return len(self.rows)

    @property
    def known(self) -> Rows:
        """The vocabulary rows of its words: C_i ∩ V."""
        return self.vocabulary_rows[self.vocabulary_rows >= 0]

    @property
    def observations(self) -> tuple[str, ...]:
        """The n words that count, those that were found first."""
        return self.words[: self.size]


def find_category(category: Category, lookup: VocabularyLookup, settings: Settings) -> FoundCategory:
    """Look up the words of a category."""
    words = lookup.normalized_words(category.words)
    found = [word for word in words if lookup.find(word) is not None]
    missing = [word for word in words if lookup.find(word) is None]
    rows = np.array([lookup.find(word) for word in found], dtype=np.intp)
    places = lookup.vocabulary_rows[rows]
    size = len(words) if settings.oov == "wrong" else len(found)
    return FoundCategory(category.name, (*found, *missing), len(missing), size, rows, places)


def count_other_case(vectors: Vectors, test_set: TestSet) -> tuple[int, int]:
    """How many words of a test set's categories have no vector, and how many of those do in another case."""
    lookup = VocabularyLookup(vectors, test_set.named_in or test_set.language, Settings())
    key = case_folding(test_set.named_in or test_set.language)
    words = {word for category in test_set.categories for word in category.words}
    folded = {word: key(word) for word in words if lookup.find(word) is None}
    if not folded:
        return 0, 0
    found = set(folded.values()).intersection(map(key, vectors.words))
    return len(folded), sum(each in found for each in folded.values())


def _first_rows(words: Iterable[str]) -> dict[str, int]:
    """The first row of each word, of those that may come twice."""
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        first.setdefault(word, row)
    return first
