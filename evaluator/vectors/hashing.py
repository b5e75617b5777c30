"""Hashes of words, and the vector of a word from rows of a table to which they lead, as compiled loops."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from evaluator.vectors.table import Matrix


@njit(nogil=True, cache=True)
def add_rows(
    table: Matrix,
    text: npt.NDArray[np.uint8],
    ends: npt.NDArray[np.int64],
    minn: int,
    maxn: int,
    count: int,
    seed: np.uint64,
    out: Matrix,
) -> None:
    """Add the mean of the rows of a word.

    Args:
        table: Shape (buckets, d).
        text: The word with its marks, in UTF-8.
        ends: The first byte of each character, and the end of the text.
        minn: The length of the shortest n-grams.
        maxn: That of the longest.
        count: How many rows each n-gram has.
        seed: Of the hash.
        out: The vector, shape (d,); changed in place.
    """
    characters = len(ends) - 1
    parts = np.empty(4, dtype=np.uint64)
    number = 0
    for length in range(minn - 1, maxn + 1):
        # The first time round it is the whole word, which has rows of its own.
        whole = length == minn - 1
        size = characters if whole else length
        if size < 1:
            continue
        for start in range(characters - size + 1):
            if size == 1 and not whole and (start == 0 or start == characters - 1):
                continue
            _murmur(text[ends[start] : ends[start + size]], seed, parts)
            for part in range(count):
                out += table[np.int64(parts[part] % np.uint64(len(table)))]
                number += 1
    out /= np.float32(number)


@njit(nogil=True, cache=True)
def _rotated(value: np.uint64, by: int) -> np.uint64:
    return np.uint64((value << np.uint64(by)) | (value >> np.uint64(64 - by)))


@njit(nogil=True, cache=True)
def _mixed(value: np.uint64) -> np.uint64:
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    return np.uint64(value ^ (value >> np.uint64(33)))


@njit(nogil=True, cache=True)
def _number(text: npt.NDArray[np.uint8], start: int, end: int) -> np.uint64:
    """Up to eight bytes as a little-endian number."""
    value = np.uint64(0)
    for position in range(min(end, len(text)) - 1, start - 1, -1):
        value = (value << np.uint64(8)) | np.uint64(text[position])
    return value


@njit(nogil=True, cache=True)
def _murmur(text: npt.NDArray[np.uint8], seed: np.uint64, parts: npt.NDArray[np.uint64]) -> None:
    """MurmurHash3_x64_128 of a text, as four numbers of 32 bits each."""
    first, second = seed, seed
    c1, c2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
    blocks = len(text) // 16
    for block in range(blocks):
        at = 16 * block
        first ^= _rotated(_number(text, at, at + 8) * c1, 31) * c2
        first = (_rotated(first, 27) + second) * np.uint64(5) + np.uint64(0x52DCE729)
        second ^= _rotated(_number(text, at + 8, at + 16) * c2, 33) * c1
        second = (_rotated(second, 31) + first) * np.uint64(5) + np.uint64(0x38495AB5)
    at = 16 * blocks
    second ^= _rotated(_number(text, at + 8, at + 16) * c2, 33) * c1
    first ^= _rotated(_number(text, at, at + 8) * c1, 31) * c2
    first ^= np.uint64(len(text))
    second ^= np.uint64(len(text))
    first += second
    second += first
    first, second = _mixed(first), _mixed(second)
    first += second
    second += first
    low = np.uint64(0xFFFFFFFF)
    parts[0], parts[1] = first & low, first >> np.uint64(32)
    parts[2], parts[3] = second & low, second >> np.uint64(32)


@njit(nogil=True, cache=True)
def murmur64(text: npt.NDArray[np.uint8]) -> np.uint64:
    """MurmurHash64A of a text with seed 1, the key of a string in spaCy."""
    factor = np.uint64(0xC6A4A7935BD1E995)
    value = np.uint64(1) ^ (np.uint64(len(text)) * factor)
    for at in range(0, len(text), 8):
        block = _number(text, at, at + 8)
        if at + 8 <= len(text):
            block *= factor
            block = (block ^ (block >> np.uint64(47))) * factor
        value = (value ^ block) * factor
    value = (value ^ (value >> np.uint64(47))) * factor
    return np.uint64(value ^ (value >> np.uint64(47)))
