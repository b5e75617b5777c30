"""Where the rows of a file go while it is read."""

from __future__ import annotations

import errno
import io
import os
import shutil
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from evaluator.vectors.table import Matrix

FIRST_VALUES = 1 << 20
NPY_HEADER_BYTES = 128  # for any number of rows: numpy leaves room for all its digits
SPARE_BYTES = 1 << 26  # what is left to others on the disk


class RowStore(Protocol):
    """Takes rows, and gives them back as one matrix."""

    def append(self, rows: Matrix) -> None:
        """Takes the next rows, float32 of shape (n, d)."""

    def finish(self) -> Matrix:
        """All rows taken, float32 of shape (v, d); nothing is appended after this."""


class MemoryStore:
    """Keeps rows in memory, in one matrix that grows in place."""

    def __init__(self, dimension: int, capacity: int | None) -> None:
        """Makes room.

        Args:
            dimension: numbers in a row, d.
            capacity: how many rows are expected; None if that is not known.
        """
        rows = FIRST_VALUES // dimension + 1 if capacity is None else capacity
        self._matrix: Matrix = np.empty((rows, dimension), dtype=np.float32)
        self._used = 0

    def append(self, rows: Matrix) -> None:
        """Takes the next rows."""
        end = self._used + len(rows)
        if end > len(self._matrix):
            # In small steps, as numpy fills what it adds with zeros, and so takes it from the system.
            self._resize(max(end, len(self._matrix) + len(self._matrix) // 16))
        self._matrix[self._used : end] = rows
        self._used = end

    def finish(self) -> Matrix:
        """All rows taken."""
        self._resize(self._used)
        return self._matrix

    def _resize(self, rows: int) -> None:
        # In place: for large matrices the system moves pages and copies nothing. No view of the
        # matrix has been given away, which is what refcheck would look for.
        if rows != len(self._matrix):
            self._matrix.resize((rows, self._matrix.shape[1]), refcheck=False)


class FileStore:
    """Keeps rows in a .npy file, and maps it into memory in the end.

    If the file cannot be written, the rows are kept in memory after all.

    Attributes:
        failure: why the file could not be written; None while it can.
    """

    def __init__(self, path: Path, dimension: int, capacity: int | None) -> None:
        """Makes the file.

        Args:
            path: where.
            dimension: numbers in a row, d.
            capacity: how many rows are expected; None if that is not known.
        """
        self.failure: OSError | None = None
        self._dimension = dimension
        self._rows = 0
        self._memory: MemoryStore | None = None
        self._file: io.FileIO | None = None
        try:
            self._file = io.FileIO(path, "w+b")
            _check_room(path, dimension, capacity or 0)
            self._write(_npy_header(0, dimension))
        except OSError as error:
            self._fall_back(error, capacity)

    def append(self, rows: Matrix) -> None:
        """Takes the next rows."""
        if not len(rows):
            return
        if self._memory is None:
            try:
                self._write(np.ascontiguousarray(rows, dtype="<f4"))
            except OSError as error:
                self._fall_back(error, None)
        if self._memory is not None:
            self._memory.append(rows)
        self._rows += len(rows)

    def finish(self) -> Matrix:
        """All rows taken, not writable."""
        if self._memory is None:
            try:
                self._write(_npy_header(self._rows, self._dimension), at=0)
                return self._map()
            except OSError as error:
                self._fall_back(error, None)
        assert self._memory is not None  # noqa: S101  # for the type checker
        return self._memory.finish()

    def close(self) -> None:
        """Closes the file, which no more rows can be appended to."""
        if self._file is not None:
            self._file.close()

    def _write(self, data: Matrix | bytes, at: int | None = None) -> None:
        assert self._file is not None  # noqa: S101  # for the type checker
        if at is not None:
            self._file.seek(at)
        left = memoryview(data.view(np.uint8).data if isinstance(data, np.ndarray) else data).cast("B")
        while left:
            left = left[self._file.write(left) :]

    def _map(self) -> Matrix:
        # The open file and not its path: who clears the cache meanwhile removes the path only.
        shape = (self._rows, self._dimension)
        return np.asarray(np.memmap(cast("Any", self._file), "<f4", "r", NPY_HEADER_BYTES, shape))

    def _fall_back(self, error: OSError, capacity: int | None) -> None:
        self.failure = error
        self._memory = MemoryStore(self._dimension, capacity)
        if self._file is not None and self._rows:
            self._file.seek(NPY_HEADER_BYTES)
            written = np.fromfile(self._file, "<f4", self._rows * self._dimension)
            self._memory.append(written.reshape(-1, self._dimension))
        self.close()


def open_npy(path: Path) -> Matrix:
    """Maps a matrix of float32 into memory, to read only.

    Raises:
        OSError: it cannot be opened.
        ValueError: the file holds something else, or is shorter or longer than its header says.
    """
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    except EOFError as error:
        raise ValueError(f"{path} is empty") from error
    if not isinstance(matrix, np.memmap) or matrix.dtype != np.dtype("<f4") or matrix.ndim != 2:
        raise ValueError(f"{path} is no matrix of float32")
    if path.stat().st_size != NPY_HEADER_BYTES + matrix.nbytes:
        raise ValueError(f"{path} has not the size that its header says")
    return np.asarray(matrix)


def _npy_header(rows: int, dimension: int) -> bytes:
    header = io.BytesIO()
    fields = {"descr": "<f4", "fortran_order": False, "shape": (rows, dimension)}
    np.lib.format.write_array_header_1_0(header, fields)
    return header.getvalue()


def _check_room(path: Path, dimension: int, rows: int) -> None:
    needed = 4 * dimension * rows + SPARE_BYTES
    if shutil.disk_usage(path.parent).free < needed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
