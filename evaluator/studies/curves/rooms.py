"""Folders for subsets, which are there while a model is trained on them and go with it."""

from __future__ import annotations

import errno
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from evaluator.errors import OutputError

_PREFIX = ".part.subset-"
_FILE, _LOCK = "subset.txt", "lock"
_OWN = re.compile(rf"{_LOCK}|(\.[0-9]+\.)?{re.escape(_FILE)}")
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_MOMENT = 60.0  # seconds within which whoever makes a folder has locked it


@contextmanager
def room(folder: Path) -> Iterator[Path]:
    """The path of a file for a subset, in a folder; among temporary files if that may only be read.

    Raises:
        OutputError: None can be made.
    """
    clear(folder, _MOMENT)
    try:
        own = tempfile.TemporaryDirectory(prefix=_PREFIX, dir=_writable(folder))
    except OSError as error:
        raise OutputError(f"{error.filename or folder}: cannot be made: {error.strerror or error}") from error
    with own as made, FileLock(Path(made) / _LOCK):
        yield Path(made) / _FILE


def clear(folder: Path, seconds: float = 0.0) -> None:
    """Remove what processes that were killed have left in a folder, at least so long ago; nothing else."""
    for left in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError, Timeout):  # it is gone meanwhile, or in use
            ours = not left.is_symlink() and all(_OWN.fullmatch(file.name) for file in left.iterdir())
            if ours and time.time() - left.stat().st_mtime >= seconds:
                with FileLock(left / _LOCK, timeout=0):
                    for file in left.iterdir():
                        file.unlink()
                    left.rmdir()


def _writable(folder: Path) -> Path | None:
    """The folder; None if it refuses files."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        if error.errno in _REFUSED:
            return None
        raise
