"""The cache of answers: what servers answered and when, as JSON on disk."""

from __future__ import annotations

import sqlite3
import weakref
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from testgen.errors import CacheError
from testgen.system import timestamp

Key = list[str]  # the server's URL, then what was asked


def default_directory() -> Path:
    """The folder of the cache, in the platform's folder for caches."""
    import platformdirs

    return platformdirs.user_cache_path("testgen") / "answers"


@dataclass(frozen=True)
class CachedAnswer:
    """A parsed answer from the cache, and when it was retrieved: in UTC, as in 2026-11-20T18:03:00Z."""

    value: Any
    retrieved: str


class AnswerCache:
    """Answers by key, for several processes at a time; a damaged entry counts as missing."""

    # Those older than `max_age` at the start are not used, unless no request may be sent (`offline`).

    def __init__(
        self, directory: Path | None = None, *, max_age: timedelta | None = None, offline: bool = False
    ) -> None:
        from testgen.sources.json_disk import open_cache

        self.directory, self.offline = directory or default_directory(), offline
        self._oldest_used = "" if max_age is None or offline else timestamp(_now() - max_age)
        with self._faults_explained():
            database = self.directory / "cache.db"
            if database.exists():  # diskcache would not say that it is damaged
                with closing(sqlite3.connect(database)) as connection:
                    connection.execute("SELECT count(*) FROM sqlite_master")
            self._cache = open_cache(self.directory)
        weakref.finalize(self, self._cache.close)

    def get(self, key: Key) -> CachedAnswer | None:
        """The answer for a key; None if there is none that is undamaged and fresh enough."""
        with self._faults_explained():
            try:
                entry = self._cache.get(key)
            except (zlib.error, ValueError, TypeError, OSError, KeyError):
                return None  # damaged: it will be asked for again and overwritten
        # Each entry holds its key: after damage, an answer may be stored under the key of another one.
        if not isinstance(entry, dict) or entry.get("key") != key or "answer" not in entry:
            return None
        retrieved = str(entry.get("retrieved"))
        # One of the future was stored while the clock was wrong: nobody knows how old it is.
        if self._oldest_used and not self._oldest_used <= retrieved <= timestamp(_now()):
            return None
        return CachedAnswer(entry["answer"], _to_the_second(retrieved))

    def put_all(self, answers: Iterable[tuple[Key, Any]]) -> str:
        """Store parsed answers, all or none of them; returns the time of retrieval stored with them."""
        retrieved = timestamp(_now())
        # With `retry`, diskcache would try without end to write to a read-only folder.
        with self._faults_explained(), self._cache.transact():
            for key, value in answers:
                self._cache.set(key, {"key": key, "answer": value, "retrieved": retrieved})
        return _to_the_second(retrieved)

    def clear(self) -> int:
        """Delete all answers; returns how many there were."""
        with self._faults_explained():
            return int(self._cache.clear())

    def close(self) -> None:
        """Close the files."""
        self._cache.close()

    @contextmanager
    def _faults_explained(self) -> Iterator[None]:
        from testgen.sources.json_disk import Timeout

        try:
            yield
        except Timeout as error:
            raise CacheError(
                f"{self.directory}: cannot be written to ({error.__context__}); it is read-only, or another "
                "program has locked it"
            ) from error
        except sqlite3.DatabaseError as error:
            raise CacheError(
                f"{self.directory}: the cache cannot be used ({error}). If the disk is full, free some space "
                "and run again; if the cache is damaged, delete the folder"
            ) from error
        except OSError as error:
            raise CacheError(f"{self.directory}: the cache cannot be used: {error.strerror}") from error


def _now() -> datetime:
    return datetime.now(UTC)


def _to_the_second(timestamp: str) -> str:
    return timestamp.partition(".")[0] + "Z"
