"""Scores of many models, as `evaluator batch` writes them: the settings, then a model in each line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePosixPath
from typing import ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from evaluator.results.base import Count, Estimate, Name, Number, ResultFile
from evaluator.results.scores import Failure, ScoreRecord, ScoresRecord, ScoreValue, SubscoreRecord
from evaluator.settings import Settings


class LineScore(msgspec.Struct, frozen=True, kw_only=True):
    """What one measure says of a model on a test set, without intervals, which take longer than scores.

    Attributes:
        measure: The text of the measure.
        value: The score.
        chance: The chance level.
        oov: How many words, questions, pairs or texts lack a vector.
        words: Of how many.
        signature: All that is needed to get the score again from the same vectors.
        subscores: The score on each category, section, list of pairs or group; null if it was skipped.
    """

    measure: Name
    value: ScoreValue
    chance: Number | None
    oov: Count
    words: Count
    signature: Name
    subscores: Mapping[str, ScoreValue | None]


class LineResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The scores of a model on one test set, or why there are none.

    Attributes:
        test_set: The name of the test set.
        language: Its language code.
        sha256: The digest of the test set's file.
        combined: The harmonic mean of Topk and OddOneOut; null where one is missing.
        scores: One for each measure that could be scored.
        failures: The measures that could not be scored.
        error: Why the model could not be scored on this test set at all.
        dropped: What was wrong with the lines of the test set that were left out, as asked for.
    """

    test_set: str
    language: str = ""
    sha256: str = ""
    combined: Number | UnsetType | None = UNSET
    scores: tuple[LineScore, ...] = ()
    failures: tuple[Failure, ...] = ()
    error: str | None = None
    dropped: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the model could not be scored, or could not by some measures."""
        return (*(each.reason for each in self.failures), *([] if self.error is None else [self.error]))


class ModelLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: a model and its scores on all of its test sets, or why there are none.

    Attributes:
        vectors: The path or the URL of the vectors.
        tests: The paths or URLs of the test sets.
        vocabulary: How many words the vectors have.
        dimension: d of the vectors.
        results: One for each of the test sets.
        error: Why the vectors could not be loaded.
        dropped: How many bad rows of the vectors were left out, as asked for.
    """

    vectors: str
    tests: tuple[str, ...]
    vocabulary: Count | None = None
    dimension: Count | None = None
    results: tuple[LineResult, ...] = ()
    error: str | None = None
    dropped: Count = 0

    @property
    def failures(self) -> list[str]:
        """What could not be scored, and why."""
        if self.error is not None:
            return [told(self.vectors, None, self.error)]
        return [told(self.vectors, each.test_set, reason) for each in self.results for reason in each.reasons]

    @property
    def left_out(self) -> list[str]:
        """Which rows of the vectors and lines of the test sets were left out."""
        own = [f"{self.vectors}: bad rows left out: {self.dropped}"] if self.dropped else []
        return own + [f"left out: {line}" for each in self.results for line in each.dropped]


class ScoreLines(ResultFile, frozen=True, kw_only=True, tag="score lines", dict=True):
    """What `evaluator batch` writes; `models` are the lines after the first, the rest is the first line.

    Attributes:
        measures: What models are scored by; null for what is usual for each test set.
        settings: What holds for all scores.
        reading: How files are read.
        versions: Those of evaluator, gensim and numpy that scores were computed with; several if a batch was
            resumed with others.
        models: One for each model: its last line, if it has several.
    """

    command: ClassVar[str] = "evaluator batch"

    version: Literal[3] = 3
    measures: tuple[str, ...] | None
    settings: Settings
    reading: Mapping[str, str]
    versions: tuple[Mapping[str, str], ...] = ()
    models: tuple[ModelLine, ...] = ()

    @cached_property
    def results(self) -> list[ScoresRecord]:
        """All scores, as `evaluator score` has them; models of the same file name are told apart by paths."""
        names = _names(self.models)
        return [
            _record(names[model.vectors], model, result)
            for model in self.models
            for result in model.results
            if result.scores
        ]


def told(vectors: str, test_set: str | None, reason: str) -> str:
    """Why a model could not be scored, on a test set or at all; what the reason names is not named twice."""
    if test_set is None:
        return reason if vectors in reason else f"{vectors}: {reason}"
    return f"{vectors}{'' if test_set in reason else f' on {test_set}'}: {reason}"


def _names(models: tuple[ModelLine, ...]) -> dict[str, str]:
    """The file name of each model; its path if another of that name was scored on the same test set."""
    short = {model.vectors: PurePosixPath(model.vectors).name for model in models}
    scored = Counter((short[model.vectors], test) for model in models for test in model.tests)
    twice = {name for (name, _), number in scored.items() if number > 1}
    return {path: path if name in twice else name for path, name in short.items()}


def _record(name: str, model: ModelLine, result: LineResult) -> ScoresRecord:
    return ScoresRecord(
        vectors=name,
        vocabulary=model.vocabulary,
        dimension=model.dimension,
        test_set=result.test_set,
        language=result.language,
        sha256=result.sha256,
        combined=Estimate(result.combined) if isinstance(result.combined, float) else None,
        scores=tuple(_score(each) for each in result.scores),
        failures=result.failures,
    )


def _score(found: LineScore) -> ScoreRecord:
    return ScoreRecord(
        measure=found.measure,
        value=found.value,
        chance=found.chance,
        signature=found.signature,
        subscores=tuple(SubscoreRecord(name=name, value=value) for name, value in found.subscores.items()),
    )
