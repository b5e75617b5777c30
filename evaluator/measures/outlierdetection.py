"""Outlier detection: which word of a group does not belong to the others?"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from evaluator.datasets.outlier_groups import OUTLIERS, SIZE, Out, outlier_groups
from evaluator.datasets.testset import OutlierGroup, TestSet
from evaluator.engine.similarities import Doubles, Rows, in_double_precision, unit_rows
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.measures.base import (
    Evaluation,
    ImmediateEvaluation,
    Measure,
    Subscore,
    TestSetField,
    share_pseudovalues,
)
from evaluator.settings import OOV, Settings

ScoreName = Literal["accuracy", "OPP"]

_ALL = "all groups"
_NEEDED = 2
_TIE = 2.0**-40  # sums of n cosines in double precision that differ by no more than n times this are equal


@dataclass(frozen=True)
class GroupMeasure(Measure):
    """A measure of how well outliers are distinguished from the members of a group.

    For n members W and an outlier o, the compactness without a word x is the mean cosine of all ordered pairs
    of the others, `c(x) = 1/(n(n-1)) · Σ_{y≠x} Σ_{z≠x,y} cos(y,z)` (Camacho-Collados & Navigli 2016, "Find
    the word that does not belong", eq. 1). The outlier's position OP is the number of members with a lower
    compactness, from 0 to n; a tie counts as a half. c(x) rises as p(x) falls, the sum of the cosines of x
    with all others (their eq. 2), so the outlier is last if and only if it is farthest from the mean of all
    n+1 unit vectors. Over all pairs of a group and one of its outliers,

    - `accuracy` is the share of pairs with OP = n; a tie is a miss;
    - `OPP` is the mean of OP/n.

    The run's `norm` makes no difference; the cosine with a vector of zeros is 0.

    The chance level of the accuracy is 1/(n+1), that of OPP 1/2. With `oov=wrong`, every comparison with an
    OOV word is a miss: an OOV outlier has OP = 0, and an outlier of a group with OOV members cannot be last.
    With `oov=skip`, OOV words are left out, and groups in which fewer than 2 members or no outlier have a
    vector are skipped.

    Observations are groups: the outliers of one group are compared with the same members, so that they
    contain much less information than as many outliers of different groups. So all groups share one
    subscore.

    Attributes:
        score: `accuracy` or `OPP`.
    """

    counted: ClassVar[str] = "outliers"
    trials_of_a_word: ClassVar[float] = 0.3  # a group is seldom all right or all wrong; by simulation

    score: ScoreName = "accuracy"

    @abstractmethod
    def groups(self, test_set: TestSet, seed: int) -> Sequence[OutlierGroup]:
        """The groups to score."""

    def evaluation(self, test_set: TestSet, lookup: VocabularyLookup, settings: Settings) -> Evaluation:
        """Compare the words of all groups; only their vectors are needed."""
        found = [_find(group, lookup) for group in self.groups(test_set, settings.seed)]
        scored = [each for each in found if each.why_not(settings.oov) is None]
        skipped = [
            Subscore.of(each.name, len(each.outliers), each.oov, skipped=reason)
            for each in found
            if (reason := each.why_not(settings.oov)) is not None
        ]
        whole = [_subscore(self, scored, lookup.queries, settings.oov)] if scored else []
        known = any(each.why_not("skip") is None for each in found)
        return ImmediateEvaluation([*whole, *skipped], known=known)


@dataclass(frozen=True)
class OutlierDetection(GroupMeasure):
    """How well outliers are distinguished in groups of a test set, such as 8-8-8, as `OutlierDetection`."""

    scores: ClassVar[TestSetField] = "outlier_groups"

    def groups(self, test_set: TestSet, seed: int) -> Sequence[OutlierGroup]:  # noqa: ARG002  # no draws
        """Those of the test set."""
        return test_set.outlier_groups


@dataclass(frozen=True)
class CategoryOutliers(GroupMeasure):
    """The same for groups made of categories, as `CategoryOutliers` or `CategoryOutliers(out=near)`.

    For each category, members are drawn from it and outliers from the other categories, as
    `evaluator.datasets.outlier_groups` says; the vectors do not matter for this.

    Attributes:
        out: Whether outliers are `near` (from categories of the same topic), `far` (from others) or `graded`
            (half of each).
        size: How many members a group has, if its category is large enough.
        outliers: How many outliers a group has, if there are enough.
    """

    scores: ClassVar[TestSetField] = "categories"

    out: Out = "graded"
    size: int = SIZE
    outliers: int = OUTLIERS

    def __post_init__(self) -> None:
        """Refuse parameters that make no sense."""
        super().__post_init__()
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
    """A group whose words have been looked up: rows among the queries, -1 for words without a vector."""

    name: str
    members: Rows
    outliers: Rows

    def why_not(self, oov: OOV) -> str | None:
        """Why it is not scored, or None if it is; with `oov=wrong` that depends on the group alone."""
        if not len(self.outliers):
            return "it has no outliers"
        if oov == "wrong":
            few = len(self.members) < _NEEDED
            return f"{len(self.members)} members, {_NEEDED} needed" if few else None
        members, outliers = int((self.members >= 0).sum()), int((self.outliers >= 0).sum())
        if members < _NEEDED:
            return f"{members} of {len(self.members)} members in the vocabulary, {_NEEDED} needed"
        return None if outliers else f"0 of {len(self.outliers)} outliers in the vocabulary"

    @property
    def oov(self) -> int:
        """How many of its outliers cannot be compared with all members because a vector is missing."""
        return len(self.outliers) if (self.members < 0).any() else int((self.outliers < 0).sum())

    def count(self, measure: GroupMeasure, queries: Doubles, oov: OOV) -> tuple[float, ...]:
        """The sum of its outliers' scores, how many count, the greatest possible sum, and that by chance."""
        members, outliers = (rows[rows >= 0] for rows in (self.members, self.outliers))
        n, trials = len(members), len(outliers)
        if oov == "wrong":
            n, trials = len(self.members), len(self.outliers)
        if len(members) < _NEEDED:  # nothing is compared, and nothing is found
            return 0, trials, 0, 0
        found = positions(*(unit_rows(in_double_precision(queries, rows)) for rows in (members, outliers)))
        if measure.score == "OPP":
            best = len(members) / n * len(outliers)
            return float(found.sum()) / n, trials, best, best / 2
        best = len(outliers) if len(members) == n else 0
        return int((found == n).sum()), trials, best, best / (n + 1)


def _subscore(measure: GroupMeasure, groups: Sequence[_Group], queries: Doubles, oov: OOV) -> Subscore:
    """That of all groups together."""
    counts = [group.count(measure, queries, oov) for group in groups]
    hits, trials, best, chance = zip(*counts, strict=True)
    share = measure.score == "accuracy"
    return Subscore.of(
        _ALL,
        sum(len(group.outliers) for group in groups),
        sum(group.oov for group in groups),
        math.fsum(hits) / sum(trials),
        tuple(group.name for group in groups),
        share_pseudovalues(hits, trials),
        unknown=[group.name for group in groups if group.why_not("skip") is not None],
        hits=sum(hits) if share else None,
        trials=sum(trials) if share else None,
        ceiling=math.fsum(best) / sum(trials),
        chance=math.fsum(chance) / sum(trials),
        extra={"groups": len(groups)},
    )


def positions(members: Doubles, outliers: Doubles) -> Doubles:
    """OP of each outlier: how many members are nearer to all others; all are unit vectors, or zeros."""
    among = np.einsum("id,jd->ij", members, members)
    np.fill_diagonal(among, 0)
    across = np.einsum("id,jd->ij", outliers, members)
    # p(member) - p(outlier) in the group with this outlier, shape (o, n)
    ahead = among.sum(axis=1) + across - across.sum(axis=1, keepdims=True)
    tie = _TIE * len(members)
    return np.asarray(((ahead > tie).sum(axis=1) + (ahead >= -tie).sum(axis=1)) / 2)


def _find(group: OutlierGroup, lookup: VocabularyLookup) -> _Group:
    """Look up the words of a group; an outlier with the same normalized form as a member is dropped."""
    # Members that come again count once, as a member is not compared with itself; outliers count each time.
    members = lookup.normalized_words(group.members)
    forms = map(lookup.normalized, group.outliers)
    outliers = [form for form in forms if form is not None and form not in members]
    return _Group(group.name, lookup.query_rows(members), lookup.query_rows(outliers))
