"""The measures written straight from their equations: slow, obvious, and sharing nothing with evaluator."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np


def unit(matrix):
    matrix = matrix.astype(np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def topk(category, words, matrix, k, oov="wrong", distance="cosine"):
    """(hits, trials) of one category: equation 1."""
    index = {word: row for row, word in enumerate(words)}
    vectors = unit(matrix)
    hits = 0
    for word in category:
        if word not in index:
            continue
        apart = matrix.astype(np.float64) - matrix[index[word]]
        near = {
            "cosine": vectors @ vectors[index[word]],
            "euclidean": -np.sqrt((apart**2).sum(1)),
            "manhattan": -np.abs(apart).sum(1),
        }[distance]
        near = near.round(11)  # equal ones must compare as equal
        others = [row for row in range(len(words)) if row != index[word]]
        nearest = sorted(others, key=lambda row: (-near[row], row))[:k]
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


def rarest_odd_one_out(category, words, k, oov="wrong"):
    """(hits, trials) of one category over P, of who takes the rarest word for the odd one."""
    members = [word for word in category if oov == "wrong" or word in words]
    hits = [
        all(member in words and words.index(member) < rank for member in subset)
        for subset in itertools.combinations(members, k)
        for rank, word in enumerate(words)
        if word not in category
    ]
    return sum(hits), len(hits)


def matched_odd_one_out(category, words, matrix, k, oov="wrong", norm="unit", built=None):
    """(hits, trials) of one category over P'; `built` has the vectors of words outside the vocabulary."""
    vectors = {**dict(zip(words, matrix, strict=True)), **(built or {})}
    vectors = {word: unit(vector[None])[0] if norm == "unit" else vector for word, vector in vectors.items()}
    members = [word for word in category if oov == "wrong" or word in vectors]
    hits = []
    for replaced in members:
        odd_words = _next_in_rank(replaced, words, category)
        for subset in itertools.combinations([word for word in members if word != replaced], k):
            known = all(word in vectors for word in (*subset, replaced))
            hits += [
                known and is_odd(np.array([vectors[word] for word in (*subset, odd_word)], dtype=np.float64))
                for odd_word in odd_words
            ]
    return sum(hits), len(hits)


def _next_in_rank(replaced, words, category):
    """M(r)."""
    rank = words.index(replaced) if replaced in words else len(words)
    above = [word for word in words[:rank] if word not in category][::-1]
    below = [word for word in words[rank:] if word not in category]
    missing_above, missing_below = max(0, 5 - len(above)), max(0, 5 - len(below))
    return above[: 5 + missing_below] + below[: 5 + missing_above]


def is_odd(points):
    distances = np.linalg.norm(points - points.mean(axis=0), axis=1)
    return bool(distances[-1] > distances[:-1].max() + 1e-11)


def answers(a, b, c, words, matrix, method="3CosAdd", digits=9):
    """All words of the vocabulary by how good they are as answers, best first, to some digits."""
    index = {word: row for row, word in enumerate(words)}
    vectors = unit(matrix)
    va, vb, vc = (vectors[index[word]] for word in (a, b, c))
    if method == "3CosAdd":
        good = vectors @ vb - vectors @ va + vectors @ vc
    elif method == "3CosMul":
        good = (1 + vectors @ vb) / 2 * (1 + vectors @ vc) / 2 / ((1 + vectors @ va) / 2 + 1e-6)
    else:
        away, asked = vectors - vc, vb - va
        lengths = np.linalg.norm(away, axis=1), np.linalg.norm(asked)
        far = (lengths[0] > 1e-6) & (lengths[1] > 1e-6)
        good = away @ asked / np.where(far, lengths[0] * lengths[1], np.inf)
    good = good.round(digits)
    return [words[row] for row in sorted(range(len(words)), key=lambda row: (-good[row], row))]


def purity(gold, clusters):
    most = 0
    for each in set(clusters):
        most += max(Counter(g for g, c in zip(gold, clusters, strict=True) if c == each).values())
    return most / len(gold)


def entropy(labels):
    return -sum(n / len(labels) * math.log(n / len(labels)) for n in Counter(labels).values())


def conditional(labels, given_):
    """H(labels | given)."""
    total = 0
    for each, n in Counter(given_).items():
        total += n / len(labels) * entropy([a for a, b in zip(labels, given_, strict=True) if b == each])
    return total


def v_measure(gold, clusters):
    """Rosenberg & Hirschberg 2007, section 2, with β = 1."""
    h = 1 - conditional(gold, clusters) / entropy(gold) if entropy(gold) else 1
    c = 1 - conditional(clusters, gold) / entropy(clusters) if entropy(clusters) else 1
    return 2 * h * c / (h + c) if h + c > 1e-12 else 0


def translation_ranks(questions, source, target, csls=False, k=10):
    """The rank of the best right answer to each question: a source row, and the rows of right answers.

    CSLS is equation 2 of Conneau et al. (2018) with both of its means.
    """
    x, y = unit(source), unit(target)

    def mean_of_nearest(one, others):
        return [np.mean(sorted((float(a @ b) for b in others), reverse=True)[:k]) for a in one]

    of_x, of_y = mean_of_nearest(x, y), mean_of_nearest(y, x)
    ranks = []
    for row, answers in questions:
        values = [float(x[row] @ b) for b in y]
        if csls:
            values = [2 * value - of_x[row] - of_y[column] for column, value in enumerate(values)]
        values = [round(value, 5 if csls else 11) for value in values]  # equal values must compare as equal
        order = sorted(range(len(y)), key=lambda column: (-values[column], column))
        ranks.append(1 + min(order.index(answer) for answer in answers))
    return ranks


def muse_accuracy(pairs, source, target, csls, k=10):
    """P@1, P@5 and P@10 as facebookresearch/MUSE computes them in src/evaluation/word_translation.py."""
    emb1, emb2 = unit(source), unit(target)
    scores = emb1[pairs[:, 0]] @ emb2.T
    if csls:
        average1 = np.sort(emb1 @ emb2.T, axis=1)[:, -k:].mean(1)
        average2 = np.sort(emb2 @ emb1.T, axis=1)[:, -k:].mean(1)
        scores = 2 * scores - average1[pairs[:, 0]][:, None] - average2[None, :]
    top_matches = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    found = []
    for most in (1, 5, 10):
        right = (top_matches[:, :most] == pairs[:, 1][:, None]).sum(1)
        matching = {}
        for number, word in enumerate(pairs[:, 0].tolist()):
            matching[word] = min(matching.get(word, 0) + right[number], 1)
        found.append(np.mean(list(matching.values())))
    return found


def adam(matrix, gradients, rate):
    """Kingma and Ba, algorithm 1."""
    x, m, v = matrix.astype(np.float64), 0, 0
    for t, gradient in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        x = x - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return x


def mean_of_keywords(vectors, groups):
    """The mean of the unit vectors of the known keywords."""
    known = {word for group in groups for word in group if word in vectors}
    return np.mean([_unit_or_zero(vectors[word]) for word in known], axis=0) if known else 0.0


def spelled_alike(one, other):
    """Whether the trigrams of `<word>` that two words share are half of theirs or more."""
    first, second = (Counter(f"<{word}>"[at : at + 3] for at in range(len(word))) for word in (one, other))
    shared = sum(first[each] * second[each] for each in first)
    return 4 * shared**2 >= len(one) * len(other)


def keywords(vectors, groups, value="MRR"):
    """The value and the chance level of each known keyword with a related one, and the nearest of these."""
    words = sorted({word for group in groups for word in group if word in vectors})
    related = {word: {w for group in groups if word in group for w in group} for word in words}
    unlike = {
        word: [each for each in words if each != word and not spelled_alike(word, each)] for word in words
    }
    mean = mean_of_keywords(vectors, groups)
    centred = {word: _unit_or_zero(_unit_or_zero(vectors[word]) - mean) for word in words}
    found = {}
    for word in words:
        others = unlike[word]
        own = [other for other in others if other in related[word]]
        if not own:
            continue
        similar = {other: round(float(centred[word] @ centred[other]), 11) for other in others}
        precisions = []
        for k, each in enumerate(sorted(own, key=lambda other: -similar[other]), 1):
            wrong = [other for other in others if other not in own]
            before = sum(similar[other] > similar[each] for other in wrong)
            before += sum(similar[other] == similar[each] for other in wrong) / 2
            precisions.append(k / (k + before))
        reached = precisions[0] if value == "MRR" else sum(precisions) / len(precisions)
        most = max(similar[other] for other in own)
        nearest = {other for other in own if similar[other] == most}
        found[word] = reached, _mean_over_orders(len(own), len(others), value), nearest
    return found


def keyword_rank(vectors, groups, value="MRR"):
    """(M-c)/(1-c) of known keywords; None if nothing can be told. Vectors are by word."""
    found = keywords(vectors, groups, value)
    values, chances = (sum(each[part] for each in found.values()) for part in (0, 1))
    known = {word for group in groups for word in group if word in vectors}
    if not found or len(known) < 3 or chances >= len(found) - 1e-9:
        return None
    return (values - chances) / (len(found) - chances)


@cache
def _mean_over_orders(related, others, value):
    """The mean of k/r, for each k or the first, of related words at random places r among all others.

    The k-th is at r if k-1 of them are before it, and the rest after it.
    """
    most = 1 if value == "MRR" else related
    orders = sum(
        k / r * math.comb(r - 1, k - 1) * math.comb(others - r, related - k)
        for k in range(1, most + 1)
        for r in range(k, others + 1)
    )
    return orders / math.comb(others, related) / most


def _unit_or_zero(vector):
    length = np.linalg.norm(np.asarray(vector, dtype=np.float64))
    return np.asarray(vector, dtype=np.float64) / length if length > 1e-11 else np.zeros(len(vector))


def pair_rank(vectors, relations, vocabulary=False, both=False):
    """(E-L)/(E-B) by √n·(E-B), of relations of 8 known pairs and 4 second words; None without any."""
    parts = []
    for pairs in relations.values():
        known = {(a, b) for a, b in pairs if a in vectors and b in vectors and a != b}
        if len(known) >= 8 and len({b for _, b in known}) >= 4:
            parts.append(pair_parts(vectors, known, vocabulary=vocabulary, both=both))
    return scaled_pair_rank(parts)


def scaled_pair_rank(parts):
    """The mean of relations, each at least -1."""
    scored = [(weight * best, max(above / best, -1)) for weight, above, best in parts if best > 1e-9]
    total = sum(weight for weight, _ in scored)
    return sum(weight * value for weight, value in scored) / total if scored else None


def pair_parts(vectors, pairs, *, vocabulary, both, range_of=None):
    """√n, E-L and E-B of a relation; `range_of` has the candidates of either direction before a word left."""
    known = {(a, b) for a, b in pairs if a in vectors and b in vectors and a != b}
    ways = [known, {(b, a) for a, b in known}] if both else [known]
    above = best = 0.0
    for number, way in enumerate(ways):
        whole = range_of[number] if range_of else {b for _, b in way}
        if number and len(whole) < 4:
            continue
        candidates = {word for word in (vectors if vocabulary else whole) if word in vectors}
        logs, chances, bests = {}, {}, {}
        for a, b in way:
            here = _unit_or_zero(vectors[a])
            similar = {w: round(float(here @ _unit_or_zero(vectors[w])), 6 if vocabulary else 11)
                       for w in candidates - {a}}  # fmt: skip
            rank = 1 + sum(similar[w] > similar[b] for w in similar)
            rank += (sum(similar[w] == similar[b] for w in similar) - 1) / 2
            logs.setdefault(a, []).append(math.log(rank))
            chances[a] = sum(math.log(r) for r in range(1, len(similar) + 1)) / len(similar)
            bests[a] = sum(math.log(r) for r in range(1, len(logs[a]) + 1)) / len(logs[a])
        if logs:
            above += sum(chances[a] - sum(own) / len(own) for a, own in logs.items()) / len(logs)
            best += sum(chances[a] - bests[a] for a in logs) / len(logs)
    return math.sqrt(len(known)), above, best
