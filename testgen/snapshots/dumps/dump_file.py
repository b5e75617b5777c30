"""Recognises what kind of file a dump is by its first and last bytes; unpacks its text in blocks of lines."""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from testgen.errors import SourceError

_HEAD = 1 << 16
_MAGIC: dict[bytes, str] = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_BZIP2_END = 0x177245385090  # 48 bits, at any bit of a byte
_LIST = re.compile(rb"\s*\[[ \t\r]*\n(?!\s*\{\s*\n)")
_RDF = (b"<http", b"_:", b"#", b"@prefix", b"PREFIX")
_DATE = re.compile(r"(?<![0-9])(20[0-9]{2})-?(0[1-9]|1[0-2])-?(0[1-9]|[12][0-9]|3[01])(?![0-9])")
# These give the text of a file, unpacked in this thread.
OPEN: dict[str, Callable[[BinaryIO], Any]] = {
    "gzip": gzip.open,
    "bzip2": bz2.open,
    "zstd": lambda file: zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(
        file, read_across_frames=True
    ),
    "none": lambda file: file,
}
BLOCK_SIZE = 1 << 20  # bytes of text in a block, about, unless an entity is longer
_GZIP_CHUNK = 1 << 21  # compressed bytes that a thread unpacks at a time; memory use grows with it
_GZIP_ONE_THREAD = 7  # workers up to which one thread is used: two or three threads are not faster than one
_LONGEST = 1 << 26  # no entity is longer
_TAIL = 100
_DAMAGE = (RuntimeError, ValueError, EOFError, zlib.error, zstandard.ZstdError)


@dataclass(frozen=True)
class DumpFile:
    """A dump in JSON, with an entity a line; `compression` is a key of `OPEN`, `size` in bytes."""

    path: Path
    compression: str
    size: int
    in_brackets: bool

    @property
    def missing_end(self) -> str | None:
        """How the last bytes of the file show that its end is missing; None if they do not."""
        with self.path.open("rb") as file:
            file.seek(max(0, self.size - _HEAD))
            tail = file.read()
        if self.compression == "bzip2":
            return None if _ends_as_bzip2(tail[-64:]) else "it does not end as bzip2 files do"
        return self.missing_end_of_text(tail) if self.compression == "none" else None

    def missing_end_of_text(self, tail: bytes) -> str | None:
        """How the last bytes of the text show that its end is missing; None if they do not."""
        last = tail.rstrip().rpartition(b"\n")[2].strip()
        if self.in_brackets:
            return None if last == b"]" else "its last line is not ]"
        return None if last.endswith((b"}", b"},")) else "its last line is incomplete"


def date_in_name(path: Path) -> str | None:
    """The date in the name of a dump, as in `wikidata-20261101-all.json.gz`, if there is one."""
    names = (path.name, path.resolve().name)  # latest-all.json.gz may be a link to it
    match = next((match for match in map(_DATE.search, names) if match), None)
    return "-".join(match.groups()) if match else None


def dump_file(path: Path) -> DumpFile:
    """Recognise a dump by its first bytes."""
    try:
        with path.open("rb") as file:
            first = file.read(max(map(len, _MAGIC)))
            compression = next((each for magic, each in _MAGIC.items() if first.startswith(magic)), "none")
            file.seek(0)
            head = OPEN[compression](file).read1(_HEAD)
        size = path.stat().st_size
    except (EOFError, zlib.error, zstandard.ZstdError) as error:
        raise SourceError(f"{path}: cannot be unpacked ({error}); download it again") from error
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    begin = head.lstrip()
    if not begin:
        raise SourceError(f"{path}: is empty; download it again")
    if _LIST.match(head) or begin.startswith((b'{"', b"{ ")):
        return DumpFile(path, compression, size, begin.startswith(b"["))
    raise SourceError(f"{path}: {_complaint(begin)}")


def _ends_as_bzip2(tail: bytes) -> bool:
    """Whether there is the mark of the end before a checksum of 32 bits and up to 7 bits of padding."""
    bits = int.from_bytes(tail, "big")
    return any((bits >> (32 + padding)) & ((1 << 48) - 1) == _BZIP2_END for padding in range(8))


def _complaint(begin: bytes) -> str:
    if begin.startswith(b"["):
        return "is JSON, but without one entity a line as in Wikidata's dumps"
    if begin.startswith(_RDF):
        return (
            "is RDF, and only dumps in JSON are read; fetch latest-all.json.gz from "
            "https://dumps.wikimedia.org/wikidatawiki/entities/ (to use a snapshot, give it as --source)"
        )
    return "is not a dump of Wikidata: it does not begin with one entity a line, as latest-all.json.gz does"


class BlockReader:
    """The blocks of a dump."""

    def __init__(self, file: DumpFile, workers: int, block_size: int = BLOCK_SIZE) -> None:
        self.compressed_offset = 0  # about how many bytes of the file have been read
        self.fault: str | None = None  # why the text ended too early; known after the last block
        self._file, self._workers, self._block_size = file, workers, block_size

    def __iter__(self) -> Iterator[bytes]:
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
