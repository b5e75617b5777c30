"""The score by a measure, from its subscores; Combined; and the mean scores of training runs.

Every value, chance level, baseline and interval of a score is computed here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import Literal

from msgspec.structs import asdict, replace

from evaluator.errors import ScoreError
from evaluator.execution.inputs import joined_sha256
from evaluator.measures import Measure, measure_of
from evaluator.measures.base import Observations, Subscore, summed
from evaluator.results.base import Difference
from evaluator.results.score import ABOVE_CHANCE, COMBINED, Failure, Score, Words
from evaluator.results.scores import Scores, TestedDifference
from evaluator.statistics.inference import (
    LEAST_OBSERVATIONS,
    LEVEL,
    Variation,
    Varying,
    category_interval,
    difference,
    difference_spread,
    interval,
    observations_of,
    observed,
    of_two,
    test,
    variation,
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


def combined_of(topk: Score, oddoneout: Score, varying: Varying = variation) -> Variation:
    """Combined of the categories that both measures score, as any of their words changes it."""
    return _of_two(combined, *_variations(topk, oddoneout, varying))


def remembering() -> Varying:
    """`variation`, which is computed once for the same subscores."""
    remembered: dict[tuple[object, ...], Variation] = {}

    def varying(
        measure: Measure, subscores: Sequence[Subscore], seeds: Sequence[float] = (), *, known: bool = False
    ) -> Variation:
        # What a subscore varies with stays the same object if it gets a baseline.
        key = (measure, *(id(each.observations) for each in subscores), *seeds, known)
        if key not in remembered:
            remembered[key] = variation(measure, subscores, seeds, known=known)
        return remembered[key]

    return varying


def _variations(topk: Score, oddoneout: Score, varying: Varying) -> tuple[Variation, Variation]:
    both = topk, oddoneout
    first, second = (
        varying(measure_of(score.measure), own, score.seeds, known=score.words == "known")
        for score, own in zip(both, of_same_categories(*(each.subscores for each in both)), strict=True)
    )
    return first, second


def _of_two(function: Callable[[float, float], float], first: Variation, second: Variation) -> Variation:
    # The lower of two scores decides Combined: near 0 it does not rise in proportion to both.
    return of_two(function, first, second, 1.0 if function is combined else None)


def of_same_categories(topk: Sequence[Subscore], oddoneout: Sequence[Subscore]) -> list[list[Subscore]]:
    """The subscores of the categories that both measures score."""
    names = [{each.name for each in several if each.value is not None} for several in (topk, oddoneout)]
    both = names[0] & names[1]
    return [[each for each in several if each.name in both] for several in (topk, oddoneout)]


def with_combined(scores: Sequence[Score], varying: Varying = variation) -> tuple[Score, ...]:
    """The same, and Combined and Above chance, if a Topk and an OddOneOut score the same categories.

    Of several, these are of the first Topk and the first OddOneOut. Above chance is the mean of both, each
    as the share (s-c)/(1-c) of the way from its chance level c to 1. Unlike Combined it does not follow the
    lower of the two, and its chance level is 0. There is none where a chance level is 1.
    """
    pair = topk_and_oddoneout(scores)
    if pair is None:
        return tuple(scores)
    known = [each.of_known for each in pair if each.of_known]
    of_known = (
        {each.measure: each for each in _of_both(known[0], known[1], varying)} if len(known) == 2 else {}
    )
    both = _of_both(*pair, varying)
    return (*scores, *(replace(each, of_known=of_known.get(each.measure)) for each in both))


def topk_and_oddoneout(scores: Iterable[Score]) -> tuple[Score, Score] | None:
    """The first Topk and the first OddOneOut of some scores; None if one is missing."""
    kinds = {each.measure.partition("@")[0].partition("(")[0]: each for each in reversed([*scores])}
    if not {"Topk", "OddOneOut"} <= kinds.keys():
        return None
    return kinds["Topk"], kinds["OddOneOut"]


def _of_both(topk: Score, oddoneout: Score, varying: Varying) -> Iterator[Score]:
    subscores = of_same_categories(topk.subscores, oddoneout.subscores)
    if not all(subscores):
        return
    chances = [weighted_mean(each, "chance") for each in subscores]
    levels = [each or 0.0 for each in chances]

    def above_chance(*values: float) -> float:
        return sum((s - c) / (1 - c) for s, c in zip(values, levels, strict=True)) / len(values)

    baselines = [mean_baseline(each) for each in subscores]
    names, unknown = observed(subscores[0])
    variations = _variations(topk, oddoneout, varying)
    for name, function in ((COMBINED, combined), (ABOVE_CHANCE, above_chance)):
        if function is above_chance and max(levels) >= 1:
            continue
        found = _of_two(function, *variations)
        # Where too few words are known for the interval of either, there is none of both.
        low, high = found.ends(1 - LEVEL) if topk.interval and oddoneout.interval else (None, None)
        yield Score(
            measure=name,
            words=topk.words,
            value=found.value,
            low=low,
            high=high,
            chance=None if None in chances else function(*levels),
            baseline=None if None in baselines else function(*(each or 0.0 for each in baselines)),
            n=len(names),
            known=len(names) - len(unknown),
            signature=f"{topk.signature} {oddoneout.signature}",
            seeds=tuple(function(*values) for values in zip(topk.seeds, oddoneout.seeds, strict=True)),
        )


def weighted_mean(subscores: Sequence[Subscore], attribute: str) -> float | None:
    """The weighted mean of an attribute of subscores; None if there are none, or one does not have it."""
    pairs = [(each.weight, getattr(each, attribute)) for each in subscores]
    if not pairs or any(value is None for _, value in pairs):
        return None
    return math.fsum(weight * value for weight, value in pairs) / math.fsum(weight for weight, _ in pairs)


def mean_baseline(subscores: Sequence[Subscore]) -> float | None:
    """The weighted mean of the frequency baseline, on the categories that it is known for."""
    return weighted_mean([each for each in subscores if each.baseline is not None], "baseline")


Missing = Literal["left out", "zero"]


def score_of(
    measure: Measure,
    subscores: Sequence[Subscore],
    signature: str,
    *,
    words: Words = "all",
    seeds: Sequence[float] = (),
) -> Score:
    """The score by a measure: the mean of the subscores that have a value, weighted as they are.

    Subscores have their observations, and at least one has a value.
    """
    scored = [each for each in subscores if each.value is not None]
    value, known = weighted_mean(scored, "value") or 0.0, words == "known"
    low, high = interval(measure, scored, seeds, known=known) or (None, None)
    ends = category_interval(measure, scored, seeds) or (None, None)
    names, unknown = observed(scored)
    return Score(
        measure=str(measure),
        words=words,
        value=value,
        low=low,
        high=high,
        categories_low=ends[0],
        categories_high=ends[1],
        chance=weighted_mean(scored, "chance"),
        baseline=mean_baseline(scored),
        n=len(names),
        known=len(names) - len(unknown),
        hits=_sum(subscores, "hits"),
        trials=_sum(subscores, "trials"),
        unit=measure.counted,
        signature=signature,
        seeds=tuple(seeds),
        subscores=tuple(_with_interval(measure, each) for each in subscores),
    )


def mean_over_runs(model: str, runs: Sequence[Scores | None], missing: Missing = "left out") -> Scores:
    """The mean scores of several training runs; how they vary is in intervals and tests.

    Where a run has no score for a measure or category that others have one for, this is `left out`, or that
    run counts as `zero`. At least one run has scores. `model_sha256` is the digest of theirs together.
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
    known = [each for text in means if (each := _mean_of_known(by_run(text), missing))]
    return replace(
        first,
        model=model,
        model_sha256=joined_sha256(run.model_sha256 for run in scored),
        inputs=tuple(dict.fromkeys(each for run in scored for each in run.inputs)),
        vocabulary=sizes.pop() if len(sizes) == 1 else None,
        known_words=min(run.known_words or 0 for run in scored),
        scores=with_combined(beside_known(means.values(), known)),
        failures=tuple(Failure(text, why) for text, why in failures.items() if text not in means),
    )


def beside_known(scores: Iterable[Score], known: Iterable[Score]) -> tuple[Score, ...]:
    """All scores of a model, each with that on known words alone."""
    of_known = {each.measure: each for each in known}
    return tuple(replace(each, of_known=of_known.get(each.measure)) for each in scores)


def _mean_of_known(runs: Sequence[Score | None], missing: Missing) -> Score | None:
    """The mean on the known words alone; a run that knows all words has no other score of these."""
    if not any(run and run.of_known for run in runs):
        return None
    return _mean_score([run and (run.of_known or replace(run, words="known")) for run in runs], missing)


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
    chances = [run.chance for run in scored if run.chance is not None]
    baselines = [run.baseline for run in scored if run.baseline is not None]
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
        chance=fmean(chances) if len(chances) == len(scored) else None,
        baseline=fmean(baselines) if len(baselines) == len(scored) else None,
        error=None,
        seeds=tuple(values),
        extra={key: fmean(run.extra.get(key, 0.0) for run in scored) for key in scored[0].extra},
    )


def mean_observations(several: Sequence[tuple[float, str, Subscore]]) -> Observations:
    """What a weighted mean varies with, from the share of each subscore and what begins its words' names."""

    def influences(name: Literal["influences", "outside"]) -> dict[str, float]:
        return summed(
            (f"{begin}{word}", value * share)
            for share, begin, each in several
            for word, value in getattr(observations_of(each), name).items()
        )

    unknown = (f"{begin}{word}" for _, begin, each in several for word in observations_of(each).unknown)
    return Observations(influences("influences"), tuple(dict.fromkeys(unknown)), influences("outside"))


def differences(first: Scores, second: Scores, varying: Varying = variation) -> Iterator[TestedDifference]:
    """How much better one model is than another, by each measure that scores both on the same categories."""
    for after in second.measured:
        before = first.get(after.measure)
        found = before and difference(
            measure_of(after.measure),
            before.subscores,
            after.subscores,
            seeds=(before.seeds, after.seeds),
            varying=varying,
        )
        if found:
            yield TestedDifference(
                **asdict(found),
                test_set=second.test_set,
                measure=after.measure,
                first=first.model,
                second=second.model,
            )


def combined_difference(
    first: Scores, second: Scores, varying: Varying = variation
) -> TestedDifference | None:
    """How much better one model is than another by Combined, tested over words; None if one has none."""
    pairs = [topk_and_oddoneout(scores.measured) for scores in (first, second)]
    if pairs[0] is None or pairs[1] is None:
        return None
    same = [of_same_categories(*(score.subscores for score in pair))[0] for pair in pairs if pair]
    if not all(same):
        return None
    before, after = (combined_of(*pair, varying) for pair in pairs if pair)
    value, observations = after.value - before.value, len({*before.single, *after.single})
    return TestedDifference(
        value=value,
        of_categories=None,
        of_words=test(value, difference_spread(before, after), observations),
        subscores=len(same[1]),
        observations=observations,
        test_set=second.test_set,
        measure=COMBINED,
        first=first.model,
        second=second.model,
    )


def with_baseline(scores: Scores, frequency: Scores) -> Scores:
    """Scores, and Combined, beside those of a model that knows only how frequent words are."""
    own, varying = [], remembering()
    for score in scores.measured:
        other = frequency.get(score.measure)
        known = score.of_known and _beside(score.of_known, other and other.of_known)
        own.append(replace(_beside(score, other), of_known=known))
    both = combined_difference(frequency, scores, varying)
    several = (*differences(frequency, scores, varying), *([both] if both else []))
    tested = {each.measure: each for each in several}
    found = (
        replace(each, over_baseline=_plain(tested[each.measure])) if each.measure in tested else each
        for each in with_combined(own, varying)
    )
    return replace(scores, scores=tuple(found))


def _plain(tested: Difference) -> Difference:
    """Without what says of which models it is."""
    return Difference(**{name: getattr(tested, name) for name in Difference.__struct_fields__})


def _beside(score: Score, frequency: Score | None) -> Score:
    """A score with the frequency baseline of each of its categories."""
    levels = {each.name: each.value for each in frequency.subscores} if frequency else {}
    subscores = tuple(replace(each, baseline=levels.get(each.name)) for each in score.subscores)
    scored = [each for each in subscores if each.value is not None]
    return replace(score, subscores=subscores, baseline=mean_baseline(scored))


def _sum(subscores: Iterable[Subscore], attribute: str) -> int | None:
    counts = [count for each in subscores if (count := getattr(each, attribute)) is not None]
    return sum(counts) if counts else None


def _with_interval(measure: Measure, subscore: Subscore) -> Subscore:
    """A subscore with its 95% interval, if it has enough observations for one."""
    if subscore.value is None or len(observations_of(subscore).influences) < LEAST_OBSERVATIONS:
        return replace(subscore, low=None, high=None)
    low, high = interval(measure, [subscore], subscore.seeds) or (None, None)
    return replace(subscore, low=low, high=high)
