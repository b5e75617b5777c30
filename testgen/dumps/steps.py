"""Predicates and paths of triple patterns, step by step."""

from __future__ import annotations

from typing import Any, NamedTuple

import regex

from testgen.errors import QueryFaultError

DIRECT = "http://www.wikidata.org/prop/direct/"
LEXEMES = frozenset(
    {
        "http://purl.org/dc/terms/language",
        "http://wikiba.se/ontology#grammaticalFeature",
        "http://wikiba.se/ontology#lemma",
        "http://wikiba.se/ontology#lexicalCategory",
        "http://www.w3.org/2004/02/skos/core#definition",
        "http://www.w3.org/ns/lemon/ontolex#lexicalForm",
        "http://www.w3.org/ns/lemon/ontolex#representation",
        "http://www.w3.org/ns/lemon/ontolex#sense",
    }
)
_PROPERTY = regex.compile(regex.escape(DIRECT) + r"(P[1-9][0-9]*)")


class Step(NamedTuple):
    """A step of a path: by which predicates, and whether it may be left out, or be made many times."""

    predicates: frozenset[str]
    zero: bool = False
    many: bool = False


def steps(predicate: Any) -> list[Step]:  # noqa: ANN401
    """The steps of a path, or the only one of a predicate.

    Raises:
        QueryFaultError: It is not known which statements it asks for.
    """
    from rdflib.paths import AlternativePath, MulPath, SequencePath
    from rdflib.term import URIRef

    if isinstance(predicate, URIRef):
        return [Step(frozenset({_key(str(predicate))}))]
    if isinstance(predicate, SequencePath):
        return [step for each in predicate.args for step in steps(each)]
    if isinstance(predicate, AlternativePath) and all(isinstance(each, URIRef) for each in predicate.args):
        return [Step(frozenset(_key(str(each)) for each in predicate.args))]
    if isinstance(predicate, MulPath) and isinstance(predicate.path, URIRef):
        key = frozenset({_key(str(predicate.path))})
        return [Step(key, predicate.mod != "+", predicate.mod != "?")]
    if is_variable(predicate):
        raise QueryFaultError(
            f"?{predicate} stands in the place of a predicate, so that everything would be needed; name the "
            "properties"
        )
    raise QueryFaultError("it has a path for which it is not known what is needed; write it as a UNION")


def _key(iri: str) -> str:
    match = _PROPERTY.fullmatch(iri)
    if match:
        return str(match[1])
    if iri in LEXEMES:
        return iri
    raise QueryFaultError(
        f"it asks for <{iri}>; of a dump, nothing is read but truthy statements (wdt:P31 and the like) and "
        "what lexemes are made of"
    )


def is_variable(term: Any) -> bool:  # noqa: ANN401
    """Whether a term may be anything: blank nodes in queries are variables too."""
    from rdflib.term import BNode, Variable

    return isinstance(term, Variable | BNode)
