"""What gensim's `save` writes. It is a pickle, and a pickle can run any program when it is read."""

from __future__ import annotations

from dataclasses import replace

from evaluator.errors import VectorsError
from evaluator.vectors.gensim_models import from_gensim
from evaluator.vectors.open_file import OpenedFile, plain_file
from evaluator.vectors.reading import LoadOptions, vector_format
from evaluator.vectors.table import Vectors


@vector_format("gensim", rank=20, looks_like=lambda head: head.startswith(b"\x80"))
def read_gensim(file: OpenedFile, options: LoadOptions) -> Vectors:
    """A saved KeyedVectors, Word2Vec, or FastText, if the user trusts it.

    Raises:
        VectorsError: The user did not say so, or this is not such a model.
    """
    if not options.unsafe_pickle:
        raise VectorsError(
            f"{file.path}: this is a Python pickle, as gensim's save() writes it. Reading a pickle can "
            "run any program hidden in it, so it is not opened. If you trust where it comes from, "
            "set unsafe_pickle=True (--unsafe-pickle). Better, export it once with "
            "save_word2vec_format(path, binary=True) and load that."
        )
    vectors = from_gensim(_unpickle(file), str(file.path), bad_rows=options.bad_rows)
    vectors = replace(vectors, name=file.path.name)
    return vectors if options.limit is None else vectors.restrict(options.limit)


def _unpickle(file: OpenedFile) -> object:
    from gensim.models import KeyedVectors

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
