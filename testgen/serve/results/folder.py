"""A folder of result files, which are read when they are new."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

from testgen.serve.results.files import MOST_BYTES, Score, UnreadableError, parse
from testgen.serve.results.leaderboard import Leaderboard

MOST_FILES = 10_000
"""Further files are not read."""

_ENDINGS = (".json", ".jsonl")
_State = tuple[int, int]  # when a file was changed last, and its size


class ResultsFolder:
    """The result files in a folder and its subfolders. Several threads may use it at the same time."""

    def __init__(self, folder: Path) -> None:
        """Show a folder; its files are read at the first request."""
        self._folder = folder
        self._lock = threading.Lock()
        self._read: dict[str, tuple[_State, list[Score] | str]] = {}
        self._leaderboard = Leaderboard([], {})

    def leaderboard(self) -> Leaderboard:
        """All scores; only files that are new or have changed are read."""
        with self._lock:
            states = dict(sorted(_files(self._folder)))
            if {name: state for name, (state, _) in self._read.items()} != states:
                before, self._read = self._read, {}
                for number, (name, state) in enumerate(states.items()):
                    old = before.get(name)
                    self._read[name] = (
                        old if old and old[0] == state else (state, self._scores(name, state, number))
                    )
                self._leaderboard = _leaderboard({name: found for name, (_, found) in self._read.items()})
            return self._leaderboard

    def _scores(self, name: str, state: _State, number: int) -> list[Score] | str:
        """What a file holds, or why it is left out."""
        if number >= MOST_FILES:
            return f"this service reads {MOST_FILES:,} files"
        if state[1] > MOST_BYTES:
            return f"larger than {MOST_BYTES // 1_000_000} MB"
        try:
            return parse((self._folder / name).read_bytes(), name)
        except OSError as error:
            return f"cannot be read: {error.strerror or 'error'}"
        except UnreadableError as error:
            return str(error)

    def with_categories(self, file: str) -> list[Score]:
        """The scores in one of the files with those of each category; none if it cannot be read any more."""
        if file not in self._read:  # only names that were found in the folder are read
            return []
        try:
            return parse((self._folder / file).read_bytes(), file, categories=True)
        except (OSError, UnreadableError):
            return []


def _leaderboard(read: dict[str, list[Score] | str]) -> Leaderboard:
    scores = (score for found in read.values() if not isinstance(found, str) for score in found)
    return Leaderboard(scores, {name: found for name, found in read.items() if isinstance(found, str)})


def _files(folder: Path, within: str = "") -> Iterator[tuple[str, _State]]:
    """The names and states of the files in a folder and its subfolders, without links and hidden files."""
    try:
        with os.scandir(folder / within) as entries:
            for entry in entries:
                name = f"{within}{entry.name}"
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    yield from _files(folder, f"{name}/")
                elif entry.name.endswith(_ENDINGS) and entry.is_file(follow_symlinks=False):
                    state = entry.stat(follow_symlinks=False)
                    yield name, (state.st_mtime_ns, state.st_size)
    except OSError:
        return
