"""Files and processes: writing files safely, counting cores, ending processes together; durations."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from testgen.errors import OutputError

_HEAD = 2000  # bytes that are enough to recognise a file of ours


def duration(seconds: float) -> str:
    """A duration for people."""
    if seconds >= 7200:
        return f"{seconds / 3600:.1f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; the file is renamed to `path` when the block ends.

    An older file at `path` stays unchanged until then. Missing folders are created. If anything goes wrong,
    the temporary file is deleted.

    Raises:
        OutputError: The file cannot be written.
    """
    if not path.name:
        raise OutputError(f"{path}: cannot be written: it is a folder; name a file")
    # The process id keeps two processes that write the same file from deleting each other's temporary file.
    temporary = path.with_name(f".part.{os.getpid()}.{path.name}")
    with writing_to(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.touch()  # fails now, before any work is done, if the folder is not writable
            yield temporary
            replace_durably(temporary, path)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink()


def replace_durably(temporary: Path, path: Path) -> None:
    """Let a file take the place of another, so that a power cut leaves the old one or the new one, whole."""
    _sync(temporary, os.O_RDWR)
    temporary.replace(path)
    with contextlib.suppress(OSError):  # not all systems can do so with a folder
        _sync(path.parent, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn the system's errors into an OutputError that names a file or folder."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def check_overwrite(path: Path, is_ours: Callable[[bytes], bool]) -> None:
    """Refuse to overwrite a file that testgen did not write. A missing or empty file is fine.

    Raises:
        OutputError: There is such a file.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:  # there is no such file; or it cannot be read, and writing it will say why
        return
    if head and not is_ours(head):
        raise OutputError(
            f"{path}: this file exists, and testgen did not write it; choose another --output, or overwrite "
            "it with --force"
        )


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def end_with_parent() -> None:
    """End this process when the process that started it ends, even if that is killed."""
    import multiprocessing

    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
