"""What a measure is: a value, written as text, that is evaluated on a test set."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from operator import itemgetter
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
import numpy.typing as npt

from evaluator.datasets.testset import TestSet
from evaluator.engine.similarities import Doubles, Floats, Kind, Similarities
from evaluator.engine.spelling import SpellingSimilarities
from evaluator.engine.vocabulary_lookup import Circle, FoundCategory, VocabularyLookup, find_category
from evaluator.errors import MeasureError, ScoreError
from evaluator.settings import Settings

Key = TypeVar("Key", bound=Hashable)
TestSetField = Literal[
    "categories",
    "sections",
    "groups",
    "rated_pairs",
    "outlier_groups",
    "labelled_texts",
    "synonym_questions",
]
"""What in a test set can be scored: an attribute of `TestSet`."""


type_hints = cache(get_type_hints)
"""Those of a class; to evaluate them takes as long as scoring a few words."""

Number = Annotated[float, msgspec.Meta(ge=-1e308, le=1e308)]
"""A finite number."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""How many of something there are."""

ScoreValue = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
"""Larger scores than these do not exist."""


def refuse_no_number(found: msgspec.Struct, where: str) -> None:
    """Check that all numbers of a result are finite; what is not known is null, with a reason beside it.

    Raises:
        ScoreError: One is not; the message says which.
    """
    for name in found.__struct_fields__:
        value = getattr(found, name)
        if value is None or isinstance(value, str | int):
            continue
        several = (
            value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else [value]
        )
        try:
            if all(map(math.isfinite, several)):
                continue
        except (TypeError, OverflowError):  # of what is no number, or a whole number of any size
            pass
        for each in several:
            if isinstance(each, (float, np.floating)) and not math.isfinite(each):
                raise ScoreError(f"{where}: {name} is {each}, which is no result")


class Observations(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a subscore varies with: different items, such as words, pairs or groups, by name.

    Intervals and tests of all measures are computed from these influences alone.

    Attributes:
        influences: How much the value owes to each observation; squares sum to its variance, unless others
            decide them, too.
        unknown: The observations that have no vector.
        outside: The influence of test words outside the category.
        shares: The share of each word's comparisons that are right, of a measure that counts them.
        decided_by: The other observations that decide the influence of an observation; two vary together if
            one decides both. Empty if each has only its own part; else those without any are 0.
    """

    influences: Mapping[str, Number] = {}
    unknown: tuple[str, ...] = ()
    outside: Mapping[str, Number] = {}
    shares: Mapping[str, Number] = {}
    decided_by: Mapping[str, tuple[str, ...]] = {}

    @property
    def known(self) -> int:
        """How many observations have a vector."""
        return len(self.influences) - len(self.unknown)

    def of_items(self, items: Mapping[str, str]) -> Observations:
        """The same with the item of a word as its observation, so that words of one item vary together.

        Words that are not among the items stay.
        """
        without = {items.get(word, word) for word in self.unknown}
        return Observations(
            summed((items.get(word, word), value) for word, value in self.influences.items()),
            tuple(sorted(without - {items.get(w, w) for w in self.influences.keys() - set(self.unknown)})),
            summed((items.get(word, word), value) for word, value in self.outside.items()),
            # Of several words of an item, the best: sorted, it is the last.
            {items.get(word, word): share for word, share in sorted(self.shares.items(), key=itemgetter(1))},
            joined(
                (items.get(word, word), (items.get(each, each) for each in others))
                for word, others in self.decided_by.items()
            ),
        )


class Subscore(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The score on one category, section, list of pairs or group of a test set.

    Attributes:
        name: Of the category, section, list or group.
        title: The same for people; not there if it is the name.
        topic: What the category is about, if the test set says so; categories of one topic are related.
        value: The score; null if it was skipped.
        low: The lower end of the 95% confidence interval; null if too few items tell how they vary.
        high: The upper end of the interval.
        chance: The chance level: what a model that knows nothing is expected to reach.
        baseline: The score of a model that knows only how frequent words are; null if it was not asked for.
        spelling: The score of a model that knows only the letters of words; null where there is none.
        n: How many different items were scored.
        known: How many of them have a vector.
        size: How many words, questions, pairs or texts there are.
        oov: How many of them cannot be answered because a vector is missing.
        ceiling: The best that any model with this vocabulary could reach.
        hits: The numerator, where the value is a share.
        trials: The denominator, where the value is a share.
        skipped: Why there is no value.
        error: The standard error of the value; not there unless it was computed on a sample.
        weight: Of the value in the mean over subscores.
        extra: Further figures by name.
        seeds: The value of each training run, if this one is their mean.
        observations: What it varies with, for further tests and means; not in files that nothing is resumed
            from.
    """

    name: str
    title: str = ""
    topic: str = ""
    value: ScoreValue | None = None
    low: ScoreValue | None = None
    high: ScoreValue | None = None
    chance: ScoreValue | None = None
    baseline: ScoreValue | None = None
    spelling: ScoreValue | None = None
    n: Count | None = None
    known: Count | None = None
    size: Count = 0
    oov: Count = 0
    ceiling: Number | None = None
    hits: Count | None = None
    trials: Count | None = None
    skipped: str | None = None
    error: Number | None = None
    weight: Number = 1
    extra: Mapping[str, Number] = {}
    seeds: tuple[ScoreValue, ...] = ()
    observations: Observations | None = None

    def __post_init__(self) -> None:
        """Refuse what is no number."""
        refuse_no_number(self, self.name)

    @classmethod
    def of(
        cls,
        name: str,
        size: int,
        oov: int,
        value: float | None = None,
        observations: Sequence[str] = (),
        pseudovalues: npt.ArrayLike = (),
        *,
        unknown: Iterable[str] = (),
        outside: Mapping[str, float] | None = None,
        shares: npt.ArrayLike = (),
        decided_by: Mapping[str, tuple[str, ...]] | None = None,
        **more: Any,  # noqa: ANN401  # the other attributes
    ) -> Subscore:
        """The subscore that pseudo-values give.

        `observations` are what is resampled, words, pairs or groups by name, of shape (n,). `pseudovalues`,
        one for each, are those of the jackknife (Tukey 1958). They are centred: their mean is `value`, and
        their variance divided by n estimates that of `value`. `unknown`, `outside`, `shares`, `decided_by`
        are as in `Observations`, and may be empty; all else is an attribute of the subscore.
        """
        values = np.asarray(pseudovalues, dtype=np.float64)
        n = len(values)
        own = (values - values.mean()) / np.sqrt(n * (n - 1)) if n > 1 else np.zeros(n)
        found = Observations(
            summed(zip(observations, own.tolist(), strict=True)),  # an item may have several words
            tuple(sorted(set(unknown))),
            outside or {},
            dict(zip(observations, np.asarray(shares, dtype=np.float64).tolist(), strict=False)),
            decided_by or {},
        )
        counts = (size, size - oov) if value is None else (len(found.influences), found.known)
        return cls(
            name=name,
            size=size,
            oov=oov,
            value=value,
            n=counts[0],
            known=counts[1],
            observations=None if value is None else found,
            **more,
        )

    @property
    def heading(self) -> str:
        """What people are shown."""
        return self.title or self.name

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% confidence interval; None if there is none."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def summed(pairs: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """The sum of the values of each key."""
    found: dict[Key, float] = {}
    for key, value in pairs:
        found[key] = found.get(key, 0.0) + value
    return found


def joined(pairs: Iterable[tuple[Key, Iterable[str]]]) -> dict[Key, tuple[str, ...]]:
    """All different names of each key, in their order."""
    found: dict[Key, dict[str, None]] = {}
    for key, names in pairs:
        found.setdefault(key, {}).update(dict.fromkeys(names))
    return {key: tuple(names) for key, names in found.items()}


def share_pseudovalues(hits: npt.ArrayLike, trials: npt.ArrayLike, order: int = 1) -> Doubles:
    """Pseudo-values of a share of hits among trials.

    Args:
        hits: Of each observation, shape (n,).
        trials: Of each observation, shape (n,); not all 0.
        order: How many observations take part in each trial; each of them counts the trial as its own.

    Returns:
        Shape (n,); their mean is Σ hits / Σ trials.
    """
    hits, trials = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    share = hits.sum() / trials.sum()
    return np.asarray(share + influence(len(hits), order) * (hits - share * trials) / trials.mean())


def influence(n: int, order: int) -> float:
    """The factor from an observation's own deviation to its jackknife influence on a U-statistic.

    Let θ be the mean of a value over all k-subsets of n observations (a U-statistic; Hoeffding 1948), and θ_i
    the mean over the subsets that contain observation i. Leaving i out changes θ by k/(n-k)·(θ-θ_i), so its
    pseudo-value n·θ - (n-1)·θ_(-i) is θ + k·(n-1)/(n-k)·(θ_i-θ). Without another subset, the factor is k.
    """
    return order * (n - 1) / (n - order) if n > order else float(order)


def jackknife_pseudovalues(value: float, without: Doubles) -> Doubles:
    """Pseudo-values of any score, from the scores without each observation (jackknife; Tukey 1958).

    Args:
        value: The score θ of all n observations.
        without: The scores θ_(-i) without each of them, shape (n,).

    Returns:
        θ + (n-1)·(mean of all θ_(-i) - θ_(-i)), shape (n,).
    """
    return np.asarray(value + (len(without) - 1) * (without.mean() - without))


def of_shared_words(
    value: float, pseudovalues: Doubles, pairs: Sequence[tuple[str, str]]
) -> tuple[tuple[str, ...], Doubles]:
    """What a score of pairs owes to their words, where pairs that share a word vary together.

    The variance of the score is then `Σ_w S_w² - Σ_p ψ_p²`, with ψ_p the influence of a pair and S_w the sum
    of those of a word's pairs (dyadic clusters; Fafchamps & Gubert 2007). If all n pairs of m words are
    there, S_w is to be multiplied by (m-1)/(m-2) as in a U-statistic of order 2, if no word is shared by 1;
    between them, by `1 + (1 - m/(2n))/(m-2)`. The variance is no less than that of pairs without
    common words.

    Returns:
        The words; and their pseudo-values, shape (words,).
    """
    n = len(pairs)
    of_pairs = (pseudovalues - pseudovalues.mean()) / np.sqrt(max(n * (n - 1), 1))
    owed = list(zip(pairs, of_pairs.tolist(), strict=True))
    single = summed((word, own) for pair, own in owed for word in dict.fromkeys(pair))
    both = summed((frozenset(pair), own) for pair, own in owed if pair[0] != pair[1])
    m = len(single)
    sums = np.array(list(single.values())) * (1 + max(1 - m / (2 * max(n, 1)), 0) / max(m - 2, 1))
    squares, twice = float(sums @ sums) * m / max(m - 1, 1), math.fsum(each * each for each in both.values())
    if squares > 0:
        sums *= math.sqrt(max(squares - twice, twice) / squares)
    return tuple(single), value + m * sums


class Evaluation(ABC):
    """The evaluation of a measure on one test set with one vocabulary.

    All measures of a run share one pass over the vocabulary, in three steps: the constructor looks up all
    words; then, if `kind` is set, `add` is given blocks of similarities of all these words to the vocabulary;
    then `subscores` gives the scores. Several threads see different blocks at the same time, each with a
    state of its own.
    """

    kind: Kind | None = None
    """Which similarities are needed; None if the measure needs none."""

    comparisons: int = 0
    """How many comparisons it takes: an estimate of the cost."""

    collects: Hashable = None
    """What states hold: two evaluations of a measure have the same ones if this is the same, and not None."""

    skipped: Mapping[str, str]
    """Why a category, section, list or group cannot be scored, by its name."""

    names: Sequence[str]
    """The names of all subscores."""

    known: bool = True
    """Whether a vector was found for any word at all; there is no score if not."""

    asked: Sequence[str] = ()
    """The words that are asked, of a measure that asks known words alone."""

    reached: int = 0
    """How many queries, from the first one on, hold all of its words."""

    def prepare(self, similarities: Similarities) -> None:  # noqa: B027  # most have nothing to do
        """Prepare for the blocks."""

    def begin(self) -> Any:  # noqa: ANN401  # each evaluation has its own kind of state
        """A new state that has seen no block."""
        return None

    def add(self, state: Any, start: int, similarities: Floats) -> None:  # noqa: ANN401, B027
        """Take a block of the vocabulary into a state.

        Args:
            state: What `begin` returned.
            start: The vocabulary row of the block's first word.
            similarities: Of test words to the block's words, shape (q, words in the block). The q queries
                hold all words of measures that have a `kind`.
        """

    def of_baseline(self, baseline: Circle | SpellingSimilarities) -> Any:  # noqa: ANN401, ARG002  # most know no quicker way
        """The state that has seen the whole vocabulary of a baseline; None if it takes blocks."""
        return None

    @abstractmethod
    def subscores(self, states: Sequence[Any]) -> list[Subscore]:
        """All subscores, in the order of `names`, from states that together have seen all blocks."""


class ImmediateEvaluation(Evaluation):
    """The evaluation of a measure that needs only the vectors of its test words, and so no blocks."""

    def __init__(self, subscores: Iterable[Subscore], *, known: bool = True) -> None:
        """Take the subscores, and whether a vector was found for any word at all."""
        self._subscores, self.known = list(subscores), known
        self.names = [each.name for each in self._subscores]
        self.skipped = {each.name: each.skipped for each in self._subscores if each.skipped is not None}

    def subscores(self, states: Sequence[Any]) -> list[Subscore]:  # noqa: ARG002  # there are no states
        """All subscores."""
        return self._subscores


@dataclass(frozen=True)
class Measure(ABC):
    """A measure. Equal and hashable by its text, which names its parameters: `OddOneOut(samples=1000)@3`.

    Parameters are fields with a default value, of the type int, float, str or Literal. A parameter `k` is
    written after @; each measure says what it means.
    """

    scores: ClassVar[str]
    """What in a test set it scores."""

    counted: ClassVar[str] = "words"
    """What the size of a subscore counts."""

    least_k: ClassVar[int] = 1
    """The smallest k of measures that have one."""

    known_only: ClassVar[bool] = False
    """Whether it asks known words alone, whatever `oov` says: of models that are compared, those of all."""

    least_ranked: ClassVar[int] = 0
    """How many known words, questions or pairs there must be, so that models are ranked by it."""

    least_choosing: ClassVar[int | None] = 0
    """The same, so that it chooses one of them; None if it never does."""

    def __post_init__(self) -> None:
        """Refuse a k that is too small and values that a Literal does not list; subclasses refuse more."""
        k = getattr(self, "k", None)
        self._refuse(k is not None and k < self.least_k, f"k must be {self.least_k} or more")
        for name, hint in type_hints(type(self)).items():
            if get_origin(hint) is Literal:
                value, choices = getattr(self, name), get_args(hint)
                self._refuse(value not in choices, f"{name} is {value!r}; choose from {', '.join(choices)}")

    def __str__(self) -> str:
        """The text that names the measure on the command line, in code and in results."""
        options = [
            f"{each.name}={value}"
            for each in fields(self)
            if each.name != "k" and (value := getattr(self, each.name)) != each.default
        ]
        in_brackets = f"({','.join(options)})" if options else ""
        k = getattr(self, "k", None)
        return f"{type(self).__name__}{in_brackets}{'' if k is None else f'@{k}'}"

    @property
    def asks(self) -> Literal["neighbours", "odd words", "matched words", "test words", "vectors"]:
        """What it asks of the vocabulary, or that it takes the vectors of test words alone.

        What somebody who knows only the letters of words can answer: their neighbours, and which word is odd,
        of any words or of those of a similar rank; or how similar test words are to each other.
        """
        return "vectors"

    @property
    def by_frequency(self) -> bool:
        """Whether somebody who knows only how frequent words are can answer.

        No analogy is solved by that, and many vectors of two dimensions are equally near to an answer.
        """
        return self.scores != "sections"

    @property
    def lowest(self) -> float:
        """The lowest possible value; the highest is 1."""
        return 0.0

    trials_of_a_word: ClassVar[float] = 1.0
    """The variance of what a known word adds, as a multiple of that of a word that is right or wrong."""

    def best(self, known: npt.NDArray[np.integer[Any]], size: int) -> Doubles:
        """The best subscore if only so many of its observations have a vector.

        Args:
            known: Numbers from 0 to `size`, of any shape.
            size: How many observations it has.
        """
        return np.asarray(known / size)

    @property
    def draws(self) -> bool:
        """Whether the score depends on a seed, as samples do."""
        return getattr(self, "samples", None) is not None

    @abstractmethod
    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:
        """Look up the words of a test set and begin its evaluation."""

    def _refuse(self, wrong: bool, message: str) -> None:
        """Refuse a parameter value."""
        if wrong:
            raise MeasureError(f"{self}: {message}")


LEAST_WORDS = 3
"""How many words a category must have, so that all measures stand on the same categories."""


@dataclass(frozen=True)
class CategoryMeasure(Measure):
    """A measure of how well the words of a category belong together."""

    scores: ClassVar[TestSetField] = "categories"

    @property
    def needed(self) -> int:
        """How many words a category must have to be scored, and a model must know to score above 0."""
        return LEAST_WORDS

    @property
    def least_possible(self) -> int:
        """How many words its formula needs, whatever others need."""
        return 2

    def why_not(self, category: FoundCategory, settings: Settings) -> str | None:
        """Why a category is not scored, or None if it is.

        With `oov=wrong` that depends on the test set alone and not on what a model knows.
        """
        needed = self.needed if settings.small_categories == "skip" else self.least_possible
        if category.size >= needed:
            return None
        if category.size < len(category.words):
            return f"of its {len(category.words)} words {category.size} are known, {needed} needed"
        return f"{category.size} {'word' if category.size == 1 else 'words'}, {needed} needed"

    def can_score(self, category: FoundCategory, vocabulary: int) -> bool:  # noqa: ARG002
        """Whether a model knows enough words of a category; its score is 0 if not."""
        return category.usable >= self.needed


def of_category(
    category: FoundCategory,
    value: float | None,
    pseudovalues: npt.ArrayLike = (),
    **more: Any,  # noqa: ANN401
) -> Subscore:
    """The subscore of a category whose n words are the observations; see `Subscore.of`."""
    counts = category.name, len(category.words), category.oov
    if value is None:
        return Subscore.of(*counts, **more)
    words, unknown = category.observations, category.unknown
    return Subscore.of(*counts, value, words, pseudovalues, unknown=unknown, **more)


class CategoryEvaluation(Evaluation):
    """Looks up all categories and gives a subscore for each.

    Categories of which the model knows too few words score 0 and are no less part of the mean; those that
    have too few words themselves are skipped. Subclasses score all others.
    """

    def __init__(
        self, measure: CategoryMeasure, test_set: TestSet, lookup: VocabularyLookup, settings: Settings
    ) -> None:
        self.vocabulary = len(lookup.vectors)
        self._all: list[FoundCategory] = []
        self.categories: list[FoundCategory] = []
        self.names, self.scored_names, skipped = list[str](), list[str](), dict[str, str]()
        self.known = False
        for category in test_set.categories:
            found = find_category(category, lookup, settings)
            self._all.append(found)
            self.names.append(found.name)
            reason = measure.why_not(found, settings)
            if reason is not None:
                skipped[found.name] = reason
                continue
            self.known = self.known or found.usable > 0
            if measure.can_score(found, self.vocabulary):
                self.categories.append(found)
                self.scored_names.append(found.name)
        self.skipped = skipped

    @abstractmethod
    def scored(self, states: Sequence[Any]) -> list[Subscore]:
        """A subscore for each of `categories`, from states that together have seen all blocks."""

    def subscores(self, states: Sequence[Any]) -> list[Subscore]:
        """A subscore for each category, in the order of the test set."""
        scored = dict(zip(self.scored_names, self.scored(states), strict=True))
        return [scored.get(each.name) or self._missed(each) for each in self._all]

    def _missed(self, category: FoundCategory) -> Subscore:
        """The subscore of a category that is skipped, or of which the model knows too little."""
        if category.name in self.skipped:
            return of_category(category, None, skipped=self.skipped[category.name])
        return of_category(category, 0.0, np.zeros(category.size), chance=0.0)
