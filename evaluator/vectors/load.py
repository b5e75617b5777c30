"""load_vectors: from a path to Vectors."""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from typing import Literal

from evaluator.errors import VectorsError
from evaluator.vectors import formats  # noqa: F401 (importing it registers the formats)
from evaluator.vectors.registry import ReadOptions, find_format
from evaluator.vectors.source import open_source
from evaluator.vectors.table import Vectors


def load_vectors(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",  # noqa: A002 (the word the command line uses too)
    bad_rows: Literal["refuse", "drop"] = "refuse",
    limit: int | None = None,
    unsafe_pickle: bool = False,
    encoding: str = "utf-8",
) -> Vectors:
    """Loads word vectors from a file, plain or gzip.

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
    options = ReadOptions(bad_rows == "drop", limit, encoding, unsafe_pickle)
    with open_source(path) as source:
        loaded = find_format(format, source).read(source, options)
    return Vectors(loaded.words, loaded.matrix, path.name, loaded.subword, loaded.dropped)


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
