"""Which kind of file a dump is, found out from its first and last bytes before anything else is done."""

from __future__ import annotations

import bz2
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from testgen.dumps.bzip2 import MAGIC as BZIP2
from testgen.dumps.bzip2 import is_whole
from testgen.dumps.streams import GZIP, ZSTD, Unpacking
from testgen.errors import SourceError

Form = Literal["JSON", "N-Triples"]
Packing = Literal["gzip", "bzip2", "zstd", "none"]

_HEAD = 1 << 16
_PACKINGS: dict[bytes, Packing] = {GZIP: "gzip", BZIP2: "bzip2", ZSTD: "zstd"}
_TRIPLE = re.compile(rb"(?:#[^\n]*\n|\s)*(?:<[^<>\s]+>|_:\S+)[ \t]+<[^<>\s]+>[ \t]")
_LIST = re.compile(rb"\s*\[[ \t\r]*\n(?!\s*\{\s*\n)")
_DATE = re.compile(r"(?<![0-9])(20[0-9]{2})-?(0[1-9]|1[0-2])-?(0[1-9]|[12][0-9]|3[01])(?![0-9])")


@dataclass(frozen=True)
class DumpFile:
    """A dump.

    Attributes:
        path: Where it is.
        form: JSON, an entity a line, or N-Triples.
        packing: How it is packed.
        size: In bytes, as it is.
        closes: Whether its last line is to be a bracket.
    """

    path: Path
    form: Form
    packing: Packing
    size: int
    closes: bool

    @property
    def splits(self) -> bool:
        """Whether reading can begin anywhere in it."""
        return self.packing in ("bzip2", "none")

    @property
    def date(self) -> str | None:
        """The day that its name says, as in `wikidata-20261101-all.json.gz`, if it says one."""
        names = (self.path.name, self.path.resolve().name)  # latest-all.json.gz may be a link to it
        match = next((match for match in map(_DATE.search, names) if match), None)
        return "-".join(match.groups()) if match else None

    @property
    def cut_off(self) -> str | None:
        """Why it is not whole, if that can be seen from its end."""
        if self.packing == "bzip2":
            return None if is_whole(self.path) else "it does not end as bzip2 files do"
        if self.packing != "none":
            return None
        with self.path.open("rb") as file:
            file.seek(max(0, self.size - _HEAD))
            tail = file.read().rstrip()
        if self.closes and not tail.endswith(b"]"):
            return "it does not end in ]"
        return None if self.form == "JSON" or tail.endswith(b".") else "its last line is not whole"


def dump_file(path: Path) -> DumpFile:
    """Look at a file.

    Args:
        path: The file.

    Raises:
        SourceError: It cannot be read, is empty, or is no dump.
    """
    try:
        with path.open("rb") as file:
            first = file.read(_HEAD)
        size = path.stat().st_size
        packing: Packing = next(
            (packing for magic, packing in _PACKINGS.items() if first.startswith(magic)), "none"
        )
        head = _unpacked(path, first, packing)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not head.strip():
        raise SourceError(f"{path}: holds nothing; get it again")
    if _LIST.match(head) or head.lstrip().startswith((b'{"', b"{ ")):
        return DumpFile(path, "JSON", packing, size, head.lstrip().startswith(b"["))
    if _TRIPLE.match(head):
        return DumpFile(path, "N-Triples", packing, size, closes=False)
    raise SourceError(f"{path}: {_complaint(head)}")


def _packing(first: bytes) -> Packing:
    return next((packing for magic, packing in _PACKINGS.items() if first.startswith(magic)), "none")


def _unpacked(path: Path, first: bytes, packing: Packing) -> bytes:
    """The beginning of what a file holds."""
    if packing == "bzip2":
        head = b""
        unpack = bz2.BZ2Decompressor()
        with path.open("rb") as file:
            while not head and (chunk := file.read(_HEAD)):
                head = unpack.decompress(chunk)
        return head
    if packing == "none":
        return first
    return next(Unpacking(path).pieces(), b"")


def _complaint(head: bytes) -> str:
    if head.lstrip().startswith(b"["):
        return "is JSON, but not one entity a line as in Wikidata's dumps"
    if head.lstrip().startswith((b"@prefix", b"PREFIX")):
        return "is Turtle; take the dump in N-Triples (latest-truthy.nt.gz)"
    return (
        "is no dump of Wikidata's: it begins neither like JSON with one entity a line (latest-all.json.gz) "
        "nor like N-Triples (latest-truthy.nt.gz)"
    )
