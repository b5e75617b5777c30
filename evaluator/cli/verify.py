"""`evaluator verify`: whether results are what was computed, of what is still there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.cli import options
from evaluator.cli.inputs import expect
from evaluator.cli.output import echo, tell_failed
from evaluator.errors import ResultsError

if TYPE_CHECKING:
    from evaluator.results.files import BatchFile


def verify(
    results: options.ResultFiles,
) -> None:
    """Check that results are what evaluator wrote; of `score --output`, also that models and test sets are.

    For example: evaluator verify scores.jsonl study
    """
    from evaluator.results.files import result_files

    wrong: list[str] = []
    for _, path in result_files(results):
        try:
            expect(path, "results of evaluator", ResultsError)
            number, problems = check(path)
        except ResultsError as error:
            number, problems = 0, [str(error)]
        wrong += problems
        if not problems:
            digests = f"{number} digest{'s' * (number > 1)}"
            echo(f"{path}: {f'unchanged, by {digests}' if number else 'has no digests: nothing to check'}")
    tell_failed(wrong)


def check(path: Path) -> tuple[int, list[str]]:
    """How many digests a result file has, or lines of a batch or study; and what is wrong with them."""
    from msgspec import UNSET

    from evaluator.results.base import format_of, is_unchanged
    from evaluator.results.files import BatchFile, parse_results, read_content

    content = read_content(path)
    lines = content.splitlines(keepends=True)
    changed = [
        f"{path}: line {number} is damaged or was changed"
        for number, line in enumerate(lines, 1)
        if not is_unchanged(line)
    ]
    if len(changed) == len(lines):
        return int(parse_results(content, str(path)).sha256 is not UNSET), []
    is_batch = not changed and f'"{format_of(BatchFile)}"'.encode() in lines[0]
    found = parse_results(content, str(path)) if is_batch else None
    return len(lines), changed or list(_other_files(path, found) if isinstance(found, BatchFile) else ())


def _other_files(path: Path, batch: BatchFile) -> Iterator[str]:
    """Which models and test sets of a batch are missing, or have changed since they were scored."""
    from evaluator.execution.remote_files import is_url
    from evaluator.studies.models import sha256_of

    digest = cache(sha256_of)
    scored = [(line, line.scores) for line in batch.lines if line.scores is not None]
    stated = {(line.vectors, scores.model_sha256) for line, scores in scored}
    stated |= {(line.test or "", scores.test_sha256) for line, scores in scored}
    for name, of_file in sorted(stated):
        file = Path(name)
        if is_url(name) or file.is_dir():  # what they hold has no digest of one file
            continue
        if not file.exists():
            yield f"{path}: {name}, which it names, is not there; run this where the batch was run"
        elif digest(file) != of_file:
            yield f"{path}: {name} has changed since it was scored; score it again"
