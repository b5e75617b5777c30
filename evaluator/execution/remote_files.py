"""Files on this machine, or at URLs of object stores (extra `[cluster]`), of which a local copy is cached.

A URL stays a text until its file is needed. It travels to other processes as a text, and the file is read
where the task runs.
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
from typing import TYPE_CHECKING, Any

from evaluator.errors import EvaluatorError, ExtraError, OutputError, VectorsError
from evaluator.execution.output_files import atomic_output

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_VERSION = re.compile(r"etag|md5|digest|^sha|modif|mtime|updated|created|generation|version", re.IGNORECASE)
"""Names that stores give to the property of a file that changes with its content."""

_DIRECTORY = "is a directory; name the files in it"
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_url(text: str) -> bool:
    """Whether a text is a URL, and not a path of this machine."""
    return "://" in text


def without_file_scheme(text: str) -> str:
    """The path of a `file://` or `local://` URL, exactly as written; any other text unchanged."""
    scheme, found, path = text.partition("://")
    return path if found and scheme in ("file", "local") else text


def without_query(text: str) -> str:
    """A URL up to its question mark; a path unchanged."""
    return text.partition("?")[0] if is_url(text) else text


def file_name(text: str) -> str:
    """The name of a file; of a URL without the query, which may be long and hold a signature."""
    return Path(without_query(text)).name


def absolute(text: str) -> str:
    """A path that is valid in any working directory; links are not followed, and URLs are unchanged.

    `..` is resolved only where this leads to the same file, so not behind a link to another folder.
    """
    text = without_file_scheme(text)
    if is_url(text):
        return text
    path, short = Path(text).absolute(), Path(os.path.abspath(text))  # noqa: PTH100 - resolve() follows links
    if ".." in path.parts and not (path.exists() and short.exists() and path.samefile(short)):
        return str(path)
    return str(short)


def check_file(text: str, error: type[EvaluatorError] = VectorsError) -> None:
    """Check that a path or URL is a file that exists."""
    text = without_file_scheme(text)
    if is_url(text):
        _properties(*_store(text, error), text, error)
    elif not Path(text).is_file():
        raise error(f"{text}: {_DIRECTORY if Path(text).is_dir() else 'no such file'}")


def local_copy(text: str, error: type[EvaluatorError] = VectorsError) -> Path:
    """The path itself; or that of a copy of the file at a URL, which is cached.

    A cached copy is used as long as the store reports the same version of the file: its ETag, or its time of
    change. If a store reports neither, the file is copied each time.
    """
    text = without_file_scheme(text)
    if not is_url(text):
        return Path(text)
    store, path = _store(text, error)
    properties = _properties(store, path, text, error)
    version = {
        name: str(value) for name, value in sorted(properties.items()) if value and _VERSION.search(name)
    }
    folder = _copies(text)
    copy = folder / _hash(f"{properties.get('size')} {version}") / file_name(text)
    if version and copy.exists():
        return copy
    with locked(folder):  # other processes wait, and then find the copy
        if not (version and copy.exists()):
            _make(copy.parent)
            with atomic_output(copy) as temporary:
                _download(store, path, temporary, text, error)
                if (size := properties.get("size")) not in (None, temporary.stat().st_size):
                    raise error(f"{text}: {temporary.stat().st_size:,} of {size:,} bytes arrived; try again")
            _remove_others(copy)
    return copy


def cached_copy(text: str) -> Path | None:
    """As `local_copy` of a URL; None if this machine has no copy, or it cannot be reached."""
    if not any(_copies(text).iterdir()):
        return None
    try:
        return local_copy(text)
    except EvaluatorError:
        return None


def _copies(text: str) -> Path:
    """The folder of the copies of a file at a URL, of which one is kept."""
    return cache_folder("copies", _hash(text))


def _store(text: str, error: type[EvaluatorError]) -> tuple[AbstractFileSystem, str]:
    if find_spec("fsspec") is None:
        raise ExtraError(f"reading {text}", "fsspec", "cluster")
    from fsspec.core import url_to_fs

    try:
        store, path = url_to_fs(text)
    except (ImportError, TypeError, ValueError) as failure:  # such as: Install s3fs to access S3
        raise error(f"{text}: cannot be read: {failure}") from failure
    return store, path


def _properties(
    store: AbstractFileSystem, path: str, text: str, error: type[EvaluatorError]
) -> Mapping[str, Any]:
    """What a store reports of a file: its size, and usually its version."""
    try:
        properties: Mapping[str, Any] = store.info(path)
    except Exception as failure:  # each store has errors of its own
        raise error(f"{text}: cannot be read: {_reason(failure)}") from failure
    if properties.get("type") == "directory":
        raise error(f"{text}: {_DIRECTORY}")
    return properties


def _download(
    store: AbstractFileSystem, path: str, target: Path, text: str, error: type[EvaluatorError]
) -> None:
    try:
        store.get_file(path, str(target))
    except Exception as failure:  # each store has errors of its own
        if getattr(failure, "errno", None) in _DISK_FULL:
            raise
        raise error(f"{text}: cannot be read: {_reason(failure)}") from failure


def _reason(failure: Exception) -> str:
    if isinstance(failure, FileNotFoundError):
        cause = failure.__cause__
        return "no such file" if cause is None else f"no such file, or it cannot be reached: {cause}"
    return str(getattr(failure, "strerror", None) or failure or type(failure).__name__)


def _remove_others(copy: Path) -> None:
    """Remove copies of earlier versions, and what a killed process has left."""
    for other in copy.parent.parent.iterdir():
        if other.is_dir() and other != copy.parent:
            shutil.rmtree(other, ignore_errors=True)
    for other in copy.parent.iterdir():
        if other != copy:
            other.unlink(missing_ok=True)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def cache_folder(kind: str, key: str) -> Path:
    """A folder of the user's cache on this machine; it is made if it does not exist."""
    import platformdirs

    return _make(platformdirs.user_cache_path("evaluator") / kind / key)


def _make(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise _cannot_write(folder, failure) from failure
    return folder


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder of the cache."""
    from filelock import FileLock

    lock = FileLock(folder / ".lock")
    try:
        lock.acquire()
    except OSError as failure:
        raise _cannot_write(folder, failure) from failure
    try:
        yield
    finally:
        lock.release()


def _cannot_write(folder: Path, failure: OSError) -> OutputError:
    return OutputError(
        f"{folder}: cannot be written to on {platform.node()}: {failure.strerror or failure}; "
        "name another cache folder with the environment variable XDG_CACHE_HOME"
    )
