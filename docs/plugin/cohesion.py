"""Cohesion: how similar the words of a category are to each other."""

from dataclasses import dataclass

import numpy as np

from evaluator.plugins import SimpleMeasure


@dataclass(frozen=True)
class Cohesion(SimpleMeasure):
    """The mean cosine of each word with the k nearest others of its category, as `Cohesion@3`."""

    k: int = 3
    lowest = -1.0

    def value(self, vectors, words, lookup):
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = np.sort(unit @ unit.T, axis=1)[:, :-1]  # without that of the word with itself
        return cosines[:, -self.k :].mean()
