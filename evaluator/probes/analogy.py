"""Which word is to a third as the second is to the first: a probe of pairs of words in one relation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from evaluator.errors import ScoreError
from evaluator.probes.curves import Kind, Probe
from evaluator.probes.learners import Floats, Progress, learning_curves, unit_rows
from evaluator.probes.relation import Training, identity, inputs, predict, train
from evaluator.probes.splits import Rows, Split, SplitPlan, grouped_splits, take_groups

Singles = npt.NDArray[np.float32]

SOURCES = 5
"""How many other pairs each pair is asked by; all of them grow with the square of the pairs."""

EPSILON = 0.001
"""ε of 3CosMul: Levy & Goldberg (2014), whom the paper leaves to say."""

MODELS: Mapping[str, Kind] = {"3CosAdd": "constant", "3CosMul": "constant", "relation": "linear"}
_QUESTIONS = 64  # in a block: their similarities to the vocabulary fit into memory
_VECTORS = 16384  # in a block that is normalised in double precision


def analogy(
    vectors: npt.NDArray[np.floating],
    pairs: npt.NDArray[np.integer],
    plan: SplitPlan | None = None,
    training: Training | None = None,
    progress: Progress | None = None,
    share_words: bool = False,
    models: Collection[str] = tuple(MODELS),
) -> Probe:
    """Probe how easily a relation can be learnt from pairs of words that stand in it.

    The regression of appendix B (`relation`), beside 3CosAdd and 3CosMul, which learn nothing; scored by the
    share of questions whose answer is the nearest word of the vocabulary, the three words of the question
    excluded. (The appendix says "minimizes ⟨v, v̂4⟩"; it must be maximizes.) Questions are quadruples of two
    pairs of the same part: each pair is asked by up to 5 others, drawn by the seed.

    Pairs are divided "into disjoint sets" (footnote 4 of the paper), since "models easily overfit if the
    train and test sets share the same words": pairs that hang together by their words stay on one side.

    Args:
        vectors: The vocabulary to search, shape (v, d).
        pairs: The rows of the words of each pair in `vectors`, shape (n, 2).
        plan: How the data is divided; `SplitPlan()` if None. `folds` has no meaning here: rates and epochs
            are chosen on a fifth of the training pairs, held out.
        training: How the regression is trained; `Training()` if None.
        progress: Called now and then with the share of the work that is done, from 0 to 1.
        share_words: Whether different pairs with a word in common may be on different sides.
        models: Which of the three.

    Raises:
        ScoreError: There are too few pairs, or all of them hang together by their words, or all their vectors
            are the same, or there is no such model.
    """
    plan, training = plan or SplitPlan(), training or Training()
    kinds = {name: kind for name, kind in MODELS.items() if name in models}
    if not kinds or len(kinds) < len(models):
        raise ScoreError(f"analogy: models are some of {', '.join(MODELS)}, each once, not {list(models)}")
    checked = _check(vectors, pairs)
    groups = np.arange(len(checked)) if share_words else connected(checked)
    splits = _splits(checked, groups, plan)
    run = _Run(_unit(vectors), checked, groups, training, plan, kinds)
    curves = learning_curves(kinds, splits, plan, run.evaluate, progress or (lambda _: None))
    tests = tuple(len(split.test) for split in splits)
    return Probe("analogy", "accuracy", len(checked), tests, plan.seed, curves)


def connected(pairs: Rows) -> Rows:
    """For each pair, the number of the set of pairs that hang together by shared words.

    Sets are numbered in the order in which they come, so that the numbers do not depend on where the words
    stand in a vocabulary.
    """
    parent: dict[int, int] = {}

    def root(word: int) -> int:
        while parent.setdefault(word, word) != word:
            parent[word] = parent[parent[word]]
            word = parent[word]
        return word

    for first, second in pairs.tolist():
        parent[root(first)] = root(second)
    numbers: dict[int, int] = {}
    return np.array(
        [numbers.setdefault(root(first), len(numbers)) for first in pairs[:, 0].tolist()], np.intp
    )


def quadruples(pairs: Rows, generator: np.random.Generator, sources: int = SOURCES) -> Rows:
    """Questions: each pair with up to some others before it, drawn without replacement.

    Args:
        pairs: Rows of words, shape (n, 2).
        generator: Decides which.
        sources: How many others at most.

    Returns:
        The rows v1, v2, v3, v4, shape (q, 4). A quadruple whose answer is a word of the question is left out.
    """
    found = []
    for place, (third, fourth) in enumerate(pairs.tolist()):
        usable = (np.arange(len(pairs)) != place) & ~np.any(pairs == fourth, axis=1) & (third != fourth)
        others = np.flatnonzero(usable)
        drawn = generator.choice(others, min(sources, len(others)), replace=False)
        found += [(*pairs[other].tolist(), third, fourth) for other in drawn]
    return np.array(found, np.intp).reshape(-1, 4)


def search(questions: Rows, score: Callable[[Rows], Singles]) -> float:
    """The share of questions that are answered rightly.

    Args:
        questions: Quadruples.
        score: Scores all words as answers to some questions; shape (questions, v).

    Returns:
        Of all questions, how often v4 has the highest score of all words but v1, v2, v3. Of words with the
        same score the first, the most frequent one, is the answer.
    """
    hits = 0
    for start in range(0, len(questions), _QUESTIONS):
        some = questions[start : start + _QUESTIONS]
        scores = score(some)
        np.put_along_axis(scores, some[:, :3], -np.inf, axis=1)
        hits += int(np.sum(scores.argmax(axis=1) == some[:, 3]))
    return hits / len(questions)


def cos_add(unit: Singles, questions: Rows) -> Singles:
    """3CosAdd: cos(v, v2 − v1 + v3), section 3.1, but for the length of the sum, which changes no order."""
    v1, v2, v3 = (unit[questions[:, place]] for place in range(3))
    return np.asarray((v2 - v1 + v3) @ unit.T)


def cos_mul(unit: Singles, questions: Rows) -> Singles:
    """3CosMul: ccos(v, v3)·ccos(v, v2) / (ccos(v, v1) + ε), ccos = (1 + cos)/2; section 3.1, footnote 5."""
    c1, c2, c3 = ((1 + unit[questions[:, place]] @ unit.T) / 2 for place in range(3))
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
        raise ScoreError(
            "analogy: all words of the pairs have the same vector, so that nothing can be learnt"
        )
    return checked


def _splits(pairs: Rows, groups: Rows, plan: SplitPlan) -> list[Split]:
    if len(np.unique(groups)) < 2:
        raise ScoreError(
            f"analogy: all {len(pairs)} pairs hang together by words they share, so they cannot be divided "
            "into two parts; share_words=True lets both parts have the same words"
        )
    splits = grouped_splits(groups, plan)
    if any(not len(_questions(pairs, split, plan)) for split in splits):
        raise ScoreError(
            f"analogy: {len(pairs)} pairs in {len(np.unique(groups))} groups without shared words are too "
            "few: a test part has no two pairs to make a question of"
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


class _Run:
    """Some of the three models on one vocabulary and its pairs."""

    def __init__(
        self,
        unit: Singles,
        pairs: Rows,
        groups: Rows,
        training: Training,
        plan: SplitPlan,
        models: Collection[str],
    ) -> None:
        self._unit = unit
        self._pairs = pairs
        self._groups = groups
        self._training = training
        self._plan = plan
        self._models = models
        self._constant: dict[int, dict[str, float]] = {}

    def evaluate(self, split: Split, rows: Rows) -> Mapping[str, float]:
        questions = _questions(self._pairs, split, self._plan)
        if split.number not in self._constant:
            self._constant[split.number] = {
                name: search(questions, partial(rule, self._unit))
                for name, rule in (("3CosAdd", cos_add), ("3CosMul", cos_mul))
                if name in self._models
            }
        scores = dict(self._constant[split.number])
        if "relation" in self._models:
            scores["relation"] = self._answered(self._learn(rows, split.number), questions)
        return scores

    def _learn(self, rows: Rows, number: int) -> Floats:
        """The weights after as many epochs at such a rate as did best on held-out pairs."""
        rate, epochs = self._choose(rows, number)
        questions = quadruples(self._pairs[rows], self._generator(number))
        if not epochs or not len(questions):
            return identity(self._unit.shape[1])
        return next(islice(self._train(questions, rate, number), epochs - 1, None))

    def _choose(self, rows: Rows, number: int) -> tuple[float, int]:
        """Rate and epochs with the highest accuracy on held-out pairs; of equal ones, the lowest cost."""
        held = take_groups(self._groups[rows], max(2, len(rows) // 5), self._generator(number))
        learnt, asked = (
            quadruples(self._pairs[some], self._generator(number)) for some in (rows[~held], rows[held])
        )
        if not len(learnt) or not len(asked):
            return 0.0, 0
        rows_asked, v4 = self._inputs(asked)

        def quality(weights: Floats) -> tuple[float, float]:
            return self._answered(weights, asked), float(np.sum(predict(weights, rows_asked) * v4))

        tried = {(0.0, 0): quality(identity(self._unit.shape[1]))}
        for rate in self._training.rates:
            last = max(self._training.epochs, default=0)
            for epoch, weights in enumerate(islice(self._train(learnt, rate, number), last), start=1):
                if epoch in self._training.epochs:
                    tried[rate, epoch] = quality(weights)
        return max(tried, key=tried.__getitem__)

    def _train(self, questions: Rows, rate: float, number: int) -> Iterator[Floats]:
        rows, v4 = self._inputs(questions)
        return train(rows, v4, rate, self._training.batch, self._generator(number))

    def _inputs(self, questions: Rows) -> tuple[Floats, Floats]:
        v1, v2, v3, v4 = (self._unit[questions[:, place]].astype(np.float64) for place in range(4))
        return inputs(v1, v2, v3), v4

    def _answered(self, weights: Floats, questions: Rows) -> float:
        def score(some: Rows) -> Singles:
            predicted = predict(weights, self._inputs(some)[0])
            return np.asarray(predicted.astype(np.float32) @ self._unit.T)

        return search(questions, score)

    def _generator(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self._plan.seed, number, 2])
