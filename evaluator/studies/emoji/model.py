"""emoji2vec: vectors of emoji learnt from their descriptions, in the space of the words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluator.engine.adam import RowAdam
from evaluator.errors import TrainingError
from evaluator.execution.output_files import write_text
from evaluator.studies.emoji.descriptions import Bools, Described, Floats, Ints
from evaluator.vectors import Vectors

_WIDTH = 0.1  # vectors begin between -0.1 and 0.1, as the authors' do


@dataclass(frozen=True)
class Plan:
    """How emoji vectors are trained.

    Attributes:
        rate: Adam's learning rate.
        epochs: How often each pair that fits is passed.
        batch: How many such pairs a step takes.
        ratio: How many descriptions that do not fit are drawn for each of these.
        seed: For first values, order, and what is drawn.
    """

    rate: float = 0.001
    epochs: int = 40
    batch: int = 4
    ratio: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values that make no sense.

        Raises:
            TrainingError: Naming the value.
        """
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise TrainingError(f"the learning rate is {self.rate}; it must be a number above 0")
        for name in ("epochs", "batch", "ratio"):
            if getattr(self, name) < 1:
                raise TrainingError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        if self.seed < 0:
            raise TrainingError(f"seed is {self.seed}; it must be 0 or more")


def loss_and_gradient(emoji: Floats, descriptions: Floats, fits: Floats) -> tuple[float, Floats]:
    """The loss of some pairs, and its gradient by the emoji's vectors.

    With p = σ(x·v), the loss is −Σ [y·log p + (1−y)·log(1−p)] (Eisner et al. 2016, section 3.2, where it is
    written for one pair), and its gradient by x is Σ (p − y)·v.

    Args:
        emoji: x, shape (b, d).
        descriptions: v, shape (b, k, d): k descriptions for each emoji.
        fits: y, shape (b, k) or (k,): 1 for those that fit, 0 for the others.

    Returns:
        The loss, and the gradient, shape (b, d).
    """
    products = np.einsum("bd,bkd->bk", emoji, descriptions)
    loss = float(np.sum(np.logaddexp(0, products) - fits * products))
    return loss, np.einsum("bk,bkd->bd", _sigmoid(products) - fits, descriptions)


def _sigmoid(x: Floats) -> Floats:
    """σ(x) = 1/(1 + e⁻ˣ), as a hyperbolic tangent, which does not overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)), dtype=x.dtype)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """What there is to learn from.

    Attributes:
        names: Emoji, those with most descriptions first; e of them.
        emoji: The emoji of each pair that fits, as a row of `names`, shape (n,).
        rows: Its description, shape (n,).
        matrix: The vectors of descriptions, shape (p, d).
        codes: emoji·p + description of each pair, sorted: to look pairs up.
    """

    names: tuple[str, ...]
    emoji: Ints
    rows: Ints
    matrix: Floats
    codes: Ints

    def known(self, emoji: Ints, rows: Ints) -> Bools:
        """Whether descriptions are known to fit emoji."""
        codes = emoji * len(self.matrix) + rows
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.asarray(self.codes[place] == codes)


def train_emoji(
    described: Described, plan: Plan | None = None, progress: Callable[[float], None] | None = None
) -> Vectors:
    """Train vectors of emoji: σ(x_i·v_j) is to be the probability that description j fits emoji i.

    Eisner et al. (2016), section 3.2, in batches and with first values as in the authors' code: Adam on the
    logistic loss of pairs that fit and, for each of these, of descriptions drawn for the same emoji from
    those that are not known to fit it. Without dropout, and without a projection: emoji have as many
    dimensions as words. Pairs that do not fit are not learnt from: what does not fit is drawn.

    Args:
        described: Descriptions and their vectors.
        plan: How; `Plan()` if None.
        progress: Called now and then with the share of the work that is done, from 0 to 1.

    Returns:
        Vectors of all emoji that a description fits, those with most descriptions first. The same arguments
        give the same vectors.

    Raises:
        TrainingError: No description fits, or all that there are fit one emoji, so that none can be drawn.
    """
    plan, progress = plan or Plan(), progress or (lambda _: None)
    pairs = _pairs(described)
    random = np.random.default_rng(plan.seed)
    shape = (len(pairs.names), described.matrix.shape[1])
    matrix = random.uniform(-_WIDTH, _WIDTH, shape).astype(np.float32)
    adam = RowAdam(matrix, plan.rate)
    for epoch in range(plan.epochs):
        _pass(pairs, plan, adam, random)
        progress((epoch + 1) / plan.epochs)
    adam.current(np.arange(len(matrix)))
    return Vectors(list(pairs.names), matrix, f"emoji at {plan.rate:.6g}")


def _pairs(described: Described) -> _Pairs:
    fit = np.flatnonzero(described.fits)
    counts = Counter(described.emoji[each] for each in fit)
    if not counts:
        raise TrainingError(
            f"{described.name}: no line with a word that has a vector is marked True; nothing to learn"
        )
    names = tuple(name for name, _ in counts.most_common())
    most = names[0]
    if counts[most] == len(described.texts):
        raise TrainingError(
            f"{described.name}: all descriptions fit {most}: none can be drawn that does not; add others"
        )
    place = {name: row for row, name in enumerate(names)}
    emoji = np.array([place[described.emoji[each]] for each in fit], dtype=np.intp)
    rows = described.rows[fit]
    return _Pairs(names, emoji, rows, described.matrix, np.sort(emoji * len(described.matrix) + rows))


def _pass(pairs: _Pairs, plan: Plan, adam: RowAdam, random: np.random.Generator) -> None:
    """One epoch: every pair once, in an order that is drawn."""
    order = random.permutation(len(pairs.emoji))
    emoji = pairs.emoji[order]
    drawn = _drawn(pairs, np.repeat(emoji[:, None], plan.ratio, axis=1), random)
    rows = np.column_stack([pairs.rows[order], drawn])
    fits = np.zeros(1 + plan.ratio, dtype=np.float32)
    fits[0] = 1
    for start in range(0, len(order), plan.batch):
        batch = slice(start, start + plan.batch)
        different, place = np.unique(emoji[batch], return_inverse=True)
        vectors = adam.current(different)
        _, each = loss_and_gradient(vectors[place], pairs.matrix[rows[batch]], fits)
        gradient = np.zeros_like(vectors)
        np.add.at(gradient, place, each)
        adam.step_rows(different, gradient)


def _drawn(pairs: _Pairs, emoji: Ints, random: np.random.Generator) -> Ints:
    """Descriptions that are not known to fit, one for each emoji of an array of any shape."""
    rows = random.integers(len(pairs.matrix), size=emoji.shape)
    while (again := pairs.known(emoji, rows)).any():
        rows[again] = random.integers(len(pairs.matrix), size=int(again.sum()))
    return rows


def write_emoji(vectors: Vectors, path: Path) -> None:
    """Write vectors as word2vec text, with as many digits as give the same numbers again.

    Raises:
        OutputError: The file cannot be written.
    """
    rows = (" ".join(f"{value:.9g}" for value in row) for row in vectors.matrix.tolist())
    lines = (f"{word} {row}\n" for word, row in zip(vectors.words, rows, strict=True))
    write_text(path, f"{len(vectors)} {vectors.dimension}\n{''.join(lines)}")
