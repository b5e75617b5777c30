"""Vectors of gensim: of a model in memory, and of what its `save` writes.

That is a pickle, and a pickle can run any program when it is read.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np

from evaluator.errors import GensimError, VectorsError
from evaluator.vectors.files import LoadOptions, OpenedFile, plain_file
from evaluator.vectors.formats.fasttext import NgramVectors
from evaluator.vectors.row_checks import check_rows
from evaluator.vectors.table import Matrix, Vectors


def check_gensim(what: str, otherwise: str) -> None:
    """Look for the library gensim.

    Args:
        what: What needs it, as the start of a sentence.
        otherwise: What to do without it, as the end of one.
    """
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
    return NgramVectors(vectors.key_to_index, matrix, rows, vectors.min_n, vectors.max_n)


def read_gensim(file: OpenedFile, options: LoadOptions) -> Vectors:
    """A saved KeyedVectors, Word2Vec, or FastText, if the user trusts it."""
    if not options.unsafe_pickle:
        raise VectorsError(
            f"{file.path}: this is a Python pickle, as gensim's save() writes it. Reading a pickle can "
            "run any program hidden in it, so it is not opened. If you trust where it comes from, convert it "
            f"once: evaluator convert {file.path} {file.path.with_suffix('.safetensors')} --unsafe-pickle "
            "(in Python: unsafe_pickle=True). Better, export it with save_word2vec_format."
        )
    vectors = from_gensim(_unpickle(file), str(file.path), bad_rows=options.bad_rows)
    vectors = replace(vectors, name=file.path.name)
    return vectors if options.limit is None else vectors.restrict(options.limit)


def _unpickle(file: OpenedFile) -> object:
    advice = "export the model there with save_word2vec_format"
    KeyedVectors = load_gensim(f"{file.path}: this model", advice).models.KeyedVectors  # noqa: N806
    try:
        if file.path.suffix == ".gz" and file.gzipped:
            # Under this name gensim unpacks by itself, and finds the arrays saved beside the file.
            return KeyedVectors.load(str(file.path))
        with plain_file(file) as path:
            return KeyedVectors.load(str(path))
    except Exception as error:  # a pickle can raise anything
        raise VectorsError(
            f"{file.path}: gensim cannot load it ({type(error).__name__}: {error}). If it was "
            "saved as several files (.npy), keep them together; if by an old gensim, export it "
            "there with save_word2vec_format."
        ) from error
