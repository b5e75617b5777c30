"""The folder of all copies: what is in it, how large it may get, clearing it."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator.errors import VectorsError
from evaluator.vectors.cached.record import BROKEN, Record

LIMIT_BYTES = 20 << 30
ABANDONED_SECONDS = 86_400


@dataclass(frozen=True)
class CachedCopy:
    """A copy in the cache.

    Attributes:
        path: the file it is a copy of.
        rows: v.
        dimension: d.
        bytes: how much room it takes.
        options: how the file was read: format, drop, limit, encoding.
    """

    path: Path
    rows: int
    dimension: int
    bytes: int
    options: dict[str, Any]


@dataclass(frozen=True)
class CacheInfo:
    """What is in the cache of vectors.

    Attributes:
        folder: where it is.
        copies: the copies that can be used, by path.
        bytes: how much room everything takes, what cannot be used included.
        limit: how much room copies may take.
    """

    folder: Path
    copies: tuple[CachedCopy, ...]
    bytes: int
    limit: int


@dataclass(frozen=True)
class _Entry:
    """A copy, where it lies, how much room it takes, and when it was used."""

    json: Path
    folder: Path
    record: Record
    bytes: int
    used_ns: int


def cache_folder() -> Path:
    """Where the copies are."""
    from platformdirs import user_cache_path

    return user_cache_path("evaluator") / "vectors"


def folder_of(record: Record) -> Path | None:
    """Where a copy is; None if it is gone, or would not be in the cache."""
    name = record.folder
    path = cache_folder() / name
    inside = Path(name).name == name and not name.startswith(".") and name != ""
    return path if inside and path.is_dir() else None


def check_size(folder: Path) -> None:
    """Refuses a copy that would be removed as soon as it is made.

    Raises:
        ValueError: it is larger than all copies may be together.
    """
    size = size_of(folder)
    if size > LIMIT_BYTES:
        raise ValueError(f"it would take {size:,} bytes, and all copies together may take {LIMIT_BYTES:,}")


def touch(path: Path) -> None:
    """Notes that the copy of this record is used now."""
    with suppress(OSError):
        os.utime(path)


def remove(path: Path) -> None:
    """Removes a file or folder, if that can be done."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def tidy() -> None:
    """Removes copies of files that are gone, those that were not used for longest, and what nobody uses.

    The last is what programs that were stopped, or other versions of this one, have left behind.

    Raises:
        OSError: the folder cannot be read.
    """
    entries = _entries()
    gone = [entry for entry in entries if _is_gone(entry.record.path)]
    kept = sorted((entry for entry in entries if entry not in gone), key=lambda entry: entry.used_ns)
    total = sum(entry.bytes for entry in kept)
    while total > LIMIT_BYTES:
        gone.append(kept.pop(0))
        total -= gone[-1].bytes
    for entry in gone:
        remove(entry.json)
        remove(entry.folder)
    named = {path for entry in kept for path in (entry.json, entry.folder)}
    old = time.time() - ABANDONED_SECONDS
    for path in _content():
        with suppress(OSError):
            if path not in named and path.stat().st_mtime < old:
                remove(path)


def _is_gone(path: str) -> bool:
    """Whether there is no such file; one that cannot be looked at just now may come back."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return True
    except OSError:
        return False
    return False


def cache_info() -> CacheInfo:
    """What is in the cache of vectors.

    Raises:
        VectorsError: it cannot be read.
    """
    root, copies = cache_folder(), []
    with _told(root, "read"):
        for each in _entries():
            record = each.record
            copy = CachedCopy(Path(record.path), record.rows, record.dimension, each.bytes, record.options)
            copies.append(copy)
    copies.sort(key=lambda copy: (copy.path, json.dumps(copy.options)))
    return CacheInfo(root, tuple(copies), size_of(root), LIMIT_BYTES)


def clear_cache() -> CacheInfo:
    """Removes all copies; what is mapped into memory by a running program stays usable there.

    Returns:
        What was in the cache before.

    Raises:
        VectorsError: something cannot be removed.
    """
    before = cache_info()
    with _told(before.folder, "removed"):
        for path in _content():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    return before


@contextmanager
def _told(folder: Path, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VectorsError(
            f"{folder}: the cached copies cannot be {what} ({error.strerror or error}). "
            "Check whose folder that is, and its mode."
        ) from error


def size_of(folder: Path) -> int:
    """How many bytes the files in a folder take."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            if path.is_file():
                total += path.stat().st_size
    return total


def _content() -> list[Path]:
    try:
        return sorted(cache_folder().iterdir())
    except FileNotFoundError:
        return []


def _entries() -> list[_Entry]:
    """All copies that can be used."""
    entries = []
    for path in _content():
        with suppress(*BROKEN):
            if path.suffix == ".json":
                record, status = Record.read(path), path.stat()
                folder = folder_of(record)
                if folder is not None:
                    size = size_of(folder) + status.st_size
                    entries.append(_Entry(path, folder, record, size, status.st_mtime_ns))
    return entries
