"""The classes within a category: the queries that find them by P31 and P279, and the level of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import Any, TypeVar

import regex

from testgen.errors import QueryFaultError, one_line
from testgen.queries import Query
from testgen.sources.base import DIRECT, ENTITY, Row, id_order

T = TypeVar("T")

INSTANCE_OF, SUBCLASS_OF = "P31", "P279"

MINIMUM_ITEMS = 2  # the smallest number of items that can belong together
_ITEM = regex.compile(regex.escape(ENTITY) + r"(Q[1-9][0-9]*)")
_MEMBERSHIP = {DIRECT + INSTANCE_OF, DIRECT + SUBCLASS_OF}
_NEGATED = {"Minus": "p2", "Builtin_NOTEXISTS": "graph"}
_IRIS = {
    "p31": f"<{DIRECT}{INSTANCE_OF}>",
    "p279": f"<{DIRECT}{SUBCLASS_OF}>",
    "p31_item": f"<{ENTITY}{INSTANCE_OF}>",
    "p279_item": f"<{ENTITY}{SUBCLASS_OF}>",
    "entity": ENTITY,
}

# The items' own statements, then those of all classes above them, each class once. IRIs are written in full,
# since a query may use the usual prefixes for something else; other variables than ?item stay inside the
# nested query. The filter leaves out unknown values.
_STATEMENTS = Template("""\
${prologue}SELECT DISTINCT ?item ?property ?of WHERE {
  {
    { SELECT ?item WHERE { { $select } } }
    {
      ?item $p31 ?of .
      BIND ($p31_item AS ?property)
    } UNION {
      ?item $p279 ?of .
      BIND ($p279_item AS ?property)
    }
  } UNION {
    {
      SELECT DISTINCT ?class WHERE {
        { SELECT ?item WHERE { { $select } } }
        { ?item $p31 ?class } UNION { ?item $p279 ?class }
      }
    }
    ?class $p279* ?item .
    ?item $p279 ?of .
    BIND ($p279_item AS ?property)
  }
  FILTER (STRSTARTS(STR(?of), "${entity}Q"))
}
ORDER BY ?item ?property ?of
""")
_MEMBERS = Template("""\
${prologue}SELECT DISTINCT ?item WHERE {
  { $select }
  { ?item $p31/$p279* <$entity$class_id> } UNION { ?item $p279/$p279* <$entity$class_id> }
}
ORDER BY ?item
""")


def hierarchy_query(query: Query) -> Query | None:
    """The query for the statements that make the levels of a category; other queries have none."""
    if query.kind != "category" or query.worded:
        return None
    name, title = f"{query.name} (hierarchy)", f"Classes of: {query.title}"
    return query.nested_in(_STATEMENTS, _IRIS, name=name, title=title, kind="hierarchy")


def hierarchy_queries(answers: Mapping[Query, Collection[Any]], minimum_items: int) -> dict[Query, Query]:
    """The hierarchy query of each category that has more than `minimum_items` items."""
    large = (query for query, rows in answers.items() if len(rows) > minimum_items)
    return {query: above for query in large if (above := hierarchy_query(query)) is not None}


@cache
def members_query(query: Query, class_id: str, name: str, title: str) -> Query:
    """The category of the items of another category that are in a class."""
    return query.nested_in(_MEMBERS, _IRIS | {"class_id": class_id}, name=name, title=title)


def root_classes(query: Query) -> frozenset[str]:
    """The classes whose instances or subclasses a category's query asks for; empty if it asks for none.

    Raises:
        QueryFaultError: rdflib, which reads the query for this, does not take it, though Oxigraph does.
    """
    from rdflib.plugins.sparql import prepareQuery

    try:
        nodes = list(_positive_nodes(prepareQuery(query.narrowed(None)).algebra))
    except Exception as error:
        raise QueryFaultError(
            f"the levels of {query.name} cannot be made: its text is SPARQL to engines, but not to rdflib, "
            f"which finds its classes ({one_line(error)}); write it in another way, or do without levels"
        ) from error
    values: dict[Any, set[Any]] = {}
    for row in (row for node in nodes if "res" in node for row in node["res"]):
        for variable, term in row.items():
            values.setdefault(variable, set()).add(term)
    patterns = (pattern for node in nodes if "triples" in node for pattern in _triples(node["triples"]))
    iris: set[str] = set()
    for subject, predicate, object_ in patterns:
        if str(subject) == "item" and _is_class_membership(predicate):
            iris |= {str(iri) for iri in values.get(object_, {object_})}
    return frozenset(match[1] for iri in iris if (match := _ITEM.fullmatch(iri)))


def _positive_nodes(node: Any) -> Iterator[Any]:  # noqa: ANN401  # of the algebra of rdflib
    """The operators of a query that are not within MINUS or NOT EXISTS."""
    if isinstance(node, list | tuple):
        for each in node:
            yield from _positive_nodes(each)
    if isinstance(node, dict):
        yield node
        negated = _NEGATED.get(getattr(node, "name", ""))
        for key, value in node.items():
            if key not in ("triples", "_vars", "res", negated):
                yield from _positive_nodes(value)


def _triples(terms: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Triple patterns, also if several are in one tuple, as rdflib has it in EXISTS."""
    for each in terms:
        yield from zip(*[iter(each)] * 3, strict=True)


def _is_class_membership(path: Any) -> bool:  # noqa: ANN401  # a term or a path of rdflib
    from rdflib.paths import AlternativePath, MulPath, SequencePath

    if isinstance(path, SequencePath | AlternativePath):
        return all(map(_is_class_membership, path.args))
    return _is_class_membership(path.path) if isinstance(path, MulPath) else str(path) in _MEMBERSHIP


@dataclass(frozen=True)
class Level:
    """A class within a category."""

    class_id: str
    level: int  # one more than that of the deepest class that contains it; 1 if only the category does
    within: str | None  # a class one level above that contains it; None if this is the category itself
    items: frozenset[str]  # the items of the category that are in it


def levels_within(
    category: Query, rows: Iterable[Row], statements: Sequence[Row], minimum_items: int
) -> list[Level]:
    """The classes within a category with so many items, level by level, each in the order of the ids."""
    # A class that contains all items is the category itself, and of several classes with the same items one
    # is kept: so no circle of subclasses is left. If the query asks for classes, these and those below count;
    # else those that the items' own statements name, as the hierarchy above them ends only at "entity".
    items, roots = [item for (item,) in rows], root_classes(category)
    direct: dict[str, set[str]] = {item: set() for item in items}
    for item, _, class_id in statements:
        if item in direct:
            direct[item].add(class_id)
    superclasses = _Superclasses(statements)
    members: dict[str, set[str]] = {}
    for item, classes in direct.items():
        for class_id in set().union(*(superclasses[class_] for class_ in classes)):
            members.setdefault(class_id, set()).add(item)
    if roots:
        chosen = {class_id for class_id in members if not superclasses[class_id].isdisjoint(roots)}
    else:
        chosen = {class_id for classes in direct.values() for class_id in classes}
    groups: dict[frozenset[str], list[str]] = {}
    for class_id in sorted(chosen, key=id_order):
        contained = frozenset(members[class_id])
        if minimum_items <= len(contained) < len(items):
            groups.setdefault(contained, []).append(class_id)
    return _levels_of_groups(groups, superclasses)


class _Superclasses(dict[str, frozenset[str]]):
    """For each class, itself and all its superclasses at any distance; computed when first read."""

    def __init__(self, statements: Iterable[Row]) -> None:
        super().__init__()
        self._next: dict[str, list[str]] = {}
        for subject, property_, class_id in statements:
            if property_ == SUBCLASS_OF:
                self._next.setdefault(subject, []).append(class_id)

    def __missing__(self, class_id: str) -> frozenset[str]:
        self[class_id] = frozenset({class_id, *reachable([class_id], self._next)})
        return self[class_id]


def reachable(begin: Iterable[T], next_of: Mapping[T, Iterable[T]]) -> set[T]:
    """What some nodes of a graph lead to, in any number of steps from one on."""
    waiting, found = list(begin), set[T]()
    while waiting:
        new = [node for node in next_of.get(waiting.pop(), ()) if node not in found]
        found.update(new)
        waiting += new
    return found


def _levels_of_groups(
    groups: Mapping[frozenset[str], Sequence[str]], superclasses: _Superclasses
) -> list[Level]:
    """The levels of classes, grouped by the items that they contain; the first class represents its group."""
    representative = {class_id: classes[0] for classes in groups.values() for class_id in classes}
    levels: dict[str, Level] = {}
    for items, classes in sorted(groups.items(), key=lambda group: -len(group[0])):
        name = classes[0]
        above = {class_ for one in classes for class_ in superclasses[one] if class_ in representative}
        containing = {representative[class_] for class_ in above} - {name}
        depth = max((levels[class_].level for class_ in containing), default=0)
        deepest = [class_ for class_ in containing if levels[class_].level == depth]
        levels[name] = Level(name, depth + 1, min(deepest, key=id_order, default=None), items)
    return sorted(levels.values(), key=lambda class_: (class_.level, id_order(class_.class_id)))
