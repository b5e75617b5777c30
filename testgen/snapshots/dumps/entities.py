"""What dumps of both syntaxes say of an entity, and lines that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import NamedTuple, Protocol

from testgen.snapshots.dumps.required_statements import DIRECT
from testgen.sources.base import ENTITY


class Entity(Protocol):
    """An item, property or lexeme, or a form or sense of a lexeme."""

    @property
    def id(self) -> str:
        """Its id, such as `Q42` or `L7-F1`."""

    @property
    def modified(self) -> str:
        """When it was last changed, if the dump says this; else empty."""

    @property
    def predicates(self) -> Set[str]:
        """The ids of its properties, and the IRIs of other predicates. Some may have no object."""

    def objects(self, predicate: str) -> Sequence[str]:
        """The objects of its statements of best rank with a predicate, as in N-Triples."""

    def names(self) -> bytes:
        """Its labels and aliases in the syntax of the dump: a line of JSON, or lines of N-Triples."""


class BrokenLine(NamedTuple):
    """A line that cannot be used.

    Attributes:
        line: Its number within the block, from 0.
        offset: The offset of its first byte within the block.
        reason: What is wrong with it.
    """

    line: int
    offset: int
    reason: str


class EntityText(NamedTuple):
    """The text of an entity, not parsed yet.

    Attributes:
        line: The number of its first line within the block, from 0.
        offset: The offset of its first byte within the block.
        parse: Gives the entity and the forms and senses in it, or raises a ValueError, LookupError or
            TypeError.
    """

    line: int
    offset: int
    parse: Callable[[], Sequence[Entity]]


def triple(subject: str, predicate: str, object_: str) -> str:
    """A statement as a line of N-Triples."""
    iri = DIRECT + predicate if predicate.startswith("P") else predicate
    return f"<{ENTITY}{subject}> <{iri}> {object_} ."
