"""Models that are counted: a truncated SVD of positive PMI; nothing in them is random.

Levy, Goldberg and Dagan (2015), "Improving Distributional Similarity with Lessons Learned from Word
Embeddings", TACL 3, 211-225.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.errors import TrainingError
from evaluator.execution.machine import one_thread
from evaluator.settings import Hyperparameters
from evaluator.text.cooccurrences import Cooccurrences, cooccurrences, numbered
from evaluator.text.corpus import Sentences
from evaluator.vectors import Vectors

Floats = npt.NDArray[np.float64]

_NOTHING = 1e-9  # of the first singular value: what rounding leaves of a component that is not there
_DENSE = (
    500  # words: of so few, all components are computed, as several of the same value are no problem then
)


def train_svd(sentences: Sentences, parameters: Hyperparameters) -> Vectors:
    """Vectors of the positive PMI of words and contexts, by a truncated SVD.

    ``PMI(w, c) = log(#(w, c) · Σ_c' #(c')^α / (#(w) · #(c)^α)) - log k``, with smoothing α and shift k
    (sections 3.1 and 3.2 of the paper), negative values as 0. Of ``U Σ Vᵀ``, the vectors are the rows of
    ``U Σ^p``, or of the sum of that and ``V Σ^p``, with the exponent p of the eigenvalues (section 3.3).

    A word that has positive PMI with no context has no vector, and is left out. Sentences in another order
    give the same vectors.

    Args:
        sentences: The corpus; windows do not reach over the end of a sentence.
        parameters: Those of `svd`.

    Raises:
        TrainingError: No word occurs so often, or fewer words than dimensions are left.
    """
    counted = [(-n, word) for word, n in sentences.counts.items() if n >= parameters.min_count]
    words = [word for _, word in sorted(counted)]
    if not words:
        raise TrainingError(f"no word occurs {parameters.min_count} times; lower the min count")
    rows = {word: row for row, word in enumerate(words)}
    with sentences.path.open(encoding="utf-8") as file:
        text = numbered(map(str.split, file), rows, sentences.tokens + sentences.number)
    dynamic = bool(parameters.dynamic_window)
    counts = cooccurrences(text, len(words), parameters.window, dynamic=dynamic)
    matrix = _vectors(_positive_pmi(counts, parameters), parameters)
    kept = np.abs(matrix).max(axis=1) > 0
    words = [word for word, keep in zip(words, kept.tolist(), strict=True) if keep]
    return Vectors(words, matrix[kept].astype(np.float32), str(parameters))


def _positive_pmi(found: Cooccurrences, parameters: Hyperparameters) -> Any:  # noqa: ANN401  # of scipy
    """The shifted positive PMI of words, in rows, and contexts, in columns; shape (v, v)."""
    from scipy.sparse import csr_array

    v, own = len(found.starts) - 1, parameters.own
    counts = found.counts.astype(np.float64)
    words = np.repeat(np.arange(v), np.diff(found.starts))
    of_word = np.bincount(words, counts, v)  # and of each context, as the counts are symmetric
    smoothed = of_word ** own["smoothing"]
    expected = of_word[words] * smoothed[found.contexts] / smoothed.sum()
    values = np.log(counts / expected) - np.log(own["shift"])
    kept = values > 0
    starts = np.concatenate([[0], np.cumsum(np.bincount(words[kept], minlength=v))])
    return csr_array((values[kept], found.contexts[kept], starts), shape=(v, v))


def _vectors(matrix: Any, parameters: Hyperparameters) -> Floats:  # noqa: ANN401  # of scipy
    """The vectors of words, shape (v, d); those of words with nothing are zeros."""
    v, dimension = matrix.shape[0], parameters.dimension
    used = np.flatnonzero(np.diff(matrix.indptr))
    if len(used) <= dimension:
        raise TrainingError(
            f"dimension {dimension}: only {len(used)} words have contexts that are more frequent than by "
            "chance; choose a lower dimension, or a lower min count or shift"
        )
    with one_thread("blas"):  # several would change the last digits
        left, values, right = _svd(matrix, dimension)
    there = values > _NOTHING * values.max()
    weights = np.where(there, np.maximum(values, np.finfo(float).tiny) ** parameters.own["eigenvalues"], 0.0)
    # A component and its opposite are both right.
    signs = np.sign(left[np.abs(left).argmax(axis=0), range(dimension)])
    found: Floats = left * (signs * weights)
    if parameters.add_contexts:
        found += right.T * (signs * weights)
    empty = np.ones(v, dtype=bool)
    empty[used] = False
    found[empty] = 0.0
    return found


def _svd(matrix: Any, dimension: int) -> tuple[Floats, Floats, Floats]:  # noqa: ANN401  # of scipy
    """The first singular vectors and values, the greatest value first."""
    if matrix.shape[0] <= max(_DENSE, 2 * dimension):
        left, values, right = np.linalg.svd(matrix.toarray())
        return left[:, :dimension], values[:dimension], right[:dimension]
    from scipy.sparse.linalg import svds

    start = np.random.default_rng(0).normal(size=matrix.shape[0])
    # With fewer Lanczos vectors than by default, and a tolerance far below single precision, it is faster.
    space = max(3 * dimension // 2, dimension + 20)
    left, values, right = svds(matrix, dimension, ncv=space, tol=1e-6, v0=start)
    order = np.argsort(-values, kind="stable")
    return left[:, order], values[order], right[order]
