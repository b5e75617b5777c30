"""Unpacks the text of a dump, in blocks of whole lines."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import zstandard

from testgen.errors import SourceError
from testgen.snapshots.dumps.dump_file import OPEN, DumpFile

BLOCK_SIZE = 1 << 20
"""Bytes of text in a block, about, unless an entity is longer."""

_GZIP_CHUNK = 1 << 21  # compressed bytes that a thread unpacks at a time; memory use grows with it
_GZIP_ONE_THREAD = 7  # workers up to which one thread is used: two or three threads are not faster than one
_LONGEST = 1 << 26  # no entity is longer
_TAIL = 100
_DAMAGE = (RuntimeError, ValueError, EOFError, zlib.error, zstandard.ZstdError)


class BlockReader:
    """The blocks of a dump.

    Attributes:
        compressed_offset: About how many bytes of the file have been read.
        fault: Why the text ended too early, if it did; known after the last block.
    """

    def __init__(self, file: DumpFile, workers: int, block_size: int = BLOCK_SIZE) -> None:
        self.compressed_offset = 0
        self.fault: str | None = None
        self._file, self._workers, self._block_size = file, workers, block_size

    def __iter__(self) -> Iterator[bytes]:
        """Read the blocks."""
        tail = b""
        try:
            for block in self._blocks():
                tail = block[-_TAIL:] if block[-_TAIL:].strip() else tail
                yield block
        except OSError as error:
            raise SourceError(f"{self._file.path}: cannot be read: {error.strerror or error}") from error
        self.fault = self.fault or self._file.missing_end_of_text(tail)

    def _blocks(self) -> Iterator[bytes]:
        begun = b""  # of a line
        for text in self._texts():
            cut = text.rfind(b"\n") + 1
            if cut:
                yield begun + text[:cut]
            begun = text[cut:] if cut else begun + text
            if len(begun) > _LONGEST:
                raise SourceError(f"{self._file.path}: more than {_LONGEST} bytes without an end: not a dump")
        if begun:
            yield begun

    def _texts(self) -> Iterator[bytes]:
        read = 0
        try:
            text, tell = self._opened()
            with closing(text):
                while piece := text.read(self._block_size):
                    read += len(piece)
                    self.compressed_offset = tell()
                    yield piece
                # rapidgzip 0.16 does not always raise an error if a gzip file is cut off.
                if self._file.compression == "gzip" and tell() != self._file.size:
                    raise EOFError
        except _DAMAGE:
            yield from self._texts_before_damage(read)

    def _opened(self) -> tuple[Any, Callable[[], int]]:
        path, kind = self._file.path, self._file.compression
        if kind in ("zstd", "none"):
            file = path.open("rb")
            return OPEN[kind](file), file.tell
        import rapidgzip

        threads = 1 if self._workers <= _GZIP_ONE_THREAD else self._workers // 2
        if kind == "gzip":
            text = rapidgzip.RapidgzipFile(str(path), parallelization=threads, chunk_size=_GZIP_CHUNK)
        else:
            text = rapidgzip.IndexedBzip2File(str(path), parallelization=max(2, self._workers))
        return text, lambda: text.tell_compressed() // 8

    def _texts_before_damage(self, read: int) -> Iterator[bytes]:
        """What follows the text that was read; the fast readers lose up to a chunk of text before damage."""
        try:
            with self._file.path.open("rb") as file:
                text = OPEN[self._file.compression](file)
                while piece := text.read1(self._block_size):
                    after, read = piece[read:], max(0, read - len(piece))
                    if after:
                        yield after
        except (*_DAMAGE, OSError):  # the libraries' messages are about their own internals
            self.fault = f"the file is damaged or cut off near its byte {self.compressed_offset:,}"
