"""What a pass over dumps has found, as a source: it answers queries and knows names like any other."""

from __future__ import annotations

import io
import shutil
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import zstandard

from testgen.dumps.jsonlines import texts_of
from testgen.dumps.spill import ITEMS, RECORDS, STATEMENTS, frames
from testgen.dumps.steps import DIRECT
from testgen.dumps.triples import ALIAS, LABEL, SAME_AS
from testgen.errors import OutputError
from testgen.queries import Query
from testgen.sources.base import ENTITY, Answer, Names, Provenance, gather_names, is_id
from testgen.sources.snapshot import IN_MEMORY, Snapshot

_STORE, _ROOM, _PICKED = "store", "room", "picked.sqlite"


class Gathered(Snapshot):
    """A source over the folder of a pass that has come to its end."""

    def __init__(self, folder: Path, provenance: Provenance, statements: int) -> None:
        """Load the statements.

        Args:
            folder: The folder.
            provenance: Of the dumps.
            statements: How many statements there are.

        Raises:
            OutputError: There is no room for them.
        """
        import pyoxigraph

        self._path, self._provenance = folder, provenance
        self._answers: dict[Query, Answer] = {}
        try:
            large = statements > IN_MEMORY
            self._store = pyoxigraph.Store(_fresh(folder / _STORE)) if large else pyoxigraph.Store()
            with (folder / STATEMENTS).open("rb") as file:
                lines = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
                self._store.bulk_load(
                    io.BufferedReader(lines), format=pyoxigraph.RdfFormat.N_TRIPLES, lenient=True
                )
            _fresh(folder / _PICKED).unlink(missing_ok=True)
            self._picked = sqlite3.connect(folder / _PICKED)
        except (OSError, sqlite3.Error) as error:
            raise OutputError(f"{folder}: cannot be written: {error}") from error
        self._picked.execute("CREATE TABLE records (id TEXT PRIMARY KEY, record BLOB) WITHOUT ROWID")

    def room(self) -> Path:
        """An empty folder for whoever needs one; it goes with the folder of the pass."""
        return _fresh(self._path / _ROOM)

    def close(self) -> None:
        """Let go of the files."""
        self._picked.close()

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """Run the query, once; see `Source.answer`."""
        if languages is not None:
            return super().answer(query, languages)
        if query not in self._answers:
            self._answers[query] = super().answer(query)
        return self._answers[query]

    def pick(self, items: Iterable[str]) -> None:
        """Get the records of items ready, and say in the store what they are instances of."""
        import pyoxigraph

        known = {id_ for (id_,) in self._picked.execute("SELECT id FROM records")}
        wanted = set(items) - known
        while wanted:
            found = dict.fromkeys(wanted, b"")
            for id_, record in _records(self._path / RECORDS, wanted):
                found[id_] = found[id_] or record
            self._picked.executemany("INSERT INTO records VALUES (?, ?)", found.items())
            self._picked.commit()
            said = b"".join(_statements(record) for record in found.values())
            self._store.load(said, format=pyoxigraph.RdfFormat.N_TRIPLES, lenient=True)
            # What has been merged has the names of what it was merged into.
            wanted = {target for record in found.values() for target in _targets(record)} - {*known, *found}
            known |= found.keys()

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:  # noqa: ARG002
        """Look the items up; see `Source.names`."""
        listed = list(items)
        self.pick(listed)
        for item in listed:
            names = self._names(item)
            if names.labels or names.aliases:
                yield names

    def _names(self, item: str) -> Names:
        seen, record = {item}, self._record(item)
        while (targets := _targets(record)) and targets[0] not in seen:
            seen.add(targets[0])
            record = self._record(targets[0])
        return gather_names(item, *_texts(record))

    def _record(self, item: str) -> bytes:
        row = self._picked.execute("SELECT record FROM records WHERE id = ?", (item,)).fetchone()
        return bytes(row[0]) if row else b""


def twice(folder: Path) -> int | None:
    """The number of an item of which a dump speaks in two places, if there is one.

    Args:
        folder: The folder of a pass.
    """
    seen = bytearray()
    for frame in frames(folder / ITEMS):
        numbers = memoryview(zstandard.decompress(frame)).cast("Q")
        for number in numbers:
            byte, bit = divmod(number, 8)
            if byte >= len(seen):
                seen.extend(bytes(byte + 1 - len(seen) + (1 << 16)))
            if seen[byte] >> bit & 1:
                return int(number)
            seen[byte] |= 1 << bit
    return None


def _records(path: Path, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """The records of some items, in the order of the dumps."""
    parts = frames(path)
    for index, records in zip(parts, parts, strict=True):
        lines = [line.split(" ") for line in zstandard.decompress(index).decode().split("\n")]
        if not any(id_ in wanted for id_, _ in lines):
            continue
        content, start = zstandard.decompress(records), 0
        for id_, length in lines:
            end = start + int(length)
            if id_ in wanted:
                yield id_, content[start:end]
            start = end


def _statements(record: bytes) -> bytes:
    """The lines of a record that are statements."""
    mark = f"> <{DIRECT}".encode()
    return b"".join(line + b"\n" for line in record.split(b"\n") if line.startswith(b"<") and mark in line)


def _targets(record: bytes) -> list[str]:
    """What an item has been merged into, by its record."""
    mark = f"> <{SAME_AS}> <{ENTITY}".encode()
    ends = (line.partition(mark)[2] for line in record.split(b"\n") if line.startswith(b"<"))
    found = (end.partition(b">")[0].decode() for end in ends if end)
    return [each for each in found if is_id(each)]


def _texts(record: bytes) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """Labels and aliases by language, from a record."""
    import pyoxigraph

    if record.startswith(b"{"):
        return texts_of(record.partition(b"\n")[0])
    labels: dict[str, list[str]] = {}
    aliases: dict[str, list[str]] = {}
    for each in _parsed(record):
        of_kind = {LABEL: labels, ALIAS: aliases}.get(each.predicate.value)
        if of_kind is not None and isinstance(each.object, pyoxigraph.Literal) and each.object.language:
            of_kind.setdefault(each.object.language, []).append(each.object.value)
    return labels, aliases


def _parsed(record: bytes) -> list[Any]:
    """The triples of a record, without lines that are none."""
    import pyoxigraph

    read = partial(pyoxigraph.parse, format=pyoxigraph.RdfFormat.N_TRIPLES, lenient=True)
    try:
        return list(read(record))
    except (SyntaxError, ValueError):
        if b"\n" not in record:
            return []
    return [triple for line in record.split(b"\n") for triple in _parsed(line)]


def _fresh(path: Path) -> Path:
    shutil.rmtree(path, ignore_errors=True)
    return path
