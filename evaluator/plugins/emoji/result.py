"""Emoji models at many learning rates, as `evaluator emoji` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.plugins import Count, Estimate, NonEmpty, Number, ResultFile

MEASURES = {
    "topk": "Topk@3",
    "oddoneout": "OddOneOut@3",
    "combined": "Combined",
    "accuracy": "Accuracy",
    "auc": "AUC",
    "sentiment": "Sentiment",
}
"""What tables call each measure. Accuracy and AUC are of description classification.

Sentiment is measured only if there are labelled texts.
"""


def measured(*, sentiment: bool) -> tuple[str, ...]:
    """The keys of `MEASURES`, with or without the last."""
    return tuple(MEASURES)[: None if sentiment else -1]


class Classification(msgspec.Struct, frozen=True):
    """How well descriptions that fit an emoji are told from those that do not.

    Attributes:
        accuracy: The share of pairs that are told right: one fits if its probability is 0.5 or more.
        auc: The area under the ROC curve: how often one that fits is more probable than one that does not.
        pairs: How many pairs were asked for.
        without_words: How many others had no word with a vector in the description.
        without_emoji: How many others had an emoji without a vector.
    """

    accuracy: Number
    auc: Number
    pairs: Count
    without_words: Count
    without_emoji: Count


class TextScore(Estimate, frozen=True, kw_only=True):
    """How well the labels of texts are predicted from the mean of their words' and emoji's vectors.

    Attributes:
        texts: How many different texts have an emoji, whether it has a vector or not.
        oov: How many of them have no emoji and no word with a vector.
    """

    texts: Count
    oov: Count


class EmojiScores(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the measures say of one emoji model.

    Attributes:
        topk: Topk@3.
        oddoneout: OddOneOut@3, over all pairs.
        combined: The harmonic mean of the two.
        accuracy: Of description classification on the development pairs.
        auc: The same, the area under the ROC curve.
        asked: How many emoji the test set has.
        oov: How many of them lack a vector.
        categories: In how many categories `topk` and `oddoneout` had enough emoji for a score.
        dev: Description classification on the development pairs.
        held_out: The same on the held-out pairs; null if there are none.
        sentiment: Classification of texts; not there if no texts were given.
    """

    topk: Number
    oddoneout: Number
    combined: Number
    accuracy: Number
    auc: Number
    asked: Count
    oov: Count
    categories: Mapping[str, Count] = {}
    dev: Classification
    held_out: Classification | None
    sentiment: TextScore | None = None

    def value(self, measure: str) -> float:
        """The score by a measure of `MEASURES`."""
        found = getattr(self, measure)
        return float(found.value if isinstance(found, TextScore) else found)


class EmojiRun(EmojiScores, frozen=True, kw_only=True):
    """What the measures say of one model of a sweep.

    Attributes:
        rate: The learning rate.
        seed: The seed.
    """

    rate: Annotated[float, msgspec.Meta(gt=0, le=1e308)]
    seed: int


class EmojiReference(EmojiScores, frozen=True, kw_only=True):
    """The same of emoji vectors from elsewhere.

    Attributes:
        vectors: Their name.
    """

    vectors: str


class BestRate(msgspec.Struct, frozen=True):
    """The learning rate that a measure would choose.

    Attributes:
        rate: The learning rate.
        mean: The mean of the measure over the seeds at this rate.
        held_out_accuracy: Mean accuracy on the held-out pairs at this rate; null if there are none.
        held_out_auc: Mean AUC on the held-out pairs at this rate.
    """

    rate: Number
    mean: Number
    held_out_accuracy: Number | None
    held_out_auc: Number | None


class DescriptionCounts(msgspec.Struct, frozen=True):
    """The descriptions that models were trained on.

    Attributes:
        name: The name of the file.
        pairs: How many pairs of a description and an emoji were learnt from.
        without_words: How many were left out, as no word of the description has a vector.
    """

    name: str
    pairs: Count
    without_words: Count


class EmojiTestSet(msgspec.Struct, frozen=True):
    """A test set.

    Attributes:
        name: Its name.
        sha256: The digest of its file.
    """

    name: str
    sha256: str


class EmojiTraining(msgspec.Struct, frozen=True):
    """How models were trained, except for learning rate and seed.

    Attributes:
        epochs: How often each pair was passed.
        batch: How many pairs a step takes.
        ratio: How many descriptions that do not fit were drawn for each pair.
    """

    epochs: Count
    batch: Count
    ratio: Count


class EmojiFile(ResultFile, frozen=True, kw_only=True, tag="emoji", dict=True):
    """What `evaluator emoji` writes.

    Attributes:
        generator: The program and its version.
        descriptions: What was learnt from.
        test_set: The test set of emoji.
        dev: The name of the development pairs.
        held_out: The name of the held-out pairs; null if there are none.
        plan: How models were trained.
        settings: The settings of the scores, as in signatures.
        runs: The models by learning rate and seed.
        best: The learning rate that each measure would choose.
        spearman: The rank correlation over the rates of each measure on categories with each on descriptions;
            null where a curve is flat.
        reference: Emoji vectors from elsewhere, scored in the same way; null if none were given.
        texts: The labelled texts; not there if none were given.
    """

    command: ClassVar[str] = "evaluator emoji"

    version: Literal[1] = 1
    generator: str
    descriptions: DescriptionCounts
    test_set: EmojiTestSet
    dev: str
    held_out: str | None
    plan: EmojiTraining
    settings: Mapping[str, str]
    runs: NonEmpty[EmojiRun]
    best: Mapping[str, BestRate]
    spearman: Mapping[str, Mapping[str, Number | None]]
    reference: EmojiReference | None
    texts: EmojiTestSet | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Check that all rates have equally many models, and that each measure has a best rate."""
        if len({len(values) for values in self.values("topk")}) > 1:
            raise ValueError("runs: must hold equally many models at each rate")
        if len({run.sentiment is None for run in self.runs}) > 1:
            raise ValueError("runs: must all have `sentiment`, or none")
        for measure in self.measures:
            if measure not in self.best or self.best[measure].rate not in self.rates:
                raise ValueError(f"best: {measure} must have one of the rates of `runs`")

    @cached_property
    def rates(self) -> list[float]:
        """The learning rates in ascending order."""
        return sorted({run.rate for run in self.runs})

    @property
    def measures(self) -> tuple[str, ...]:
        """What was measured, keys of `MEASURES`."""
        return measured(sentiment=self.runs[0].sentiment is not None)

    def values(self, measure: str) -> list[list[float]]:
        """The scores by a measure, by rate and seed."""
        return list(_by_rate(self.runs, measure).values())

    def means(self, measure: str) -> list[float]:
        """The mean over the seeds, by rate."""
        return list(means_by_rate(self.runs, measure).values())


def means_by_rate(runs: Iterable[EmojiRun], measure: str) -> dict[float, float]:
    """The mean score by a measure over the seeds, by rate in ascending order."""
    return {rate: sum(values) / len(values) for rate, values in _by_rate(runs, measure).items()}


def _by_rate(runs: Iterable[EmojiRun], measure: str) -> dict[float, list[float]]:
    found: dict[float, list[float]] = {}
    for run in sorted(runs, key=lambda run: run.rate):
        found.setdefault(run.rate, []).append(run.value(measure))
    return found
