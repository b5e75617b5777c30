"""What a pass over dumps has found, in files of one folder: it can be broken off anywhere and gone on with.

Pieces come in the order of their blocks and are appended. From time to time it is written down how far that
is; what has been appended after that is cut off when a pass goes on, so that nothing is there twice.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from testgen.dumps.blocks import Position
from testgen.dumps.pieces import DETAILED, Piece
from testgen.dumps.streams import Beginning
from testgen.errors import OutputError, SourceError
from testgen.files import atomic_write

STATEMENTS, RECORDS, ITEMS = "statements.nt.zst", "records", "items"

_STATE = "state.json"
_EVERY = 10.0  # seconds between two notes of how far a pass is
_LENGTH = 8  # bytes of a number
_FILES = (STATEMENTS, RECORDS, ITEMS)


@dataclass
class State:
    """How far a pass is, and what it has seen.

    Attributes:
        plan: What it is a pass of, and for what.
        dump: The number of the dump that is read next, from 0.
        position: Where in it.
        lines: Lines read of this dump.
        size: Bytes of text read of this dump.
        closed: Whether the last line read of it is a closing bracket.
        total: Bytes of text read of all dumps.
        read: Entities that were taken apart.
        kept: Statements that are kept.
        faulty: Lines that cannot be used.
        faults: Where the first of them are and what is wrong.
        dates: The newest day seen in each dump.
        ends: Of each dump that was read and is not whole, what is missing.
        sizes: How long the files are.
    """

    plan: Any
    dump: int = 0
    position: Position = field(default_factory=Position)
    lines: int = 0
    size: int = 0
    closed: bool = False
    total: int = 0
    read: int = 0
    kept: int = 0
    faulty: int = 0
    faults: list[str] = field(default_factory=list)
    dates: dict[str, str] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_FILES, 0))


class Spill:
    """The folder of a pass."""

    def __init__(self, folder: Path, plan: Any, *, clock: Callable[[], float] = time.monotonic) -> None:  # noqa: ANN401
        """Begin a pass, or go on with one.

        Args:
            folder: Where its files are to be, or are.
            plan: What it is a pass of, and for what: any JSON value.
            clock: Tells the time in seconds.

        Raises:
            SourceError: There is one of something else in the folder.
            OutputError: The folder cannot be used.
        """
        self.folder, self._clock, self._noted = folder, clock, clock()
        self._open = ExitStack()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.state = self._kept_state(plan) or State(plan)
            self._files = {name: self._appending(name) for name in _FILES}
        except OSError as error:
            raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error

    def _kept_state(self, plan: Any) -> State | None:  # noqa: ANN401
        path = self.folder / _STATE
        if not path.exists():
            return None
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            beginning = Beginning(**said["position"].pop("beginning"))
            state = State(**{**said, "position": Position(**said["position"], beginning=beginning)})
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise SourceError(f"{path}: cannot be understood; delete {self.folder} to begin anew") from error
        if state.plan != plan:
            raise SourceError(
                f"{self.folder} holds a pass that was begun {_difference(state.plan, plan)}; run that "
                "command again, write to another file, or delete the folder"
            )
        return state

    def _appending(self, name: str) -> IO[bytes]:
        """A file, cut to the length that it had when the state was written."""
        path = self.folder / name
        file = self._open.enter_context(path.open("ab"))
        if path.stat().st_size < self.state.sizes[name]:
            raise SourceError(f"{path}: shorter than it was; delete {self.folder} to begin anew")
        file.truncate(self.state.sizes[name])
        return file

    def add(self, piece: Piece, dump: str, position: Position) -> None:
        """Append what a block gives, and note now and then how far the pass is.

        Args:
            piece: What it gives.
            dump: The name of the dump.
            position: The place after the block.

        Raises:
            OutputError: There is no room, or the folder is gone.
        """
        state = self.state
        for fault in piece.faults[: max(0, DETAILED - len(state.faults))]:
            line, offset = state.lines + fault.line + 1, state.size + fault.offset
            state.faults.append(f"{dump}, line {line}, byte {offset}: {fault.reason}")
        state.faulty += piece.faulty
        state.lines, state.size = state.lines + piece.lines, state.size + piece.size
        state.total, state.read = state.total + piece.size, state.read + piece.read
        state.kept += piece.kept
        state.closed = state.closed if piece.closed is None else piece.closed
        if piece.date:
            state.dates[dump] = max(piece.date, state.dates.get(dump, ""))
        state.position = position
        framed = (_framed(piece.index) + _framed(piece.records)) if piece.index else b""
        self._append({STATEMENTS: piece.statements, RECORDS: framed, ITEMS: _framed(piece.items)})
        if self._clock() - self._noted >= _EVERY:
            self.note()

    def _append(self, contents: dict[str, bytes]) -> None:
        try:
            for name, content in contents.items():
                self._files[name].write(content)
                self.state.sizes[name] += len(content)
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror}") from error

    def next_dump(self, dump: str, fault: str | None) -> None:
        """Note that a dump has been read.

        Args:
            dump: Its name.
            fault: What is missing of it, if anything is.
        """
        state = self.state
        if fault:
            state.ends[dump] = fault
        state.dump, state.position = state.dump + 1, Position()
        state.lines, state.size, state.closed = 0, 0, False
        self.note()

    def note(self) -> None:
        """Write down how far the pass is, once everything before it is on the disk.

        Raises:
            OutputError: There is no room, or the folder is gone.
        """
        try:
            for file in self._files.values():
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror}") from error
        with atomic_write(self.folder / _STATE) as beside:
            beside.write_text(json.dumps(asdict(self.state), indent=1), encoding="utf-8")
        self._noted = self._clock()

    def close(self) -> None:
        """Close the files."""
        self._open.close()

    def delete(self) -> None:
        """Delete everything."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def frames(path: Path) -> Iterator[bytes]:
    """The parts of a file that was written with a length before each."""
    with path.open("rb") as file:
        while head := file.read(_LENGTH):
            yield file.read(int.from_bytes(head, "big"))


def _framed(content: bytes) -> bytes:
    return len(content).to_bytes(_LENGTH, "big") + content if content else b""


def _difference(old: Any, new: Any) -> str:  # noqa: ANN401
    """In which respect two plans differ, for people."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                return f"with other {key}"
    return "for something else"
