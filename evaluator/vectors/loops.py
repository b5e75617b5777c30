"""Compiled loops: decimal numbers of text files as float32, and vectors of words from rows of n-grams."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluator.execution.compiling import compiled
from evaluator.vectors.table import Matrix

SPACE, TAB, NEWLINE, RETURN, PLUS, MINUS, POINT, SMALL_E, CAPITAL_E = map(ord, " \t\n\r+-.eE")
Whole = int | np.int64
POWERS = np.array([float(f"1e{power}") for power in range(301)])


@compiled
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


@compiled
def _number(text: npt.NDArray[np.uint8], at: int) -> tuple[int, np.float32]:
    """Where the number that starts here ends, and its value; NaN if it is not certain to the last bit."""
    negative = text[at] == MINUS
    at += negative or text[at] == PLUS
    at, mantissa, power = _mantissa(text, at)
    if text[at] == SMALL_E or text[at] == CAPITAL_E:
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


@compiled
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


@compiled
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


@compiled
def add_ngrams(
    ngrams: Matrix, text: npt.NDArray[np.uint8], minn: int, maxn: int, hashes: int, seed: int, out: Matrix
) -> int:
    """Add the rows of a word's n-grams, as `Dictionary::computeSubwords` does, and count them.

    The text is the word between its marks, `<` and `>`, in UTF-8; n-grams have from minn to maxn characters.
    In fastText the row of an n-gram is its FNV-1a hash of 32 bits, where bytes have signs, modulo the number
    of rows. In floret an n-gram, and the whole text first, has as many rows as `hashes` says, up to 4: parts
    of 32 bits of its MurmurHash3, modulo the number of rows. `hashes` is 0 for fastText.
    """
    if len(ngrams) == 0 or len(text) == 0:
        return 0
    number = _add_rows(ngrams, text, np.uint64(0), hashes, seed, out) if hashes else 0
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
                number += _add_rows(ngrams, text[start:end], value, hashes, seed, out)
    return number


@compiled
def _add_rows(
    ngrams: Matrix, text: npt.NDArray[np.uint8], fnv: np.uint64, hashes: int, seed: int, out: Matrix
) -> int:
    """Add the row of one n-gram, or in floret its rows, and count them."""
    if not hashes:
        out += ngrams[np.int64(fnv % np.uint64(len(ngrams)))]
        return 1
    halves = _murmur(text, seed)
    for number in range(hashes):
        part = (halves[number // 2] >> np.uint64(32 * (number % 2))) & np.uint64(0xFFFFFFFF)
        out += ngrams[np.int64(part % np.uint64(len(ngrams)))]
    return hashes


@compiled
def add_all_ngrams(
    ngrams: Matrix,
    text: npt.NDArray[np.uint8],
    ends: npt.NDArray[np.int64],
    minn: int,
    maxn: int,
    hashes: int,
    seed: int,
    own: npt.NDArray[np.bool_],
    out: Matrix,
) -> None:
    """Make the own rows of words, shape (v, d), to means of these and the rows of their n-grams.

    The text is all words, one after another; `ends` are where the first one starts, and where each ends.
    `own`, shape (v,), says whose own row belongs to the mean; rows of words without any become zeros.
    """
    for word in range(len(out)):
        if not own[word]:
            out[word] = 0
        number = add_ngrams(ngrams, text[ends[word] : ends[word + 1]], minn, maxn, hashes, seed, out[word])
        out[word] /= np.float32(max(1, number + own[word]))


@compiled
def _murmur(text: npt.NDArray[np.uint8], seed: int) -> tuple[np.uint64, np.uint64]:
    """MurmurHash3 of 128 bits for processors of 64 (Appleby 2011, `MurmurHash3_x64_128`, public domain)."""
    first, second = np.uint64(seed), np.uint64(seed)
    whole = len(text) // 16 * 16
    for start in range(0, whole, 16):
        first ^= _mixed_first(_word(text, start, 8))
        first = (_turned(first, 27) + second) * np.uint64(5) + np.uint64(0x52DCE729)
        second ^= _mixed_second(_word(text, start + 8, 8))
        second = (_turned(second, 31) + first) * np.uint64(5) + np.uint64(0x38495AB5)
    left = len(text) - whole
    if left > 8:
        second ^= _mixed_second(_word(text, whole + 8, left - 8))
    if left > 0:
        first ^= _mixed_first(_word(text, whole, min(8, left)))
    first ^= np.uint64(len(text))
    second ^= np.uint64(len(text))
    first += second
    second += first
    first, second = _spread(first), _spread(second)
    first += second
    return first, second + first


@compiled
def hash_texts(text: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64], seed: int) -> npt.NDArray[np.uint64]:
    """A number for each text, shape (n,): MurmurHash2 of 64 bits (Appleby, `MurmurHash64A`, public domain).

    The texts are one after another; `ends` are where the first one starts, and where each ends.
    """
    found, factor = np.empty(len(ends) - 1, dtype=np.uint64), np.uint64(0xC6A4A7935BD1E995)
    for number in range(len(found)):
        start, end = ends[number], ends[number + 1]
        value = np.uint64(seed) ^ (np.uint64(end - start) * factor)
        while end - start >= 8:
            part = _word(text, start, 8) * factor
            value = (value ^ ((part ^ (part >> np.uint64(47))) * factor)) * factor
            start += 8
        if end > start:
            value = (value ^ _word(text, start, end - start)) * factor
        value = (value ^ (value >> np.uint64(47))) * factor
        found[number] = value ^ (value >> np.uint64(47))
    return found


@compiled
def _word(text: npt.NDArray[np.uint8], start: int, length: int) -> np.uint64:
    """Some bytes as one number, the lowest first."""
    value = np.uint64(0)
    for at in range(length):
        value |= np.uint64(text[start + at]) << np.uint64(8 * at)
    return value


@compiled
def _turned(value: np.uint64, bits: int) -> np.uint64:
    """The bits of a number turned to the left."""
    return (value << np.uint64(bits)) | (value >> np.uint64(64 - bits))


@compiled
def _mixed_first(value: np.uint64) -> np.uint64:
    return _turned(value * np.uint64(0x87C37B91114253D5), 31) * np.uint64(0x4CF5AD432745937F)


@compiled
def _mixed_second(value: np.uint64) -> np.uint64:
    return _turned(value * np.uint64(0x4CF5AD432745937F), 33) * np.uint64(0x87C37B91114253D5)


@compiled
def _spread(value: np.uint64) -> np.uint64:
    """Let each bit change all others."""
    value = (value ^ (value >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    value = (value ^ (value >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(33))


@compiled
def _fnv(value: np.uint64, byte: np.uint8) -> np.uint64:
    """The hash of a text and one more byte."""
    signed = np.uint64(byte) if byte < 0x80 else np.uint64(byte) | np.uint64(0xFFFFFF00)
    return ((value ^ signed) * np.uint64(0x01000193)) & np.uint64(0xFFFFFFFF)


@compiled
def _continues(text: npt.NDArray[np.uint8], at: int) -> bool:
    """Whether a byte of UTF-8 is not the first one of a character."""
    return bool(at < len(text) and text[at] & 0xC0 == 0x80)
