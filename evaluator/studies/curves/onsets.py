"""Onsets: the smallest corpus from which on a measure says something, and the ratios of onsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.results.curve import Ratio, SizeScore

SHARE = 0.1
"""The share of its final value at which a measure is seen to rise."""


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
