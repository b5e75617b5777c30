"""Writing the folder of an export: files of others are not overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from testgen.errors import OutputError
from testgen.exports.card import CARD, LICENSE, DataSet, describing_files, is_card
from testgen.system import atomic_write


def prepare(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """Check before any work that a folder can take the files of an export.

    Raises:
        OutputError: It is a file, or has files of these names beside which there is no card of testgen; or it
            cannot be written to.
    """
    if folder.is_file():
        raise OutputError(f"{folder}: is a file; name the folder of the export after the test sets")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        card = folder / CARD
        ours = card.is_file() and is_card(card.read_bytes()[:200])
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written to: {error.strerror}; name another folder") from error
    there = [name for name in (CARD, LICENSE, *names) if (folder / name).exists()]
    if there and not ours and not force:
        raise OutputError(
            f"{folder / there[0]}: this file exists, and testgen did not write it; name another folder, or "
            "overwrite it with --force"
        )


def write_data_set(folder: Path, data: DataSet, files: Mapping[str, bytes]) -> None:
    """Write the files of a data set, its licence and its card.

    Raises:
        OutputError: One cannot be written.
    """
    described = {name: text.encode() for name, text in describing_files(data).items()}
    for name, content in (*files.items(), *described.items()):
        with atomic_write(folder / name) as temporary:
            temporary.write_bytes(content)
