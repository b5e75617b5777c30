"""Writing result files: all of a file or nothing of it, and no work whose results could not be kept."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evaluator.errors import OutputError


def prepare_folder(path: Path) -> None:
    """Make a folder for results, unless it is there, and try whether files can be written into it.

    Raises:
        OutputError: They cannot.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(
            f"{path}: results cannot be written there: {reason}; name another folder"
        ) from error


def prepare_file(path: Path, inputs: Iterable[Path]) -> None:
    """Try whether a file can be written, and refuse to write over what is read.

    Args:
        path: The file.
        inputs: Files that are read.

    Raises:
        OutputError: It cannot, or is one of them.
    """
    if any(path.resolve() == each.resolve() for each in inputs):
        raise OutputError(f"{path}: results would be written over it; name another file")
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; name a file")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{path}: cannot be written: {reason}; name another file") from error


def spare_inputs(inputs: Iterable[Path], folder: Path, written: Iterable[str]) -> None:
    """Refuse to write over what is read.

    Args:
        inputs: Files that are read.
        folder: Where results go.
        written: Names of the files that are written there.

    Raises:
        OutputError: One of them is read.
    """
    results = {(folder / name).resolve() for name in written}
    for path in inputs:
        if path.resolve() in results:
            raise OutputError(f"{path}: results would be written over it; name another folder")


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A file of another name, beside the one to be written, that takes its place if nothing goes wrong.

    Raises:
        OutputError: It cannot be written.
    """
    beside = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield beside
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            beside.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8.

    Raises:
        OutputError: It cannot be written.
    """
    with written_beside(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")
