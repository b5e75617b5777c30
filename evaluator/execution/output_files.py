"""Output: files written whole or not at all, and checked before the work; names shown as what they are."""

from __future__ import annotations

import glob
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evaluator.errors import OutputError

_PART = ".part."
_STEERING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
_IN_LINES, _IN_A_LINE = re.compile(f"[{_STEERING}]"), re.compile(f"[{_STEERING}\t\n]")
_FORMULA = ("=", "+", "-", "@")


def visible(text: str, *, lines: bool = False) -> str:
    r"""A text of one line whose signs that nobody sees are escapes, such as `\u202e`.

    A name may hold any sign. Control characters steer a terminal; line ends make a row of a table, a comment
    of LaTeX or a message look like two; and after a sign that changes the direction of writing (U+202A to
    U+202E, U+2066 to U+2069) text is not shown in its order. Surrogates are in file names that are not UTF-8.
    Every output but JSON, which has the exact name, shows names as this gives them.

    Args:
        text: A name, or a message with names in it; also the text of a JSON or CSV file, which stays valid.
        lines: Whether tabs and line ends stay.
    """
    found = _IN_LINES if lines else _IN_A_LINE
    return found.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def csv_cell(value: object) -> object:
    """A value for CSV: texts are `visible`; those that a spreadsheet would run as a formula begin with `'`.

    Such texts begin with `=`, `+`, `-` or `@`, and are not numbers (CWE-1236).
    """
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if shown.startswith(_FORMULA) and not _is_number(shown) else shown


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def prepare_folder(path: Path) -> None:
    """Make a folder for results, if it does not exist, and check that files can be written in it."""
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
    """Check that a file can be written, and is not one of the inputs."""
    protect_inputs(inputs, path.parent, [path.name])
    if path.is_dir():
        raise OutputError(f"{path}: is a folder; name a file")
    try:
        if not is_stream(path):
            with tempfile.TemporaryFile(dir=path.resolve().parent):
                pass
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{path}: cannot be written: {reason}; name another file") from error


def protect_inputs(inputs: Iterable[Path], folder: Path, outputs: Iterable[str]) -> None:
    """Check that no input would be overwritten, under whatever name."""
    there = {_number_of(folder / name) for name in outputs} - {None}
    for path in inputs if there else ():  # very many, maybe
        if _number_of(path) in there:
            raise OutputError(f"{path}: is an input; results would overwrite it. Name another output")


def _number_of(path: Path) -> tuple[int, int] | None:
    """What a file has by all its names; None if it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def atomic_output(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside the file; it replaces the file if no error occurs.

    A link stays, and the file that it leads to is replaced; its mode is kept. Pipes, devices and standard
    output get the whole content at the end. What killed processes left beside the file is deleted.
    """
    try:
        with _through(path) if is_stream(path) else _beside(path.resolve()) as temporary:
            yield temporary
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    sweep_leftovers(path)
    # The process id keeps two processes that write the same file from deleting each other's temporary file.
    temporary = path.with_name(f"{_PART}{os.getpid()}.{path.name}")
    with locked(temporary, os.O_RDWR | os.O_CREAT):
        try:
            mode = stat.S_IMODE((path if path.exists() else temporary).stat().st_mode)
            temporary.chmod(mode | stat.S_IWUSR)
            yield temporary
            temporary.chmod(mode)  # some libraries make a file of their own
            replace_durably(temporary, path)
        finally:
            with suppress(OSError):
                temporary.unlink()


@contextmanager
def _through(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, path.name)
        yield temporary
        with temporary.open("rb") as content, path.open("ab") as stream:
            shutil.copyfileobj(content, stream)


def is_stream(path: Path) -> bool:
    """Whether what is written there goes through, as to a pipe, a device or standard output."""
    is_standard = path.absolute().as_posix().startswith(("/dev/std", "/dev/fd/", "/proc/"))
    return is_standard or (path.exists() and not path.is_file() and not path.is_dir())


def sweep_leftovers(path: Path) -> None:
    """Delete temporary files and folders beside a path that belong to it, and that no process has locked."""
    for left in path.parent.glob(f"{_PART}*.{glob.escape(path.name)}"):
        is_folder, middle = left.is_dir(), left.name.removeprefix(_PART).removesuffix(f".{path.name}")
        if not is_folder and not middle.isdecimal():
            continue  # somebody else's, or of a file whose name ends alike
        with suppress(OSError), locked(left, os.O_RDONLY if is_folder else os.O_RDWR) as is_locked:
            if is_locked and is_folder:
                shutil.rmtree(left)
            elif is_locked:
                left.unlink()


@contextmanager
def locked(path: Path, flags: int = os.O_RDONLY) -> Iterator[bool]:
    """Hold a lock on a file or folder for as long as the block runs; other processes see it.

    Yields:
        Whether the system could lock it: Windows and some network disks cannot.
    """
    descriptor = os.open(path, flags, 0o666)
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock

        flock(descriptor, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    except (ImportError, OSError):
        os.close(descriptor)
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


def replace_durably(temporary: Path, path: Path) -> None:
    """Let a file take the place of another, so that a power cut leaves the old one or the new one, whole."""
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
    """Write a text file in UTF-8."""
    with atomic_output(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
