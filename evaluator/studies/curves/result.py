"""The result of a learning curve: scores by size with intervals, onsets, and ratios of onsets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from statistics import fmean

from msgspec import structs

from evaluator.measures import parse_measure
from evaluator.results.curve import CurveFile, CurveSize, Ratio
from evaluator.results.scores import ModelFailure, Score, Scores
from evaluator.statistics.scores import mean_over_runs
from evaluator.studies.curves.points import CurveSetup, Point
from evaluator.studies.trainers import trained_with

SHARE = 0.1
"""The share of its final value at which a measure is seen to rise."""


DEFINITIONS: Mapping[str, str] = {
    "above chance": "the lower end of the 95% interval is above chance",
    "above baseline": "the lower end of the 95% interval is above chance and the frequency baseline",
    "tenth above chance": "the score less chance is a tenth of what it is at the largest size, or more",
    "tenth of score": "the score is a tenth of what it is at the largest size, or more",
}
"""What must be true at a size, and at all larger sizes, for it to be an onset.

A tenth of a score that is not above chance at the largest size is a tenth of nothing: there is no onset.
"""

ONE_SEED = "intervals do not contain how scores differ between training runs; --seeds 3 adds that"


def onsets(sizes: Sequence[int], scores: Sequence[Score | None]) -> dict[str, int | None]:
    """The onset of a measure by each definition, in tokens; None if there is none."""
    values = [0.0 if each is None else each.value for each in scores]
    above = [0.0 if each is None else each.value - (each.chance or 0.0) for each in scores]
    rose = scores[-1] is not None and scores[-1].above_chance
    reached = {
        "above chance": [each is not None and each.above_chance for each in scores],
        "above baseline": [each is not None and each.above_baseline for each in scores],
        "tenth above chance": [rose and each >= SHARE * above[-1] for each in above],
        "tenth of score": [rose and each >= SHARE * values[-1] for each in values],
    }
    return {name: first_lasting(sizes, reached[name]) for name in DEFINITIONS}


def first_lasting(sizes: Sequence[int], reached: Sequence[bool]) -> int | None:
    """The first size at which something is true that is also true at all larger sizes."""
    found = None
    for size, holds in zip(reversed(sizes), reversed(reached), strict=True):
        if not holds:
            break
        found = size
    return found


def ratio(definition: str, measure: str, over: str, found: Mapping[str, int | None]) -> Ratio:
    """The ratio of two onsets; there is none if one of them was not reached."""
    above, below = found[measure], found[over]
    return Ratio(definition, measure, over, None if above is None or below is None else above / below)


def curve_file(
    corpus: str,
    tokens: int,
    setup: CurveSetup,
    measures: Sequence[str],
    points: Sequence[Point],
    lost: Sequence[str],
) -> CurveFile:
    """What the models of all sizes say."""
    of_size = {size: list(own) for size, own in groupby(points, key=lambda point: point.size)}
    results = [mean.record() for own in of_size.values() for mean in _means(own, corpus)]
    curves = {
        measure: [
            next((each[measure] for each in results if each.keys["size"] == size and measure in each), None)
            for size in of_size
        ]
        for measure in setup.measures
    }
    found = {measure: onsets(list(of_size), scores) for measure, scores in curves.items()}
    trained = trained_with(setup.trainer)
    return CurveFile(
        corpus=corpus,
        tokens=tokens,
        test_set=setup.tests.categories.name,
        analogies=setup.tests.analogies.name,
        parameters=setup.parameters,
        settings={**setup.settings.signature, "tokens": setup.corpus.corpus.tokens, **trained},
        measures=setup.measures,
        sizes=tuple(
            CurveSize(size, len(own), fmean(point.vocabulary for point in own))
            for size, own in of_size.items()
        ),
        results=tuple(results),
        failures=tuple(_failures(corpus, points)),
        definitions=DEFINITIONS,
        onsets=found,
        ratios=tuple(_ratios(found)),
        made_of=setup.tests.origin,
        failed=(*lost, *_unscored(setup, measures, of_size, curves)),
        notes=(*notes_on(of_size, found), *map(": ".join, trained.items())),
    )


def _failures(corpus: str, points: Sequence[Point]) -> Iterator[ModelFailure]:
    for point in points:
        name, keys = f"{corpus}, {point.size:,} tokens, seed {point.seed}", {"size": point.size}
        for measure, reason in point.reasons.items():
            yield ModelFailure(name, None, f"{measure}: {reason}", keys)


def _ratios(found: Mapping[str, Mapping[str, int | None]]) -> Iterator[Ratio]:
    """The onset of each measure of analogies divided by that of each measure of categories."""
    kinds = {measure: parse_measure(measure).scores for measure in found}
    pairs = [(a, b) for a in kinds for b in kinds if (kinds[a], kinds[b]) == ("sections", "categories")]
    for name in DEFINITIONS:
        yield from (ratio(name, a, b, {each: found[each][name] for each in (a, b)}) for a, b in pairs)


def _unscored(
    setup: CurveSetup,
    measures: Sequence[str],
    of_size: Mapping[int, Sequence[Point]],
    curves: Mapping[str, Sequence[Score | None]],
) -> Iterator[str]:
    for measure in measures:
        if measure not in setup.measures:
            yield f"{measure}: the test sets have nothing for it"
    size, points = list(of_size.items())[-1]
    for measure, scores in curves.items():
        if scores[-1] is None:
            yield f"{measure}: nothing was scored, not even at {size:,} tokens: {points[0].why(measure)}"


def notes_on(
    of_size: Mapping[int, Sequence[Point]], found: Mapping[str, Mapping[str, int | None]]
) -> Iterator[str]:
    """Remarks for the user."""
    for size, points in of_size.items():
        failed = [point.reason for point in points if point.reason]
        if failed:
            yield (
                f"{size:,} tokens: {len(failed)} of {len(points)} models could not be trained: {failed[0]}"
            )
    reached = [(measure, *each) for measure, own in found.items() for each in own.items()]
    for measure, name, at in reached:
        if at == next(iter(of_size)):
            yield f"{measure}: {name} at the smallest size already; its onset may be smaller still"
    if all(len(points) == 1 for points in of_size.values()):
        yield f"one seed at each size: {ONE_SEED}"
    # What a single seed leaves out: onsets that a narrower interval alone may explain.
    fewer = {size for one, size in pairwise(of_size) if len(of_size[one]) > len(of_size[size]) == 1}
    for measure, name, at in reached:
        if at in fewer and name in ("above chance", "above baseline"):
            yield (
                f"{measure}: {name} at {at:,} tokens, where the interval of one seed is over the test "
                "words only; more seeds there (--seeds-up-to) may move the onset"
            )


def _means(points: Sequence[Point], corpus: str) -> Iterator[Scores]:
    """The mean scores over models of one size; a model that could not be scored counts as 0."""
    size = points[0].size
    for kind in dict.fromkeys(kind for point in points for kind in point.scores):
        runs = [point.scores.get(kind) for point in points]
        model = f"{corpus}, {size:,} tokens"
        yield structs.replace(mean_over_runs(model, runs, "zero"), keys={"size": size})
