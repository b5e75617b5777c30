"""`evaluator verify`: whether results are what was computed, of what is still there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.cli import options
from evaluator.cli.inputs import expect
from evaluator.cli.output import echo, tell_failed
from evaluator.errors import ResultsError

if TYPE_CHECKING:
    from evaluator.execution.inputs import Input


def verify(
    results: options.ResultFiles,
) -> None:
    """Check that results are what evaluator wrote, and the files that they depend on what they were.

    For example: evaluator verify scores.jsonl study
    """
    from evaluator.results.files import result_files

    wrong: list[str] = []
    for _, path in result_files(results):
        try:
            expect(path, "results of evaluator", ResultsError)
            number, problems, missing = check(path)
        except ResultsError as error:
            number, problems, missing = 0, [str(error)], []
        wrong += problems
        if not problems:
            digests = f"{number} digest{'s' * (number > 1)}"
            said = f"unchanged, by {digests}" if number else "has no digests: nothing to check"
            lacking = f"; not here, so not checked: {', '.join(missing)}" if missing else ""
            echo(f"{path}: {said}{lacking}")
    tell_failed(wrong)


def check(path: Path) -> tuple[int, list[str], list[str]]:
    """How many digests a result file has, what is wrong with it, and which of its inputs are not here.

    It is wrong if it is not what was written; or if a file that its results depend on is another one now.
    Lines that can be added to are wrong where their inputs are not.
    """
    from msgspec import UNSET

    from evaluator.results.base import UNFINISHED, format_of, is_unchanged
    from evaluator.results.files import parse_results, read_content
    from evaluator.results.score_lines import BatchFile
    from evaluator.studies.inputs import differences

    content = read_content(path)
    lines = content.splitlines(keepends=True)
    damaged = [number for number, line in enumerate(lines, 1) if not is_unchanged(line)]
    if len(damaged) == len(lines):
        found = parse_results(content, str(path))
        changed, missing = differences(found.all_inputs)
        return int(found.sha256 is not UNSET), [_of_input(path, each) for each in changed], missing
    if damaged:
        cut = len(lines) if not lines[-1].endswith(b"\n") else 0
        said = {each: UNFINISHED if each == cut else "is damaged or was changed" for each in damaged}
        return len(lines), [f"{path}: line {each} {why}" for each, why in said.items()], []
    is_batch = f'"{format_of(BatchFile)}"'.encode() in lines[0]
    inputs = parse_results(content, str(path)).all_inputs if is_batch else _of_study(lines[0])
    changed, missing = differences(inputs)
    wrong = [_of_input(path, each) for each in changed]
    lacks = "which it names, is not there; run this where the scores were computed"
    return len(lines), [*wrong, *(f"{path}: {each}, {lacks}" for each in missing)], []


def _of_input(path: Path, changed: str) -> str:
    return f"{path}: {changed} has changed since these results were made; run their command again"


def _of_study(head: bytes) -> list[Input]:
    """The inputs of a study that can be resumed, whose first line lists them."""
    from msgspec import convert

    from evaluator.execution.inputs import Input

    return convert(json.loads(head).get("inputs", []), list[Input])
