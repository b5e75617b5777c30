"""The cache of answers: what servers have said, with the time they said it, as JSON on disk."""

from __future__ import annotations

import sqlite3
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from testgen.errors import CacheError

if TYPE_CHECKING:
    from diskcache import Cache

Key = list[str]
"""The endpoint, then what was asked of it."""


def default_directory() -> Path:
    """The platform's folder for caches."""
    import platformdirs

    return platformdirs.user_cache_path("testgen") / "answers"


@dataclass(frozen=True)
class Kept:
    """A parsed answer that is kept.

    Attributes:
        value: What was answered, as JSON values.
        retrieved: When, in UTC, to the second, as in 2026-11-20T18:03:00Z.
    """

    value: Any
    retrieved: str


@dataclass(frozen=True)
class Freshness:
    """Which kept answers count.

    Attributes:
        max_age: Older ones are asked for again; None keeps them for ever.
        refresh: Only those retrieved since this run began count.
        offline: Nothing may be asked; what is kept counts, however old.
    """

    max_age: timedelta | None = None
    refresh: bool = False
    offline: bool = False


class Answers:
    """Answers by key. Several processes may use the same directory at a time.

    A damaged entry counts as missing. An answer is kept whole or not at all.
    """

    def __init__(self, directory: Path | None = None, freshness: Freshness | None = None) -> None:
        """Open or make the cache.

        Args:
            directory: Where it is; the platform's folder for caches if None.
            freshness: Which kept answers count.

        Raises:
            CacheError: The directory cannot be used, or its database is damaged.
        """
        import diskcache

        from testgen.sources.disk import PlainDisk

        self.directory = directory or default_directory()
        self.freshness = freshness or Freshness()
        self._since = self._oldest()
        with self._faults_explained():
            self._look_at_database()
            self._cache: Cache = diskcache.Cache(
                str(self.directory), disk=PlainDisk, eviction_policy="none", cull_limit=0
            )
        weakref.finalize(self, self._cache.close)

    def _look_at_database(self) -> None:
        """Notice what is no database here: diskcache would fail over it and leave the connection open."""
        database = self.directory / "cache.db"
        if database.exists():
            with closing(sqlite3.connect(database)) as connection:
                connection.execute("SELECT count(*) FROM sqlite_master")

    def _oldest(self) -> str:
        now = _now()
        if self.freshness.offline:
            return ""
        if self.freshness.refresh:
            return _timestamp(now)
        return _timestamp(now - self.freshness.max_age) if self.freshness.max_age is not None else ""

    def get(self, key: Key) -> Kept | None:
        """The answer under a key, if there is one that is whole and fresh enough."""
        with self._faults_explained():
            try:
                entry = self._cache.get(key)
            except (zlib.error, ValueError, TypeError, OSError, KeyError):
                return None  # damaged: it will be asked for again and overwritten
        # With its key, so that an answer that damage has moved is not taken for another.
        if not isinstance(entry, dict) or entry.get("key") != key or "answer" not in entry:
            return None
        retrieved = str(entry.get("retrieved"))
        return Kept(entry["answer"], _to_the_second(retrieved)) if retrieved >= self._since else None

    def put_all(self, answers: Iterable[tuple[Key, Any]]) -> str:
        """Keep parsed answers, all or none of them.

        Returns:
            The time that they are marked with.

        Raises:
            CacheError: They cannot be written, for instance because the disk is full.
        """
        retrieved = _timestamp(_now())
        # With `retry`, diskcache would try for ever to write to a directory that is read-only.
        with self._faults_explained(), self._cache.transact():
            for key, value in answers:
                self._cache.set(key, {"key": key, "answer": value, "retrieved": retrieved})
        return _to_the_second(retrieved)

    def info(self) -> Mapping[str, Any]:
        """Directory, number of answers by endpoint, bytes on disk, oldest and newest retrieval."""
        by_endpoint: dict[str, int] = {}
        times: list[str] = []
        for key in self._keys():
            entry = self.get(key)
            if entry is not None:
                by_endpoint[key[0]] = by_endpoint.get(key[0], 0) + 1
                times.append(entry.retrieved)
        with self._faults_explained():
            volume = self._cache.volume()
        return {
            "directory": str(self.directory),
            "answers": by_endpoint,
            "bytes": volume,
            "oldest": min(times, default=None),
            "newest": max(times, default=None),
        }

    def _keys(self) -> Iterator[Key]:
        with self._faults_explained():
            yield from (key for key in self._cache if isinstance(key, list) and key)

    def clear(self) -> int:
        """Forget everything; returns how many answers there were."""
        with self._faults_explained():
            return int(self._cache.clear())

    def close(self) -> None:
        """Let go of the files."""
        self._cache.close()

    @contextmanager
    def _faults_explained(self) -> Iterator[None]:
        import diskcache

        try:
            yield
        except diskcache.Timeout as error:
            raise CacheError(
                f"{self.directory}: cannot be written to ({error.__context__}); it is read-only, or another "
                "program holds it"
            ) from error
        except sqlite3.DatabaseError as error:
            raise CacheError(
                f"{self.directory}: the cache cannot be used ({error}). If the disk is full, make room and "
                "run again; if it is damaged, delete the directory"
            ) from error
        except OSError as error:
            raise CacheError(f"{self.directory}: the cache cannot be used: {error.strerror}") from error


def _now() -> datetime:
    return datetime.now(UTC)


def _timestamp(moment: datetime) -> str:
    """To the microsecond, so that what was retrieved just before a run does not count as refreshed."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _to_the_second(timestamp: str) -> str:
    return timestamp.partition(".")[0] + "Z"
