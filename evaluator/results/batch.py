"""Scores of many models, as `evaluator score --output` writes them: settings, then a line for each result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import ClassVar, Literal

import msgspec
from msgspec.structs import replace

from evaluator.results.scores import ModelFailure, Scores, ScoresFile
from evaluator.settings import Settings


class ScoredLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: a model's scores on a test set, or why there are none.

    Attributes:
        vectors: The path or the URL of the vectors.
        test: That of the test set; null if the vectors could not be loaded.
        state: The time of change and the size of both files, as far as they are files.
        scores: The scores, with the file name of the vectors as that of the model.
        reason: Why there are no scores.
    """

    vectors: str
    test: str | None = None
    state: tuple[int, ...] = ()
    scores: Scores | None = None
    reason: str | None = None


class BatchFile(ScoresFile, frozen=True, kw_only=True, tag="score lines"):
    """What `evaluator score --output` writes: the first line, and one for each model and test set.

    Attributes:
        measures: What models are scored by; null for what is usual for each test set.
        settings: What holds for all scores.
        reading: How files are read.
        versions: Those of evaluator, gensim and numpy that scores were computed with: one set of them.
        commands: The arguments of the commands that computed them, without where results go.
        lines: Those after the first, which `results` and `failures` are made of. Of several
            for a model and a test set the last one counts.
    """

    command: ClassVar[str] = "evaluator score --output"

    version: Literal[4] = 4
    results: tuple[Scores, ...] = ()
    measures: tuple[str, ...] | None
    settings: Settings
    reading: Mapping[str, str]
    versions: tuple[Mapping[str, str], ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    lines: tuple[ScoredLine, ...] = ()

    def with_lines(self, lines: Sequence[ScoredLine]) -> BatchFile:
        """The same, and what lines say; models of the same file name are told apart by their paths."""
        last: dict[tuple[str, str | None], ScoredLine] = {}
        for line in lines:
            last.pop((line.vectors, None), None)  # since then the vectors could be loaded, or could not again
            last[line.vectors, line.test] = line
        kept = tuple(last.values())
        names = _names(kept)
        return replace(
            self,
            lines=kept,
            results=tuple(
                line.scores
                if line.scores.model == names[line.vectors]
                else replace(line.scores, model=names[line.vectors])
                for line in kept
                if line.scores is not None
            ),
            failures=tuple(
                ModelFailure(line.vectors, line.test and PurePosixPath(line.test).name, line.reason)
                for line in kept
                if line.reason is not None
            ),
        )


def _names(lines: Sequence[ScoredLine]) -> dict[str, str]:
    """The name of each model; its path if another of that name was scored on the same test set."""
    short = {line.vectors: PurePosixPath(line.vectors).name for line in lines}
    short |= {line.vectors: line.scores.model for line in lines if line.scores is not None}
    scored: defaultdict[tuple[str, str | None], set[str]] = defaultdict(set)
    for line in lines:
        scored[short[line.vectors], line.test].add(line.vectors)
    twice = {name for (name, _), paths in scored.items() if len(paths) > 1}
    return {path: path if name in twice else name for path, name in short.items()}
