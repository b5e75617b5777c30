"""Reading a vectors file: how it is read, what a format is, which one a file is in, and `load_vectors`."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Literal, cast

from evaluator.errors import VectorsError
from evaluator.execution.plugins import load_plugins
from evaluator.vectors import formats
from evaluator.vectors.open_file import OpenedFile, open_file
from evaluator.vectors.table import Vectors

GROUP = "evaluator.vector_formats"
"""The entry points by which other packages add formats."""


@dataclass(frozen=True)
class LoadOptions:
    """How a vectors file is read; see `load_vectors`.

    Attributes:
        format: The name of its format; "auto" recognises it by the content.
        bad_rows: Whether to "refuse" a file with bad rows, or to "drop" and count them.
        encoding: The encoding of the words.
        unsafe_pickle: Whether pickles may be loaded, which can run any program.
        limit: How many rows to read, bad ones included; None for all.
    """

    format: str = "auto"
    bad_rows: Literal["refuse", "drop"] = "refuse"
    encoding: str = "utf-8"
    unsafe_pickle: bool = False
    limit: int | None = None

    @property
    def drop(self) -> bool:
        """Whether bad rows are left out."""
        return self.bad_rows == "drop"

    def check(self, path: Path) -> None:
        """Refuse values that make no sense.

        Raises:
            VectorsError: One does; the message names the file that was to be read.
        """
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


Reader = Callable[[OpenedFile, LoadOptions], Vectors]


@dataclass(frozen=True)
class VectorFormat:
    """A format of vectors files: its name, how to recognise it, how to read it.

    Attributes:
        name: The value of the argument `format` that asks for it.
        rank: Formats are tried in this order, the lowest first.
        looks_like: Whether a file is in this format, judged by its first bytes, up to 64 KiB.
        read: Reads an opened file.
    """

    name: str
    rank: int
    looks_like: Callable[[bytes], bool] = field(repr=False)
    read: Reader = field(repr=False)


def vector_format(
    name: str, *, rank: int, looks_like: Callable[[bytes], bool]
) -> Callable[[Reader], VectorFormat]:
    """Turn a function that reads vectors into a format; see `VectorFormat` for the arguments."""
    return lambda read: VectorFormat(name, rank, looks_like, read)


@cache
def own_formats() -> Mapping[str, VectorFormat]:
    """The formats in the modules of `evaluator.vectors.formats`, by name."""
    modules = (import_module(f"{formats.__name__}.{each.name}") for each in iter_modules(formats.__path__))
    found = (value for module in modules for value in vars(module).values())
    return {each.name: each for each in found if isinstance(each, VectorFormat)}


@cache
def vector_formats() -> Mapping[str, VectorFormat]:
    """All formats by name, in the order in which they are tried: our own and those of other packages.

    Raises:
        PluginError: What another package registers cannot be used.
    """
    plugins = cast("dict[str, VectorFormat]", load_plugins(GROUP, own_formats(), _why_no_format))
    return dict(sorted({**own_formats(), **plugins}.items(), key=lambda entry: entry[1].rank))


def _why_no_format(name: str, loaded: object) -> str | None:
    if isinstance(loaded, VectorFormat) and loaded.name == name:
        return None
    return f"is not a function decorated with vector_format({name!r}, …)"


def find_format(name: str, file: OpenedFile) -> VectorFormat:
    """The format with a name, or for "auto" the first one that a file looks like.

    Raises:
        VectorsError: There is no such format, or the file looks like none.
        PluginError: What another package registers cannot be used.
    """
    if name != "auto":
        found = own_formats().get(name) or vector_formats().get(name)
        if found is None:
            raise VectorsError(
                f"{file.path}: there is no format {name!r}. Use auto, {', '.join(vector_formats())}."
            )
        return found
    for candidate in vector_formats().values():
        if candidate.looks_like(file.head):
            return candidate
    raise VectorsError(
        f"{file.path}: not recognised as vectors; it starts with {file.head[:40]!r}. "
        f"If it is in one of these formats, name it: {', '.join(vector_formats())}."
    )


def load_vectors(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",  # noqa: A002 (the word the command line uses too)
    bad_rows: Literal["refuse", "drop"] = "refuse",
    limit: int | None = None,
    unsafe_pickle: bool = False,
    encoding: str = "utf-8",
) -> Vectors:
    """Load word vectors from a file, plain or gzip.

    A bad row has the wrong number of columns, a value that is not a number, NaN or infinity, only zeros, a
    word that occurred before, an empty word, or one that is not in the file's encoding.

    Args:
        path: The file.
        format: The name of a format, as in docs/vectors.md; "auto" recognises it by the content.
        bad_rows: "refuse" a file with a bad row or with more or fewer rows than its header says; or "drop"
            bad rows, count them in `dropped`, and read the others.
        limit: Read the first `limit` rows of the file only, bad ones included; None for all.
        unsafe_pickle: Allow the format "gensim", which is a pickle. A pickle can run any program.
        encoding: The encoding of the words, for files that are not UTF-8; one that extends ASCII.

    Returns:
        The vectors, raw as in the file, as float32 of shape (v, d), in the file's order. The matrix of a file
        that `save_vectors` or `evaluator convert` wrote is mapped into memory and cannot be written to.

    Raises:
        VectorsError: The file cannot be read, or must be refused; the message says where in the file, and
            what to do.
        PluginError: What another package registers as a format cannot be used.
    """
    path = Path(path)
    options = LoadOptions(format, bad_rows, encoding, unsafe_pickle, limit)
    options.check(path)
    with open_file(path) as file:
        return find_format(format, file).read(file, options)
