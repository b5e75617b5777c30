"""Where the words related to a word stand among others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluator.engine.kernels import use_wide_vectors
from evaluator.execution.compiling import compiled

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int32]

_PARTS = 256
"""Into so many parts the range of similarities of related words is divided."""

_AT_ONCE = 256
"""Words that are compared with others at once."""

_FEW = 32
"""Up to so many related words, all words are compared with each of them."""


@compiled
def _leave_out(similar: Floats, words: Ints, begin: int, end: int, first: int) -> None:
    """Let some of the words from a first one on be before no other one."""
    for place in range(begin, end):
        if words[place] >= first:
            similar[words[place] - first] = -np.inf


@compiled
def rank_first(
    similar: Doubles,
    first: int,
    related: Ints,
    starts: Ints,
    alike: Ints,
    alike_starts: Ints,
    values: Doubles,
    nearest: Ints,
) -> None:
    """The reciprocal ranks of the first word that is related to each of some words, among all others.

    It is 1/(1+u), where u other words stand before it, which are not related and not spelled alike. One as
    similar counts as half a word. Words without related ones have no value.

    Args:
        similar: Similarities of some words to all, shape (some, n); overwritten.
        first: The number of the first of these words.
        related: The numbers of the words related to each word, one word after another.
        starts: Where those of each word begin, and where the last ones end, shape (n + 1,).
        alike: The numbers of the words that are none of the others of a word, in the same form.
        alike_starts: Where those of each word begin.
        values: Of all words, shape (n,); those of these words are set.
        nearest: The related word that is first, of each word, shape (n,); those of these words are set.
    """
    use_wide_vectors()
    for row in range(len(similar)):
        word, here = first + row, similar[row]
        begin, end = starts[word], starts[word + 1]
        if begin == end:
            continue
        best = related[begin]
        for place in range(begin, end):
            if here[related[place]] > here[best]:
                best = related[place]
        level, nearest[word] = here[best], best
        here[word] = -np.inf
        _leave_out(here, related, begin, end, 0)
        _leave_out(here, alike, alike_starts[word], alike_starts[word + 1], 0)
        above = equal = 0
        for other in range(len(here)):  # without a branch, so that a processor does several at once
            above += here[other] > level
            equal += here[other] == level
        values[word] = 1 / (1 + above + equal / 2)


@compiled
def _precision(rank: int, before: float) -> float:
    """k/(k+u) for the word of a rank from 0, so k = rank + 1, with u others before it."""
    return (rank + 1) / (rank + 1 + max(before, 0.0))


@compiled
def _take_first(similar: Doubles, words: Ints, first: Ints, levels: Doubles) -> None:
    """The most similar of some words, and how similar they are.

    To compile numpy's sort would take a second.
    """
    for number in range(len(words)):
        word = words[number]
        place = min(number, len(first))
        while place and similar[first[place - 1]] < similar[word]:
            place -= 1
        for after in range(min(number, len(first) - 1), place, -1):
            first[after] = first[after - 1]
        if place < len(first):
            first[place] = word
    for place in range(len(first)):
        levels[place] = similar[first[place]]


@compiled
def _above(similar: Doubles, levels: Doubles, before: Doubles) -> None:
    """How many words are above each of some levels; those that are equal are halves."""
    use_wide_vectors()
    for k in range(len(levels)):
        level = levels[k]
        above = equal = 0
        for other in range(len(similar)):
            above += similar[other] > level
            equal += similar[other] == level
        before[k] = above + equal / 2


@compiled
def _find_places(similar: Doubles, levels: Doubles, begins: Ints, equal: Ints, below: Ints) -> None:
    """Where each other word stands among descending levels: the first that is not above it, and below it.

    The range of the levels is divided into equal parts, so that few levels are looked at.

    Args:
        similar: Similarities of all words, shape (n,); -inf of those that are no others.
        levels: Descending similarities, one or more.
        begins: For the first level of each part, and after the last part; overwritten.
        equal: Set to the first level that is not above the word, shape (n,); -1 if it is below all.
        below: Set to the first level that is below it, shape (n,).
    """
    kept, parts = len(levels), len(begins) - 1
    high, low = levels[0], levels[kept - 1]
    scale = (parts - 1) / (high - low) if high > low else 0.0
    level = 0
    for part in range(parts + 1):
        while level < kept and int((high - levels[level]) * scale) < part:
            level += 1
        begins[part] = level
    for other in range(len(similar)):
        value = similar[other]
        if value < low:
            equal[other] = -1
            continue
        place = 0 if value > high else begins[int((high - value) * scale)]
        while place < kept and levels[place] > value:
            place += 1
        equal[other] = place
        while place < kept and levels[place] == value:
            place += 1
        below[other] = place


@compiled
def _count_before(equal: Ints, below: Ints, before: Doubles) -> None:
    """How many others are above each of many levels; those that are equal are halves."""
    twice = np.zeros(len(before) + 1)  # those that are above from a level on, as differences
    for other in range(len(equal)):
        if equal[other] >= 0:
            twice[equal[other]] += 1
            twice[below[other]] += 1
    total = 0.0
    for k in range(len(before)):
        total += twice[k]
        before[k] = total / 2


@compiled
def average_precisions(
    similar: Doubles,
    first: int,
    related: Ints,
    starts: Ints,
    alike: Ints,
    alike_starts: Ints,
    values: Doubles,
    nearest: Ints,
) -> None:
    """The same, but all related words count.

    The value of a word with m related ones is the mean of k/(k+u_k), where u_k other words stand before the
    k-th of them. Arguments are as in `rank_first`.
    """
    n = similar.shape[1]
    equal, below = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    begins = np.empty(_PARTS + 1, dtype=np.int64)
    for row in range(len(similar)):
        word = first + row
        mine = related[starts[word] : starts[word + 1]]
        here, counted = similar[row], len(mine)
        if counted == 0:
            continue
        best, levels, before = np.empty(counted, dtype=np.int64), np.empty(counted), np.empty(counted)
        _take_first(here, mine, best, levels)
        nearest[word] = best[0]
        here[word] = -np.inf
        _leave_out(here, related, starts[word], starts[word + 1], 0)
        _leave_out(here, alike, alike_starts[word], alike_starts[word + 1], 0)
        if counted <= _FEW:
            _above(here, levels, before)
        else:
            _find_places(here, levels, begins, equal, below)
            _count_before(equal, below, before)
        value = 0.0
        for k in range(counted):
            value += _precision(k, before[k]) / counted
        values[word] = value


@compiled
def _exact(units: Doubles, one: int, other: int) -> float:
    """The similarity of two words; four sums, as a processor adds several numbers at once."""
    a = b = c = d = 0.0
    whole = units.shape[1] // 4 * 4
    for place in range(0, whole, 4):
        a += units[one, place] * units[other, place]
        b += units[one, place + 1] * units[other, place + 1]
        c += units[one, place + 2] * units[other, place + 2]
        d += units[one, place + 3] * units[other, place + 3]
    for place in range(whole, units.shape[1]):
        a += units[one, place] * units[other, place]
    return float(np.rint((a + b) + (c + d)))


@compiled
def _find_first(units: Doubles, related: Ints, starts: Ints, levels: Doubles, nearest: Ints) -> None:
    """How similar the first of the words related to each word is, and which one; inf if it has none."""
    for word in range(len(levels)):
        levels[word] = np.inf
        for place in range(starts[word], starts[word + 1]):
            exact = _exact(units, word, related[place])
            if place == starts[word] or exact > levels[word]:
                levels[word], nearest[word] = exact, related[place]


@compiled
def _share_above(exact: float, level: float) -> float:
    """1 for a similarity above a level, 1/2 if it is equal."""
    if exact > level:
        return 1.0
    return 0.5 if exact == level else 0.0


@compiled
def _count_above(
    similar: Floats,
    first: int,
    related: Ints,
    starts: Ints,
    alike: Ints,
    alike_starts: Ints,
    units: Doubles,
    levels: Doubles,
    low: Floats,
    high: Floats,
    above: Numbers,
    before: Doubles,
) -> None:
    """Count how many others are above the level of each word; those that are equal are halves.

    Each pair is looked at once for both of its words. Plain loops compile in a quarter of the time of numpy's
    functions.

    Args:
        similar: Similarities of some words to the first of them and all after it; overwritten.
        first: The number of the first of these words.
        related: The numbers of the words related to each word, one word after another.
        starts: Where those of each word begin.
        alike: The numbers of other words that are no others of a word, in the same form.
        alike_starts: Where those of each word begin.
        units: The vectors, whose products in double precision are exact, shape (n, d).
        levels: Of each word, shape (n,).
        low: Below it, a similarity is below the level for certain; like the others from the first word on.
        high: Above it, it is above the level for certain.
        above: How many of these words are above the level of each word; increased.
        before: Of each of all words, shape (n,); increased.
    """
    use_wide_vectors()
    words = similar.shape[1]
    for row in range(len(similar)):
        word, here = first + row, similar[row]
        _leave_out(here, related, starts[word], starts[word + 1], first)
        _leave_out(here, alike, alike_starts[word], alike_starts[word + 1], first)
        least, most = low[row], high[row]
        for start in range(row + 1, words, _AT_ONCE):
            end = min(start + _AT_ONCE, words)
            near = of_word = np.int32(0)
            for place in range(start, end):  # without a branch, as in `_above`
                value = here[place]
                of_word = np.int32(of_word + np.int32(value > most))
                above[place] = np.int32(above[place] + np.int32(value > high[place]))
                near = np.int32(near + np.int32((value >= least) & (value <= most)))
                near = np.int32(near + np.int32((value >= low[place]) & (value <= high[place])))
            before[word] += of_word
            for place in range(start, end if near else start):
                value, other = here[place], first + place
                if least <= value <= most:
                    before[word] += _share_above(_exact(units, word, other), levels[word])
                if low[place] <= value <= high[place]:
                    before[other] += _share_above(_exact(units, word, other), levels[other])


def reciprocal_ranks(
    units: Doubles, related: tuple[Ints, Ints], alike: tuple[Ints, Ints]
) -> tuple[Doubles, Ints]:
    """The values that `rank_first` gives, and the first related word of each word.

    Similarities are products of vectors in single precision. Where their rounding may change an order, they
    are computed again in double precision: a product of two vectors of d numbers and length l is within
    (d+2)·2^-24·l² (Higham 2002, "Accuracy and Stability of Numerical Algorithms", section 3.1).

    Args:
        units: Vectors whose products, as whole numbers, are the similarities, 2^40 for 1, shape (n, d).
        related: The numbers of the words related to each word, and where those of each begin.
        alike: The same of words that are none of the others of a word.
    """
    n, d = units.shape
    levels, before, nearest = np.empty(n), np.zeros(n), np.zeros(n, dtype=np.int64)
    _find_first(units, *related, levels, nearest)
    unsure = (d + 4) * 2.0**16  # 2 more, as limits are rounded themselves
    low, high = (levels - unsure).astype(np.float32), (levels + unsure).astype(np.float32)
    rounded, above = units.astype(np.float32), np.zeros(n, dtype=np.int32)
    for first in range(0, n, _AT_ONCE):
        similar = rounded[first : first + _AT_ONCE] @ rounded[first:].T
        limits = low[first:], high[first:]
        _count_above(similar, first, *related, *alike, units, levels, *limits, above[first:], before)
    before += above
    return np.where(np.isfinite(levels), 1 / (1 + before), 0.0), nearest
