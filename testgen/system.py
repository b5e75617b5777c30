"""Files and processes: writing files safely, ending processes together; names and durations for people."""

from __future__ import annotations

import contextlib
import errno
import glob
import gzip
import hashlib
import os
import re
import shutil
import stat
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, BinaryIO

from testgen.errors import OutputError, TestgenError

_LARGEST = 1 << 30
_GZIP = b"\x1f\x8b"
_PART = ".part."
_STEERING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff"
_IN_LINES, _IN_A_LINE = re.compile(f"[{_STEERING}]"), re.compile(f"[{_STEERING}\t\n]")
_HEAD = 2000  # bytes that are enough to recognise a file of ours


def visible(text: str, *, lines: bool = False) -> str:
    r"""A text whose signs that nobody sees are escapes, such as `\u202e`; of one line, unless `lines` stay.

    Control characters steer a terminal, line ends make one line look like two, and after those that change
    the direction of writing text is not shown in its order. JSON stays valid, and has the exact name.
    """
    found = _IN_LINES if lines else _IN_A_LINE
    return found.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def csv_cell(text: str) -> str:
    """A name for CSV: `visible`, and after a `'` if a spreadsheet would run it as a formula (CWE-1236)."""
    shown = visible(text)
    return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown


def duration(seconds: float) -> str:
    """A duration for people."""
    if seconds >= 7200:
        return f"{seconds / 3600:.1f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def timestamp(moment: datetime) -> str:
    """A moment in UTC to the microsecond, so that two answers or jobs have an order."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def listed(names: Sequence[str], most: int, more: str = " and {:,} more") -> str:
    """The first names for people, and how many more there are."""
    return ", ".join(names[:most]) + (more.format(len(names) - most) if len(names) > most else "")


@contextmanager
def atomic_write(path: Path, mode: int | None = None) -> Iterator[Path]:
    """Give a temporary path to write to; it replaces the file, or goes to the stream, when the block ends."""
    # A link stays, and the file that it leads to is replaced; its mode is kept, unless another one is given.
    if not path.name:
        raise OutputError(f"{path}: cannot be written: it is a folder; name a file")
    with writing_to(path), _through(path) if is_stream(path) else _beside(path.resolve(), mode) as temporary:
        yield temporary


@contextmanager
def _beside(path: Path, mode: int | None) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep(path)
    # The process id keeps two processes that write the same file from deleting each other's temporary file.
    temporary = path.with_name(f"{_PART}{os.getpid()}.{path.name}")
    with locked(temporary, os.O_RDWR | os.O_CREAT):
        try:
            if mode is None:
                mode = stat.S_IMODE((path if path.exists() else temporary).stat().st_mode)
            temporary.chmod(mode | stat.S_IWUSR)
            yield temporary
            temporary.chmod(mode)  # some libraries make a file of their own
            # A power cut leaves the old file or the new one, whole.
            _sync(temporary, os.O_RDWR)
            temporary.replace(path)
            with contextlib.suppress(OSError):  # not all systems can do so with a folder
                _sync(path.parent, os.O_RDONLY)
        finally:
            with contextlib.suppress(OSError):
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


def sweep(path: Path) -> None:
    """Delete temporary files and folders beside a path that belong to it, and that no process has locked."""
    for left in path.parent.glob(f"{_PART}*.{glob.escape(path.name)}"):
        is_folder, middle = left.is_dir(), left.name.removeprefix(_PART).removesuffix(f".{path.name}")
        if not is_folder and not middle.isdecimal():
            continue  # somebody else's, or of a file whose name ends alike
        with contextlib.suppress(OSError), locked(left, os.O_RDONLY if is_folder else os.O_RDWR) as is_locked:
            if is_locked and is_folder:
                shutil.rmtree(left)
            elif is_locked:
                left.unlink()


@contextmanager
def locked(path: Path, flags: int = os.O_RDONLY) -> Iterator[bool]:
    """Hold a lock on a file or folder while the block runs; false if the system has no locks, as Windows."""
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


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_bytes(path: Path, *, unpacked: bool = False) -> bytes:
    """The content of a file, which may be 1 GiB; `unpacked` if it may be gzipped."""
    with open_unpacked(path) if unpacked else path.open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise OSError(errno.EFBIG, f"larger than {_LARGEST:,} bytes; is it the right file?")
    return content


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a plain or gzipped file, whatever its name is."""
    with path.open("rb") as file:
        is_gzip = file.read(2) == _GZIP
    return gzip.open(path) if is_gzip else path.open("rb")  # type: ignore[return-value]


def unpacked_head(head: bytes) -> bytes:
    """The first bytes of a file, unpacked if they are gzipped."""
    with contextlib.suppress(zlib.error):
        return zlib.decompressobj(wbits=31).decompress(head) if head.startswith(_GZIP) else head
    return head


def gzip_writer(raw: BinaryIO) -> gzip.GzipFile:
    """Packs what is written to it; the same content gives the same bytes."""
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)


def sha256_of(path: Path) -> str:
    """The digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_text(path: Path, fault: type[TestgenError]) -> tuple[str, str]:
    """The text of a file in UTF-8, and the SHA-256 of the file; `fault` is the error if there is none."""
    with reading(path, fault):
        content = read_bytes(path)
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n"), hashlib.sha256(content).hexdigest()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise fault(f"{path}, line {line}: not UTF-8; save it as UTF-8") from error


@contextmanager
def reading(path: Path, fault: type[TestgenError]) -> Iterator[None]:
    """Turn what is wrong with a file, plain or gzipped, into an error that names it."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise fault(f"{path}: the gzip file is cut off or damaged ({error}); download it again") from error
    except OSError as error:
        raise fault(f"{path}: cannot be read: {error.strerror or error}") from error


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn the system's errors into an OutputError that names a file or folder."""
    try:
        yield
    except BlockingIOError as error:
        raise OutputError(f"{path}: another process is writing it; wait, or name another output") from error
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error


def check_overwrite(path: Path, is_ours: Callable[[bytes], bool], *, force: bool) -> None:
    """Refuse to overwrite a file that testgen did not write. A missing or empty file is fine."""
    if force or is_stream(path):
        return
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


def end_with_parent() -> None:
    """End this process when the process that started it ends, even if that is killed."""
    import multiprocessing

    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
