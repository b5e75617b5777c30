"""What tests of remote sources share: sources on local servers, and a clock that is stopped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from testgen.queries import Query, class_query
from testgen.sources import (
    AnswerCache,
    Freshness,
    RemoteSource,
    RetryPolicy,
    answer_cache,
    endpoint,
    wikidata,
)

QUICK = RetryPolicy(first_wait=0.01, longest_wait=0.05)
CONTACT = "tests@example.org"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@contextmanager
def open_cache(directory: Path, **freshness) -> Iterator[AnswerCache]:
    """A cache in a folder, closed afterwards."""
    cache = AnswerCache(directory, Freshness(**freshness))
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
