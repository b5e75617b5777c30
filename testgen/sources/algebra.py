"""The algebra of a SPARQL query: its parts, its triple patterns, and the steps of its paths."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from testgen.errors import QueryFaultError

Node = Any
"""A node of the algebra of a query, as rdflib makes it."""

Term = Any
"""A term or a path of rdflib."""

Pattern = tuple[Term, Term, Term]
"""Subject, predicate or path, and object."""

_OPTIONAL_PARTS = {
    "Union": ("p1", "p2"),
    "LeftJoin": ("p2", "expr"),
    "Minus": ("p2",),
    "Builtin_NOTEXISTS": ("graph",),
}
_NEGATIONS = ("Minus", "Builtin_NOTEXISTS")


class Part(NamedTuple):
    """An operator of the algebra."""

    node: Node
    certain: bool = True  # whether every solution needs it: it is not within UNION, OPTIONAL or a negation
    positive: bool = True  # whether it is not within MINUS or NOT EXISTS

    @property
    def name(self) -> str:
        """The name of the operator; empty for a part of the syntax."""
        return str(getattr(self.node, "name", ""))

    @property
    def patterns(self) -> Iterator[Pattern]:
        """Its own triple patterns, also if several are in one tuple, as rdflib has it in EXISTS."""
        for terms in self.values_of("triples"):
            yield from zip(*[iter(terms)] * 3, strict=True)

    def values_of(self, key: str) -> Any:  # noqa: ANN401  # as rdflib has them
        """The values that the node has under a key; none if it has not."""
        return self.node[key] if key in self.node else ()  # noqa: SIM401  # the `get` of rdflib gives the key


@lru_cache(maxsize=1000)  # parsing takes longer than all that is done with the result
def algebra_of(text: str) -> Node:
    """The algebra of a query."""
    from rdflib.plugins.sparql import prepareQuery

    return prepareQuery(text).algebra


def parts_of(node: Node, *, certain: bool = True, positive: bool = True) -> Iterator[Part]:
    """A node and all operators below it."""
    if isinstance(node, list | tuple):
        for value in node:
            yield from parts_of(value, certain=certain, positive=positive)
    if not isinstance(node, dict):
        return
    part = Part(node, certain, positive)
    yield part
    optional = _OPTIONAL_PARTS.get(part.name, ())
    for key, value in node.items():
        if key not in ("triples", "_vars", "res"):
            negated = key in optional and part.name in _NEGATIONS
            yield from parts_of(
                value, certain=certain and key not in optional, positive=positive and not negated
            )


class Step(NamedTuple):
    """A step of a property path: its predicates as IRIs, and whether it can be left out or repeated."""

    iris: tuple[str, ...]
    optional: bool = False
    repeated: bool = False


def path_steps(predicate: Term) -> list[Step]:
    """The steps of a property path; a single predicate is one step."""
    from rdflib.paths import AlternativePath, MulPath, SequencePath
    from rdflib.term import URIRef

    if isinstance(predicate, URIRef):
        return [Step((str(predicate),))]
    if isinstance(predicate, SequencePath):
        return [step for part in predicate.args for step in path_steps(part)]
    if isinstance(predicate, AlternativePath) and all(isinstance(part, URIRef) for part in predicate.args):
        return [Step(tuple(map(str, predicate.args)))]
    if isinstance(predicate, MulPath) and isinstance(predicate.path, URIRef):
        return [Step((str(predicate.path),), predicate.mod != "+", predicate.mod != "?")]
    raise QueryFaultError(
        f"the path {predicate.n3()} is not supported; write it as a sequence with *, or as a UNION"
    )
