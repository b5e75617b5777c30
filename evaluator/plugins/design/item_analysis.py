"""Item analysis: which words and categories of a test set tell good models from bad ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from evaluator.plugins import Score, ScoreError, Scores, Subscore, listed, observations_of
from evaluator.plugins.design.result import ItemFigures, ItemsFile

_LEAST_MODELS = 4  # for the interval of a correlation

Point = tuple[float, float | None, float]
"""The score of an item by a model, that of the rest of the test set, and the chance level of the item."""


def items(results: Iterable[Scores]) -> ItemsFile:
    """How each category and word does in several models, and whether it agrees with the rest of the test set.

    The discrimination of an item is the correlation, over models, of its score with that of the test set
    without it (the corrected item-total correlation; Henrysson 1963), as one of ranks. A word is the item
    that its category counts; its score is the share of its comparisons that are right.

    Args:
        results: Of several models on the same test sets. Words need scores as `score` gives them, with
            `shares`; for scores out of files there are only categories.

    Raises:
        ScoreError: These are no scores; or there are fewer than two models of every test set and measure.
    """
    together: dict[tuple[str, str, str], list[Score]] = {}
    for scores in listed(results):
        for each in scores.measured:
            together.setdefault((scores.test_set, scores.language, each.measure), []).append(each)
    found = [
        figures
        for (test_set, language, measure), own in together.items()
        if len(own) > 1
        for figures in _of_measure(own, {"test_set": test_set, "language": language, "measure": measure})
    ]
    if not found:
        raise ScoreError("items are compared over models: give two models or more of one test set")
    return ItemsFile(items=tuple(found))


def _of_measure(scores: Sequence[Score], which: dict[str, str]) -> Iterator[ItemFigures]:
    """The figures of all categories and words, by one measure."""
    weights = [math.fsum(each.weight for each in own.subscores if each.value is not None) for own in scores]
    for name in dict.fromkeys(each.name for own in scores for each in own.subscores):
        parts = [
            (own, each, each.weight / weight)
            for own, weight in zip(scores, weights, strict=True)
            for each in own.subscores
            if each.name == name and each.value is not None
        ]
        if not parts:
            continue
        of = {**which, "category": name, "title": parts[0][1].heading, "models": len(parts)}
        yield _figures(of, None, [_of_category(*part) for part in parts if part[1].known])
        if any(each.observations is None for _, each, _ in parts):
            continue
        for word in dict.fromkeys(word for _, each, _ in parts for word in observations_of(each).shares):
            knowing = [part for part in parts if _knows(part[1], word)]
            yield _figures(of, word, [_of_word(*part, word) for part in knowing])


def _knows(subscore: Subscore, word: str) -> bool:
    found = observations_of(subscore)
    return word in found.shares and word not in found.unknown


def _of_category(score: Score, subscore: Subscore, weight: float) -> Point:
    value = subscore.value or 0.0
    rest = (score.value - weight * value) / (1 - weight) if weight < 1 - 1e-9 else None
    return value, rest, subscore.chance or 0.0


def _of_word(score: Score, subscore: Subscore, weight: float, word: str) -> Point:
    """The rest is without the word, by the jackknife."""
    found = observations_of(subscore)
    n = len(found.influences)
    without = found.influences[word] * math.sqrt(n / (n - 1)) if n > 1 else 0.0
    return found.shares[word], score.value - weight * without, subscore.chance or 0.0


def _figures(of: dict[str, Any], word: str | None, points: Sequence[Point]) -> ItemFigures:
    pairs = [(value, rest) for value, rest, _ in points if rest is not None]
    r = spearman(pairs) if len(pairs) >= _LEAST_MODELS else None
    low, high = (None, None) if r is None else spearman_interval(r, len(pairs))
    return ItemFigures(
        **of,
        word=word,
        known=len(points),
        above=sum(value > chance for value, _, chance in points),
        value=math.fsum(value for value, *_ in points) / len(points) if points else None,
        discrimination=r,
        low=low,
        high=high,
    )


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation; None if all values of one side are equal."""
    from scipy.stats import spearmanr

    first, second = zip(*pairs, strict=True)
    constant = len(set(first)) == 1 or len(set(second)) == 1
    return None if constant else float(spearmanr(first, second).statistic)


def spearman_interval(value: float, n: int) -> tuple[float, float]:
    """The 95% confidence interval of a rank correlation: Fisher's z with the variance (1+r²/2)/(n-3).

    The source is Bonett & Wright 2000, "Sample Size Requirements for Estimating Pearson, Kendall and Spearman
    Correlations".
    """
    middle = np.arctanh(np.clip(value, -1 + 1e-9, 1 - 1e-9))
    half = 1.959964 * np.sqrt((1 + value**2 / 2) / (n - 3))
    return float(np.tanh(middle - half)), float(np.tanh(middle + half))
