"""Which languages differ on the same items, and when there are too few items to tell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from msgspec.structs import asdict

from evaluator.measures import Measure
from evaluator.results.base import SIGNIFICANT
from evaluator.results.comparison import Group, LanguageDifference, Reading, in_view
from evaluator.results.scores import Score, Scores
from evaluator.statistics.inference import detectable, difference, holm


def differences_of(
    groups: Sequence[Group], results: Sequence[Scores], measures: Sequence[Measure]
) -> list[LanguageDifference]:
    """Compare every two languages on categories and topics; p-values are corrected for all of these tests.

    In the aligned view, the ids of items are the observations.
    """
    tested = [
        (group, (first.language, second.language), (before, after), found)
        for group in groups
        for measure in measures
        for first, second in combinations(in_view(results, "aligned", group), 2)
        if (before := first.get(str(measure))) and (after := second.get(str(measure)))
        if (found := difference(measure, before.subscores, after.subscores))
    ]
    corrected = holm([found.tested.p for *_, found in tested])
    differences = []
    for (group, (first, second), scores, found), p_holm in zip(tested, corrected, strict=True):
        detects = detectable(found.tested, SIGNIFICANT / len(tested))
        better = scores[1] if found.value > 0 else scores[0]
        differences.append(
            LanguageDifference(
                **asdict(found),
                category=group.name,
                kind=group.kind,
                measure=better.measure,
                first=first,
                second=second,
                p_holm=p_holm,
                detects=detects,
                reading=_significant(better) if p_holm < SIGNIFICANT else _not_significant(detects, scores),
            )
        )
    return differences


def _significant(better: Score) -> Reading:
    """Whether the interval of the better language is above the chance level and the frequency baseline."""
    levels = [level or 0.0 for level in (better.chance, better.baseline)]
    return "differ" if better.low is not None and better.low > max(levels) else "not above baseline"


def _not_significant(detects: float, scores: Sequence[Score]) -> Reading:
    """Whether a difference as large as one of the scores is above chance would have been found."""
    reach = max(each.value - (each.chance or 0.0) for each in scores)
    return "not told apart" if detects <= reach else "no power"
