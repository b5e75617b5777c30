"""Where the words related to a word stand among others, and what happens to this without each of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluator.execution.compiling import compiled

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@compiled
def _precision(rank: int, before: float) -> float:
    """k/(k+u) for the word of a rank from 0, so k = rank + 1, with u others before it."""
    return (rank + 1) / (rank + 1 + max(before, 0.0))


@compiled
def _place(levels: Doubles, value: float, equal: bool) -> int:
    """The first of descending levels that is below a value; or not above it, if it may be `equal`."""
    low, high = 0, len(levels)
    while low < high:
        middle = (low + high) // 2
        if levels[middle] > value or (levels[middle] == value and not equal):
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _count_before(similar: Doubles, own: Bools, levels: Doubles) -> Doubles:
    """How many others are above each level; those that are equal are halves."""
    kept = len(levels)
    twice = np.zeros(kept + 1)  # those that are above from a level on, as differences
    for other in range(len(similar)):
        value = similar[other]
        if value >= levels[kept - 1] and not own[other]:
            twice[_place(levels, value, True)] += 1
            twice[_place(levels, value, False)] += 1
    return np.cumsum(twice[:kept]) / 2


@compiled
def _leave_out_others(
    similar: Doubles, own: Bools, levels: Doubles, before: Doubles, counted: int, changes: Doubles
) -> None:
    """Add what the value changes without each word that is before, or equal to, a related one."""
    kept = len(levels)
    whole, half = np.zeros(kept + 1), np.zeros(kept + 1)  # sums over the levels before each one
    for k in range(kept):
        one = two = 0.0
        if k < counted:
            here = _precision(k, before[k])
            one = (_precision(k, before[k] - 1) - here) / counted
            two = (_precision(k, before[k] - 0.5) - here) / counted
        whole[k + 1], half[k + 1] = whole[k] + one, half[k] + two
    for other in range(len(similar)):
        value = similar[other]
        if value >= levels[kept - 1] and not own[other]:
            equal, below = _place(levels, value, True), _place(levels, value, False)
            changes[other] += whole[kept] - whole[below] + half[below] - half[equal]


@compiled
def _leave_out_related(mine: Ints, before: Doubles, average: bool, value: float, changes: Doubles) -> None:
    """Add what the value changes without each of two or more related words, the first one first."""
    m = len(mine)
    if not average:  # the second one is the first then
        changes[mine[0]] += _precision(0, before[1]) - value
        return
    left, right = 0.0, 0.0
    for k in range(1, m):
        right += _precision(k - 1, before[k])
    for k in range(m):
        changes[mine[k]] += (left + right) / (m - 1) - value
        left += _precision(k, before[k])
        if k + 1 < m:
            right -= _precision(k, before[k + 1])


@compiled
def rank_related(
    similar: Doubles,
    first: int,
    related: Ints,
    starts: Ints,
    average: bool,
    values: Doubles,
    changes: Doubles,
    lost: Ints,
) -> None:
    """Rank the words related to each of some of n words among all others.

    The value of a word with m related ones is the mean of k/(k+u_k), where u_k other words stand before the
    k-th of them (average precision); or it is that for k = 1 alone (the reciprocal rank). A word as similar
    as the k-th counts as half a word before it. Words without related ones have no value.

    Args:
        similar: Similarities of some words to all, shape (some, n).
        first: The number of the first of these words.
        related: The numbers of the words related to each word, one word after another.
        starts: Where those of each word begin, and where the last ones end, shape (n + 1,).
        average: Whether the value is the average precision.
        values: Of all words, shape (n,); those of these words are set.
        changes: By how much the sum of the values of all words but w changes if w is taken away, for each
            w; of a word whose only related word is w, the value is taken away. Shape (n,); added to.
        lost: How many words have only w as related word, shape (n,); added to.
    """
    own = np.zeros(similar.shape[1], dtype=np.bool_)  # the word itself, and related ones
    for row in range(len(similar)):
        word = first + row
        mine = related[starts[word] : starts[word + 1]]
        m = len(mine)
        if m == 0:
            continue
        mine = mine[np.argsort(-similar[row][mine])]
        levels = similar[row][mine if average else mine[:2]]  # the second is needed without the first
        own[word] = True
        own[mine] = True
        before, counted = _count_before(similar[row], own, levels), len(levels) if average else 1
        value = 0.0
        for k in range(counted):
            value += _precision(k, before[k]) / counted
        values[word] = value
        _leave_out_others(similar[row], own, levels, before, counted, changes)
        if m > 1:
            _leave_out_related(mine, before, average, value, changes)
        else:
            changes[mine[0]] -= value
            lost[mine[0]] += 1
        own[word] = False
        own[mine] = False
