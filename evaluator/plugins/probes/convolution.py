"""The convolutional network of Kim (2014), which reads the words of a sentence in order. It needs torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluator.plugins.probes.splits import Rows

Floats = npt.NDArray[np.float64]

WIDTHS = (3, 4, 5)
MAPS = 100  # of each width
DROPOUT = 0.5
LONGEST = 3.0  # the weights of a class are scaled to this length if they are longer
BATCH = 50
EPOCHS = 25  # the paper stops by a development set, for which small tasks have no texts


def classify(vectors: Floats, rows: Rows, y: Floats, asked: Rows, seed: int) -> Floats:
    """Learn the classes of some sentences and predict those of others.

    Y. Kim (2014), "Convolutional Neural Networks for Sentence Classification", CNN-static: filters over 3, 4
    and 5 words, 100 of each; of each the largest value in the sentence; dropout; and a softmax. Adadelta on
    the cross entropy of batches of 50. The vectors do not change.

    Args:
        vectors: Of the words, of length 1, shape (v, d). They are multiplied by √d, to the mean square 1.
        rows: The rows in `vectors` of the words of the sentences to learn from, shape (n, l); -1 after the
            last word.
        y: Their classes as numbers, shape (n,).
        asked: The words of the sentences to predict, shape (m, l).
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
        network = Network(table, len(classes))
        network.train(torch.tensor(rows.astype(np.int64)), torch.tensor(codes))
        with torch.no_grad():
            parts = torch.tensor(asked.astype(np.int64)).split(BATCH)
            found = torch.cat([network.logits(part).argmax(1) for part in parts])
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


class Network:
    """The network, for words in a table of vectors, shape (v + 1, d), whose last row stands for no word."""

    def __init__(self, table: Any, classes: int) -> None:  # noqa: ANN401
        from torch import nn

        self.table = table
        self.filters = [nn.Conv1d(table.shape[1], MAPS, width, padding=width - 1) for width in WIDTHS]
        self.output = nn.Linear(MAPS * len(WIDTHS), classes)

    def logits(self, rows: Any, dropout: float = 0.0) -> Any:  # noqa: ANN401
        """The logits of sentences, shape (n, classes), from the rows of their words, shape (n, l)."""
        from torch import cat, nn

        # As in the author's code, the smallest part of a sentence that a filter sees is one word.
        words = self.table[rows].transpose(1, 2)
        largest = cat([each(words).amax(2) for each in self.filters], 1)
        return self.output(nn.functional.dropout(largest.relu(), dropout))

    def train(self, rows: Any, codes: Any) -> None:  # noqa: ANN401
        """Learn the numbered classes of sentences."""
        import torch

        layers = (*self.filters, self.output)
        adadelta = torch.optim.Adadelta(
            [weights for layer in layers for weights in layer.parameters()], lr=1.0, rho=0.95, eps=1e-6
        )
        for _ in range(EPOCHS):
            for some in torch.randperm(len(rows)).split(BATCH):
                adadelta.zero_grad()
                torch.nn.functional.cross_entropy(self.logits(rows[some], DROPOUT), codes[some]).backward()
                adadelta.step()
                with torch.no_grad():
                    self.output.weight.renorm_(2, 0, LONGEST)
