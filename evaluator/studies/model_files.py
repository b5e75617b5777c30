"""Vectors that were made here, written with the file that says how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from evaluator.errors import ResultsError
from evaluator.execution.inputs import Input, digest, seen
from evaluator.execution.output_files import write_text
from evaluator.results.base import builtins_of, digest_of, to_json
from evaluator.results.files import parse_results
from evaluator.results.models import ModelFile, beside
from evaluator.vectors import Vectors
from evaluator.vectors.writing import convert

Record = TypeVar("Record", bound=ModelFile)


def write_model(
    vectors: Vectors, path: Path, record: Callable[[Input], Record], command: Sequence[str] = ()
) -> Record:
    """Write vectors, and beside them what a function says of the file that was written.

    Args:
        vectors: What is written, in the format that the ending of the path names.
        path: The file; an existing one is replaced.
        record: From the file that was written to how it was made.
        command: The arguments of the command that made it.

    Raises:
        VectorsError: A word cannot be written in that format.
        OutputError: A file cannot be written.
    """
    convert(vectors, path)
    found = record(written(path))
    inputs = tuple(replace(each, path=each.shown) for each in found.inputs or ())
    found = replace(found, arguments=tuple(command), inputs=inputs)
    found = replace(found, sha256=digest_of(builtins_of(found)))
    write_text(beside(path), f"{to_json(found)}\n")
    return found


def written(path: Path) -> Input:
    """A file that was written, with its digest."""
    return Input("vectors", Input("vectors", seen(path)).shown, digest(path)[0], path.stat().st_size)


def is_model(path: Path) -> bool:
    """Whether `write_model` wrote a file, and nobody has changed it."""
    try:
        found = parse_results(beside(path).read_bytes(), beside(path).name)
    except (OSError, ResultsError):
        return False
    return isinstance(found, ModelFile) and found.output.sha256 == digest(path)[0]
