"""Result files: all kinds of them, read and written by the same types."""

from __future__ import annotations

import json
import math
import re
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from evaluator.errors import EvaluatorError, ResultsError
from evaluator.results.base import ResultFile
from evaluator.results.comparison import ComparisonFile
from evaluator.results.composite import Composite
from evaluator.results.coverage import CorpusFile, CoverageFile
from evaluator.results.curve import CurveFile
from evaluator.results.emoji import EmojiFile
from evaluator.results.probes import ProbesFile
from evaluator.results.score_lines import ModelLine, ScoreLines
from evaluator.results.scores import ScoresFile
from evaluator.results.tuning import TuningFile

KINDS: tuple[type[ResultFile], ...] = (
    ScoresFile,
    ScoreLines,
    Composite,
    CoverageFile,
    CorpusFile,
    CurveFile,
    TuningFile,
    ComparisonFile,
    EmojiFile,
    ProbesFile,
)
"""All kinds of result files, in the order in which a report shows them."""

T = TypeVar("T")


def format_of(kind: type[ResultFile]) -> str:
    """The `format` that files of a kind name."""
    return str(kind.__struct_config__.tag)


def version_of(kind: type[ResultFile]) -> int:
    """The `version` that files of a kind have."""
    return int(next(each.default for each in msgspec.structs.fields(kind) if each.name == "version"))


def read_results(*paths: str | Path) -> list[ResultFile]:
    """Read result files of any kind: what the commands of evaluator wrote.

    Args:
        paths: JSON files, and the JSON lines of `evaluator batch`.

    Returns:
        What each file holds: a `ScoresFile`, a `CurveFile`, and so on; see docs/results.md.

    Raises:
        ResultsError: There are no paths; or a file cannot be read, is not a result file, or something in it
            is wrong. The message names file and JSON path.
    """
    if not paths:
        raise ResultsError("no result files given; name files that evaluator wrote")
    return [parse_results(read_content(Path(path)), str(path)) for path in paths]


def read_content(path: Path) -> bytes:
    """All bytes of a result file.

    Raises:
        ResultsError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror or error}") from error


def parse_results(content: bytes, file: str) -> ResultFile:
    """Read the content of a result file.

    Args:
        content: In UTF-8, or in UTF-16 as PowerShell redirects output.
        file: The name of the file in error messages.

    Raises:
        ResultsError: It is not a result file, or something in it is wrong.
    """
    if not content.strip():
        raise ResultsError(f"{file}: the file is empty; did the run that should have written it fail?")
    try:
        text = content.decode(json.detect_encoding(content))
    except UnicodeDecodeError as error:
        raise ResultsError(f"{file}: not JSON: {error}; is it a result file?") from error
    first, _, others = text.partition("\n")
    if f'"{format_of(ScoreLines)}"' in first and others.strip():
        return _score_lines(first, others, file)
    value = _loads(text, file)
    return _converted(value, _kind_of(value, file), file)


def _score_lines(first: str, others: str, file: str) -> ScoreLines:
    """What `evaluator batch` wrote; a last line that is not finished is left out."""
    head = _loads(first, file)
    _kind_of(head, file)
    models = {}
    for number, line in enumerate(others.split("\n")[:-1], 2):
        where = f"{file}: line {number}"
        model = _converted(_loads(line, where), ModelLine, where)
        models[model.vectors] = model
    return msgspec.structs.replace(_converted(head, ScoreLines, file), models=tuple(models.values()))


def _loads(text: str, file: str) -> Any:  # noqa: ANN401  # JSON
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = " (of several runs, write each to a file of its own)" if "Extra data" in str(error) else ""
        raise ResultsError(f"{file}: not JSON: {error}; is the file complete?{hint}") from error
    if "\\ud" in text.lower():  # names of files that are not UTF-8 hold halves of characters
        value = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    return value


def _kind_of(value: Any, file: str) -> type[ResultFile]:  # noqa: ANN401  # JSON
    """The kind of a result file, by its format and version."""
    if not isinstance(value, dict):
        raise ResultsError(f"{file}: $: is not a result of evaluator; give a file that it wrote")
    kinds = {format_of(kind): kind for kind in KINDS}
    named = value.get("format")
    kind = kinds.get(named) if isinstance(named, str) else None
    if kind is None:
        known = ", ".join(f'"{name}" ({each.command})' for name, each in kinds.items())
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


def _converted(value: Any, kind: type[T], file: str) -> T:  # noqa: ANN401  # JSON
    try:
        return msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        raise ResultsError(f"{file}: {_plain(str(error), value)}") from error
    except EvaluatorError as error:  # settings that do not exist
        raise ResultsError(f"{file}: {error}") from error


_TYPES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "a text",
}
_LARGE = 1e18
_BOUNDS = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}


def _plain(message: str, value: Any) -> str:  # noqa: ANN401  # JSON
    """What msgspec finds wrong with a JSON value, in plain words: the path, and the problem."""
    problem, _, path = message.rpartition(" - at ")
    problem, path = (problem, path.replace("`", "")) if problem else (message, "$")
    if missing := re.fullmatch(r"Object missing required field `(.+)`", problem):
        return f"{path}.{missing[1]}: is missing"
    if problem == "Number out of range":
        return f"{path}: is too large; was the file changed by hand?"
    if unknown := re.fullmatch(r"Invalid enum value (.+)", problem):
        return f"{path}: is {unknown[1]}, which this evaluator does not know"
    if wrong := re.fullmatch(r"Expected `(.+?)`(?:, got `.+`| of length (.+)| ([<>]=?) (\S+))?", problem):
        types, length, sign, bound = wrong.groups()
        wanted = " or ".join(_TYPES.get(each, each) for each in types.split(" | "))
        if sign:
            return f"{path}: {_out_of_range(_at(value, path), wanted, f'{_BOUNDS[sign]} {bound}')}"
        if length == ">= 1":
            return f"{path}: is empty{'; there is nothing to show' if types == 'array' else ''}"
        return f"{path}: must be {wanted}{f' of {length}' if length else ''}"
    return f"{path}: {problem}"


def _out_of_range(found: Any, wanted: str, bounds: str) -> str:  # noqa: ANN401  # JSON
    hint = "was the file changed by hand?"
    if isinstance(found, float) and not math.isfinite(found):
        return f"is {found}, and must be a finite number; {hint}"
    if found is None or abs(found) > _LARGE:
        return f"must be {wanted}, {bounds}; {hint}"
    return f"is {found:g}, and must be {wanted}, {bounds}; {hint}"


def _at(value: Any, path: str) -> Any:  # noqa: ANN401  # JSON
    """The value at a path; None where msgspec does not say which it is."""
    steps = re.findall(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])", path)
    try:
        return reduce(lambda found, step: found[step[0] or int(step[1])], steps, value)
    except (KeyError, ValueError):
        return None
