"""Files that are elsewhere: paths of this machine, and URLs of object stores (extra `[cluster]`).

A URL is a path like others for whatever opens it, and travels to other processes as what it is, so that the
file is read where the work is done.
"""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from evaluator.errors import EvaluatorError, ExtraError, OutputError, VectorsError
from evaluator.execution.output_files import written_beside

_VERSION = re.compile(r"etag|md5|digest|^sha|modif|mtime|updated|created|generation|version", re.IGNORECASE)
"""What stores call that which changes when a file does."""

_DIRECTORY = "is a directory; name the files in it"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def plain(text: str) -> str:
    """The same place; of a `file://` or `local://` URL its path, as it stands there."""
    scheme, found, path = text.partition("://")
    return path if found and scheme in ("file", "local") else text


def is_url(text: str) -> bool:
    """Whether a place is no path of this machine."""
    return "://" in text


def place(text: str, error: type[EvaluatorError] = VectorsError) -> Path:
    """The path that a text means: one of this machine, or a URL such as `s3://bucket/corpus.txt.gz`.

    Args:
        text: A path or a URL.
        error: What to raise if no package is installed that reads such URLs.

    Raises:
        ExtraError: It is a URL, and universal-pathlib is not installed.
        EvaluatorError: As said.
    """
    text = plain(text)
    if not is_url(text):
        return Path(text)
    if find_spec("upath") is None:
        raise ExtraError(f"reading {text}", "universal-pathlib", "cluster")
    from upath import UPath

    try:
        found = UPath(text)
    except (ImportError, TypeError, ValueError) as failure:  # such as: Install s3fs to access S3
        raise error(f"{text}: cannot be read: {failure}") from failure
    return cast("Path", found)  # it has all that is used of paths here


def absolute(text: str) -> str:
    """A place as other processes find it, whatever their working directory; what it links to stays its own.

    `..` is resolved where that leads to the same file, and so not behind a link to another folder.
    """
    text = plain(text)
    if is_url(text):
        return text
    path, short = Path(text).absolute(), Path(os.path.abspath(text))  # noqa: PTH100 - resolve() follows links
    if ".." in path.parts and not (path.exists() and short.exists() and path.samefile(short)):
        return str(path)
    return str(short)


def file_name(text: str) -> str:
    """What a file is called; at a URL without the query, which may be long, and hold a signature."""
    return Path(without_query(text)).name


def without_query(text: str) -> str:
    """A place; of a URL what comes before the question mark."""
    return text.partition("?")[0] if is_url(text) else text


def check_file(path: Path, error: type[EvaluatorError] = VectorsError) -> None:
    """Refuse what is no file, here or at a URL.

    Raises:
        EvaluatorError: As given, naming it.
    """
    if not isinstance(path, os.PathLike):
        _looked_up(path, error)
    elif not path.is_file():
        raise error(f"{path}: {_DIRECTORY if path.is_dir() else 'no such file'}")


def local_copy(path: Path, error: type[EvaluatorError] = VectorsError) -> Path:
    """A file of this machine: the path itself, or a copy of what is at a URL, kept for the next time.

    The copy is used as long as the store says that the file is the same, by its ETag or its time of change. A
    store that says neither is asked for the file each time.

    Args:
        path: What `place` gave.
        error: What to raise if it cannot be read.

    Raises:
        EvaluatorError: As said.
        OutputError: The copy cannot be written.
    """
    if isinstance(path, os.PathLike):
        return path
    seen = _looked_up(path, error)
    version = {name: str(value) for name, value in sorted(seen.items()) if value and _VERSION.search(name)}
    folder = cache_folder("copies", _hash(str(path)))
    kept = folder / _hash(f"{seen.get('size')} {version}") / file_name(str(path))
    if version and kept.exists():
        return kept
    with locked(folder):  # other processes wait, and find the copy
        if not (version and kept.exists()):
            _make(kept.parent)
            _copy(path, kept, seen.get("size"), error)
            _remove_others(kept)
    return kept


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """While this process alone works in a folder of the cache.

    Raises:
        OutputError: The folder may not be written to.
    """
    from filelock import FileLock

    lock = FileLock(folder / ".lock")
    try:
        lock.acquire()
    except OSError as failure:
        raise _no_cache(folder, failure) from failure
    try:
        yield
    finally:
        lock.release()


KEPT = {"copies": "files at URLs", "corpora": "corpora, prepared"}
"""What is kept in the user's cache, by the name of its folder."""


def kept_folder(kind: str) -> Path:
    """The folder of the user's cache for one of `KEPT`, which may not be there."""
    import platformdirs

    return platformdirs.user_cache_path("evaluator") / kind


def cache_folder(kind: str, mark: str) -> Path:
    """A folder of the user's cache on this machine, made unless it is there.

    Raises:
        OutputError: It cannot be made.
    """
    folder = kept_folder(kind) / mark
    return _make(folder)


def _make(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise _no_cache(folder, failure) from failure
    return folder


def _no_cache(folder: Path, failure: OSError) -> OutputError:
    return OutputError(
        f"{folder}: cannot be written to on {platform.node()}: {failure.strerror or failure}; "
        "XDG_CACHE_HOME in the environment names another place"
    )


def _remove_others(kept: Path) -> None:
    """Remove copies of what the same URL held before, and what a process that was killed has left."""
    for other in kept.parent.parent.iterdir():
        if other.is_dir() and other != kept.parent:
            shutil.rmtree(other, ignore_errors=True)
    for other in kept.parent.iterdir():
        if other != kept:
            other.unlink(missing_ok=True)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _looked_up(path: Path, error: type[EvaluatorError]) -> Mapping[str, Any]:
    """What a store says of a file."""
    try:
        seen = cast("Mapping[str, Any]", cast("Any", path).stat().as_info())
    except Exception as failure:  # each store has errors of its own
        raise error(f"{path}: cannot be read: {_reason(failure)}") from failure
    if seen.get("type") == "directory":
        raise error(f"{path}: {_DIRECTORY}")
    return seen


def _copy(path: Path, kept: Path, size: int | None, error: type[EvaluatorError]) -> None:
    store = cast("Any", path)
    with written_beside(kept) as beside:
        try:
            store.fs.get_file(store.path, str(beside))
        except Exception as failure:  # each store has errors of its own
            if getattr(failure, "errno", None) in _FULL:
                raise
            raise error(f"{path}: cannot be read: {_reason(failure)}") from failure
        copied = beside.stat().st_size
        if size is not None and copied != size:
            raise error(f"{path}: {copied:,} bytes came of {size:,}; try again")


def _reason(failure: Exception) -> str:
    if isinstance(failure, FileNotFoundError):
        cause = failure.__cause__
        return "no such file" if cause is None else f"no such file, or it cannot be reached: {cause}"
    return str(getattr(failure, "strerror", None) or failure or type(failure).__name__)
