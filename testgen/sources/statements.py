"""The CONSTRUCT query that fetches the statements from which a query is answered.

On these statements alone, the query gives the same answer as on all statements of its source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import count
from typing import Any

import regex

from testgen.errors import QueryFaultError

Node = Any
"""A node of the algebra of a query, as rdflib makes it."""

Term = Any
"""A term or a path of rdflib."""

Pattern = tuple[Term, Term, Term]
"""Subject, predicate or path, and object."""

_SELECT = regex.compile(r"(?i)\bSELECT\b")
_TOKENS = regex.compile(r"<[^<>\s]*>|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|[{}]")
# Statements that rule out an item are fetched too, so that they rule it out there as well. Items with too few
# sitelinks are left out instead, since there may be millions, and the number of the others is fetched.
_NEGATIONS = regex.compile(
    r"(?i)\bMINUS\b(?!\s*\{\s*\?item\s+wikibase:sitelinks\s+\?sitelinks\b)|\bFILTER\s+NOT\s+EXISTS\b"
)
_SITELINKS = "?item <http://wikiba.se/ontology#sitelinks> ?sitelinks"
_OPTIONAL_PARTS = {
    "Union": ("p1", "p2"),
    "LeftJoin": ("p2", "expr"),
    "Minus": ("p2",),
    "Builtin_NOTEXISTS": ("graph",),
}


@lru_cache(maxsize=1000)  # parsing takes longer than asking a small store
def construct_query(text: str) -> str | None:
    """Build the CONSTRUCT query for a SELECT query.

    Args:
        text: A SELECT query of triple patterns, paths of `/`, `|`, `*`, `+` and `?`, UNION, OPTIONAL, MINUS,
            FILTER, BIND and VALUES.

    Returns:
        The query, or None if no statements are needed (only VALUES, for example).

    Raises:
        QueryFaultError: The text has a kind of path that is not supported.
    """
    algebra = algebra_of(text)
    certain = dict(_patterns(algebra, certain=True, own=_own_variables(algebra)))
    if not certain:
        return None
    numbers = count(1)
    triples: list[str] = []
    more = [
        _pattern_clause(*pattern, certain=certain[pattern], numbers=numbers, triples=triples)
        for pattern in certain
    ]
    prologue, where = _SELECT.split(text, maxsplit=1)[0], _where_group(text)[:-1]
    template = "".join(f"  {triple} .\n" for triple in triples)
    optional = "".join(f"  OPTIONAL {{ {extra} }}\n" for extra in more if extra)
    return f"{prologue}CONSTRUCT {{\n{template}}} WHERE {_NEGATIONS.sub('OPTIONAL', where)}\n{optional}}}\n"


@lru_cache(maxsize=1000)  # parsing takes longer than all that is done with the result
def algebra_of(text: str) -> Node:
    """The algebra of a query."""
    from rdflib.plugins.sparql import prepareQuery

    return prepareQuery(text).algebra


def _patterns(node: Node, *, certain: bool, own: Set[Term]) -> Iterator[tuple[Pattern, bool]]:
    """All triple patterns in an algebra, and whether each matched where all of its variables are bound.

    So it is where every solution of the query needs the pattern, and where one of its variables is bound by
    no other part of the query.
    """
    if isinstance(node, list | tuple):
        for value in node:
            yield from _patterns(value, certain=certain, own=own)
    if not isinstance(node, dict):
        return
    optional = _OPTIONAL_PARTS.get(getattr(node, "name", ""), ())
    for key, value in node.items():
        if key == "triples":
            yield from ((each, certain or not own.isdisjoint(each)) for each in triple_patterns(value))
        elif key != "_vars":
            yield from _patterns(value, certain=certain and key not in optional, own=own)


def _own_variables(algebra: Node) -> frozenset[Term]:
    """The variables that a single basic graph pattern binds, and nothing else.

    The additional clause for a path binds its ends, also where the pattern did not match.
    """
    from rdflib.paths import Path
    from rdflib.term import Variable

    bound = Counter(name for binds in _binding(algebra) for name in binds if isinstance(name, Variable))
    patterns = dict(_patterns(algebra, certain=True, own=frozenset()))
    ends = {term for pattern in patterns if isinstance(pattern[1], Path) for term in pattern}
    return frozenset(name for name, times in bound.items() if times == 1 and name not in ends)


def _binding(node: Node) -> Iterator[set[Term]]:
    """The variables that each part of an algebra binds."""
    if isinstance(node, list | tuple):
        for value in node:
            yield from _binding(value)
    if isinstance(node, dict):
        yield _bound_by(node)
        yield from _binding([value for key, value in node.items() if key not in ("triples", "_vars", "res")])


def _bound_by(node: Node) -> set[Term]:
    """The variables that one part of an algebra binds itself."""
    if "triples" in node:
        return {term for pattern in triple_patterns(node["triples"]) for term in pattern}
    if getattr(node, "name", "") == "Extend":
        return {node["var"]}
    return {name for row in node.get("res") or () for name in row}


def triple_patterns(triples: Node) -> Iterator[Pattern]:
    """The patterns in `triples` of a node, also if several are in one tuple, as rdflib has it in EXISTS."""
    for each in triples:
        yield from zip(*[iter(each)] * 3, strict=True)


def _pattern_clause(
    subject: Term,
    predicate: Term,
    object_: Term,
    *,
    certain: bool,
    numbers: Iterator[int],
    triples: list[str],
) -> str:
    """The additional clause for a pattern, if it needs one. Its triples are added to the list."""
    from rdflib.paths import Path

    start, end = subject.n3(), object_.n3()
    if isinstance(predicate, Path):
        return _path_clause(start, predicate, end, numbers, triples)
    statement = f"{start} {predicate.n3()} {end}"
    if certain or statement == _SITELINKS:
        triples.append(statement)
        return statement if statement == _SITELINKS else ""
    return _looked_up(start, predicate.n3(), end, numbers, triples)


def _looked_up(start: str, edge: str, end: str, numbers: Iterator[int], triples: list[str]) -> str:
    """The clause that looks up a statement which may be missing, and binds its predicate if it is there.

    With a filter that compares the object instead, Blazegraph loses statements.
    """
    found = f"?step{next(numbers)}"
    triples.append(f"{start} {found} {end}")
    return f"{start} {edge} {end} . BIND ({edge} AS {found})"


def _path_clause(start: str, path: Term, end: str, numbers: Iterator[int], triples: list[str]) -> str:
    """The clause that binds every step of a path. The triples of the steps are added to the list."""
    from rdflib.paths import AlternativePath, MulPath, SequencePath
    from rdflib.term import URIRef

    if isinstance(path, URIRef):
        triples.append(f"{start} {path.n3()} {end}")
        return f"{start} {path.n3()} {end} ."
    if isinstance(path, SequencePath):
        nodes = [start, *(f"?step{next(numbers)}" for _ in path.args[1:]), end]
        steps = zip(nodes, path.args, nodes[1:], strict=False)
        return " ".join(_path_clause(one, step, other, numbers, triples) for one, step, other in steps)
    if isinstance(path, AlternativePath) and all(isinstance(each, URIRef) for each in path.args):
        edge = f"?step{next(numbers)}"
        triples.append(f"{start} {edge} {end}")
        return f"VALUES {edge} {{ {' '.join(each.n3() for each in path.args)} }} {start} {edge} {end} ."
    if isinstance(path, MulPath) and isinstance(path.path, URIRef) and path.mod in ("*", "+"):
        edge, one, other = path.path.n3(), f"?step{next(numbers)}", f"?step{next(numbers)}"
        triples.append(f"{one} {edge} {other}")
        # All steps upwards, also those that do not lead to the end: to tell them apart costs a path for each
        # step. The nested OPTIONAL leaves Blazegraph no other order than to begin at the start.
        inner = f"{start} {edge}* {one} . OPTIONAL {{ {one} {edge} {other} }}"
        return f"{start} {edge}{path.mod} {end} . OPTIONAL {{ {inner} }}"
    if isinstance(path, MulPath) and isinstance(path.path, URIRef):  # one step, or none
        inner = _looked_up(start, path.path.n3(), end, numbers, triples)
        return f"{start} {path.n3()} {end} . OPTIONAL {{ {inner} }}"
    raise QueryFaultError(
        f"the path {path.n3()} is not supported; write it as a sequence with *, or as a UNION"
    )


def _where_group(text: str) -> str:
    """The text from the first brace of a query to the matching one."""
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
