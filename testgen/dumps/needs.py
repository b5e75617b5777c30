"""What queries need of a dump, derived from their algebra before anything is read.

For every triple pattern a query needs the statements that can match it. Which ones can, is decided entity by
entity: where the subject is a variable, every solution binds it to something that meets the other patterns
about it, so statements of anything else are left out. Where that cannot be told from the entity alone, as
behind a path or in the place of an object, statements of everything are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from testgen.dumps.conditions import ALWAYS, NEVER, SELF, Atom, Condition, both, either
from testgen.dumps.steps import is_variable, steps
from testgen.errors import QueryError, QueryFaultError
from testgen.hierarchy import SUBCLASS_OF, hierarchy_query
from testgen.queries import Query
from testgen.statements import construct_query, triple_patterns

_THROUGH = frozenset(
    {"AggregateJoin", "Distinct", "Extend", "Filter", "Group", "OrderBy", "Reduced", "Slice", "ToMultiSet"}
)
# Parts of EXISTS that rdflib leaves as it parsed them; variables within are those outside.
_PLAIN = ("Builtin_EXISTS", "Builtin_NOTEXISTS", "GroupGraphPatternSub", "TriplesBlock")

Conditions = dict[str, Condition]
"""By the name of a variable: what every solution binds it to meets this condition."""


class Need(NamedTuple):
    """Statements that are needed.

    Attributes:
        predicates: Those with one of these,
        objects: and with one of these objects, if they are given,
        condition: of entities that meet this.
    """

    predicates: frozenset[str]
    objects: frozenset[str] | None
    condition: Condition


@dataclass(frozen=True)
class Needs:
    """What queries need of a dump.

    Attributes:
        statements: The statements that they rest on.
        names: Of which items the names may be wanted.
        classes: Whether it may be wanted too, of these items, what they are instances of.
    """

    statements: frozenset[Need]
    names: Condition
    classes: bool = False


def needs_of(queries: Iterable[Query], *, hierarchy: bool = False) -> Needs:
    """What some queries need.

    Args:
        queries: The queries.
        hierarchy: Whether the levels of the categories are wanted as well.

    Raises:
        QueryError: A query has a form for which it is not known.
    """
    chosen = list(queries)
    statements: set[Need] = set()
    names = NEVER
    for query in chosen:
        try:
            construct_query(query.narrowed(None))
            of_query = _Scope(_algebra(query))
            statements.update(of_query.needs())
        except QueryFaultError as error:
            raise QueryError(f"query {query.name!r} cannot be answered from a dump: {error}") from error
        for variable in query.variables:
            if variable not in query.worded:
                names = either(names, of_query.conditions.get(variable, ALWAYS))
    levels = hierarchy and any(hierarchy_query(query) is not None for query in chosen)
    if levels:  # any class above an item may become a level
        names = ALWAYS
        statements.add(Need(frozenset({SUBCLASS_OF}), None, ALWAYS))
    return Needs(frozenset(statements), names, levels)


def _algebra(query: Query) -> Any:  # noqa: ANN401  # rdflib's
    from rdflib.plugins.sparql import prepareQuery

    return prepareQuery(query.narrowed(None)).algebra


class _Scope:
    """A SELECT: the scope of its variables."""

    def __init__(self, select: Any) -> None:  # noqa: ANN401
        self._root = select["p"]
        self.conditions = self._conditions(self._root, dict(_listed(self._root)))

    def needs(self) -> Iterator[Need]:
        """The statements that all patterns in it need."""
        return self._needs(self._root, self.conditions)

    def _conditions(self, node: Any, listed: Mapping[str, frozenset[str]]) -> Conditions:  # noqa: ANN401
        """What holds of the variables in all solutions of a part of the algebra that are of use.

        Args:
            node: The part.
            listed: What VALUES blocks allow for variables.
        """
        name = getattr(node, "name", "")
        if name == "BGP":
            met = (_of_pattern(*pattern, listed=listed) for pattern in node["triples"])
            return reduce(_met, met, {})
        if name == "Join":
            return _met(self._conditions(node["p1"], listed), self._conditions(node["p2"], listed))
        if name == "Union":
            one, other = (
                self._conditions(node[key], {**listed, **dict(_listed(node[key]))}) for key in ("p1", "p2")
            )
            return {key: either(one[key], other[key]) for key in one.keys() & other.keys()}
        if name in ("LeftJoin", "Minus"):
            return self._conditions(node["p1"], listed)
        if name in _THROUGH:
            return self._conditions(node["p"], listed)
        if name == "Project":
            inner = _Scope(node).conditions
            return {key: inner[key] for key in map(str, node["PV"]) if key in inner}
        return {key: _is(terms) for key, terms in _listed(node)}

    def _needs(self, node: Any, conditions: Conditions) -> Iterator[Need]:  # noqa: ANN401
        """The needs of all patterns in a part of the algebra.

        Args:
            node: The part.
            conditions: What its solutions meet if they are to be of use.
        """
        if isinstance(node, list | tuple):
            yield from (need for value in node for need in self._needs(value, conditions))
        if not isinstance(node, dict):
            return
        _refuse_other_places(getattr(node, "name", ""))
        if getattr(node, "name", "") == "Project":
            yield from _Scope(node).needs()
            return
        for pattern in triple_patterns(node["triples"]) if "triples" in node.keys() else ():  # noqa: SIM118
            yield from _of_statement(*pattern, conditions=conditions)
        for key in node.keys() - {"triples", "_vars"}:
            yield from self._needs(node[key], self._within(node, key, conditions))

    def _within(self, node: Any, key: str, conditions: Conditions) -> Conditions:  # noqa: ANN401
        """What holds of the variables within a part of a part.

        In what may or must not be there, variables are those outside only if they are bound on the left.
        """
        name = getattr(node, "name", "")
        if key in ("p", "p1") or name in ("Join", *_PLAIN):
            inner = conditions
        else:
            left = self._conditions(next((node[each] for each in ("p1", "p") if each in node), None), {})
            known = conditions.keys() if name == "Union" else conditions.keys() & left.keys()
            inner = {each: conditions[each] for each in known}
        if name == "Union" or key == "p2":
            return _met(inner, self._conditions(node[key], dict(_listed(node[key]))))
        return inner


def _of_pattern(
    subject: Any,  # noqa: ANN401
    predicate: Any,  # noqa: ANN401
    object_: Any,  # noqa: ANN401
    *,
    listed: Mapping[str, frozenset[str]],
) -> Conditions:
    """What a triple pattern says of its subject."""
    first, *others = steps(predicate)
    if first.zero or not is_variable(subject):
        return {}
    objects = listed.get(str(object_)) if is_variable(object_) else _constant(object_)
    atom = Atom(first.predicates, None if others or first.many else objects)
    return {str(subject): frozenset({frozenset({atom})})}


def _of_statement(
    subject: Any,  # noqa: ANN401
    predicate: Any,  # noqa: ANN401
    object_: Any,  # noqa: ANN401
    *,
    conditions: Conditions,
) -> Iterator[Need]:
    """The needs of a triple pattern, step by step of its path."""
    path = steps(predicate)
    if all(step.zero for step in path):
        _refuse_everything(subject, object_, conditions)
    variable = is_variable(subject)
    start = conditions.get(str(subject), ALWAYS) if variable else _is(frozenset({subject.n3()}))
    objects = _fixed(conditions.get(str(object_), ALWAYS)) if is_variable(object_) else _constant(object_)
    for number, step in enumerate(path):
        last = number == len(path) - 1 and not step.many
        first = number == 0 and not step.many
        yield Need(step.predicates, objects if last else None, start if first else ALWAYS)


def _refuse_everything(subject: Any, object_: Any, conditions: Conditions) -> None:  # noqa: ANN401
    """Refuse a path of no length between any two things: it leads from everything to itself."""
    ends = [each for each in (subject, object_) if is_variable(each) and str(each) not in conditions]
    if len(ends) == 2:
        raise QueryFaultError(
            f"the path between ?{ends[0]} and ?{ends[1]} may have no step at all, and so leads from "
            "everything that there is to itself; say what one of the two is"
        )


def _constant(term: Any) -> frozenset[str] | None:  # noqa: ANN401
    """What a pattern with this object can match; None for texts and numbers, which have many forms."""
    from rdflib.term import URIRef

    return frozenset({term.n3()}) if isinstance(term, URIRef) else None


def _refuse_other_places(name: str) -> None:
    if name in ("Graph", "GraphGraphPattern", "ServiceGraphPattern"):
        raise QueryFaultError("it asks elsewhere (GRAPH or SERVICE), and there is nothing but the dump")


def _listed(node: Any) -> Iterator[tuple[str, frozenset[str]]]:  # noqa: ANN401
    """The variables that VALUES blocks bind in all solutions, and the terms, as in N-Triples."""
    from rdflib.term import URIRef

    name = getattr(node, "name", "")
    if name == "values":
        rows = node["res"]
        for variable in {each for row in rows for each in row}:
            terms = [row.get(variable) for row in rows]
            if all(isinstance(term, URIRef) for term in terms):
                yield str(variable), frozenset(term.n3() for term in terms)
    elif name == "Join":
        yield from _listed(node["p1"])
        yield from _listed(node["p2"])
    elif name in ("LeftJoin", "Minus"):
        yield from _listed(node["p1"])
    elif name in _THROUGH:
        yield from _listed(node["p"])


def _met(one: Mapping[str, Condition], other: Mapping[str, Condition]) -> Conditions:
    """The conditions of both."""
    keys = one.keys() | other.keys()
    return {key: both(one.get(key, ALWAYS), other.get(key, ALWAYS)) for key in keys}


def _is(terms: frozenset[str]) -> Condition:
    """To be one of some things."""
    return frozenset({frozenset({Atom(frozenset({SELF}), terms)})})


def _fixed(condition: Condition) -> frozenset[str] | None:
    """The things of which a condition says that it must be one, if it does."""
    found: set[str] = set()
    for conjunction in condition:
        named = [atom.objects for atom in conjunction if SELF in atom.predicates and atom.objects is not None]
        if not named:
            return None
        found |= named[0]
    return frozenset(found)
