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


def odd_one_out_by_word(category, words, matrix, k, bands=None):
    """The share of hits among the pairs of each category word, and (if bands are given) matched in frequency.

    `bands` gives the band of each vocabulary row; the share is then the mean over bands, weighted by how many
    words of the category are in each.
    """
    vectors = unit(matrix)
    rows = [words.index(word) for word in category]
    outside = [row for row in range(len(words)) if row not in rows]
    bands = [0] * len(words) if bands is None else bands
    weights = {band: sum(bands[row] == band for row in rows) for band in set(bands)}
    weights = {b: weight for b, weight in weights.items() if weight and any(bands[w] == b for w in outside)}
    found = {}
    for word in rows:
        found[word] = 0.0
        for band, weight in weights.items():
            hits = []
            for subset in itertools.combinations(rows, k):
                if word in subset:
                    hits += [is_odd(vectors[[*subset, row]]) for row in outside if bands[row] == band]
            found[word] += weight / sum(weights.values()) * np.mean(hits)
    return np.array(list(found.values()))


def is_odd(points):
    distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
    return bool(distances[-1] > distances[:-1].max() + 1e-11)


def answers(a, b, c, words, matrix, method="3CosAdd"):
    """All words of the vocabulary by how good they are as answers, best first."""
    index = {word: row for row, word in enumerate(words)}
    vectors = unit(matrix)
    va, vb, vc = (vectors[index[word]] for word in (a, b, c))
    if method == "3CosAdd":
        good = vectors @ vb - vectors @ va + vectors @ vc
    elif method == "3CosMul":
        good = (1 + vectors @ vb) / 2 * (1 + vectors @ vc) / 2 / ((1 + vectors @ va) / 2 + 1e-6)
    else:
        away = vectors - vc
        length = np.linalg.norm(away, axis=1)
        good = away @ (vb - va) / np.where(length > 1e-6, length, np.inf)
    good = good.round(9)
    return [words[row] for row in sorted(range(len(words)), key=lambda row: (-good[row], row))]
