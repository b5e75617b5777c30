"""Which word is to a third as a second is to a first: a probe of pairs of words in one relation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from evaluator.plugins import ScoreError
from evaluator.plugins.probes.adam import Adam
from evaluator.plugins.probes.curves import Probe
from evaluator.plugins.probes.learners import Floats, ProbeModel, Progress, learning_curves, unit_rows
from evaluator.plugins.probes.splits import Rows, Split, SplitPlan, grouped_splits, take_groups

Singles = npt.NDArray[np.float32]

SOURCES = 5  # with how many other pairs each pair is asked; all would be the square of the number of pairs

EPSILON = 0.001  # ε of 3CosMul from Levy & Goldberg (2014); the paper does not give it

RELATION_MODELS = (
    ProbeModel("3CosAdd", "constant"),
    ProbeModel("3CosMul", "constant"),
    ProbeModel("relation", "linear"),
)
_QUESTIONS = 64  # in a block: their similarities to the vocabulary fit into memory
_VECTORS = 16384  # in a block that is normalised in double precision


def analogy(
    vectors: npt.NDArray[np.floating],
    pairs: npt.NDArray[np.integer],
    plan: SplitPlan | None = None,
    training: RelationTraining | None = None,
    progress: Progress | None = None,
    share_words: bool = False,
    models: Sequence[ProbeModel] = RELATION_MODELS,
) -> Probe:
    """Probe how easily a relation can be learnt from pairs of words in this relation.

    The regression of appendix B (`relation`), besides 3CosAdd and 3CosMul, which learn nothing; scored by the
    share of questions whose answer is the nearest word of the vocabulary, the three words of the question
    excluded. (The appendix says "minimizes ⟨v, v̂4⟩"; it must be maximizes.) Questions are quadruples of two
    pairs, both training or both test data: each pair is asked with up to 5 others, drawn by the seed.

    Pairs are divided "into disjoint sets" (footnote 4 of the paper), since "models easily overfit if the
    train and test sets share the same words": pairs that are connected by shared words stay together, unless
    `share_words` says that they need not.

    `vectors` is the vocabulary to search, shape (v, d), and `pairs` has the rows of the words of each pair in
    it, shape (n, 2). `folds` of the plan is not used: rates and epochs are chosen on a held-out fifth of the
    training pairs.
    """
    plan, training = plan or SplitPlan(), training or RelationTraining()
    kinds = {model.name: model.kind for model in models if model in RELATION_MODELS}
    if not kinds or len(kinds) < len(models):
        known, named = ([model.name for model in several] for several in (RELATION_MODELS, models))
        raise ScoreError(f"analogy: models are some of {', '.join(known)}, each once, not {named}")
    checked = _check(vectors, pairs)
    groups = np.arange(len(checked)) if share_words else connected(checked)
    splits = _splits(checked, groups, plan)
    learning = _Learning(_unit(vectors), checked, groups, training, plan, kinds)
    curves = learning_curves(kinds, splits, plan, learning.evaluate, progress or (lambda _: None))
    tests = tuple(len(split.test) for split in splits)
    return Probe("analogy", "accuracy", len(checked), tests, plan.seed, curves)


def connected(pairs: Rows) -> Rows:
    """For each pair, the number of the set of pairs that are connected by shared words."""
    # Sets are numbered in the order of the pairs, so that the numbers do not depend on the rows of the words.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    words, edges = np.unique(pairs, return_inverse=True)
    first, second = edges.reshape(-1, 2).T
    graph = coo_array((np.ones(len(pairs)), (first, second)), shape=(len(words), len(words)))
    _, labels = connected_components(graph, directed=False)
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels[first].tolist()], np.intp)


def quadruples(pairs: Rows, generator: np.random.Generator, sources: int = SOURCES) -> Rows:
    """Questions v1, v2, v3, v4, shape (q, 4): each pair as c : d, with some other pairs as a : b.

    Pairs are rows of words, shape (n, 2). Those whose answer is a word of the question are left out.
    """
    found = []
    for number, (third, fourth) in enumerate(pairs.tolist()):
        usable = (np.arange(len(pairs)) != number) & ~np.any(pairs == fourth, axis=1) & (third != fourth)
        others = np.flatnonzero(usable)
        drawn = generator.choice(others, min(sources, len(others)), replace=False)
        found += [(*pairs[other].tolist(), third, fourth) for other in drawn]
    return np.array(found, np.intp).reshape(-1, 4)


def search(questions: Rows, score: Callable[[Rows], Singles]) -> float:
    """The share of questions whose v4 has the highest score of all words except v1, v2, v3.

    `score` gives the scores of all v words as answers to q questions, shape (q, v). Of words with equal
    scores the first one, the most frequent, is the answer.
    """
    hits = 0
    for start in range(0, len(questions), _QUESTIONS):
        some = questions[start : start + _QUESTIONS]
        scores = score(some)
        np.put_along_axis(scores, some[:, :3], -np.inf, axis=1)
        hits += int(np.sum(scores.argmax(axis=1) == some[:, 3]))
    return hits / len(questions)


def cos_add(unit: Singles, questions: Rows) -> Singles:
    """3CosAdd: cos(v, v2 − v1 + v3), section 3.1, times the length of the sum, which changes no order."""
    v1, v2, v3 = (unit[questions[:, column]] for column in range(3))
    return np.asarray((v2 - v1 + v3) @ unit.T)


def cos_mul(unit: Singles, questions: Rows) -> Singles:
    """3CosMul: ccos(v, v3)·ccos(v, v2) / (ccos(v, v1) + ε), ccos = (1 + cos)/2; section 3.1, footnote 5."""
    c1, c2, c3 = ((1 + unit[questions[:, column]] @ unit.T) / 2 for column in range(3))
    return np.asarray(c3 * c2 / (c1 + np.float32(EPSILON)))


def _check(vectors: npt.NDArray[np.floating], pairs: npt.NDArray[np.integer]) -> Rows:
    checked = np.asarray(pairs, np.intp)
    if checked.ndim != 2 or checked.shape[1] != 2 or vectors.ndim != 2:
        raise ScoreError(
            f"pairs must be rows of two words and vectors a matrix, not {checked.shape}, {vectors.shape}"
        )
    if checked.size and not 0 <= checked.min() <= checked.max() < len(vectors):
        raise ScoreError(f"analogy: a pair names a row that is not among the {len(vectors)} vectors")
    checked = np.array(list(dict.fromkeys(map(tuple, checked.tolist()))), np.intp).reshape(-1, 2)
    if len(checked) and np.all(vectors[checked] == vectors[checked[0, 0]]):
        raise ScoreError("analogy: all words of the pairs have the same vector, so nothing can be learnt")
    return checked


def _splits(pairs: Rows, groups: Rows, plan: SplitPlan) -> list[Split]:
    if len(pairs) < 2:
        raise ScoreError(f"analogy: {len(pairs)} pairs are too few; two or more are needed")
    if len(np.unique(groups)) < 2:
        raise ScoreError(
            f"analogy: all {len(pairs)} pairs are connected by shared words, so they cannot be divided into "
            "training and test data; in Python, share_words=True allows both to have the same words"
        )
    splits = grouped_splits(groups, plan)
    if any(not len(_questions(pairs, split, plan)) for split in splits):
        raise ScoreError(
            f"analogy: {len(pairs)} pairs in {len(np.unique(groups))} groups without shared words are too "
            "few: the test data must have two pairs to ask a question"
        )
    return splits


def _questions(pairs: Rows, split: Split, plan: SplitPlan) -> Rows:
    return quadruples(pairs[split.test], np.random.default_rng([plan.seed, split.number, 1]))


def _unit(vectors: npt.NDArray[np.floating]) -> Singles:
    unit = np.empty(vectors.shape, np.float32)
    for start in range(0, len(vectors), _VECTORS):
        block = slice(start, start + _VECTORS)
        unit[block] = unit_rows(vectors[block], f"vectors from {start}")
    return unit


@dataclass(frozen=True, eq=False)
class _Learning:
    unit: Singles
    pairs: Rows
    groups: Rows
    training: RelationTraining
    plan: SplitPlan
    models: Collection[str]

    def evaluate(self, split: Split) -> Callable[[Rows], Mapping[str, float]]:
        questions = _questions(self.pairs, split, self.plan)
        constant = {
            name: search(questions, partial(rule, self.unit))
            for name, rule in (("3CosAdd", cos_add), ("3CosMul", cos_mul))
            if name in self.models
        }
        if "relation" not in self.models:
            return lambda _: constant
        return lambda rows: {
            **constant,
            "relation": self._answered(self._learn(rows, split.number), questions),
        }

    def _learn(self, rows: Rows, number: int) -> Floats:
        """The weights after training with the rate and number of epochs that were best on held-out pairs."""
        rate, epochs = self._choose(rows, number)
        questions = quadruples(self.pairs[rows], self._generator(number))
        if not epochs or not len(questions):
            return identity(self.unit.shape[1])
        return next(islice(self._train(questions, rate, number), epochs - 1, None))

    def _choose(self, rows: Rows, number: int) -> tuple[float, int]:
        """The rate and number of epochs with the highest accuracy on held-out pairs, then the lowest cost."""
        held = take_groups(self.groups[rows], max(2, len(rows) // 5), self._generator(number))
        learnt, asked = (
            quadruples(self.pairs[some], self._generator(number)) for some in (rows[~held], rows[held])
        )
        if not len(learnt) or not len(asked):
            return 0.0, 0
        rows_asked, v4 = self._inputs(asked)

        def quality(weights: Floats) -> tuple[float, float]:
            return self._answered(weights, asked), float(np.sum(predict(weights, rows_asked) * v4))

        tried = {(0.0, 0): quality(identity(self.unit.shape[1]))}
        for rate in self.training.rates:
            last = max(self.training.epochs, default=0)
            for epoch, weights in enumerate(islice(self._train(learnt, rate, number), last), start=1):
                if epoch in self.training.epochs:
                    tried[rate, epoch] = quality(weights)
        return max(tried, key=tried.__getitem__)

    def _train(self, questions: Rows, rate: float, number: int) -> Iterator[Floats]:
        rows, v4 = self._inputs(questions)
        return train(rows, v4, rate, self.training.batch, self._generator(number))

    def _inputs(self, questions: Rows) -> tuple[Floats, Floats]:
        v1, v2, v3, v4 = (self.unit[questions[:, column]].astype(np.float64) for column in range(4))
        return inputs(v1, v2, v3), v4

    def _answered(self, weights: Floats, questions: Rows) -> float:
        def score(some: Rows) -> Singles:
            predicted = predict(weights, self._inputs(some)[0])
            return np.asarray(predicted.astype(np.float32) @ self.unit.T)

        return search(questions, score)

    def _generator(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self.plan.seed, number, 2])


@dataclass(frozen=True)
class RelationTraining:
    """How the model of a relation is trained: affine maps from three words to the fourth (appendix B).

        v̂4 = (−W1·v1 + W2·v2 + W3·v3 + b) / ‖−W1·v1 + W2·v2 + W3·v3 + b‖
        cost = −Σ_j ⟨v4_j, v̂4_j⟩

    W1, W2, W3 begin as identities and b as zeros, which is 3CosAdd. Learning rate and number of epochs are
    chosen on held-out pairs.

    The paper chose "learning rate, number of epochs, optimizer, batch size and (boolean) fallback to constant
    model" and gives no values. Here the optimizer is Adam and the batch size is fixed; the fallback is zero
    epochs, which are always tried, since the model begins as 3CosAdd.
    """

    rates: tuple[float, ...] = (1e-4, 1e-3)
    epochs: tuple[int, ...] = (1, 3, 10, 30)
    batch: int = 128  # quadruples in a step


def identity(dimension: int) -> Floats:
    """W1, W2, W3 before training, transposed, one below the other, and b: shape (3d + 1, d)."""
    eye = np.eye(dimension)
    return np.vstack([eye, eye, eye, np.zeros((1, dimension))])


def inputs(v1: Floats, v2: Floats, v3: Floats) -> Floats:
    """The rows (−v1, v2, v3, 1); their product with the weights is the numerator."""
    return np.hstack([-v1, v2, v3, np.ones((len(v1), 1))])


def predict(weights: Floats, rows: Floats) -> Floats:
    """v̂4 for each row of inputs; a numerator of zero has no direction and stays zero."""
    return _normalised(rows @ weights)[0]


def cost_and_gradient(weights: Floats, rows: Floats, v4: Floats) -> tuple[float, Floats]:
    """The cost and its derivative by each weight."""
    # With z the numerator, ∂⟨v4, z/‖z‖⟩/∂z = (v4 − v̂4·⟨v̂4, v4⟩)/‖z‖.
    predicted, lengths = _normalised(rows @ weights)
    agreement = np.sum(predicted * v4, axis=1, keepdims=True)
    towards = v4 - predicted * agreement
    slope = np.divide(towards, lengths, out=np.zeros_like(towards), where=lengths > 0)
    return -float(agreement.sum()), -(rows.T @ slope)


def train(
    rows: Floats, v4: Floats, rate: float, batch: int, generator: np.random.Generator
) -> Iterator[Floats]:
    """Train by Adam, from the identities, on minibatches of the data in random order.

    Yields the weights after each epoch, without end; the next epoch changes them in place.
    """
    weights = identity(v4.shape[1])
    adam = Adam(weights, rate)
    while True:
        order = generator.permutation(len(rows))
        for start in range(0, len(order), batch):
            some = order[start : start + batch]
            adam.step(cost_and_gradient(weights, rows[some], v4[some])[1] / len(some))
        yield weights


def _normalised(sums: Floats) -> tuple[Floats, Floats]:
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0), lengths
