"""What is known of a copy, and how the files that it rests on are recognised."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
import zlib
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any

# To be raised when the layout changes, or what a reader makes of a file: older copies are made again.
VERSION = 2
CHUNK_BYTES = 1 << 20
SAMPLES = 16
SAMPLE_BYTES = 1 << 12
# A file can change twice within one tick of its clock; later than this after a change, times can be trusted.
SETTLED_NS = 2_000_000_000

# What reading a record that says anything at all can raise.
BROKEN = (OSError, ValueError, TypeError, KeyError)


@dataclass(frozen=True)
class Stamp:
    """What the system says of a file.

    Attributes:
        size: bytes.
        mtime_ns: when its content changed.
        ctime_ns: when anything of it changed.
        inode: which file it is.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """Takes what matters out of a stat result."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


@dataclass(frozen=True)
class Request:
    """A file, and one way to read it: what there is one copy of.

    Attributes:
        path: the file, in full.
        stamp: what the system says of it.
        options: what decides what is read: format, drop, limit, encoding.
        seen_ns: when the stamp was taken.
    """

    path: Path
    stamp: Stamp
    options: dict[str, Any]
    seen_ns: int = field(default_factory=time.time_ns)

    @cached_property
    def key(self) -> str:
        """What the names of all files of the copy start with."""
        text = json.dumps([str(self.path), self.options], sort_keys=True)
        return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Record:
    """What is known of a copy; the content of its JSON file.

    Attributes:
        path: the file it is a copy of.
        options: what decided what was read: format, drop, limit, encoding.
        stamp: what the system said of that file when it was last seen to be the same.
        seen_ns: when that was.
        covered: how many bytes from the start of that file decided what was read.
        checksum: of these.
        folder: where the copy is, beside the JSON file.
        matrix: hash over parts of the matrix.
        words: hash of the words.
        table: hash of the table by which they are found.
        rows: v.
        dimension: d.
        dropped: how many bad rows were left out.
        version: of this layout, and of what the readers of formats make of a file.
    """

    path: str
    options: dict[str, Any]
    stamp: Stamp
    seen_ns: int
    covered: int
    checksum: str
    folder: str
    matrix: str
    words: str
    table: str
    rows: int
    dimension: int
    dropped: int
    version: int = VERSION

    @classmethod
    def read(cls, path: Path) -> Record:
        """Reads a JSON file.

        Raises:
            OSError: it cannot be read.
            ValueError: it is no such file, or of another version.
        """
        fields = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(fields, dict) or fields.get("version") != VERSION:
            raise ValueError("it is of another version")
        try:
            return cls(**{**fields, "stamp": Stamp(**fields["stamp"])})
        except (KeyError, TypeError) as error:
            raise ValueError("its description is damaged") from error

    def write(self, path: Path) -> None:
        """Writes the JSON file in one step, in place of one that is there.

        Raises:
            OSError: it cannot be written.
        """
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".new")
        beside = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(asdict(self), file, indent=1)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)

    def settled(self) -> bool:
        """Whether the file had not changed for so long that its times tell any change since."""
        return self.seen_ns - max(self.stamp.mtime_ns, self.stamp.ctime_ns) > SETTLED_NS

    def may_fit(self, stamp: Stamp) -> bool:
        """Whether a file of another stamp can have the content that was read."""
        # With a limit, what follows the part that was read may change; but not if that part was all.
        return stamp.size == self.stamp.size or self.covered < min(stamp.size, self.stamp.size)


def checksum(path: Path, size: int, stop: Event | None = None) -> str:
    """What the first bytes of a file are recognised by: how many there are, and their CRC.

    It has to tell accidents, not forgery: who can write into the file can write into the cache too. A hash
    that is made for more would take as long as loading the file.

    Args:
        path: the file.
        size: how many bytes.
        stop: set when the result is not wanted any more.

    Raises:
        OSError: it cannot be read.
    """
    crc, left = 0, size
    with path.open("rb", buffering=0) as file:
        while left > 0 and not (stop and stop.is_set()) and (chunk := file.read(min(left, CHUNK_BYTES))):
            crc = zlib.crc32(chunk, crc)
            left -= len(chunk)
    return f"{size - left}:{crc:08x}"


def matrix_digest(path: Path) -> str:
    """A hash over parts of a matrix, spread evenly: a look at all of it would take as long as loading it.

    Raises:
        OSError: it cannot be read.
    """
    found = hashlib.blake2b()
    last = max(0, path.stat().st_size - SAMPLE_BYTES)
    with path.open("rb", buffering=0) as file:
        for sample in range(SAMPLES):
            file.seek(last * sample // (SAMPLES - 1))
            found.update(file.read(SAMPLE_BYTES))
    return found.hexdigest()


def digest(path: Path) -> str:
    """A hash of a file.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb", buffering=0) as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()
