"""The algebra of a SPARQL query, and the CONSTRUCT query that fetches what the query is answered from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from typing import Any, NamedTuple

import regex

from testgen.errors import QueryFaultError

Node = Any  # a node of the algebra of a query, as rdflib makes it
Term = Any  # a term or a path of rdflib
Pattern = tuple[Term, Term, Term]  # subject, predicate or path, and object
_OPTIONAL_PARTS = {
    "Union": ("p1", "p2"),
    "LeftJoin": ("p2", "expr"),
    "Minus": ("p2",),
    "Builtin_NOTEXISTS": ("graph",),
}
_NEGATIONS = ("Minus", "Builtin_NOTEXISTS")
_SELECT = regex.compile(r"(?i)\bSELECT\b")
_TOKENS = regex.compile(r"<[^<>\s]*>|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|[{}]")
# Statements that rule out an item are fetched too, so that they rule it out there as well.
_RULING_OUT = regex.compile(r"(?i)\bMINUS\b|\bFILTER\s+NOT\s+EXISTS\b")


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


@lru_cache(maxsize=1000)  # parsing takes longer than asking a small store
def construct_query(text: str) -> str | None:
    """The CONSTRUCT query for the statements on which a query gives the same answer; None for none."""
    parts = list(parts_of(algebra_of(text)))
    own_variables = _own_variables(parts)
    certain = {
        pattern: part.certain or not own_variables.isdisjoint(pattern)
        for part in parts
        for pattern in part.patterns
    }
    if not certain:
        return None
    made = _Template()
    more = [made.clause(*pattern, certain=is_certain) for pattern, is_certain in certain.items()]
    prologue, where = _SELECT.split(text, maxsplit=1)[0], _where_group(text)[:-1]
    template = "".join(f"  {triple} .\n" for triple in made.triples)
    optional = "".join(f"  OPTIONAL {{ {extra} }}\n" for extra in more if extra)
    return f"{prologue}CONSTRUCT {{\n{template}}} WHERE {_RULING_OUT.sub('OPTIONAL', where)}\n{optional}}}\n"


def _own_variables(parts: list[Part]) -> frozenset[Term]:
    """The variables that a single basic graph pattern binds, and nothing else."""
    # The clause for a path binds its ends, also where the pattern did not match: such a pattern is matched
    # only where all of its variables are bound.
    from rdflib.paths import Path
    from rdflib.term import Variable

    bound = Counter(name for part in parts for name in _bound_by(part) if isinstance(name, Variable))
    patterns = (pattern for part in parts for pattern in part.patterns)
    ends = {term for pattern in patterns if isinstance(pattern[1], Path) for term in pattern}
    return frozenset(name for name, times in bound.items() if times == 1 and name not in ends)


def _bound_by(part: Part) -> set[Term]:
    if part.name == "Extend":
        return {part.node["var"]}
    in_rows = {name for row in part.values_of("res") for name in row}
    return in_rows.union(*part.patterns)


class _Template:
    def __init__(self) -> None:
        self.triples: list[str] = []
        self._numbers = count(1)

    def _new_variable(self) -> str:
        return f"?step{next(self._numbers)}"

    def clause(self, subject: Term, predicate: Term, object_: Term, *, certain: bool) -> str:
        """Add the triples for a pattern; the clause that binds them, if there has to be one."""
        from rdflib.paths import Path

        start, end = subject.n3(), object_.n3()
        if isinstance(predicate, Path):
            steps = path_steps(predicate)
            nodes = [start, *(self._new_variable() for _ in steps[1:]), end]
            return " ".join(map(self._step_clause, nodes, steps, nodes[1:]))
        if certain:
            self.triples.append(f"{start} {predicate.n3()} {end}")
            return ""
        return self._looked_up(start, predicate.n3(), end)

    def _looked_up(self, start: str, edge: str, end: str) -> str:
        """The clause that looks up a statement which may be missing, and binds its predicate."""
        # With a filter that compares the object instead, Blazegraph loses statements.
        bound = self._new_variable()
        self.triples.append(f"{start} {bound} {end}")
        return f"{start} {edge} {end} . BIND ({edge} AS {bound})"

    def _step_clause(self, start: str, step: Step, end: str) -> str:
        edge, *others = (f"<{iri}>" for iri in step.iris)
        if others:
            bound = self._new_variable()
            self.triples.append(f"{start} {bound} {end}")
            return f"VALUES {bound} {{ {edge} {' '.join(others)} }} {start} {bound} {end} ."
        if step.repeated:
            one, other = self._new_variable(), self._new_variable()
            self.triples.append(f"{one} {edge} {other}")
            # All steps upwards, also those that do not lead to the end: to tell them apart costs a path for
            # each step. The nested OPTIONAL leaves Blazegraph no other order than to begin at the start.
            inner = f"{start} {edge}* {one} . OPTIONAL {{ {one} {edge} {other} }}"
            return f"{start} {edge}{'*' if step.optional else '+'} {end} . OPTIONAL {{ {inner} }}"
        if step.optional:
            return f"{start} {edge}? {end} . OPTIONAL {{ {self._looked_up(start, edge, end)} }}"
        self.triples.append(f"{start} {edge} {end}")
        return f"{start} {edge} {end} ."


def _where_group(text: str) -> str:
    depth, begin = 0, 0
    for token in _TOKENS.finditer(text):
        if token[0] == "{":
            begin = begin if depth else token.start()
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0:
                return text[begin : token.end()]
    raise QueryFaultError("the query has no WHERE group")
