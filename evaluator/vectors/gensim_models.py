"""Vectors from a gensim model in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from evaluator.errors import VectorsError
from evaluator.vectors.row_checks import check_rows
from evaluator.vectors.table import Matrix, Vectors


@dataclass(frozen=True)
class GensimSubwords:
    """The `subword` function of a fastText model; a class, so that it can be pickled.

    Attributes:
        vectors: gensim's FastTextKeyedVectors.
    """

    vectors: Any

    def __call__(self, word: str) -> Matrix | None:
        """The vector of a word, float32 of shape (d,), or None if it has none.

        For a word without n-grams gensim would return zeros and log a warning.
        """
        from gensim.models.fasttext import ft_ngram_hashes

        kv = self.vectors
        known = word in kv.key_to_index
        if not known and not (kv.bucket and ft_ngram_hashes(word, kv.min_n, kv.max_n, kv.bucket)):
            return None
        vector: Matrix = kv.get_vector(word)
        return vector if np.isfinite(vector).all() and vector.any() else None


def from_gensim(
    model_or_keyedvectors: object,
    name: str = "gensim model",
    *,
    bad_rows: Literal["refuse", "drop"] = "refuse",
) -> Vectors:
    """Take the vectors of a gensim model in memory.

    The matrix is the model's own, not a copy, if it is float32 and C-contiguous and no row is dropped:
    training the model further changes it.

    Args:
        model_or_keyedvectors: A Word2Vec, FastText, KeyedVectors or FastTextKeyedVectors.
        name: What messages and signatures call the vectors.
        bad_rows: Whether to "refuse" or "drop" rows with NaN, infinity, or only zeros.

    Returns:
        Vectors in the model's order, which is by frequency unless gensim was told otherwise; with `subword`
        if it is a fastText model.

    Raises:
        VectorsError: This is not a gensim model, has no vectors, has keys that are not words, or (unless
            dropped) a row is bad.
    """
    from gensim.models import KeyedVectors
    from gensim.models.fasttext import FastTextKeyedVectors

    vectors: Any = getattr(model_or_keyedvectors, "wv", model_or_keyedvectors)
    if not isinstance(vectors, KeyedVectors):
        raise VectorsError(
            f"{name}: this is a {type(model_or_keyedvectors).__name__}, not a gensim model of word "
            "vectors. Give a Word2Vec, a FastText, or their KeyedVectors."
        )
    words = list(vectors.index_to_key)
    if not words or len(words) != len(vectors.vectors):
        raise VectorsError(
            f"{name}: {len(words)} words with {len(vectors.vectors)} vectors. Build the vocabulary "
            "and train the model first."
        )
    odd = next((word for word in words if not isinstance(word, str)), None)
    if odd is not None:
        raise VectorsError(f"{name}: the key {odd!r} is not a word. Give vectors whose keys are text.")
    with np.errstate(over="ignore"):
        matrix = np.ascontiguousarray(vectors.vectors, dtype=np.float32)
    subword = GensimSubwords(vectors) if isinstance(vectors, FastTextKeyedVectors) else None
    return check_rows(Vectors(words, matrix, name, subword), name, drop=bad_rows == "drop")
