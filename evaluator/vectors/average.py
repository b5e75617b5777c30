"""The mean of several models as one: their unit vectors side by side, reduced by a truncated SVD.

The mean of z-scored cosines over M models is ``(1/M) Σ (c_m(u, w) - μ_m) / σ_m``, with the cosine c_m of two
words in a model, and mean and standard deviation of the cosines of all pairs of words. Let the unit vectors
of each model stand side by side, times ``√a_m``, with ``a_m = (1/σ_m) / Σ 1/σ_l``. Then the cosine of two
words is ``Σ a_m c_m``, which has the same order: it differs from that mean by a factor and a constant.

Of the vectors, the components with the greatest singular values are kept, as by Yin and Schütze (2016,
"Learning Word Meta-Embeddings"), without centring, which would change the cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError
from evaluator.execution.machine import cores, one_thread
from evaluator.vectors.table import Rows, Vectors

Floats = npt.NDArray[np.float64]

BLOCK = 4096
"""So many words are computed with at a time."""
_NO_SPREAD = 1e-6  # of cosines: what rounding leaves where all are the same


@dataclass(frozen=True, eq=False)
class MeanVectors:
    """The mean of some models.

    Attributes:
        vectors: Of the words that all models have, by their mean rank; d is the largest of theirs.
        spreads: σ of each model: the standard deviation of the cosines of all pairs of these words.
        weights: a of each model; together they are 1.
        kept: The share of the squared singular values that was kept, from 0 to 1.
    """

    vectors: Vectors
    spreads: tuple[float, ...]
    weights: tuple[float, ...]
    kept: float


def mean_of(models: Sequence[Vectors], progress: Callable[[float], None] = lambda _: None) -> MeanVectors:
    """The mean of models, for their words in common; the order of the models makes no difference.

    Args:
        models: Their matrices are read twice, in blocks.
        progress: Called with the share of the work that is done.

    Raises:
        VectorsError: There are fewer than two models, or fewer common words than dimensions; or all cosines
            of a model are the same.
    """
    if len(models) < 2:
        raise VectorsError(f"{len(models)} model: a mean is of two models or more. Name others as well.")
    dimension = max(each.dimension for each in models)
    words, rows = common_words(models)
    _check(models, len(words), dimension)
    blocks = _Blocks(models, rows, progress)
    gram, total = blocks.gram()
    spreads = [_spread(gram, total, len(words), own) for own in blocks.columns]
    for model, spread in zip(models, spreads, strict=True):
        if not spread > _NO_SPREAD:
            raise VectorsError(
                f"{model.name}: the cosines of all common words are the same, so it has nothing to add to a "
                "mean. Leave it out."
            )
    weights = 1 / np.array(spreads) / sum(1 / each for each in spreads)
    factors = np.repeat(np.sqrt(weights), [each.dimension for each in models])
    axes, kept = _axes(gram * np.outer(factors, factors), dimension)
    matrix = blocks.projected(axes * factors[:, None])
    vectors = Vectors(words, matrix, "mean of " + " and ".join(each.name for each in models))
    return MeanVectors(vectors, tuple(spreads), tuple(weights.tolist()), kept)


def common_words(models: Sequence[Vectors]) -> tuple[list[str], list[Rows]]:
    """The words of all models, those of the lowest mean rank first, and their rows in each model."""
    found = reduce(lambda kept, model: kept & model.index.keys(), models[1:], set(models[0].index))
    words = sorted(found)
    rows = [np.fromiter((each.index[word] for word in words), np.intp, len(words)) for each in models]
    order = np.argsort(np.sum([np.argsort(np.argsort(own)) for own in rows], axis=0), kind="stable")
    return [words[at] for at in order.tolist()], [own[order] for own in rows]


def _check(models: Sequence[Vectors], words: int, dimension: int) -> None:
    names = ", ".join(each.name for each in models)
    if not words:
        raise VectorsError(
            f"{names}: no word is in all of them. Are they of one language, and spelled in the same way, "
            "also in upper and lower case?"
        )
    if words < dimension or words < 3:
        raise VectorsError(
            f"{names}: only {words} words are in all of them, and the largest has {dimension} "
            "dimensions: too few for a mean. Leave out the model that has the fewest words, or train them "
            "on the same text."
        )


class _Blocks:
    """The unit vectors of several models side by side, in blocks of words.

    Each block is computed with by one thread, and sums are taken in the order of blocks, so that the number
    of threads changes nothing.
    """

    def __init__(
        self, models: Sequence[Vectors], rows: Sequence[Rows], progress: Callable[[float], None]
    ) -> None:
        ends = np.cumsum([each.dimension for each in models]).tolist()
        self.columns = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
        self._models, self._rows, self._progress = models, rows, progress

    def _block(self, start: int) -> Floats:
        found = np.empty((min(BLOCK, len(self._rows[0]) - start), self.columns[-1].stop))
        for model, rows, own in zip(self._models, self._rows, self.columns, strict=True):
            part = found[:, own]
            part[:] = model.matrix[rows[start : start + BLOCK]]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
        return found

    def _each(
        self, function: Callable[[Floats], tuple[Floats, ...]], first: float
    ) -> Iterator[tuple[Floats, ...]]:
        starts, threads = range(0, len(self._rows[0]), BLOCK), cores()
        with one_thread("blas"), ThreadPoolExecutor(threads) as pool:
            for begin in range(0, len(starts), threads):
                some = starts[begin : begin + threads]
                yield from pool.map(lambda start: function(self._block(start)), some)
                self._progress(first + (begin + len(some)) / len(starts) / 2)

    def gram(self) -> tuple[Floats, Floats]:
        """The products of all columns, shape (D, D), and their sums, shape (D,)."""
        size = self.columns[-1].stop
        gram, total = np.zeros((size, size)), np.zeros(size)
        for own, part in self._each(lambda block: (block.T @ block, block.sum(axis=0)), 0.0):
            gram += own
            total += part
        return gram, total

    def projected(self, axes: Floats) -> npt.NDArray[np.float32]:
        """The rows of all words, times axes of shape (D, d)."""
        found = np.empty((len(self._rows[0]), axes.shape[1]), dtype=np.float32)
        start = 0
        for (block,) in self._each(lambda block: (block @ axes,), 0.5):
            found[start : start + len(block)] = block
            start += len(block)
        return found


def _spread(gram: Floats, total: Floats, words: int, columns: slice) -> float:
    """The standard deviation of the cosines of all pairs of different words of a model.

    With the unit vectors as rows of U, the sum of cosines over all pairs in both orders is |Σ u|² - n, and
    that of their squares ||UᵀU||² - n.
    """
    own, sums = gram[columns, columns], total[columns]
    pairs = words * (words - 1.0)
    mean = (sums @ sums - words) / pairs
    variance = ((own**2).sum() - words) / pairs - mean**2
    return float(np.sqrt(max(variance, 0.0)))


def _axes(gram: Floats, dimension: int) -> tuple[Floats, float]:
    """The first right singular vectors, shape (D, d), and their share of the squared singular values.

    The greatest number of each is positive: a vector and its opposite are both right.
    """
    with one_thread("blas"):
        values, axes = np.linalg.eigh(gram)
    values, axes = values[::-1], axes[:, ::-1][:, :dimension]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])
    return axes * signs, min(1.0, float(values[:dimension].sum() / values.sum()))
