"""What gensim's ``save`` writes. It is a pickle, and a pickle can run any program when it is read."""

from __future__ import annotations

from evaluator.errors import VectorsError
from evaluator.vectors.models import from_gensim
from evaluator.vectors.registry import Loaded, ReadOptions, vector_format
from evaluator.vectors.source import Source, plain_file


@vector_format("gensim", rank=20, looks_like=lambda head: head.startswith(b"\x80"))
def read_gensim(source: Source, options: ReadOptions) -> Loaded:
    """A saved KeyedVectors, Word2Vec, or FastText, if the user trusts it.

    Raises:
        VectorsError: the user did not say so, or this is no such model.
    """
    file = str(source.path)
    if not options.unsafe_pickle:
        raise VectorsError(
            f"{file}: this is a Python pickle, as gensim's save() writes it. Reading a pickle can "
            "run any program hidden in it, so it is not opened. If you trust where it comes from, "
            "set unsafe_pickle=True (--unsafe-pickle). Better, export it once with "
            "save_word2vec_format(path, binary=True) and load that."
        )
    model = _unpickle(source)
    vectors = from_gensim(model, file, bad_rows="drop" if options.drop else "refuse")
    if options.limit is not None:
        vectors = vectors.restrict(options.limit)
    return Loaded(vectors.words, vectors.matrix, vectors.dropped, vectors.subword)


def _unpickle(source: Source) -> object:
    from gensim.models import KeyedVectors

    try:
        if source.path.suffix == ".gz" and source.gzipped:
            # Under this name gensim unpacks by itself, and finds the arrays saved beside the file.
            return KeyedVectors.load(str(source.path))
        with plain_file(source) as path:
            return KeyedVectors.load(str(path))
    except Exception as error:  # a pickle can raise anything
        raise VectorsError(
            f"{source.path}: gensim cannot load it ({type(error).__name__}: {error}). If it was "
            "saved as several files (.npy), keep them together; if by an old gensim, export it "
            "there with save_word2vec_format."
        ) from error
