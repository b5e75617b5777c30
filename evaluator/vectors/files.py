"""What a vectors file is, and how it is opened, before its format is known."""

from __future__ import annotations

import codecs
import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal, cast

from evaluator.errors import VectorsError
from evaluator.vectors.table import Vectors

GZIP_MAGIC = b"\x1f\x8b"
HEAD_BYTES = 1 << 16

FOREIGN = {
    b"PK\x03\x04": "a zip archive. Unpack it (unzip) and give the file inside",
    b"BZh": "compressed with bzip2. Unpack it (bunzip2), or compress it with gzip instead",
    b"\xfd7zXZ": "compressed with xz. Unpack it (unxz), or compress it with gzip instead",
    b"\x28\xb5\x2f\xfd": "compressed with zstd. Unpack it (unzstd), or compress it with gzip instead",
    b"\x89HDF": "an HDF5 file. Export the vectors in word2vec format",
    b"\xff\xfe": "UTF-16 text. Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)",
    b"\xfe\xff": "UTF-16 text. Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)",
}

_PACKED = {".bz2", ".gz", ".lz4", ".xz", ".zst"}  # endings by which gensim unpacks files


@dataclass(frozen=True)
class LoadOptions:
    """How a vectors file is read; see `load_vectors`.

    Attributes:
        format: The name of its format; "auto" recognises it by the content.
        bad_rows: Whether to "refuse" a file with bad rows, or to "drop" and count them.
        encoding: The encoding of the words.
        limit: How many rows to read, bad ones included; None for all.
        vocabulary: The words of a model that can encode any word and has no vocabulary of its own: the path
            of a list of words, or of vectors; or the words themselves. Other models keep their own.
    """

    format: str = "auto"
    bad_rows: Literal["refuse", "drop"] = "refuse"
    encoding: str = "utf-8"
    limit: int | None = None
    vocabulary: str | tuple[str, ...] | None = None

    @property
    def drop(self) -> bool:
        """Whether bad rows are left out."""
        return self.bad_rows == "drop"

    def check(self, path: Path) -> None:
        """Refuse values that make no sense."""
        if self.bad_rows not in {"refuse", "drop"}:
            raise VectorsError(f'{path}: bad_rows is {self.bad_rows!r}. Use "refuse" or "drop".')
        if self.limit is not None and self.limit < 1:
            raise VectorsError(f"{path}: limit is {self.limit}. Use 1 or more, or None for all rows.")
        if not _extends_ascii(self.encoding):
            raise VectorsError(
                f'{path}: encoding {self.encoding!r} cannot be used. Name one that extends ASCII ("utf-8", '
                '"latin-1"), or convert the file to UTF-8.'
            )


def _extends_ascii(encoding: str) -> bool:
    """Whether a space or newline is the same byte in an encoding as in ASCII."""
    try:
        return codecs.lookup(encoding).encode("\n\t 0a")[0] == b"\n\t 0a"
    except (LookupError, UnicodeError, TypeError):
        return False


@dataclass(frozen=True)
class OpenedFile:
    """An opened vectors file."""

    path: Path
    stream: BinaryIO  # the content, unpacked, from its start
    head: bytes  # its first bytes, up to 64 KiB
    size: int | None  # how many bytes it has; None if that is not known before all is read (gzip)

    @property
    def gzipped(self) -> bool:
        """Whether the content differs from the bytes on disk."""
        return self.size is None


Reader = Callable[[OpenedFile, LoadOptions], Vectors]


@dataclass(frozen=True)
class VectorFormat:
    """A format of vectors files: its name, how to recognise it, how to read it.

    Attributes:
        name: The value of the argument `format` that asks for it.
        rank: Formats are tried in this order, the lowest first.
        looks_like: Whether a file is in this format, judged by its first bytes, up to 64 KiB.
        read: Reads an opened file.
        inside: For models that are folders: the file that is opened, by its path within the folder; of
            several the first that is there. A folder that has one of them is in this format.
    """

    name: str
    rank: int
    looks_like: Callable[[bytes], bool] = field(repr=False)
    read: Reader = field(repr=False)
    inside: tuple[str, ...] = ()


def vector_format(
    name: str, *, rank: int, looks_like: Callable[[bytes], bool], inside: tuple[str, ...] = ()
) -> Callable[[Reader], VectorFormat]:
    """Turn a function that reads vectors into a format; see `VectorFormat` for the arguments."""
    return lambda read: VectorFormat(name, rank, looks_like, read, inside)


@contextmanager
def open_file(path: Path) -> Iterator[OpenedFile]:
    """Open a vectors file, and turn every failure of reading it into a VectorsError."""
    try:
        if path.is_dir():
            raise VectorsError(f"{path}: this is a directory. Give a vectors file inside it.")
        with path.open("rb") as file:
            packed = file.read(2) == GZIP_MAGIC
            file.seek(0)
            stream = cast("BinaryIO", gzip.GzipFile(fileobj=file)) if packed else file
            with stream:
                before = os.fstat(file.fileno())
                head = _read_head(path, stream)
                with _unchanged(path, file, before):
                    yield OpenedFile(path, stream, head, None if packed else before.st_size)
    except FileNotFoundError as error:
        raise VectorsError(f"{path}: there is no such file. Check the path.") from error
    except PermissionError as error:
        raise VectorsError(f"{path}: no permission to read it. Check its mode (chmod +r).") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise VectorsError(
            f"{path}: the gzip data is cut off or damaged ({error}). Fetch the file again."
        ) from error
    except OSError as error:
        raise VectorsError(
            f"{path}: cannot be read ({error.strerror or error}). "
            "Copy it to a regular file on a local disk first."
        ) from error


@contextmanager
def _unchanged(path: Path, file: BinaryIO, before: os.stat_result) -> Iterator[None]:
    """Refuse a file that changes while it is read, also where the change causes another error first."""
    try:
        yield
    finally:
        now = os.fstat(file.fileno())
        if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            raise VectorsError(
                f"{path}: the file changed while it was read. Load it again when it is completely written."
            )


def _read_head(path: Path, stream: BinaryIO) -> bytes:
    head = stream.read(HEAD_BYTES)
    if not head:
        raise VectorsError(f"{path}: the file is empty. Fetch or write it again.")
    for magic, what in FOREIGN.items():
        if head.startswith(magic) and not is_npz(head):
            raise VectorsError(f"{path}: this is {what}.")
    stream.seek(0)
    return head


def is_npz(head: bytes) -> bool:
    """A zip archive whose first file is a numpy array."""
    length = int.from_bytes(head[26:28], "little")
    return head.startswith(b"PK\x03\x04") and head[30 : 30 + length].endswith(b".npy")


@contextmanager
def plain_file(file: OpenedFile) -> Iterator[Path]:
    """The content as a file on disk; where it is packed, of a copy that is removed afterwards."""
    if not file.gzipped and file.path.suffix not in _PACKED:
        yield file.path
        return
    with tempfile.TemporaryDirectory(prefix="vectors-") as folder:
        copy = Path(folder) / "model.bin"
        with copy.open("wb") as target:
            shutil.copyfileobj(file.stream, target, HEAD_BYTES)
        yield copy
