"""Recognises what kind of file a dump is from its first and last bytes, before anything else is done."""

from __future__ import annotations

import bz2
import gzip
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import zstandard

from testgen.errors import SourceError

Syntax = Literal["JSON", "N-Triples"]
Compression = Literal["gzip", "bzip2", "zstd", "none"]

_HEAD = 1 << 16
_MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_OPEN: dict[Compression, Callable[[Path, str], Any]] = {
    "gzip": gzip.open,
    "bzip2": bz2.open,
    "zstd": partial(zstandard.open, dctx=zstandard.ZstdDecompressor(max_window_size=1 << 31)),
    "none": open,
}
_BZIP2_END = 0x177245385090  # 48 bits, at any bit of a byte
_TRIPLE = re.compile(rb"(?:#[^\n]*\n|\s)*(?:<[^<>\s]+>|_:\S+)[ \t]+<[^<>\s]+>[ \t]")
_LIST = re.compile(rb"\s*\[[ \t\r]*\n(?!\s*\{\s*\n)")
_DATE = re.compile(r"(?<![0-9])(20[0-9]{2})-?(0[1-9]|1[0-2])-?(0[1-9]|[12][0-9]|3[01])(?![0-9])")


@dataclass(frozen=True)
class DumpFile:
    """A dump.

    Attributes:
        syntax: JSON, with an entity a line, or N-Triples.
        size: Its size in bytes, compressed.
        in_brackets: Whether its last line must be a closing bracket.
    """

    path: Path
    syntax: Syntax
    compression: Compression
    size: int
    in_brackets: bool

    @property
    def missing_end(self) -> str | None:
        """How the last bytes of the file show that its end is missing; None if they do not."""
        if self.compression not in ("bzip2", "none"):
            return None
        with self.path.open("rb") as file:
            file.seek(max(0, self.size - _HEAD))
            tail = file.read()
        if self.compression == "bzip2":
            return None if _ends_as_bzip2(tail[-64:]) else "it does not end as bzip2 files do"
        if self.in_brackets and not tail.rstrip().endswith(b"]"):
            return "it does not end in ]"
        whole = self.syntax == "JSON" or tail.rstrip().endswith(b".")
        return None if whole else "its last line is incomplete"


def date_in_name(path: Path) -> str | None:
    """The date in the name of a dump, as in `wikidata-20261101-all.json.gz`, if there is one."""
    names = (path.name, path.resolve().name)  # latest-all.json.gz may be a link to it
    match = next((match for match in map(_DATE.search, names) if match), None)
    return "-".join(match.groups()) if match else None


def dump_file(path: Path) -> DumpFile:
    """Recognise a dump by its first bytes.

    Raises:
        SourceError: It cannot be read, is empty, or is not a dump.
    """
    try:
        with path.open("rb") as file:
            first = file.read(max(map(len, _MAGIC)))
        compression: Compression = next(
            (each for magic, each in _MAGIC.items() if first.startswith(magic)), "none"
        )
        with _OPEN[compression](path, "rb") as text:
            head = text.read1(_HEAD)
        size = path.stat().st_size
    except (EOFError, zlib.error, zstandard.ZstdError) as error:
        raise SourceError(f"{path}: cannot be unpacked ({error}); download it again") from error
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not head.strip():
        raise SourceError(f"{path}: is empty; download it again")
    if _LIST.match(head) or head.lstrip().startswith((b'{"', b"{ ")):
        return DumpFile(path, "JSON", compression, size, head.lstrip().startswith(b"["))
    if _TRIPLE.match(head):
        return DumpFile(path, "N-Triples", compression, size, in_brackets=False)
    raise SourceError(f"{path}: {_complaint(head)}")


def _ends_as_bzip2(tail: bytes) -> bool:
    """Whether there is the mark of the end before a checksum of 32 bits and up to 7 bits of padding."""
    bits = int.from_bytes(tail, "big")
    return any((bits >> (32 + padding)) & ((1 << 48) - 1) == _BZIP2_END for padding in range(8))


def _complaint(head: bytes) -> str:
    if head.lstrip().startswith(b"["):
        return "is JSON, but without one entity a line as in Wikidata's dumps"
    if head.lstrip().startswith((b"@prefix", b"PREFIX")):
        return "is Turtle; take the dump in N-Triples (latest-truthy.nt.gz)"
    return (
        "is not a dump of Wikidata: it begins neither like JSON with one entity a line (latest-all.json.gz) "
        "nor like N-Triples (latest-truthy.nt.gz)"
    )
