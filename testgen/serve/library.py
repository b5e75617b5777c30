"""Test sets on demand: made from the catalogue, kept while there is room, packed into archives."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from testgen.errors import MissingAnswerError, QueryError, TestgenError
from testgen.generate import build_test_sets
from testgen.queries import Query
from testgen.serve.archive import zipped
from testgen.serve.catalogue import Catalogue
from testgen.serve.choices import Choice, offered, queries_of
from testgen.serve.settings import Settings
from testgen.sources import Answers, Freshness, Source, open_source
from testgen.testset import TestSet, serialize

if TYPE_CHECKING:
    from cachetools import LRUCache


class BusyError(TestgenError):
    """Too much is being made at the moment; the same will do later."""


@dataclass(frozen=True)
class File:
    """A test set as it is sent.

    Attributes:
        content: The bytes of the file, those that the command line writes.
        packed: The same, gzipped.
        sha256: Of the content, in hexadecimal.
        test_set: What it holds.
    """

    content: bytes
    packed: bytes
    sha256: str
    test_set: TestSet

    def __len__(self) -> int:
        """How much memory it takes, nearly."""
        return len(self.content) + len(self.packed)


class Library:
    """What a service gives out. All of it may be used from several threads at a time."""

    def __init__(self, settings: Settings) -> None:
        """Open the source and read what it has at hand.

        Raises:
            SourceError: The source cannot be opened.
            ConfigError: It needs the operator's contact, and there is none.
            QueryError: The operator has named a category that does not exist.
        """
        from cachetools import LRUCache

        self.settings = settings
        self.offered = offered(settings)
        self._archives = threading.BoundedSemaphore(settings.limits.archives)
        self._making = threading.Lock()
        self._files: LRUCache[Choice, File] = LRUCache(settings.limits.cache_bytes, getsizeof=len)
        opened = open_source(settings.source)  # so that what keeps jobs from asking is found out at once
        self._snapshot = None if settings.is_remote else opened
        self.reload()

    def reload(self) -> None:
        """Read again what is at hand: answers of a remote source that have come in meanwhile."""
        catalogue = Catalogue(self._snapshot or self._offline(), self.offered.values())
        _ = catalogue.coverage  # now, and not when the first visitor waits for it
        self.catalogue = catalogue
        with self._making:
            self._files.clear()

    def _offline(self) -> Source:
        """A remote source that asks nobody; a new one for each test set, whose provenance it notes."""
        return open_source(self.settings.source, Answers(freshness=Freshness(offline=True)))

    def source(self) -> Source:
        """Where test sets are made from."""
        return self._offline() if self._snapshot is None else self.catalogue

    def file(self, choice: Choice) -> File:
        """The test set of one language.

        Args:
            choice: Its `languages` are one.

        Raises:
            LanguageError: There are too few words for all that is chosen.
            QueryError: There are no items for it, or too many.
            MissingAnswerError: It must be asked for first.
        """
        with self._making:  # one at a time: they would only slow each other down
            found = self._files.get(choice)
            if found is None:
                found = self._made(choice)
                if len(found) <= self._files.maxsize:
                    self._files[choice] = found
        return found

    def _made(self, choice: Choice) -> File:
        (test_set,) = self._test_sets(choice)
        content = serialize(test_set).encode()
        packed = gzip.compress(content, compresslevel=6, mtime=0)
        return File(content, packed, hashlib.sha256(content).hexdigest(), test_set)

    def _test_sets(self, choice: Choice) -> Iterator[TestSet]:
        source, queries = self.source(), queries_of(choice, self.settings)
        if self._snapshot is None and not choice.categories and not choice.classes:
            queries = self._at_hand(queries)
        for query in queries:
            if query.name in choice.classes:
                self._check_size(source, query)
        return build_test_sets(
            queries,
            choice.languages,
            source=source,
            policy=choice.policy,
            minimum_items=choice.minimum_items,
        )

    def _at_hand(self, queries: list[Query]) -> list[Query]:
        found = [query for query in queries if query.name in self.catalogue.queries]
        if not found:
            raise MissingAnswerError(
                f"nothing has been fetched from {self.settings.source_name} yet; name categories, and have "
                "them fetched by a job"
            )
        return found

    def _check_size(self, source: Source, query: Query) -> None:
        size, most = len(source.answer(query).rows), self.settings.limits.class_items
        if size > most:
            raise QueryError(
                f"{query.name} has {size:,} items; this service takes classes of up to {most:,}. "
                "Use testgen on a machine of your own"
            )

    def archive(self, choice: Choice) -> Iterator[bytes]:
        """A zip file of the test sets of many languages, piece by piece as it is made.

        Everything that can be refused is refused before the first piece.

        Raises:
            BusyError: As many as may be are being made.
            LanguageError: A language has too few words for all that is chosen.
            QueryError: There are no items for it, or too many.
            MissingAnswerError: It must be asked for first.
        """
        if not self._archives.acquire(blocking=False):
            raise BusyError(
                f"{self.settings.limits.archives} archives are being made, as many as may be at a time; "
                "try again in a few seconds"
            )
        pieces = self._pieces(choice)
        try:
            first = next(pieces)
        except BaseException:
            pieces.close()
            raise
        return _from_first(first, pieces)

    def _pieces(self, choice: Choice) -> Generator[bytes]:
        try:
            yield from zipped(
                (f"{test_set.language}.json", serialize(test_set)) for test_set in self._test_sets(choice)
            )
        finally:
            self._archives.release()


def _from_first(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from others
