"""Whether result files are what evaluator wrote, and what they were computed from is still the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import UNSET

from evaluator.execution.remote_files import is_url
from evaluator.results.base import format_of, is_unchanged
from evaluator.results.batch import BatchFile
from evaluator.results.files import parse_results, read_content
from evaluator.studies.models import sha256_of


def verify(path: Path) -> tuple[int, list[str]]:
    """Check the digests in a result file, and those of the models and test sets whose paths it has.

    It is JSON; or the lines of a batch, of `trials.jsonl` or of `points.jsonl`. The result is how many
    digests there are, and what is wrong.
    """
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
    digest = cache(sha256_of)
    stated = {
        (name, of_file)
        for line in batch.lines
        if line.scores is not None and line.test is not None
        for name, of_file in (
            (line.vectors, line.scores.model_sha256),
            (line.test, line.scores.test_sha256),
        )
    }
    for name, of_file in sorted(stated):
        file = Path(name)
        if is_url(name) or file.is_dir():  # what they hold has no digest of one file
            continue
        if not file.exists():
            yield f"{path}: {name}, which it names, is not there; run this where the batch was run"
        elif digest(file) != of_file:
            yield f"{path}: {name} has changed since it was scored; score it again"
