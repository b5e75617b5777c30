"""Cuts the text of a dump into blocks of whole lines of JSON, or of all triples of some entities."""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

from testgen.errors import SourceError
from testgen.snapshots.dumps.dump_file import DumpFile, Syntax
from testgen.snapshots.dumps.unpacking import DumpText, EntryPoint
from testgen.system import writing_to

BLOCK_SIZE = 1 << 23
"""Bytes of text in a block, at most, unless an entity is longer."""

_LONGEST = 1 << 28  # no entity is longer
_SUBJECT = re.compile(rb"[^ \t\n]*[ \t\n]")


class Position(NamedTuple):
    """A boundary between two blocks.

    Attributes:
        offset: The offset in the text.
        entry: An entry point before it.
    """

    offset: int = 0
    entry: EntryPoint = EntryPoint()


@dataclass(frozen=True)
class Block:
    """A part of a dump.

    Attributes:
        syntax: The syntax of the dump.
        start: Where its text begins in the buffer.
        end: Where its text ends there.
        text: Its text if it is too long for the buffer, else None.
        after: The position after it.
        compressed_offset: About how much of the file has been read after it, in bytes.
    """

    syntax: Syntax
    start: int
    end: int
    text: bytes | None
    after: Position
    compressed_offset: int


class TextBuffer:
    """Memory for the text of some blocks, in slots of a fixed number of bytes; processes can share it."""

    def __init__(self, slots: int, slot_size: int, path: Path | None = None) -> None:
        """Reserve the memory; in a file if there are worker processes, which can map it.

        Raises:
            OutputError: There is no space for the file.
        """
        self.slots, self.slot_size = slots, slot_size
        if path is None:
            self.memory = mmap.mmap(-1, slots * slot_size)
            return
        with writing_to(path), path.open("wb+") as file:
            if hasattr(os, "posix_fallocate"):  # a full disk would otherwise end the process later
                os.posix_fallocate(file.fileno(), 0, slots * slot_size)
            file.truncate(slots * slot_size)
            self.memory = mmap.mmap(file.fileno(), slots * slot_size)


class BlockReader:
    """Reads a dump block by block."""

    def __init__(self, file: DumpFile, position: Position, buffer: TextBuffer, workers: int) -> None:
        """Prepare to read from a position on, for so many worker processes.

        The text of a block is overwritten when as many more blocks have been read as the buffer has slots.
        """
        self._file, self._position, self._buffer = file, position, buffer
        self._text = DumpText(file, position.offset, position.entry, workers)

    @property
    def fault(self) -> str | None:
        """Why the dump ended too early, if it did; known after the last block."""
        return self._text.fault

    def close(self) -> None:
        """Close the dump; always to be called."""
        self._text.close()

    def blocks(self) -> Iterator[Block]:
        """The blocks from the position to the end.

        Raises:
            SourceError: The file cannot be read, or an entity in it is too long.
        """
        try:
            yield from self._blocks()
        except OSError as error:
            raise SourceError(f"{self._file.path}: cannot be read: {error.strerror or error}") from error

    def _blocks(self) -> Iterator[Block]:
        memory, size, held = self._buffer.memory, self._buffer.slot_size, b""
        for number in count():
            start = number % self._buffer.slots * size
            filled = start + len(held)
            memory[start:filled] = held
            end = filled + self._text.readinto(memoryview(memory)[filled : start + size])
            if end < start + size:
                break
            cut = last_boundary(memory, start, end, self._file.syntax)
            held = memory[cut:end]
            if cut > start:
                yield self._block(start, cut)
            while len(held) >= size:
                whole, held = self._long_entity(held)
                yield self._block(0, len(whole), whole)
        if end > start:
            yield self._block(start, end)

    def _long_entity(self, begun: bytes) -> tuple[bytes, bytes]:
        """An entity that does not fit into the buffer, and what has been read after it."""
        found, more = bytearray(begun), memoryview(bytearray(self._buffer.slot_size))
        while (count_ := self._text.readinto(more)) == len(more):
            found += more
            cut = last_boundary(found, 0, len(found), self._file.syntax)
            if cut:
                return bytes(found[:cut]), bytes(found[cut:])
            if len(found) > _LONGEST:
                raise SourceError(f"{self._file.path}: more than {_LONGEST} bytes without an end: not a dump")
        return bytes(found + more[:count_]), b""

    def _block(self, start: int, end: int, whole: bytes | None = None) -> Block:
        offset = self._position.offset + end - start
        # The unfinished entity that is held back may have begun before the present entry point.
        entry = self._text.entry if self._text.entry.offset <= offset else self._position.entry
        self._position = Position(offset, entry)
        return Block(self._file.syntax, start, end, whole, self._position, self._text.compressed_offset)


def last_boundary(text: mmap.mmap | bytes | bytearray, start: int, end: int, syntax: Syntax) -> int:
    """Find where the last entity begins of which more may follow; an entity begins at `start`.

    Returns:
        An offset in `text`; `start` if there may be more of the first entity.
    """
    line = text.rfind(b"\n", start, end) + 1
    if syntax == "JSON" or not line:
        return line or start
    line = text.rfind(b"\n", start, line - 1) + 1 or start
    subject = _SUBJECT.match(text, line, end)
    while subject and line > start:
        before = text.rfind(b"\n", start, line - 1) + 1 or start
        if text[before : before + len(subject[0])] != subject[0]:
            return line
        line = before
    return start
