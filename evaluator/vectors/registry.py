"""What a format is, and which one a file is in.

A format is one function in ``formats/``, marked with ``vector_format``: it is found there, and its
name becomes an argument of ``load_vectors``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluator.errors import VectorsError
from evaluator.vectors.source import Source
from evaluator.vectors.stores import MemoryStore, RowStore
from evaluator.vectors.table import Matrix, Subword


@dataclass(frozen=True)
class ReadOptions:
    """What the reader of a format is asked for.

    Attributes:
        drop: leave bad rows out and count them, instead of refusing the file.
        limit: read the first ``limit`` rows only, bad ones included; None for all.
        encoding: of the words; an extension of ASCII.
        unsafe_pickle: the user trusts the file enough to unpickle it.
        threads: how many threads may share the work; what is read does not depend on it.
        store: makes what keeps the rows, given their dimension and how many are expected (None if
            that is not known). A reader that keeps all its rows there gets a cached copy for free.
    """

    drop: bool = False
    limit: int | None = None
    encoding: str = "utf-8"
    unsafe_pickle: bool = False
    threads: int = 1
    store: Callable[[int, int | None], RowStore] = MemoryStore


@dataclass(frozen=True)
class Loaded:
    """What the reader of a format returns; the fields are those of ``Vectors``."""

    words: Sequence[str]
    matrix: Matrix
    dropped: int = 0
    subword: Subword | None = None


Reader = Callable[[Source, ReadOptions], Loaded]


@dataclass(frozen=True)
class Format:
    """A format: its name, how to recognise it, how to read it.

    Attributes:
        name: the ``format`` argument that asks for it.
        rank: formats are tried in this order, lowest first.
        looks_like: whether the first bytes of a file, up to 64 KiB, are in this format.
        read: reads an opened file.
    """

    name: str
    rank: int
    looks_like: Callable[[bytes], bool]
    read: Reader


_FORMATS: dict[str, Format] = {}


def vector_format(name: str, *, rank: int, looks_like: Callable[[bytes], bool]) -> Callable[[Reader], Reader]:
    """Makes a function the reader of a format; see ``Format`` for the arguments."""

    def register(read: Reader) -> Reader:
        _FORMATS[name] = Format(name, rank, looks_like, read)
        return read

    return register


def format_names() -> list[str]:
    """The names of all formats, in the order in which they are tried."""
    return [entry.name for entry in sorted(_FORMATS.values(), key=lambda entry: entry.rank)]


def find_format(name: str, source: Source) -> Format:
    """The format with a name, or for "auto" the first one that a file looks like.

    Raises:
        VectorsError: there is no such format, or the file looks like none.
    """
    names = format_names()
    if name != "auto":
        if name not in _FORMATS:
            raise VectorsError(f"{source.path}: no format is called {name!r}. Use auto, {', '.join(names)}.")
        return _FORMATS[name]
    for candidate in names:
        if _FORMATS[candidate].looks_like(source.head):
            return _FORMATS[candidate]
    raise VectorsError(
        f"{source.path}: not recognised as vectors; it starts with {source.head[:40]!r}. "
        f"Give a file in one of these formats ({', '.join(names)}); name the format if you know it."
    )
