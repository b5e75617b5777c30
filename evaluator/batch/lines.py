"""The file that a batch writes: what holds for all results, then the results of a model in each line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from evaluator.errors import OutputError

_FORMAT, _VERSION = "score lines", 1


class Lines:
    """The file of results; a model's are written whole or not at all.

    Attributes:
        done: The models whose results are there.
    """

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        """Begin the file, or go on with it.

        Args:
            path: The file.
            head: What holds for all results, as JSON values; a file that is there must hold the same.

        Raises:
            OutputError: It holds something else.
            OSError: It cannot be written.
        """
        self._path, self.done = path, set[str]()
        self._head = json.loads(json.dumps({"format": _FORMAT, "version": _VERSION, **head}))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        whole = self._read()
        os.truncate(path, whole)  # what was being written when a run was killed
        if not whole:
            self.add(self._head)

    def _read(self) -> int:
        """Note which models are there; returns how many bytes are whole lines."""
        whole = 0
        with self._path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                content = self._parsed(line)
                if whole == 0 and content != self._head:
                    raise OutputError(
                        f"{self._path}: holds something else, or results by other measures or settings; name "
                        "another file"
                    )
                if whole:
                    self.done.add(str(content["vectors"]))
                whole += len(line)
        return whole

    def _parsed(self, line: bytes) -> dict[str, Any]:
        try:
            content = json.loads(line)
        except ValueError:
            content = None
        if not isinstance(content, dict) or not ({"format", "vectors"} & content.keys()):
            raise OutputError(f"{self._path}: holds something else than results; name another file")
        return content

    def add(self, result: dict[str, Any]) -> None:
        """Write a line down, to the disk itself."""
        with self._path.open("ab", buffering=0) as file:
            file.write((json.dumps(result, ensure_ascii=False, allow_nan=False) + "\n").encode())
            os.fsync(file.fileno())
