"""Vectors: a vocabulary in frequency order and its matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError

Matrix = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]
Subword = Callable[[str], Matrix | None]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Word vectors as they are in a file or model.

    Attributes:
        words: The vocabulary, the most frequent word first; v words, each once.
        matrix: float32, shape (v, d); row i belongs to `words[i]`. Raw, never normalised in place. float16
            and float64 are converted.
        name: What messages and signatures call these vectors, usually the file's name.
        subword: Builds the vector, float32 of shape (d,), of a word that is not in `words`, or returns None
            if it cannot; None for formats without subwords.
        dropped: How many bad rows of the file were left out on request.
        candidates: Where `words` are from, if the model has no vocabulary of its own.
        checked: Whether it is known that all words differ and all rows are finite and not zero.

    Raises:
        VectorsError: Words and matrix do not fit together, or (from `index`) a word occurs twice.
    """

    words: Sequence[str]
    matrix: Matrix
    name: str
    subword: Subword | None = None
    dropped: int = 0
    candidates: str = ""
    checked: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        """Convert a matrix of other real numbers, and refuse one that is not of shape (v, d)."""
        if self.matrix.ndim != 2 or self.matrix.dtype.kind not in "fiu":
            raise VectorsError(
                f"{self.name}: the matrix must have real numbers and two axes, (words, dimensions), not "
                f"{self.matrix.dtype} of shape {self.matrix.shape}."
            )
        if self.matrix.dtype != np.float32:
            with np.errstate(over="ignore"):  # too large for float32 becomes infinite, and that is refused
                object.__setattr__(self, "matrix", self.matrix.astype(np.float32))
        if len(self.words) != len(self.matrix):
            raise VectorsError(
                f"{self.name}: {len(self.words)} words but {len(self.matrix)} rows in the matrix. "
                "Give one row for each word."
            )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def dimension(self) -> int:
        """The number of values in each vector, d."""
        return int(self.matrix.shape[1])

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The row of each word."""
        index = {word: row for row, word in enumerate(self.words)}
        if len(index) != len(self.words):
            again = next(word for row, word in enumerate(self.words) if index[word] != row)
            raise VectorsError(f"{self.name}: the word {again!r} occurs twice. Keep one of its rows.")
        return index

    def restrict(self, size: int) -> Vectors:
        """The most frequent words only; the matrix is a view, not a copy.

        `subword` of a model with subwords still gives vectors of the words that are left out here.

        Args:
            size: How many words to keep; all of them if there are fewer.

        Raises:
            VectorsError: `size` is less than 1.
        """
        if size < 1:
            raise VectorsError(
                f"{self.name}: cannot keep {size} words. Restrict the vocabulary to 1 word or more."
            )
        return replace(self, words=self.words[:size], matrix=self.matrix[:size])

    def select(self, kept: npt.NDArray[np.bool_]) -> Vectors:
        """Some of the words; the matrix is copied unless all are kept.

        Args:
            kept: Whether each word is kept, shape (v,).
        """
        if kept.all():
            return self
        words = [word for word, keep in zip(self.words, kept.tolist(), strict=True) if keep]
        return replace(self, words=words, matrix=self.matrix[kept])

    def fold(self, key: Callable[[str], str]) -> Vectors:
        """Replace each word by its key, for instance to ignore case.

        Of words with the same key, the first and most frequent one stays. The matrix is copied only if a row
        is left out. Words passed to `subword` are replaced by their keys, too.

        Args:
            key: From a word to its key, for instance `str.casefold`.

        Returns:
            Vectors with at most as many rows, in the same order.
        """
        return self.folded(key, list(map(key, self.words)))[0]

    def folded(self, key: Callable[[str], str], keys: Sequence[str]) -> tuple[Vectors, Rows | None]:
        """The same where the keys of all words are known; and which rows stay, or None if all do."""
        subword = None if self.subword is None else _Folded(self.subword, key)
        if keys == self.words and subword is None:
            return self, None  # with its index, which takes longer to make than all else here
        first = {word: row for row, word in zip(range(len(keys) - 1, -1, -1), reversed(keys), strict=True)}
        if len(first) == len(keys):
            return replace(self, words=keys, subword=subword), None
        rows = np.sort(np.fromiter(first.values(), np.intp, len(first)))
        words = [keys[row] for row in rows.tolist()]
        return replace(self, words=words, matrix=self.matrix[rows], subword=subword), rows


@dataclass(frozen=True)
class _Folded:
    """A subword function for the keys of words; a class and not a closure, so that it can be pickled."""

    subword: Subword
    key: Callable[[str], str]

    def __call__(self, word: str) -> Matrix | None:
        return self.subword(self.key(word))

    def prepare(self, words: Iterable[str]) -> None:
        prepare(self.subword, map(self.key, words))


def prepare(subword: Subword | None, words: Iterable[str]) -> None:
    """Tell a subword function which words it will be asked for, if it is faster for several at once."""
    together = getattr(subword, "prepare", None)
    if together is not None:
        together(words)
