"""GloVe, as a fifth kind of model of the study.

Pennington, Socher and Manning (2014), "GloVe: Global Vectors for Word Representation", equations 8 and 9,
with AdaGrad and the sum of the two vectors of a word, as they do. *Otherwise*: a word at a distance of n
counts ``(window - n + 1) / window``, not 1/n, as counted by the project for its SVD.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluator.execution.compiling import compiled
from evaluator.text.cooccurrences import cooccurrences, numbered
from evaluator.text.corpus import Sentences
from evaluator.vectors import Vectors

Floats = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]

MOST, POWER, RATE = 10.0, 0.75, 0.05
"""x_max, for small texts; α; and the learning rate of AdaGrad."""


def train_glove(
    sentences: Sentences, dimension: int, window: int, min_count: int, epochs: int, seed: int
) -> Vectors:
    """Train a model; the words are in the order of their frequency."""
    counted = sorted((-n, word) for word, n in sentences.counts.items() if n >= min_count)
    words = [word for _, word in counted]
    with sentences.path.open(encoding="utf-8") as file:
        rows = {word: row for row, word in enumerate(words)}
        text = numbered(map(str.split, file), rows, sentences.tokens + sentences.number)
    counts = cooccurrences(text, len(words), window, dynamic=True)
    own = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(counts.starts))
    x = counts.counts / window
    generator = np.random.default_rng(seed)
    weights = np.minimum(1, (x / MOST) ** POWER).astype(np.float32)
    logs = np.log(x).astype(np.float32)
    both = ((generator.random((2, len(words), dimension + 1)) - 0.5) / dimension).astype(np.float32)
    squares = np.ones_like(both)
    for _ in range(epochs):
        order = generator.permutation(len(own))
        _epoch(order, own, counts.contexts, logs, weights, both[0], both[1], squares[0], squares[1])
    return Vectors(words, both[:, :, :-1].sum(axis=0), f"GloVe {dimension} {window} {epochs}")


@compiled
def _epoch(
    order: Longs,
    own: npt.NDArray[np.int32],
    contexts: npt.NDArray[np.int32],
    logs: Floats,
    weights: Floats,
    words: Floats,
    others: Floats,
    of_words: Floats,
    of_others: Floats,
) -> None:
    """One pass over the pairs; the last column of each matrix is the bias."""
    dimension = words.shape[1] - 1
    rate = np.float32(RATE)
    for place in order:
        i, j = own[place], contexts[place]
        error = words[i, dimension] + others[j, dimension] - logs[place]
        for d in range(dimension):
            error += words[i, d] * others[j, d]
        step = weights[place] * error
        for d in range(dimension):
            down, across = step * others[j, d], step * words[i, d]
            words[i, d] -= rate * down / np.sqrt(of_words[i, d])
            others[j, d] -= rate * across / np.sqrt(of_others[j, d])
            of_words[i, d] += down * down
            of_others[j, d] += across * across
        words[i, dimension] -= rate * step / np.sqrt(of_words[i, dimension])
        others[j, dimension] -= rate * step / np.sqrt(of_others[j, dimension])
        of_words[i, dimension] += step * step
        of_others[j, dimension] += step * step
