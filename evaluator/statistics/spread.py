"""The variance of a value, from what it owes to each observation, and how well that is known."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-20
"""A smaller variance than this is none."""

_LEAST_SEEDS = 1.25
"""See `Spread.with_seeds`; chosen in a model of normal distributions."""


@dataclass(frozen=True)
class Spread:
    """The variance of a value, of a rate divided by θ(1-θ) if it says so; and its degrees of freedom."""

    variance: float
    degrees: float

    def plus(self, other: Spread) -> Spread:
        """With an independent source of variance (degrees of freedom: Satterthwaite 1946)."""
        variance = self.variance + other.variance
        squares = self.variance**2 / self.degrees + other.variance**2 / other.degrees
        return Spread(variance, variance**2 / squares if squares > 0 else self.degrees)

    def with_seeds(self, *models: Sequence[float], scale: float = 1.0) -> Spread:
        """That of a mean over training runs, with the part of their seeds, which is divided by `scale`.

        Of a difference, the runs of both models are given. The variance over few runs is often far too small
        by luck, and its few degrees of freedom would then hardly count. So they count as if it were at least
        1.25/ν of the variance over words, with ν these degrees of freedom.
        """
        several = [of_model for of_model in models if len(of_model) > 1]
        if not several or scale <= 0:  # of one run, nothing is known of how they vary
            return self
        parts = [
            Spread(float(np.var(seeds, ddof=1)) / len(seeds) / scale, len(seeds) - 1) for seeds in several
        ]
        found = functools.reduce(Spread.plus, parts)
        if not found.variance:  # what trains them has no seed
            return self
        counted = max(found.variance, _LEAST_SEEDS / found.degrees * self.variance)
        degrees = self.plus(Spread(counted, found.degrees)).degrees
        return Spread(self.variance + found.variance, degrees)


def of_independent(single: Mapping[str, float], squares: float, most: float) -> Spread:
    """The variance is the sum of squares; where few observations decide, its degrees of freedom are few.

    They are from fourth powers (Satterthwaite 1946), and no more than `most`.
    """
    if squares < ROUNDING:
        return Spread(squares, most)
    fourth = math.fsum(v**4 for v in single.values()) / squares**2 - 1 / len(single)
    return Spread(squares, min(max(2 / fourth, 1.0), most) if fourth > 0 else most)


def of_dependent(single: Mapping[str, float], decided_by: Mapping[str, Sequence[str]]) -> Spread:
    """The same where other observations decide as well what a value owes to an observation.

    Let ψ_k be what it owes to k, and k~l if k is l or one observation decides both. The variance is
    `Σ_{k~l} ψ_k ψ_l` (of pairs that share a word: Fafchamps & Gubert 2007), and no less than `Σ_k ψ_k²`. Each
    product counts once, however many observations decide ψ_k: a jackknife would count it for each of them. n
    observations count as `G = n² / Σ_{k~l} 1` independent ones (Kish 1965), 2 or more. So the variance is
    multiplied by G/(G-1), and its degrees of freedom are from the squares of `q_k = ψ_k Σ_{l~k} ψ_l`, as they
    are from fourth powers of independent ones.
    """
    from scipy.sparse import csr_array

    rows = {name: row for row, name in enumerate(decided_by)}
    columns = dict(rows)
    places = [
        (row, columns.setdefault(each, len(columns)))
        for name, row in rows.items()
        for each in dict.fromkeys((name, *decided_by[name]))
    ]
    shape, ones = (len(rows), len(columns)), np.ones(len(places))
    decided = csr_array((ones, tuple(zip(*places, strict=True))), shape=shape)
    together = ((decided @ decided.T) > 0).astype(np.float64)
    own = np.array([single[name] for name in rows])
    shares = own * (together @ own)
    number = max(len(own) ** 2 / float(together.sum()), 2.0)
    squares = max(math.fsum(shares), math.fsum(own * own))
    if squares < ROUNDING:
        return Spread(squares, number - 1)
    fourth = float(shares @ (together @ shares)) / squares**2 - 1 / number
    degrees = min(max(2 / fourth, 1.0), number - 1) if fourth > 0 else number - 1
    return Spread(squares * number / (number - 1), degrees)
