"""Training word embeddings with gensim, so that a seed gives the same vectors again."""

# ruff: noqa: ANN401 (gensim's own objects have no public types)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluator.errors import TrainingError, VectorsError
from evaluator.execution.output_files import written_beside
from evaluator.text.corpus import Sentences
from evaluator.vectors import Vectors, from_gensim

Model = Literal["word2vec", "fasttext"]
Architecture = Literal["skip-gram", "cbow"]

MODELS = ("word2vec", "fasttext")
ARCHITECTURES = ("skip-gram", "cbow")

_MOST_BUCKETS = 2_000_000  # gensim's default
_BUCKETS_A_WORD = 64


@dataclass(frozen=True)
class Hyperparameters:
    """What a model is trained with; where nothing is said, gensim's own defaults.

    Attributes:
        model: `word2vec` (Mikolov et al. 2013), or `fasttext` with its subwords (Bojanowski et al. 2017).
        architecture: `skip-gram` or `cbow`.
        dimension: d of the vectors.
        window: How many words to either side are context, at most.
        learning_rate: At the beginning; it falls linearly to gensim's `min_alpha`, 0.0001.
        min_count: Words that occur less often are left out.
        lemmas: Whether the corpus is lemmatized first.
        epochs: How often the corpus is gone through.
    """

    model: Model = "word2vec"
    architecture: Architecture = "cbow"
    dimension: int = 100
    window: int = 5
    learning_rate: float = 0.025
    min_count: int = 5
    lemmas: bool = False
    epochs: int = 5

    def __post_init__(self) -> None:
        """Refuse values that do not exist.

        Raises:
            TrainingError: Naming the hyper-parameter.
        """
        for name, choices in (("model", MODELS), ("architecture", ARCHITECTURES)):
            if getattr(self, name) not in choices:
                raise TrainingError(f"{name} is {getattr(self, name)!r}; choose from {', '.join(choices)}")
        for name in ("dimension", "window", "min_count", "epochs"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if not 0 < self.learning_rate <= 10:
            raise TrainingError(f"learning_rate is {self.learning_rate}; it must be above 0, and 10 at most")

    def __str__(self) -> str:
        """For tables."""
        return (
            f"{self.model} {self.architecture}, d={self.dimension}, window={self.window}, "
            f"rate={self.learning_rate:g}, min count={self.min_count}{', lemmas' if self.lemmas else ''}"
        )


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
