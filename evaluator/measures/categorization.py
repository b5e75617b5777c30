"""Categorization: do clusters of words agree with the categories?"""

from __future__ import annotations

import bisect
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine.clusterings import Ints, clusterings, contingency, purity, v_measure
from evaluator.engine.similarities import Doubles, Rows, in_double_precision
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.errors import ScoreError
from evaluator.execution.processes import one_thread
from evaluator.measures.base import ImmediateEvaluation, Measure, Subscore, TestSetField
from evaluator.settings import Settings

Bools = npt.NDArray[np.bool_]
ScoreName = Literal["purity", "V"]

_SCORES: dict[ScoreName, Callable[[Doubles], Doubles]] = {"purity": purity, "V": v_measure}

ALL = "all categories"
MOST_WORDS = 5000
"""The memory of linkage grows with the square of the number of words; it is half a gigabyte for this many."""

_NEEDED = 2
_MOST_HALVES = 16
_PERMUTATIONS = 100
_COUNTS_AT_A_TIME = 1 << 18


@dataclass(frozen=True)
class Categorization(Measure):
    """How well clusters of all words agree with the categories, as `Categorization`.

    The words of all categories are divided into as many clusters as there are categories.

    - `purity` is `1/n · Σ_cluster max_category |cluster ∩ category|`;
    - `V` is the V-measure 2hc/(h+c), with homogeneity h = 1 - H(category|cluster)/H(category) and
      completeness c = 1 - H(cluster|category)/H(cluster) (Rosenberg & Hirschberg 2007).

    The score is the mean over eight clusterings, and not the best of them, which would be chosen by knowing
    the categories: k-means (five seeds) and Ward's linkage, each of unit and of raw vectors; average and
    complete linkage, each by cosine and by distance of raw vectors. The run's `norm` makes no difference. The
    score of each clustering is reported as well.

    Categories must not overlap: a category whose words are all in another one is skipped, and words that are
    in several of the others are left out. Of more than 5,000 words a sample is drawn, with the same number
    from each category that is large enough, and all words of the others.

    With `oov=wrong`, OOV words stay in n and are in no cluster: the score is that of the others times their
    share. With `oov=skip`, categories without a word in the vocabulary are skipped. If there are no more
    different vectors than categories, each vector is its own cluster.

    The chance level is the mean over permutations of the categories' names among the words.

    Clusters change with the words that are clustered, so they are made again for halves of the words: 16
    balanced half-samples (McCarthy 1969, "Pseudo-Replication: Half Samples"), with one seed of k-means. The
    words of each category are paired at random and the pairs dealt into 15 groups; each half has one word of
    each pair, and the mean square of the differences between the halves' scores and their mean is the
    variance. Observations are words; of each group, the first one stands for it.

    Attributes:
        score: `purity` or `V`.
    """

    scores: ClassVar[TestSetField] = "categories"

    score: ScoreName = "purity"

    @property
    def draws(self) -> bool:
        """K-means and the chance level depend on a seed."""
        return True

    def evaluation(
        self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> CategorizationEvaluation:
        """Look up the words of all categories."""
        try:
            import sklearn  # noqa: F401
        except ImportError as error:
            raise ScoreError(f"{self} needs scikit-learn: pip install 'testgen-evaluator[learn]'") from error
        return CategorizationEvaluation(self.score, test_set, lookup, settings)


class CategorizationEvaluation(ImmediateEvaluation):
    """Needs only the vectors of the categories' words."""

    def __init__(
        self, score: ScoreName, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        self._score, self._lookup, self._settings = score, lookup, settings
        categories = {each.name: lookup.normalized_words(each.words) for each in test_set.categories}
        own, left_out = apart(categories)
        drawn = draw(own, settings.seed)
        self._found = {
            name: [word for word in words if lookup.find(word) is not None] for name, words in drawn.items()
        }
        if settings.oov == "skip":
            unknown = {name: words for name, words in drawn.items() if not self._found[name]}
            left_out |= {
                name: f"0 of {len(words)} words in the vocabulary" for name, words in unknown.items()
            }
        self._words = {name: words for name, words in drawn.items() if name not in left_out}
        self.known = not self._words or any(self._found.values())
        self._extra = {
            "words in several categories": len(set().union(*categories.values()))
            - sum(map(len, own.values())),
            "words not drawn": sum(map(len, own.values())) - sum(map(len, drawn.values())),
        }
        skipped = [
            Subscore.of(name, len(words), self._missing(words), skipped=left_out[name])
            for name, words in categories.items()
            if name in left_out
        ]
        # With several threads, sums differ in their last bits, and clusters could differ too.
        with one_thread():
            super().__init__([self._subscore(), *skipped])

    def _missing(self, words: Sequence[str]) -> int:
        return sum(self._lookup.find(word) is None for word in words)

    def _subscore(self) -> Subscore:
        words = [word for own in self._words.values() for word in own]
        oov = self._missing(words)
        known = [word for name in self._words for word in self._found[name]]
        counted = words if self._settings.oov == "wrong" else known
        reason = _why_not(len(self._words), len(counted)) or (None if known else "no word is known")
        if reason is not None:
            return Subscore.of(ALL, len(words), oov, skipped=reason)
        numbers = {word: number for number, own in enumerate(self._words.values()) for word in own}
        gold = np.array([numbers[word] for word in counted])
        rows = self._lookup.query_rows(counted)
        found = _agreement(self._score, gold[rows >= 0], self._vectors(rows), self._settings.seed)
        share = len(known) / len(counted)

        def of_half(half: Bools) -> float:
            usable = half & (rows >= 0)
            of_usable = _of_some(self._score, gold[usable], self._vectors(rows[usable]), self._settings.seed)
            return of_usable * int(usable.sum()) / int(half.sum())

        return Subscore.of(
            ALL,
            len(words),
            oov,
            found.value * share,
            tuple(counted),
            half_sample_pseudovalues(found.value * share, of_half, gold, self._settings.seed),
            unknown=[word for word, row in zip(counted, rows.tolist(), strict=True) if row < 0],
            ceiling=share,
            chance=found.chance * share,
            extra={
                "categories": len(self._words),
                **{name: count for name, count in self._extra.items() if count},
                **{name: value * share for name, value in found.clusterings.items()},
            },
        )

    def _vectors(self, rows: Rows) -> Doubles:
        return in_double_precision(self._lookup.queries, rows[rows >= 0])


def _why_not(categories: int, words: int) -> str | None:
    if categories < _NEEDED:
        return f"{categories} categories with words of their own, {_NEEDED} needed"
    if words <= categories:
        return "no category has 2 words of its own"
    return None


def apart(categories: Mapping[str, Sequence[str]]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Categories that do not overlap.

    Returns:
        The words that only one category has, without categories that are within another one; and why the
        others are left out. Of two categories with the same words, the first is kept.
    """
    numbers = {name: number for number, name in enumerate(categories)}
    of_word: dict[str, list[str]] = {}
    for name, words in categories.items():
        for word in words:
            of_word.setdefault(word, []).append(name)
    left_out = {}
    for name, words in categories.items():
        holding = Counter(other for word in words for other in of_word[word])
        within = [
            other
            for other, count in holding.items()
            if count == len(words)
            and (-len(categories[other]), numbers[other]) < (-len(words), numbers[name])
        ]
        if not words:
            left_out[name] = "it has no words"
        elif within:
            left_out[name] = f"all its words are in {max(within, key=lambda each: len(categories[each]))}"
    stay = {name: words for name, words in categories.items() if name not in left_out}
    times = Counter(word for words in stay.values() for word in words)
    own = {name: [word for word in words if times[word] == 1] for name, words in stay.items()}
    left_out |= {name: "all its words are in other categories too" for name in own if not own[name]}
    return {name: words for name, words in own.items() if words}, left_out


def draw(categories: Mapping[str, Sequence[str]], seed: int, most: int = MOST_WORDS) -> dict[str, list[str]]:
    """As many words of each category as possible, or all its words, so that at most `most` are drawn."""
    sizes = [len(words) for words in categories.values()]
    limits = range(1, max(sizes, default=0) + 1)
    fitting = bisect.bisect_right(limits, most, key=lambda limit: sum(min(size, limit) for size in sizes))
    limit = limits[max(fitting, 1) - 1] if sizes else 0
    drawn = {}
    for name, words in categories.items():
        generator = random.Random(f"{seed} {name}")  # noqa: S311
        chosen = sorted(generator.sample(range(len(words)), min(len(words), limit)))
        drawn[name] = [words[number] for number in chosen]
    return drawn


@dataclass(frozen=True, eq=False)
class _Agreement:
    """How well clusters of words agree with their categories.

    Chance is the mean score of the same clusters with permuted categories.
    """

    value: float
    chance: float
    clusterings: dict[str, float]


def _agreement(score_name: ScoreName, gold: Ints, vectors: Doubles, seed: int) -> _Agreement:
    """Cluster words in all ways, and compare the clusters with their categories."""
    score, gold = _SCORES[score_name], _renumbered(gold)
    generator = np.random.default_rng([seed, len(gold)])
    permuted = np.array([generator.permutation(gold) for _ in range(_PERMUTATIONS)])
    found = clusterings(vectors, int(gold.max()) + 1, seed)
    values = {
        name: float(np.mean([score(contingency(gold, each)) for each in several]))
        for name, several in found.items()
    }
    chances = [np.mean([_chance(score, permuted, each) for each in several]) for several in found.values()]
    return _Agreement(float(np.mean(list(values.values()))), float(np.mean(chances)), values)


def _renumbered(categories: Ints) -> Ints:
    """The categories that have a word, from 0."""
    return np.asarray(np.unique(categories, return_inverse=True)[1].reshape(-1), dtype=np.int64)


def _of_some(score_name: ScoreName, gold: Ints, vectors: Doubles, seed: int) -> float:
    """The mean score of some of the words, clustered by themselves with one seed; 0 if there are none."""
    if not len(gold):
        return 0.0
    gold = _renumbered(gold)
    found = clusterings(vectors, int(gold.max()) + 1, seed, seeds=1)
    return float(np.mean([_SCORES[score_name](contingency(gold, each)) for (each,) in found.values()]))


def half_sample_pseudovalues(
    value: float, of_half: Callable[[Bools], float], categories: Ints, seed: int
) -> Doubles:
    """Pseudo-values of any score, however unsmooth, from balanced half-samples (McCarthy 1969).

    If the score is a mean, the variance is on average that of as many independent words of each category.

    Args:
        value: The score of all n words.
        of_half: The score of half of them, given which, shape (n,).
        categories: The category of each word, shape (n,); half of each is in each half-sample.
        seed: Of the pairs.

    Returns:
        Shape (n,); their mean is `value`.
    """
    from scipy.linalg import hadamard

    n = len(categories)
    pairs, sides = _paired(categories, seed)
    halves = min(_MOST_HALVES, 1 << (int(pairs.max()) + 2).bit_length() - 1)
    signs, groups = hadamard(halves), 1 + pairs % (halves - 1)
    scores = np.array([of_half(sign[groups] == sides) for sign in signs])
    effects = signs.T @ (scores - scores.mean()) / halves  # their squares sum to the variance of the scores
    of_words = np.zeros(n)
    named, first = np.unique(groups, return_index=True)
    of_words[first] = effects[named]
    return np.asarray(value + (of_words - of_words.mean()) * np.sqrt(n * (n - 1)))


def _paired(categories: Ints, seed: int) -> tuple[Ints, Ints]:
    """The pair of each word with another one of its category, from 0, and its side of it, 1 or -1."""
    generator = np.random.default_rng([seed, len(categories)])
    pairs, sides = np.zeros_like(categories), np.ones_like(categories)
    begun = 0
    for category in np.unique(categories):
        words = generator.permutation(np.flatnonzero(categories == category))
        pairs[words] = begun + np.arange(len(words)) // 2
        sides[words[1::2]] = -1
        begun += (len(words) + 1) // 2
    return pairs, sides


def _chance(score: Callable[[Doubles], Doubles], permuted: Ints, clusters: Ints) -> float:
    """The mean score of some permutations of the categories, shape (permutations, n)."""
    step = max(1, _COUNTS_AT_A_TIME // ((int(permuted.max()) + 1) * (int(clusters.max()) + 1)))
    starts = range(0, len(permuted), step)
    found = [score(contingency(permuted[at : at + step], clusters)) for at in starts]
    return float(np.concatenate(found).mean())
