"""Using a copy."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from evaluator.vectors.cached.folder import cache_folder, folder_of, touch
from evaluator.vectors.cached.record import BROKEN, Record, Request, checksum, digest, matrix_digest
from evaluator.vectors.registry import Loaded
from evaluator.vectors.stores import open_npy
from evaluator.vectors.words import open_words

log = logging.getLogger("evaluator")


def open_copy(request: Request) -> Loaded | None:
    """What the copy of a file holds; None if there is none, or it cannot be used."""
    path = cache_folder() / f"{request.key}.json"
    try:
        record = Record.read(path)
        while True:
            if not _is_current(record, request, path):
                log.info("%s has changed: its cached copy is made again", request.path)
                return None
            try:
                loaded = _open(record)
            except BROKEN:
                # Perhaps another process has put a new copy in its place just now.
                refused, record = record, Record.read(path)
                if record.folder == refused.folder:
                    raise
            else:
                touch(path)
                return loaded
    except FileNotFoundError:
        return None
    except BROKEN as error:
        log.warning(
            "%s: its cached copy cannot be used, so the file itself is read (%s)", request.path, error
        )
        return None


def _is_current(record: Record, request: Request, path: Path) -> bool:
    """Whether the file is still the one that was copied."""
    if record.stamp == request.stamp and record.settled():
        return True
    if not record.may_fit(request.stamp) or checksum(request.path, record.covered) != record.checksum:
        return False
    with suppress(OSError):
        replace(record, stamp=request.stamp, seen_ns=request.seen_ns).write(path)
    return True


def _open(record: Record) -> Loaded:
    """Opens a copy.

    Raises:
        OSError: it cannot be read.
        ValueError: it is damaged.
    """
    folder = folder_of(record)
    if folder is None:
        raise ValueError("its folder is gone")
    text, table = folder / "words.txt", folder / "words.table"
    if digest(text) != record.words or digest(table) != record.table:
        raise ValueError("its words are damaged")
    words = open_words(text, table, record.rows)
    matrix = open_npy(folder / "matrix.npy")
    if matrix.shape != (record.rows, record.dimension):
        raise ValueError("its matrix has another shape")
    if matrix_digest(folder / "matrix.npy") != record.matrix:
        raise ValueError("its matrix is damaged")
    return Loaded(words, matrix, record.dropped)
