"""What a vectors file is, how it is opened before its format is known, and how its rows are collected."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, Literal, cast

import numpy as np

from evaluator.errors import VectorsError
from evaluator.execution.inputs import Role, opened
from evaluator.vectors.foreign import refuse_foreign
from evaluator.vectors.table import (
    ADVICE,
    CORRECT,
    DROP,
    BadRowError,
    Matrix,
    Vectors,
    decode_word,
    duplicate_of,
    fault,
    nothing_left,
    usable,
)

_UNPACK: Mapping[bytes, Callable[[BinaryIO], object]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
"""How files are unpacked, by their first bytes."""

HEAD_BYTES = 1 << 16

INCOMPLETE = f"Fetch the file again, correct its header, or read the rows that are there {DROP}."
_MISALIGNED = "Fetch the file again, or correct its header."
FIRST_VALUES = 1 << 20
# In these encodings a newline is itself wherever it stands, so that many words can be decoded at once.
STATELESS = {"utf-8", "ascii", "iso8859-1"}

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
    size: int | None  # how many bytes it has; None if that is not known before all is read

    @property
    def packed(self) -> bool:
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
def open_file(path: Path, role: Role = "vectors", name: str | None = None) -> Iterator[OpenedFile]:
    """Open a file of vectors or words, which is an input, and turn every failure into a VectorsError.

    The role and the name are those of `opened`.
    """
    opened(role, path, name)
    try:
        if path.is_dir():
            raise VectorsError(f"{path}: this is a directory. Give a vectors file inside it.")
        with path.open("rb") as file:
            start = file.read(6)
            file.seek(0)
            packed = next((unpack for magic, unpack in _UNPACK.items() if start.startswith(magic)), None)
            stream = file if packed is None else cast("BinaryIO", packed(file))
            with stream:
                before = os.fstat(file.fileno())
                head = _read_head(path, stream)
                with _unchanged(path, file, before):
                    yield OpenedFile(path, stream, head, before.st_size if packed is None else None)
    except FileNotFoundError as error:
        raise no_such_file(path) from error
    except PermissionError as error:
        raise VectorsError(f"{path}: no permission to read it. Check its mode (chmod +r).") from error
    except (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise VectorsError(
            f"{path}: the compressed data is cut off or damaged ({error}). Fetch the file again."
        ) from error
    except OSError as error:
        raise VectorsError(
            f"{path}: cannot be read ({error.strerror or error}). "
            "Copy it to a regular file on a local disk first."
        ) from error


_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")  # of an owner, and of a model


def no_such_file(path: Path) -> VectorsError:
    """The error of a path where nothing is: it names a file beside it that is called nearly so."""
    near = get_close_matches(path.name, [each.name for each in path.parent.glob("*")], n=1, cutoff=0.8)
    hint = f"Did you mean {near[0]}?" if near else "Check the path."
    if not near and _HUB_ID.fullmatch(str(path)) and not path.parent.exists():
        hint = (
            "Check the path; a model of the Hugging Face Hub has to be fetched first, by `hf download "
            f"{path} --local-dir {path.name}`, and its folder named: {path.name}."
        )
    return VectorsError(f"{path}: there is no such file. {hint}")


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
    refuse_foreign(path, head)
    stream.seek(0)
    return head


@contextmanager
def plain_file(file: OpenedFile) -> Iterator[Path]:
    """The content as a file on disk; where it is packed, of a copy that is removed afterwards."""
    if not file.packed and file.path.suffix not in _PACKED:
        yield file.path
        return
    with tempfile.TemporaryDirectory(prefix="vectors-") as folder:
        copy = Path(folder) / "model.bin"
        with copy.open("wb") as target:
            shutil.copyfileobj(file.stream, target, HEAD_BYTES)
        yield copy


class RowCollector:
    """Collects the good rows of a file, in order, and refuses or drops the bad ones.

    `read` is how many were read so far, bad ones included, `dropped` how many of these were left out, and
    `expected` how many the header says there are; each has `dimension` numbers. With `zeros`, rows of zeros
    are good ones. Without `aligned`, nothing but what was read before says where a row starts, and bytes may
    be missing beside a bad one: the rows before and after it are left out, too, and a word that occurs twice
    is refused, as its first row may be the wrong one.
    """

    def __init__(
        self,
        path: Path,
        counted_in: str,
        dimension: int,
        options: LoadOptions,
        expected: int | None = None,
        capacity: int | None = None,
        *,
        zeros: bool = False,
        aligned: bool = True,
    ) -> None:
        self.read = 0
        self.dropped = 0
        self.expected = expected
        self.dimension = dimension
        self._path = path
        self._counted_in = counted_in
        self._options = options
        self._words: list[str] = []
        self._seen: set[str] = set()
        self._zeros = zeros
        self._aligned = aligned
        self._bad = self._kept = 0  # the number of the last bad row, and of the last one that was kept
        self._at_once = codecs.lookup(options.encoding).name in STATELESS
        rows = FIRST_VALUES // dimension + 1 if capacity is None else capacity
        self._matrix: Matrix = np.empty((rows, dimension), dtype=np.float32)

    @property
    def complete(self) -> bool:
        """Whether as many rows were read as were asked for."""
        return self._options.limit is not None and self.read >= self._options.limit

    def take(self, count: int) -> int:
        """How many of the next `count` rows to add, which count as read from now on."""
        if self._options.limit is not None:
            count = min(count, self._options.limit - self.read)
        if self.expected is not None and not self._options.drop:
            count = min(count, self.expected - self.read)
        self.read += count
        return count

    def check_more(self, numbers: Sequence[int]) -> None:
        """Refuse the rows that `take` left, unless they are beyond the limit."""
        if numbers and not self.complete:
            raise VectorsError(
                f"{self._path}, {self._counted_in} {numbers[0]}: the header says {self.expected} rows, but "
                f"more follow. {INCOMPLETE if self._aligned else _MISALIGNED}"
            )

    def add(self, numbers: Sequence[int], words: Sequence[bytes], matrix: Matrix) -> None:
        """Take rows: the line or row number of each, from 1; their words; and float32 of shape (n, d)."""
        good = usable(matrix, zeros=self._zeros)
        sound = good.all() and not (self._bad and self._beside_bad(numbers))
        decoded = self._decode_new(words) if sound else None
        if decoded is not None:
            self._seen.update(decoded)
            self._append(decoded, matrix)
            self._kept = numbers[-1] if words else self._kept
            return
        for row, is_good in enumerate(good.tolist()):
            try:
                word = self._decode(words[row], "" if is_good else fault(matrix[row]))
            except BadRowError as bad:
                self.reject(numbers[row], bad)
                continue
            if self._beside_bad(numbers[row:]):
                self._seen.discard(word)
                self.dropped += 1
            else:
                self._append([word], matrix[row : row + 1])
                self._kept = numbers[row]

    def reject(self, number: int, bad: BadRowError) -> None:
        """Drop and count a bad row, or refuse the file because of it."""
        if not self._options.drop or bad.always_refused:
            raise bad.located(
                str(self._path), f"{self._counted_in} {number}", self._options.encoding
            ) from bad
        self.dropped += 1
        self._bad = number
        if not self._aligned and self._kept == number - 1 and self._words:
            self._seen.discard(self._words.pop())
            self.dropped += 1

    def _beside_bad(self, numbers: Sequence[int]) -> bool:
        """Whether the first of these rows is left out because it follows a bad one."""
        return not self._aligned and bool(numbers) and self._bad == numbers[0] - 1 > 0

    def finish(self) -> Vectors:
        """The rows collected."""
        if not self.complete and self.read < (self.expected or 0) and not self._options.drop:
            raise VectorsError(
                f"{self._path}, line 1: the header says {self.expected} rows, but only {self.read} follow: "
                f"the file is truncated or the header wrong. {INCOMPLETE if self._aligned else _MISALIGNED}"
            )
        if not self._words:
            raise nothing_left(str(self._path), self.dropped)
        self._resize(len(self._words))
        return Vectors(self._words, self._matrix, self._path.name, dropped=self.dropped, checked=True)

    def _append(self, words: list[str], rows: Matrix) -> None:
        start = len(self._words)
        end = start + len(words)
        if end > len(self._matrix):
            # In small steps, because numpy fills what it adds with zeros, which takes memory from the system.
            self._resize(max(end, len(self._matrix) + len(self._matrix) // 16))
        self._matrix[start:end] = rows
        self._words += words

    def _resize(self, rows: int) -> None:
        # In place: for large matrices the system moves pages and copies nothing. There is no view of the
        # matrix yet, which is what refcheck would look for.
        if rows != len(self._matrix):
            self._matrix.resize((rows, self._matrix.shape[1]), refcheck=False)

    def _decode_new(self, words: Sequence[bytes]) -> list[str] | None:
        """Decode words at once; None if that cannot be done, or any is empty, not text, or known already."""
        try:
            decoded = b"\n".join(words).decode(self._options.encoding).split("\n") if self._at_once else []
        except UnicodeDecodeError:
            return None
        new = set(decoded)
        fits = len(new) == len(decoded) == len(words)
        return decoded if fits and "" not in new and self._seen.isdisjoint(new) else None

    def _decode(self, raw: bytes, problem: str) -> str:
        if problem:
            raise BadRowError(problem, raw)
        advice = ADVICE if self._aligned else CORRECT
        word = decode_word(raw, self._options.encoding, advice)
        if word in self._seen:
            # Its first row is searched only for the message: a file can have very many duplicates.
            known = "" if self._options.drop and self._aligned else duplicate_of(self._words.index(word))
            raise BadRowError(known, raw, advice, always_refused=not self._aligned)
        self._seen.add(word)
        return word
