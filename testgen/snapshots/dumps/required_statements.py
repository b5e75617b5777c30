"""Which statements of a dump some queries require, derived from their algebra before reading.

If the subject of a triple pattern is a variable, every solution binds it to an entity that also matches the
other patterns about it: statements of other entities are ruled out. Where this cannot be decided from the
entity alone (behind a path, or for the object of a pattern), the statements of all entities are required.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import NamedTuple

import regex

from testgen.errors import QueryError, QueryFaultError
from testgen.queries import Query
from testgen.sources.algebra import Node, Part, Step, Term, algebra_of, construct_query, path_steps
from testgen.sources.base import DIRECT
from testgen.sources.hierarchy import INSTANCE_OF, SUBCLASS_OF, hierarchy_query
from testgen.sources.lexemes import lexeme_query

ITSELF = ""  # instead of a predicate in an atom: the entity itself is one of the objects
SITELINKS = "http://wikiba.se/ontology#sitelinks"
RANK = "http://wikiba.se/ontology#rank"
STATEMENT = "http://www.wikidata.org/prop/"
"""Before the id of a property: leads from an entity to a statement, of any rank."""

STATEMENT_VALUE = "http://www.wikidata.org/prop/statement/"
"""Before the id of a property: leads from a statement to its value."""

OF_LEXEME = {  # the predicates of lexemes, their forms and senses
    "category": "http://wikiba.se/ontology#lexicalCategory",
    "feature": "http://wikiba.se/ontology#grammaticalFeature",
    "form": "http://www.w3.org/ns/lemon/ontolex#lexicalForm",
    "gloss": "http://www.w3.org/2004/02/skos/core#definition",
    "language": "http://purl.org/dc/terms/language",
    "lemma": "http://wikiba.se/ontology#lemma",
    "representation": "http://www.w3.org/ns/lemon/ontolex#representation",
    "sense": "http://www.w3.org/ns/lemon/ontolex#sense",
}
_OTHER_PREDICATES = frozenset({RANK, SITELINKS, *OF_LEXEME.values()})
_PROPERTY = regex.compile(regex.escape(DIRECT) + r"(P[1-9][0-9]*)")
_OF_STATEMENT = regex.compile(rf"(?:{regex.escape(STATEMENT)}|{regex.escape(STATEMENT_VALUE)})P[1-9][0-9]*")
_MOST_CONJUNCTIONS = 64  # in a condition; a longer one is replaced by a weaker one
_WRAPPERS = frozenset(
    {"AggregateJoin", "Distinct", "Extend", "Filter", "Group", "OrderBy", "Reduced", "Slice", "ToMultiSet"}
)
# Operators within EXISTS, which rdflib does not translate; their variables are those outside.
_UNTRANSLATED = ("Builtin_EXISTS", "Builtin_NOTEXISTS", "GroupGraphPatternSub", "TriplesBlock")


class Atom(NamedTuple):
    """True for an entity that has a statement with one of the predicates and one of the objects."""

    predicates: frozenset[str]  # ids of properties such as `P31`, and IRIs of other predicates
    objects: frozenset[str] | None  # objects as in N-Triples; None for any object


Conjunction = frozenset[Atom]  # true if all its atoms are
Condition = frozenset[Conjunction]  # true if one of its conjunctions is; it can be tested on an entity alone
Conditions = dict[str, Condition]
"""By the name of a variable: everything that a solution binds to it meets this condition."""

ALWAYS: Condition = frozenset({frozenset()})


def both(one: Condition, other: Condition) -> Condition:
    """The condition that two conditions are true, or a weaker one if that would be too long."""
    if len(one) * len(other) > _MOST_CONJUNCTIONS:
        return min(one, other, key=len)
    return _without_implied(frozenset(left | right for left in one for right in other))


def either(one: Condition, other: Condition) -> Condition:
    """The condition that at least one of two conditions is true."""
    return _without_implied(one | other)


def _without_implied(condition: Condition) -> Condition:
    """The condition without conjunctions that are stricter than another one."""
    return frozenset(each for each in condition if not any(other < each for other in condition))


class StatementPattern(NamedTuple):
    """Statements that are required."""

    predicates: frozenset[str]  # statements with one of these predicates,
    objects: frozenset[str] | None  # and with one of these objects unless it is None,
    condition: Condition  # of entities that meet this condition


def required_patterns(queries: Iterable[Query], *, hierarchy: bool = False) -> frozenset[StatementPattern]:
    """The statements that queries require; with `hierarchy`, also the classes of what categories may hold."""
    chosen = list(queries)
    statements: set[StatementPattern] = set()
    for query in (*chosen, *filter(None, map(lexeme_query, chosen))):
        try:
            construct_query(query.narrowed(None))
            root = algebra_of(query.narrowed(None))["p"]
            conditions = _conditions(root, dict(_values(root)))
            statements.update(_required(root, conditions))
        except QueryFaultError as error:
            raise QueryError(f"query {query.name!r} cannot be answered from a dump: {error}") from error
        if hierarchy and hierarchy_query(query) is not None:
            items = conditions.get("item", ALWAYS)
            statements.add(StatementPattern(frozenset({INSTANCE_OF}), None, items))
            statements.add(StatementPattern(frozenset({SUBCLASS_OF}), None, ALWAYS))
    return frozenset(statements)


def _conditions(node: Node, values: Mapping[str, frozenset[str]]) -> Conditions:
    """The conditions that variables meet in all solutions of a node; `values` are those of VALUES blocks."""
    name = getattr(node, "name", "")
    if name == "BGP":
        return reduce(_met, (_of_subject(*pattern, values=values) for pattern in node["triples"]), {})
    if name == "Join":
        return _met(_conditions(node["p1"], values), _conditions(node["p2"], values))
    if name == "Union":
        one, other = (_conditions(node[key], {**values, **dict(_values(node[key]))}) for key in ("p1", "p2"))
        return {key: either(one[key], other[key]) for key in one.keys() & other.keys()}
    if name in ("LeftJoin", "Minus"):
        return _conditions(node["p1"], values)
    if name in _WRAPPERS:
        return _conditions(node["p"], values)
    if name == "Project":
        inner = _conditions(node["p"], dict(_values(node["p"])))
        return {key: inner[key] for key in map(str, node["PV"]) if key in inner}
    return {key: _is_one_of(terms) for key, terms in _values(node)}


def _required(node: Node, conditions: Conditions) -> Iterator[StatementPattern]:
    """The statements that all patterns below a node require; its variables meet these conditions."""
    if isinstance(node, list | tuple):
        yield from (each for value in node for each in _required(value, conditions))
    if not isinstance(node, dict):
        return
    name = getattr(node, "name", "")
    if name in ("Graph", "GraphGraphPattern", "ServiceGraphPattern"):
        raise QueryFaultError("it uses GRAPH or SERVICE, and only the dump is read")
    if name == "Project":  # the scope of its variables
        inner = node["p"]
        yield from _required(inner, _conditions(inner, dict(_values(inner))))
        return
    for pattern in Part(node).patterns:
        yield from _of_pattern(*pattern, conditions=conditions)
    for key in node.keys() - {"triples", "_vars"}:
        yield from _required(node[key], _within(node, key, conditions))


def _within(node: Node, key: str, conditions: Conditions) -> Conditions:
    """The conditions of the variables within a child of a node."""
    # In OPTIONAL, MINUS and UNION, a variable is the one outside only if the left side binds it.
    name = getattr(node, "name", "")
    if key in ("p", "p1") or name in ("Join", *_UNTRANSLATED):
        inner = conditions
    else:
        left = _conditions(next((node[each] for each in ("p1", "p") if each in node), None), {})
        known = conditions.keys() if name == "Union" else conditions.keys() & left.keys()
        inner = {each: conditions[each] for each in known}
    if name == "Union" or key == "p2":
        return _met(inner, _conditions(node[key], dict(_values(node[key]))))
    return inner


def _of_subject(
    subject: Term, predicate: Term, object_: Term, *, values: Mapping[str, frozenset[str]]
) -> Conditions:
    first, *others = _path_steps(predicate)
    if first.optional or not _is_variable(subject):
        return {}
    objects = values.get(str(object_)) if _is_variable(object_) else _constant(object_)
    atom = Atom(frozenset(first.iris), None if others or first.repeated else objects)
    return {str(subject): frozenset({frozenset({atom})})}


def _of_pattern(
    subject: Term, predicate: Term, object_: Term, *, conditions: Conditions
) -> Iterator[StatementPattern]:
    steps = _path_steps(predicate)
    if all(step.optional for step in steps):
        _refuse_empty_path(subject, object_, conditions)
    is_variable = _is_variable(subject)
    start = conditions.get(str(subject), ALWAYS) if is_variable else _is_one_of(frozenset({subject.n3()}))
    objects = _named(conditions.get(str(object_), ALWAYS)) if _is_variable(object_) else _constant(object_)
    for number, step in enumerate(steps):
        is_last = number == len(steps) - 1 and not step.repeated
        is_first = number == 0 and not step.repeated
        yield StatementPattern(
            frozenset(step.iris), objects if is_last else None, start if is_first else ALWAYS
        )


def _path_steps(predicate: Term) -> list[Step]:
    if _is_variable(predicate):
        raise QueryFaultError(
            f"?{predicate} is a variable predicate, which would require all statements; name the properties"
        )
    return [step._replace(iris=tuple(map(_predicate_key, step.iris))) for step in path_steps(predicate)]


def _predicate_key(iri: str) -> str:
    match = _PROPERTY.fullmatch(iri)
    if match:
        return str(match[1])
    if iri in _OTHER_PREDICATES or _OF_STATEMENT.fullmatch(iri):
        return iri
    raise QueryFaultError(
        f"it asks for <{iri}>; from a dump, only statements (wdt:P31; p:P31, ps:P31 and wikibase:rank), "
        "wikibase:sitelinks and the parts of lexemes are read"
    )


def _is_variable(term: Term) -> bool:
    """Whether a term can match anything; blank nodes in queries are variables too."""
    from rdflib.term import BNode, Variable

    return isinstance(term, Variable | BNode)


def _refuse_empty_path(subject: Term, object_: Term, conditions: Conditions) -> None:
    """Refuse a path of length 0 between two unrestricted variables: it leads from everything to itself."""
    ends = [each for each in (subject, object_) if _is_variable(each) and str(each) not in conditions]
    if len(ends) == 2:
        raise QueryFaultError(
            f"the path between ?{ends[0]} and ?{ends[1]} can have length 0, and so leads from everything to "
            "itself; say what one of the two is"
        )


def _constant(term: Term) -> frozenset[str] | None:
    """The objects that match an object of a pattern; None for literals, which can be written in many ways."""
    from rdflib.term import URIRef

    return frozenset({term.n3()}) if isinstance(term, URIRef) else None


def _values(node: Node) -> Iterator[tuple[str, frozenset[str]]]:
    """The variables that VALUES blocks bind in all solutions, and their terms, as in N-Triples."""
    from rdflib.term import URIRef

    name = getattr(node, "name", "")
    if name == "values":
        rows = node["res"]
        for variable in {each for row in rows for each in row}:
            terms = [row.get(variable) for row in rows]
            if all(isinstance(term, URIRef) for term in terms):
                yield str(variable), frozenset(term.n3() for term in terms)
    elif name == "Join":
        yield from _values(node["p1"])
        yield from _values(node["p2"])
    elif name in ("LeftJoin", "Minus"):
        yield from _values(node["p1"])
    elif name in _WRAPPERS:
        yield from _values(node["p"])


def _met(one: Mapping[str, Condition], other: Mapping[str, Condition]) -> Conditions:
    keys = one.keys() | other.keys()
    return {key: both(one.get(key, ALWAYS), other.get(key, ALWAYS)) for key in keys}


def _is_one_of(terms: frozenset[str]) -> Condition:
    return frozenset({frozenset({Atom(frozenset({ITSELF}), terms)})})


def _named(condition: Condition) -> frozenset[str] | None:
    """The entities of which an entity must be one to meet a condition; None if it does not name them."""
    found: set[str] = set()
    for conjunction in condition:
        named = [
            atom.objects for atom in conjunction if ITSELF in atom.predicates and atom.objects is not None
        ]
        if not named:
            return None
        found |= named[0]
    return frozenset(found)
