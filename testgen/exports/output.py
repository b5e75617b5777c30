"""Writing the folder of an export: files of others are neither overwritten nor deleted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from testgen.errors import OutputError
from testgen.exports.card import (
    CARD,
    LICENSE,
    DataSet,
    describing_files,
    digests_of,
    is_card,
    unfinished_card,
    with_digests,
)
from testgen.system import atomic_write, locked, writing_to


@contextmanager
def prepared(folder: Path, names: Iterable[str], *, force: bool) -> Iterator[None]:
    """Check before any work that a folder can take the files of an export, and keep other processes out."""
    if folder.is_file():
        raise OutputError(f"{folder}: is a file; name the folder of the export after the test sets")
    with writing_to(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            card = folder / CARD
            ours = card.is_file() and is_card(card.read_bytes()[:200])
            there = [name for name in (CARD, LICENSE, *names) if (folder / name).exists()]
            if there and not ours and not force:
                raise OutputError(
                    f"{folder / there[0]}: this file exists, and testgen did not write it; name another "
                    "folder, or overwrite it with --force"
                )
            yield


def write_data_set(folder: Path, data: DataSet, files: Mapping[str, bytes]) -> list[str]:
    """Write a data set; delete unchanged files of an earlier export, and return their names."""
    # Until all are written, the card says that the export is unfinished, so that it can be run again.
    described = describing_files(data)
    card = described.pop(CARD)
    files = {**files, **{name: text.encode() for name, text in described.items()}}
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    card_before = folder / CARD
    before = digests_of(card_before.read_text("utf-8", "replace")) if card_before.is_file() else {}
    _write(folder / CARD, with_digests(unfinished_card(), before | digests).encode())
    for name, content in files.items():
        _write(folder / name, content)
    deleted = []
    for path, digest in ((folder / name, digest) for name, digest in before.items() if name not in files):
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest:
            path.unlink()
            deleted.append(path.name)
    _write(folder / CARD, with_digests(card, digests).encode())
    return deleted


def _write(path: Path, content: bytes) -> None:
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)
