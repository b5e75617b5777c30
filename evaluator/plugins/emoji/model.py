"""emoji2vec: vectors of emoji, trained from their descriptions in the space of the words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluator.execution.output_files import write_text
from evaluator.plugins import TrainingError, Vectors
from evaluator.plugins.adam import RowAdam
from evaluator.plugins.emoji.descriptions import Described, Floats, Ints

_WIDTH = 0.1  # first values are between -0.1 and 0.1, as in the authors' code


@dataclass(frozen=True)
class EmojiHyperparameters:
    """The hyper-parameters of emoji vectors.

    Attributes:
        rate: Adam's learning rate.
        epochs: The number of passes over the pairs that fit.
        batch: The number of such pairs in a step.
        ratio: The number of descriptions that do not fit, drawn for each of these.
        seed: For first values, order, and draws.
    """

    rate: float = 0.001
    epochs: int = 40
    batch: int = 4
    ratio: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise TrainingError(f"the learning rate is {self.rate}; it must be a number above 0")
        for name in ("epochs", "batch", "ratio"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if self.seed < 0:
            raise TrainingError(f"seed is {self.seed}; it must be 0 or more")


def loss_and_gradient(emoji: Floats, descriptions: Floats, fits: Floats) -> tuple[float, Floats]:
    """The loss of some pairs, and its gradient with respect to the emoji's vectors, shape (b, d).

    With p = σ(x·v), the loss is −Σ [y·log p + (1−y)·log(1−p)] (Eisner et al. 2016, section 3.2, where it is
    written for one pair), and its gradient with respect to x is Σ (p − y)·v; x is of shape (b, d), v of
    (b, k, d), k descriptions for each emoji, and y of (b, k) or (k,).
    """
    products = np.einsum("bd,bkd->bk", emoji, descriptions)
    loss = float(np.sum(np.logaddexp(0, products) - fits * products))
    return loss, np.einsum("bk,bkd->bd", _sigmoid(products) - fits, descriptions)


def _sigmoid(x: Floats) -> Floats:
    """σ(x) = 1/(1 + e⁻ˣ), as a hyperbolic tangent, which does not overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)), dtype=x.dtype)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The training data.

    `names` are the e emoji. Each of the n pairs has an emoji, as an index of these, and a description, as a
    row of `matrix`, shape (p, d). `codes` are emoji·p + description of each pair, to look pairs up.
    """

    names: tuple[str, ...]
    emoji: Ints
    rows: Ints
    matrix: Floats
    codes: Ints


def train_emoji(
    described: Described,
    parameters: EmojiHyperparameters | None = None,
    progress: Callable[[float], None] | None = None,
) -> Vectors:
    """Train vectors of emoji: σ(x_i·v_j) is to be the probability that description j fits emoji i.

    Eisner et al. (2016), section 3.2, in batches and with first values as in the authors' code: Adam on the
    logistic loss of pairs that fit and, for each of these, of descriptions drawn for the same emoji from
    those that are not known to fit it. Without dropout, and without a projection: emoji have as many
    dimensions as words. Pairs that are marked as not fitting are not used.

    Args:
        described: Descriptions and their vectors.
        parameters: The hyper-parameters; `EmojiHyperparameters()` if None.
        progress: Called now and then with the share of the work that is done, from 0 to 1.

    Returns:
        Vectors of all emoji with a description that fits, those with most descriptions first. The same
        arguments give the same vectors.
    """
    parameters, progress = parameters or EmojiHyperparameters(), progress or (lambda _: None)
    pairs = _pairs(described)
    random = np.random.default_rng(parameters.seed)
    shape = (len(pairs.names), described.matrix.shape[1])
    matrix = random.uniform(-_WIDTH, _WIDTH, shape).astype(np.float32)
    adam = RowAdam(matrix, parameters.rate)
    for epoch in range(parameters.epochs):
        _pass(pairs, parameters, adam, random)
        progress((epoch + 1) / parameters.epochs)
    adam.current(np.arange(len(matrix)))
    return Vectors(list(pairs.names), matrix, f"emoji at {parameters.rate:.6g}")


def _pairs(described: Described) -> _Pairs:
    fit = np.flatnonzero(described.fits)
    counts = Counter(described.emoji[each] for each in fit)
    if not counts:
        raise TrainingError(
            f"{described.name}: nothing to learn, no line with a word that has a vector is marked True"
        )
    names = tuple(name for name, _ in counts.most_common())
    most = names[0]
    if counts[most] == len(described.texts):
        raise TrainingError(f"{described.name}: all descriptions fit {most}; add descriptions that do not")
    index = {name: number for number, name in enumerate(names)}
    emoji = np.array([index[described.emoji[each]] for each in fit], dtype=np.intp)
    rows = described.rows[fit]
    return _Pairs(names, emoji, rows, described.matrix, emoji * len(described.matrix) + rows)


def _pass(
    pairs: _Pairs, parameters: EmojiHyperparameters, adam: RowAdam, random: np.random.Generator
) -> None:
    order = random.permutation(len(pairs.emoji))
    emoji = pairs.emoji[order]
    drawn = _drawn(pairs, np.repeat(emoji[:, None], parameters.ratio, axis=1), random)
    rows = np.column_stack([pairs.rows[order], drawn])
    fits = np.zeros(1 + parameters.ratio, dtype=np.float32)
    fits[0] = 1
    for start in range(0, len(order), parameters.batch):
        batch = slice(start, start + parameters.batch)
        different, inverse = np.unique(emoji[batch], return_inverse=True)
        vectors = adam.current(different)
        _, each = loss_and_gradient(vectors[inverse], pairs.matrix[rows[batch]], fits)
        gradient = np.zeros_like(vectors)
        np.add.at(gradient, inverse, each)
        adam.step_rows(different, gradient)


def _drawn(pairs: _Pairs, emoji: Ints, random: np.random.Generator) -> Ints:
    rows = random.integers(len(pairs.matrix), size=emoji.shape)
    while (again := np.isin(emoji * len(pairs.matrix) + rows, pairs.codes)).any():
        rows[again] = random.integers(len(pairs.matrix), size=int(again.sum()))
    return rows


def write_emoji(vectors: Vectors, path: Path) -> None:
    """Write vectors as word2vec text, with enough digits to read the same numbers again."""
    rows = (" ".join(f"{value:.9g}" for value in row) for row in vectors.matrix.tolist())
    lines = (f"{word} {row}\n" for word, row in zip(vectors.words, rows, strict=True))
    write_text(path, f"{len(vectors)} {vectors.dimension}\n{''.join(lines)}")
