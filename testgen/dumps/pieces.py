"""What is made of a block: everything in it that is needed, packed, and what was wrong with it."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import zstandard

from testgen.dumps import jsonlines, triples
from testgen.dumps.blocks import Block
from testgen.dumps.needs import Needs
from testgen.dumps.sieve import Sieve, sieve_of
from testgen.dumps.subjects import Fault, Unit

DETAILED = 10
"""So many faults are kept in detail."""

_LEVEL = 1
_OF_DUMP = re.compile(rb'ontology#Dump> <http://schema\.org/dateModified> "([0-9]{4}-[0-9]{2}-[0-9]{2})')
_NUMBER = re.compile(r"Q([1-9][0-9]*)")
_LARGEST = 1 << 31  # a larger number is no item's


@dataclass(frozen=True)
class Piece:
    """What a block gives.

    Attributes:
        statements: Lines of N-Triples, packed.
        index: Which entities have records, packed: an id and the length of its record a line.
        records: Their names and classes, one after the other, packed.
        items: The numbers of the items in it, packed; of N-Triples only.
        lines: How many lines it has.
        size: How many bytes.
        read: How many units were taken apart.
        kept: How many statements are kept.
        faults: What is wrong with the first lines that cannot be used.
        faulty: How many there are.
        date: The newest day in it: of the dump, or of a change.
        closed: Whether its last line is a closing bracket; None if it has no line.
    """

    statements: bytes
    index: bytes
    records: bytes
    items: bytes
    lines: int
    size: int
    read: int
    kept: int
    faults: Sequence[Fault]
    faulty: int
    date: str | None
    closed: bool | None


def read_block(needs: Needs, block: Block) -> Piece:
    """Read a block.

    Args:
        needs: What is needed.
        block: The block.

    Raises:
        SourceError: The file is damaged there, or cannot be read.
    """
    text, sieve, found = block.units(), sieve_of(needs), _Found(block.file.form == "N-Triples")
    form = triples if found.of_triples else jsonlines
    read = 0
    for unit in form.units(text, sieve, found.faults):
        read += 1
        found.take(unit, sieve)
    dates = [each.decode() for each in _OF_DUMP.findall(text)] if found.of_triples else [found.modified[:10]]
    faults = sorted({fault.offset: fault for fault in found.faults}.values(), key=lambda fault: fault.offset)
    return Piece(
        _packed("".join(f"{line}\n" for line in found.statements).encode("utf-8", "replace")),
        _packed("\n".join(found.index).encode()),
        _packed(b"".join(found.records)),
        _packed(found.items.tobytes()),
        text.count(b"\n"),
        len(text),
        read,
        len(found.statements),
        faults[:DETAILED],
        len(faults),
        max(dates, default="") or None,
        _closes(text),
    )


class _Found:
    """What has been found in a block so far."""

    def __init__(self, of_triples: bool) -> None:
        self.of_triples = of_triples
        self.statements: list[str] = []
        self.index: list[str] = []
        self.records: list[bytes] = []
        self.items, self.modified = array("Q"), ""
        self.faults: list[Fault] = []

    def take(self, unit: Unit, sieve: Sieve) -> None:
        """Add what is needed of a unit; nothing of one that is faulty."""
        try:
            subjects = unit.read()
            sifted = [(subject, *sieve.sift(subject)) for subject in subjects]
        except (LookupError, TypeError, ValueError) as error:  # msgspec's are ValueErrors
            self.faults.append(Fault(unit.line, unit.offset, str(error)))
            return
        for subject, lines, record in sifted:
            self.statements += lines
            self.modified = max(self.modified, subject.modified)
            if record:
                self.index.append(f"{subject.id} {len(record)}")
                self.records.append(record)
            if self.of_triples:
                self.items.extend(_numbers(subject.id))


def _closes(text: bytes) -> bool | None:
    """Whether the last line of a text is a closing bracket; None if there is no line."""
    end = len(text)
    while end and text[end - 1] in b" \t\r\n":
        end -= 1
    return text[text.rfind(b"\n", 0, end) + 1 : end].strip() == b"]" if end else None


def _numbers(id_: str) -> list[int]:
    match = _NUMBER.fullmatch(id_)
    return [int(match[1])] if match and int(match[1]) < _LARGEST else []


def _packed(content: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=_LEVEL).compress(content) if content else b""
