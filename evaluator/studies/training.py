"""Training word embeddings with gensim, reproducible by a seed, with scores after each epoch if wanted."""

# ruff: noqa: ANN401 (gensim's own objects have no public types)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.datasets.testset import TestSet
from evaluator.errors import ScoreError, TrainingError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.execution.output_files import atomic_output
from evaluator.measures import Measure
from evaluator.results.scores import Scores
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.scoring import score
from evaluator.text.corpus import Sentences
from evaluator.vectors import Vectors
from evaluator.vectors.formats.gensim import from_gensim, load_gensim

if TYPE_CHECKING:
    import pandas as pd

MODEL_FILES = ("model.bin", "model", "model.vec", "model.txt", "model.npz", "model.safetensors")
"""The files that a model may be kept in; of several that a program writes, the first has most: subwords."""

NEEDED = ("training", "another program: --trainer COMMAND")
"""What needs gensim, and what to do without it."""

_MOST_BUCKETS = 2_000_000  # gensim's default
_BUCKETS_A_WORD = 64


def train(
    sentences: Sentences,
    parameters: Hyperparameters,
    seed: int = 0,
    callbacks: Sequence[object] = (),
    folder: Path | None = None,
) -> Vectors:
    """Train a model with gensim, on one thread: with several, each run would give other vectors.

    fastText gets `min(2 000 000, 64·v)` buckets for the n-grams of v words. From 31,000 words on this is
    gensim's number; with fewer words, gensim's number would give a model far larger than its corpus. The
    corpus decides on lemmas.
    """
    model = trained_model(sentences, parameters, seed, callbacks)
    try:
        vectors = from_gensim(model, str(parameters))
    except VectorsError as error:
        raise TrainingError(f"the vectors are not usable, try a lower learning rate: {error}") from error
    if folder is not None:
        write_model(model, folder)
    return vectors


def trained_model(
    sentences: Sentences, parameters: Hyperparameters, seed: int = 0, callbacks: Sequence[object] = ()
) -> Any:
    """As `train`, but returns gensim's model, a Word2Vec or a FastText."""
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
    models = load_gensim(*NEEDED).models
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
        return models.Word2Vec(**settings)
    return models.FastText(**settings, bucket=min(_MOST_BUCKETS, _BUCKETS_A_WORD * words))


def write_model(model: Any, folder: Path) -> Path:
    """Write a model to a file that other programs can read, and that contains no pickle.

    `model.vec` is word2vec text, frequent words first; `model.bin` is fastText's own format with subwords.
    """
    models = load_gensim(*NEEDED).models
    path = folder / ("model.bin" if isinstance(model, models.FastText) else "model.vec")
    with atomic_output(path) as temporary:
        if isinstance(model, models.FastText):
            models.fasttext.save_facebook_model(model, str(temporary))
        else:
            model.wv.save_word2vec_format(str(temporary))
    remove_other_models(path)
    return path


def remove_other_models(kept: Path) -> None:
    """Remove what an earlier search has written to others of `MODEL_FILES`."""
    for name in {*MODEL_FILES} - {kept.name}:
        kept.with_name(name).unlink(missing_ok=True)


class EpochScores:
    """A callback for gensim's Word2Vec and FastText that scores a test set after each epoch.

    Pass it as `callbacks=[EpochScores(test_set)]`; afterwards see `scores` or `frame()`. Its arguments are
    those of `score`.

    Attributes:
        scores: The scores after each epoch; None if the vectors could not be scored.
    """

    def __init__(
        self,
        test_set: TestSet,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        settings: Settings | None = None,
        machine: Machine = Machine(),
    ) -> None:
        self._test_set, self._settings, self._machine = test_set, settings, machine
        self._measures = measures if measures is None or isinstance(measures, str | Measure) else [*measures]
        self.scores: list[Scores | None] = []

    def on_train_begin(self, model: object) -> None:  # noqa: ARG002 - gensim's signature
        """Forget the scores of an earlier training."""
        self.scores = []

    def on_train_end(self, model: object) -> None:
        """Do nothing."""

    def on_epoch_begin(self, model: object) -> None:
        """Do nothing."""

    def on_epoch_end(self, model: Any) -> None:
        """Score the vectors."""
        if hasattr(model.wv, "adjust_vectors"):
            model.wv.adjust_vectors()  # else fastText computes vectors of words only at the end of training
        vectors = from_gensim(model, f"epoch {len(self.scores) + 1}")
        try:
            found = score(vectors, self._test_set, self._measures, self._settings, machine=self._machine)
        except ScoreError:
            found = None
        self.scores.append(found)

    def frame(self) -> pd.DataFrame:
        """A table with a row for each epoch, from 1, and a column for each measure."""
        import pandas as pd

        rows = [{own.measure: own.value for own in each.measured} if each else {} for each in self.scores]
        return pd.DataFrame(rows, index=pd.RangeIndex(1, len(rows) + 1, name="epoch"))
