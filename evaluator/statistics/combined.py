"""Combined and Above chance: one number from Topk and OddOneOut."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from evaluator.measures import parse_measure
from evaluator.measures.base import Subscore
from evaluator.results.scores import ABOVE_CHANCE, COMBINED, Score
from evaluator.statistics.inference import LEVEL, Variation, observed, of_two, variation

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


def combined_of(
    topk: Score, oddoneout: Score, function: Callable[[float, float], float] = combined
) -> Variation:
    """Combined of the categories that both measures score, as any of their words changes it."""
    subscores = of_same_categories(topk.subscores, oddoneout.subscores)
    # The lower of two scores decides Combined: near 0 it does not rise in proportion to both.
    correlation = 1.0 if function is combined else None
    first, second = (
        variation(parse_measure(score.measure), own, score.seeds, known=score.words == "known")
        for score, own in zip((topk, oddoneout), subscores, strict=True)
    )
    return of_two(function, first, second, correlation)


def of_same_categories(topk: Sequence[Subscore], oddoneout: Sequence[Subscore]) -> list[list[Subscore]]:
    """The subscores of the categories that both measures score."""
    names = [{each.name for each in several if each.value is not None} for several in (topk, oddoneout)]
    both = names[0] & names[1]
    return [[each for each in several if each.name in both] for several in (topk, oddoneout)]


def with_combined(scores: Sequence[Score]) -> tuple[Score, ...]:
    """The same, and Combined and Above chance, if a Topk and an OddOneOut score the same categories.

    Of several, these are of the first Topk and the first OddOneOut. Above chance is the mean of both, each
    as the share (s-c)/(1-c) of the way from its chance level c to 1. Unlike Combined it does not follow the
    lower of the two, and its chance level is 0. There is none where a chance level is 1.
    """
    pair = topk_and_oddoneout(scores)
    return tuple(scores) if pair is None else (*scores, *_of_both(*pair))


def topk_and_oddoneout(scores: Iterable[Score]) -> tuple[Score, Score] | None:
    """The first Topk and the first OddOneOut of some scores; None if one is missing."""
    kinds = {each.measure.partition("@")[0].partition("(")[0]: each for each in reversed([*scores])}
    if not {"Topk", "OddOneOut"} <= kinds.keys():
        return None
    return kinds["Topk"], kinds["OddOneOut"]


def _of_both(topk: Score, oddoneout: Score) -> Iterator[Score]:
    subscores = of_same_categories(topk.subscores, oddoneout.subscores)
    if not all(subscores):
        return
    chances = [weighted_mean(each, "chance") for each in subscores]
    levels = [each or 0.0 for each in chances]

    def above_chance(*values: float) -> float:
        return sum((s - c) / (1 - c) for s, c in zip(values, levels, strict=True)) / len(values)

    baselines = [mean_baseline(each) for each in subscores]
    names, unknown = observed(subscores[0])
    for name, function in ((COMBINED, combined), (ABOVE_CHANCE, above_chance)):
        if function is above_chance and max(levels) >= 1:
            continue
        found = combined_of(topk, oddoneout, function)
        # Where too few words are known for the interval of either, there is none of both.
        low, high = found.ends(1 - LEVEL) if topk.interval and oddoneout.interval else (None, None)
        yield Score(
            measure=name,
            words=topk.words,
            value=found.value,
            low=low,
            high=high,
            chance=_of_levels(function, chances),
            baseline=_of_levels(function, baselines),
            n=len(names),
            known=len(names) - len(unknown),
            signature=f"{topk.signature} {oddoneout.signature}",
            seeds=tuple(function(*values) for values in zip(topk.seeds, oddoneout.seeds, strict=True)),
        )


def _of_levels(function: Callable[..., float], levels: Sequence[float | None]) -> float | None:
    return None if None in levels else function(*levels)


def weighted_mean(subscores: Sequence[Subscore], attribute: str) -> float | None:
    """The weighted mean of an attribute of subscores; None if there are none, or one does not have it."""
    pairs = [(each.weight, getattr(each, attribute)) for each in subscores]
    if not pairs or any(value is None for _, value in pairs):
        return None
    return math.fsum(weight * value for weight, value in pairs) / math.fsum(weight for weight, _ in pairs)


def mean_baseline(subscores: Sequence[Subscore]) -> float | None:
    """The weighted mean of the frequency baseline, on the categories that it is known for."""
    return weighted_mean([each for each in subscores if each.baseline is not None], "baseline")
