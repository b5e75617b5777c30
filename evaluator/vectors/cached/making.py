"""Making a copy of a file while the file is read."""

from __future__ import annotations

import logging
import os
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

from filelock import FileLock

from evaluator.vectors.cached.folder import cache_folder, check_size, folder_of, remove, tidy
from evaluator.vectors.cached.record import (
    BROKEN,
    Record,
    Request,
    Stamp,
    checksum,
    digest,
    matrix_digest,
)
from evaluator.vectors.registry import Loaded
from evaluator.vectors.stores import FileStore, MemoryStore, RowStore
from evaluator.vectors.words import pack

log = logging.getLogger("evaluator")

_PATIENCE = 10.0  # seconds; the lock is held for as long as it takes to write one small file


class CopyMaker:
    """Makes the copy of one file; used in a ``with``, after which nothing unfinished is left."""

    def __init__(self, request: Request) -> None:
        """Prepares for the copy that is asked for, of which there is none that can be used."""
        self._request = request
        self._json = cache_folder() / f"{request.key}.json"
        self._refused = None if (before := _record_at(self._json)) is None else before.folder
        self._folder: Path | None = None
        self._store: FileStore | None = None
        self._checksum: Future[str] | None = None
        self._pool = ThreadPoolExecutor(1)
        self._stop = Event()

    def __enter__(self) -> CopyMaker:
        """Starts with nothing: what is needed is made by ``store``."""
        return self

    def __exit__(self, *_: object) -> None:
        """Removes what has not become a copy."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)
        if self._store is not None:
            self._store.close()
        if self._folder is not None:
            remove(self._folder)

    def store(self, dimension: int, capacity: int | None) -> RowStore:
        """Makes the file for the matrix; in memory, where that fails."""
        try:
            self._json.parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(dir=self._json.parent, prefix=f"{self._request.key}."))
        except OSError as error:
            self._give_up(error)
            return MemoryStore(dimension, capacity)
        self._store = FileStore(self._folder / "matrix.npy", dimension, capacity)
        if self._request.options["limit"] is None:
            # All of the file counts, so its checksum can be taken while it is parsed.
            path, size = self._request.path, self._request.stamp.size
            self._checksum = self._pool.submit(checksum, path, size, self._stop)
        return self._store

    def keep(self, loaded: Loaded, position: int) -> None:
        """Finishes the copy, of what was loaded by way of ``store``.

        Args:
            loaded: the rows.
            position: how many bytes of the file were read.
        """
        if self._store is None or self._folder is None or loaded.subword is not None:
            return
        try:
            if self._store.failure is not None:
                raise self._store.failure
            record = self._record(loaded, position, self._folder)
            check_size(self._folder)
            if Stamp.of(self._request.path.stat()) == self._request.stamp and self._publish(record):
                self._folder = None
        except (OSError, ValueError) as error:
            self._give_up(error)
        else:
            with suppress(OSError):
                tidy()

    def _publish(self, record: Record) -> bool:
        """Lets others see the copy, unless another process has made the same one in the meantime."""
        # Two that look before either writes would both write, and one's folder would stay behind unused.
        with FileLock(self._json.parent.with_suffix(".lock"), timeout=_PATIENCE):
            before = _record_at(self._json)
            if before is not None and before.folder != self._refused and before.stamp == record.stamp:
                return False
            record.write(self._json)
        replaced = None if before is None else folder_of(before)
        if replaced is not None:
            remove(replaced)
        return True

    def _record(self, loaded: Loaded, position: int, folder: Path) -> Record:
        words, table = pack(loaded.words)
        (folder / "words.txt").write_bytes(words)
        (folder / "words.table").write_bytes(table.data)
        stamp, path = self._request.stamp, self._request.path
        covered = stamp.size if self._checksum else min(position, stamp.size)
        return Record(
            path=os.fspath(path),
            options=self._request.options,
            stamp=stamp,
            seen_ns=self._request.seen_ns,
            covered=covered,
            checksum=self._checksum.result() if self._checksum else checksum(path, covered),
            folder=folder.name,
            matrix=matrix_digest(folder / "matrix.npy"),
            words=digest(folder / "words.txt"),
            table=digest(folder / "words.table"),
            rows=len(loaded.words),
            dimension=loaded.matrix.shape[1],
            dropped=loaded.dropped,
        )

    def _give_up(self, error: Exception) -> None:
        log.warning(
            "%s: no cached copy is made in %s (%s). The vectors are the same; --no-cache does not try to.",
            self._request.path,
            self._json.parent,
            error,
        )


def _record_at(path: Path) -> Record | None:
    with suppress(*BROKEN):
        return Record.read(path)
    return None
