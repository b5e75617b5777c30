"""Where the words related to a word stand among others."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluator.execution.compiling import compiled

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

_PARTS = 256
"""Into so many parts the range of similarities of related words is divided."""


@compiled
def _precision(rank: int, before: float) -> float:
    """k/(k+u) for the word of a rank from 0, so k = rank + 1, with u others before it."""
    return (rank + 1) / (rank + 1 + max(before, 0.0))


@compiled
def _sorted(similar: Doubles, words: Ints) -> Ints:
    """A few words, the most similar first; to compile numpy's sort would take a second."""
    found = words.copy()
    for number in range(1, len(found)):
        word, place = found[number], number
        while place and similar[found[place - 1]] < similar[word]:
            found[place] = found[place - 1]
            place -= 1
        found[place] = word
    return found


@compiled
def _take_others(similar: Doubles, word: int, mine: Ints, unasked: Ints, others: Doubles) -> None:
    """Set the similarities to others: those of a word, and -inf for itself and words that are no others."""
    others[:] = similar
    others[word] = -np.inf
    for each in mine:
        others[each] = -np.inf
    for each in unasked:
        others[each] = -np.inf


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
def _count_before(equal: Ints, below: Ints, kept: int) -> Doubles:
    """How many others are above each of some levels; those that are equal are halves."""
    twice = np.zeros(kept + 1)  # those that are above from a level on, as differences
    for other in range(len(equal)):
        if equal[other] >= 0:
            twice[equal[other]] += 1
            twice[below[other]] += 1
    before, total = np.empty(kept), 0.0
    for k in range(kept):
        total += twice[k]
        before[k] = total / 2
    return before


@compiled
def _above(similar: Doubles, levels: Doubles) -> Doubles:
    """How many words are above each of some levels; those that are equal are halves."""
    found = np.empty(len(levels))
    for k in range(len(levels)):
        above = equal = 0
        for other in range(len(similar)):  # without a branch, so that a processor does several at once
            above += similar[other] > levels[k]
            equal += similar[other] == levels[k]
        found[k] = above + equal / 2
    return found


@compiled
def rank_related(
    similar: Doubles,
    first: int,
    related: Ints,
    starts: Ints,
    alike: Ints,
    alike_starts: Ints,
    average: bool,
    values: Doubles,
    nearest: Ints,
) -> None:
    """Rank the words related to each of some of n words among all others that are not spelled alike.

    The value of a word with m related ones is the mean of k/(k+u_k), where u_k other words stand before the
    k-th of them (average precision); or it is that for k = 1 alone (the reciprocal rank). A word as similar
    as the k-th counts as half a word before it. Words without related ones have no value.

    Args:
        similar: Similarities of some words to all, shape (some, n).
        first: The number of the first of these words.
        related: The numbers of the words related to each word, one word after another.
        starts: Where those of each word begin, and where the last ones end, shape (n + 1,).
        alike: The numbers of the words that are none of the others of a word, in the same form.
        alike_starts: Where those of each word begin.
        average: Whether the value is the average precision.
        values: Of all words, shape (n,); those of these words are set.
        nearest: The related word that is first, of each word, shape (n,); those of these words are set.
    """
    others = np.empty(similar.shape[1])  # similarities to the others; to those that are none, -inf
    equal, below = np.empty(len(others), dtype=np.int64), np.empty(len(others), dtype=np.int64)
    begins = np.empty(_PARTS + 1, dtype=np.int64)
    for row in range(len(similar)):
        word = first + row
        mine = related[starts[word] : starts[word + 1]]
        m = len(mine)
        if m == 0:
            continue
        here, counted = similar[row], m if average else 1
        mine = _sorted(here, mine)
        nearest[word] = mine[0]
        levels = np.empty(counted)
        for k in range(counted):
            levels[k] = here[mine[k]]
        unasked = alike[alike_starts[word] : alike_starts[word + 1]]
        _take_others(here, word, mine, unasked, others)
        if average:
            _find_places(others, levels, begins, equal, below)
            before = _count_before(equal, below, counted)
        else:
            before = _above(others, levels)
        value = 0.0
        for k in range(counted):
            value += _precision(k, before[k]) / counted
        values[word] = value
