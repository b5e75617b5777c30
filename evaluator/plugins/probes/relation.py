"""The learnable model of a relation: affine maps from three words to the fourth.

Jastrzebski, Leśniak & Czarnecki (2017), appendix B:

    v̂4 = (−W1·v1 + W2·v2 + W3·v3 + b) / ‖−W1·v1 + W2·v2 + W3·v3 + b‖
    cost = −Σ_j ⟨v4_j, v̂4_j⟩

W1, W2, W3 begin as identities and b as zeros, which is 3CosAdd.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evaluator.plugins.adam import Adam
from evaluator.plugins.probes.learners import Floats


@dataclass(frozen=True)
class RelationTraining:
    """How the model is trained; learning rate and number of epochs are chosen on held-out pairs.

    The paper chose "learning rate, number of epochs, optimizer, batch size and (boolean) fallback to constant
    model" and gives no values. Here the optimizer is Adam and the batch size is fixed; the fallback is zero
    epochs, since the model begins as 3CosAdd.

    Attributes:
        rates: Learning rates to choose from.
        epochs: Numbers of passes over the data to choose from, ascending, besides 0.
        batch: Quadruples in a step.
    """

    rates: tuple[float, ...] = (1e-4, 1e-3)
    epochs: tuple[int, ...] = (1, 3, 10, 30)
    batch: int = 128


def identity(dimension: int) -> Floats:
    """The weights before training.

    Returns:
        W1, W2, W3, transposed, one below the other, and b in the last row: shape (3d + 1, d).
    """
    eye = np.eye(dimension)
    return np.vstack([eye, eye, eye, np.zeros((1, dimension))])


def inputs(v1: Floats, v2: Floats, v3: Floats) -> Floats:
    """The rows (−v1, v2, v3, 1); their product with the weights is the numerator."""
    return np.hstack([-v1, v2, v3, np.ones((len(v1), 1))])


def predict(weights: Floats, rows: Floats) -> Floats:
    """v̂4 for each row of inputs; a numerator of zero has no direction and stays zero."""
    return _normalised(rows @ weights)[0]


def cost_and_gradient(weights: Floats, rows: Floats, v4: Floats) -> tuple[float, Floats]:
    """The cost and its derivative by each weight.

    With z the numerator, ∂⟨v4, z/‖z‖⟩/∂z = (v4 − v̂4·⟨v̂4, v4⟩)/‖z‖.
    """
    predicted, lengths = _normalised(rows @ weights)
    agreement = np.sum(predicted * v4, axis=1, keepdims=True)
    towards = v4 - predicted * agreement
    slope = np.divide(towards, lengths, out=np.zeros_like(towards), where=lengths > 0)
    return -float(agreement.sum()), -(rows.T @ slope)


def train(
    rows: Floats, v4: Floats, rate: float, batch: int, generator: np.random.Generator
) -> Iterator[Floats]:
    """Train by Adam, from the identities, on minibatches of the data in random order.

    Yields:
        The weights after each epoch, without end. The next epoch changes them in place.
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
