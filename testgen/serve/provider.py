"""Test sets on demand: made from a source in memory, cached, and packed into zip files."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import signal
import threading
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from cachetools import LRUCache, cachedmethod

from testgen.errors import BusyError, MissingAnswerError, QueryError
from testgen.exports.card import Summary, describing_files, test_set_files
from testgen.generation.test_sets import build_test_sets
from testgen.serve.in_memory import InMemorySource
from testgen.serve.resolver import Resolver
from testgen.serve.selection import Selection, offered_queries
from testgen.serve.settings import Settings
from testgen.sources import AnswerCache, Source, open_source
from testgen.system import atomic_write, end_with_parent
from testgen.testset.types import TestSet
from testgen.testset.writing import parse_test_set, serialize

_ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes
_ZIP_LEVEL = 6


@dataclass(frozen=True)
class SerializedTestSet:
    """A test set, and the bytes that the command line writes."""

    content: bytes
    sha256: str
    test_set: TestSet

    @classmethod
    def of(cls, test_set: TestSet) -> SerializedTestSet:
        """The bytes of a test set, and their digest."""
        content = serialize(test_set).encode()
        return cls(content, hashlib.sha256(content).hexdigest(), test_set)


class TestSetProvider:
    """Gives out the test sets of a service. Several threads may use it at the same time."""

    __test__ = False  # pytest would otherwise collect a class named Test…

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._archives = threading.BoundedSemaphore(settings.limits.archives)
        self._waiting = threading.BoundedSemaphore(settings.limits.waiting)
        self._making_lock, self._cache_lock = threading.Lock(), threading.Lock()
        self._cache: LRUCache[object, SerializedTestSet] = LRUCache(
            settings.limits.cache_bytes, getsizeof=lambda file: len(file.content)
        )
        self._snapshot = None if settings.is_remote else open_source(settings.source)
        self.offered = offered_queries(settings, self._snapshot)
        if settings.is_remote:
            with closing(AnswerCache()) as cache:
                open_source(settings.source, cache)  # fails now if jobs would not be able to ask the source
        self.reload()

    def reload(self) -> None:
        """Read again what is available: a remote source may have new answers in its cache."""
        with nullcontext(self._snapshot) if self._snapshot else self.source() as source:
            in_memory = InMemorySource(source, self.offered.values(), self.settings.categories)
        _ = in_memory.coverage  # computed now, so that the first visitor need not wait for it
        self.in_memory = in_memory
        self.resolver = Resolver(in_memory, self.offered, is_remote=self.settings.is_remote)
        # A remote source may give other words under the same name later.
        content = in_memory.provenance.as_dict() if self._snapshot else secrets.token_hex()
        known = version("testgen-evaluator"), content, [query.sha256 for query in self.offered.values()]
        self._fingerprint = repr(known)
        with self._cache_lock:
            self._cache.clear()

    @property
    def licences(self) -> list[str]:
        """The licences that the source states, each once."""
        origin = self.in_memory.provenance
        return list(dict.fromkeys(source.license for source in (origin, *origin.parts) if source.license))

    def archive_tag(self, selection: Selection) -> str:
        """A tag for an archive, which is another one for other content; known without making it."""
        return hashlib.sha256(f"{self._fingerprint} {selection!r}".encode()).hexdigest()

    @property
    def everything(self) -> Path:
        """The archive of all languages with the usual choices, once `write_everything` has made it."""
        return self.settings.directory / "archives" / f"{self.archive_tag(Selection())}.zip"

    @property
    def fewest_words(self) -> int:
        """How many words a category needs in a test set for which none is named."""
        return Selection().request(self.in_memory.usual).label_policy.fewest_words

    @contextmanager
    def source(self) -> Iterator[Source]:
        """The source from which test sets are made; if remote, a new one that sends no requests."""
        # Each thread opens the cache for itself, and only the same thread can close it.
        if self._snapshot is not None:
            yield self.in_memory
        else:
            with closing(AnswerCache(offline=True)) as cache:
                yield open_source(self.settings.source, cache)

    @cachedmethod(lambda self: self._cache, lock=lambda self: self._cache_lock)
    def file(self, selection: Selection) -> SerializedTestSet:
        """The test set of a selection with a single language."""
        # One at a time, since several would only slow each other down. Few may wait, since each of them
        # occupies a thread.
        with _or_busy(self._waiting, "requests are waiting for test sets"), self._making_lock:
            (test_set,) = self._test_sets(selection)
        return SerializedTestSet.of(test_set)

    def files(self, selection: Selection) -> Iterator[SerializedTestSet]:
        """The test sets of all languages, made at once; `file` has the last ones ready."""
        for test_set in self._test_sets(selection):
            file = SerializedTestSet.of(test_set)
            with self._cache_lock:
                key = self.file.cache_key(replace(selection, languages=(test_set.language,)))
                self._cache[key] = file
            yield file

    def checked(self, selection: Selection) -> Selection:
        """See `Selection.checked`."""
        return selection.checked(self.offered, self.settings.limits)

    def command(self, selection: Selection) -> str:
        """The command line that makes the same test sets."""
        return selection.command(self.settings, self.in_memory.usual)

    def _test_sets(self, selection: Selection) -> Iterator[TestSet]:
        is_named = selection.categories or selection.classes
        if self._snapshot is None and not is_named and not self.in_memory.queries:
            raise MissingAnswerError(
                f"nothing has been fetched from {self.settings.source_name} yet; name categories, and "
                "start a job that fetches them"
            )
        request = selection.request(self.in_memory.usual)
        with self.source() as source:
            for query in request.chosen_queries(source):
                size = len(source.answer(query).rows) if query.name in selection.classes else 0
                if size > (most := self.settings.limits.class_items):
                    raise QueryError(
                        f"{query.name} has {size:,} items; this service takes classes of up to {most:,}. "
                        "Use testgen on your own machine"
                    )
            yield from build_test_sets(request, source=source)

    def archive(self, selection: Selection) -> IO[bytes]:
        """A zip file of the test sets of several languages; see `zip_file`."""
        # On disk: a slow reader then occupies a file, but neither memory nor the right to make an archive.
        with _or_busy(self._archives, "archives are being made"):
            return zip_file(map(serialize, self._test_sets(selection)))


def write_everything(settings: Settings, path: Path) -> None:
    """Write the archive of all languages in a process of its own, which delays no answer of the service."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the service, which stops this process
    end_with_parent()
    os.nice(10)
    for older in path.parent.glob("*.zip"):
        older.unlink()
    request = Selection().request(settings.categories)
    write_archive(path, map(serialize, build_test_sets(request, source=open_source(settings.source))))


def write_archive(path: Path, texts: Iterable[str]) -> None:
    """Write a zip file of test sets from their texts; see `zip_file`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as temporary, zip_file(texts) as packed, temporary.open("wb") as output:
        shutil.copyfileobj(packed, output)


def zip_file(texts: Iterable[str]) -> IO[bytes]:
    """An open zip file of test sets from their texts, with card and licence; closing it deletes it."""
    with ExitStack() as on_error:
        file = on_error.enter_context(TemporaryFile())
        summaries = []
        with zipfile.ZipFile(file, "w") as archive:
            for text in texts:
                summaries.append(Summary.of(parse_test_set(text)))
                _add(archive, f"{summaries[-1].language}.json", text)
            for name, text in describing_files(test_set_files(summaries)).items():
                _add(archive, name, text)
        on_error.pop_all()
    file.seek(0)
    return file


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, _ZIP_DATE)
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, text, zipfile.ZIP_DEFLATED, _ZIP_LEVEL)


@contextmanager
def _or_busy(semaphore: threading.Semaphore, what: str) -> Iterator[None]:
    if not semaphore.acquire(blocking=False):
        raise BusyError(f"too many {what} at the moment; try again in a few seconds")
    try:
        yield
    finally:
        semaphore.release()
