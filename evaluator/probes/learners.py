"""The models that learn from vectors: what there is to choose from, and how they are fitted and tested."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from evaluator.errors import ScoreError
from evaluator.probes.curves import Curve, Kind, Probe
from evaluator.probes.splits import Rows, Split, SplitPlan, folds

Floats = npt.NDArray[np.float64]
Learner = Literal[
    "majority", "logistic", "svm", "knn", "bayes", "forest", "cosine", "svr", "forest-regression"
]

TREES = 100


class Estimator(Protocol):
    """What scikit-learn's models have in common."""

    def fit(self, x: Floats, y: Floats) -> Estimator:
        """Learn."""

    def predict(self, x: Floats) -> Floats:
        """Predict."""


@dataclass(frozen=True)
class Candidate:
    """One learner with one setting of its hyper-parameter.

    Attributes:
        learner: Which.
        value: C of logistic regression and the support vector machines, k of k-NN; else of no meaning.
    """

    learner: Learner
    value: float = 0.0


@dataclass(frozen=True)
class Model:
    """A family of candidates of which cross-validation on the training data chooses one.

    "When model is non-linear, for robustness we include in search a fallback to a simpler linear or constant
    model" (section 3.1 of the paper): the last candidates of a non-linear model are of a simpler learner.

    Attributes:
        name: What it is called in results.
        kind: Constant, linear or non-linear.
        candidates: Of equally good ones the first is chosen.
    """

    name: str
    kind: Kind
    candidates: tuple[Candidate, ...]


# The paper names the learners and not their grids. C spans the orders of magnitude in which vectors of unit
# length that are scaled to unit variance go from underfitted to separated.
_LOGISTIC = tuple(Candidate("logistic", c) for c in (0.01, 0.1, 1.0, 10.0))
_COSINE = (Candidate("cosine"),)

MAJORITY = Model("majority", "constant", (Candidate("majority"),))
LOGISTIC = Model("logistic", "linear", _LOGISTIC)
SVM = Model("svm", "nonlinear", (*(Candidate("svm", c) for c in (0.1, 1.0, 10.0, 100.0)), *_LOGISTIC))
KNN = Model("knn", "nonlinear", (*(Candidate("knn", k) for k in (1, 3, 5, 10)), *_LOGISTIC))
# Gaussian naive Bayes with a variance for each class has a quadratic border.
BAYES = Model("bayes", "nonlinear", (Candidate("bayes"), *_LOGISTIC))
FOREST = Model("forest", "nonlinear", (Candidate("forest"), *_LOGISTIC))
COSINE = Model("cosine", "constant", _COSINE)
REGRESSION_SVM = Model("svr", "nonlinear", (*(Candidate("svr", c) for c in (0.1, 1.0, 10.0)), *_COSINE))
FOREST_REGRESSION = Model("forest", "nonlinear", (Candidate("forest-regression"), *_COSINE))

WORD_MODELS = (MAJORITY, LOGISTIC, SVM, KNN, BAYES, FOREST)
SENTENCE_MODELS = (MAJORITY, LOGISTIC, SVM)
SIMILARITY_MODELS = (COSINE, REGRESSION_SVM, FOREST_REGRESSION)


def require_sklearn() -> None:
    """Say how to get scikit-learn where it is missing.

    Raises:
        ScoreError: It cannot be imported.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise ScoreError("probes need scikit-learn: pip install 'testgen-evaluator[learn]'") from error


def predict(candidate: Candidate, x: Floats, y: Floats, asked: Floats, seed: int) -> Floats:
    """Learn from items and predict others.

    Args:
        candidate: What learns.
        x: The features to learn from, shape (n, d).
        y: Their classes as numbers, or their ratings, shape (n,).
        asked: The features of the items to predict, shape (m, d).
        seed: For what is random in the learner.

    Returns:
        Predicted classes or ratings, shape (m,). Where all of `y` or all of `x` is the same there is nothing
        to learn, and the most frequent of `y` is predicted.
    """
    if candidate.learner == "cosine":
        # The first half of a pair's features sums up to a multiple of its cosine; equal cosines stay equal.
        return np.asarray(asked[:, : asked.shape[1] // 2].sum(axis=1).round(11))
    if candidate.learner == "majority" or np.all(y == y[0]) or np.all(x == x[0]):
        values, counts = np.unique(y, return_counts=True)
        return np.full(len(asked), values[counts.argmax()])
    x, asked = _scaled(x, asked)
    estimator = _build(candidate, len(x), seed)
    if candidate.learner in ("svr", "forest-regression"):
        # A support vector regression ignores errors up to 0.1: that must not depend on the scale of ratings.
        return np.asarray(estimator.fit(x, (y - y.mean()) / y.std()).predict(asked))
    with warnings.catch_warnings():
        # Few items of many classes are what the start of a learning curve is.
        warnings.filterwarnings("ignore", "The number of unique classes is greater", UserWarning)
        return np.asarray(estimator.fit(x, y).predict(asked))


def _scaled(x: Floats, asked: Floats) -> tuple[Floats, Floats]:
    """Move the mean of the training vectors to 0 and their mean variance to 1.

    One factor for all dimensions leaves directions and proportions of distances as the embedding has them,
    and lets solvers converge.
    """
    mean = x.mean(axis=0)
    spread = np.sqrt(np.mean((x - mean) ** 2))
    return (x - mean) / spread, (asked - mean) / spread


def _build(candidate: Candidate, items: int, seed: int) -> Estimator:
    from sklearn.ensemble import (
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC, SVR

    estimator: Estimator
    match candidate.learner:
        case "logistic":
            estimator = LogisticRegression(C=candidate.value, max_iter=10_000)
        case "svm":
            estimator = SVC(C=candidate.value, kernel="rbf", gamma="scale")
        case "knn":
            estimator = KNeighborsClassifier(min(int(candidate.value), items), algorithm="brute")
        case "bayes":
            # A thousandth of the largest variance: a class of one or two words has a variance near 0.
            estimator = GaussianNB(var_smoothing=1e-3)
        case "forest":
            estimator = RandomForestClassifier(TREES, random_state=seed, n_jobs=1)
        case "svr":
            estimator = SVR(C=candidate.value, kernel="rbf", gamma="scale", epsilon=0.1)
        case _:
            # A third of the features at each branch, Breiman's default for regression.
            estimator = RandomForestRegressor(TREES, max_features=1 / 3, random_state=seed, n_jobs=1)
    return estimator


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
