"""Which languages differ on the same items, and when there are too few items to tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from evaluator.results.comparison import Group, LanguageDifference, Reading
from evaluator.statistics.inference import SIGNIFICANT, detectable, difference, holm
from evaluator.studies.languages.language_scores import LanguageScores


def differences_of(
    tests: Iterable[tuple[Group, str]], languages: Sequence[LanguageScores]
) -> list[LanguageDifference]:
    """Compare every two languages on categories and topics; p-values are corrected for all of these tests.

    Args:
        tests: Each category or topic with the text of each measure.
        languages: Their scores on the same items, whose ids are the observations.
    """
    found = [
        (group, measure, pair, difference(*(each.scored(measure, group) for each in pair)))
        for group, measure in tests
        for pair in combinations(languages, 2)
    ]
    tested = [(group, measure, pair, each) for group, measure, pair, each in found if each is not None]
    corrected = holm([each.tested.p for *_, each in tested])
    strictest = SIGNIFICANT / max(len(tested), 1)
    differences = []
    for (group, measure, (first, second), each), p_holm in zip(tested, corrected, strict=True):
        detects = detectable(each.tested, strictest)
        reach = max(_above_chance(language, measure, group) for language in (first, second))
        no_difference: Reading = "not told apart" if detects <= reach else "no power"
        above = (second if each.value > 0 else first).above_baseline(measure, group)
        difference_: Reading = "differ" if above else "not above baseline"
        shown = each.tested
        differences.append(
            LanguageDifference(
                *(group.name, group.kind, measure, first.code, second.code),
                *(each.value, shown.low, shown.high, shown.p, p_holm),
                "items" if each.of_categories is None else "categories",
                *(each.observations, detects),
                difference_ if p_holm < SIGNIFICANT else no_difference,
            )
        )
    return differences


def _above_chance(language: LanguageScores, measure: str, group: Group) -> float:
    """The score of a language above chance level; 0 if it has none."""
    scored = language.scored(measure, group)
    above = [(part.value or 0.0) - (part.chance or 0.0) for part in scored]
    return sum(above) / len(above) if above else 0.0
