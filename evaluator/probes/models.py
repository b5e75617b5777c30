"""The models that are put on top of vectors, and the settings each may choose from."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from evaluator.errors import ScoreError
from evaluator.probes.results import Kind

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
