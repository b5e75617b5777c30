"""Entities as RDF in the shape of Wikidata's query service, for an Oxigraph store.

Statements are best-rank `wdt:` triples, labels `rdfs:label`, aliases `skos:altLabel`, descriptions
`schema:description`, redirects `owl:sameAs`. Lexemes are Ontolex entries, property by property as
mediawiki-extensions-WikibaseLexeme writes them (src/Presentation/Rdf/LexemeSpecificComponentsRdfBuilder.php).
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store

from testgen.languages.codes import from_tag
from tests.servers.entities import LANGUAGES, Entity

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
WIKIBASE = "http://wikiba.se/ontology#"
ONTOLEX = "http://www.w3.org/ns/lemon/ontolex#"
RDFS_LABEL = NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
ALT_LABEL = NamedNode("http://www.w3.org/2004/02/skos/core#altLabel")
DEFINITION = NamedNode("http://www.w3.org/2004/02/skos/core#definition")
DESCRIPTION = NamedNode("http://schema.org/description")
SAME_AS = NamedNode("http://www.w3.org/2002/07/owl#sameAs")
TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
DCT_LANGUAGE = NamedNode("http://purl.org/dc/terms/language")
XSD = "http://www.w3.org/2001/XMLSchema#"
WKT = NamedNode("http://www.opengis.net/ont/geosparql#wktLiteral")

Pair = tuple[NamedNode, NamedNode | Literal]


def store_from_entities(entities: Iterable[Entity], *, unknown_values: bool = False) -> Store:
    """A store that says what the entities say.

    With `unknown_values` a statement of best rank whose value is unknown ("somevalue") is a triple with a
    `…/.well-known/genid/…` node, as on the query service; without it, it is left out.
    """
    store = Store()
    store.bulk_extend(
        Quad(NamedNode(WD + subject), predicate, value)
        for entity in entities
        for subject, (predicate, value) in _triples(entity, unknown_values)
    )
    return store


def store_of(*turtle: str) -> Store:
    """A store with texts of Turtle."""
    store = Store()
    for text in turtle:
        store.load(text, format=RdfFormat.TURTLE)
    return store


def entities_of(store: Store) -> dict[str, Entity]:
    """The items in a store by id, as the entity API has them: with their labels and aliases alone."""
    found: dict[str, Entity] = {}
    for quad in sorted(store, key=str):
        id_ = str(quad.subject.value).removeprefix(WD)
        entity = found.setdefault(id_, {"type": "item", "id": id_, "labels": {}, "aliases": {}})
        if quad.predicate in (RDFS_LABEL, ALT_LABEL):
            term = {"language": from_tag(quad.object.language), "value": quad.object.value}
            if quad.predicate == RDFS_LABEL:
                entity["labels"][term["language"]] = term
            else:
                entity["aliases"].setdefault(term["language"], []).append(term)
    return found


def _triples(entity: Entity, unknown_values: bool) -> Iterator[tuple[str, Pair]]:
    if "redirect" in entity:
        yield entity["entity"], (SAME_AS, NamedNode(WD + entity["redirect"]))
        return
    describe = {"property": _property, "lexeme": _lexeme}.get(entity["type"], _item)
    for node in (entity, *entity.get("forms", ()), *entity.get("senses", ())):
        for pair in (*_terms(node), *_statements(node, unknown_values)):
            yield node["id"], pair
    yield from describe(entity)


def _item(entity: Entity) -> Iterator[tuple[str, Pair]]:
    if "sitelinks" in entity:
        number = Literal(str(len(entity["sitelinks"])), datatype=NamedNode(XSD + "integer"))
        yield entity["id"], (NamedNode(WIKIBASE + "sitelinks"), number)


def _terms(node: Entity) -> Iterator[Pair]:
    for name, predicate in (("labels", RDFS_LABEL), ("descriptions", DESCRIPTION)):
        for code, term in dict(node.get(name) or {}).items():
            yield predicate, _text(term["value"], code)
    for code, terms in dict(node.get("aliases") or {}).items():
        for term in terms:
            yield ALT_LABEL, _text(term["value"], code)


def _property(entity: Entity) -> Iterator[tuple[str, Pair]]:
    kind = "".join(part.capitalize() for part in entity.get("datatype", "string").split("-"))
    yield entity["id"], (TYPE, NamedNode(WIKIBASE + "Property"))
    yield entity["id"], (NamedNode(WIKIBASE + "propertyType"), NamedNode(WIKIBASE + kind))
    yield entity["id"], (NamedNode(WIKIBASE + "directClaim"), NamedNode(WDT + entity["id"]))


def _lexeme(entity: Entity) -> Iterator[tuple[str, Pair]]:
    lexeme = entity["id"]
    yield lexeme, (TYPE, NamedNode(ONTOLEX + "LexicalEntry"))
    yield lexeme, (DCT_LANGUAGE, NamedNode(WD + entity["language"]))
    yield lexeme, (NamedNode(WIKIBASE + "lexicalCategory"), NamedNode(WD + entity["lexicalCategory"]))
    yield from _both(lexeme, NamedNode(WIKIBASE + "lemma"), entity["lemmas"])
    for form in entity["forms"]:
        yield lexeme, (NamedNode(ONTOLEX + "lexicalForm"), NamedNode(WD + form["id"]))
        yield form["id"], (TYPE, NamedNode(ONTOLEX + "Form"))
        yield from _both(form["id"], NamedNode(ONTOLEX + "representation"), form["representations"])
        for feature in form["grammaticalFeatures"]:
            yield form["id"], (NamedNode(WIKIBASE + "grammaticalFeature"), NamedNode(WD + feature))
    for sense in entity["senses"]:
        yield lexeme, (NamedNode(ONTOLEX + "sense"), NamedNode(WD + sense["id"]))
        yield sense["id"], (TYPE, NamedNode(ONTOLEX + "LexicalSense"))
        yield from _both(sense["id"], DEFINITION, sense["glosses"])


def _both(subject: str, predicate: NamedNode, terms: Entity) -> Iterator[tuple[str, Pair]]:
    """Each term as a label and under its own predicate."""
    for code, term in terms.items():
        yield subject, (RDFS_LABEL, _text(term["value"], code))
        yield subject, (predicate, _text(term["value"], code))


def _statements(node: Entity, unknown_values: bool) -> Iterator[Pair]:
    for property_id, statements in dict(node.get("claims") or {}).items():
        for statement in best_rank(statements):
            value = _value_of(statement, unknown_values)
            if value is not None:
                yield NamedNode(WDT + property_id), value


def best_rank(statements: list[Entity]) -> list[Entity]:
    """The preferred statements if there are any, else the normal ones; never the deprecated."""
    for rank in ("preferred", "normal"):
        ranked = [statement for statement in statements if statement["rank"] == rank]
        if ranked:
            return ranked
    return []


def _value_of(statement: Entity, unknown_values: bool) -> NamedNode | Literal | None:
    snak = statement["mainsnak"]
    if snak["snaktype"] == "somevalue" and unknown_values:
        digest = hashlib.md5(statement["id"].encode(), usedforsecurity=False).hexdigest()
        return NamedNode("http://www.wikidata.org/.well-known/genid/" + digest)
    if snak["snaktype"] != "value":
        return None
    kind, value = snak["datavalue"]["type"], snak["datavalue"]["value"]
    return _string(value, snak.get("datatype", "string")) if kind == "string" else _CONVERTERS[kind](value)


def _string(value: str, datatype: str) -> NamedNode | Literal:
    if datatype == "url":
        return NamedNode(quote(value, safe=":/?#[]@!$&'()*+,;=%~-._"))
    if datatype == "commonsMedia":
        return NamedNode("http://commons.wikimedia.org/wiki/Special:FilePath/" + quote(value))
    return Literal(value)


def _entity_id(value: Entity) -> NamedNode:
    letter = {"item": "Q", "property": "P", "lexeme": "L"}.get(value.get("entity-type", "item"), "Q")
    return NamedNode(WD + (value.get("id") or f"{letter}{value['numeric-id']}"))


def _quantity(value: Entity) -> Literal:
    return Literal(value["amount"].removeprefix("+"), datatype=NamedNode(XSD + "decimal"))


def _time(value: Entity) -> Literal:
    """A day; the first of the month or year where the precision is less."""
    date = re.sub(r"-00(?=[-T])", "-01", value["time"].removeprefix("+"))
    return Literal(date, datatype=NamedNode(XSD + "dateTime"))


def _coordinate(value: Entity) -> Literal:
    return Literal(f"Point({value['longitude']} {value['latitude']})", datatype=WKT)


def _monolingual(value: Entity) -> Literal:
    return _text(value["text"], value["language"])


_CONVERTERS: dict[str, Any] = {
    "wikibase-entityid": _entity_id,
    "quantity": _quantity,
    "time": _time,
    "globecoordinate": _coordinate,
    "monolingualtext": _monolingual,
}


@cache
def tags() -> dict[str, str]:
    """The tag in RDF of every code of the API that is written differently there."""
    with LANGUAGES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    of_tables = {row["code"]: (row["tags"].split() or [row["replaced_by"] or row["code"]])[0] for row in rows}
    return {**of_tables, "mo": "ro-cyrl-md"}  # a code of the API alone


def _text(value: str, code: str) -> Literal:
    return Literal(value, language=tags().get(code, code))
