"""Packed files that are read from the beginning, gzip and Zstandard, in memory that does not grow.

Such a file is one stream or several, one after another; reading can begin where a stream does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 18  # packed bytes at a time; they may give a thousand times as many
_PIECE = 1 << 22  # unpacked bytes at a time
_PADDING = b"\0"


@dataclass(frozen=True)
class Beginning:
    """Where a stream of a packed file begins.

    Attributes:
        packed: Its place in the file.
        unpacked: The place of its first byte in what the file holds.
    """

    packed: int = 0
    unpacked: int = 0


class Unpacking:
    """Reads a packed file piece by piece.

    Attributes:
        beginning: Of the stream that was read from last.
        packed: How much of the file has been read.
        fault: Why it ended before its end, if it did.
    """

    def __init__(self, path: Path, beginning: Beginning | None = None) -> None:
        """Begin where a stream does.

        Args:
            path: The file.
            beginning: Of the stream; of the first if None.
        """
        self._path = path
        self.beginning = beginning or Beginning()
        self.packed = self.beginning.packed
        self.fault: str | None = None

    def pieces(self) -> Iterator[bytes]:
        """What the file holds from there on; it ends early, with a `fault`, where the file is damaged."""
        with self._path.open("rb") as file:
            file.seek(self.beginning.packed)
            unpacked, left = self.beginning.unpacked, b""
            while True:
                left = self._next(file, left)
                if not left:
                    return
                if left.startswith((GZIP, ZSTD)) or len(left) < len(ZSTD):
                    self.beginning = Beginning(self.packed - len(left), unpacked)
                else:
                    self.fault = f"what follows the byte {self.packed - len(left)} is not packed"
                    return
                stream = _stream(left)
                for piece in self._of_stream(file, left, stream):
                    unpacked += len(piece)
                    yield piece
                if self.fault:
                    return
                left = stream.left

    def _next(self, file: BinaryIO, left: bytes) -> bytes:
        """What comes after a stream, without the zeros that may fill a block of a tape."""
        left = left.lstrip(_PADDING)
        while len(left) < len(ZSTD):
            chunk = file.read(_CHUNK)
            self.packed += len(chunk)
            left = (left + chunk).lstrip(_PADDING)
            if not chunk:
                break
        return left

    def _of_stream(self, file: BinaryIO, first: bytes, stream: _Stream) -> Iterator[bytes]:
        chunk = first
        while True:
            try:
                yield from stream.feed(chunk)
            except stream.errors as error:
                self.fault = f"the file is damaged before its byte {self.packed} ({error})"
                return
            if stream.ended:
                return
            chunk = file.read(_CHUNK)
            self.packed += len(chunk)
            if not chunk:
                self.fault = f"the file ends within packed data, after {self.packed} bytes"
                return


class _Stream:
    """One stream of a packed file."""

    errors: tuple[type[Exception], ...]
    ended = False
    left = b""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """What comes out of some packed bytes."""
        raise NotImplementedError


class _Gzip(_Stream):
    def __init__(self) -> None:
        from isal import isal_zlib

        self.errors = (isal_zlib.error,)  # type: ignore[assignment]  # its stub has it wrong
        self._unpack = isal_zlib.decompressobj(wbits=31)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        while chunk:
            piece = self._unpack.decompress(chunk, _PIECE)
            if piece:
                yield piece
            if self._unpack.eof:
                self.ended, self.left = True, self._unpack.unused_data
                return
            chunk = self._unpack.unconsumed_tail
            if not piece and not chunk:
                return


class _Zstd(_Stream):
    def __init__(self) -> None:
        import zstandard

        self.errors = (zstandard.ZstdError,)
        self._unpack = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        for start in range(0, len(chunk), 1 << 14):  # it has no limit to what it gives at once
            piece = self._unpack.decompress(chunk[start : start + (1 << 14)])
            if piece:
                yield piece
            if self._unpack.eof:
                self.ended = True
                self.left = self._unpack.unused_data + chunk[start + (1 << 14) :]
                return


def _stream(head: bytes) -> _Stream:
    kinds: dict[bytes, Callable[[], Any]] = {GZIP: _Gzip, ZSTD: _Zstd}
    found: _Stream = next((make for magic, make in kinds.items() if head.startswith(magic)), _Gzip)()
    return found
