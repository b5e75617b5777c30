"""How often the words of a corpus stand near each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluator.execution.compiling import compiled

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

GAP = -1
"""What stands between two sentences in a text of rows of the vocabulary."""


@dataclass(frozen=True, eq=False)
class Cooccurrences:
    """The counts of pairs of words, as a symmetric matrix of shape (v, v) in compressed rows.

    Attributes:
        starts: Where each row starts and the last one ends, shape (v + 1,).
        contexts: The rows of the words that occur near it, in order, shape (n,).
        counts: How often; with a dynamic window, `window` times as often as whole numbers. Shape (n,).
    """

    starts: Longs
    contexts: Ints
    counts: Longs


def numbered(sentences: Iterable[list[str]], rows: dict[str, int], size: int) -> Ints:
    """A text as the rows of its words, with `GAP` after each sentence; words without a row are left out.

    Args:
        sentences: Of whom each is a list of words.
        rows: The row of each word.
        size: How many words and sentences there are, at most.
    """
    found, at = np.empty(size, dtype=np.int32), 0
    for words in sentences:
        known = [rows[word] for word in words if word in rows]
        found[at : at + len(known)] = known
        found[at + len(known)] = GAP
        at += len(known) + 1
    return found[:at]


def cooccurrences(text: Ints, words: int, window: int, *, dynamic: bool) -> Cooccurrences:
    """Count how often words stand near each other, in memory of the text and the result.

    Args:
        text: Rows of the vocabulary, with `GAP` between sentences, shape (t,).
        words: The size of the vocabulary.
        window: How many words to either side are context.
        dynamic: Whether a word at a distance of n counts ``window - n + 1``, and not 1: what the random
            windows of word2vec give on average, times `window` (Levy, Goldberg and Dagan 2015, section 3.1).
    """
    places = np.argsort(text, kind="stable")
    ends = np.searchsorted(text[places], np.arange(words + 1))  # of each word, after the gaps
    starts = np.zeros(words + 1, dtype=np.int64)
    _fill(text, places, ends, window, dynamic, starts, np.empty(0, np.int32), np.empty(0, np.int64))
    np.cumsum(starts, out=starts)
    contexts, counts = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.int64)
    _fill(text, places, ends, window, dynamic, starts, contexts, counts)
    return Cooccurrences(starts, contexts, counts)


@compiled
def _fill(
    text: Ints,
    places: Longs,
    ends: Longs,
    window: int,
    dynamic: bool,
    starts: Longs,
    contexts: Ints,
    counts: Longs,
) -> None:
    """Count the contexts of each word into `starts`, one row further; or fill in contexts and counts.

    The places of word w in the text are `places[ends[w]:ends[w + 1]]`. Without room for contexts, only their
    number is counted.
    """
    words = len(ends) - 1
    total = np.zeros(words, dtype=np.int64)
    near = np.empty(words, dtype=np.int32)
    for word in range(words):
        number = 0
        for place in places[ends[word] : ends[word + 1]]:
            number = _count_around(text, place, window, dynamic, total, near, number)
        if len(contexts):
            near[:number].sort()
            start = starts[word]
            for context in range(number):
                contexts[start + context] = near[context]
                counts[start + context] = total[near[context]]
        else:
            starts[word + 1] = number
        for context in range(number):
            total[near[context]] = 0


@compiled
def _count_around(
    text: Ints, place: int, window: int, dynamic: bool, total: Longs, near: Ints, number: int
) -> int:
    """Count the contexts of a place: `total` of each word, and in `near` those that are there, so many."""
    for step in (-1, 1):
        for distance in range(1, window + 1):
            at = place + step * distance
            if at < 0 or at >= len(text) or text[at] < 0:
                break
            other = text[at]
            if total[other] == 0:
                near[number] = other
                number += 1
            total[other] += window - distance + 1 if dynamic else 1
    return number
