"""Result files of all kinds, read with the types that they are written with."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
from msgspec import UNSET

from evaluator.errors import ResultsError, plain_error
from evaluator.execution.inputs import opened
from evaluator.execution.plugins import load_plugin, plugin_names
from evaluator.results.base import UNFINISHED, ResultFile, digest_of, format_of, is_unchanged
from evaluator.results.score_lines import BatchFile, ScoredLine
from evaluator.results.scores import ModelFailure, Scores, frame_of

if TYPE_CHECKING:
    import pandas as pd


GROUP = "evaluator.results"  # the entry points by which other packages add kinds of result files

KINDS = {
    "scores": "evaluator.results.scores:ScoresFile",
    "score lines": "evaluator.results.score_lines:BatchFile",
    "composite": "evaluator.results.composite:Composite",
    "coverage": "evaluator.results.coverage:CoverageFile",
    "corpus": "evaluator.results.coverage:CorpusFile",
    "curve": "evaluator.results.curve:CurveFile",
    "tuning": "evaluator.results.tuning:TuningFile",
    "comparison": "evaluator.results.comparison:ComparisonFile",
    "average": "evaluator.results.models:AverageFile",
    "training": "evaluator.results.models:TrainingFile",
}
"""Evaluator's own kinds by their `format`, in the order in which a report shows them."""

T = TypeVar("T")

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""One path or several."""


def formats() -> list[str]:
    """The `format` of all kinds of result files, those of other packages last."""
    return plugin_names(GROUP, KINDS)


def kind_of(format_: str) -> type[ResultFile] | None:
    """The kind of result files of a format; None if there is no such format."""
    return cast("type[ResultFile] | None", load_plugin(GROUP, format_, KINDS, _problem))


def _problem(name: str, loaded: object) -> str | None:
    fits = isinstance(loaded, type) and issubclass(loaded, ResultFile) and format_of(loaded) == name
    return None if fits else f"is not a class derived from evaluator.plugins.ResultFile with the tag {name!r}"


def version_of(kind: type[ResultFile]) -> int:
    """The `version` that files of a kind have."""
    return int(next(each.default for each in msgspec.structs.fields(kind) if each.name == "version"))


class Results(tuple[ResultFile, ...]):
    """The contents of result files: a `ScoresFile`, a `CurveFile`, and so on; see docs/report.md."""

    __slots__ = ()

    @property
    def scores(self) -> list[Scores]:
        """All scores in the files, whatever their kind."""
        found = (each for file in self for each in getattr(file, "results", ()))
        return [each for each in found if isinstance(each, Scores)]

    def frame(self) -> pd.DataFrame:
        """One long table of all scores in the files; see `Scores.frame`."""
        failures = (each for file in self for each in getattr(file, "failures", ()))
        totals = (each for file in self for each in getattr(file, "over_languages", ()))
        return frame_of(
            [*self.scores, *totals], (each for each in failures if isinstance(each, ModelFailure))
        )


def read_results(*paths: str | os.PathLike[str]) -> Results:
    """Read result files of any kind: what the commands of evaluator wrote.

    Args:
        paths: JSON files, and the JSON lines of `evaluator score --output`.

    Returns:
        What each file holds, and one table of all scores in them.

    Raises:
        ResultsError: There are no paths; or a file cannot be read, is not a result file, or something in it
            is wrong. The message names file and JSON path.
    """
    if not paths:
        raise ResultsError("no result files given; name files that evaluator wrote")
    return Results(parse_results(read_content(path), str(path)) for path in paths)


def read_content(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a result file."""
    if not isinstance(path, str | os.PathLike):
        raise ResultsError(f"this is of type {type(path).__name__}; give the path of a result file")
    try:
        return opened("results", path).read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror or error}") from error


def result_files(sources: Sequence[Path]) -> list[tuple[str, Path]]:
    """The names and paths of all files that may hold results, in folders and below them."""
    found: dict[str, Path] = {}
    for source in sources:
        if not source.is_dir():
            found[source.as_posix()] = source
            continue
        for path in sorted(source.rglob("*")):
            inside = path.relative_to(source)
            hidden = any(part.startswith(".") for part in inside.parts)
            if path.suffix in (".json", ".jsonl") and path.is_file() and not hidden:
                found[(inside if len(sources) == 1 else path).as_posix()] = path
    if not found:
        raise ResultsError(f"{', '.join(map(str, sources))}: no .json or .jsonl files; name another folder")
    return list(found.items())


def parse_results(content: bytes, file: str) -> ResultFile:
    """The content of a result file, in UTF-8, or in UTF-16 as PowerShell writes it; `file` is its name."""
    if not content.strip():
        raise ResultsError(f"{file}: the file is empty; did the run that should have written it fail?")
    try:
        text = content.decode(json.detect_encoding(content))
    except UnicodeDecodeError as error:
        raise ResultsError(f"{file}: not JSON: {error}; is it a result file?") from error
    first, _, others = text.partition("\n")
    if f'"{format_of(BatchFile)}"' in first:
        return _batch(first, others, file)
    value = loads(text, file)
    found = converted(value, _kind_in(value, file), file)
    if found.sha256 not in (UNSET, digest_of(value)):
        raise ResultsError(
            f"{file}: was changed since it was written, going by its digest; run the command again, or "
            "delete its key sha256 if the change is right"
        )
    return found


def _batch(first: str, others: str, file: str) -> BatchFile:
    """What `evaluator score --output` wrote."""
    head = loads(first, file)
    _kind_in(head, file)
    batch, (*whole, rest) = converted(head, BatchFile, file), others.split("\n")
    if rest and is_unchanged(f"{rest.rstrip()}\n".encode()):  # an editor took away the end of the line
        whole.append(rest)
    elif rest.strip() or not whole:
        raise ResultsError(f"{file}: line {len(whole) + 2} {UNFINISHED}")
    lines = [
        converted(loads(line, f"{file}: line {number}"), ScoredLine, f"{file}: line {number}")
        for number, line in enumerate(whole, 2)
    ]
    for number, line in enumerate([first, *whole], 1):
        if not is_unchanged(f"{line.rstrip()}\n".encode()):
            raise ResultsError(f"{file}: line {number} was changed, going by its digest; score them again")
    return batch.with_lines(lines)


def loads(text: str, file: str) -> Any:  # noqa: ANN401  # JSON
    """A JSON value; `file` is its name in error messages."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = " (of several runs, write each to a file of its own)" if "Extra data" in str(error) else ""
        raise ResultsError(f"{file}: not JSON: {error}; is the file complete?{hint}") from error
    if "\\ud" in text.lower():  # names of files that are not UTF-8 hold halves of characters
        value = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    return value


def _kind_in(value: Any, file: str) -> type[ResultFile]:  # noqa: ANN401  # JSON
    if not isinstance(value, dict):
        raise ResultsError(f"{file}: $: is not a result of evaluator; give a file that it wrote")
    named = value.get("format")
    kind = kind_of(named) if isinstance(named, str) else None
    if kind is None:
        known = ", ".join(map(json.dumps, formats()))
        raise ResultsError(f"{file}: $.format: must be one of {known}; give a file that evaluator wrote")
    version = value.get("version")
    if type(version) is not int:
        problem = "must be a whole number" if "version" in value else "is missing"
        raise ResultsError(f"{file}: $.version: {problem}; give a file that evaluator wrote")
    reads = version_of(kind)
    if version != reads:
        what = "update evaluator" if version > reads else f"run `{kind.command}` again"
        raise ResultsError(f"{file}: $.version: is {version}, and this evaluator reads {reads}; {what}")
    return kind


def converted(value: Any, kind: type[T], file: str) -> T:  # noqa: ANN401  # JSON
    """A JSON value as what it should be; `file` is its name in error messages."""
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        problem = plain_error(str(error), value, "; was the file changed by hand?")
        raise ResultsError(f"{file}: {problem}") from error
