"""Scores of many models, a line for each model and test set, as `evaluator score --output` writes them."""

from __future__ import annotations

import base64
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from evaluator.errors import ResultsError
from evaluator.execution.inputs import joined_sha256
from evaluator.measures.base import Observations, joined
from evaluator.results.scores import ModelFailure, Scores, ScoresFile
from evaluator.settings import Settings

_Packed = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]
"""Of a subscore: rows of names, their influences, rows of the unknown, rows and influences outside, rows
of those that others decide, and of these others."""


def pack(scores: Scores) -> str:
    """The observations of all scores by measures, for a line of JSON, which is then at most twice as long.

    Names stand once, and numbers in eight bytes each, so that tests give the same digits as without a file.
    """
    rows: dict[str, int] = {}

    def numbered(names: Iterable[str]) -> bytes:
        return np.array([rows.setdefault(each, len(rows)) for each in names], dtype="<u4").tobytes()

    def numbers(values: Iterable[float]) -> bytes:
        return np.array([*values], dtype="<f8").tobytes()

    found: list[list[_Packed | None]] = [
        [
            None
            if (own := each.observations) is None
            else (
                *(numbered(own.influences), numbers(own.influences.values()), numbered(own.unknown)),
                *(numbered(own.outside), numbers(own.outside.values())),
                numbered(name for name, others in own.decided_by.items() for _ in others),
                numbered(other for others in own.decided_by.values() for other in others),
            )
            for each in score.subscores
        ]
        for score in scores.measured
    ]
    content = zlib.compress(msgspec.msgpack.encode((list(rows), found)), 6)
    return base64.b64encode(content).decode("ascii")


def unpack(scores: Scores, text: str) -> Scores:
    """The scores with the observations that `pack` gave.

    Raises:
        ResultsError: The text is not what `pack` gave for these scores.
    """
    try:
        content = zlib.decompress(base64.b64decode(text))
        names, found = msgspec.msgpack.decode(content, type=tuple[list[str], list[list[_Packed | None]]])
        by_measure = {
            score.measure: tuple(
                replace(sub, observations=None if own is None else _observations(names, own))
                for sub, own in zip(score.subscores, of_score, strict=True)
            )
            for score, of_score in zip(scores.measured, found, strict=True)
        }
    except (ValueError, zlib.error, msgspec.MsgspecError, IndexError) as error:
        raise ResultsError(
            f"{scores.model} on {scores.test_set}: observations are damaged ({error})"
        ) from error
    every = (replace(each, subscores=by_measure.get(each.measure, each.subscores)) for each in scores)
    return replace(scores, scores=tuple(every))


def _observations(names: Sequence[str], own: _Packed) -> Observations:
    def named(content: bytes) -> Iterator[str]:
        return (names[row] for row in np.frombuffer(content, "<u4").tolist())

    def values(content: bytes) -> list[float]:
        return list(np.frombuffer(content, "<f8").tolist())

    words, influences, unknown, others, outside, decided, deciding = own
    return Observations(
        dict(zip(named(words), values(influences), strict=True)),
        tuple(named(unknown)),
        dict(zip(named(others), values(outside), strict=True)),
        decided_by=joined((name, (by,)) for name, by in zip(named(decided), named(deciding), strict=True)),
    )


class ScoredLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: a model's scores on a test set, or why there are none.

    Attributes:
        vectors: The path or the URL of the vectors.
        test: That of the test set; null if the vectors could not be loaded.
        scores: The scores, with the file name of the vectors as that of the model.
        reason: Why there are no scores.
        packed: What the scores vary with, as `pack` gives it; models are compared by it.
        vocabulary: The digest of the words of the model other than test words; "" if it knows no test word,
            or was asked common words only.
        models_sha256: The beginning of a digest of all models whose common words were the candidates; "" if
            these were not.
        again: Whether the model was scored again among these, to be compared.
    """

    vectors: str
    test: str | None = None
    scores: Scores | None = None
    reason: str | None = None
    packed: str = ""
    vocabulary: str = ""
    models_sha256: str = ""
    again: bool = False

    @classmethod
    def of(cls, vectors: str, test: str, scores: Scores, **more: Any) -> ScoredLine:  # noqa: ANN401  # attributes
        """The line of scores with their observations."""
        return cls(vectors=vectors, test=test, scores=scores.record(), packed=pack(scores), **more)

    @property
    def comparable(self) -> Scores | None:
        """The scores with their observations, which tests of differences need; None if it has none."""
        if self.scores is None or not self.packed:
            return None
        return unpack(self.scores, self.packed)


class BatchFile(ScoresFile, frozen=True, kw_only=True, tag="score lines"):
    """What `evaluator score --output` writes: the first line, and one for each model and test set.

    Attributes:
        measures: What models are scored by; null for what is usual for each test set.
        settings: What holds for all scores.
        reading: How files are read.
        versions: Those of evaluator, gensim and numpy that scores were computed with: one set of them.
        commands: The arguments of the commands that computed them, without where results go.
        lines: Those after the first, which `results` and `failures` are made of. Of several for a model, a
            test set, and whether it was scored again, the last one counts.
        notes: Which models were not compared, and why.
    """

    command: ClassVar[str] = "evaluator score --output"

    version: Literal[7] = 7  # type: ignore[assignment]  # of this format
    results: tuple[Scores, ...] = ()
    measures: tuple[str, ...] | None
    settings: Settings
    reading: Mapping[str, str]
    versions: tuple[Mapping[str, str], ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    lines: tuple[ScoredLine, ...] = ()
    notes: tuple[str, ...] = ()

    def with_lines(self, lines: Sequence[ScoredLine]) -> BatchFile:
        """The same, and what lines say; models of the same file name are told apart by their paths."""
        last: dict[tuple[str, str | None, bool], ScoredLine] = {}
        for line in lines:
            # Since then the vectors could be loaded, or could not again.
            last.pop((line.vectors, None, False), None)
            last[line.vectors, line.test, line.again] = line
        kept = tuple(last.values())
        first = [line for line in kept if not line.again]
        names = names_of(first)
        return replace(
            self,
            lines=kept,
            results=tuple(
                replace(line.scores, model=names[line.vectors]) for line in first if line.scores is not None
            ),
            failures=tuple(
                ModelFailure(line.vectors, line.test and PurePosixPath(line.test).name, line.reason)
                for line in first
                if line.reason is not None
            ),
        )


def names_of(lines: Sequence[ScoredLine]) -> dict[str, str]:
    """The name of each model; its path if another of that name was scored on the same test set."""
    short = {line.vectors: PurePosixPath(line.vectors).name for line in lines}
    short |= {line.vectors: line.scores.model for line in lines if line.scores is not None}
    scored: defaultdict[tuple[str, str | None], set[str]] = defaultdict(set)
    for line in lines:
        scored[short[line.vectors], line.test].add(line.vectors)
    twice = {name for (name, _), paths in scored.items() if len(paths) > 1}
    return {path: path if name in twice else name for path, name in short.items()}


def digest_of_models(digests: Iterable[str]) -> str:
    """The first digits of a SHA-256 of those of models, in any order."""
    return joined_sha256(sorted(digests))[:16]
