"""Compiled loops: decimal numbers of text files as float32, and vectors of words from rows of n-grams."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from evaluator.vectors.table import Matrix

SPACE, TAB, NEWLINE, RETURN, PLUS, MINUS, POINT = (ord(sign) for sign in " \t\n\r+-.")
Whole = int | np.int64
POWERS = np.array([float(f"1e{power}") for power in range(301)])


@njit(nogil=True, cache=True)
def read_lines(text: npt.NDArray[np.uint8], words: npt.NDArray[np.int64], matrix: Matrix) -> bool:
    """Read lines of a word and d numbers, with one space before each number; the last byte is a newline.

    Where each word starts and ends, shape (n, 2), and the numbers, shape (n, d), are filled in. False if not
    all lines are such lines, or not all numbers finite and read to the last bit.
    """
    at = 0
    for row in range(len(matrix)):
        words[row, 0] = at
        while text[at] not in (SPACE, TAB, NEWLINE, RETURN):
            at += 1
        words[row, 1] = at
        for column in range(matrix.shape[1]):
            if text[at] != SPACE:
                return False
            at, matrix[row, column] = _number(text, at + 1)
            if not np.isfinite(matrix[row, column]):
                return False
        if text[at] != NEWLINE:
            return False
        at += 1
    return at == len(text)


@njit(nogil=True, cache=True)
def _number(text: npt.NDArray[np.uint8], at: int) -> tuple[int, np.float32]:
    """Where the number that starts here ends, and its value; NaN if it is not certain to the last bit."""
    negative = text[at] == MINUS
    at += negative or text[at] == PLUS
    at, mantissa, power = _mantissa(text, at)
    if text[at] in (ord("e"), ord("E")):
        at, shift = _exponent(text, at + 1)
        power += shift
    if mantissa < 0 or not -len(POWERS) < power < len(POWERS):
        return at, np.float32(np.nan)
    value = np.float64(mantissa)
    value = value / POWERS[-power] if power < 0 else value * POWERS[power]
    # With both operands exact, the result is the nearest float64 (Clinger 1990); with others it is a few
    # 2**-53 away, which nearly never changes the float32.
    margin = 0.0 if mantissa <= 1 << 53 and -22 <= power <= 22 else 2.0**-50
    least, most = np.float32(value * (1 - margin)), np.float32(value * (1 + margin))
    single = least if least == most else np.float32(np.nan)
    return at, -single if negative else single


@njit(nogil=True, cache=True)
def _mantissa(text: npt.NDArray[np.uint8], at: int) -> tuple[int, Whole, Whole]:
    """Where digits and point end, the first 18 digits as a whole number, -1 if none, and its power of ten."""
    value: Whole = 0
    power: Whole = 0
    digits, fraction = 0, 0
    while True:
        digit = np.int64(text[at]) - 48
        if 0 <= digit <= 9:
            digits += 1
            if value < 10**17:
                value = 10 * value + digit
                power -= fraction
            else:
                power += 1 - fraction
        elif text[at] == POINT and not fraction:
            fraction = 1
        else:
            return at, value if digits else -1, power
        at += 1


@njit(nogil=True, cache=True)
def _exponent(text: npt.NDArray[np.uint8], at: int) -> tuple[int, Whole]:
    """Where the exponent ends, and its value; one that is too large for any number if there are no digits."""
    negative = text[at] == MINUS
    at += negative or text[at] == PLUS
    start = at
    value: Whole = 0
    while 48 <= text[at] <= 57 and at - start < 9:
        value = 10 * value + np.int64(text[at]) - 48
        at += 1
    if at == start:
        value = 1 << 40
    return at, -value if negative else value


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
