"""The first line of the word2vec formats: how many rows follow, and how many numbers each holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.errors import VectorsError
from evaluator.vectors.registry import ReadOptions

HEADER = re.compile(rb"([+-]?[0-9]{1,18})[ \t]+([+-]?[0-9]{1,18})[ \t\r]*")
LONGEST_HEADER = 256
MAX_DIMENSION = 1_000_000
AGAIN = (
    'Fetch the file again, correct its header, or take what is there with bad_rows="drop" (--bad-rows drop).'
)


@dataclass(frozen=True)
class Header:
    """What a file says of itself.

    Attributes:
        file: what messages call it.
        unit: what its rows are counted in, "line" or "row".
        rows: how many rows follow.
        dimension: how many numbers each row holds.
        bytes: how many bytes of the file come before the first row.
    """

    file: str
    unit: str
    rows: int
    dimension: int
    bytes: int

    def capacity(self, size: int | None, row_bytes: int, options: ReadOptions) -> int | None:
        """How many rows to make room for, checked against the size of the file.

        Args:
            size: bytes in the file, or None if not known.
            row_bytes: the fewest bytes that a row can take.
            options: what the reader was asked for.

        Returns:
            The number of rows; None if the size of the file is not known.

        Raises:
            VectorsError: so many rows cannot be in the file. With ``drop``: not even one can.
        """
        wanted = self.rows if options.limit is None else min(self.rows, options.limit)
        if size is None:
            return None
        most = max(0, size - self.bytes) // row_bytes
        if most < 1 or (most < wanted and not options.drop):
            raise VectorsError(
                f"{self.file}, line 1: the header says {self.rows} rows of {self.dimension} numbers, "
                f"but a file of this size holds at most {most}: the file is truncated or the header "
                f"wrong. {AGAIN}"
            )
        return min(wanted, most)

    def check_more(self, read: int, numbers: Sequence[int], options: ReadOptions) -> None:
        """Refuses rows beyond the number that the header says.

        Args:
            read: how many rows came before.
            numbers: line or row numbers of those that come now.
            options: what the reader was asked for.

        Raises:
            VectorsError: there are more, and bad rows are refused.
        """
        if read + len(numbers) > self.rows and not options.drop:
            raise VectorsError(
                f"{self.file}, {self.unit} {numbers[self.rows - read]}: the header says {self.rows} "
                f"rows, but more follow. {AGAIN}"
            )

    def check_fewer(self, read: int, options: ReadOptions) -> None:
        """Refuses a file that ended before the number of rows that the header says.

        Raises:
            VectorsError: there are fewer, and bad rows are refused.
        """
        if read < self.rows and not options.drop:
            raise VectorsError(
                f"{self.file}, line 1: the header says {self.rows} rows, but only {read} follow: the "
                f"file is truncated or the header wrong. {AGAIN}"
            )


def is_header(line: bytes) -> bool:
    """Whether a line is two whole numbers."""
    return HEADER.fullmatch(line) is not None


def parse_header(file: str, unit: str, line: bytes) -> Header:
    """Reads the first line, given without its newline.

    Raises:
        VectorsError: it is not two positive whole numbers, or the dimension is beyond belief.
    """
    match = HEADER.fullmatch(line)
    if match is None:
        raise VectorsError(
            f"{file}, line 1: the header must be the number of rows and the dimension, like "
            f'"5000 100", not {line[:40]!r}. If there is no header, use format="glove".'
        )
    rows, dimension = int(match[1]), int(match[2])
    if rows < 1 or not 1 <= dimension <= MAX_DIMENSION:
        raise VectorsError(
            f"{file}, line 1: the header says {rows} rows of {dimension} numbers, which cannot be "
            f"(at least 1 of each, dimension up to {MAX_DIMENSION}). Correct it, or fetch the file "
            "again."
        )
    return Header(file, unit, rows, dimension, len(line) + 1)
