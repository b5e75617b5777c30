"""What tests of remote sources share: sources on local servers, and a clock that is stopped."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from testgen.queries import Query, class_query
from testgen.sources import (
    AnswerCache,
    RemoteSource,
    RetryPolicy,
    answer_cache,
    endpoint,
    wikidata,
)
from tests.servers.base import Request
from tests.servers.faults import wikimedia_429
from tests.servers.proxy import Fault

QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.05)
CONTACT = "tests@example.org"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


class FastClock:
    """A clock on which waiting takes no time."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class MinuteLimit:
    """A plan of faults: so many requests are answered in each minute, the others get Wikimedia's 429.

    A request takes some seconds on the clock.
    """

    def __init__(
        self, per_minute: int, clock: FastClock, seconds: float = 0.5, *, header: bool = True
    ) -> None:
        self.per_minute, self.clock, self.seconds, self.header = per_minute, clock, seconds, header
        self.minute, self.answered, self.refused = 0, 0, 0

    def __call__(self, request: Request, before: int) -> Fault | None:
        minute, second = divmod(self.clock.now, 60)
        if minute > self.minute:
            self.minute, self.answered = int(minute), 0
        self.clock.sleep(self.seconds)
        if self.answered < self.per_minute:
            self.answered += 1
            return None
        self.refused += 1
        return wikimedia_429(math.ceil(60 - second) if self.header else None)


@contextmanager
def open_cache(directory: Path, **freshness) -> Iterator[AnswerCache]:
    """A cache in a folder, closed afterwards."""
    cache = AnswerCache(directory, **freshness)
    try:
        yield cache
    finally:
        cache.close()


def stop_clock(monkeypatch, moment: datetime = NOON) -> None:
    """Give all answers the same time of retrieval, and set the operator's contact."""
    monkeypatch.setattr(answer_cache, "_now", lambda: moment)
    monkeypatch.setenv("TESTGEN_CONTACT", CONTACT)


def wikidata_source(
    cache: AnswerCache, query_url: str, api_url: str, retry_policy: RetryPolicy = QUICK
) -> RemoteSource:
    return wikidata(cache, query_url, api_url, retry_policy)


def endpoint_source(cache: AnswerCache, url: str, retry_policy: RetryPolicy = QUICK) -> RemoteSource:
    return endpoint(url, cache, retry_policy)


def queries_of(world) -> list[Query]:
    return [class_query(category) for category in world.classes]


def report(text: str) -> None:
    """Print a figure, which `pytest -s` shows."""
    sys.stderr.write(f"\n{text}\n")


def files(directory: Path) -> dict[str, bytes]:
    """The content of all files in a folder, by their relative path."""
    return {
        str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }
