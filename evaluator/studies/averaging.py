"""average: several models as one, all of them or those that are best by the measure that chooses."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET

from evaluator.datasets.reading import TestSetLike, read_testset
from evaluator.errors import ScoreError
from evaluator.execution.inputs import Input
from evaluator.execution.machine import Machine
from evaluator.results.models import AveragedModel, AverageFile
from evaluator.results.scores import Ranking
from evaluator.studies.model_files import write_model
from evaluator.studies.models import loaded, named_models, refuse_copies, score
from evaluator.vectors import Vectors, VectorsLike
from evaluator.vectors.average import mean_of
from evaluator.vectors.reading import VectorsFile
from evaluator.vectors.writing import check_ending


@dataclass(frozen=True, eq=False)
class Average:
    """The mean of several models.

    Attributes:
        vectors: The mean, as vectors that can be scored.
        models: What it is the mean of, with their weights.
        kept: The share of the squared singular values that the reduced dimension keeps, from 0 to 1.
        ranking: How the models were ranked of which these are the best; None if all were averaged.
        inputs: The files that it depends on.
        record: What was written beside the vectors; None if they were not written.
    """

    vectors: Vectors
    models: tuple[AveragedModel, ...]
    kept: float
    ranking: Ranking | None = None
    inputs: tuple[Input, ...] = ()
    record: AverageFile | None = None


def average(
    models: Sequence[VectorsLike] | Mapping[str, VectorsLike],
    output: str | os.PathLike[str] | None = None,
    *,
    best: int | None = None,
    test_set: TestSetLike | None = None,
    machine: Machine = Machine(),
    command: Sequence[str] = (),
) -> Average:
    """The mean of models: vectors whose cosines are the weighted means of theirs.

    A model's weight is ``(1/σ_m) / Σ 1/σ_l``, with the standard deviation σ of the cosines of all pairs of
    the words that all models have, so that cosines are in the order of the mean of z-scored cosines. Unit
    vectors, times the square root of the weight, stand side by side, and a truncated SVD without centring
    reduces them to the largest dimension of the models.

    Args:
        models: Training runs of one model, or different models of one language: anything that `as_vectors`
            takes, in a list, or in a dict by their names.
        output: A file to write the vectors to, `.vec` or `.safetensors`; a file beside it says what they are.
        best: Average only so many of them: those that are best by the measure that `score` goes by.
        test_set: What the models are scored on for that; see `score`.
        machine: Who is told of progress, and how models are scored; the mean is computed here.
        command: The arguments of the command that asks for it.

    Raises:
        VectorsError: There are fewer than two models, they have fewer words in common than dimensions, or one
            cannot be read, or tells no pair of words from another.
        ScoreError: `best` and `test_set` are not given together, or fit the models not; or one cannot be
            scored.
        OutputError: The file cannot be written.
    """
    path = None if output is None else Path(output)
    if path is not None:
        check_ending(path)
    sources, ranking, tested = named_models(models), None, tuple[Input, ...]()
    if (best is None) != (test_set is None):
        raise ScoreError("the best models are chosen by a test set: give both, how many and a test set")
    if best is not None and test_set is not None:
        read = read_testset(test_set)
        sources, ranking, tested = *_best(sources, best, read, machine), read.inputs
    refuse_copies(("average", each) for each in sources)
    opened = [loaded(each) for each in sources]
    found = mean_of([vectors for vectors, _ in opened], machine.progress)
    own = tuple(
        AveragedModel(each.name, len(each), each.dimension, spread, weight, each.subword is not None)
        for (each, _), spread, weight in zip(opened, found.spreads, found.weights, strict=True)
    )
    inputs = tuple(dict.fromkeys([file for _, files in opened for file in files.result()] + [*tested]))
    made = Average(found.vectors, own, found.kept, ranking, inputs)
    return made if path is None else _written(made, path, command)


def _best(
    models: Sequence[Vectors | VectorsFile], number: int, test_set: TestSetLike, machine: Machine
) -> tuple[list[Vectors | VectorsFile], Ranking]:
    """The models that are best by the measure that the closing line of `score` goes by first."""
    if not 2 <= number <= len(models):
        raise ScoreError(
            f"best is {number} of {len(models)} models; it must be from 2 to the number of models"
        )
    scores = score(list(models), [test_set], machine=machine)
    if scores.failures:
        raise ScoreError("; ".join(map(str, scores.failures)))
    measure = scores.kept[0].measures[0]
    ranking = next(each for each in scores.rankings if each.measure == measure)
    chosen = [each.model for each in ranking.models[:number]]
    return [each for each in models if each.name in chosen], ranking


def _written(made: Average, path: Path, command: Sequence[str]) -> Average:
    vectors = made.vectors

    def record(output: Input) -> AverageFile:
        return AverageFile(
            inputs=made.inputs,
            output=output,
            words=len(vectors),
            dimension=vectors.dimension,
            models=made.models,
            kept=made.kept,
            ranking=UNSET if made.ranking is None else made.ranking,
        )

    found = write_model(vectors, path, record, command)
    return Average(vectors, made.models, made.kept, made.ranking, made.inputs, found)
