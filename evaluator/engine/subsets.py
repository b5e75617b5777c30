"""Subsets of a category's words: all of them, or a sample drawn without listing all."""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_AT_A_TIME = 65_536


def chunks(n: int, k: int) -> Iterator[Ints]:
    """All k-subsets of range(n), in chunks of shape (subsets, k)."""
    subsets = itertools.combinations(range(n), k)
    while chunk := list(itertools.islice(subsets, _AT_A_TIME)):
        yield np.array(chunk, dtype=np.int64)


def draw(population: int, size: int, generator: random.Random) -> list[int]:
    """Draw different numbers below `population`, which may be too large for an array index."""
    drawn: dict[int, None] = {}
    while len(drawn) < size:
        drawn[generator.randrange(population)] = None
    return list(drawn)


def unrank(ranks: Sequence[int], k: int) -> Ints:
    """The k-subsets with given ranks in the combinatorial number system, Σ comb(s_j, j) over sorted words.

    Args:
        ranks: n numbers; the subset of a rank does not depend on the number of words.
        k: The size of the subsets.
    """
    most = _last_word(max(ranks, default=0), k) + 1
    if math.comb(most, k) > np.iinfo(np.int64).max:
        return np.array([_unrank(rank, k) for rank in ranks], dtype=np.int64).reshape(-1, k)
    left = np.array(ranks, dtype=np.int64)
    subsets = np.empty((len(left), k), dtype=np.int64)
    for column, size in enumerate(range(k, 0, -1)):
        below = np.array([math.comb(word, size) for word in range(most + 1)], dtype=np.int64)
        subsets[:, column] = np.searchsorted(below, left, side="right") - 1
        left -= below[subsets[:, column]]
    return subsets


def _unrank(rank: int, k: int) -> list[int]:
    subset = []
    for size in range(k, 0, -1):
        word = _last_word(rank, size)
        rank -= math.comb(word, size)
        subset.append(word)
    return subset


def _last_word(rank: int, size: int) -> int:
    """The greatest word for which comb(word, size) does not exceed the rank."""
    above = size
    while math.comb(above, size) <= rank:
        above *= 2
    return bisect.bisect_right(range(above), rank, key=lambda word: math.comb(word, size)) - 1
