"""Which languages differ on the same items, and when there are too few items to tell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from evaluator.measures.base import Subscore
from evaluator.results.comparison import Group, LanguageDifference, Reading
from evaluator.statistics.resampling import difference
from evaluator.studies.coverage import detectable
from evaluator.studies.languages.language_scores import LanguageScores

SIGNIFICANT = 0.05


def holm(values: Sequence[float]) -> list[float]:
    """P-values corrected for several tests (Holm 1979, "A Simple Sequentially Rejective … Procedure").

    The smallest of m is multiplied by m, the next by m-1 and so on; none becomes smaller than the one before
    it, or larger than 1.
    """
    corrected, largest = [0.0] * len(values), 0.0
    for rank, number in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[number]))
        corrected[number] = largest
    return corrected


def has_power(items: int, pairs: int, detects: float, reach: float) -> bool:
    """Whether a comparison of languages could find a difference.

    It could not if the permutation test cannot give a small p at all: the probability that n signs are all
    the same is 2·2^-n, and Holm multiplies it by the number of pairs. Nor if not even the best language could
    be told from one at chance level.

    Args:
        items: The number of items.
        pairs: The number of pairs of languages.
        detects: The difference that is found in four of five cases.
        reach: The score of the best language above chance level.
    """
    return pairs * 2.0 ** (1 - items) <= SIGNIFICANT and detects <= reach


def differences_of(
    group: Group, measure: str, languages: Sequence[LanguageScores], seed: int
) -> list[LanguageDifference]:
    """Compare every two languages on a category or topic.

    Args:
        group: The category or topic.
        measure: The text of the measure.
        languages: Their scores on the same items, whose ids are the observations.
        seed: For random draws.
    """
    parts = {each.code: each.scored(measure, group) for each in languages}
    tested = [
        (first, second, found)
        for first, second in combinations(parts, 2)
        if (found := difference(parts[first], parts[second], seed)) is not None
    ]
    corrected = holm([found.p for *_, found in tested])
    reach = max((_above_chance(each, measure, group) for each in languages), default=0.0)
    differences = []
    for (first, second, found), p_holm in zip(tested, corrected, strict=True):
        detects = _detects(parts[first], parts[second])
        power = has_power(found.units, len(tested), detects, reach)
        no_difference: Reading = "not told apart" if power else "no power"
        reading: Reading = "differ" if p_holm < SIGNIFICANT else no_difference
        numbers = found.value, found.low, found.high, found.p, p_holm, found.units, detects
        differences.append(
            LanguageDifference(group.name, group.kind, measure, first, second, *numbers, reading)
        )
    return differences


def _detects(first: Sequence[Subscore], second: Sequence[Subscore]) -> float:
    """The difference that is found in four of five cases on the categories that both are scored on."""
    names = {each.name for each in first}
    return detectable([len(each.observations) for each in second if each.name in names]) or 0.0


def _above_chance(language: LanguageScores, measure: str, group: Group) -> float:
    """The score of a language above chance level; 0 if it has none."""
    scored = language.scored(measure, group)
    above = [(part.value or 0.0) - (part.chance or 0.0) for part in scored]
    return sum(above) / len(above) if above else 0.0
