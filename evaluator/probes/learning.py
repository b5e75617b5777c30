"""Learning: models are chosen and fitted on growing shares of the data and tested on the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from evaluator.errors import ScoreError
from evaluator.probes.models import Candidate, Floats, Model, predict, require_sklearn
from evaluator.probes.results import Curve, Kind, Probe
from evaluator.probes.splits import Rows, Split, SplitPlan, folds

Progress = Callable[[float], None]
Agreement = Callable[[Floats, Floats], float]
"""Says how well predictions (second) agree with what is true (first)."""

Evaluate = Callable[[Split, Rows], Mapping[str, float]]
"""Learns from some rows of a split and tells the score of each model on its test part."""


def accuracy(true: Floats, predicted: Floats) -> float:
    """The share of items whose class was predicted."""
    return float(np.mean(true == predicted))


def spearman(true: Floats, predicted: Floats) -> float:
    """Spearman's correlation of ranks, equal values sharing the mean of their ranks.

    Pearson's correlation of the ranks: Spearman (1904). Where all values of a side are the same they order
    nothing, and the correlation is 0.
    """
    from scipy.stats import rankdata

    if np.all(true == true[0]) or np.all(predicted == predicted[0]):
        return 0.0
    a, b = (rankdata(values) - (len(values) + 1) / 2 for values in (true, predicted))
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def choose_and_test(
    models: Sequence[Model],
    data: tuple[Floats, Floats, Rows],
    train: Rows,
    test: Rows,
    agreement: Agreement,
    plan: SplitPlan,
) -> dict[str, float]:
    """Choose each model's best candidate on the training rows, fit it on all of them and test it.

    A candidate that several models share is fitted once.

    Args:
        models: What to fit.
        data: Features, classes or ratings, and the class by which to deal out folds, of all items.
        train: The rows to learn from.
        test: The rows to test on.
        agreement: The score.
        plan: How many folds, and the seed.
    """
    x, y, codes = data
    choices = [model.candidates for model in models if len(model.candidates) > 1]
    quality = {
        candidate: _cross_validated(candidate, (x[train], y[train], codes[train]), agreement, plan)
        for candidate in dict.fromkeys(candidate for candidates in choices for candidate in candidates)
    }
    chosen = {model.name: max(model.candidates, key=lambda one: quality.get(one, 0.0)) for model in models}
    tested = {
        candidate: agreement(y[test], predict(candidate, x[train], y[train], x[test], plan.seed))
        for candidate in dict.fromkeys(chosen.values())
    }
    return {name: tested[candidate] for name, candidate in chosen.items()}


def _cross_validated(
    candidate: Candidate, data: tuple[Floats, Floats, Rows], agreement: Agreement, plan: SplitPlan
) -> float:
    """The agreement of all predictions for folds that were held out, taken together."""
    x, y, codes = data
    count = min(plan.folds, len(x))
    if count < 2:
        return 0.0
    dealt = folds(codes, count)
    predicted = np.empty(len(x))
    for fold in np.unique(dealt):
        held = dealt == fold
        predicted[held] = predict(candidate, x[~held], y[~held], x[held], plan.seed)
    return agreement(y, predicted)


def learning_curves(
    models: Mapping[str, Kind],
    splits: Sequence[Split],
    plan: SplitPlan,
    evaluate: Evaluate,
    progress: Progress,
) -> tuple[Curve, ...]:
    """Evaluate models on growing shares of the training part of each split.

    "For each dataset we first randomly select test set and run evaluation for increasing sizes of training
    dataset" (section 3.3 of the paper). Each share holds all smaller ones of the same split.

    Libraries are held to one thread, so that sums do not depend on the number of cores.
    """
    sizes = tuple(plan.size(share, min(len(split.train) for split in splits)) for share in plan.shares)
    scores: dict[str, list[tuple[float, ...]]] = {name: [] for name in models}
    steps = len(splits) * len(sizes)
    with threadpool_limits(limits=1):
        for split in splits:
            points = []
            for size in sizes:
                points.append(evaluate(split, split.train[:size]))
                progress((split.number + len(points) / len(sizes)) * len(sizes) / steps)
            for name, of_model in scores.items():
                of_model.append(tuple(point[name] for point in points))
    return tuple(Curve(name, kind, plan.shares, sizes, tuple(scores[name])) for name, kind in models.items())


def probe(
    task: str,
    score: str,
    data: tuple[Floats, Floats, Rows],
    splits: Sequence[Split],
    models: Sequence[Model],
    plan: SplitPlan,
    progress: Progress | None,
) -> Probe:
    """Probe features with models that predict one class or rating for each item."""
    require_sklearn()
    from sklearn import config_context

    names = [model.name for model in models]
    if not names or len(set(names)) < len(names):
        raise ScoreError(f"{task}: models must be given, and each only once; these are {names}")
    agreement = accuracy if score == "accuracy" else spearman

    def evaluate(split: Split, train: Rows) -> Mapping[str, float]:
        return choose_and_test(models, data, train, split.test, agreement, plan)

    kinds = {model.name: model.kind for model in models}
    # What scikit-learn would check at each of hundreds of small fits has been checked here, once.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        curves = learning_curves(kinds, splits, plan, evaluate, progress or (lambda _: None))
    tests = tuple(len(split.test) for split in splits)
    return Probe(task, score, len(data[0]), tests, plan.seed, curves)


def unit_rows(matrix: npt.NDArray[np.floating], name: str) -> Floats:
    """Vectors at unit length ("Vectors were normalized to a unit length", footnote 7 of the paper).

    A vector of zeros has no direction and stays as it is.

    Raises:
        ScoreError: The matrix has not two dimensions, or holds numbers that are not finite.
    """
    checked = check_matrix(matrix, name)
    # The largest number first, so that squares of tiny or huge ones are not lost.
    largest = np.abs(checked).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(checked, largest, out=np.zeros_like(checked), where=largest > 0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(np.divide(scaled, lengths, out=scaled, where=lengths > 0))


def check_matrix(matrix: npt.NDArray[np.floating], name: str) -> Floats:
    """A matrix in double precision.

    Raises:
        ScoreError: It has not two dimensions, or holds numbers that are not finite.
    """
    checked = np.array(matrix, dtype=np.float64)
    if checked.ndim != 2 or not checked.size:
        raise ScoreError(f"{name} must have the shape (n, d) with a vector in each row, not {checked.shape}")
    if not np.isfinite(checked).all():
        row = int(np.flatnonzero(~np.isfinite(checked).all(axis=1))[0])
        raise ScoreError(f"{name}: row {row} holds a number that is not finite")
    return checked
