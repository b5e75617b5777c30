"""The CONSTRUCT query that fetches the statements from which a query is answered."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import count

import regex

from testgen.errors import QueryFaultError
from testgen.sources.algebra import Part, Step, Term, algebra_of, parts_of, path_steps

_SELECT = regex.compile(r"(?i)\bSELECT\b")
_TOKENS = regex.compile(r"<[^<>\s]*>|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|#[^\n]*|[{}]")
# Statements that rule out an item are fetched too, so that they rule it out there as well.
_NEGATIONS = regex.compile(r"(?i)\bMINUS\b|\bFILTER\s+NOT\s+EXISTS\b")


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
    return f"{prologue}CONSTRUCT {{\n{template}}} WHERE {_NEGATIONS.sub('OPTIONAL', where)}\n{optional}}}\n"


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
