"""Test sets on demand: made from the catalogue, kept while there is room, packed into archives."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from testgen.errors import MissingAnswerError, QueryError, TestgenError
from testgen.generate import build_test_sets
from testgen.queries import Query
from testgen.serve.archive import write_zip
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
        self._waiting = threading.BoundedSemaphore(settings.limits.waiting)
        self._making, self._keeping = threading.Lock(), threading.Lock()
        self._files: LRUCache[Choice, File] = LRUCache(settings.limits.cache_bytes, getsizeof=len)
        opened = open_source(settings.source)  # so that what keeps jobs from asking is found out at once
        self._snapshot = None if settings.is_remote else opened
        self.reload()

    def reload(self) -> None:
        """Read again what is at hand: answers of a remote source that have come in meanwhile."""
        catalogue = Catalogue(self._snapshot or self._offline(), self.offered.values())
        _ = catalogue.coverage  # now, and not when the first visitor waits for it
        self.catalogue = catalogue
        with self._keeping:
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
            BusyError: Too many others wait for theirs.
        """
        found = self._kept(choice)
        if found is None:
            # One at a time, for they would only slow each other down; and few may wait, for each that does
            # keeps a thread from everything else.
            with _or_busy(self._waiting, "test sets are waited for"), self._making:
                found = self._kept(choice) or self._made(choice)
                with self._keeping:
                    if len(found) <= self._files.maxsize:
                        self._files[choice] = found
        return found

    def _kept(self, choice: Choice) -> File | None:
        with self._keeping:
            found: File | None = self._files.get(choice)
            return found

    def _made(self, choice: Choice) -> File:
        (test_set,) = self._test_sets(choice)
        content = serialize(test_set).encode()
        packed = gzip.compress(content, compresslevel=6, mtime=0)
        return File(content, packed, hashlib.sha256(content).hexdigest(), test_set)

    def queries(self, choice: Choice) -> list[Query]:
        """What a test set is made of; where nothing is named, of a live source what is at hand.

        Raises:
            MissingAnswerError: Nothing is.
        """
        queries = queries_of(choice, self.settings)
        if self._snapshot is None and not choice.categories and not choice.classes:
            return self._at_hand(queries)
        return queries

    def command(self, choice: Choice) -> str:
        """The command line that makes the same."""
        try:
            queries = self.queries(choice)
        except MissingAnswerError:
            queries = queries_of(choice, self.settings)
        return choice.command(self.settings, queries)

    def _test_sets(self, choice: Choice) -> Iterator[TestSet]:
        source, queries = self.source(), self.queries(choice)
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

    def archive(self, choice: Choice) -> IO[bytes]:
        """A zip file of the test sets of many languages, at its beginning; it is gone once it is closed.

        Raises:
            BusyError: As many as may be are being made.
            LanguageError: A language has too few words for all that is chosen.
            QueryError: There are no items for it, or too many.
            MissingAnswerError: It must be asked for first.
        """
        # On disk: a slow reader holds a file, and neither memory nor the right to make one.
        with _or_busy(self._archives, "archives are being made"):
            file = TemporaryFile()  # noqa: SIM115 - whoever gets it closes it
            try:
                write_zip(file, self._named_texts(choice))
            except BaseException:
                file.close()
                raise
        file.seek(0)
        return file

    def _named_texts(self, choice: Choice) -> Iterator[tuple[str, str]]:
        for test_set in self._test_sets(choice):
            yield f"{test_set.language}.json", serialize(test_set)


@contextmanager
def _or_busy(semaphore: threading.Semaphore, what: str) -> Iterator[None]:
    if not semaphore.acquire(blocking=False):
        raise BusyError(f"as many {what} as may be at a time; try again in a few seconds")
    try:
        yield
    finally:
        semaphore.release()
