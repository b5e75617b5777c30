"""Probes of words, texts and pairs: the models that learn from vectors, how they are fitted and tested."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evaluator.plugins import ExtraError, ScoreError, one_thread
from evaluator.plugins.probes.curves import Curve, ModelKind, Probe
from evaluator.plugins.probes.splits import Rows, Split, SplitPlan, folds, random_splits, stratified_splits

Floats = npt.NDArray[np.float64]
Learner = Literal[
    "majority", "logistic", "svm", "knn", "bayes", "forest", "cosine", "svr", "forest-regression", "cnn"
]

TREES = 100


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts as models read them: as the mean vector of their words, or as their words in order.

    Attributes:
        means: Of the words of each text, shape (n, d).
        words: The rows in `vectors` of the words of each text, shape (n, l); -1 after the last one.
        vectors: Of words, of length 1, shape (v, d).
    """

    means: Floats
    words: Rows
    vectors: Floats

    @classmethod
    def of(cls, vectors: npt.NDArray[np.floating], rows: Sequence[Sequence[int]]) -> Texts:
        """The texts whose words have some rows among vectors, shape (v, d).

        Raises:
            ScoreError: There are no texts, or one of them has no word.
        """
        means = mean_vectors(vectors, rows).astype(np.float64)
        words = np.full((len(rows), max(map(len, rows))), -1, np.intp)
        for number, text in enumerate(rows):
            words[number, : len(text)] = text
        return cls(means, words, unit_rows(vectors, "vectors"))

    def __len__(self) -> int:
        return len(self.means)

    def __getitem__(self, chosen: Any) -> Texts:  # noqa: ANN401  # what selects rows of an array
        return Texts(self.means[chosen], self.words[chosen], self.vectors)


Features = Floats | Texts
"""What models learn from: a vector of each item, shape (n, d), or texts."""


@dataclass(frozen=True)
class Candidate:
    """A learner with its hyper-parameter: C of logistic regression and of SVMs, k of k-NN."""

    learner: Learner
    value: float = 0.0


@dataclass(frozen=True)
class ProbeModel:
    """A set of candidates from which cross-validation on the training data chooses one.

    "When model is non-linear, for robustness we include in search a fallback to a simpler linear or constant
    model" (section 3.1 of the paper): the last candidates of a non-linear model are of a simpler learner. Of
    equally good candidates the first one is chosen.
    """

    name: str
    kind: ModelKind
    candidates: tuple[Candidate, ...] = ()


# The paper names the learners but not their grids. C spans the orders of magnitude in which models of vectors
# of unit length, scaled to unit variance, go from underfitting to separating the classes.
_LOGISTIC = tuple(Candidate("logistic", c) for c in (0.01, 0.1, 1.0, 10.0))
_COSINE = (Candidate("cosine"),)

MAJORITY = ProbeModel("majority", "constant", (Candidate("majority"),))
LOGISTIC = ProbeModel("logistic", "linear", _LOGISTIC)
SVM = ProbeModel("svm", "nonlinear", (*(Candidate("svm", c) for c in (0.1, 1.0, 10.0, 100.0)), *_LOGISTIC))
KNN = ProbeModel("knn", "nonlinear", (*(Candidate("knn", k) for k in (1, 3, 5, 10)), *_LOGISTIC))
# Gaussian naive Bayes with a variance for each class has a quadratic border.
BAYES = ProbeModel("bayes", "nonlinear", (Candidate("bayes"), *_LOGISTIC))
FOREST = ProbeModel("forest", "nonlinear", (Candidate("forest"), *_LOGISTIC))
COSINE = ProbeModel("cosine", "constant", _COSINE)
REGRESSION_SVM = ProbeModel("svr", "nonlinear", (*(Candidate("svr", c) for c in (0.1, 1.0, 10.0)), *_COSINE))
FOREST_REGRESSION = ProbeModel("forest", "nonlinear", (Candidate("forest-regression"), *_COSINE))

CNN = ProbeModel("cnn", "nonlinear", (Candidate("cnn"), *_LOGISTIC, Candidate("majority")))

WORD_MODELS = (MAJORITY, LOGISTIC, SVM, KNN, BAYES, FOREST)
SENTENCE_MODELS = (MAJORITY, LOGISTIC, SVM, CNN)
SIMILARITY_MODELS = (COSINE, REGRESSION_SVM, FOREST_REGRESSION)


def predict(candidate: Candidate, x: Features, y: Floats, asked: Features, seed: int) -> Floats:
    """Learn from n items x with classes or ratings y, and predict m others, shape (m,).

    If all of `y` or all of `x` are equal, there is nothing to learn, and the most frequent value of `y` is
    predicted. The seed is of what is random in the learner.
    """
    if isinstance(x, Texts) and isinstance(asked, Texts):
        if candidate.learner == "cnn" and np.any(y != y[0]):
            from evaluator.plugins.probes.convolution import classify

            return classify(x.vectors, x.words, y, asked.words, seed)
        x, asked = x.means, asked.means
    return _predict(candidate, np.asarray(x), y, np.asarray(asked), seed)


def _predict(candidate: Candidate, x: Floats, y: Floats, asked: Floats, seed: int) -> Floats:
    """The same, from vectors."""
    if candidate.learner == "cosine":
        # The sum of the first half of a pair's features is a multiple of its cosine; equal cosines stay
        # equal.
        return np.asarray(asked[:, : asked.shape[1] // 2].sum(axis=1).round(11))
    if candidate.learner == "majority" or np.all(y == y[0]) or np.all(x == x[0]):
        values, counts = np.unique(y, return_counts=True)
        return np.full(len(asked), values[counts.argmax()])
    x, asked = _scaled(x, asked)
    estimator = _build(candidate, len(x), seed)
    if candidate.learner in ("svr", "forest-regression"):
        # Support vector regression ignores errors up to 0.1; this must not depend on the scale of the
        # ratings.
        return np.asarray(estimator.fit(x, (y - y.mean()) / y.std()).predict(asked))
    with warnings.catch_warnings():
        # At the start of a learning curve there are few items of many classes.
        warnings.filterwarnings("ignore", "The number of unique classes is greater", UserWarning)
        return np.asarray(estimator.fit(x, y).predict(asked))


def _scaled(x: Floats, asked: Floats) -> tuple[Floats, Floats]:
    """Shift and scale vectors so that the training vectors have the mean 0 and the mean variance 1."""
    # One factor for all dimensions keeps directions and ratios of distances as they are in the embedding, and
    # lets solvers converge.
    mean = x.mean(axis=0)
    spread = np.sqrt(np.mean((x - mean) ** 2))
    return (x - mean) / spread, (asked - mean) / spread


def _build(candidate: Candidate, items: int, seed: int) -> Any:  # noqa: ANN401  # of scikit-learn
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC, SVR

    match candidate.learner:
        case "logistic":
            return LogisticRegression(C=candidate.value, max_iter=10_000)
        case "svm":
            return SVC(C=candidate.value, kernel="rbf", gamma="scale")
        case "knn":
            return KNeighborsClassifier(min(int(candidate.value), items), algorithm="brute")
        case "bayes":
            # A thousandth of the largest variance is added: a class of one or two words has almost none.
            return GaussianNB(var_smoothing=1e-3)
        case "forest":
            return RandomForestClassifier(TREES, random_state=seed, n_jobs=1)
        case "svr":
            return SVR(C=candidate.value, kernel="rbf", gamma="scale", epsilon=0.1)
        case _:
            # A third of the features at each branch: Breiman's default for regression.
            return RandomForestRegressor(TREES, max_features=1 / 3, random_state=seed, n_jobs=1)


Progress = Callable[[float], None]
Agreement = Callable[[Floats, Floats], float]
"""Computes how well predictions (second) agree with the true values (first)."""

Evaluate = Callable[[Split], Callable[[Rows], Mapping[str, float]]]
"""For a split, what learns from some of its rows and returns the score of each model on its test data."""


def accuracy(true: Floats, predicted: Floats) -> float:
    """The share of items whose class was predicted correctly."""
    return float(np.mean(true == predicted))


def spearman(true: Floats, predicted: Floats) -> float:
    """Spearman's correlation of ranks, exactly 1 or -1 if all agree; 0 if all of one side are equal."""
    from scipy.stats import rankdata

    if np.all(true == true[0]) or np.all(predicted == predicted[0]):
        return 0.0
    a, b = (rankdata(values) - (len(values) + 1) / 2 for values in (true, predicted))
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def choose_and_test(
    models: Sequence[ProbeModel],
    data: tuple[Features, Floats, Rows],
    train: Rows,
    test: Rows,
    agreement: Agreement,
    plan: SplitPlan,
) -> dict[str, float]:
    """Choose each model's best candidate on the training rows, fit it on all of them and test it."""
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
    candidate: Candidate, data: tuple[Features, Floats, Rows], agreement: Agreement, plan: SplitPlan
) -> float:
    """The agreement of the predictions for all held-out folds together."""
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
    models: Mapping[str, ModelKind],
    splits: Sequence[Split],
    plan: SplitPlan,
    evaluate: Evaluate,
    progress: Progress,
) -> tuple[Curve, ...]:
    """Evaluate models on growing shares of the training data of each split (section 3.3 of the paper)."""
    # Each share contains all smaller ones of the same split. Libraries use one thread, so that sums do not
    # depend on the number of cores.
    sizes = tuple(plan.size(share, min(len(split.train) for split in splits)) for share in plan.shares)
    scores: dict[str, list[tuple[float, ...]]] = {name: [] for name in models}
    steps = len(splits) * len(sizes)
    with one_thread():
        for split in splits:
            points, learn = [], evaluate(split)
            for size in sizes:
                points.append(learn(split.train[:size]))
                progress((split.number + len(points) / len(sizes)) * len(sizes) / steps)
            for name, of_model in scores.items():
                of_model.append(tuple(point[name] for point in points))
    return tuple(Curve(name, kind, plan.shares, sizes, tuple(scores[name])) for name, kind in models.items())


def probe(
    task: str,
    score: str,
    data: tuple[Features, Floats, Rows],
    splits: Sequence[Split],
    models: Sequence[ProbeModel],
    plan: SplitPlan,
    progress: Progress | None,
) -> Probe:
    """Compute learning curves of models that predict one class or rating for each item."""
    if find_spec("sklearn") is None:
        raise ExtraError("a probe", "scikit-learn", "learn")
    if CNN in models and find_spec("torch") is None:
        raise ExtraError("the model cnn", "PyTorch", "torch")
    from sklearn import config_context

    names = [model.name for model in models]
    if not names or len(set(names)) < len(names):
        raise ScoreError(f"{task}: name at least one model, and each only once, not {names}")
    agreement = accuracy if score == "accuracy" else spearman

    def evaluate(split: Split) -> Callable[[Rows], Mapping[str, float]]:
        return lambda train: choose_and_test(models, data, train, split.test, agreement, plan)

    kinds = {model.name: model.kind for model in models}
    # What scikit-learn would check in each of hundreds of small fits has been checked before.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        curves = learning_curves(kinds, splits, plan, evaluate, progress or (lambda _: None))
    tests = tuple(len(split.test) for split in splits)
    return Probe(task, score, len(data[0]), tests, plan.seed, curves)


def unit_rows(matrix: npt.NDArray[np.floating], name: str) -> Floats:
    """Vectors scaled to length 1 ("Vectors were normalized to a unit length", footnote 7 of the paper).

    A vector of zeros has no direction and stays as it is.
    """
    checked = check_matrix(matrix, name)
    # Divided by the largest number first, so that squares of tiny or huge ones do not underflow or overflow.
    largest = np.abs(checked).max(axis=1, keepdims=True, initial=0)
    scaled = np.divide(checked, largest, out=np.zeros_like(checked), where=largest > 0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(np.divide(scaled, lengths, out=scaled, where=lengths > 0))


def check_matrix(matrix: npt.NDArray[np.floating], name: str) -> Floats:
    """A matrix in double precision."""
    checked = np.array(matrix, dtype=np.float64)
    if checked.ndim != 2 or not checked.size:
        raise ScoreError(f"{name} must have the shape (n, d) with a vector in each row, not {checked.shape}")
    if not np.isfinite(checked).all():
        row = int(np.flatnonzero(~np.isfinite(checked).all(axis=1))[0])
        raise ScoreError(f"{name}: row {row} holds a number that is not finite")
    return checked


def membership(
    vectors: npt.NDArray[np.floating],
    labels: Sequence[Hashable],
    plan: SplitPlan | None = None,
    models: Sequence[ProbeModel] = WORD_MODELS,
    progress: Progress | None = None,
) -> Probe:
    """Probe how easily the class of a word can be learnt from its vector ("Single word" in the paper).

    Random forest, SVM with RBF kernel, naive Bayes, k-NN and logistic regression, besides the majority class;
    scored by accuracy. Vectors, shape (n, d), are scaled to length 1; a label is the class of a word, True or
    False for membership in one category.
    """
    return _classify(
        "membership", unit_rows(vectors, "vectors"), labels, plan or SplitPlan(), models, progress
    )


def sentences(
    features: npt.NDArray[np.floating] | Texts,
    labels: Sequence[Hashable],
    plan: SplitPlan | None = None,
    models: Sequence[ProbeModel] = (MAJORITY, LOGISTIC, SVM),
    progress: Progress | None = None,
) -> Probe:
    """Probe how easily the class of a sentence can be learnt from its words ("Sentence" in the paper).

    Logistic regression and SVM with RBF kernel read the mean of the vectors; the convolutional network
    `CNN`, which needs the extra `[torch]`, reads them in order. Besides there is the majority class. Scored
    by accuracy. Features are `Texts`, or for models other than the network an array from `mean_vectors`,
    shape (n, d).

    Raises:
        ScoreError: The network is to learn from means.
    """
    if CNN in models and not isinstance(features, Texts):
        raise ScoreError("sentences: the model cnn reads words in order: give Texts, not their mean vectors")
    checked = features if isinstance(features, Texts) else check_matrix(features, "features")
    return _classify("sentences", checked, labels, plan or SplitPlan(), models, progress)


def mean_vectors(vectors: npt.NDArray[np.floating], rows: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
    """The mean of the vectors of each sentence's words, each word's vector scaled to length 1 first.

    `rows` has those of the words of each sentence in the vocabulary, shape (v, d), as often as they occur.
    """
    if not rows:
        raise ScoreError("there are no sentences")
    empty = [number for number, sentence in enumerate(rows) if not len(sentence)]
    if empty:
        raise ScoreError(
            f"{len(empty)} of {len(rows)} sentences have no word with a vector, the first is number "
            f"{empty[0]}; leave them out"
        )
    known = np.unique(np.concatenate([np.asarray(sentence, np.intp) for sentence in rows]))
    unit = unit_rows(vectors[known], "vectors")
    means = [unit[np.searchsorted(known, sentence)].mean(axis=0) for sentence in rows]
    return np.array(means, dtype=np.float32)


def _classify(
    task: str,
    x: Features,
    labels: Sequence[Hashable],
    plan: SplitPlan,
    models: Sequence[ProbeModel],
    progress: Progress | None,
) -> Probe:
    if len(labels) != len(x):
        raise ScoreError(f"{task}: {len(x)} vectors, but {len(labels)} labels")
    codes = _codes(task, labels)
    means = x.means if isinstance(x, Texts) else x
    if np.all(means == means[0]):
        raise ScoreError(f"{task}: all vectors are equal, so nothing can be learnt from them")
    data = (x, codes.astype(np.float64), codes)
    return probe(task, "accuracy", data, stratified_splits(codes, plan), models, plan, progress)


def _codes(task: str, labels: Sequence[Hashable]) -> Rows:
    """Number the classes in the order in which they occur, and refuse what cannot be divided."""
    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.intp)
    if len(numbers) < 2:
        raise ScoreError(f"{task}: there must be two or more classes, not {len(numbers)}")
    single = [label for label, count in zip(numbers, np.bincount(codes), strict=True) if count < 2]
    if single:
        raise ScoreError(
            f"{task}: {len(single)} of {len(numbers)} classes have a single item, such as {single[0]!r}; "
            "one to learn from and one to test on are needed"
        )
    return codes


_LEAST = 3  # test pairs; two would correlate by -1 or 1 whatever the vectors are


def similarity(
    first: npt.NDArray[np.floating],
    second: npt.NDArray[np.floating],
    ratings: Sequence[float] | npt.NDArray[np.floating],
    plan: SplitPlan | None = None,
    models: Sequence[ProbeModel] = SIMILARITY_MODELS,
    progress: Progress | None = None,
) -> Probe:
    """Probe how easily people's ratings of pairs of words can be learnt from their vectors.

    Support vector regression with RBF kernel and random forest, besides the cosine, which learns nothing;
    scored by Spearman's correlation on the test pairs. The vectors of the first and of the second words of n
    pairs, both of shape (n, d), are scaled to length 1.
    """
    plan = plan or SplitPlan()
    x = pair_features(first, second)
    y = np.array(ratings, np.float64)
    _check(x, y, plan)
    splits = random_splits(len(y), plan)
    if any(np.ptp(y[split.test]) == 0 for split in splits):
        raise ScoreError(
            f"similarity: of {len(y)} pairs so many have the same rating that the test data of "
            f"{plan.tests(len(y))} have no other; give more pairs, or a larger test_share"
        )
    data = (x, y, np.zeros(len(y), np.intp))
    return probe("similarity", "spearman", data, splits, models, plan, progress)


def pair_features(first: npt.NDArray[np.floating], second: npt.NDArray[np.floating]) -> Floats:
    """The features of two words u, v of length 1: √d·u∘v and |u − v|, shape (n, 2d)."""
    # The paper does not define them. These do not depend on the order of the words; the sum of the products
    # is the cosine, so they contain what the constant model knows; and √d brings both to the same order of
    # magnitude.
    u, v = unit_rows(first, "first"), unit_rows(second, "second")
    if u.shape != v.shape:
        raise ScoreError(f"first has the shape {u.shape} and second {v.shape}; they must be the same")
    return np.hstack([np.sqrt(u.shape[1]) * u * v, np.abs(u - v)])


def _check(x: Floats, y: Floats, plan: SplitPlan) -> None:
    if y.shape != (len(x),):
        raise ScoreError(f"similarity: {len(x)} pairs, but ratings of the shape {y.shape}")
    if plan.tests(len(y)) < _LEAST:
        raise ScoreError(
            f"similarity: {len(y)} pairs are too few; of the {_LEAST} or more needed as test data, they give "
            f"{plan.tests(len(y))}"
        )
    if not np.isfinite(y).all():
        raise ScoreError("similarity: a rating is not a finite number")
    if np.ptp(y) == 0:
        raise ScoreError("similarity: all ratings are equal, so there is nothing to learn")
    if np.all(x == x[0]):
        raise ScoreError("similarity: all pairs have the same vectors, so nothing can be learnt from them")
