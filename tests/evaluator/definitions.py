"""The measures written straight from their equations: slow, obvious, and sharing nothing with evaluator."""

from __future__ import annotations

import itertools

import numpy as np


def unit(matrix):
    matrix = matrix.astype(np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def topk(category, words, matrix, k, oov="wrong"):
    """(hits, trials) of one category: equation 1."""
    index = {word: row for row, word in enumerate(words)}
    vectors = unit(matrix)
    hits = 0
    for word in category:
        if word not in index:
            continue
        cosines = (vectors @ vectors[index[word]]).round(11)  # equal cosines must compare as equal
        others = [row for row in range(len(words)) if row != index[word]]
        nearest = sorted(others, key=lambda row: (-cosines[row], row))[:k]
        hits += sum(words[row] in category for row in nearest)
    n = len(category) if oov == "wrong" else sum(word in index for word in category)
    return hits, n * k


def odd_pairs(category, words, matrix, k, oov="wrong", norm="unit"):
    """For every pair of P, whether w is the odd one: equations 3 to 7, by distances to the mean."""
    index = {word: row for row, word in enumerate(words)}
    vectors = unit(matrix) if norm == "unit" else matrix.astype(np.float64)
    members = [word for word in category if oov == "wrong" or word in index]
    outside = [word for word in words if word not in category]
    for subset in itertools.combinations(members, k):
        for word in outside:
            if any(member not in index for member in subset):
                yield False
                continue
            points = np.array([vectors[index[member]] for member in subset] + [vectors[index[word]]])
            distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
            yield bool(distances[-1] > distances[:-1].max() + 1e-11)  # a tie is a miss


def odd_one_out(category, words, matrix, k, oov="wrong", norm="unit"):
    """(hits, trials) of one category over all of P."""
    pairs = list(odd_pairs(category, words, matrix, k, oov, norm))
    return sum(pairs), len(pairs)
