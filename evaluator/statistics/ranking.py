"""Which of several models are better than which: readings of tests, letters, and intervals of ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from evaluator.results.base import SIGNIFICANT, Tested
from evaluator.results.score import Score, measure_named
from evaluator.results.scores import RankedModel, Ranking, TestedDifference
from evaluator.statistics.inference import equivalence, holm

Reading = Literal[
    "better", "worse", "slightly better", "slightly worse", "equal", "undecided", "depends on vocabulary"
]
"""Of the second model; slightly: by less than the margin."""

Asked = tuple[str, str, str]
"""The name of a test set, its language if there are several, and the text of a measure."""

Readings = Mapping[TestedDifference, Sequence[tuple[Tested, float, Reading]]]
"""Of each difference each test, its corrected p, and what it says of the second model."""


def readings(differences: Sequence[TestedDifference], margin: float | None = None) -> Readings:
    """What tests of differences say.

    P-values are corrected for all pairs of models that were tested on a test set by a measure (Holm 1979).
    Whether two models are equal within the margin is said by two one-sided tests (Schuirmann 1987), whose
    p-values are corrected likewise.
    """
    together: dict[tuple[Asked, str], list[tuple[TestedDifference, Tested]]] = {}
    for each in differences:
        for kind, test in (("categories", each.of_categories), ("words", each.of_words)):
            if test is not None:
                together.setdefault((_asked(each), kind), []).append((each, test))
    found: dict[TestedDifference, list[tuple[Tested, float, Reading]]] = {each: [] for each in differences}
    for tests in together.values():
        corrected = holm([test.p for _, test in tests])
        equal = [1.0] * len(tests)
        if margin is not None:
            equal = holm([equivalence(each.value, test, margin) for each, test in tests])
        for (each, test), p, p_equal in zip(tests, corrected, equal, strict=True):
            found[each].append((test, p, _reading(each, p, p_equal)))
    return found


def _asked(difference: TestedDifference) -> Asked:
    return difference.test_set, difference.language, difference.measure


def _reading(difference: TestedDifference, p: float, p_equal: float) -> Reading:
    within = p_equal < SIGNIFICANT
    if p >= SIGNIFICANT or not difference.value:
        return "equal" if within else "undecided"
    if difference.own is not None and difference.own * difference.value <= 0:
        return "equal" if within else "depends on vocabulary"
    if difference.value > 0:
        return "slightly better" if within else "better"
    return "slightly worse" if within else "worse"


def rankings(
    lifts: Sequence[TestedDifference],
    scored: Mapping[Asked, Mapping[str, Score]],
    contenders: Mapping[tuple[str, str], Sequence[str]],
    margin: float | None = None,
) -> Iterator[Ranking]:
    """The models by each measure on each test set: contenders ranked, the best one first, then the others.

    Models that share a letter cannot be told apart (Piepho 2004, "An algorithm for a letter-based
    representation of all-pairwise comparisons"). The interval of a rank goes from one more than the models
    that are better to those that are not worse. The tests are those shown first. Where too few words or pairs
    are known for ranks by a measure, there are none.

    Args:
        lifts: The differences of what models are above their highest baselines.
        scored: The scores of models by what was asked.
        contenders: The models that are ranked, by test set and language.
        margin: That of equal scores.
    """
    asked_of: dict[Asked, list[TestedDifference]] = {}
    for each in lifts:
        asked_of.setdefault(_asked(each), []).append(each)
    for asked, scores in scored.items():
        every = asked_of.get(asked)
        measure = measure_named(asked[2])
        least = 0 if measure is None else measure.least_ranked
        if len(scores) < 2 or not every or min(each.answered for each in scores.values()) < least:
            continue
        able = {*contenders[asked[:2]]}
        models = sorted(scores, key=lambda model: (model not in able, -scores[model].value))
        ranked = [model for model in models if model in able]
        own = [each for each in every if {each.first, each.second} <= able]
        read = readings(own, margin)
        better: set[tuple[str, str]] = set()
        within: set[str] = set()
        for each in own:
            _, _, reading = read[each][0]
            pair = (each.second, each.first)
            if reading.endswith(("better", "worse")):
                better.add(pair if reading.endswith("better") else pair[::-1])
            if ranked[0] in pair and reading.startswith(("slightly", "equal")):
                within |= {*pair}
        letters = letters_of(ranked, better)
        yield Ranking(
            test_set=asked[0],
            language=asked[1],
            measure=asked[2],
            over=every[0].tests[0][0],
            models=tuple(
                RankedModel(
                    model=model,
                    value=scores[model].value,
                    letters=letters.get(model, ""),
                    best=1 + sum((other, model) in better for other in ranked) if model in able else None,
                    worst=len(ranked) - sum((model, other) in better for other in ranked)
                    if model in able
                    else None,
                    lacking=scores[model].lacking,
                )
                for model in models
            ),
            within_margin=tuple(model for model in ranked[1:] if model in within),
        )


_MOST_GROUPS = 100


def letters_of(models: Sequence[str], better: set[tuple[str, str]]) -> dict[str, str]:
    """Letters that two models share if and only if neither is better than the other.

    Empty if there are too many groups: their number may grow exponentially with that of the models.
    """
    order = {model: number for number, model in enumerate(models)}
    groups = [frozenset(models)]
    # From the best model and its most distant one on: in another order there are many groups in between.
    for pair in sorted(better, key=lambda pair: (order[pair[0]], -order[pair[1]])):
        kept = [own for own in groups if not own >= set(pair)]
        apart = dict.fromkeys(own - {each} for own in groups if own >= set(pair) for each in pair)
        groups = kept + [own for own in apart if not any(own <= other for other in kept)]
        if len(groups) > _MOST_GROUPS:
            return dict.fromkeys(models, "")
    groups.sort(key=lambda own: sorted(map(order.__getitem__, own)))
    names = [_letter(number) for number in range(len(groups))]
    return {
        model: "".join(name for name, own in zip(names, groups, strict=True) if model in own)
        for model in models
    }


def _letter(number: int) -> str:
    """A to z, then a1 to z1 and so on."""
    again, which = divmod(number, 26)
    return chr(ord("a") + which) + (str(again) if again else "")
