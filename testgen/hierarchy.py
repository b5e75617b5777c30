"""Queries about the classes of a category: in which ones its items are, and what these are subclasses of.

An item is in a class if it is an instance (P31) or a subclass (P279) of it, or of one of its subclasses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache
from string import Template
from typing import Any

import regex

from testgen.queries import Query, parted

INSTANCE_OF, SUBCLASS_OF = "P31", "P279"

_DIRECT = "http://www.wikidata.org/prop/direct/"
_ENTITY = "http://www.wikidata.org/entity/"
_ITEM = regex.compile(regex.escape(_ENTITY) + r"(Q[1-9][0-9]*)")
_MEMBERSHIP = {_DIRECT + INSTANCE_OF, _DIRECT + SUBCLASS_OF}
_IRIS = {
    "p31": f"<{_DIRECT}{INSTANCE_OF}>",
    "p279": f"<{_DIRECT}{SUBCLASS_OF}>",
    "p31_item": f"<{_ENTITY}{INSTANCE_OF}>",
    "p279_item": f"<{_ENTITY}{SUBCLASS_OF}>",
}

# The items' own statements, then those of all classes above them, each class once. IRIs are written out, for
# a query may use the usual prefixes for something else, and whatever it selects besides ?item is left within.
# The filter keeps unknown values out.
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
    """The one query for all statements on which the levels of a category rest.

    Returns:
        A query of the kind `hierarchy`, or None for what has no levels: relations, and categories of words
        that the query gives itself.
    """
    if query.kind != "category" or query.worded:
        return None
    name, title = f"{query.name} (hierarchy)", f"Classes of: {query.title}"
    return replace(
        query, name=name, title=title, kind="hierarchy", text=_within(_STATEMENTS, query), google=None
    )


def hierarchy_queries(answers: Mapping[Query, Collection[Any]], minimum_items: int) -> dict[Query, Query]:
    """The hierarchy queries of those categories that are large enough to hold a class and more.

    Args:
        answers: What each query returns.
        minimum_items: How many items a class must have.
    """
    large = (query for query, rows in answers.items() if len(rows) > minimum_items)
    return {query: above for query in large if (above := hierarchy_query(query)) is not None}


@cache
def members_query(query: Query, class_id: str, name: str, title: str) -> Query:
    """The category of those items of a category that are in a class.

    Args:
        query: The category.
        class_id: The class.
        name: What the new category is called.
        title: Its heading.
    """
    text = _within(_MEMBERS, query, class_id=class_id)
    return replace(query, name=name, title=title, text=text, google=None)


def _within(template: Template, query: Query, **more: str) -> str:
    """A query that asks about the items of another one."""
    prologue, select = parted(query.narrowed(None))
    return template.substitute(_IRIS, prologue=prologue, select=select.strip(), entity=_ENTITY, **more)


def roots(query: Query) -> frozenset[str]:
    """The classes whose instances or subclasses a category's query asks for, if it does ask for some."""
    from rdflib.plugins.sparql import prepareQuery

    algebra = prepareQuery(query.narrowed(None)).algebra
    values = dict(_listed(algebra))
    found: set[str] = set()
    for subject, predicate, object_ in _wanted(algebra):
        if str(subject) == "item" and _leads_to_a_class(predicate):
            found |= {str(iri) for iri in values.get(object_, {object_})}
    return frozenset(match[1] for iri in found if (match := _ITEM.fullmatch(iri)))


def _wanted(node: Any) -> Iterator[tuple[Any, Any, Any]]:  # noqa: ANN401  # rdflib's algebra
    """The triple patterns in an algebra, without those of what must not be there."""
    if isinstance(node, list | tuple):
        for value in node:
            yield from _wanted(value)
    if not isinstance(node, dict) or getattr(node, "name", "") == "Builtin_NOTEXISTS":
        return
    for key, value in node.items():
        if key == "triples":
            yield from value
        elif key != "_vars" and not (key == "p2" and getattr(node, "name", "") == "Minus"):
            yield from _wanted(value)


def _listed(node: Any) -> Iterator[tuple[Any, set[Any]]]:  # noqa: ANN401
    """The variables that VALUES blocks in an algebra bind, and to what."""
    if isinstance(node, list | tuple):
        for value in node:
            yield from _listed(value)
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if getattr(node, "name", "") == "values" and key == "res":
            for variable in {each for row in value for each in row}:
                yield variable, {row[variable] for row in value if variable in row}
        elif key != "_vars":
            yield from _listed(value)


def _leads_to_a_class(predicate: Any) -> bool:  # noqa: ANN401
    """Whether a predicate or path is made of instance of and subclass of alone, in their own direction."""
    from rdflib.paths import AlternativePath, MulPath, SequencePath

    if isinstance(predicate, SequencePath | AlternativePath):
        return all(_leads_to_a_class(each) for each in predicate.args)
    if isinstance(predicate, MulPath):
        return _leads_to_a_class(predicate.path)
    return str(predicate) in _MEMBERSHIP
