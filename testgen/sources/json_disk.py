"""How cached answers are stored on disk: as JSON, and nothing that runs code when it is read.

The JSON storage of diskcache still unpickles values that the database marks as pickled, and reads and deletes
files wherever it says they are. A cache may come from somebody else, so this one does neither.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import Any

import diskcache
from diskcache.core import MODE_BINARY, MODE_RAW

Timeout = diskcache.Timeout  # the cache cannot be written to


def open_cache(directory: Path) -> Any:  # noqa: ANN401  # diskcache has no types
    """A cache without a limit of size, whose values are JSON."""
    return diskcache.Cache(str(directory), disk=JSONOnlyDisk, eviction_policy="none", cull_limit=0)


class JSONOnlyDisk(diskcache.JSONDisk):  # type: ignore[misc]  # diskcache has no types
    """Keys are JSON texts, values compressed JSON."""

    def put(self, key: object) -> tuple[str, bool]:
        """The stored form of a key: readable, and the same on every machine."""
        return json.dumps(key), True

    def get(self, key: object, raw: int) -> Any:  # noqa: ANN401, ARG002  # any JSON value
        """The key from its stored form; None if it is damaged."""
        try:
            return json.loads(key) if isinstance(key, str) else None
        except ValueError:
            return None

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:  # noqa: ANN401
        """The value from its stored form."""
        if mode not in (MODE_RAW, MODE_BINARY) or not _is_inside(filename):
            raise ValueError("this is not how answers are stored")
        return super().fetch(mode, filename, value, read)

    def remove(self, file_path: str) -> None:
        """Delete a value's file, unless it is outside the cache."""
        if _is_inside(file_path):
            super().remove(file_path)


def _is_inside(filename: str | None) -> bool:
    path = PurePath(filename or "")
    return not path.anchor and ".." not in path.parts
