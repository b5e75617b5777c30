"""Outlier detection: which of some words does not belong to the others?"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from evaluator.datasets.outlier_groups import OUTLIERS, SIZE, Out, outlier_groups
from evaluator.datasets.testset import OutlierGroup, TestSet
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import Doubles, Evaluation, Measure, Subscore, TestSetField, share_pseudovalues
from evaluator.measures.similarity import doubles, unit
from evaluator.settings import Settings

Ints = npt.NDArray[np.int64]
Way = Literal["accuracy", "OPP"]

_NEEDED = 2
_TIE = 2.0**-40  # sums of n cosines in double precision that differ by no more than n times this are equal


@dataclass(frozen=True)
class GroupMeasure(Measure):
    """A measure of how well outliers are told from groups of words.

    Of n members W and an outlier o, compactness without a word x is the mean cosine of all ordered pairs of
    the others, `c(x) = 1/(n(n-1)) · Σ_{y≠x} Σ_{z≠x,y} cos(y,z)` (Camacho-Collados & Navigli 2016, "Find the
    word that does not belong", eq. 1). The outlier's position OP is the number of members with less of it,
    from 0 to n, and a tie counts as a half. With c(x) goes down p(x), the sum of the cosines of x with all
    others (their eq. 2), so that the outlier is last if and only if it is farthest from the mean of all n+1
    unit vectors. Over all pairs of a group and one of its outliers,

    - `accuracy` is the share of pairs with OP = n; a tie is a miss;
    - `OPP` is the mean of OP/n.

    Cosines are compared whatever the run's `norm`; with a vector of zeros they are 0.

    A blind guess has an accuracy of 1/(n+1) and an OPP of 1/2. With `oov=wrong`, every comparison with a word
    without a vector is a miss: an outlier is at 0, and one beside members of which some have no vector cannot
    be last. With `oov=skip`, such words leave. Groups with fewer than 2 usable members or without a usable
    outlier are skipped.

    Units are groups: the outliers of a group are compared with the same members, so that they tell much less
    than as many outliers of different groups. Hence all groups of a family make one part.

    Attributes:
        score: `accuracy` or `OPP`.
    """

    counted: ClassVar[str] = "outliers"

    score: Way = "accuracy"

    def __post_init__(self) -> None:
        """Refuse a way to score that does not exist.

        Raises:
            MeasureError: There is no such way.
        """
        self._refuse(self.score not in get_args(Way), f"score is one of {', '.join(get_args(Way))}")

    @abstractmethod
    def groups(self, test_set: TestSet, seed: int) -> Sequence[OutlierGroup]:
        """The groups to score."""

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> GroupEvaluation:
        """Look up the words of all groups."""
        return GroupEvaluation(self.score, self.groups(test_set, settings.seed), lookup, settings)


@dataclass(frozen=True)
class OutlierDetection(GroupMeasure):
    """How well outliers are told from the groups of a test set, such as 8-8-8, as `OutlierDetection`.

    Attributes:
        score: `accuracy` or `OPP`.
    """

    scores: ClassVar[TestSetField] = "outlier_groups"

    def groups(self, test_set: TestSet, seed: int) -> Sequence[OutlierGroup]:  # noqa: ARG002  # no draws
        """Those of the test set."""
        return test_set.outlier_groups


@dataclass(frozen=True)
class CategoryOutliers(GroupMeasure):
    """The same on groups made of categories, as `CategoryOutliers` or `CategoryOutliers(out=near)`.

    For each category, members are drawn from it and outliers from the other categories, as
    `evaluator.datasets.outlier_groups` says; the vectors have no say in it.

    Attributes:
        score: `accuracy` or `OPP`.
        out: Whether outliers are `near`, from categories of the same topic, `far`, from others, or `graded`,
            half of them each.
        size: How many members a group has, if its category has as many.
        outliers: How many outliers a group has, if there are as many.
    """

    scores: ClassVar[TestSetField] = "categories"

    out: Out = "graded"
    size: int = SIZE
    outliers: int = OUTLIERS

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense.

        Raises:
            MeasureError: There is no such outlier, or there are too few words.
        """
        super().__post_init__()
        self._refuse(self.out not in get_args(Out), f"out is one of {', '.join(get_args(Out))}")
        self._refuse(self.size < _NEEDED, f"size must be {_NEEDED} or more")
        self._refuse(self.outliers < 1, "outliers must be 1 or more")

    @property
    def draws(self) -> bool:
        """Groups depend on a seed."""
        return True

    def groups(self, test_set: TestSet, seed: int) -> Sequence[OutlierGroup]:
        """One for each category."""
        return outlier_groups(test_set, self.size, self.outliers, seed, self.out)


@dataclass(frozen=True, eq=False)
class _Group:
    """A group whose words have been looked up.

    Attributes:
        name: The group.
        family: The groups it counts with.
        members: Rows among the queries, -1 for words without a vector, shape (n,).
        outliers: The same, shape (o,).
    """

    name: str
    family: str
    members: Ints
    outliers: Ints

    @property
    def why_not(self) -> str | None:
        """Why it cannot be scored, or None if it can."""
        if not len(self.outliers):
            return "it has no outliers"
        members, outliers = int((self.members >= 0).sum()), int((self.outliers >= 0).sum())
        if members < _NEEDED:
            return f"{members} of {len(self.members)} members in the vocabulary, {_NEEDED} needed"
        return None if outliers else f"0 of {len(self.outliers)} outliers in the vocabulary"


@dataclass(frozen=True, eq=False)
class _Counts:
    """What the outliers of a group come to.

    Attributes:
        hits: The sum of their scores.
        trials: How many count.
        best: The greatest sum of scores there could be.
        chance: The sum expected of a blind guess.
    """

    hits: float
    trials: int
    best: float
    chance: float


class GroupEvaluation(Evaluation):
    """Needs the vectors of the groups and no others."""

    def __init__(
        self, score: Way, groups: Sequence[OutlierGroup], lookup: VocabularyLookup, settings: Settings
    ) -> None:
        """Look up the words of all groups."""
        self._score = score
        self._oov = settings.oov
        self._lookup = lookup
        self._groups = [_find(group, lookup) for group in groups]
        self.skipped = {each.name: why for each in self._groups if (why := each.why_not) is not None}
        self._families: dict[str, list[_Group]] = {}
        for each in self._groups:
            if each.name not in self.skipped:
                self._families.setdefault(each.family, []).append(each)
        self.names = [*self._families, *self.skipped]

    def subscores(self, states: Sequence[Any]) -> list[Subscore]:  # noqa: ARG002  # nothing has passed by
        """A part for each family of groups, then one for each group that is skipped."""
        queries = self._lookup.queries
        scored = [self._part(name, groups, queries) for name, groups in self._families.items()]
        skipped = [
            Subscore(each.name, len(each.outliers), _lacking(each), skipped=self.skipped[each.name])
            for each in self._groups
            if each.name in self.skipped
        ]
        return [*scored, *skipped]

    def _part(self, name: str, groups: Sequence[_Group], queries: npt.NDArray[np.float32]) -> Subscore:
        counts = [self._count(group, queries) for group in groups]
        trials = sum(each.trials for each in counts)
        hits = sum(each.hits for each in counts)
        accuracy = self._score == "accuracy"
        return Subscore(
            name,
            sum(len(group.outliers) for group in groups),
            sum(_lacking(group) for group in groups),
            hits / trials,
            tuple(group.name for group in groups),
            share_pseudovalues([each.hits for each in counts], [each.trials for each in counts]),
            round(hits) if accuracy else None,
            trials if accuracy else None,
            sum(each.best for each in counts) / trials,
            sum(each.chance for each in counts) / trials,
            extra={"groups": len(groups)},
        )

    def _count(self, group: _Group, queries: npt.NDArray[np.float32]) -> _Counts:
        """The scores of a group's outliers, of those that count."""
        members, outliers = (rows[rows >= 0] for rows in (group.members, group.outliers))
        n = len(group.members) if self._oov == "wrong" else len(members)
        trials = len(group.outliers) if self._oov == "wrong" else len(outliers)
        known, vectors = len(outliers), (unit(doubles(queries, rows)) for rows in (members, outliers))
        places = positions(*vectors)
        if self._score == "OPP":
            of_best = len(members) / n * known
            return _Counts(float(places.sum()) / n, trials, of_best, of_best / 2)
        best = known if len(members) == n else 0
        return _Counts(int((places == n).sum()), trials, best, best / (n + 1))


def positions(members: Doubles, outliers: Doubles) -> Doubles:
    """OP of each outlier of a group: how many members are closer to all others; a tie counts as a half.

    Args:
        members: Unit vectors, or zeros; shape (n, d).
        outliers: The same, shape (o, d).

    Returns:
        Shape (o,).
    """
    among = np.einsum("id,jd->ij", members, members)
    np.fill_diagonal(among, 0)
    across = np.einsum("id,jd->ij", outliers, members)
    # p(member) - p(outlier) in the group with this outlier, shape (o, n)
    ahead = among.sum(axis=1) + across - across.sum(axis=1, keepdims=True)
    tie = _TIE * len(members)
    return np.asarray(((ahead > tie).sum(axis=1) + (ahead >= -tie).sum(axis=1)) / 2)


def _find(group: OutlierGroup, lookup: VocabularyLookup) -> _Group:
    """Look up the words of a group; an outlier that is compared as the same word as a member is none."""
    members = lookup.normalized_words(group.members)
    outliers = [word for word in lookup.normalized_words(group.outliers) if word not in members]
    return _Group(group.name, _family(group), _rows(members, lookup), _rows(outliers, lookup))


def _family(group: OutlierGroup) -> str:
    family: str | None = getattr(group, "family", None)
    return family or "all groups"


def _rows(words: Sequence[str], lookup: VocabularyLookup) -> Ints:
    return np.array([-1 if (row := lookup.find(word)) is None else row for word in words], dtype=np.int64)


def _lacking(group: _Group) -> int:
    """How many of its outliers cannot be compared with all members, for want of a vector."""
    return len(group.outliers) if (group.members < 0).any() else int((group.outliers < 0).sum())
