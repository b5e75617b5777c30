"""Files that are elsewhere: paths of this machine, and URLs of object stores (extra `[cluster]`).

A URL is a path like others for whatever opens it, and travels to other processes as what it is, so that the
file is read where the work is done.
"""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from evaluator.errors import ExtraError, VectorsError
from evaluator.files import written_beside


def place(text: str) -> Path:
    """The path that a text means: one of this machine, or a URL such as `s3://bucket/corpus.txt.gz`.

    Raises:
        ExtraError: It is a URL, and universal-pathlib is not installed.
    """
    if "://" not in text:
        return Path(text)
    if find_spec("upath") is None:
        raise ExtraError(f"reading {text}", "universal-pathlib", "cluster")
    from upath import UPath

    return cast("Path", UPath(text))  # it has all that is used of paths here


def absolute(text: str) -> str:
    """A place as other processes find it, whatever their working directory; what it links to stays its own.

    `..` is resolved where that leads to the same file, and so not behind a link to another folder.
    """
    if "://" in text:
        return text
    path, plain = Path(text).absolute(), Path(os.path.abspath(text))  # noqa: PTH100 - resolve() follows links
    if ".." in path.parts and not (path.exists() and plain.exists() and path.samefile(plain)):
        return str(path)
    return str(plain)


def local_copy(path: Path) -> Path:
    """A file of this machine: the path itself, or a copy of what is at a URL, kept for the next time.

    Raises:
        VectorsError: It cannot be read.
        OutputError: The copy cannot be written.
    """
    if isinstance(path, os.PathLike):
        return path
    import platformdirs

    try:
        seen = path.stat()
        mark = hashlib.sha256(f"{path} {seen.st_size} {seen.st_mtime}".encode()).hexdigest()
        kept = platformdirs.user_cache_path("evaluator") / "copies" / mark / path.name
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            with written_beside(kept) as beside, path.open("rb") as source, beside.open("wb") as copy:
                while piece := source.read(1 << 20):
                    copy.write(piece)
    except (OSError, ValueError, NotImplementedError) as error:
        raise VectorsError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return kept
