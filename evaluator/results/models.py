"""How a file of vectors was made, in a file beside it: as the mean of others, or by training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from evaluator.execution.inputs import Input
from evaluator.measures.base import Count, Number
from evaluator.results.base import Name, NonEmpty, ResultFile
from evaluator.results.scores import Ranking
from evaluator.settings import Hyperparameters
from evaluator.text.corpus import CorpusStatistics
from evaluator.text.resampling import Resampled


class ModelFile(ResultFile, frozen=True, kw_only=True):
    """What all such files say.

    Attributes:
        output: The file of vectors that was written.
        words: How many words it has.
        dimension: d of its vectors.
    """

    output: Input
    words: Count
    dimension: Count


class AveragedModel(msgspec.Struct, frozen=True):
    """A model of a mean.

    Attributes:
        model: Its name.
        words: How many words it has.
        dimension: d of its vectors.
        spread: The standard deviation of the cosines of all pairs of the common words.
        weight: The share of its cosines in those of the mean.
        subwords: Whether it had subwords, which the mean does not have.
    """

    model: Name
    words: Count
    dimension: Count
    spread: Number
    weight: Number
    subwords: bool = False


class AverageFile(ModelFile, frozen=True, kw_only=True, tag="average"):
    """The mean of several models: what `evaluator average` writes beside the vectors.

    Attributes:
        models: What it is the mean of.
        kept: The share of the squared singular values that the reduced dimension keeps.
        ranking: How the models were ranked of which these are the best; not there if all were averaged.
    """

    command: ClassVar[str] = "evaluator average"

    version: Literal[1] = 1
    models: NonEmpty[AveragedModel]
    kept: Number
    ranking: Ranking | msgspec.UnsetType = msgspec.UNSET


class TrainingFile(ModelFile, frozen=True, kw_only=True, tag="training"):
    """A trained model: what `evaluator train` writes beside the vectors.

    Attributes:
        corpus: The name of the corpus.
        statistics: What it holds; of a resampled corpus, what was drawn holds.
        parameters: The hyper-parameters.
        settings: How the words of the corpus were normalized, what trained the model, and its seed.
        resampled: How the corpus was resampled; not there if it was not.
    """

    command: ClassVar[str] = "evaluator train"

    version: Literal[1] = 1
    corpus: str
    statistics: CorpusStatistics
    parameters: Hyperparameters
    settings: Mapping[str, str]
    resampled: Resampled | msgspec.UnsetType = msgspec.UNSET


def beside(path: Path) -> Path:
    """The file that says how a file of vectors was made."""
    return path.with_name(f"{path.name}.json")
