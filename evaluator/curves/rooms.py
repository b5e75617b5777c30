"""Folders for subsets, which are there while a model is trained on them and go with it."""

from __future__ import annotations

import errno
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evaluator.errors import OutputError

_PREFIX = ".part.subset-"
_FILE = "subset.txt"
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_ABANDONED = 86_400.0  # seconds: no model is trained for longer on what has not been touched since


@contextmanager
def room(folder: Path) -> Iterator[Path]:
    """The path of a file for a subset, in a folder; among temporary files if that may only be read.

    Raises:
        OutputError: None can be made.
    """
    clear(folder, _ABANDONED)
    try:
        own = tempfile.TemporaryDirectory(prefix=_PREFIX, dir=_writable(folder))
    except OSError as error:
        raise OutputError(f"{error.filename or folder}: cannot be made: {error.strerror or error}") from error
    with own as made:
        yield Path(made) / _FILE


def clear(folder: Path, seconds: float = 0.0) -> None:
    """Remove what processes that were killed have left in a folder, if nobody has touched it for so long."""
    for left in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile
            if time.time() - left.stat().st_mtime < seconds:
                continue
            for file in left.glob(f"*{_FILE}"):
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
