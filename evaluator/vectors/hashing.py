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
def add_ngrams(ngrams: Matrix, text: npt.NDArray[np.uint8], minn: int, maxn: int, out: Matrix) -> int:
    """Add the rows of a word's n-grams, one after another, as fastText does (`Dictionary::computeSubwords`).

    The row of an n-gram is its FNV-1a hash of 32 bits, where bytes have signs, modulo the number of rows.

    Args:
        ngrams: The rows, shape (buckets, d).
        text: The word between < and >, in UTF-8.
        minn: The length of the shortest n-grams, in characters.
        maxn: That of the longest.
        out: To what they are added, shape (d,); changed in place.

    Returns:
        How many n-grams the word has.
    """
    number = 0
    if len(ngrams) == 0:
        return number
    for start in range(len(text)):
        if _continues(text, start):
            continue
        value, length = np.uint64(0x811C9DC5), 0
        for end in range(start + 1, len(text) + 1):
            value = _fnv(value, text[end - 1])
            if _continues(text, end):
                continue
            length += 1
            if length > maxn:
                break
            mark = length == 1 and (start == 0 or end == len(text))
            if length >= minn and not mark:
                out += ngrams[np.int64(value % np.uint64(len(ngrams)))]
                number += 1
    return number


@njit(nogil=True, cache=True)
def add_all_ngrams(
    ngrams: Matrix,
    text: npt.NDArray[np.uint8],
    ends: npt.NDArray[np.int64],
    minn: int,
    maxn: int,
    out: Matrix,
) -> None:
    """Make the own rows of words to means of these and the rows of their n-grams.

    Args:
        ngrams: The rows of n-grams, shape (buckets, d).
        text: All words, each between < and >, in UTF-8.
        ends: Where the first word starts, and where each ends, shape (v + 1,).
        minn: The length of the shortest n-grams, in characters.
        maxn: That of the longest.
        out: The own rows of the words, shape (v, d); changed in place.
    """
    for word in range(len(out)):
        number = add_ngrams(ngrams, text[ends[word] : ends[word + 1]], minn, maxn, out[word])
        out[word] /= np.float32(number + 1)


@njit(nogil=True, cache=True)
def _fnv(value: np.uint64, byte: np.uint8) -> np.uint64:
    """The hash of a text and one more byte."""
    signed = np.uint64(byte) if byte < 0x80 else np.uint64(byte) | np.uint64(0xFFFFFF00)
    return ((value ^ signed) * np.uint64(0x01000193)) & np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True)
def _continues(text: npt.NDArray[np.uint8], at: int) -> bool:
    """Whether a byte of UTF-8 is not the first one of a character."""
    return bool(at < len(text) and text[at] & 0xC0 == 0x80)


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
