"""The vectors of fastText: means of a word's own row and those of its n-grams.

Bojanowski et al. 2017, "Enriching Word Vectors with Subword Information", section 3.2; as in fastText itself,
sums are divided by the number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.vectors.table import Matrix


@dataclass(frozen=True, eq=False)
class NgramVectors:
    """The `subword` function of a fastText model; a class, so that it can be pickled.

    Attributes:
        index: The row of each word of the model.
        matrix: The vectors of these words, float32 of shape (v, d).
        ngrams: The rows of n-grams, float32 of shape (buckets, d).
        minn: The length of the shortest n-grams, in characters.
        maxn: That of the longest.
    """

    index: Mapping[str, int]
    matrix: Matrix
    ngrams: Matrix
    minn: int
    maxn: int

    @classmethod
    def of_rows(
        cls, words: Sequence[str], rows: Matrix, ngrams: Matrix, minn: int, maxn: int
    ) -> NgramVectors:
        """Of words and the rows that are their own, shape (v, d), which become their vectors in place."""
        from evaluator.vectors.hashing import add_all_ngrams

        texts = [_marked(word) for word in words]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        add_all_ngrams(ngrams, np.frombuffer(b"".join(texts), dtype=np.uint8), ends, minn, maxn, rows)
        index = {word: row for row, word in reversed([*enumerate(words)]) if word}
        return cls(index, rows, ngrams, minn, maxn)

    def __call__(self, word: str) -> Matrix | None:
        """The vector of a word, float32 of shape (d,): its own, or the mean of the rows of its n-grams.

        None if the word has no n-grams, or the vector is zero, NaN or infinite.
        """
        row = self.index.get(word)
        vector = self._mean(word) if row is None else self.matrix[row]
        return vector if np.isfinite(vector).all() and vector.any() else None

    def _mean(self, word: str) -> Matrix:
        from evaluator.vectors.hashing import add_ngrams

        total = np.zeros(self.ngrams.shape[1], dtype=np.float32)
        text = np.frombuffer(_marked(word), dtype=np.uint8)
        number = add_ngrams(self.ngrams, text, self.minn, self.maxn, total)
        return total / np.float32(max(1, number))


def _marked(word: str) -> bytes:
    return f"<{word}>".encode("utf-8", "surrogatepass")
