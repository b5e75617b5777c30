"""load_vectors: from a path to Vectors."""

from __future__ import annotations

import codecs
import os
from dataclasses import replace
from pathlib import Path
from typing import Literal

from evaluator.errors import VectorsError
from evaluator.execution.processes import cores
from evaluator.vectors import formats  # noqa: F401 (importing it registers the formats)
from evaluator.vectors.cached import CopyMaker, Request, Stamp, open_copy
from evaluator.vectors.registry import Format, Loaded, ReadOptions, find_format
from evaluator.vectors.source import Source, open_source
from evaluator.vectors.table import Vectors

SMALLEST_BYTES = 4 << 20  # smaller files are read as fast as a copy of them is opened


def load_vectors(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",  # noqa: A002 (the word the command line uses too)
    bad_rows: Literal["refuse", "drop"] = "refuse",
    limit: int | None = None,
    unsafe_pickle: bool = False,
    encoding: str = "utf-8",
    threads: int | None = None,
    cache: bool = True,
) -> Vectors:
    """Loads word vectors from a file, plain or gzip.

    The first time, a copy is made in the user's cache, which the matrix is mapped from into memory,
    not writable; the next time that copy is opened. There is none of files below 4 MiB, of models
    with subwords, nor of pickles.

    A bad row has the wrong number of columns, something that is no number, NaN or infinity, only
    zeros, a word that was there before, an empty word, or one that is not in the file's encoding.

    Args:
        path: the file.
        format: "word2vec-text" (also fastText's .vec), "word2vec-binary", "glove", "fasttext"
            (.bin, with subwords), "gensim" (saved by gensim); "auto" finds out from the content.
        bad_rows: "refuse" a file with a bad row or with more or fewer rows than its header says;
            or "drop" the bad rows, count them in ``dropped``, and take what is there.
        limit: use the first ``limit`` rows of the file only, bad ones counted; None for all.
        unsafe_pickle: allow unpickling, for "gensim". A pickle can run any program.
        encoding: of the words, for files that are not UTF-8; an encoding that extends ASCII.
        threads: how many may share the work, which does not change the result; None for one on each
            core that this process may use.
        cache: use the copy in the user's cache, and make it if it is not there.

    Returns:
        The vectors, raw as in the file, as float32 of shape (v, d), in the file's order.

    Raises:
        VectorsError: the file cannot be read, or must be refused. The message says where the
            trouble is and what to do.
    """
    path = Path(path)
    if bad_rows not in {"refuse", "drop"}:
        raise VectorsError(f'{path}: bad_rows is {bad_rows!r}. Use "refuse" or "drop".')
    if limit is not None and limit < 1:
        raise VectorsError(f"{path}: limit is {limit}. Use 1 or more, or None for all rows.")
    _check_encoding(path, encoding)
    if threads is not None and threads < 1:
        raise VectorsError(f"{path}: threads is {threads}. Use 1 or more, or None for all cores.")
    options = ReadOptions(bad_rows == "drop", limit, encoding, unsafe_pickle, threads or cores())
    with open_source(path) as source:
        found = find_format(format, source)
        cache = cache and source.status.st_size >= SMALLEST_BYTES
        loaded = _load_cached(source, found, options) if cache else found.read(source, options)
    return Vectors(loaded.words, loaded.matrix, path.name, loaded.subword, loaded.dropped)


def _load_cached(source: Source, found: Format, options: ReadOptions) -> Loaded:
    """Opens the copy in the cache; or reads the file, and makes the copy on the way."""
    decisive = {
        "format": found.name,
        "drop": options.drop,
        "limit": options.limit,
        "encoding": options.encoding,
    }
    request = Request(source.path.resolve(), Stamp.of(source.status), decisive)
    loaded = open_copy(request)
    if loaded is None:
        with CopyMaker(request) as maker:
            loaded = found.read(source, replace(options, store=maker.store))
            maker.keep(loaded, max(source.file.tell(), len(source.head)))
    return loaded


def _check_encoding(path: Path, encoding: str) -> None:
    """Refuses encodings in which a space or newline is not the byte it is in ASCII."""
    try:
        codec = codecs.lookup(encoding)
        extends_ascii = codec.encode("\n\t 0a")[0] == b"\n\t 0a"
    except (LookupError, UnicodeError, TypeError):
        extends_ascii = False
    if not extends_ascii:
        raise VectorsError(
            f'{path}: encoding {encoding!r} cannot be used. Name one that extends ASCII ("utf-8", '
            '"latin-1"), or convert the file to UTF-8.'
        )
