"""Vectors of gensim: of a model in memory, and of what its `save` writes, a pickle (see `pickles`)."""

from __future__ import annotations

import sys
import zipfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np

from evaluator.errors import GensimError, VectorsError
from evaluator.execution.inputs import opened
from evaluator.vectors.files import LoadOptions, OpenedFile
from evaluator.vectors.formats.arrays import read_array
from evaluator.vectors.formats.fasttext import NgramRule, NgramVectors
from evaluator.vectors.formats.pickles import (
    EXPORT,
    EXPORT_IF,
    OLD,
    Array,
    Attributes,
    FastTextAttributes,
    ForeignPickleError,
    Unpickler,
)
from evaluator.vectors.table import Matrix, Vectors, check_rows


def check_gensim(what: str, otherwise: str) -> None:
    """Look for gensim: what needs it begins the sentence of the error, what to do otherwise ends it."""
    if find_spec("gensim") is None:
        raise GensimError(
            f"{what} needs gensim. It exists for Python 3.11 to 3.13, and this is Python "
            f"{sys.version_info[0]}.{sys.version_info[1]}. Use one of those, with gensim, or {otherwise}"
        )


def load_gensim(what: str, otherwise: str) -> Any:  # noqa: ANN401  # gensim has no types
    """The library gensim, which nothing else imports; see `check_gensim`."""
    check_gensim(what, otherwise)
    import gensim.models.fasttext

    return gensim


def is_gensim(source: object) -> bool:
    """Whether something is a model of gensim, which need not be one of word vectors."""
    module = type(getattr(source, "wv", source)).__module__
    return module.partition(".")[0] == "gensim" or _has_words(source)


def _has_words(source: object) -> bool:
    """Whether something is a gensim model of word vectors, for which gensim must have been imported."""
    models = sys.modules.get("gensim.models")
    return models is not None and isinstance(getattr(source, "wv", source), models.KeyedVectors)


def from_gensim(
    model_or_keyedvectors: object,
    name: str = "gensim model",
    *,
    bad_rows: Literal["refuse", "drop"] = "refuse",
) -> Vectors:
    """Take the vectors of a gensim model in memory.

    The matrix is the model's own, not a copy, if it is float32 and C-contiguous and no row is dropped:
    training the model further changes it.

    Args:
        model_or_keyedvectors: A Word2Vec, FastText, KeyedVectors or FastTextKeyedVectors.
        name: What messages and signatures call the vectors.
        bad_rows: Whether to "refuse" or "drop" rows with NaN, infinity, or only zeros.

    Returns:
        Vectors in the model's order, which is by frequency unless gensim was told otherwise; with `subword`
        if it is a fastText model.

    Raises:
        VectorsError: This is not a gensim model, has no vectors, has keys that are not words, or (unless
            dropped) a row is bad.
    """
    vectors: Any = getattr(model_or_keyedvectors, "wv", model_or_keyedvectors)
    if not _has_words(model_or_keyedvectors):
        raise VectorsError(
            f"{name}: this is a {type(model_or_keyedvectors).__name__}, not a gensim model of word "
            "vectors. Give a Word2Vec, a FastText, or their KeyedVectors."
        )
    words = list(vectors.index_to_key)
    if not words or len(words) != len(vectors.vectors):
        raise VectorsError(
            f"{name}: {len(words)} words with {len(vectors.vectors)} vectors. Build the vocabulary "
            "and train the model first."
        )
    odd = next((row for row, word in enumerate(words) if not isinstance(word, str)), None)
    if odd is not None:
        raise VectorsError(
            f"{name}: the key {words[odd]!r} is not a word, in row {odd + 1}. Give vectors whose keys are "
            "text, and as many places as words."
        )
    with np.errstate(over="ignore"):
        matrix = np.ascontiguousarray(vectors.vectors, dtype=np.float32)
    return check_rows(Vectors(words, matrix, name, _subwords(vectors, matrix)), name, drop=bad_rows == "drop")


def _subwords(vectors: Any, matrix: Matrix) -> NgramVectors | None:  # noqa: ANN401  # gensim has no types
    """The n-grams of a FastTextKeyedVectors; they are the model's own, not a copy."""
    ngrams = getattr(vectors, "vectors_ngrams", None)
    if ngrams is None:
        return None
    rows = np.ascontiguousarray(ngrams, dtype=np.float32)
    return NgramVectors(vectors.key_to_index, matrix, rows, NgramRule(vectors.min_n, vectors.max_n))


_SEVERAL = (
    "KeyedVectors, Word2Vec and FastText that gensim 4 saved can be, if files saved as several (.npy, .npz) "
    f"are kept together under their names. Others are exported with gensim: {EXPORT}"
)


@dataclass(frozen=True)
class _Saved:
    """A model as it was saved: the attributes of its vectors, and what the files beside it are called."""

    own: Attributes
    path: str

    def array(self, name: str) -> Any:  # noqa: ANN401  # an array; None if the model does not have it
        """An attribute that is an array of numbers, or the file beside the model that holds it."""
        if (found := self.own.get(name)) is not None:
            return found.values if isinstance(found, Array) else None
        beside, packed = (Path(f"{self.path}.{name}.{ending}") for ending in ("npy", "npz"))
        opened("part", beside)
        if packed.is_file() and not beside.is_file():
            opened("part", packed)
            with zipfile.ZipFile(packed) as archive, archive.open("val.npy") as stream:
                size = archive.getinfo("val.npy").file_size
                return read_array(stream, str(packed), size)  # type: ignore[arg-type]
        if beside.is_file() or name in self.own.get("__numpys", ()):
            return np.load(beside, mmap_mode="r", allow_pickle=False)
        return None

    def words(self) -> list[str]:
        """The words, in their order."""
        words = self.own.get("index_to_key")
        if not (isinstance(words, list) and words):
            raise ValueError("it holds no words")
        for row, word in enumerate(words):
            if type(word) is not str:
                raise ValueError(f"key {row + 1} is {'None' if word is None else 'a number'}, not a word")
        return words

    def rows(self, name: str, count: int | None) -> Matrix:
        """An array of numbers with a row for each word, or with as many as it has."""
        found = self.array(name)
        if found is None:
            raise ValueError(f"its array {name} is missing")
        if found.ndim != 2 or len(found) != (count or len(found)) or found.dtype.kind != "f":
            raise ValueError(f"{count} words with an array {name} of shape {found.shape}")
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(found, dtype=np.float32)


def _saved(file: OpenedFile) -> _Saved:
    model = Unpickler(file.stream).load()
    if not isinstance(model, Attributes):
        raise ForeignPickleError(f"it is a pickled {type(model).__name__}, not a model of gensim", EXPORT_IF)
    own = model.get("wv", model)
    if not isinstance(own, Attributes) or "index2word" in own or "index_to_key" not in own:
        raise ForeignPickleError(*OLD)
    return _Saved(own, f"{file.path}{'' if own is model else '.wv'}")


def _vectors(file: OpenedFile) -> Vectors:
    saved = _saved(file)
    words, path = saved.words(), str(file.path)
    if not isinstance(saved.own, FastTextAttributes):
        return Vectors(words, saved.rows("vectors", len(words)), path)
    if not saved.own.get("compatible_hash"):
        raise ForeignPickleError(*OLD)
    rule = NgramRule(int(saved.own["min_n"]), int(saved.own["max_n"]))
    rows = saved.rows("vectors_vocab", len(words)).copy()
    ngrams = saved.rows("vectors_ngrams", None) if saved.own["bucket"] else np.empty_like(rows[:0])
    if ngrams.shape[1] != rows.shape[1]:
        raise ValueError(f"vectors of {rows.shape[1]} numbers, but n-grams of {ngrams.shape[1]}")
    model = NgramVectors.of_rows(words, rows, ngrams, rule)
    return Vectors(words, model.matrix, path, model)


def read_gensim(file: OpenedFile, options: LoadOptions) -> Vectors:
    """A saved KeyedVectors, Word2Vec or FastText, made without running anything of it."""
    try:
        whole = _vectors(file)
    except ForeignPickleError as error:
        raise VectorsError(f"{file.path}: cannot be read: {error.args[0]}. {error.args[1]}") from error
    except Exception as error:  # a damaged or hostile pickle can raise anything
        raise VectorsError(
            f"{file.path}: cannot be read ({type(error).__name__}: {error}). {_SEVERAL}"
        ) from error
    checked = replace(check_rows(whole, str(file.path), drop=options.drop), name=file.path.name)
    return checked if options.limit is None else checked.restrict(options.limit)
