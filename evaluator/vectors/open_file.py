"""A vectors file opened for reading; gzip is recognised by its first bytes and unpacked on the way."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from evaluator.errors import VectorsError

GZIP_MAGIC = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
HEAD_BYTES = 1 << 16
PACKED_SUFFIXES = {".bz2", ".gz", ".lz4", ".xz", ".zst"}

FOREIGN = {
    b"PK\x03\x04": "a zip archive. Unpack it (unzip) and give the file inside",
    b"BZh": "compressed with bzip2. Unpack it (bunzip2), or compress it with gzip instead",
    b"\xfd7zXZ": "compressed with xz. Unpack it (unxz), or compress it with gzip instead",
    b"\x28\xb5\x2f\xfd": "compressed with zstd. Unpack it (unzstd), or compress it with gzip instead",
    b"\x93NUMPY": "a numpy array. If it belongs to a gensim model, give the model's file",
    b"\x89HDF": "an HDF5 file. Export the vectors in word2vec format",
    b"\xff\xfe": "UTF-16 text. Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)",
    b"\xfe\xff": "UTF-16 text. Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)",
}


@dataclass(frozen=True)
class OpenedFile:
    """An opened vectors file.

    Attributes:
        path: The path; as text, what messages call the file.
        stream: The content, unpacked, from its start.
        head: The first bytes of the content, up to 64 KiB.
        size: The number of bytes of the content; None if it is not known before all is read (gzip).
    """

    path: Path
    stream: BinaryIO
    head: bytes
    size: int | None

    @property
    def gzipped(self) -> bool:
        """Whether the content differs from the bytes on disk."""
        return self.size is None


@contextmanager
def open_file(path: Path) -> Iterator[OpenedFile]:
    """Open a vectors file, and turn every failure of reading it into a VectorsError.

    Args:
        path: The file.

    Yields:
        The opened file, which is closed afterwards.

    Raises:
        VectorsError: The file cannot be opened or read, is empty, changes while it is read, or has to be
            unpacked or converted first.
    """
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
        if head.startswith(magic):
            raise VectorsError(f"{path}: this is {what}.")
    stream.seek(0)
    return head


@contextmanager
def plain_file(file: OpenedFile) -> Iterator[Path]:
    """The content as a file on disk, for gensim, which needs one.

    gensim decides by the end of a file's name whether to unpack it, this package by its first bytes; they
    agree on a name that ends in ".bin".

    Args:
        file: The opened file.

    Yields:
        The path of the file itself, or of an unpacked copy that is removed afterwards.
    """
    if not file.gzipped and file.path.suffix not in PACKED_SUFFIXES:
        yield file.path
        return
    with tempfile.TemporaryDirectory(prefix="vectors-") as folder:
        copy = Path(folder) / "model.bin"
        with copy.open("wb") as target:
            shutil.copyfileobj(file.stream, target, HEAD_BYTES)
        yield copy
