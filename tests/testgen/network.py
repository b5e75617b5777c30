"""What tests of the network share: sources on servers of their own, and a clock that stands still."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from testgen.queries import Query, class_query
from testgen.sources import Answers, Freshness, Patience, Remote, answers, endpoint, wikidata

QUICK = Patience(first=0.01, longest=0.05)
CONTACT = "tests@example.org"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@contextmanager
def kept(directory: Path, **freshness) -> Iterator[Answers]:
    """A cache in a directory, closed afterwards."""
    cache = Answers(directory, Freshness(**freshness))
    try:
        yield cache
    finally:
        cache.close()


def stop_clock(monkeypatch, moment: datetime = NOON) -> None:
    """Everything is retrieved at one moment, and the operator is known."""
    monkeypatch.setattr(answers, "_now", lambda: moment)
    monkeypatch.setenv("TESTGEN_CONTACT", CONTACT)


def of_wikidata(cache: Answers, query_url: str, api_url: str, patience: Patience = QUICK) -> Remote:
    return wikidata(cache, query_url, api_url, patience)


def of_endpoint(cache: Answers, url: str, patience: Patience = QUICK) -> Remote:
    return endpoint(url, cache, patience)


def queries_of(world) -> list[Query]:
    return [class_query(category) for category in world.classes]


def report(text: str) -> None:
    """A figure to be seen with `pytest -s`."""
    sys.stderr.write(f"\n{text}\n")


def files(directory: Path) -> dict[str, bytes]:
    """All files below, by their place."""
    return {
        str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }
