"""The vectors of words from rows of n-grams, to which hashes lead, as compiled loops."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from evaluator.vectors.table import Matrix


@njit(nogil=True, cache=True)
def add_ngrams(ngrams: Matrix, text: npt.NDArray[np.uint8], minn: int, maxn: int, out: Matrix) -> int:
    """Add the rows of a word's n-grams as fastText does (`Dictionary::computeSubwords`), and count them.

    The row of an n-gram is its FNV-1a hash of 32 bits, where bytes have signs, modulo the number of rows. The
    text is the word between < and >, in UTF-8; n-grams have from minn to maxn characters.
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
    """Make the own rows of words, shape (v, d), to means of these and the rows of their n-grams.

    The text is all words, one after another; `ends` are where the first one starts, and where each ends.
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
