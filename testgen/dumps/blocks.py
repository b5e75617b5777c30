"""Dumps in blocks that are read one by one, in any order and by anybody.

A block holds whole units: lines of JSON, or all triples of a subject. Of a file that can be read from
anywhere (plain, or bzip2, see `DumpFile.splits`) a block is a place, and whoever works on it opens the file
there; of other files it carries its text, for only who reads them from the beginning can have it.

A place begins and ends at any byte. What belongs to it are the units that begin in it, but for the first,
which belongs to the place before it: nobody can tell from here whether it has begun before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from testgen.dumps.bzip2 import Bzip2Part
from testgen.dumps.dumpfile import DumpFile, Form
from testgen.dumps.streams import Beginning, Unpacking
from testgen.errors import SourceError

SIZE = 1 << 23
"""Bytes of text in a block, more or less."""

_LONGEST = 1 << 28  # no line is longer, and there are no more triples of a subject
_PACKED = 4  # so much less of a packed file


@dataclass(frozen=True)
class Position:
    """A place between two blocks.

    Attributes:
        start: Where the next one begins: in the file if it splits, else in what it holds.
        beginning: Of the stream from which it can be reached; only where the file does not split.
    """

    start: int = 0
    beginning: Beginning = field(default_factory=Beginning)


@dataclass(frozen=True)
class Block:
    """A part of a dump.

    Attributes:
        file: The dump.
        start: Its first byte.
        end: The byte after its last.
        text: What it holds, where the file does not split.
        after: The place after it.
        packed: How much of the file has been read after it.
    """

    file: DumpFile
    start: int
    end: int
    text: bytes | None
    after: Position
    packed: int

    def units(self) -> bytes:
        """The units that belong to it.

        Raises:
            SourceError: The file is damaged there, or cannot be read.
        """
        if self.text is not None:
            return self.text
        try:
            return _aligned(self)
        except OSError as error:
            raise SourceError(f"{self.file.path}: cannot be read: {error.strerror or error}") from error


class Cutting:
    """Cuts a dump into blocks.

    Attributes:
        fault: Why the dump ended before its end, if it did, once all blocks have been cut.
    """

    def __init__(self, file: DumpFile, position: Position, size: int = SIZE) -> None:
        """Begin at a place.

        Args:
            file: The dump.
            position: The beginning, or the place after a block.
            size: How large blocks are to be, about.
        """
        self._file, self._position, self._size = file, position, size
        self.fault: str | None = None

    def blocks(self) -> Iterator[Block]:
        """All blocks from there on.

        Raises:
            SourceError: The file cannot be read, or a line in it is too long for any dump.
        """
        try:
            yield from self._places() if self._file.splits else self._texts()
        except OSError as error:
            raise SourceError(f"{self._file.path}: cannot be read: {error.strerror or error}") from error

    def _places(self) -> Iterator[Block]:
        step = self._size if self._file.packing == "none" else max(1, self._size // _PACKED)
        for start in range(self._position.start, self._file.size, step):
            end = min(start + step, self._file.size)
            yield Block(self._file, start, end, None, Position(end), end)

    def _texts(self) -> Iterator[Block]:
        beginning = self._position.beginning
        unpacking = Unpacking(self._file.path, beginning)
        start, skip = self._position.start, self._position.start - beginning.unpacked
        held: list[bytes] = []
        for piece in unpacking.pieces():
            new = piece[skip:]
            skip -= len(piece) - len(new)
            held.append(new)
            if sum(map(len, held)) >= self._size:
                text = b"".join(held)
                end = _last_boundary(text, self._file.form)
                if end:
                    yield self._text(start, text[:end], unpacking)
                elif len(text) > _LONGEST:
                    raise SourceError(f"{self._file.path}: a line has more than {len(text)} bytes: no dump")
                start, held = start + end, [text[end:]]
        self.fault = unpacking.fault
        if text := b"".join(held):
            yield self._text(start, text, unpacking)

    def _text(self, start: int, text: bytes, unpacking: Unpacking) -> Block:
        end = start + len(text)
        # What is held back may have begun in the stream before, which has to be read again for it.
        beginning = unpacking.beginning if unpacking.beginning.unpacked <= end else self._position.beginning
        self._position = Position(end, beginning)
        return Block(self._file, start, end, text, self._position, unpacking.packed)


def _aligned(block: Block) -> bytes:
    """The units of a place: from the second that is seen there to the first that is seen after it."""
    form = block.file.form
    if block.file.packing == "bzip2":
        own, beyond = Bzip2Part(block.file.path, block.start, block.end).read()
    else:
        own, beyond = _plain(block.file.path, block.start, block.end)
    more, end = b"", None
    while end is None:
        chunk = next(beyond, b"")
        more += chunk
        end = first_boundary(more, form, last=not chunk)
        if len(more) > _LONGEST:
            raise SourceError(f"{block.file.path}: a line has more than {len(more)} bytes: no dump")
    text = own + more[:end]
    begin = 0 if block.start == 0 else first_boundary(text, form, last=True)
    return text[begin:]


def _plain(path: Path, start: int, end: int) -> tuple[bytes, Iterator[bytes]]:
    with path.open("rb") as file:
        file.seek(start)
        own = file.read(end - start)

    def beyond() -> Iterator[bytes]:
        with path.open("rb") as file:
            file.seek(end)
            while chunk := file.read(_LONGEST >> 10):
                yield chunk

    return own, beyond()


def first_boundary(text: bytes, form: Form, *, last: bool) -> int | None:
    """Where the first unit ends that begins after the first line of a text, or the line itself if it is JSON.

    Args:
        text: The text.
        form: What it is.
        last: Whether nothing comes after it.

    Returns:
        The place; None if more text is needed to tell.
    """
    open_end = len(text) if last else None
    start = text.find(b"\n") + 1
    if not start:
        return open_end
    if form == "JSON":
        return start
    subject = _subject(text, start)
    while subject and (last or len(text) - start >= len(subject)):
        if not text.startswith(subject, start):
            return start
        start = text.find(b"\n", start) + 1
        if not start:
            break
    return open_end


def _last_boundary(text: bytes, form: Form) -> int:
    """Where the last unit begins of which it is not sure that it is whole; 0 if that is the first."""
    start = text.rfind(b"\n") + 1
    if form == "JSON" or not start:
        return start
    start = text.rfind(b"\n", 0, start - 1) + 1
    subject = _subject(text, start)
    while start:
        before = text.rfind(b"\n", 0, start - 1) + 1
        if not text.startswith(subject, before):
            return start
        start = before
    return 0


def _subject(text: bytes, start: int) -> bytes:
    """The subject of a line, with what parts it from the rest; nothing if that is missing."""
    ends = [end for end in (text.find(mark, start) for mark in (b" ", b"\t", b"\n")) if end >= 0]
    return text[start : min(ends) + 1] if ends else b""
