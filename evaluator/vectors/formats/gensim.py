"""Vectors of gensim: of a model in memory, and of what its `save` writes.

That is a pickle, which can run any program when Python reads it; here it makes nothing but the classes below.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

import numpy as np

from evaluator.errors import GensimError, VectorsError
from evaluator.vectors.files import LoadOptions, OpenedFile
from evaluator.vectors.formats.fasttext import NgramRule, NgramVectors
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
    odd = next((word for word in words if not isinstance(word, str)), None)
    if odd is not None:
        raise VectorsError(f"{name}: the key {odd!r} is not a word. Give vectors whose keys are text.")
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


class _Inert(dict[Any, Any]):
    """An object that is not needed, such as a generator of random numbers; nothing of its class runs."""

    def __init__(self, *_: object) -> None:
        super().__init__()

    def __setstate__(self, state: object) -> None:
        """Of all that was saved, keep attributes."""
        if isinstance(state, dict):
            self.update(state)


class _Model(_Inert):
    """A model, or its vectors, as a dict of its attributes."""


class _Dtype:
    """A type of numbers; any other has no arrays."""

    def __init__(self, name: str, *_: object) -> None:
        self.name, self.order = name, "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Keep the byte order."""
        self.order = state[1]


class _Array:
    """An array of numbers, made of bytes: numpy would believe a wrong size, and numbers for addresses."""

    def __init__(self, *_: object) -> None:
        self.values: Any = None

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Take the bytes as numbers; there are as many as shape and type need."""
        _, shape, dtype, by_column, content = state
        if dtype.name in ("f2", "f4", "f8") and dtype.order in ("<", ">", "=") and isinstance(content, bytes):
            numbers = np.frombuffer(content, np.dtype(dtype.name).newbyteorder(dtype.order))
            self.values = numbers.reshape(shape, order="F" if by_column else "C")


_NAMES: Mapping[str, Callable[..., object]] = {
    "gensim.models.keyedvectors.KeyedVectors": _Model,
    "gensim.models.word2vec.Word2Vec": _Model,
    "numpy.core.multiarray._reconstruct": _Array,
    "numpy._core.multiarray._reconstruct": _Array,
    "numpy.ndarray": _Array,
    "numpy.dtype": _Dtype,
    "numpy.random._pickle.__randomstate_ctor": _Inert,
    "numpy.random._pickle.__bit_generator_ctor": _Inert,
    "numpy.random._mt19937.MT19937": _Inert,
    "gensim.utils.call_on_class_only": _Inert,
    "collections.defaultdict": _Inert,
    "builtins.hash": _Inert,
    "builtins.int": _Inert,
}
"""What a pickle may name, and what stands for it: all that is made are objects of these classes."""

_REFUSED = {pickle.EXT1, pickle.EXT2, pickle.EXT4, pickle.BYTEARRAY8}  # names by number; memory for nothing


class _Unpickler(pickle._Unpickler):  # the one in Python: a file cannot make it set memory aside
    dispatch: ClassVar = {
        key: load for key, load in pickle._Unpickler.dispatch.items() if bytes([key]) not in _REFUSED
    }

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401  # as pickle's own
        """Nothing that is not listed."""
        if (found := _NAMES.get(f"{module}.{name}")) is None:
            raise pickle.UnpicklingError(f"it names {module}.{name}")
        return found


def _words_and_rows(file: OpenedFile) -> tuple[list[str], Any]:
    model = _Unpickler(file.stream).load()
    own = model.get("wv", model)
    words, rows = own["index_to_key"], own.get("vectors")
    if not (isinstance(words, list) and words and all(type(each) is str for each in words)):
        raise ValueError("it holds no words")
    beside = f"{file.path}{'' if own is model else '.wv'}.vectors.npy"
    matrix = rows.values if rows is not None else np.load(beside, mmap_mode="r", allow_pickle=False)
    if matrix.ndim != 2 or len(matrix) != len(words) or matrix.dtype.kind != "f":
        raise ValueError(f"{len(words)} words with an array of shape {matrix.shape}")
    return words, matrix


def read_gensim(file: OpenedFile, options: LoadOptions) -> Vectors:
    """A saved KeyedVectors or Word2Vec: nothing is made but words and numbers, so that no program can run."""
    try:
        words, matrix = _words_and_rows(file)
    except Exception as error:  # a damaged or hostile pickle can raise anything
        raise VectorsError(
            f"{file.path}: cannot be read ({type(error).__name__}: {error}). KeyedVectors and Word2Vec that "
            "gensim 4 saved can, if files saved as several (.npy) are kept together. Convert others with "
            "gensim: a FastText by save_facebook_model(model, 'm.bin'), any by "
            "model.wv.save_word2vec_format('m.vec')."
        ) from error
    with np.errstate(over="ignore"):
        whole = Vectors(words, np.ascontiguousarray(matrix, dtype=np.float32), str(file.path))
    checked = replace(check_rows(whole, str(file.path), drop=options.drop), name=file.path.name)
    return checked if options.limit is None else checked.restrict(options.limit)
