"""train: a model of a corpus, written with the file that says how it was trained."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import UNSET

from evaluator.errors import TrainingError
from evaluator.execution.inputs import Input
from evaluator.results.models import TrainingFile
from evaluator.settings import Hyperparameters
from evaluator.studies.model_files import write_model
from evaluator.studies.trainers import SvdTrainer, Trainer, check_seed, trained_with
from evaluator.text.corpus import Corpus
from evaluator.text.resampling import Drawn, write_resampled
from evaluator.vectors import Vectors
from evaluator.vectors.writing import check_ending


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model, and what was written of it.

    Attributes:
        vectors: The vectors.
        record: What the file beside them says.
    """

    vectors: Vectors
    record: TrainingFile


def train(
    corpus: Corpus,
    output: str | os.PathLike[str],
    parameters: Hyperparameters | None = None,
    trainer: Trainer | None = None,
    seed: int = 0,
    *,
    resample: Drawn | None = None,
    command: Sequence[str] = (),
) -> TrainedModel:
    """Train a model of a corpus, and write its vectors; a file beside them says how.

    Args:
        corpus: The training corpus; the hyper-parameters decide on lemmas.
        output: The file to write, `.vec` or `.safetensors`; an existing one is replaced.
        parameters: The hyper-parameters; the defaults of what the trainer trains if None.
        trainer: What trains the model; `SvdTrainer()` if None, with which the same corpus gives the same
            bytes.
        seed: For a trainer that draws random numbers, and for resampling.
        resample: `lines` or `documents`, to train on as many of these as the corpus has, drawn with
            replacement: how the models of several seeds differ shows what depends on the texts at hand. See
            `evaluator.text.resampling.write_resampled`.
        command: The arguments of the command that asks for it.

    Raises:
        CorpusError: The corpus cannot be read, or contains no word, or there is nothing to draw from; or no
            dictionary has its lemmas.
        TrainingError: The trainer cannot train such a model, there is no such seed, nothing uses it, or
            training failed.
        ExtraError: simplemma is needed for lemmas.
        OutputError: The file cannot be written.
    """
    path, trainer = Path(output), trainer or SvdTrainer()
    parameters = parameters or Hyperparameters("svd" if "svd" in trainer.models else "word2vec")
    check_ending(path)
    check_seed(seed)
    _check(parameters, trainer)
    if seed and resample is None and "seed" not in trainer.fields:
        is_svd = isinstance(trainer, SvdTrainer)
        why = "svd draws nothing at random" if is_svd else "the trainer takes no {seed}"
        raise TrainingError(
            f"seed is {seed}, and {why}: all seeds give the same model. Leave it out, or train on resampled "
            "text (--resample)"
        )
    texts = replace(corpus, lemmas=parameters.lemmas)
    with tempfile.TemporaryDirectory(prefix="evaluator-") as folder:
        file = Path(folder, "sentences.txt")
        if resample is None:
            sentences, resampled = texts.write_sentences(file), None
        else:
            sentences, resampled = write_resampled(texts, file, resample, seed)
        most = max(sentences.counts.values())
        if most < parameters.min_count:
            raise TrainingError(
                f"{texts.name}: no word occurs {parameters.min_count} times, and the most frequent one "
                f"{most}; lower min_count, as by --only min_count=1"
            )
        vectors = trainer.train(sentences, parameters, seed, None)
    how = {"case": texts.case, "profile": texts.profile, "tokens": texts.tokens}
    how |= trained_with(trainer) or {"trained with": "gensim"}
    how |= {"seed": str(seed)} if "seed" in trainer.fields else {}

    def record(written: Input) -> TrainingFile:
        return TrainingFile(
            inputs=(*texts.inputs, *trainer.inputs),
            output=written,
            words=len(vectors),
            dimension=vectors.dimension,
            corpus=texts.name,
            statistics=sentences.statistics(),
            parameters=parameters,
            settings={name: text for name, text in how.items() if text},
            resampled=resampled or UNSET,
        )

    return TrainedModel(vectors, write_model(vectors, path, record, command))


def _check(parameters: Hyperparameters, trainer: Trainer) -> None:
    """Refuse what the trainer does not train, or the file cannot hold, before any work."""
    if parameters.model not in trainer.models:
        raise TrainingError(
            f"model is {parameters.model!r}, and the trainer trains {' and '.join(trainer.models)}; choose "
            "one of these, or another trainer"
        )
    if parameters.model == "fasttext":
        raise TrainingError(
            "fasttext builds vectors from subwords, which neither .vec nor .safetensors can hold; choose "
            "word2vec, or `evaluator tune`, which keeps fastText's own file"
        )
