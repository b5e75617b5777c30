r"""The lines of a stream, in blocks, which are parsed side by side.

Lines end at "\n" only, because words may hold any other sign that ends a line elsewhere.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError
from evaluator.vectors.source import BOM

Bytes = npt.NDArray[np.uint8]

BLOCK_BYTES = 1 << 20
LONGEST_LINE = 1 << 26


@dataclass(frozen=True)
class Block:
    """Some lines of a file.

    Attributes:
        data: the lines, a newline after each.
        before: how many lines were taken off before these; only known of the first block of a file.
        complete: False if the file ends with these and without a newline.
        large: whether as much was read as fits into a block, so that more will follow.
    """

    data: Bytes
    before: int = 0
    complete: bool = True
    large: bool = False

    def lines(self) -> list[bytes]:
        """The lines that are not blank, without their newlines."""
        return [line for line in self.data.tobytes().split(b"\n") if not is_blank(line)]

    def without_first(self) -> tuple[bytes, Block]:
        """Takes off the first line that is not blank, which may be empty if there is none."""
        data = self.data.tobytes()
        line, end, number = b"", 0, self.before
        while end < len(data) and is_blank(line):
            stop = data.index(b"\n", end)
            line, end, number = data[end:stop], stop + 1, number + 1
        return line, replace(self, data=self.data[end:], before=number)


class Lines:
    """The lines of a stream, numbered from 1, in blocks; a byte order mark is taken off."""

    def __init__(self, file: str, stream: BinaryIO) -> None:
        """Prepares to read ``stream`` from where it stands; ``file`` is its name in messages."""
        self._file = file
        self._stream = stream

    def blocks(self) -> Iterator[Block]:
        """Yields blocks of about 1 MiB of whole lines.

        Raises:
            VectorsError: a line is longer than 64 MiB.
        """
        rest: Bytes = np.zeros(0, np.uint8)
        while True:
            data = self._fill(rest)
            if len(data) == len(rest):
                break
            end = _after_last_newline(data)
            rest = data[end:].copy()
            if end:
                yield Block(data[:end], large=len(data) >= BLOCK_BYTES - len(BOM))
            if len(rest) > LONGEST_LINE:
                raise VectorsError(
                    f"{self._file}, line {self._count_lines() + 1}: longer than {LONGEST_LINE >> 20} MiB, so "
                    "this is no text file of vectors. Name its format if it is a binary one."
                )
        if len(rest):
            yield Block(np.append(rest, np.uint8(ord("\n"))), complete=False)

    def _fill(self, rest: Bytes) -> Bytes:
        """Reads on behind what is left of the last block, and returns both."""
        at_start = self._stream.tell() == 0
        data = np.empty(len(rest) + BLOCK_BYTES, np.uint8)
        data[: len(rest)] = rest
        got = cast("io.BufferedIOBase", self._stream).readinto(data[len(rest) :].data)
        data = data[: len(rest) + got]
        return data[len(BOM) :] if at_start and data[: len(BOM)].tobytes() == BOM else data

    def _count_lines(self) -> int:
        """How many lines end before the place that has been read up to."""
        end = self._stream.tell()
        self._stream.seek(0)
        count = 0
        while self._stream.tell() < end:
            count += self._stream.read(BLOCK_BYTES).count(b"\n")
        return count


def _after_last_newline(data: Bytes) -> int:
    """Where the last whole line ends; 0 if none does."""
    step = 1 << 16
    for start in range(len(data), 0, -step):
        found = data[max(0, start - step) : start].tobytes().rfind(b"\n")
        if found >= 0:
            return max(0, start - step) + found + 1
    return 0


def is_blank(line: bytes) -> bool:
    """Whether there is nothing in a line but spaces, tabs and returns."""
    return not line.strip(b" \t\r")
