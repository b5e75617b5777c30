"""Intervals and tests of all measures, from what each unit contributes to a score.

Units (words, pairs, groups) are resampled within each part of a test set; the parts are those there are. The
answer is to the question: what if the test set had had other words of the same kind?
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from evaluator.engine.similarities import Doubles
from evaluator.measures.base import Subscore
from evaluator.results.base import Difference

RESAMPLES = 2000
PERMUTATIONS = 10_000
LEVEL = 0.95

LEAST_UNITS = 3
"""Fewer units say nothing of how they vary."""

_VALUES_AT_A_TIME = 1 << 22


def replicates(part: Subscore, seed: int, resamples: int = RESAMPLES) -> Doubles:
    """The values of a part with its units drawn again with replacement (Efron 1979), shape (resamples,).

    Parts of the same name and size see the same draws whatever the measure, so that measures can be combined.
    Deviations are widened by √(n/(n-1)), as those of a sample are too small by that.
    """
    generator = np.random.default_rng([seed, zlib.crc32(part.name.encode())])
    n = len(part.pseudovalues)
    middle = part.pseudovalues.mean()
    spread = (part.pseudovalues - middle) * np.sqrt(n / max(n - 1, 1))
    rows = max(1, _VALUES_AT_A_TIME // n)
    means = []
    for start in range(0, resamples, rows):
        drawn = generator.integers(n, size=(min(rows, resamples - start), n), dtype=np.int32)
        means.append(spread[drawn].mean(axis=1))
    return np.asarray(middle + np.concatenate(means))


def mean_replicates(parts: Sequence[Subscore], seed: int) -> Doubles:
    """The weighted mean over the parts scored, each with its units drawn again, shape (resamples,)."""
    scored = [part for part in parts if part.value is not None]
    total = sum(part.weight for part in scored)
    return np.asarray(sum(part.weight / total * replicates(part, seed) for part in scored))


def interval(values: Doubles, lowest: float, highest: float, level: float = LEVEL) -> tuple[float, float]:
    """The middle of replicates (percentile interval), within what a score can be."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(np.clip(low, lowest, highest)), float(np.clip(high, lowest, highest))


def difference(first: Sequence[Subscore], second: Sequence[Subscore], seed: int) -> Difference | None:
    """Compare two models on the same parts; None if they have none in common.

    The interval is a bootstrap over paired units. The test is the paired permutation test: if neither is
    better, each unit's difference could as well have the other sign (Fisher 1935; for evaluation, Dror et
    al. 2018, "The Hitchhiker's Guide to Testing Statistical Significance in NLP").
    """
    paired = _paired(first, second)
    if not paired:
        return None
    weights = np.array([part.weight for part in paired])
    weights /= weights.sum()
    value = float(weights @ [part.pseudovalues.mean() for part in paired])
    low, high = interval(mean_replicates(paired, seed), -2, 2)
    generator = np.random.default_rng([seed, 1])
    null = sum(
        weight * _sign_flips(part.pseudovalues, generator)
        for weight, part in zip(weights, paired, strict=True)
    )
    extreme = int((np.abs(null) >= abs(value) - 1e-12).sum())
    units = sum(len(part.observations) for part in paired)
    return Difference(value, low, high, (1 + extreme) / (1 + PERMUTATIONS), len(paired), units)


def _paired(first: Sequence[Subscore], second: Sequence[Subscore]) -> list[Subscore]:
    """Parts whose contributions are differences, second minus first, of units that both have."""
    before = {part.name: part for part in first if part.value is not None}
    paired = []
    for part in second:
        other = before.get(part.name)
        if part.value is None or other is None:
            continue
        own = dict(zip(other.observations, other.pseudovalues.tolist(), strict=True))
        found = [
            (unit, value - own[unit])
            for unit, value in zip(part.observations, part.pseudovalues.tolist(), strict=True)
            if unit in own
        ]
        if found:
            units, values = zip(*found, strict=True)
            mean, differences = float(np.mean(values)), np.array(values)
            paired.append(Subscore(part.name, len(units), 0, mean, units, differences, weight=part.weight))
    return paired


def _sign_flips(values: Doubles, generator: np.random.Generator) -> Doubles:
    """Means with the sign of each value drawn, shape (permutations,)."""
    rows = max(1, _VALUES_AT_A_TIME // len(values))
    means = []
    for start in range(0, PERMUTATIONS, rows):
        shape = min(rows, PERMUTATIONS - start), len(values)
        signs = generator.integers(2, size=shape, dtype=np.int8).astype(np.float32) * 2 - 1
        means.append(signs @ values / len(values))
    return np.concatenate(means)
