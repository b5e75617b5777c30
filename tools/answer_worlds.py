"""Answers of a language model that are drawn from a population, so that the true accuracy can be known."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from evaluator.plugins.lm_results import Accuracy, Answer, score_answers
from evaluator.results.score import Score

K = 3
"""How many words of a question belong together."""

_OF_CATEGORIES, _NORMAL = 0.8, 1.959964  # σ of the categories' difficulty, in logits

Cell = tuple[int, int, float, float]
"""The number of categories, of words of each, how good the model is, and the σ of the words' difficulty."""


def answers(generator: np.random.Generator, cell: Cell, *, other_categories: bool) -> Iterator[Answer]:
    """Answers to odd-one-out questions, which replace each word of a category once.

    A question is right by guessing, or with a probability that depends on its category and its words.
    """
    number, size, base, words = cell
    of_categories = generator if other_categories else np.random.default_rng([5, number])
    easy = of_categories.normal(0, _OF_CATEGORIES, number)
    known = generator.normal(0, words, (number, size))
    for category in range(number):
        for replaced in range(size):
            kept = generator.choice([word for word in range(size) if word != replaced], K, replace=False)
            other, odd = (category + 1 + generator.integers(number - 1)) % number, generator.integers(size)
            logit = base + easy[category] + (known[category, kept].sum() + known[other, odd]) / 2
            right = (1 + K / (1 + math.exp(-logit))) / (1 + K)
            asked = (*(f"{category}-{word}" for word in kept), f"{other}-{odd}")
            hit = float(generator.random() < right)
            yield Answer("m", "odd_one_out", "acc", "la", str(category), "", K + 1, asked, hit)


def of_answers(cell: Cell, worlds: int) -> list[dict[str, Any]]:
    """How often intervals contain the truth, and those of the same number of independent questions."""
    categories, size, base, words = cell
    found: dict[str, Any] = {"categories": categories, "size": size, "base": base, "words": words}
    found["worlds"] = worlds
    for kind, naive in (("words", "naive"), ("categories", "naive categories")):
        scores: list[Score] = []
        for number in range(worlds):
            generator = np.random.default_rng([31, number, categories, size])
            drawn = answers(generator, cell, other_categories=kind == "categories")
            scores.append(score_answers(drawn)[0][str(Accuracy())])
        truth = float(np.mean([each.value for each in scores]))
        all_spans = (each.category_interval if kind == "categories" else each.interval for each in scores)
        spans = [span for span in all_spans if span is not None]
        if len(spans) == worlds:
            found.setdefault("truth", truth)
            found[f"of {kind}"] = float(np.mean([low <= truth <= high for low, high in spans]))
            found[f"width of {kind}"] = float(np.mean([high - low for low, high in spans]))
            found[naive] = float(np.mean([_independent(each, truth) for each in scores]))
    return [found]


def _independent(score: Score, truth: float) -> bool:
    """Whether the interval of independent questions contains the truth."""
    error = math.sqrt(score.value * (1 - score.value) / ((score.trials or 0) - 1))
    return abs(score.value - truth) <= _NORMAL * error
