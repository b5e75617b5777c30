"""The score by a measure, from its subscores; Combined; and the mean scores of training runs.

Every value, chance level, baseline and interval of a score is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import Literal

from msgspec.structs import asdict, replace

from evaluator.errors import ScoreError
from evaluator.execution.inputs import joined_sha256
from evaluator.measures import Measure, measure_of
from evaluator.measures.base import Observations, Subscore, joined, summed
from evaluator.results.base import Difference
from evaluator.results.score import ABOVE_CHANCE, COMBINED, Failure, Score, Words
from evaluator.results.scores import Scores, TestedDifference
from evaluator.statistics.inference import (
    LEAST_OBSERVATIONS,
    LEVEL,
    Variation,
    Varying,
    category_interval,
    column,
    difference,
    difference_spread,
    having,
    interval,
    observations_of,
    observed,
    of_two,
    paired,
    t_test,
    variation,
    weighted_mean,
)

SMOOTHING = 0.0001
"""The paper adds this to each rate, so that one score of 0 does not hide the other."""


def combined(topk: float, oddoneout: float, smoothing: float = SMOOTHING) -> float:
    """The harmonic mean of two scores, after a small number is added to each.

    `2·(a+ε)·(b+ε) / (a+b+2ε)`: with rates and ε = 0.0001, Table 1 of the later version of the paper
    "Evaluating Word Embeddings on Low-Resource Languages"; with raw counts and ε = 1, that of the earlier.

    Args:
        topk: The Topk score, a rate from 0 to 1 or a raw count.
        oddoneout: The OddOneOut score, likewise.
        smoothing: ε.
    """
    # A score without one of its words may be below 0 by a rounding error.
    a, b = max(topk, 0.0) + smoothing, max(oddoneout, 0.0) + smoothing
    value = 2 * a * b / (a + b) if a + b else 0.0
    # The mean of two rates is a rate, too: what was added must not raise it above 1.
    return min(value, 1.0) if max(topk, oddoneout) <= 1 and smoothing < 1 else value


_OF_COMBINED = 1.0
"""The lower of two scores decides Combined: near 0 it does not rise in proportion to both."""


def combined_of(topk: Score, oddoneout: Score, varying: Varying = variation) -> Variation:
    """Combined of the categories that both measures score, as any of their words changes it."""
    return of_two(combined, *_variations(topk, oddoneout, varying), _OF_COMBINED)


def remembering() -> Varying:
    """`variation`, which is computed once for the same subscores."""
    remembered: dict[tuple[object, ...], tuple[Variation, list[object]]] = {}

    def varying(
        measure: Measure, subscores: Sequence[Subscore], seeds: Sequence[float] = (), *, known: bool = False
    ) -> Variation:
        # What a subscore varies with stays the same object if it gets a baseline; it is kept, so that no
        # other one gets its id. Correlations are the same whether or not known words alone are asked.
        observations = column(subscores, "observations")
        key = (measure, *map(id, observations), *seeds, known and measure.lowest >= 0)
        if key not in remembered:
            remembered[key] = variation(measure, subscores, seeds, known=known), observations
        return remembered[key][0]

    return varying


def _variations(topk: Score, oddoneout: Score, varying: Varying) -> tuple[Variation, Variation]:
    first, second = paired(topk.subscores, oddoneout.subscores)
    known = topk.words == "known"
    return (
        varying(measure_of(topk.measure), first, topk.seeds, known=known),
        varying(measure_of(oddoneout.measure), second, oddoneout.seeds, known=known),
    )


def with_combined(scores: Sequence[Score], varying: Varying = variation) -> tuple[Score, ...]:
    """The same, and Combined and Above chance, if a Topk and an OddOneOut score the same categories.

    Of several, these are of the first Topk and the first OddOneOut. Above chance is the mean of both, each
    as the share (s-c)/(1-c) of the way from its chance level c to 1. Unlike Combined it does not follow the
    lower of the two, and its chance level is 0. There is none where a chance level is 1.
    """
    pair = topk_and_oddoneout(scores)
    if pair is None:
        return tuple(scores)
    topk, oddoneout = pair
    known: Iterable[Score] = ()
    if topk.of_known and oddoneout.of_known:
        known = _of_both(topk.of_known, oddoneout.of_known, varying)
    return (*scores, *beside_known(_of_both(topk, oddoneout, varying), known))


def topk_and_oddoneout(scores: Iterable[Score]) -> tuple[Score, Score] | None:
    """The first Topk and the first OddOneOut of some scores; None if one is missing."""
    kinds = {each.measure.partition("@")[0].partition("(")[0]: each for each in reversed([*scores])}
    if not {"Topk", "OddOneOut"} <= kinds.keys():
        return None
    return kinds["Topk"], kinds["OddOneOut"]


def _of_both(topk: Score, oddoneout: Score, varying: Varying) -> Iterator[Score]:
    first, second = paired(topk.subscores, oddoneout.subscores)
    if not first:
        return
    chances = weighted_mean(first, "chance"), weighted_mean(second, "chance")
    levels = chances[0] or 0.0, chances[1] or 0.0
    variations = _variations(topk, oddoneout, varying)
    n, known = _counts(first)

    def above_chance(topk: float, oddoneout: float) -> float:
        return ((topk - levels[0]) / (1 - levels[0]) + (oddoneout - levels[1]) / (1 - levels[1])) / 2

    for name, function, correlation in (
        (COMBINED, combined, _OF_COMBINED),
        (ABOVE_CHANCE, above_chance, None),
    ):
        if function is above_chance and max(levels) >= 1:
            continue
        found = of_two(function, *variations, correlation)
        # Where too few words are known for the interval of either, there is none of both.
        low, high = found.ends(1 - LEVEL) if topk.interval and oddoneout.interval else (None, None)
        yield Score(
            measure=name,
            words=topk.words,
            value=found.value,
            low=low,
            high=high,
            chance=None if None in chances else function(*levels),
            baseline=_of_level(function, first, second, "baseline"),
            spelling=_of_level(function, first, second, "spelling"),
            n=n,
            known=known,
            signature=f"{topk.signature} {oddoneout.signature}",
            seeds=tuple(map(function, topk.seeds, oddoneout.seeds)),
        )


def _of_level(
    function: Callable[[float, float], float],
    first: Sequence[Subscore],
    second: Sequence[Subscore],
    name: str,
) -> float | None:
    """A function of two scores at a baseline of both; None if one of them has none."""
    one, other = mean_baseline(first, name), mean_baseline(second, name)
    return None if one is None or other is None else function(one, other)


BASELINES = ("baseline", "spelling")
"""The attributes of scores and subscores that are scores of models that know nothing of meanings."""


def mean_baseline(subscores: Iterable[Subscore], name: str) -> float | None:
    """The weighted mean of a baseline, on the categories that it is known for."""
    return weighted_mean(having(subscores, name), name)


def _counts(subscores: Iterable[Subscore]) -> tuple[int, int]:
    """How many different items there are, and how many of them have a vector."""
    names, unknown = observed(subscores)
    return len(names), len(names) - len(unknown)


Missing = Literal["left out", "zero"]


def score_of(
    measure: Measure,
    subscores: Sequence[Subscore],
    signature: str,
    *,
    words: Words = "all",
    seeds: Sequence[float] = (),
    varying: Varying | None = None,
) -> Score:
    """The score by a measure: the mean of the subscores that have a value, weighted as they are.

    Subscores have their observations, and at least one has a value.
    """
    scored, varying = having(subscores), varying or remembering()
    low, high = interval(measure, scored, seeds, known=words == "known", varying=varying) or (None, None)
    ends = category_interval(measure, scored, seeds) or (None, None)
    n, known = _counts(scored)
    return Score(
        measure=str(measure),
        words=words,
        value=weighted_mean(scored) or 0.0,
        low=low,
        high=high,
        categories_low=ends[0],
        categories_high=ends[1],
        chance=weighted_mean(scored, "chance"),
        baseline=mean_baseline(scored, "baseline"),
        spelling=mean_baseline(scored, "spelling"),
        n=n,
        known=known,
        hits=_sum(subscores, "hits"),
        trials=_sum(subscores, "trials"),
        unit=measure.counted,
        signature=signature,
        seeds=tuple(seeds),
        subscores=tuple(_with_interval(measure, each, varying) for each in subscores),
    )


def mean_over_runs(model: str, runs: Sequence[Scores | None], missing: Missing = "left out") -> Scores:
    """The mean scores of several training runs; how they vary is in intervals and tests.

    Where a run has no score for a measure or category that others have one for, this is `left out`, or that
    run counts as `zero`. At least one run has scores, and what is said of a mean is of those that have: known
    items are those that all of them know; chance levels, ceilings, OOV and further figures are means, or
    missing if one lacks them; `known_words` is the smallest; `model_sha256` the digest of theirs together.
    """
    scored = [run for run in runs if run is not None]
    sizes = {run.vocabulary for run in scored}
    first, dimensions = scored[0], sorted({run.dimension or 0 for run in scored})
    if len(dimensions) > 1:
        listed = ", ".join(map(str, dimensions))
        raise ScoreError(f"{model}: training runs of one model have the same dimension, and not {listed}")

    def by_run(measure: str) -> list[Score | None]:
        return [None if run is None else run.get(measure) for run in runs]

    failures = {each.measure: each.reason for run in reversed(scored) for each in run.failures}
    means: dict[str, Score] = {}
    for text in dict.fromkeys(score.measure for run in scored for score in run.measured):
        mean = _mean_score(by_run(text), missing)
        if mean is not None:
            means[text] = mean
        else:
            failures.setdefault(text, f"{text}: no category was scored in all training runs")
    if not means:
        raise ScoreError(
            f"{model}: nothing could be scored in all training runs: {'; '.join(failures.values())}"
        )
    known, built = (
        [each for text in means if (each := _mean_beside(by_run(text), name, missing))]
        for name in ("of_known", "with_built")
    )
    return replace(
        first,
        model=model,
        model_sha256=joined_sha256(run.model_sha256 for run in scored),
        inputs=tuple(dict.fromkeys(each for run in scored for each in run.inputs)),
        vocabulary=sizes.pop() if len(sizes) == 1 else None,
        known_words=min(run.known_words or 0 for run in scored),
        built_words=max(run.built_words for run in scored),
        scores=with_combined(beside_known(means.values(), known, built)),
        failures=tuple(Failure(text, why) for text, why in failures.items() if text not in means),
    )


def beside_known(
    scores: Iterable[Score], known: Iterable[Score], built: Iterable[Score] = ()
) -> tuple[Score, ...]:
    """All scores of a model, each with that on known words alone, and that with built words."""
    of_known, with_built = ({each.measure: each for each in own} for own in (known, built))
    return tuple(
        replace(each, of_known=of_known.get(each.measure), with_built=with_built.get(each.measure))
        for each in scores
    )


def _mean_beside(
    runs: Sequence[Score | None], name: Literal["of_known", "with_built"], missing: Missing
) -> Score | None:
    """The mean on the known words alone, or with built words; of a run without any it is the score itself."""
    if not any(run and getattr(run, name) for run in runs):
        return None
    without = _knowing_all if name == "of_known" else _itself
    found = _mean_score([run and (getattr(run, name) or without(run)) for run in runs], missing)
    own = next(beside for run in runs if run and (beside := getattr(run, name)))
    return found and replace(found, signature=own.signature)


def _itself(run: Score) -> Score:
    return run


def _knowing_all(run: Score) -> Score | None:
    """A score as that on known words; None if some are unknown, and too few are known to score these."""
    return replace(run, words="known") if run.known == run.n else None


def _mean_score(runs: Sequence[Score | None], missing: Missing) -> Score | None:
    found = [run for run in runs if run is not None]
    if not found or (missing == "left out" and len(found) < len(runs)):
        return None
    by_name = [{each.name: each for each in run.subscores} if run else {} for run in runs]
    names = dict.fromkeys(each.name for run in found for each in run.subscores)
    several = ([own.get(name) for own in by_name] for name in names)
    means = [mean for each in several if (mean := _mean_subscore(each, missing)) is not None]
    kept = [each for each in means if each.value is not None]
    if not kept:
        return None
    in_runs = [
        [replace(mean, value=mean.seeds[number]) for mean in kept] for number in range(len(runs))
    ]  # each with the weights, and the categories, of the mean
    seeds = [weighted_mean(each, "value") or 0.0 for each in in_runs]
    first = found[0]
    signature, words = first.signature, first.words
    return score_of(measure_of(first.measure), means, signature, words=words, seeds=seeds)


def _mean_subscore(runs: Sequence[Subscore | None], missing: Missing) -> Subscore | None:
    """The mean of the subscores on one category; one that was skipped if it has no mean."""
    there = [run for run in runs if run is not None]
    scored = [run for run in there if run.value is not None]
    if missing == "left out" and len(there) < len(runs):
        return None
    if not scored or (missing == "left out" and len(scored) < len(runs)):
        return next(run for run in there if run.value is None)
    mean = mean_observations([(1 / len(runs), "", run) for run in scored])
    levels = {name: [getattr(run, name) for run in scored] for name in ("chance", "ceiling", *BASELINES)}
    figures = [key for key in scored[0].extra if all(key in run.extra for run in scored)]
    values = [run.value or 0.0 if run else 0.0 for run in runs]
    return replace(
        scored[0],
        oov=round(fmean(run.oov or 0 for run in scored)),
        n=len(mean.influences),
        known=mean.known,
        value=fmean(values),
        observations=mean,
        hits=None,
        trials=None,
        **{name: _mean(values) for name, values in levels.items()},
        error=None,
        seeds=tuple(values),
        extra={key: fmean(run.extra[key] for run in scored) for key in figures},
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """None if one is missing."""
    there = [value for value in values if value is not None]
    return fmean(there) if len(there) == len(values) else None


def mean_observations(several: Sequence[tuple[float, str, Subscore]]) -> Observations:
    """What a weighted mean varies with, from the share of each subscore and what begins its words' names."""

    def influences(name: Literal["influences", "outside"]) -> dict[str, float]:
        return summed(
            (f"{begin}{word}", value * share)
            for share, begin, each in several
            for word, value in getattr(observations_of(each), name).items()
        )

    unknown = (f"{begin}{word}" for _, begin, each in several for word in observations_of(each).unknown)
    decided_by = joined(
        (f"{begin}{word}", (f"{begin}{other}" for other in others))
        for _, begin, each in several
        for word, others in observations_of(each).decided_by.items()
    )
    return Observations(
        influences("influences"),
        tuple(dict.fromkeys(unknown)),
        influences("outside"),
        decided_by=decided_by,
    )


def floor_of(score: Score) -> dict[str, float]:
    """The highest of chance and the baselines, by its mean: its value on each category."""
    scored = having(score.subscores)
    every = [{each.name: getattr(each, name) or 0.0 for each in scored} for name in ("chance", *BASELINES)]
    weights = {each.name: each.weight for each in scored}
    return max(every, key=lambda own: sum(weights[name] * value for name, value in own.items()))


def compared(
    first: Scores,
    second: Scores,
    varying: Varying = variation,
    *,
    combined: bool = False,
    lifted: bool = False,
) -> dict[str, Difference]:
    """How much better one model is than another, by each measure that scores both on the same categories.

    With `combined`, by Combined as well. If they are `lifted`, the difference is that of their lifts: of what
    either is above its highest baseline on each category.
    """
    found: dict[str, Difference] = {}
    for after in second.measured:
        before = first.get(after.measure)
        own = before and difference(
            measure_of(after.measure),
            before.subscores,
            after.subscores,
            seeds=(before.seeds, after.seeds),
            floors=(floor_of(before), floor_of(after)) if lifted else ({}, {}),
            varying=varying,
        )
        if own:
            found[after.measure] = own
    both = combined_difference(first, second, varying) if combined else None
    return found | ({COMBINED: both} if both else {})


def differences(
    first: Scores,
    second: Scores,
    varying: Varying = variation,
    *,
    combined: bool = False,
    lifted: bool = False,
) -> Iterator[TestedDifference]:
    """The same with the names of both models, and of the test set."""
    for measure, found in compared(first, second, varying, combined=combined, lifted=lifted).items():
        yield TestedDifference(
            **asdict(found),
            test_set=second.test_set,
            measure=measure,
            first=first.model,
            second=second.model,
        )


def combined_difference(first: Scores, second: Scores, varying: Varying = variation) -> Difference | None:
    """How much better one model is than another by Combined, tested over words; None if one has none."""
    one, other = topk_and_oddoneout(first.measured), topk_and_oddoneout(second.measured)
    if one is None or other is None:
        return None
    subscores = len(paired(other[0].subscores, other[1].subscores)[0])
    if not subscores or not paired(one[0].subscores, one[1].subscores)[0]:
        return None
    before, after = combined_of(*one, varying), combined_of(*other, varying)
    value, observations = after.value - before.value, len({*before.single, *after.single})
    tested = t_test(value, difference_spread(before, after), observations)
    return Difference(value, None, tested, subscores, observations)


def with_baselines(
    scores: Scores, frequency: Scores | None, spelling: Scores | None, varying: Varying | None = None
) -> Scores:
    """Scores, and Combined, beside those of models that know only frequency, or letters, of words."""
    varying, own = varying or remembering(), scores.measured
    tested: dict[str, dict[str, Difference]] = {}
    for name, over, found in (
        ("baseline", "over_baseline", frequency),
        ("spelling", "over_spelling", spelling),
    ):
        if found is not None:
            tested[over] = compared(found, scores, varying, combined=True)
            own = tuple(_beside(each, found.get(each.measure), name) for each in own)
    return replace(
        scores,
        scores=tuple(
            replace(each, **{over: of.get(each.measure) for over, of in tested.items()})
            for each in with_combined(own, varying)
        ),
    )


def _beside(score: Score, level: Score | None, name: str) -> Score:
    """A score with a baseline of each of its categories."""
    of_level = level.subscores if level else ()
    levels = dict(zip(column(of_level, "name"), column(of_level, "value"), strict=True))
    subscores = tuple(replace(each, **{name: levels.get(each.name)}) for each in score.subscores)
    known = score.of_known and _beside(score.of_known, level and level.of_known, name)
    return replace(
        score, subscores=subscores, of_known=known, **{name: mean_baseline(having(subscores), name)}
    )


def _sum(subscores: Iterable[Subscore], attribute: str) -> int | None:
    counts = column(having(subscores, attribute), attribute)
    return sum(counts) if counts else None


def _with_interval(measure: Measure, subscore: Subscore, varying: Varying) -> Subscore:
    """A subscore with its 95% interval, if it has enough observations for one."""
    if subscore.value is None or len(observations_of(subscore).influences) < LEAST_OBSERVATIONS:
        return replace(subscore, low=None, high=None)
    low, high = interval(measure, [subscore], subscore.seeds, varying=varying) or (None, None)
    return replace(subscore, low=low, high=high)
