"""What every source can do: answer queries, and name items in all languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from testgen.queries import Query

Row = tuple[str, ...]
"""Item ids in the order of `Query.variables`: (item,) for a category, (item, of) for a relation."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one item.

    Attributes:
        item: Its id.
        labels: Its label by language code; `mul` is the language-neutral one.
        aliases: Its other names by language code, sorted.
    """

    item: str
    labels: Mapping[str, str]
    aliases: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Provenance:
    """Where the content of a test set comes from.

    Attributes:
        kind: What sort of source: `snapshot`.
        name: What the source calls itself.
        date: The day its content is from, as in 2026-11-20, if it says so.
        sha256: Of the snapshot's file, in hexadecimal.
    """

    kind: str
    name: str
    date: str | None
    sha256: str

    def as_dict(self) -> dict[str, str | None]:
        """As it stands in a test set file."""
        return {"kind": self.kind, "name": self.name, "date": self.date, "sha256": self.sha256}


class Source(Protocol):
    """Something that answers queries and knows names."""

    @property
    def provenance(self) -> Provenance:
        """Where the answers come from."""

    def rows(self, query: Query) -> list[Row]:
        """The distinct rows of a query's answer, ordered by the numbers of the ids.

        Raises:
            SourceError: The source fails, or answers with something that is no item.
        """

    def names(self, items: Iterable[str]) -> Iterator[Names]:
        """The names of each item that has any, in the order of the items, in all languages at once.

        Raises:
            SourceError: The source fails.
        """


def item_number(item_id: str) -> int:
    """The number in an item id: items are put in this order, Q9 before Q10."""
    return int(item_id[1:])
