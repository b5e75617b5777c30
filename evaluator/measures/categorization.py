"""Categorization: do clusters of words agree with the categories?"""

from __future__ import annotations

import bisect
import itertools
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine.clusterings import SEEDS, clusterings, contingency, purity, v_measure
from evaluator.engine.similarities import Doubles, Ints, Rows, in_double_precision
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.errors import ScoreError
from evaluator.execution.machine import one_thread
from evaluator.measures.base import Evaluation, ImmediateEvaluation, Measure, Subscore, TestSetField
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
    each pair. Observations are words; of each group, the first one stands for it.

    Attributes:
        score: `purity` or `V`.
    """

    scores: ClassVar[TestSetField] = "categories"

    score: ScoreName = "purity"

    @property
    def draws(self) -> bool:
        """K-means and the chance level depend on a seed."""
        return True

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:
        """Cluster the words of all categories; only their vectors are needed."""
        try:
            import sklearn  # noqa: F401
        except ImportError as error:
            raise ScoreError(f"{self} needs scikit-learn: pip install 'testgen-evaluator[learn]'") from error
        categories = {each.name: lookup.normalized_words(each.words) for each in test_set.categories}
        own, left_out = apart(categories)
        drawn = draw(own, settings.seed)
        several = len(set().union(*categories.values())) - sum(map(len, own.values()))
        undrawn = sum(map(len, own.values())) - sum(map(len, drawn.values()))
        extra = {"words in several categories": several, "words not drawn": undrawn}
        found = {
            name: [word for word in words if lookup.find(word) is not None] for name, words in drawn.items()
        }
        if settings.oov == "skip":
            left_out |= {
                name: f"0 of {len(words)} words in the vocabulary"
                for name, words in drawn.items()
                if not found[name]
            }
        scored = {name: words for name, words in drawn.items() if name not in left_out}
        skipped = [
            Subscore.of(name, len(words), int((lookup.query_rows(words) < 0).sum()), skipped=left_out[name])
            for name, words in categories.items()
            if name in left_out
        ]
        # With several threads, sums differ in their last bits, and clusters could differ too.
        with one_thread():
            whole = self._subscore(scored, extra, lookup, settings)
        return ImmediateEvaluation([whole, *skipped], known=not scored or any(found.values()))

    def _subscore(
        self,
        categories: Mapping[str, Sequence[str]],
        extra: Mapping[str, int],
        lookup: VocabularyLookup,
        settings: Settings,
    ) -> Subscore:
        words = [word for own in categories.values() for word in own]
        rows = lookup.query_rows(words)
        oov = int((rows < 0).sum())
        gold = np.repeat(np.arange(len(categories)), [len(own) for own in categories.values()])
        counts = np.full(len(words), settings.oov == "wrong") | (rows >= 0)
        counted, rows, gold = list(itertools.compress(words, counts)), rows[counts], gold[counts]
        reason = _why_not(len(categories), len(counted)) or (None if oov < len(words) else "no word is known")
        if reason is not None:
            return Subscore.of(ALL, len(words), oov, skipped=reason)
        queries = lookup.queries

        def vectors(rows: Rows) -> Doubles:
            return in_double_precision(queries, rows[rows >= 0])

        own, found, values = _clustered(self.score, gold[rows >= 0], vectors(rows), settings.seed)
        generator = np.random.default_rng([settings.seed, len(own)])
        permuted = np.array([generator.permutation(own) for _ in range(_PERMUTATIONS)])
        score = _SCORES[self.score]
        chances = [np.mean([_chance(score, permuted, each) for each in runs]) for runs in found.values()]
        share = (len(words) - oov) / len(counted)
        value = float(np.mean([*values.values()])) * share

        def of_half(half: Bools) -> float:
            usable = half & (rows >= 0)
            if not usable.any():
                return 0.0
            *_, values = _clustered(self.score, gold[usable], vectors(rows[usable]), settings.seed, 1)
            return float(np.mean([*values.values()])) * int(usable.sum()) / int(half.sum())

        return Subscore.of(
            ALL,
            len(words),
            oov,
            value,
            counted,
            half_sample_pseudovalues(value, of_half, gold, settings.seed),
            unknown=itertools.compress(counted, rows < 0),
            ceiling=share,
            chance=float(np.mean(chances)) * share,
            extra={
                "categories": len(categories),
                **{name: count for name, count in extra.items() if count},
                **{name: value * share for name, value in values.items()},
            },
        )


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


def _clustered(
    score: ScoreName, gold: Ints, vectors: Doubles, seed: int, seeds: int = SEEDS
) -> tuple[Ints, dict[str, list[Ints]], dict[str, float]]:
    """The categories that have a word, from 0; clusters made in all ways; and how well these agree."""
    gold = np.asarray(np.unique(gold, return_inverse=True)[1].reshape(-1), dtype=np.int64)
    found = clusterings(vectors, int(gold.max()) + 1, seed, seeds)
    values = {
        name: float(np.mean([_SCORES[score](contingency(gold, each)) for each in runs]))
        for name, runs in found.items()
    }
    return gold, found, values


def half_sample_pseudovalues(
    value: float, of_half: Callable[[Bools], float], categories: Ints, seed: int
) -> Doubles:
    """Pseudo-values of any score of n words, however unsmooth, from balanced half-samples (McCarthy 1969).

    Their variance is the mean square of the differences between the halves' scores and their mean. If the
    score is a mean, it is on average that of as many independent words of each category.
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
