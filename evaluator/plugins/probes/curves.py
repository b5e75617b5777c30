"""Learning curves, the gap between linear and non-linear models in them, and ranks of embeddings by them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import methodcaller
from statistics import fmean, pstdev
from typing import Literal

import numpy as np

from evaluator.plugins import ScoreError

ModelKind = Literal["constant", "linear", "nonlinear"]
"""Constant models do not learn from the data; linear models divide or map the space linearly."""

CurvePoint = Literal["start", "end", "auc"]
"""Where a curve is read: at its smallest share of the data, at its largest, or over all of it."""


def area(shares: Sequence[float], scores: Sequence[float]) -> float:
    """The area under a learning curve by the trapezoid rule, divided by its width.

    `1/(x_m − x_1) · Σ_j (x_{j+1} − x_j)·(y_j + y_{j+1})/2`: the mean height of the curve, in the unit of the
    score. Jastrzebski, Leśniak & Czarnecki (2017), section 2, recommend the AUC of the learning curve without
    a formula; divided by the width, curves over different shares can be compared. A curve of a single point
    has the height of this point.
    """
    if len(shares) == 1:
        return float(scores[0])
    mean = np.trapezoid(scores, shares) / (shares[-1] - shares[0])
    return float(min(max(mean, min(scores)), max(scores)))  # rounding could exceed the range of the scores


@dataclass(frozen=True)
class Curve:
    """The learning curves of one model, one for each split."""

    model: str
    kind: ModelKind
    shares: tuple[float, ...]  # of the training data, ascending
    sizes: tuple[int, ...]  # how many items each share is
    scores: tuple[tuple[float, ...], ...]  # of each split, after learning from each share

    def at(self, point: CurvePoint) -> tuple[float, ...]:
        """One number for each split: the score at the start or the end, or the area under its curve."""
        if point == "auc":
            return tuple(area(self.shares, scores) for scores in self.scores)
        return tuple(scores[0 if point == "start" else -1] for scores in self.scores)

    def mean(self, point: CurvePoint) -> float:
        """The mean of `at` over the splits."""
        values = self.at(point)
        return sum(values) / len(values)


@dataclass(frozen=True)
class Probe:
    """What the models of one task find in one embedding."""

    task: str
    score: str  # accuracy or spearman
    items: int
    tests: tuple[int, ...]  # how many of these each split tests; it varies if some must stay together
    seed: int
    curves: tuple[Curve, ...]

    def curve(self, model: str) -> Curve:
        """The curve of a model."""
        for curve in self.curves:
            if curve.model == model:
                return curve
        known = ", ".join(curve.model for curve in self.curves)
        raise ScoreError(f"no model {model!r} was fitted for {self.task}; there are {known}")

    @property
    def expected(self) -> Curve:
        """The mean over all models that learn: equation 1 of the paper with a uniform p(cl)."""
        learners = [curve for curve in self.curves if curve.kind != "constant"]
        if not learners:
            raise ScoreError(f"no model of {self.task} learns, so none can be averaged")
        by_split = zip(*(curve.scores for curve in learners), strict=True)
        scores = tuple(
            tuple(sum(at_share) / len(learners) for at_share in zip(*split, strict=True))
            for split in by_split
        )
        kind: ModelKind = "nonlinear" if any(curve.kind == "nonlinear" for curve in learners) else "linear"
        return Curve("expected", kind, learners[0].shares, learners[0].sizes, scores)


@dataclass(frozen=True)
class Gap:
    """The best non-linear model beside the best linear one.

    Attributes:
        point: Where the curves were read.
        linear: The best linear model; where none learns, the best constant one.
        nonlinear: The best non-linear model.
        linear_score: Its mean score over the splits.
        nonlinear_score: The same of the non-linear model.
        value: The normalised difference, above 0 if the non-linear model is better.
    """

    point: CurvePoint
    linear: str
    nonlinear: str
    linear_score: float
    nonlinear_score: float
    value: float


def gap(probe: Probe, point: CurvePoint = "end") -> Gap:
    """Compare the best non-linear with the best linear model of a probe.

    The "normalized difference between score of the best performing non-linear model and the best performing
    linear model" (Figure 1 of the paper):
    `(s_nonlinear − s_linear) / max(|s_nonlinear|, |s_linear|)`; 0 if both are 0. The paper does not say by
    what it normalises: with the larger one, accuracies give −1 to 1, and correlations −2 to 2. Similarity has
    no linear model that learns; the cosine, which is linear in each of the two words, takes its place.
    """
    curved = [curve for curve in probe.curves if curve.kind == "nonlinear"]
    straight = [curve for curve in probe.curves if curve.kind == "linear"]
    straight = straight or [curve for curve in probe.curves if curve.kind == "constant"]
    if not curved or not straight:
        raise ScoreError(
            f"{probe.task} has no {'linear' if curved else 'non-linear'} model, so there is no gap"
        )
    height = methodcaller("mean", point)
    linear, nonlinear = max(straight, key=height), max(curved, key=height)
    a, b = height(nonlinear), height(linear)
    scale = max(abs(a), abs(b))
    return Gap(point, linear.model, nonlinear.model, b, a, (a - b) / scale if scale else 0.0)


SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Ranks:
    """The ranks of one embedding on one task, 0 for the best.

    Attributes:
        name: The embedding.
        start: By the scores at the smallest share of the data.
        end: By the scores at the largest.
        auc: By the areas under the curves.
    """

    name: str
    start: int
    end: int
    auc: int


@dataclass(frozen=True)
class MeanRanks:
    """The ranks of one embedding over several tasks: a row of Table 1 of the paper.

    Attributes:
        name: The embedding.
        tasks: How many tasks.
        start: The mean rank at the start, and its standard deviation over the tasks.
        end: At the end, likewise.
        auc: By area, likewise.
        change: The mean of |rank at the end − rank at the start| (section 3.5).
    """

    name: str
    tasks: int
    start: tuple[float, float]
    end: tuple[float, float]
    auc: tuple[float, float]
    change: float


def anova(a: Sequence[float], b: Sequence[float]) -> float:
    """The p-value of a one-way analysis of variance of two groups.

    `F = (SS_between / 1) / (SS_within / (n_a + n_b − 2))`, Fisher (1925); p is the upper tail of the F
    distribution with (1, n_a + n_b − 2) degrees of freedom. Groups without variance within give 1 if they are
    equal, else 0.
    """
    from scipy.special import fdtrc

    if min(len(a), len(b)) < 2:
        raise ScoreError("an analysis of variance needs two or more splits; one score has no variance")
    mean_a, mean_b = fmean(a), fmean(b)
    between = len(a) * len(b) / (len(a) + len(b)) * (mean_a - mean_b) ** 2
    within = math.fsum((x - mean_a) ** 2 for x in a) + math.fsum((x - mean_b) ** 2 for x in b)
    if not within:
        return 0.0 if between else 1.0
    freedom = len(a) + len(b) - 2
    # SciPy's f_oneway gives NaN for groups whose means are equal: its sum of squares comes out below 0.
    return float(fdtrc(1, freedom, between / (within / freedom)))


def greedy_ranks(scores: Mapping[str, Sequence[float]]) -> dict[str, int]:
    """Rank embeddings by "a greedy sequential procedure" (section 3.3 of the paper).

    From the highest mean down: an embedding that does not differ significantly from the first one of the
    current rank shares this rank; otherwise it begins the next rank, one higher. The paper does not say with
    which embedding of a rank the next one is compared; compared with the first, no embedding of a rank
    differs significantly from its best. Ranks begin at 0, as in the paper's tables.
    A p below 0.05 is a difference. The paper does not give this number; it is usual.
    """
    order = sorted(scores, key=lambda name: (-fmean(scores[name]), name))
    ranks: dict[str, int] = {}
    rank, best = 0, order[0] if order else ""
    for name in order:
        if anova(scores[best], scores[name]) < SIGNIFICANCE:
            rank, best = rank + 1, name
        ranks[name] = rank
    return {name: ranks[name] for name in scores}


def rank_embeddings(curves: Mapping[str, Curve]) -> tuple[Ranks, ...]:
    """Rank embeddings by start, end and area of their learning curves on one task, with the same splits."""
    if not curves:
        raise ScoreError("there are no learning curves to rank")
    designs = {(curve.shares, curve.sizes, len(curve.scores)) for curve in curves.values()}
    if len(designs) > 1:
        raise ScoreError(
            "these learning curves cannot be compared: they differ in shares, training sizes or splits; "
            "probe all embeddings on the items that all of them know, with the same plan"
        )

    points: tuple[CurvePoint, ...] = ("start", "end", "auc")
    ranks = [greedy_ranks({name: curve.at(each) for name, curve in curves.items()}) for each in points]
    return tuple(Ranks(name, *(of_point[name] for of_point in ranks)) for name in curves)


def average_ranks(tasks: Sequence[Sequence[Ranks]]) -> tuple[MeanRanks, ...]:
    """Average the ranks of embeddings over tasks: Table 1 of the paper."""
    if not tasks or len({tuple(sorted(ranks.name for ranks in task)) for task in tasks}) > 1:
        raise ScoreError("ranks can be averaged only over one or more tasks that rank the same embeddings")
    averaged = []
    for name in (ranks.name for ranks in tasks[0]):
        own = [ranks for task in tasks for ranks in task if ranks.name == name]
        values = ([getattr(ranks, point) for ranks in own] for point in ("start", "end", "auc"))
        start, end, auc = ((fmean(of_point), pstdev(of_point)) for of_point in values)
        change = fmean([abs(ranks.end - ranks.start) for ranks in own])
        averaged.append(MeanRanks(name, len(own), start, end, auc, change))
    return tuple(averaged)
