"""bzip2 files in parts: from any place in one, the blocks that begin there can be unpacked by themselves.

A block begins with 48 bits that are the same in all files, at any bit and not only at the beginning of a
byte; so does the end of a stream. What looks like one by chance is found out when what is before it does not
unpack.
"""

from __future__ import annotations

import bz2
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from testgen.errors import SourceError

MAGIC = b"BZh"
_BLOCK, _END = 0x314159265359, 0x177245385090
_BITS = 48
_CHUNK = 1 << 20
_LONGEST = 1 << 22  # a packed block is never longer than some 900 kB and a little


class Bzip2Part:
    """A reader of the blocks that begin within a part of a file, and then of those after it."""

    def __init__(self, path: Path, start: int, end: int) -> None:
        """Begin at a place.

        Args:
            path: The file.
            start: The byte at which, or after which, the first block begins.
            end: The byte before which the last one does.
        """
        self._path, self._start, self._end = path, start, end

    def read(self) -> tuple[bytes, Iterator[bytes]]:
        """What is in the blocks of the part, and, block by block, what is in those after it.

        Raises:
            SourceError: A block is damaged.
        """
        blocks = self._blocks()
        own: list[bytes] = []
        rest: list[bytes] = []
        for place, content in blocks:
            if place >= 8 * self._end:
                rest.append(content)
                break
            own.append(content)

        def beyond() -> Iterator[bytes]:
            yield from rest
            yield from (content for _, content in blocks)

        return b"".join(own), beyond()

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        """The place of each block in bits, and what is in it."""
        with self._path.open("rb") as file:
            marks = _marks(file, self._start)
            begin: int | None = None
            waiting: list[int] = []
            for place, is_block in marks:
                if begin is not None:
                    waiting.append(place)
                    content = _unpacked(file, begin, place)
                    if content is None:
                        self._check(begin, place)
                        continue  # it only looked like the end
                    yield begin, content
                begin = place if is_block else None

    def _check(self, begin: int, place: int) -> None:
        if place - begin > 8 * _LONGEST:
            where = f"between its bytes {begin // 8} and {place // 8}"
            raise SourceError(f"{self._path}: damaged {where}; get it again")


def is_whole(path: Path) -> bool:
    """Whether a file ends as bzip2 files do."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 64))
        bits = int.from_bytes(tail := file.read(), "big")
    # After the mark of the end come 32 bits of checksum and up to seven that fill the last byte.
    return any((bits >> (32 + fill)) & ((1 << _BITS) - 1) == _END for fill in range(8)) and len(tail) > 10


def _marks(file: BinaryIO, start: int) -> Iterator[tuple[int, bool]]:
    """The places, in bits, of what looks like the beginning of a block (True) or the end of a stream."""
    position, kept = start, b""
    while True:
        file.seek(position)
        chunk = file.read(_CHUNK)
        data = kept + chunk
        base = 8 * (position - len(kept))
        # A mark that begins in the last seven bytes may go on in the next chunk.
        limit = 8 * (len(data) - 7) if chunk else 8 * len(data)
        yield from sorted((base + place, is_block) for place, is_block in _found(data) if place < limit)
        if not chunk:
            return
        position += len(chunk)
        kept = data[-7:]


def _found(data: bytes) -> Iterator[tuple[int, bool]]:
    for mark, is_block in ((_BLOCK, True), (_END, False)):
        for shift in range(8):
            # The bytes that the mark fills wholly, if it begins `shift` bits into a byte.
            inner = ((mark << (8 - shift)) >> 8 & ((1 << 40) - 1)).to_bytes(5, "big") if shift else b""
            whole = mark.to_bytes(6, "big") if not shift else inner
            at = data.find(whole)
            while at >= 0:
                place = 8 * at if not shift else 8 * (at - 1) + shift
                if place >= 0 and _bits(data, place) == mark:
                    yield place, is_block
                at = data.find(whole, at + 1)


def _bits(data: bytes, place: int) -> int:
    """The 48 bits at a place."""
    first = place // 8
    value = int.from_bytes(data[first : first + 7].ljust(7, b"\0"), "big")
    return (value >> (8 - place % 8)) & ((1 << _BITS) - 1)


def _unpacked(file: BinaryIO, begin: int, end: int) -> bytes | None:
    """What is in the block between two places in bits; None if there is no whole block."""
    here = file.tell()
    first, last = begin // 8, -(-end // 8)
    file.seek(first)
    data = file.read(last - first)
    file.seek(here)
    length = end - begin
    block = (int.from_bytes(data, "big") >> (8 * last - end)) & ((1 << length) - 1)
    checksum = (block >> (length - _BITS - 32)) & 0xFFFFFFFF
    # A stream of this block alone: its checksum is the stream's.
    stream = (((block << _BITS) | _END) << 32) | checksum
    fill = -(length + _BITS + 32) % 8
    try:
        packed = (stream << fill).to_bytes((length + _BITS + 32 + fill) // 8, "big")
        return bz2.decompress(MAGIC + b"9" + packed)
    except (OSError, ValueError):
        return None
