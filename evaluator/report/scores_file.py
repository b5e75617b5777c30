"""Result files of `evaluator score --json`, with all that a report shows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from evaluator.report.commands import settings_of
from evaluator.results.jsonvalue import JsonValue
from evaluator.results.score_table import COMMAND, FORMAT, VERSION, check_format
from evaluator.studies.languages.differences import SIGNIFICANT, holm


@dataclass(frozen=True)
class PartScore:
    """What a measure says of a part; see `evaluator.measures.base.Subscore`."""

    name: str
    size: int
    oov: int
    value: float | None
    low: float | None
    high: float | None
    chance: float | None
    skipped: str | None
    hits: int | None = None
    trials: int | None = None
    error: float | None = None
    extra: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class MeasureScore:
    """What a measure says of vectors on a test set; see `evaluator.studies.scoring.Score`."""

    measure: str
    value: float
    low: float
    high: float
    chance: float | None
    unit: str
    signature: str
    parts: Sequence[PartScore]


@dataclass(frozen=True)
class CombinedScore:
    """Combined, and its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Run:
    """The scores of some vectors on one test set; see `evaluator.studies.scoring.Scores`."""

    vectors: str
    vocabulary: int
    dimension: int
    test_set: str
    language: str
    sha256: str
    combined: CombinedScore | None
    scores: Sequence[MeasureScore]
    multiword: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def settings(self) -> dict[str, str]:
        """What held for all its scores."""
        known = settings_of(self.scores[0].signature)
        return {key: value for key, value in known.items() if key not in ("test", "seed")}

    @property
    def task(self) -> tuple[str, ...]:
        """What must be the same where runs are compared."""
        settings = (f"{key} {value}" for key, value in self.settings.items())
        return (self.test_set, self.language, self.sha256, *settings)


@dataclass(frozen=True)
class TestedDifference:
    """How much the second of two models is better; see `evaluator.statistics.resampling.Difference`."""

    test_set: str
    measure: str
    first: str
    second: str
    value: float
    low: float
    high: float
    p: float
    parts: int
    units: int


@dataclass(frozen=True)
class ScoresFile:
    """A result file.

    Attributes:
        results: One for each model and test set.
        differences: Of all models to the first.
    """

    results: Sequence[Run]
    differences: Sequence[TestedDifference] = ()

    @cached_property
    def corrected(self) -> dict[TestedDifference, float]:
        """P-values corrected for all models that were tested on a test set by a measure (Holm 1979)."""
        tests: dict[tuple[str, str], list[TestedDifference]] = {}
        for each in self.differences:
            tests.setdefault((each.test_set, each.measure), []).append(each)
        return {
            each: p
            for own in tests.values()
            for each, p in zip(own, holm([one.p for one in own]), strict=True)
        }

    def better(self, test_set: str, measure: str, one: str, other: str) -> bool | None:
        """Whether one model is significantly better than another; None if that was not tested."""
        for each, p in self.corrected.items():
            if (each.test_set, each.measure) == (test_set, measure) and {each.first, each.second} == {
                one,
                other,
            }:
                gain = each.value if each.second == one else -each.value
                return gain > 0 and p < SIGNIFICANT
        return None


def read_scores(file: JsonValue) -> ScoresFile:
    """Read what `evaluator score --json` wrote.

    Raises:
        ResultsError: It is something else, or lacks something.
    """
    check_format(file, FORMAT, VERSION, COMMAND)
    found = file.read(ScoresFile)
    for run in file.at("results").elements() or file.at("results").fail("is empty; there is nothing to show"):
        run.at("scores").elements() or run.at("scores").fail("is empty; there is nothing to show")
    return found
