"""Nested random subsets of a corpus, of exact sizes: lines in a random order, cut after so many tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluator.errors import StudyError
from evaluator.execution.output_files import written_beside
from evaluator.text.corpus import Sentences

Ints = npt.NDArray[np.int64]

_SIZE = re.compile(r"(?:2\^([0-9]{1,2})|([0-9]{1,18}))")


def parse_size(text: str) -> int | None:
    """A number of tokens: `1024`, `2^10`, or None for `all`.

    Raises:
        StudyError: It is none of them, or not above 0.
    """
    if text.strip() == "all":
        return None
    found = _SIZE.fullmatch(text.strip())
    size = 0 if found is None else 2 ** int(found[1]) if found[1] else int(found[2])
    if not size:
        raise StudyError(f"size {text!r}: give a number of tokens above 0, such as 50000, 2^16 or all")
    return size


def doubling_sizes(first: int, last: int | None, tokens: int) -> list[int]:
    """The sizes of the subsets: each is twice the one before, and the last is as asked for.

    Args:
        first: The smallest, in tokens.
        last: The largest; None for the whole corpus.
        tokens: How many the corpus has.

    Raises:
        StudyError: The corpus is smaller, or the smallest is above the largest.
    """
    for size in (first, last):
        if size is not None and size > tokens:
            raise StudyError(f"the corpus has {tokens:,} tokens, fewer than {size:,}; ask for smaller sizes")
    end = tokens if last is None else last
    if first > end:
        raise StudyError(f"the smallest subset, {first:,} tokens, is above the largest, {end:,}")
    sizes = []
    while first < end:
        sizes.append(first)
        first *= 2
    return [*sizes, end]


def write_subset(corpus: Path, seed: int, tokens: int, path: Path) -> Sentences:
    """Write the first tokens of a corpus whose lines are in a random order.

    The order depends on nothing but the seed and the number of lines, so that a smaller subset of the same
    seed is the beginning of a larger one. The last line is cut where the number of tokens is reached.

    Args:
        corpus: What `Corpus.write_sentences` leaves.
        seed: Of the order.
        tokens: How many; the corpus must have as many.
        path: Where to.

    Raises:
        OutputError: It cannot be written.
    """
    counts: Counter[str] = Counter()
    number, left = 0, tokens
    with written_beside(path) as beside, beside.open("w", encoding="utf-8", newline="\n") as file:
        for words in _lines(corpus, seed):
            kept = words[:left]
            file.write(" ".join(kept) + "\n")
            counts.update(kept)
            number, left = number + 1, left - len(kept)
            if not left:
                break
    return Sentences(path, counts, number)


def _lines(corpus: Path, seed: int) -> Iterator[list[str]]:
    starts = _starts(corpus, corpus.stat().st_mtime_ns)
    order = np.random.default_rng(seed).permutation(len(starts))
    with corpus.open("rb") as file:
        for start in starts[order]:
            file.seek(int(start))
            yield file.readline().decode().split()


@lru_cache(maxsize=1)
def _starts(corpus: Path, _written: int) -> Ints:
    """Where each line begins, in bytes, shape (lines,): all that is kept of a corpus in memory."""
    with corpus.open("rb") as file:
        lengths = np.fromiter(map(len, file), dtype=np.int64)
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)[:-1]))
