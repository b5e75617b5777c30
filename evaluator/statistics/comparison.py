"""Several models compared: on each test set, and over all languages."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any, Literal

from msgspec import UNSET
from msgspec.structs import replace

from evaluator.measures import measure_of
from evaluator.measures.base import Subscore
from evaluator.results.kept import Kept
from evaluator.results.score import Score
from evaluator.results.scores import ALL_LANGUAGES, Scores, TestedDifference
from evaluator.statistics.keep import keep
from evaluator.statistics.ranking import Asked, rankings
from evaluator.statistics.scores import differences, mean_observations, remembering, score_of

ModelsOnTest = tuple[list[Scores], list[Scores] | None]
"""The scores of all models on a test set, and among the same candidates; None if this changes nothing."""


def compare_models(
    cells: Iterable[ModelsOnTest], margin: float | None = None, *, languages: int = 1
) -> dict[str, Any]:
    """The totals, differences and rankings of a `ScoresFile`; totals only of several languages."""
    cells = list(cells)
    totals = over_languages([own for own, _ in cells]) if languages > 1 else []
    if totals:
        cells.append((totals, over_languages([own if same is None else same for own, same in cells])))
    differences: list[TestedDifference] = []
    lifts: list[TestedDifference] = []
    kept: list[Kept] = []
    scored: dict[Asked, dict[str, Score]] = {}
    contenders: dict[tuple[str, str], tuple[str, ...]] = {}
    for own, same in cells:
        language = own[0].language if own and languages > 1 else ""
        among = own if same is None else same
        for lifted, every in ((False, differences), (True, lifts)):
            found_here = all_differences(among, own if same else (), lifted=lifted)
            every += [replace(each, language=language) for each in found_here]
        if among:
            here = [each for each in lifts if (each.test_set, each.language) == (among[0].test_set, language)]
            kept.append(keep(among, here))
            contenders[among[0].test_set, language] = kept[-1].contenders
        for scores in same or own:
            for each in scores.measured:
                asked_here = scores.test_set, language, each.measure
                scored.setdefault(asked_here, {})[scores.model] = each
    return {
        "totals": tuple(each.with_verdicts() for each in totals) or UNSET,
        "differences": tuple(differences),
        "rankings": tuple(rankings(lifts, scored, contenders, margin)),
        "kept": tuple(kept),
    }


def over_languages(cells: Sequence[Sequence[Scores]]) -> list[Scores]:
    """The mean scores of models over test sets of several languages, each of which has the same weight.

    A test set on which one of the models has no score by a measure is left out of it for all. A category that
    several of them have is one category: in a test of models it counts once.
    """
    of_models: dict[str, list[Score]] = {}
    for measure in dict.fromkeys(each.measure for cell in cells for own in cell for each in own.measured):
        asked = [
            {own.model: (f"{own.language}/{own.test_set}", own[measure]) for own in cell if own.get(measure)}
            for cell in cells
        ]
        often = Counter(model for own in asked for model in own)
        models = [model for model, number in often.items() if number > 1]
        common = [own for own in asked if own.keys() >= set(models)]
        for model in models if len(common) > 1 else ():
            of_models.setdefault(model, []).append(_over_languages([own[model] for own in common]))
    return [
        Scores(model=model, test_set=ALL_LANGUAGES, language="mul", scores=tuple(scores))
        for model, scores in of_models.items()
    ]


def _over_languages(scores: Sequence[tuple[str, Score]]) -> Score:
    by_category: dict[str, list[tuple[float, str, Subscore]]] = {}
    for place, score in scores:
        scored = [each for each in score.subscores if each.value is not None]
        whole = math.fsum(each.weight for each in scored) * len(scores)
        for each in scored:
            by_category.setdefault(each.name, []).append((each.weight / whole, place, each))
    (_, first), number = scores[0], len(scores)
    signature = re.sub(r"\|test:[^|]*", f"|test:{number} languages", first.signature)
    # Of a language with one run it is not known how runs vary; the others say how they do there.
    runs = min((len(score.seeds) for _, score in scores if len(score.seeds) > 1), default=0)
    of_runs = [score.seeds if len(score.seeds) > 1 else [score.value] * runs for _, score in scores]
    seeds = [fmean(values[run] for values in of_runs) for run in range(runs)]
    subscores = [_of_category(several) for several in by_category.values()]
    return score_of(measure_of(first.measure), subscores, signature, words=first.words, seeds=seeds)


def _of_category(several: Sequence[tuple[float, str, Subscore]]) -> Subscore:
    """A category over test sets, from its share of the whole, and its score, on each."""
    weight = math.fsum(share for share, _, _ in several)

    def mean(name: Literal["value", "chance", "baseline", "spelling"]) -> float | None:
        values = [getattr(each, name) for _, _, each in several]
        shares = [share / weight for share, _, _ in several]
        return None if None in values else math.fsum(map(operator.mul, shares, values))

    found = mean_observations([(share / weight, f"{place}:", each) for share, place, each in several])
    first = several[0][2]
    return Subscore(
        name=first.name,
        title=first.title,
        topic=first.topic,
        value=mean("value"),
        chance=mean("chance"),
        baseline=mean("baseline"),
        spelling=mean("spelling"),
        n=len(found.influences),
        known=found.known,
        size=sum(each.size for _, _, each in several),
        oov=sum(each.oov for _, _, each in several),
        weight=weight,
        observations=found,
    )


def all_differences(
    models: Sequence[Scores], own: Sequence[Scores | None] = (), *, lifted: bool = False
) -> Iterator[TestedDifference]:
    """How much better each model is than each one before it, on one test set; or their lifts are."""
    varying, before = remembering(), own or [None] * len(models)
    for (first, own_first), (second, own_second) in combinations(zip(models, before, strict=True), 2):
        for each in differences(first, second, varying=varying, lifted=lifted):
            values = [scores and scores.get(each.measure) for scores in (own_first, own_second)]
            if values[0] and values[1]:
                yield replace(each, own=values[1].value - values[0].value)
            else:
                yield each
