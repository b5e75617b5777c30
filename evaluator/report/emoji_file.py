"""Result files of `evaluator emoji`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluator.results.jsonvalue import JsonValue
from evaluator.results.score_table import check_format
from evaluator.studies.emoji.classification import Classification
from evaluator.studies.emoji.sweep import MEASURES


@dataclass(frozen=True)
class Judged:
    """What the measures say of a model."""

    topk: float
    oddoneout: float
    combined: float
    accuracy: float
    auc: float
    asked: int
    oov: int
    dev: Classification
    held_out: Classification | None


@dataclass(frozen=True)
class Trained(Judged):
    """The same of a model of the sweep."""

    rate: float
    seed: int


@dataclass(frozen=True)
class Reference(Judged):
    """The same of vectors of other origin."""

    vectors: str


@dataclass(frozen=True)
class Best:
    """The rate that a measure would choose, and how good it is on the held-out pairs."""

    rate: float
    mean: float
    held_out_accuracy: float | None
    held_out_auc: float | None


@dataclass(frozen=True)
class Learnt:
    """What models were trained on."""

    name: str
    pairs: int
    without_words: int


@dataclass(frozen=True)
class Asked:
    """The test set."""

    name: str
    sha256: str


@dataclass(frozen=True)
class Training:
    """How models were trained."""

    epochs: int
    batch: int
    ratio: int


@dataclass(frozen=True)
class EmojiFile:
    """A result file; see `evaluator.studies.emoji.Sweep`."""

    generator: str
    descriptions: Learnt
    test_set: Asked
    dev: str
    held_out: str | None
    plan: Training
    settings: Mapping[str, str]
    runs: Sequence[Trained]
    best: Mapping[str, Best]
    spearman: Mapping[str, Mapping[str, float | None]]
    reference: Reference | None


@dataclass(frozen=True)
class Curves:
    """What the figure is drawn from."""

    found: EmojiFile

    @cached_property
    def rates(self) -> list[float]:
        """The learning rates, rising."""
        return sorted({run.rate for run in self.found.runs})

    def values(self, measure: str) -> list[list[float]]:
        """What a measure says, by rate and seed."""
        return [
            [getattr(run, measure) for run in self.found.runs if run.rate == rate_] for rate_ in self.rates
        ]

    def means(self, measure: str) -> list[float]:
        """The mean over the seeds, by rate."""
        return [sum(values) / len(values) for values in self.values(measure)]

    def best(self, measure: str) -> int:
        """The place of the rate at which the mean is highest."""
        means = self.means(measure)
        return means.index(max(means))


def read_emoji(file: JsonValue) -> EmojiFile:
    """Read `emoji.json` of `evaluator emoji`.

    Raises:
        ResultsError: It is something else, or lacks something.
    """
    check_format(file, "emoji", 1, "evaluator emoji")
    found = file.read(EmojiFile)
    runs = file.at("runs").elements() or file.at("runs").fail("is empty; there is nothing to show")
    seeds = [len(values) for values in Curves(found).values("topk")]
    for run in runs:
        if run.at("rate").value <= 0:
            run.at("rate").fail("must be above 0")
    if len(set(seeds)) > 1:
        file.at("runs").fail("must hold equally many models at each rate")
    for measure in MEASURES:
        file.at("best").at(measure)
    return found
