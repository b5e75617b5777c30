"""Nested random subsets of a corpus, of exact sizes: its lines in random order, cut after so many tokens."""

from __future__ import annotations

import errno
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from evaluator.errors import OutputError, StudyError
from evaluator.execution.inputs import State, state_of
from evaluator.execution.output_files import atomic_output
from evaluator.text.corpus import Sentences

Unit = Literal["tokens", "types"]
"""What a size is in: words, each occurrence counted, or different words, "unique tokens"."""

_SIZE = re.compile(r"(?:2\^([0-9]{1,2})|([0-9]{1,18}))")

_FOLDER_PREFIX = ".part.subset-"
_FILE, _LOCK = "subset.txt", "lock"
_OWN_FILE = re.compile(rf"{_LOCK}|(\.[0-9]+\.)?{re.escape(_FILE)}")
_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)
_MOMENT = 60.0  # seconds, within which a process that makes a folder has locked it


def parse_size(text: str) -> int | None:
    """Read a number of tokens: `1024`, `2^10`, or None for `all`."""
    if text.strip() == "all":
        return None
    found = _SIZE.fullmatch(text.strip())
    size = 0 if found is None else 2 ** int(found[1]) if found[1] else int(found[2])
    if not size:
        raise StudyError(f"size {text!r}: give a number of tokens above 0, such as 50000, 2^16 or all")
    return size


def doubling_sizes(first: int, last: int | None, whole: int, unit: Unit = "tokens") -> list[int]:
    """The sizes of the subsets: each is twice the one before, and the last is as asked for."""
    for size in (first, last):
        if size is not None and size > whole:
            raise StudyError(f"the corpus has {whole:,} {unit}, fewer than {size:,}; ask for smaller sizes")
    end = whole if last is None else last
    if first > end:
        raise StudyError(f"the smallest subset, {first:,} {unit}, is above the largest, {end:,}")
    sizes = []
    while first < end:
        sizes.append(first)
        first *= 2
    return [*sizes, end]


def write_subset(corpus: Path, seed: int, size: int, path: Path, unit: Unit = "tokens") -> Sentences:
    """Write the beginning of a corpus whose lines are in random order: so many tokens, or different words."""
    # The order depends only on the seed and the number of lines, so a smaller subset of the same seed is the
    # beginning of a larger one. The last line is cut where the number of tokens is reached.
    counts: Counter[str] = Counter()
    number, left = 0, size
    with atomic_output(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for words in _shuffled_lines(corpus, seed):
            kept = words[:left] if unit == "tokens" else _with_types(words, counts, size)
            file.write(" ".join(kept) + "\n")
            counts.update(kept)
            number, left = number + 1, left - len(kept)
            if len(kept) < len(words) or (unit == "tokens" and not left):
                break
    return Sentences(path, counts, number)


def _with_types(words: list[str], known: Mapping[str, int], size: int) -> list[str]:
    """The words of a line before the one that would be one different word too many."""
    new: set[str] = set()
    for number, word in enumerate(words):
        if word not in known:
            new.add(word)
            if len(known) + len(new) > size:
                return words[:number]
    return words


def _shuffled_lines(corpus: Path, seed: int) -> Iterator[list[str]]:
    starts = _line_starts(corpus, state_of(corpus))
    order = np.random.default_rng(seed).permutation(len(starts))
    with corpus.open("rb") as file:
        for start in starts[order]:
            file.seek(int(start))
            yield file.readline().decode().split()


@lru_cache(maxsize=1)
def _line_starts(corpus: Path, _state: State | None) -> npt.NDArray[np.int64]:
    """The position of each line in bytes, shape (lines,): all that is kept of a corpus in memory."""
    with corpus.open("rb") as file:
        lengths = np.fromiter(map(len, file), dtype=np.int64)
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)[:-1]))


@contextmanager
def temporary_subset(folder: Path) -> Iterator[Path]:
    """A path for a subset in a folder, or among temporary files if it is read-only; removed at the end."""
    remove_abandoned_subsets(folder, _MOMENT)
    try:
        made = tempfile.TemporaryDirectory(prefix=_FOLDER_PREFIX, dir=_writable(folder))
    except OSError as error:
        raise OutputError(f"{error.filename or folder}: cannot be made: {error.strerror or error}") from error
    with made as own, FileLock(Path(own) / _LOCK):
        yield Path(own) / _FILE


def remove_abandoned_subsets(folder: Path, seconds: float = 0.0) -> None:
    """Remove subsets that killed processes left in a folder, at least so long ago; nothing else."""
    for left in folder.glob(f"{_FOLDER_PREFIX}*"):
        with suppress(OSError, Timeout):  # it has been removed, or is in use
            ours = not left.is_symlink() and all(_OWN_FILE.fullmatch(file.name) for file in left.iterdir())
            if ours and time.time() - left.stat().st_mtime >= seconds:
                with FileLock(left / _LOCK, timeout=0):
                    for file in left.iterdir():
                        file.unlink()
                    left.rmdir()


def _writable(folder: Path) -> Path | None:
    """The folder; None if it is read-only."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        if error.errno in _READ_ONLY:
            return None
        raise
