"""Ranks of embeddings; those that do not differ significantly share a rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from evaluator.plugins import ScoreError
from evaluator.plugins.probes.curves import Curve, CurvePoint

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
    """The p-value of a one-way analysis of variance of two groups (Fisher 1925).

    Groups without variance within give 1 if they are equal, else 0.
    """
    from scipy.stats import f_oneway

    if min(len(a), len(b)) < 2:
        raise ScoreError("an analysis of variance needs two or more splits; one score has no variance")
    if len(set(a)) == len(set(b)) == 1:
        return float(a[0] == b[0])
    return float(f_oneway(a, b).pvalue)


def greedy_ranks(scores: Mapping[str, Sequence[float]], significance: float = SIGNIFICANCE) -> dict[str, int]:
    """Rank embeddings by "a greedy sequential procedure" (section 3.3 of the paper).

    From the highest mean down: an embedding that does not differ significantly from the first one of the
    current rank shares this rank; otherwise it begins the next rank, one higher. The paper does not say with
    which embedding of a rank the next one is compared; compared with the first, no embedding of a rank
    differs significantly from its best. Ranks begin at 0, as in the paper's tables.

    Args:
        scores: For each embedding its scores, one for each split.
        significance: A p below it is a difference. The paper does not give it; 0.05 is usual.
    """
    order = sorted(scores, key=lambda name: (-fmean(scores[name]), name))
    ranks: dict[str, int] = {}
    rank, best = 0, order[0] if order else ""
    for name in order:
        if anova(scores[best], scores[name]) < significance:
            rank, best = rank + 1, name
        ranks[name] = rank
    return {name: ranks[name] for name in scores}


def rank_embeddings(curves: Mapping[str, Curve], significance: float = SIGNIFICANCE) -> tuple[Ranks, ...]:
    """Rank embeddings at the start and the end of their learning curves and by the area under them.

    Args:
        curves: For each embedding its curve on the same task, with the same splits.
        significance: A p below it is a difference.
    """
    if not curves:
        raise ScoreError("there are no learning curves to rank")
    designs = {(curve.shares, curve.sizes, len(curve.scores)) for curve in curves.values()}
    if len(designs) > 1:
        raise ScoreError(
            "these learning curves cannot be compared: they differ in shares, training sizes or splits; "
            "probe all embeddings on the items that all of them know, with the same plan"
        )

    def ranks(point: CurvePoint) -> dict[str, int]:
        return greedy_ranks({name: curve.at(point) for name, curve in curves.items()}, significance)

    start, end, auc = ranks("start"), ranks("end"), ranks("auc")
    return tuple(Ranks(name, start[name], end[name], auc[name]) for name in curves)


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
