"""Copies of vectors files in the user's cache, which are opened in milliseconds.

A copy is a folder with ``matrix.npy``, ``words.txt`` and ``words.table``, by which words are found; all are
mapped into memory. Beside it lies ``<key>.json``, the record, which says what it is a copy of and names the
folder. Nothing in them is a program, and the record is replaced in one step, so that processes can make the
same copy at the same time.

The key is made of the path and of everything that decides what is read. A copy is used without reading the
file if size and times of the file are those they were; otherwise if the file has the same content, going by
a checksum of all of it (or, with a limit, of the part that was read).

In the order in which the modules build on each other:

    record    what is known of a copy, and how files are recognised
    folder    the folder of all copies: what is in it, its limit, clearing it
    opening   using a copy
    making    making a copy while its file is read
"""

from __future__ import annotations

from evaluator.vectors.cached.folder import CachedCopy, CacheInfo, cache_info, clear_cache
from evaluator.vectors.cached.making import CopyMaker
from evaluator.vectors.cached.opening import open_copy
from evaluator.vectors.cached.record import Request, Stamp

__all__ = [
    "CacheInfo",
    "CachedCopy",
    "CopyMaker",
    "Request",
    "Stamp",
    "cache_info",
    "clear_cache",
    "open_copy",
]
