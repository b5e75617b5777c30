"""How answers lie on disk: JSON, and nothing that does something when it is read.

diskcache's own JSON form still unpickles what a database says is a pickle, and reads and removes files
wherever a database says they are. A cache may come from somebody else, so neither is done here.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import diskcache
from diskcache.core import MODE_BINARY, MODE_RAW


class PlainDisk(diskcache.JSONDisk):  # type: ignore[misc]  # diskcache has no types
    """Keys are JSON texts, values compressed JSON."""

    def put(self, key: object) -> tuple[str, bool]:
        """The form of a key in the database: readable, and the same on every machine."""
        return json.dumps(key), True

    def get(self, key: object, raw: int) -> Any:  # noqa: ANN401, ARG002  # any JSON value
        """The key from its form in the database; None if it is damaged."""
        try:
            return json.loads(key) if isinstance(key, str) else None
        except ValueError:
            return None

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:  # noqa: ANN401
        """The value from its form in the database.

        Raises:
            ValueError: It is no JSON, or not where values are.
        """
        if mode not in (MODE_RAW, MODE_BINARY) or not _is_inside(filename):
            raise ValueError("not the form of an answer")
        return super().fetch(mode, filename, value, read)

    def remove(self, file_path: str) -> None:
        """Remove a value's file; others are left alone."""
        if _is_inside(file_path):
            super().remove(file_path)


def _is_inside(filename: str | None) -> bool:
    path = PurePath(filename or "")
    return not path.anchor and ".." not in path.parts
