"""The levels of a category: the classes that hold several of its items, and how deep each lies within it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from testgen.errors import PolicyError
from testgen.hierarchy import SUBCLASS_OF, roots
from testgen.queries import Query
from testgen.sources import Row, id_order

MINIMUM_ITEMS = 2
"""The fewest items that can belong together."""


@dataclass(frozen=True)
class Level:
    """A class within a category.

    Attributes:
        class_id: Its Wikidata id.
        level: How deep it lies: 1 if nothing but the category holds it, one more than the deepest class that
            holds it otherwise.
        within: A class one level above that holds it; None if that is the category.
        items: Those items of the category that are in it.
    """

    class_id: str
    level: int
    within: str | None
    items: frozenset[str]


def check_minimum(minimum_items: int | None) -> None:
    """Refuse a least size that makes no categories; None, for no levels, is all right.

    Raises:
        PolicyError: It is too low.
    """
    if minimum_items is not None and minimum_items < MINIMUM_ITEMS:
        raise PolicyError(
            f"minimum_items is {minimum_items}; a class must have {MINIMUM_ITEMS} items or more, for one "
            "alone belongs to nothing"
        )


def levels_within(
    category: Query, rows: Iterable[Row], statements: Sequence[Row], minimum_items: int
) -> list[Level]:
    """The classes within a category, level by level, each level in the order of the ids.

    A class that holds all items is the category itself, and one class stands for all with the same items.
    Hence what holds a class has more items than it, and no circle of subclasses is left.

    The classes that the category's query asks for count, and what is below them. If it asks for none, those
    count that an item itself is said to be in, for above these there is no end short of everything.

    Args:
        category: The category.
        rows: The answer to its query.
        statements: The answer to its hierarchy query.
        minimum_items: Classes with fewer items are left out.
    """
    items, wanted = [item for (item,) in rows], roots(category)
    said, above = _said_of(items, statements), _Above(statements)
    members: dict[str, set[str]] = {}
    for item, classes in said.items():
        for class_id in set().union(*(above[each] for each in classes)):
            members.setdefault(class_id, set()).add(item)
    if wanted:
        chosen = {class_id for class_id in members if not above[class_id].isdisjoint(wanted)}
    else:
        chosen = {class_id for classes in said.values() for class_id in classes}
    groups: dict[frozenset[str], list[str]] = {}
    for class_id in sorted(chosen, key=id_order):
        held = frozenset(members[class_id])
        if minimum_items <= len(held) < len(items):
            groups.setdefault(held, []).append(class_id)
    return _nested(groups, above)


def _said_of(items: Collection[str], statements: Iterable[Row]) -> dict[str, set[str]]:
    """The classes that each item is itself said to be in."""
    said: dict[str, set[str]] = {item: set() for item in items}
    for item, _, class_id in statements:
        if item in said:
            said[item].add(class_id)
    return said


class _Above(dict[str, frozenset[str]]):
    """For each class, itself and everything that it is a subclass of, however far; found when asked for."""

    def __init__(self, statements: Iterable[Row]) -> None:
        super().__init__()
        self._next: dict[str, list[str]] = {}
        for subject, property_, class_id in statements:
            if property_ == SUBCLASS_OF:
                self._next.setdefault(subject, []).append(class_id)

    def __missing__(self, class_id: str) -> frozenset[str]:
        seen, to_see = {class_id}, [class_id]
        while to_see:
            new = [each for each in self._next.get(to_see.pop(), ()) if each not in seen]
            seen.update(new)
            to_see += new
        self[class_id] = frozenset(seen)
        return self[class_id]


def _nested(groups: Mapping[frozenset[str], Sequence[str]], above: _Above) -> list[Level]:
    """Levels, from classes by the items that they hold; the first class of a group stands for it."""
    standing = {class_id: classes[0] for classes in groups.values() for class_id in classes}
    found: dict[str, Level] = {}
    for held, classes in sorted(groups.items(), key=lambda group: -len(group[0])):
        name = classes[0]
        holding = {standing[each] for one in classes for each in above[one] if each in standing} - {name}
        depth = max((found[each].level for each in holding), default=0)
        nearest = [each for each in holding if found[each].level == depth]
        found[name] = Level(name, depth + 1, min(nearest, key=id_order, default=None), held)
    return sorted(found.values(), key=lambda each: (each.level, id_order(each.class_id)))
