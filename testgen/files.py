"""Writing files whole: beside the place where they belong, then into it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from testgen.errors import OutputError


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A place to write a file that takes the name of `path` once it is complete; until then an old one stays.

    Its folder is made if need be. What has been written is deleted if anything goes wrong.

    Raises:
        OutputError: It cannot be written.
    """
    if not path.name:
        raise OutputError(f"{path}: cannot be written: it is a folder; name a file")
    # By process, so that two that write the same file do not take each other's away.
    beside = path.with_name(f".part.{os.getpid()}.{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.touch()  # a place that cannot be written to is found out before any work
        yield beside
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
