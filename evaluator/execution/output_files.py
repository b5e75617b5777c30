"""Output files: written whole or not at all, and checked before work starts that writes them."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evaluator.errors import OutputError

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str) -> str:
    """A text with its control characters escaped, but for tabs and line ends: they could steer a terminal.

    The escapes are those of JSON, which stays valid.
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def prepare_folder(path: Path) -> None:
    """Make a folder for results, if it does not exist, and check that files can be written in it.

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
    """Check that a file can be written, and is not one of the inputs.

    Args:
        path: The file.
        inputs: Files that are read.

    Raises:
        OutputError: It cannot be written, or is an input.
    """
    protect_inputs(inputs, path.parent, [path.name])
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; name a file")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{path}: cannot be written: {reason}; name another file") from error


def protect_inputs(inputs: Iterable[Path], folder: Path, outputs: Iterable[str]) -> None:
    """Check that no input would be overwritten.

    Args:
        inputs: Files that are read.
        folder: Where results go.
        outputs: Names of the files that are written there.

    Raises:
        OutputError: An input is among them.
    """
    written = {(folder / name).resolve() for name in outputs}
    for path in inputs:
        if path.resolve() in written:
            raise OutputError(f"{path}: is an input; results would overwrite it. Name another output")


@contextmanager
def atomic_output(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside the file; it replaces the file if no error occurs.

    Raises:
        OutputError: The file cannot be written.
    """
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield temporary
        replace_durably(temporary, path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def replace_durably(temporary: Path, path: Path) -> None:
    """Let a file take the place of another, so that a power cut leaves the old one or the new one, whole.

    Raises:
        OSError: It cannot be written.
    """
    _sync(temporary, os.O_RDWR)
    temporary.replace(path)
    with suppress(OSError):  # not all systems can do so with a folder
        _sync(path.parent, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8.

    Raises:
        OutputError: It cannot be written.
    """
    with atomic_output(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
