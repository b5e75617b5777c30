"""Vectors of whatever has them: a path, a dict, a pandas table, a gensim model, a model that encodes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union

import numpy as np

from evaluator.errors import VectorsError
from evaluator.vectors.files import LoadOptions
from evaluator.vectors.reading import VectorsFile, Vocabulary, words_or_path
from evaluator.vectors.table import Vectors, check_rows, usable

if TYPE_CHECKING:
    import pandas as pd

    from evaluator.vectors.formats.encoder import Encode

VectorsLike: TypeAlias = Union[
    Vectors,
    VectorsFile,
    str,
    "os.PathLike[str]",
    Mapping[str, Sequence[float]],
    tuple[Sequence[str], Any],
    "pd.DataFrame",
    "Encode",
]
"""What vectors can be made of; see `as_vectors`."""


def as_vectors(
    source: VectorsLike,
    name: str | None = None,
    *,
    vocabulary: Vocabulary = None,
    bad_rows: Literal["refuse", "drop"] = "refuse",
) -> Vectors:
    """Vectors of anything that has them; their rows are checked.

    Args:
        source: Vectors; a path or URL; a `VectorsFile`; a dict or other mapping from words to vectors, the
            most frequent word first; a pair of the words and a matrix (also a sparse one), or a tensor or
            Embedding of torch; a pandas table whose index are the words; a gensim Word2Vec, FastText or
            KeyedVectors; or a function that takes a list of words and gives a row for each, or an object with
            such a method `encode`, as models of sentence-transformers and model2vec have.
        name: What messages and signatures call the vectors.
        vocabulary: The words of a model that can encode any word, the most frequent first: a file with a
            word in each line, other vectors, or the words. Other sources keep their own words.
        bad_rows: Whether to "refuse" or to "drop" rows with NaN, infinity or only zeros, and words that occur
            twice.

    Raises:
        VectorsError: It is none of these, or has no usable vectors; messages name word and row.
        ExtraError: A library is missing that it needs.
    """
    if isinstance(source, str | os.PathLike):
        options = LoadOptions(bad_rows=bad_rows, vocabulary=words_or_path(vocabulary))
        source = VectorsFile(os.fspath(source), options, name)
    if isinstance(source, VectorsFile):
        return source.load()
    if isinstance(source, Vectors):
        return checked(source, bad_rows)
    from evaluator.vectors.formats.gensim import from_gensim, is_gensim

    if is_gensim(source):
        return from_gensim(source, name or "gensim model", bad_rows=bad_rows)
    found = _words_and_rows(source)
    if found is None:
        return _of_encoder(source, name, vocabulary, bad_rows)
    words, rows, kind = found
    return checked(_of_rows(words, rows, name or kind), bad_rows)


def checked(vectors: Vectors, bad_rows: Literal["refuse", "drop"] = "refuse") -> Vectors:
    """The same vectors after a check of their rows, which is made once for each object."""
    if vectors.checked:
        return vectors
    for row, word in enumerate(vectors.words):
        if not isinstance(word, str):
            raise VectorsError(f"{vectors.name}, row {row + 1}: the key {word!r} is not a word. Use text.")
    if not _all_good(vectors):
        return check_rows(vectors, vectors.name, drop=bad_rows == "drop")
    object.__setattr__(vectors, "checked", True)
    return vectors


def _all_good(vectors: Vectors) -> bool:
    """Whether all rows can be used; without an index of a large vocabulary, unless there is one."""
    different = "index" in vars(vectors) or len(set(vectors.words)) == len(vectors)
    return different and all(vectors.words) and bool(usable(vectors.matrix).all())


def is_vectors_mapping(source: object) -> bool:
    """Whether something is a mapping from words to vectors, and not one from names to models."""
    if not isinstance(source, Mapping):
        return False
    first: Any = next(iter(source.values()), ())
    if isinstance(first, np.ndarray | list | tuple):
        return not len(first) or isinstance(first[0], float | int | np.number)
    return False


def is_words_and_matrix(source: object) -> bool:
    """Whether something is a pair of words and their rows, and not two models."""
    if not isinstance(source, tuple) or len(source) != 2 or isinstance(source[0], str | Mapping):
        return False
    one_axis = len(getattr(source[0], "shape", (0,))) == 1
    rows = getattr(getattr(source[1], "weight", source[1]), "shape", ())
    return one_axis and isinstance(source[0], Iterable) and len(rows) == 2


def _words_and_rows(source: object) -> tuple[list[Any], Any, str] | None:
    """The words of something, their rows, and what it is; None if it may be an encoder."""
    if isinstance(source, Mapping):
        return list(source), list(source.values()), "dict of vectors"
    if isinstance(source, tuple) and is_words_and_matrix(source):
        rows: Any = getattr(source[1], "weight", source[1])
        if hasattr(rows, "toarray"):  # a sparse matrix of scipy
            rows = rows.toarray()
        if hasattr(rows, "detach"):  # a tensor of torch, on any device and of any precision
            rows = rows.detach().cpu().float().numpy()
        return list(source[0]), rows, "words and matrix"
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return source.index.tolist(), _numbers_of(source), "table of vectors"
    return None


def _numbers_of(table: pd.DataFrame) -> Any:  # noqa: ANN401  # an array, of objects if not all are numbers
    """The matrix of a table; columns of objects and those that may lack values may hold numbers, too."""
    from pandas.api.types import infer_dtype

    _refuse_other_columns(table)
    kinds = {"floating", "integer", "mixed-integer-float", "decimal", "empty"}
    if not all(infer_dtype(table.iloc[:, at], skipna=True) in kinds for at in range(table.shape[1])):
        return table.to_numpy(dtype=object)
    return table.to_numpy(dtype=np.float64, na_value=np.nan)


def _refuse_other_columns(table: pd.DataFrame) -> None:
    """Refuse columns that are no coordinates, such as a count: whole numbers, or named unlike the rest."""
    from pandas.api.types import is_integer_dtype

    whole = [is_integer_dtype(kind) for kind in table.dtypes]
    shapes = [re.sub("[0-9]+", "0", str(name)) for name in table.columns]
    numbered = [shape for shape in shapes if "0" in shape]
    common = max(set(numbered), key=numbered.count, default=None)
    named = common is not None and numbered.count(common) > len(shapes) / 2
    odd = [
        str(name)
        for name, is_whole, shape in zip(table.columns, whole, shapes, strict=True)
        if (shape != common if named else is_whole and not all(whole))
    ]
    if odd:
        raise VectorsError(
            f"table of vectors, column {odd[0]!r}: seems to be no coordinate of a vector, unlike the "
            f"others. Leave it out: table.drop(columns=[{', '.join(map(repr, odd[:3]))}])."
        )


def _of_rows(words: list[Any], rows: Any, name: str) -> Vectors:  # noqa: ANN401  # what numpy takes
    """Vectors of words and their rows."""
    if not words:
        raise VectorsError(f"{name}: there are no words in it. Give at least one.")
    try:
        matrix = np.asarray(rows)
    except (ValueError, TypeError):
        matrix = np.empty(0, dtype=object)
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise VectorsError(_odd_row(words, rows, name))
    return Vectors(words, np.ascontiguousarray(matrix), name)


def _odd_row(words: Sequence[str], rows: Iterable[Any], name: str) -> str:
    shapes = list(map(_shape, rows))
    odd = next(
        (n for n, shape in enumerate(shapes) if shape is None or len(shape) != 1 or shape != shapes[0]), 0
    )
    what = "does not hold numbers only" if shapes[odd] is None else f"has the shape {shapes[odd]}"
    return (
        f"{name}, row {odd + 1}, word {words[odd]!r}: {what}, where a vector of as many numbers as in the "
        "first row is expected. Correct it."
    )


def _shape(row: Any) -> tuple[int, ...] | None:  # noqa: ANN401  # of any type
    try:
        array = np.asarray(row)
    except (ValueError, TypeError):
        return None
    return array.shape if array.dtype.kind in "fiu" else None


def _of_encoder(
    source: object, name: str | None, vocabulary: Vocabulary, bad_rows: Literal["refuse", "drop"]
) -> Vectors:
    from evaluator.vectors.formats.encoder import Encoder, candidate_words, encode_function, encoded

    called = name or str(getattr(source, "__name__", type(source).__name__))
    try:
        encode: Callable[[list[str]], Any] = encode_function(source, called)
    except VectorsError as error:
        raise VectorsError(
            f"{error} Or give one path, a dict from words to vectors, a pair of words and a matrix, a pandas "
            "table, or a model of gensim. Test sets are another argument."
        ) from None
    words, origin = candidate_words(LoadOptions(vocabulary=words_or_path(vocabulary)), called)
    return encoded(Encoder(encode, called), words, drop=bad_rows == "drop", candidates=origin)


def vectors_or_file(source: VectorsLike, vocabulary: Vocabulary = None) -> Vectors | VectorsFile:
    """The same as `as_vectors`, without loading what is in a file."""
    if isinstance(source, str | os.PathLike):
        return VectorsFile(os.fspath(source), LoadOptions(vocabulary=words_or_path(vocabulary)))
    return source if isinstance(source, VectorsFile) else as_vectors(source, vocabulary=vocabulary)
