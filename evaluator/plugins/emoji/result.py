"""Emoji models at many learning rates, as `evaluator emoji` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import ClassVar, Literal, get_args

import msgspec

from evaluator.plugins import Count, NonEmpty, Number, ResultFile, Scores

On = Literal["categories", "dev", "held-out", "texts"]
"""What a model is scored on: categories of emoji, labelled descriptions, or labelled texts."""

CATEGORY_MEASURES = ("Topk@3", "OddOneOut@3", "Combined")
OTHER_MEASURES = ("Accuracy", "AUC", "Sentiment")  # of description classification, and of a task


class DescriptionCounts(msgspec.Struct, frozen=True):
    """What a file of descriptions has.

    Attributes:
        name: The name of the file.
        pairs: How many pairs of a description and an emoji can be used; to learn from, those that fit.
        without_words: How many were left out, as no word of the description has a vector.
    """

    name: str
    pairs: Count
    without_words: Count


class EmojiFile(ResultFile, frozen=True, kw_only=True, tag="emoji", dict=True):
    """What `evaluator emoji` writes.

    Attributes:
        descriptions: What was learned from.
        labelled: What was classified: the development pairs, and the held-out ones if there are any.
        plan: How models were trained, except for rate and seed: `epochs`, how often each pair was passed;
            `batch`, how many pairs a step takes; `ratio`, how many descriptions that do not fit were drawn
            for each pair.
        results: The scores of each model. Their keys are `on`, what it was scored on, `rate` and `seed`.
        best: The learning rate that each measure would choose.
        spearman: The rank correlation over the rates of each measure on categories with each other one; null
            where a curve is flat.
    """

    command: ClassVar[str] = "evaluator emoji"

    version: Literal[2] = 2
    descriptions: DescriptionCounts
    labelled: Mapping[On, DescriptionCounts]
    plan: Mapping[str, Count]
    results: NonEmpty[Scores]
    best: Mapping[str, Number]
    spearman: Mapping[str, Mapping[str, Number | None]]

    def __post_init__(self) -> None:
        keys = [each.keys for each in self.results]
        if any(each.get("on") not in get_args(On) or not each.keys() >= {"rate", "seed"} for each in keys):
            raise ValueError("results: must have the keys on, rate and seed")
        by_rate = (values_of(self.results, measure).values() for measure in self.measures)
        if len({len(values) for several in by_rate for values in several}) != 1:
            raise ValueError("results: must hold equally many models at each rate")
        for measure in self.measures:
            if self.best.get(measure) not in self.rates:
                raise ValueError(f"best: {measure} must have one of the rates of `results`")

    @cached_property
    def rates(self) -> list[float]:
        """The learning rates in ascending order."""
        return sorted({rate_of(each) for each in self.results})

    @property
    def measures(self) -> list[str]:
        """The texts of the measures."""
        return [each for each in (*CATEGORY_MEASURES, *OTHER_MEASURES) if values_of(self.results, each)]

    def on(self, what: On, rate: float) -> list[Scores]:
        """The scores of the models at a rate, by seed."""
        return [each for each in self.results if each.keys["on"] == what and rate_of(each) == rate]


def rate_of(scores: Scores) -> float:
    """The learning rate of a model."""
    return float(scores.keys["rate"])


def values_of(results: Iterable[Scores], measure: str, *, held_out: bool = False) -> dict[float, list[float]]:
    """The scores of models by a measure, by rate in ascending order and seed."""
    found: dict[float, list[float]] = {}
    for scores in results:
        for score in scores if (scores.keys["on"] == "held-out") == held_out else ():
            if score.measure == measure:
                found.setdefault(rate_of(scores), []).append(score.value)
    return dict(sorted(found.items()))


def means_of(results: Iterable[Scores], measure: str, *, held_out: bool = False) -> dict[float, float]:
    """The mean scores of models over the seeds, by rate in ascending order."""
    by_rate = values_of(results, measure, held_out=held_out)
    return {rate: sum(values) / len(values) for rate, values in by_rate.items()}
