"""The convolutional network of Kim (2014), which reads the words of a sentence in order. It needs torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

WIDTHS = (3, 4, 5)
MAPS = 100  # of each width
DROPOUT = 0.5
LONGEST = 3.0  # the weights of a class are scaled to this length if they are longer
BATCH = 50


def classify(vectors: Floats, rows: Floats, y: Floats, asked: Floats, epochs: int, seed: int) -> Floats:
    """Learn the classes of some sentences and predict those of others.

    Y. Kim (2014), "Convolutional Neural Networks for Sentence Classification", CNN-static: filters over 3, 4
    and 5 words, 100 of each; of each the largest value in the sentence; dropout; and a softmax. Adadelta on
    the cross entropy of batches of 50. The vectors do not change.

    Args:
        vectors: Of the words, of length 1, shape (v, d). They are multiplied by √d, to the mean square 1.
        rows: The words of the sentences to learn from, shape (n, l); -1 after the last word.
        y: Their classes as numbers, shape (n,).
        asked: The words of the sentences to predict, shape (m, l).
        epochs: How often each sentence is learnt from.
        seed: Of first weights, order and dropout.

    Returns:
        The predicted classes, shape (m,); the same for the same arguments.
    """
    import torch

    dimension = vectors.shape[1]
    padded = np.vstack([vectors * np.sqrt(dimension), np.zeros(dimension)])  # row -1 is the last
    table = torch.tensor(padded, dtype=torch.float32)
    classes, codes = np.unique(y, return_inverse=True)
    with _one_thread(seed):
        network, parameters, output = _network(table, len(classes))
        _train(network, parameters, output, torch.tensor(rows.astype(np.int64)), torch.tensor(codes), epochs)
        with torch.no_grad():
            parts = torch.tensor(asked.astype(np.int64)).split(BATCH)
            found = torch.cat([network(part, 0.0).argmax(1) for part in parts])
    return np.asarray(classes[found.numpy()])


@contextmanager
def _one_thread(seed: int) -> Iterator[None]:
    """Draw from a seed, and leave torch as it was."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)


def _network(table: Any, classes: int) -> tuple[Callable[[Any, float], Any], list[Any], Any]:  # noqa: ANN401
    """A function from words and the share of dropout to the logits; what it learns; and its last layer."""
    from torch import cat, nn

    # Padded, so that filters see the ends of a sentence too, and sentences of one word.
    filters = [nn.Conv1d(table.shape[1], MAPS, width, padding=width - 1) for width in WIDTHS]
    output = nn.Linear(MAPS * len(WIDTHS), classes)

    def logits(rows: Any, dropout: float) -> Any:  # noqa: ANN401
        words = table[rows].transpose(1, 2)
        largest = cat([each(words).relu().amax(2) for each in filters], 1)
        return output(nn.functional.dropout(largest, dropout))

    return logits, [weights for layer in (*filters, output) for weights in layer.parameters()], output


def _train(
    network: Callable[[Any, float], Any],
    parameters: list[Any],
    output: Any,  # noqa: ANN401
    rows: Any,  # noqa: ANN401
    codes: Any,  # noqa: ANN401
    epochs: int,
) -> None:
    import torch

    adadelta = torch.optim.Adadelta(parameters, lr=1.0, rho=0.95, eps=1e-6)
    for _ in range(epochs):
        for some in torch.randperm(len(rows)).split(BATCH):
            adadelta.zero_grad()
            torch.nn.functional.cross_entropy(network(rows[some], DROPOUT), codes[some]).backward()
            adadelta.step()
            with torch.no_grad():
                output.weight.renorm_(2, 0, LONGEST)
