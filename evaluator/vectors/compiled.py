"""Compiled loops over the bytes of vectors files.

They release the interpreter's lock, so that threads can share a file. They are compiled on first use and
kept for later runs; all in one module, as numba does not notice when a function that another module compiled
into its own has changed. numba is loaded with this module, so it is imported only when a large file is read.
"""

# ruff: noqa: ANN401 (numba's and llvmlite's own objects have no public types)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.extending import intrinsic

from evaluator.vectors.table import Matrix

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_TAB, _NEWLINE, _RETURN, _SPACE = 9, 10, 13, 32
_PLUS, _MINUS, _DOT, _ZERO, _SMALL_E = 43, 45, 46, 48, 101
_MOST_DIGITS = 18  # any so many fit into 64 bits
_EXACT_MANTISSA = 1 << 53
_EXACT_POWER = 22
_MOST_POWER = 60
_FAR_POWER = 100_000
_POWERS = np.array([float(f"1e{power}") for power in range(_MOST_POWER + 1)])
# More than all that is lost by cutting digits off, rounding mantissa and power, and one operation.
_BELOW, _ABOVE = 1 - 2.0**-49, 1 + 2.0**-49


# For the digits of eight bytes at once: https://lemire.me/blog/2022/01/21/swar-explained-parsing-eight-digits/
_ZEROS, _ABOVE_NINE = np.uint64(0x3030303030303030), np.uint64(0x7676767676767676)
_HIGH_BITS, _PAIRS = np.uint64(0x8080808080808080), np.uint64(0x000000FF000000FF)
_FIRST, _SECOND = np.uint64(0x000F424000000064), np.uint64(0x0000271000000001)
_TEN, _U3, _U8, _U16, _U32 = (np.uint64(number) for number in (10, 3, 8, 16, 32))
_TENS = np.array([10**power for power in range(9)])


def _load(context: Any, builder: Any, arguments: Any, kind: Any) -> Any:
    pointer = context.get_value_type(kind).as_pointer()
    return builder.load(builder.inttoptr(builder.add(*arguments), pointer), align=1)


def _load_one(_typing: Any, base: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        byte = _load(context, builder, arguments, types.uint8)
        return builder.zext(byte, context.get_value_type(types.int64))

    return types.int64(base, place), generate


def _load_eight(_typing: Any, base: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _load(context, builder, arguments, types.uint64)

    return types.uint64(base, place), generate


def _count_zeros(_typing: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(number), generate


# Bytes are read by address: to hand an array to a function counts a reference, which takes longer than to
# parse a number. The byte at a place after an address; eight of them as one number, the first one lowest,
# aligned or not; and how many of the lowest bits of a number are 0, which is 64 if all are.
_byte = cast("Callable[[int, int], int]", intrinsic(_load_one))
_eight_bytes = cast("Callable[[int, int], np.uint64]", intrinsic(_load_eight))
_trailing_zeros = cast("Callable[[np.uint64], np.uint64]", intrinsic(_count_zeros))


@njit(nogil=True, cache=True, forceinline=True)
def _more_digits(
    base: int, size: int, place: int, mantissa: int
) -> tuple[int, int]:  # pragma: no cover  # compiled
    """Appends the digits from a place on to a mantissa, which may overflow; and says where they end."""
    while place + 8 <= size:
        eight = _eight_bytes(base, place) ^ _ZEROS
        count = _trailing_zeros(((eight + _ABOVE_NINE) | eight) & _HIGH_BITS) >> _U3
        if count == 0:
            return mantissa, place
        eight <<= (_U8 - count) << _U3
        eight = eight * _TEN + (eight >> _U8)
        eight = ((eight & _PAIRS) * _FIRST + ((eight >> _U16) & _PAIRS) * _SECOND) >> _U32
        mantissa = mantissa * int(_TENS[count]) + int(eight)
        place += int(count)
        if count < _U8:
            return mantissa, place
    digit = _byte(base, place) - _ZERO
    while 0 <= digit <= 9:
        mantissa = 10 * mantissa + digit
        place += 1
        digit = _byte(base, place) - _ZERO
    return mantissa, place


@njit(nogil=True, cache=True)
def _first_digits(base: int, start: int, stop: int) -> tuple[int, int]:  # pragma: no cover  # compiled
    """The first digits of a long mantissa, and the power of ten that makes up for the others."""
    mantissa, digits, power = 0, 0, 0
    fraction = False
    for place in range(start, stop):
        digit = _byte(base, place) - _ZERO
        if digit < 0:
            fraction = True
            continue
        if digits < _MOST_DIGITS:
            mantissa = 10 * mantissa + digit
            digits += mantissa > 0
            power -= fraction
        else:
            power += not fraction
    return mantissa, power


@njit(nogil=True, cache=True, forceinline=True)
def _round(mantissa: int, power: int) -> tuple[np.float32, bool]:  # pragma: no cover  # compiled
    """The value mantissa · 10^power as np.float32(float()) gives it, and whether that is certain."""
    if power > _MOST_POWER or power < -_MOST_POWER:
        return np.float32(0), False
    value = np.float64(mantissa)
    if power < 0:
        value /= _POWERS[-power]
    else:
        value *= _POWERS[power]
    single = np.float32(value)
    if mantissa <= _EXACT_MANTISSA and -_EXACT_POWER <= power <= _EXACT_POWER:
        # Both operands are exact, so one operation rounds as float() would.
        return single, bool(single < np.inf)
    certain = np.float32(value * _BELOW) == single and np.float32(value * _ABOVE) == single
    return single, bool(certain and single < np.inf)


@njit(nogil=True, cache=True, forceinline=True)
def _parse_exponent(base: int, place: int) -> tuple[int, int]:  # pragma: no cover  # compiled
    """What follows an "e", and where it ends; -1 where it is no exponent."""
    minus = _byte(base, place) == _MINUS
    place += minus | (_byte(base, place) == _PLUS)
    exponent, start = 0, place
    digit = _byte(base, place) - _ZERO
    while 0 <= digit <= 9:
        exponent = min(10 * exponent + digit, _FAR_POWER)
        place += 1
        digit = _byte(base, place) - _ZERO
    return -exponent if minus else exponent, place if place > start else -1


@njit(nogil=True, cache=True, forceinline=True)
def _parse_number(base: int, size: int, place: int) -> tuple[np.float32, int]:  # pragma: no cover  # compiled
    """A number that starts at a place, and where it ends; -1 where it has to be left to others."""
    negative = _byte(base, place) == _MINUS
    # No branch: half of all numbers have a sign, and a processor cannot guess which.
    place += negative | (_byte(base, place) == _PLUS)
    start = place
    mantissa = 0
    digit = _byte(base, place) - _ZERO
    while 0 <= digit <= 9:
        mantissa = 10 * mantissa + digit
        place += 1
        digit = _byte(base, place) - _ZERO
    digits = place - start
    power = 0
    if digit == _DOT - _ZERO:
        place += 1
        point = place
        mantissa, place = _more_digits(base, size, place, mantissa)
        power = point - place
        digits -= power
    if digits == 0:
        return np.float32(0), -1
    if digits > _MOST_DIGITS:
        mantissa, power = _first_digits(base, start, place)
    if (_byte(base, place) | 32) == _SMALL_E:
        exponent, place = _parse_exponent(base, place + 1)
        power += exponent
    if place < 0:
        return np.float32(0), -1
    value, certain = _round(mantissa, power)
    return np.float32(1 - 2 * negative) * value, place if certain else -1


@njit(nogil=True, cache=True, forceinline=True)
def _parse_row(base: int, size: int, place: int, values: Matrix) -> int:  # pragma: no cover  # compiled
    """Numbers with one space before each, from the first space to the end of the line.

    Args:
        base: The address of the bytes; a newline is the last of them.
        size: How many there are.
        place: Of the space before the first number.
        values: Where the numbers go, shape (d,).

    Returns:
        Where the line ends; -1 if it has to be left to others: it looks different, or is all zeros.
    """
    direction = False
    for column in range(values.size):
        if _byte(base, place) != _SPACE:
            return -1
        value, place = _parse_number(base, size, place + 1)
        if place < 0:
            return -1
        direction |= value != 0
        values[column] = value
    while _byte(base, place) == _SPACE or _byte(base, place) == _TAB:
        place += 1
    if _byte(base, place) == _RETURN:
        place += 1
    return place if direction and _byte(base, place) == _NEWLINE else -1


@njit(nogil=True, cache=True)
def _is_blank(base: int, start: int, stop: int) -> bool:  # pragma: no cover  # compiled
    for place in range(start, stop):
        byte = _byte(base, place)
        if byte != _SPACE and byte != _TAB and byte != _RETURN:
            return False
    return True


@njit(nogil=True, cache=True)
def parse_lines(
    data: Bytes, dimension: int
) -> tuple[Ints, Bools, Matrix, Bytes, int]:  # pragma: no cover  # compiled
    r"""Parse whole lines of text; those that are not as plain as most are only marked.

    A plain line is a word without spaces or tabs, and d finite decimal numbers, not all zero, with one space
    before each.

    Args:
        data: The bytes; a newline is the last of them.
        dimension: d.

    Returns:
        For the lines that are not blank: their number, counted from 0, and where they start and end, shape
        (n, 3); whether they are plain, shape (n,). For the plain ones: their numbers, shape (plain, d), and
        their words with "\n" after each. And how many lines there are, blank ones included.
    """
    base = data.ctypes.data
    count = 0
    for place in range(data.size):
        count += data[place] == _NEWLINE
    lines = np.empty((count, 3), np.int64)
    plain = np.empty(count, np.bool_)
    values = np.empty((data.size // (2 * dimension + 2) + 1, dimension), np.float32)
    words = np.empty(data.size, np.uint8)
    rows, parsed, written = 0, 0, 0
    number, start = 0, 0
    while start < data.size:
        stop = start
        while _byte(base, stop) != _SPACE and _byte(base, stop) != _NEWLINE and _byte(base, stop) != _TAB:
            stop += 1
        end = -1
        if _byte(base, stop) == _SPACE and stop > start:
            end = _parse_row(base, data.size, stop, values[parsed])
        plain[rows] = end >= 0
        if end >= 0:
            words[written : written + stop - start] = data[start:stop]
            written += stop - start + 1
            words[written - 1] = _NEWLINE
            parsed += 1
        else:
            end = stop
            while _byte(base, end) != _NEWLINE:
                end += 1
        if plain[rows] or not _is_blank(base, start, end):
            lines[rows, 0], lines[rows, 1], lines[rows, 2] = number, start, end
            rows += 1
        number += 1
        start = end + 1
    return lines[:rows], plain[:rows], values[:parsed], words[:written], number


@njit(nogil=True, cache=True)
def split_binary(
    data: Bytes, dimension: int, longest_word: int
) -> tuple[Matrix, Bools, Bytes, int, bool]:  # pragma: no cover  # compiled
    """Part binary rows: a newline or none, a word, a space, and d little-endian float32.

    Args:
        data: The bytes, from the start of a row.
        dimension: d.
        longest_word: How many bytes to look at for the end of a word.

    Returns:
        The numbers, shape (n, d); whether they are all finite and not all zero, shape (n,); the words with a
        space after each; where the whole rows end; and whether no word ends after that.
    """
    width = 4 * dimension
    most = data.size // (width + 1)
    values = np.empty((most, dimension), np.float32)
    raw = values.view(np.uint8)
    bits = values.view(np.uint32)
    good = np.empty(most, np.bool_)
    words = np.empty(data.size, np.uint8)
    rows, written, place = 0, 0, 0
    while True:
        start = place
        if start < data.size and data[start] == _NEWLINE:
            start += 1
        last = min(start + longest_word, data.size)
        space = start
        while space < last and data[space] != _SPACE:
            space += 1
        if space == last:
            return values[:rows], good[:rows], words[:written], place, last == start + longest_word
        if space + 1 + width > data.size:
            return values[:rows], good[:rows], words[:written], place, False
        words[written : written + space + 1 - start] = data[start : space + 1]
        written += space + 1 - start
        raw[rows] = data[space + 1 : space + 1 + width]
        finite, nonzero = np.uint32(1), np.uint32(0)
        for column in range(dimension):
            magnitude = bits[rows, column] & np.uint32(0x7FFFFFFF)
            finite &= np.uint32(magnitude < np.uint32(0x7F800000))
            nonzero |= magnitude
        good[rows] = finite != 0 and nonzero != 0
        rows += 1
        place = space + 1 + width
