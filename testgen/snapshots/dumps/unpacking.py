"""Reads the text of a dump, unpacked, from any offset on.

rapidgzip unpacks gzip and bzip2 with several threads. Unpacking of a bzip2 file can begin at any of its
blocks; gzip and Zstandard files are unpacked from their beginning to reach an offset.
"""

from __future__ import annotations

import io
import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from testgen.snapshots.dumps.dump_file import Compression, DumpFile

_GZIP_CHUNK = 1 << 21  # compressed bytes that a thread unpacks at a time; memory use grows with it
_GZIP_ONE_THREAD = 7  # workers up to which one thread is used: two or three threads are not faster than one
_ZSTD_CHUNK = 1 << 14  # compressed bytes at a time; nothing limits the size of what they unpack to
_SKIP = 1 << 22  # bytes of text that are skipped at a time
_BZIP2_HEADER = b"BZh9"
_BZIP2_SECTION = 1 << 26  # compressed bytes from one entry point to the next
_DAMAGE = (
    RuntimeError,
    ValueError,
    EOFError,
    zlib.error,
    zstandard.ZstdError,
)  # raised for damaged and truncated files


class EntryPoint(NamedTuple):
    """Where unpacking can begin.

    Attributes:
        byte: An offset in the file: 0, or that of the byte in which a block of a bzip2 file begins.
        offset: The corresponding offset in the text.
    """

    byte: int = 0
    offset: int = 0


class DumpText:
    """The text of a dump from some offset to the end.

    Attributes:
        entry: The entry point from which the text is being unpacked.
        compressed_offset: About how many bytes of the file have been read.
        fault: Why the text ended too early, if it did.
    """

    def __init__(self, file: DumpFile, offset: int, entry: EntryPoint, workers: int) -> None:
        """Prepare to read from an offset in the text, by way of an entry point at or before it.

        The file is opened at the first read. The number of threads depends on the number of worker processes.
        """
        self.entry = EntryPoint(offset, offset) if file.compression == "none" else entry
        self.compressed_offset = self.entry.byte
        self.fault: str | None = None
        self._file, self._workers = file, workers
        self._unpacked, self._offset = self.entry.offset, offset
        self._unpacker: _Unpacker | None = None

    def close(self) -> None:
        """Close the file and stop the threads."""
        if self._unpacker is not None:
            self._unpacker.close()
        self._unpacker = None

    def readinto(self, buffer: memoryview) -> int:
        """Fill a buffer with the next bytes of the text.

        Returns:
            The number of bytes. It is less than the length of the buffer only at the end or at a `fault`.

        Raises:
            OSError: The file cannot be read.
        """
        if self.compressed_offset - self.entry.byte > _BZIP2_SECTION:
            self._move_entry()
        self._skip()
        filled = 0
        while filled < len(buffer) and (count := self._read(buffer[filled:])):
            filled += count
        self._offset += filled
        return filled

    def _move_entry(self) -> None:
        """Make the block that is being read the entry point, if the compression has entry points."""
        entry = self._unpacker.entry_point(self._unpacked - self.entry.offset) if self._unpacker else None
        if entry is not None:
            self.close()
            self._unpacked = self.entry.offset + entry.offset
            self.entry = EntryPoint(entry.byte, self._unpacked)

    def _skip(self) -> None:
        scratch = memoryview(bytearray(min(_SKIP, self._offset - self._unpacked)))
        while self._unpacked < self._offset and self._read(scratch[: self._offset - self._unpacked]):
            pass

    def _read(self, buffer: memoryview) -> int:
        if self.fault is not None:
            return 0
        before = self._unpacked - self.entry.offset
        try:
            if self._unpacker is None:
                unpacker = _UNPACKERS[self._file.compression]
                self._unpacker = unpacker(self._file.path, self.entry.byte, self._workers)
            count = self._unpacker.readinto(buffer)
            if count:
                self.compressed_offset = self._unpacker.tell()
            else:
                self._unpacker.check_end()
        except _DAMAGE:  # the libraries' messages are about their own internals
            if isinstance(self._unpacker, _GzipUnpacker):
                self._read_carefully()
                return self._read(buffer)
            self.fault = f"the file is damaged or cut off near its byte {self.compressed_offset:,}"
            count = self._unpacker.read_by_failed_call(before) if self._unpacker else 0
        self._unpacked += count
        return count

    def _read_carefully(self) -> None:
        """Unpack a damaged gzip file again: rapidgzip loses up to a chunk of text before the damage."""
        read = self._unpacked
        self.close()
        self._unpacker = _CarefulGzipUnpacker(self._file.path, self.entry.byte, self._workers)
        self._unpacked = self.entry.offset
        scratch = memoryview(bytearray(_SKIP))
        while self._unpacked < read and self._read(scratch[: read - self._unpacked]):
            pass


class _Unpacker:
    """Reads a dump from some byte on. This one is for dumps that are not compressed."""

    def __init__(self, path: Path, begin: int, workers: int) -> None:  # noqa: ARG002  # for others
        self.file = path.open("rb", buffering=0)
        self.size = os.fstat(self.file.fileno()).st_size
        self.file.seek(begin)

    def readinto(self, buffer: memoryview) -> int:
        """Read some bytes of text; 0 at the end."""
        return self.file.readinto(buffer)

    def read_by_failed_call(self, before: int) -> int:  # noqa: ARG002  # for others
        """How many bytes of text a call that failed has read, after those before it."""
        return 0

    def tell(self) -> int:
        """About how many bytes of the file have been read."""
        return self.file.tell()

    def check_end(self) -> None:
        """Raise an EOFError if the text has ended, but the file is not whole."""

    def entry_point(self, offset: int) -> EntryPoint | None:  # noqa: ARG002  # for others
        """The last entry point before an offset in the text that was read here, if there are any."""
        return None

    def close(self) -> None:
        """Close the file."""
        self.file.close()


class _RapidgzipUnpacker(_Unpacker):
    """The base of those that use rapidgzip, whose object they must set."""

    text: Any

    def readinto(self, buffer: memoryview) -> int:
        count: int = self.text.readinto(buffer)
        return count

    def read_by_failed_call(self, before: int) -> int:
        offset: int = self.text.tell()
        return offset - before

    def close(self) -> None:
        self.text.close()
        super().close()


class _GzipUnpacker(_RapidgzipUnpacker):
    def __init__(self, path: Path, begin: int, workers: int) -> None:
        import rapidgzip

        super().__init__(path, begin, workers)
        threads = 1 if workers <= _GZIP_ONE_THREAD else workers // 2
        self.text = rapidgzip.RapidgzipFile(self.file, parallelization=threads, chunk_size=_GZIP_CHUNK)

    def tell(self) -> int:
        bit: int = self.text.tell_compressed()
        return bit // 8

    def check_end(self) -> None:
        """Compare offsets: rapidgzip 0.16 does not always raise an error if the file is cut off."""
        if self.text.tell_compressed() != 8 * self.size:
            raise EOFError


class _Bzip2Unpacker(_RapidgzipUnpacker):
    def __init__(self, path: Path, begin: int, workers: int) -> None:
        import rapidgzip

        super().__init__(path, begin, workers)
        self._begin = begin
        # With one thread, the library uses a reader that cannot begin in the middle of a stream.
        self.text = rapidgzip.IndexedBzip2FileRaw(_WithHeader(self.file, begin), max(2, workers))

    def tell(self) -> int:
        return self._byte(self.text.bz2reader.tell_compressed())

    def entry_point(self, offset: int) -> EntryPoint | None:
        offsets: dict[int, int] = self.text.bz2reader.available_block_offsets()
        found, bit = max((of_text, bit) for bit, of_text in offsets.items() if of_text <= offset)
        return EntryPoint(self._byte(bit), found)

    def _byte(self, bit: int) -> int:
        """The byte of the file for a bit of what the library reads."""
        return self._begin + bit // 8 - len(_BZIP2_HEADER)


class _WithHeader(io.RawIOBase):
    """A bzip2 file from some byte on, with a header before it.

    With several threads, the library only needs the header; then it searches for the mark of each block.
    """

    def __init__(self, file: io.FileIO, begin: int) -> None:
        self._file, self._begin, self._at = file, begin, 0

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            offset += self._file.seek(0, io.SEEK_END) - self._begin + len(_BZIP2_HEADER)
        self._at = offset + (self._at if whence == io.SEEK_CUR else 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        header = _BZIP2_HEADER[self._at : self._at + size if size >= 0 else None]
        self._file.seek(self._begin + max(0, self._at - len(_BZIP2_HEADER)))
        found = header + (self._file.read(max(-1, size - len(header))) or b"")
        self._at += len(found)
        return found


class _ZstdUnpacker(_Unpacker):
    def __init__(self, path: Path, begin: int, workers: int) -> None:
        super().__init__(path, begin, workers)
        self._frame: Any = None  # unpacks the current frame or member
        self._compressed, self._text = b"", memoryview(b"")

    def readinto(self, buffer: memoryview) -> int:
        while not self._text and (self._compressed or self._fill()):
            self._text = memoryview(self._unpack())
        count = min(len(buffer), len(self._text))
        buffer[:count], self._text = self._text[:count], self._text[count:]
        return count

    def _fill(self) -> bool:
        self._compressed = self.file.read(_ZSTD_CHUNK) or b""
        return bool(self._compressed)

    def _unpack(self) -> bytes:
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
        text: bytes = self._frame.decompress(self._compressed)
        self._compressed = self._frame.unused_data if self._frame.eof else b""
        self._frame = None if self._frame.eof else self._frame
        return text

    def check_end(self) -> None:
        if self._frame is not None:
            raise EOFError


class _CarefulGzipUnpacker(_ZstdUnpacker):
    """Reads all text up to the damage, in one thread; zeros after the last member are no damage."""

    def _unpack(self) -> bytes:
        if self._frame is None:
            self._compressed = self._compressed.lstrip(b"\0")
            if not self._compressed:
                return b""
            self._frame = zlib.decompressobj(zlib.MAX_WBITS | 16)
        before = self._frame.copy()
        try:
            text: bytes = self._frame.decompress(self._compressed)
        except zlib.error:
            # The last bytes before the damage are read one by one, so that none of their text is lost.
            first, self._compressed = self._compressed[:1], self._compressed[1:]
            text = before.decompress(first)
            self._frame = None if before.eof else before
            return text
        self._compressed = self._frame.unused_data if self._frame.eof else b""
        self._frame = None if self._frame.eof else self._frame
        return text


_UNPACKERS: dict[Compression, type[_Unpacker]] = {
    "gzip": _GzipUnpacker,
    "bzip2": _Bzip2Unpacker,
    "zstd": _ZstdUnpacker,
    "none": _Unpacker,
}
