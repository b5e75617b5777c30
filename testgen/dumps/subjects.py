"""What dumps say of one entity, in whichever form they say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import NamedTuple, Protocol

from testgen.dumps.steps import DIRECT
from testgen.sources.base import ENTITY


class Subject(Protocol):
    """An entity, or a part of one: something that statements are about."""

    @property
    def id(self) -> str:
        """Its id, as in `Q42` or `L7-F1`."""

    @property
    def modified(self) -> str:
        """When it was changed, if the dump says that of each entity."""

    @property
    def predicates(self) -> Set[str]:
        """The ids of its properties, and the IRIs of other predicates. Some may lead to nothing."""

    def objects(self, predicate: str) -> Sequence[str]:
        """What it says with a predicate, as objects of N-Triples: of statements, those of best rank."""

    def names(self) -> bytes:
        """Its labels and aliases in the form of the dump: a line of JSON, or lines of N-Triples."""


class Fault(NamedTuple):
    """A line that cannot be used.

    Attributes:
        line: Its number within what was read, from 0.
        offset: The place of its first byte there.
        reason: What is wrong with it.
    """

    line: int
    offset: int
    reason: str


class Unit(NamedTuple):
    """A part of a dump that can be read by itself.

    Attributes:
        line: The number of its first line within what was read, from 0.
        offset: The place of its first byte there.
        read: Gives the subjects in it, or raises a ValueError, LookupError or TypeError.
    """

    line: int
    offset: int
    read: Callable[[], Sequence[Subject]]


def triple(subject: str, predicate: str, object_: str) -> str:
    """A line of N-Triples."""
    iri = DIRECT + predicate if predicate.startswith("P") else predicate
    return f"<{ENTITY}{subject}> <{iri}> {object_} ."
