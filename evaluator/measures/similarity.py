"""Similarity: do words that people find similar have similar vectors?"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import RatedPairs, TestSet
from evaluator.engine.similarities import Doubles, Rows, in_double_precision, unit_rows
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import (
    Evaluation,
    ImmediateEvaluation,
    Measure,
    Subscore,
    TestSetField,
    jackknife_pseudovalues,
    of_shared_words,
)
from evaluator.settings import Settings

Correlation = Literal["spearman", "pearson"]

_NEEDED = 3
_NORMAL = 40
_PAIRS_AT_A_TIME = 4096
_VALUES_AT_A_TIME = 1 << 18
_CONSTANT = 1e-15  # a spread that double precision cannot tell from none, of values between 0 and 1


@dataclass(frozen=True)
class Similarity(Measure):
    """The correlation of cosines with people's ratings of pairs of words, as `Similarity`.

    With `spearman` that of their ranks, tied values sharing the mean of their ranks; with `pearson` that of
    the values. Both are those of gensim's `evaluate_word_pairs`. A cosine with a vector of zeros is 0.

    A pair with an OOV word is left out with `oov=skip`. With `oov=wrong` its cosine is 0, as with gensim's
    `dummy4unknown`: the model sees no similarity. This lowers the score if people saw some similarity,
    and not if they saw none.

    Observations are words, as pairs that share a word vary together: the influence of a word is the sum of
    those of its pairs. These are from the jackknife, where a correlation that is undefined without a pair is
    0. The chance level is 0.

    The variance that the jackknife finds is up to three times too large for 10 pairs. So for `spearman` it is
    mixed with that of normal variables, `(1-r²)²·(1+r²/2)/(n-2)` (Bonett & Wright 2000, "Sample Size
    Requirements", with n-2 in place of their n-3), which counts as much as 40 pairs.

    Attributes:
        correlation: Of ranks, or of values.
    """

    scores: ClassVar[TestSetField] = "rated_pairs"
    counted: ClassVar[str] = "pairs"

    correlation: Correlation = "spearman"

    @property
    def lowest(self) -> float:
        """The lowest correlation."""
        return -1.0

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:
        """Compare the words of all pairs."""
        found = [_find(rated, lookup) for rated in test_set.rated_pairs]
        queries = lookup.queries
        subscores = [_subscore(each, queries, self.correlation, settings) for each in found]
        known = any((each.rows >= 0).all(axis=1).any() for each in found)
        return ImmediateEvaluation(subscores, known=known)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Rated pairs whose words have been looked up."""

    name: str
    words: tuple[tuple[str, str], ...]
    rows: Rows  # of their words among the queries, -1 for words without a vector, shape (n, 2)
    ratings: Doubles


def _find(rated: RatedPairs, lookup: VocabularyLookup) -> _Pairs:
    """Look up the words of pairs; pairs with a word that the settings leave out are not counted at all."""
    kept = [
        (one, other, rating)
        for first, second, rating in rated.pairs
        if (one := lookup.normalized(first)) is not None and (other := lookup.normalized(second)) is not None
    ]
    return _Pairs(
        rated.name,
        tuple((one, other) for one, other, _ in kept),
        lookup.query_rows(word for one, other, _ in kept for word in (one, other)).reshape(-1, 2),
        np.array([rating for *_, rating in kept], dtype=np.float64),
    )


def _subscore(pairs: _Pairs, queries: Doubles, correlation: Correlation, settings: Settings) -> Subscore:
    """The correlation of pairs' cosines with their ratings, or why there is none."""
    known = np.asarray((pairs.rows >= 0).all(axis=1))
    counted = np.full(len(known), True) if settings.oov == "wrong" else known
    similar = np.zeros(len(known))
    similar[known] = cosines(queries, pairs.rows[known])
    similar, ratings = similar[counted], pairs.ratings[counted]
    size, oov = len(known), int((~known).sum())
    words = list(itertools.compress(pairs.words, counted))
    unknown = set(itertools.compress(itertools.chain(*pairs.words), pairs.rows.ravel() < 0))
    reason = _why_not(size, oov, similar, ratings)
    if reason is not None:
        different = np.arange(float(len(ratings)))
        if not oov or settings.oov == "skip" or _why_not(size, 0, different, ratings) is not None:
            return Subscore.of(pairs.name, size, oov, skipped=reason)
        # A model that knows too little to see a similarity scores 0, and is not left out.
        every = tuple(dict.fromkeys(itertools.chain(*words)))
        zeros = np.zeros(len(every))
        return Subscore.of(pairs.name, size, oov, 0.0, every, zeros, unknown=unknown, chance=0.0)
    scale = _ranks if correlation == "spearman" else _between_0_and_1
    value, pseudovalues = _with_pseudovalues(scale(similar), scale(ratings), correlation)
    if correlation == "spearman":
        pseudovalues = _scaled(pseudovalues, value)
    observations, of_words = of_shared_words(value, pseudovalues, words)
    return Subscore.of(
        *(pairs.name, size, oov, value, observations, of_words),
        unknown=unknown.intersection(observations),
        chance=0.0,
    )


def _why_not(size: int, oov: int, similar: Doubles, ratings: Doubles) -> str | None:
    if size - oov < _NEEDED:
        return f"{size - oov} of {size} pairs with both words in the vocabulary, {_NEEDED} needed"
    if not np.isfinite(ratings).all():
        return "a rating is not a number"
    for what, values in (("ratings", ratings), ("similarities", similar)):
        if values.min() == values.max():
            return f"all {len(values)} {what} are equal"
    return None


def cosines(queries: Doubles, rows: Rows) -> Doubles:
    """Cosines of pairs of rows, shape (n, 2), in double precision, rounded so that ties are ties."""
    found = np.zeros(len(rows))
    for start in range(0, len(rows), _PAIRS_AT_A_TIME):
        these = slice(start, start + _PAIRS_AT_A_TIME)
        one, other = (unit_rows(in_double_precision(queries, side)) for side in rows[these].T)
        found[these] = np.einsum("ij,ij->i", one, other)
    return np.asarray(np.rint(found * 2.0**40) * 2.0**-40)


def _ranks(values: Doubles) -> Doubles:
    """For each value the number of lower ones minus the number of higher ones: integers whose sum is 0."""
    from scipy.stats import rankdata

    return np.asarray(2 * rankdata(values) - len(values) - 1)


def _between_0_and_1(values: Doubles) -> Doubles:
    values = values / np.abs(values).max()  # the difference of the greatest and the least could overflow
    return np.asarray((values - values.min()) / (values.max() - values.min()))


def _with_pseudovalues(x: Doubles, y: Doubles, correlation: Correlation) -> tuple[float, Doubles]:
    """A correlation and its pseudo-values. The time grows with n², the memory does not."""
    n = len(x)
    left_out = _rank_without if correlation == "spearman" else _value_without
    value = float(_ratio((x - x.mean())[None, :], (y - y.mean())[None, :])[0])
    rows = max(1, _VALUES_AT_A_TIME // n)
    without = np.concatenate(
        [_ratio(left_out(x, out), left_out(y, out)) for out in np.split(np.arange(n), range(rows, n, rows))]
    )
    return value, jackknife_pseudovalues(value, without)


def _scaled(pseudovalues: Doubles, r: float) -> Doubles:
    """Pseudo-values whose variance is mixed with that of a rank correlation of normal variables."""
    n = len(pseudovalues)
    found = float(pseudovalues.var(ddof=1)) / n
    normal = (1 - r * r) ** 2 * (1 + r * r / 2) / max(n - 2, 1)
    mixed = (n * found + _NORMAL * normal) / (n + _NORMAL)
    return np.asarray(r + (pseudovalues - r) * (mixed / found) ** 0.5) if found else pseudovalues


def _rank_without(ranks: Doubles, out: npt.NDArray[np.intp]) -> Doubles:
    """Ranks, as `_ranks` computes them, without each of some pairs, whose own is 0; shape (out, n)."""
    left = ranks - np.sign(ranks - ranks[out, None])
    left[np.arange(len(out)), out] = 0
    return np.asarray(left)


def _value_without(values: Doubles, out: npt.NDArray[np.intp]) -> Doubles:
    """Deviations from the mean without each of some pairs, whose own is 0; shape (out, n)."""
    left = np.tile(values, (len(out), 1))
    itself = np.arange(len(out)), out
    left[itself] = 0
    left -= left.sum(axis=1, keepdims=True) / (len(values) - 1)
    left[itself] = 0
    return left


def _ratio(x: Doubles, y: Doubles) -> Doubles:
    """Correlations of the deviations in each row, shape (rows,); 0 where all values of a row are equal."""
    lengths = np.sqrt(np.einsum("ij,ij->i", x, x)), np.sqrt(np.einsum("ij,ij->i", y, y))
    differ = np.minimum(*lengths) > _CONSTANT * np.sqrt(x.shape[1])
    together = np.where(differ, lengths[0] * lengths[1], np.inf)
    return np.asarray(np.clip(np.einsum("ij,ij->i", x, y) / together, -1, 1))
