"""Training word embeddings with gensim, so that a seed gives the same vectors again."""

# ruff: noqa: ANN401 (gensim's own objects have no public types)

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluator.errors import TrainingError, VectorsError
from evaluator.execution.output_files import written_beside
from evaluator.settings import Hyperparameters
from evaluator.text.corpus import Sentences
from evaluator.vectors import Vectors, from_gensim

_MOST_BUCKETS = 2_000_000  # gensim's default
_BUCKETS_A_WORD = 64


def train(
    sentences: Sentences, parameters: Hyperparameters, seed: int = 0, callbacks: Sequence[object] = ()
) -> Vectors:
    """Train a model with gensim, on one thread: with several, each run would give other vectors.

    fastText gets `min(2 000 000, 64·v)` buckets for the n-grams of v words: gensim's number from 31 thousand
    words on, and a model that is not hundreds of times as large as its corpus for fewer.

    Args:
        sentences: What `Corpus.write_sentences` leaves.
        parameters: The hyper-parameters; `lemmas` is a matter of the corpus and ignored here.
        seed: For the vectors at the beginning and all that is drawn.
        callbacks: gensim's, such as `EpochScores`.

    Returns:
        The vectors, the most frequent word first; of fastText with subwords.

    Raises:
        TrainingError: No word is frequent enough, or the vectors diverge.
    """
    model = trained_model(sentences, parameters, seed, callbacks)
    try:
        return from_gensim(model, str(parameters))
    except VectorsError as error:
        raise TrainingError(f"the vectors are not usable, try a lower learning rate: {error}") from error


def trained_model(
    sentences: Sentences, parameters: Hyperparameters, seed: int = 0, callbacks: Sequence[object] = ()
) -> Any:
    """The same as gensim's own model, a Word2Vec or a FastText.

    Raises:
        TrainingError: No word is frequent enough.
    """
    words = sum(count >= parameters.min_count for count in sentences.counts.values())
    if not words:
        raise TrainingError(f"no word occurs {parameters.min_count} times; lower the min count")
    model = _untrained(parameters, words, seed)
    model.build_vocab_from_freq(dict(sentences.counts), corpus_count=sentences.number)
    model.train(
        corpus_file=str(sentences.path),
        total_words=sentences.tokens,
        total_examples=sentences.number,
        epochs=parameters.epochs,
        callbacks=callbacks,
    )
    return model


def _untrained(parameters: Hyperparameters, words: int, seed: int) -> Any:
    from gensim.models import FastText, Word2Vec

    settings = {
        "vector_size": parameters.dimension,
        "window": parameters.window,
        "alpha": parameters.learning_rate,
        "min_count": parameters.min_count,
        "sg": int(parameters.architecture == "skip-gram"),
        "workers": 1,
        "seed": seed,
    }
    if parameters.model == "word2vec":
        return Word2Vec(**settings)
    return FastText(**settings, bucket=min(_MOST_BUCKETS, _BUCKETS_A_WORD * words))


def write_model(model: Any, folder: Path) -> Path:
    """Write a model so that it can be scored, and used elsewhere, without unpickling anything.

    Args:
        model: A Word2Vec or FastText of gensim.
        folder: Where; it must be there.

    Returns:
        `model.vec`, word2vec text, frequent words first; or `model.bin`, fastText's own format with subwords.

    Raises:
        OutputError: It cannot be written.
    """
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    path = folder / ("model.bin" if isinstance(model, FastText) else "model.vec")
    with written_beside(path) as beside:
        if isinstance(model, FastText):
            save_facebook_model(model, str(beside))
        else:
            model.wv.save_word2vec_format(str(beside))
    return path
