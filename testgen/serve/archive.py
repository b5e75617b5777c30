"""Zip files, piece by piece as they are made, so that they are never whole in memory."""

from __future__ import annotations

import zipfile
from collections.abc import Generator, Iterable

_DATE = (1980, 1, 1, 0, 0, 0)  # the same content makes the same bytes
_LEVEL = 6


def zipped(files: Iterable[tuple[str, str]]) -> Generator[bytes]:
    """The bytes of a zip file.

    Args:
        files: Name and text of each file in it; taken one by one.
    """
    sink = _Sink()
    with zipfile.ZipFile(sink, "w") as archive:  # type: ignore[call-overload]  # it can only be written to
        for name, text in files:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text, zipfile.ZIP_DEFLATED, _LEVEL)
            yield sink.taken()
    yield sink.taken()


class _Sink:
    """A file that forgets what has been taken."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
