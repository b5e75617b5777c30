"""Intervals and tests of all measures, from the pseudo-values of observations.

Observations (words, pairs, groups) are resampled within each category, section, list or group; these stay the
same. Intervals answer the question: what if the test set had had other words of the same kind?
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

LEAST_OBSERVATIONS = 3
"""Fewer observations do not show how they vary."""

_VALUES_AT_A_TIME = 1 << 22


def replicates(subscore: Subscore, seed: int, resamples: int = RESAMPLES) -> Doubles:
    """Replicates of a value, its observations drawn with replacement (Efron 1979), shape (resamples,).

    Subscores of the same name and size get the same draws for every measure, so that measures can be
    combined. Deviations are multiplied by √(n/(n-1)), because those of a sample are too small by this factor.
    """
    generator = np.random.default_rng([seed, zlib.crc32(subscore.name.encode())])
    n = len(subscore.pseudovalues)
    middle = subscore.pseudovalues.mean()
    spread = (subscore.pseudovalues - middle) * np.sqrt(n / max(n - 1, 1))
    rows = max(1, _VALUES_AT_A_TIME // n)
    means = []
    for start in range(0, resamples, rows):
        drawn = generator.integers(n, size=(min(rows, resamples - start), n), dtype=np.int32)
        means.append(spread[drawn].mean(axis=1))
    return np.asarray(middle + np.concatenate(means))


def mean_replicates(subscores: Sequence[Subscore], seed: int) -> Doubles:
    """Replicates of the weighted mean of the subscores that have a value, shape (resamples,)."""
    scored = [each for each in subscores if each.value is not None]
    total = sum(each.weight for each in scored)
    return np.asarray(sum(each.weight / total * replicates(each, seed) for each in scored))


def interval(values: Doubles, lowest: float, highest: float, level: float = LEVEL) -> tuple[float, float]:
    """The percentile interval of replicates, limited to the range of possible scores."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(np.clip(low, lowest, highest)), float(np.clip(high, lowest, highest))


def difference(first: Sequence[Subscore], second: Sequence[Subscore], seed: int) -> Difference | None:
    """Compare two models on the same subscores; None if they have none in common.

    The interval is a bootstrap over paired observations. The test is the paired permutation test: if neither
    is better, the difference of each observation could as well have the other sign (Fisher 1935; for
    evaluation, Dror et al. 2018, "The Hitchhiker's Guide to Testing Statistical Significance in NLP").
    """
    paired = _paired(first, second)
    if not paired:
        return None
    weights = np.array([each.weight for each in paired])
    weights /= weights.sum()
    value = float(weights @ [each.pseudovalues.mean() for each in paired])
    low, high = interval(mean_replicates(paired, seed), -2, 2)
    generator = np.random.default_rng([seed, 1])
    null = sum(
        weight * _sign_flips(each.pseudovalues, generator)
        for weight, each in zip(weights, paired, strict=True)
    )
    extreme = int((np.abs(null) >= abs(value) - 1e-12).sum())
    observations = sum(len(each.observations) for each in paired)
    return Difference(value, low, high, (1 + extreme) / (1 + PERMUTATIONS), len(paired), observations)


def _paired(first: Sequence[Subscore], second: Sequence[Subscore]) -> list[Subscore]:
    """Subscores whose pseudo-values are differences, second minus first, of observations that both have."""
    before = {each.name: each for each in first if each.value is not None}
    paired = []
    for each in second:
        other = before.get(each.name)
        if each.value is None or other is None:
            continue
        own = dict(zip(other.observations, other.pseudovalues.tolist(), strict=True))
        found = [
            (observation, value - own[observation])
            for observation, value in zip(each.observations, each.pseudovalues.tolist(), strict=True)
            if observation in own
        ]
        if found:
            observations, values = zip(*found, strict=True)
            mean, differences = float(np.mean(values)), np.array(values)
            paired.append(
                Subscore(each.name, len(found), 0, mean, observations, differences, weight=each.weight)
            )
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
