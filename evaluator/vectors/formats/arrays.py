"""Arrays of numpy: `.npy` with a list of words beside it, and `.npz` with an array of words."""

from __future__ import annotations

import logging
import math
import warnings
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from evaluator.errors import VectorsError
from evaluator.execution.inputs import opened
from evaluator.vectors.files import LoadOptions, OpenedFile, open_file
from evaluator.vectors.table import Vectors, check_rows

_log = logging.getLogger(__name__)

LISTS = ("words.txt", "vocab.txt")
"""What a list of words beside an array is called, besides the array's name with `.txt` or `.vocab`."""

CHUNK_BYTES = 1 << 24
_MAX_HEADER = 10_000

Array = npt.NDArray[Any]


def read_npy(file: OpenedFile, options: LoadOptions) -> Vectors:
    """A matrix, and its words in a text file of the same folder, a line each."""
    matrix = read_array(file.stream, str(file.path), file.size)
    words = _words_beside(file.path, options)
    if matrix.ndim != 2 or len(words) != len(matrix):
        raise VectorsError(
            f"{file.path}: an array of shape {matrix.shape}, but {len(words)} words in "
            f"{_list_of(file.path)}. "
            "Give a matrix with one row for each word."
        )
    return _checked(words, matrix, file, options)


def read_npz(file: OpenedFile, options: LoadOptions) -> Vectors:
    """An archive with one matrix of numbers and one array of as many words, whatever they are called."""
    if file.packed:
        raise VectorsError(f"{file.path}: an .npz file is compressed already. Unpack the gzip file (gunzip).")
    try:
        arrays = _arrays(file)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise VectorsError(f"{file.path}: cut off or damaged ({error}). Copy it again.") from error
    matrices = [each for each in arrays.values() if each.ndim == 2 and each.dtype.kind in "fiu"]
    words = [each for each in arrays.values() if each.ndim == 1 and each.dtype.kind in "US"]
    if len(matrices) != 1 or len(words) != 1 or len(words[0]) != len(matrices[0]):
        listed = ", ".join(f"{name} {each.dtype}{list(each.shape)}" for name, each in arrays.items())
        raise VectorsError(
            f"{file.path}: needs one matrix of numbers and one array of as many words, and has {listed}. "
            "Write it with np.savez(path, words=np.array(words), matrix=matrix)."
        )
    return _checked(_texts(words[0], file, options), matrices[0], file, options)


def read_array(stream: BinaryIO, name: str, size: int | None) -> Array:
    """Read an array of numbers or texts as numpy writes it, without loading pickles.

    Memory is taken as data arrives, so a header that is wrong cannot ask for more than a file holds.
    The size, in bytes, is that of the array with its header; None if it is not known.
    """
    shape, fortran, dtype = _header(stream, name)
    if min(shape, default=0) < 0:
        raise VectorsError(f"{name}: the header of the numpy array says shape {shape}. Copy it again.")
    if dtype.hasobject:
        raise VectorsError(
            f"{name}: an array of Python objects, which is a pickle and can run any program, so it is not "
            "opened. Save words as np.array(words), and vectors as one matrix of numbers."
        )
    expected = math.prod(shape) * dtype.itemsize
    found = _read(stream, expected) if size is None or size - stream.tell() >= expected else b""
    if len(found) != expected or (size is not None and size - stream.tell() > 0):
        raise VectorsError(
            f"{name}: its header says an array of {dtype}, shape {shape}, which takes {expected:,} bytes; "
            "the file does not have as many. It is cut off or damaged: copy it again."
        )
    if not expected:
        return np.empty(shape, dtype)
    return np.frombuffer(found, dtype).reshape(shape, order="F" if fortran else "C")


def _header(stream: BinaryIO, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """The shape, whether columns follow each other, and the type of numbers."""
    try:
        version = np.lib.format.read_magic(stream)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it may be a file of Python 2
            if version == (1, 0):
                return np.lib.format.read_array_header_1_0(stream, max_header_size=_MAX_HEADER)
            return np.lib.format.read_array_header_2_0(stream, max_header_size=_MAX_HEADER)
    except OSError:
        raise
    except Exception as error:  # numpy parses it as Python, which may raise anything
        what = (str(error).splitlines() or [""])[0][:100]
        raise VectorsError(
            f"{name}: the header of the numpy array is damaged ({what}). Copy it again."
        ) from error


def _read(stream: BinaryIO, count: int) -> bytearray:
    """As many bytes, or all that are left."""
    found = bytearray()
    while chunk := stream.read(min(CHUNK_BYTES, count - len(found))):
        found += chunk
    return found


def _arrays(file: OpenedFile) -> dict[str, Array]:
    found = {}
    with zipfile.ZipFile(file.stream) as archive:
        for entry in archive.infolist():
            name = entry.filename.removesuffix(".npy")
            with archive.open(entry) as stream:
                found[name] = read_array(stream, f"{file.path}, array {name}", entry.file_size)  # type: ignore[arg-type]
    return found


def _texts(words: Array, file: OpenedFile, options: LoadOptions) -> list[str]:
    """The words of an array; those of bytes are in the encoding of the file."""
    try:
        return [str(each, options.encoding) if isinstance(each, bytes) else each for each in words.tolist()]
    except UnicodeDecodeError as error:
        raise VectorsError(
            f"{file.path}: a word is not {options.encoding.upper()} ({error}). Name the encoding "
            "(evaluator convert --encoding)."
        ) from error
    except ValueError as error:  # a number that is no character
        raise VectorsError(f"{file.path}: the array of words is damaged ({error}). Copy it again.") from error


def _list_of(path: Path) -> Path | None:
    stem = path.name.removesuffix(".gz").removesuffix(".npy")
    for each in map(path.with_name, (f"{stem}.txt", f"{stem}.vocab", *LISTS)):
        if each.is_file():
            return each
        opened("words", each)  # which would be read if it were there
    return None


def _words_beside(path: Path, options: LoadOptions) -> list[str]:
    """The words of the rows of an array."""
    from evaluator.vectors.formats.encoder import lines_of

    beside = _list_of(path)
    if beside is None and path.with_name("key2row").is_file():
        raise VectorsError(f"{path}: a part of the vectors of spaCy. Give their folder, {path.parent}.")
    if beside is None:
        raise VectorsError(
            f"{path}: a numpy array has no words. Put a list of them, a line for each row, beside it and "
            f"call it "
            f"{path.stem}.txt or {LISTS[0]}. If the array belongs to a gensim model, give the model's file."
        )
    if beside.name in LISTS:
        _say(path, beside)
    with open_file(beside, "words") as file:
        return [word for _, word in lines_of(file.stream, beside, options.encoding)]


@cache
def _say(path: Path, beside: Path) -> None:
    """Say once where words are from whose file is not called like the array."""
    _log.warning("%s: its words are taken from %s", path, beside)


def _checked(words: list[str], matrix: Array, file: OpenedFile, options: LoadOptions) -> Vectors:
    if not matrix.shape[1]:
        raise VectorsError(f"{file.path}: the matrix has no columns. Copy the file again.")
    contiguous = np.ascontiguousarray(matrix[: options.limit])
    vectors = Vectors(words[: options.limit], contiguous, file.path.name)
    return check_rows(vectors, str(file.path), drop=options.drop)
