"""Zip files, written piece by piece, so that they are never whole in memory."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from typing import IO

_DATE = (1980, 1, 1, 0, 0, 0)  # the same content makes the same bytes
_LEVEL = 6


def write_zip(file: IO[bytes], files: Iterable[tuple[str, str]]) -> None:
    """Write a zip file.

    Args:
        file: Where to.
        files: Name and text of each file in it; taken one by one.
    """
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in files:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text, zipfile.ZIP_DEFLATED, _LEVEL)
