"""Words that stay in a file, decoded when they are asked for; and the row of each, without a dict of all.

Three million words take 200 MB as strings, and as much again in a dict. Packed they are two arrays that can
be mapped into memory:

    text     the words as UTF-8, after each a separator that is in none of them
    table    unsigned integers: where each word starts in the text, and where the last one ends (v + 1 of
             them); where each bucket starts among the rows that follow, and where the last one ends (v + 1);
             the rows, bucket by bucket (v)

There are as many buckets as words. A word is in the one that its CRC gives, which says where to look and no
more: whether it is there is told by the text.
"""

from __future__ import annotations

import operator
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Table = npt.NDArray[np.unsignedinteger[Any]]

BLOCK_WORDS = 1 << 14
# Who looks up more than this part of all words is faster with a dict, the time to make it included.
SINGLY = 16

_code = zlib.crc32  # 32 bits, the same in every process


@dataclass(frozen=True, eq=False, repr=False)
class StoredWords(Sequence[str]):
    """The first words of a packed vocabulary, each of them once.

    Attributes:
        text: all words, UTF-8 with a separator after each.
        separator: what stands after each word.
        starts: where each word starts in ``text``, and where the last one ends, its separator included.
        heads: where each bucket starts in ``rows``, and where the last one ends.
        rows: the rows of all words, bucket by bucket.
        size: how many words count.
    """

    text: Bytes
    separator: bytes
    starts: Table
    heads: Table
    rows: Table
    size: int

    def __len__(self) -> int:
        """How many words count."""
        return self.size

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        """The word of a row; of the first rows, words that still are not decoded; of others, a list."""
        if isinstance(place, slice):
            start, stop, step = place.indices(self.size)
            if step != 1:
                return [self[row] for row in range(start, stop, step)]
            return self._block(start, stop) if start else replace(self, size=stop)
        row = operator.index(place)
        if not -self.size <= row < self.size:
            raise IndexError(f"there is no row {row}, of {self.size}")
        return self._raw(row % self.size).decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        """All words, in blocks."""
        starts = range(0, self.size, BLOCK_WORDS)
        return chain.from_iterable(
            self._block(start, min(start + BLOCK_WORDS, self.size)) for start in starts
        )

    def __contains__(self, word: object) -> bool:
        """Whether this is one of the words."""
        return isinstance(word, str) and self.find(word) >= 0

    def __eq__(self, other: object) -> bool:
        """Whether the other is a list, or words that are stored too, of the same words."""
        if not isinstance(other, StoredWords | list):
            return NotImplemented
        return len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # as for lists

    def __repr__(self) -> str:
        """How many there are; they may be millions."""
        return f"<{self.size} stored words>"

    def find(self, word: str) -> int:
        """The row of a word; -1 if there is none."""
        try:
            raw = word.encode("utf-8")
        except UnicodeEncodeError:
            return -1
        if not self.size:
            return -1
        bucket = _code(raw) * len(self.rows) >> 32
        for row in self.rows[self.heads.item(bucket) : self.heads.item(bucket + 1)].tolist():
            if row < self.size and self._raw(row) == raw:
                return int(row)
        return -1

    def _raw(self, row: int) -> bytes:
        start, stop = self.starts[row : row + 2].tolist()
        return self.text[start : stop - len(self.separator)].tobytes()

    def _block(self, start: int, stop: int) -> list[str]:
        text = self.text[self.starts.item(start) : self.starts.item(stop)].tobytes()
        return text.decode("utf-8").split(self.separator.decode("utf-8"))[:-1]


class StoredIndex(Mapping[str, int]):
    """The row of each stored word; they are found one by one, until a dict is faster."""

    def __init__(self, words: StoredWords) -> None:
        """Prepares for words, without looking at them."""
        self._words = words
        self._left = len(words) // SINGLY
        self._dict: dict[str, int] | None = None

    def __getitem__(self, word: str) -> int:
        """The row of a word."""
        if self._dict is None and self._left > 0:
            self._left -= 1
            row = self._words.find(word)
            if row < 0:
                raise KeyError(word)
            return row
        if self._dict is None:
            self._dict = {each: row for row, each in enumerate(self._words)}
        return self._dict[word]

    def __iter__(self) -> Iterator[str]:
        """All words, in their order."""
        return iter(self._words)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._words)


def pack(words: Sequence[str]) -> tuple[bytes, Table]:
    """Makes what ``unpack`` takes.

    Args:
        words: v of them.

    Returns:
        The text, and the table, shape (3v + 2,).

    Raises:
        ValueError: a word cannot be written as UTF-8, or comes twice.
    """
    together = "".join(words)
    separator = next(sign for sign in map(chr, range(0x10FFFF)) if sign not in together)
    text = separator.join([*words, ""]).encode("utf-8")
    v = len(words)
    table = np.zeros(3 * v + 2, _kind(len(text)))
    lengths = np.fromiter(map(len, map(str.encode, words)), np.int64, v)
    table[1 : v + 1] = np.cumsum(lengths + len(separator.encode("utf-8")))
    codes = np.fromiter(map(_code, map(str.encode, words)), np.uint32, v)
    rows = np.argsort(codes)
    codes = codes[rows]
    _refuse_twice(words, rows, codes)
    # In this way the order of the buckets is that of the codes.
    buckets = (codes.astype(np.uint64) * np.uint64(v) >> np.uint64(32)).astype(np.intp)
    table[v + 2 : 2 * v + 2] = np.cumsum(np.bincount(buckets, minlength=v))
    table[2 * v + 2 :] = rows
    return text, table


def unpack(text: Bytes, table: Table, v: int) -> StoredWords:
    """Words that were packed, without looking at them.

    Args:
        text: the words, uint8.
        table: what is where.
        v: how many words there are.

    Raises:
        ValueError: they do not hold so many words.
    """
    if len(table) != 3 * v + 2 or int(table[v]) != len(text):
        raise ValueError(f"it does not hold {v} words")
    separator = text[-4:].tobytes().decode("utf-8", "ignore")[-1:].encode("utf-8")
    return StoredWords(text, separator, table[: v + 1], table[v + 1 : 2 * v + 2], table[2 * v + 2 :], v)


def open_words(text: Path, table: Path, v: int) -> StoredWords:
    """Maps packed words into memory, to read only; the arguments are those of ``unpack``.

    Raises:
        OSError: they cannot be opened.
        ValueError: they do not hold so many words.
    """
    mapped = np.asarray(np.memmap(text, np.uint8, "r"))
    return unpack(mapped, np.asarray(np.memmap(table, _kind(len(mapped)), "r")), v)


def _kind(size: int) -> str:
    """The type of a table for a text of so many bytes, which are more than there are words."""
    return "<u4" if size < 1 << 32 else "<u8"


def _refuse_twice(words: Sequence[str], rows: npt.NDArray[np.intp], codes: npt.NDArray[np.uint32]) -> None:
    """Refuses words of which one comes twice, given their rows in the order of their codes."""
    same = codes[1:] == codes[:-1]
    suspects = np.union1d(rows[1:][same], rows[:-1][same]).tolist()
    if len({words[row] for row in suspects}) < len(suspects):
        raise ValueError("a word comes twice")
