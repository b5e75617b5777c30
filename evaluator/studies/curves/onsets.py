"""Onsets: the smallest corpus from which on a measure says something, and the ratios of onsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SHARE = 0.1
"""The share of its final value at which a measure is seen to rise."""


@dataclass(frozen=True)
class SizeScore:
    """The score of a measure at one size, over all seeds.

    Attributes:
        size: In tokens.
        value: The mean over seeds.
        low: The lower end of the 95% confidence interval, over test words and seeds.
        high: Its upper end.
        least: The lowest value of a seed.
        most: The highest value of a seed.
        chance: The chance level with the words that are known; mean over seeds.
        baseline: The score of the frequency baseline with the same words; mean over seeds.
        seeds: The number of seeds.
    """

    size: int
    value: float
    low: float
    high: float
    least: float
    most: float
    chance: float
    baseline: float
    seeds: int


DEFINITIONS: Mapping[str, str] = {
    "above chance": "the lower end of the 95% interval is above chance",
    "above baseline": "the lower end of the 95% interval is above chance and the frequency baseline",
    "tenth above chance": "the score less chance is a tenth of what it is at the largest size, or more",
    "tenth of score": "the score is a tenth of what it is at the largest size, or more",
}
"""What must be true at a size, and at all larger sizes, for it to be an onset."""


def onsets(scores: Sequence[SizeScore]) -> dict[str, int | None]:
    """The onset of a measure by each definition, in tokens; None if there is none.

    Args:
        scores: By size, the smallest first.
    """
    last = scores[-1]
    gained = last.value - last.chance
    reached = {
        "above chance": [each.low > each.chance for each in scores],
        "above baseline": [each.low > max(each.chance, each.baseline) for each in scores],
        "tenth above chance": [gained > 0 and each.value - each.chance >= SHARE * gained for each in scores],
        "tenth of score": [last.value > 0 and each.value >= SHARE * last.value for each in scores],
    }
    sizes = [each.size for each in scores]
    return {name: first_lasting(sizes, reached[name]) for name in DEFINITIONS}


def first_lasting(sizes: Sequence[int], reached: Sequence[bool]) -> int | None:
    """The first size at which something is true that is also true at all larger sizes."""
    found = None
    for size, holds in zip(reversed(sizes), reversed(reached), strict=True):
        if not holds:
            break
        found = size
    return found


@dataclass(frozen=True)
class Ratio:
    """How many times as much data one measure needs as another.

    Attributes:
        definition: The definition of both onsets.
        measure: The measure of analogies.
        over: The measure of categories.
        value: The onset of `measure` divided by that of `over`; None if `over` has none.
        bound: Whether `measure` has no onset: its curve ends at `value` times the other onset.
    """

    definition: str
    measure: str
    over: str
    value: float | None
    bound: bool

    def __str__(self) -> str:
        """For tables."""
        return "-" if self.value is None else f"{'> ' if self.bound else ''}{self.value:.4g}"


def ratio(definition: str, measure: str, over: str, found: Mapping[str, int | None], largest: int) -> Ratio:
    """The ratio of two onsets.

    Args:
        definition: The definition of both.
        measure: The measure of analogies.
        over: The measure of categories.
        found: The onset of each measure.
        largest: The largest size of the curve.
    """
    above, below = found[measure], found[over]
    value = None if below is None else (largest if above is None else above) / below
    return Ratio(definition, measure, over, value, bound=above is None and below is not None)
