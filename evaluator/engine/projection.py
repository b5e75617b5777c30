"""Vectors in two dimensions, for figures."""

from __future__ import annotations

import numpy as np

from evaluator.engine.similarities import Doubles


def principal_plane(vectors: Doubles) -> tuple[Doubles, tuple[float, float]]:
    """The two first principal components of vectors.

    Pearson (1901), "On Lines and Planes of Closest Fit to Systems of Points in Space": the mean is taken
    away, and vectors are projected onto the first two right singular vectors. The sign of these is arbitrary:
    their largest component is positive, so that a figure is always the same.

    Args:
        vectors: Shape (n, d).

    Returns:
        The coordinates of each, shape (n, 2), and the share of the variance along either.
    """
    centred = vectors - vectors.mean(axis=0)
    if centred.shape[1] == 1:  # a line
        centred = np.column_stack([centred, np.zeros(len(centred))])
    _, values, directions = np.linalg.svd(centred, full_matrices=False)
    plane = directions[:2]
    plane = plane * np.sign(plane[np.arange(2), np.abs(plane).argmax(axis=1)])[:, None]
    total = float((values**2).sum())
    one, two = ((values[:2] ** 2) / total).tolist() if total else (0.0, 0.0)
    return centred @ plane.T, (one, two)
