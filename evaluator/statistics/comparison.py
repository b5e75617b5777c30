"""Several models compared: on each test set, and over all languages."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import PurePosixPath
from statistics import fmean
from typing import Any, Literal

from msgspec import UNSET
from msgspec.structs import replace

from evaluator.measures import parse_measure
from evaluator.measures.base import Subscore
from evaluator.results.score_lines import (
    BatchFile,
    ScoredLine,
    names_of,
)
from evaluator.results.scores import ALL_LANGUAGES, Score, Scores, TestedDifference
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
    values: dict[Asked, dict[str, float]] = {}
    for own, same in cells:
        language = own[0].language if own and languages > 1 else ""
        found_here = all_differences(own if same is None else same, own if same else ())
        differences += [replace(each, language=language) for each in found_here]
        for scores in same or own:
            for each in scores.measured:
                asked_here = scores.test_set, language, each.measure
                values.setdefault(asked_here, {})[scores.model] = each.value
    return {
        "totals": tuple(each.with_verdicts() for each in totals) or UNSET,
        "differences": tuple(differences),
        "rankings": tuple(rankings(differences, values, margin)),
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
    return score_of(parse_measure(first.measure), subscores, signature, words=first.words, seeds=seeds)


def _of_category(several: Sequence[tuple[float, str, Subscore]]) -> Subscore:
    """A category over test sets, from its share of the whole, and its score, on each."""
    weight = math.fsum(share for share, _, _ in several)

    def mean(name: Literal["value", "chance", "baseline"]) -> float | None:
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
        n=len(found.influences),
        known=found.known,
        size=sum(each.size for _, _, each in several),
        oov=sum(each.oov for _, _, each in several),
        weight=weight,
        observations=found,
    )


def all_differences(
    models: Sequence[Scores], own: Sequence[Scores | None] = ()
) -> Iterator[TestedDifference]:
    """How much better each model is than each one before it, on one test set."""
    varying, before = remembering(), own or [None] * len(models)
    for (first, own_first), (second, own_second) in combinations(zip(models, before, strict=True), 2):
        for each in differences(first, second, varying=varying):
            values = [scores and scores.get(each.measure) for scores in (own_first, own_second)]
            if values[0] and values[1]:
                yield replace(each, own=values[1].value - values[0].value)
            else:
                yield each


MOST_COMPARED = 100
"""So many models of a file are compared on a test set: the number of pairs is half their square."""


def compared(file: BatchFile) -> BatchFile:
    """The models of a file of score lines compared on each test set, from what the lines hold alone.

    They are the differences and rankings that `evaluator.score` gives of the same models in one run. Where
    more than 100 models were scored on a test set, or not all of them on the same words, the notes say so,
    and what to do.
    """
    first = [line for line in file.lines if not line.again and line.scores is not None]
    names, notes, cells = names_of(first), list[str](), list[ModelsOnTest]()
    for test in dict.fromkeys(line.test for line in first):
        lines = [line for line in first if line.test == test]
        again = [line for line in file.lines if line.again and line.test == test]
        chosen, same = _comparable(lines, again, is_skip=file.settings.oov == "skip")
        number, name = len(lines), PurePosixPath(test or "").name
        if len(chosen) < number:
            notes.append(
                f"{name}: {number - len(chosen):,} of {number:,} models were not compared, as they were not "
                "asked the same words as the others: name all of them in one command with the same --output"
            )
        if len(chosen) > MOST_COMPARED:
            notes.append(
                f"{name}: {len(chosen):,} models were not compared with each other, as they are more than "
                f"{MOST_COMPARED}: score the best of them with another --output"
            )
            continue
        cells.append((_named(chosen, names), None if same is None else _named(same, names)))
    languages = len({each.language for own, _ in cells for each in own})
    return replace(file, **compare_models(cells, languages=languages), notes=tuple(notes))


def _comparable(
    lines: Sequence[ScoredLine], again: Sequence[ScoredLine], *, is_skip: bool
) -> tuple[list[ScoredLine], list[ScoredLine] | None]:
    """The models of a test set that can be compared; and as they were scored again, if they had to be.

    Where some cannot be compared with others, these are the ones that are like the last.
    """

    def content(line: ScoredLine) -> tuple[str, str]:
        scores = line.scores
        return (scores.model_sha256, scores.test_sha256) if scores else ("", "")

    last = lines[-1]
    alike = [each for each in lines if content(each)[1] == content(last)[1]]
    if is_skip:  # without a digest of models, each was asked its own words
        common = [each for each in alike if each.models_sha256 == last.models_sha256]
        return common if last.models_sha256 else [last], None
    if len({each.vocabulary for each in alike} - {""}) < 2:
        return alike, None
    current = {each.vectors: content(each) for each in alike}
    valid = [each for each in again if current.get(each.vectors) == content(each)]
    same = {each.vectors: each for each in valid if each.models_sha256 == valid[-1].models_sha256}
    chosen = [each for each in alike if each.vectors in same]
    return chosen, [same[each.vectors] for each in chosen]


def _named(lines: Iterable[ScoredLine], names: Mapping[str, str]) -> list[Scores]:
    found = ((line.comparable, names[line.vectors]) for line in lines)
    return [replace(scores, model=name) for scores, name in found if scores is not None]
