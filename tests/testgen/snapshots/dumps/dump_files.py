"""Dumps for tests, from the statements of a store; and these statements in N-Triples."""

from __future__ import annotations

import json
import re

from pyoxigraph import Literal, NamedNode, RdfFormat, Store

from testgen.languages.codes import from_tag

WD = "http://www.wikidata.org/entity/"
PROP = "http://www.wikidata.org/prop/"
WDT = PROP + "direct/"
ONTOLEX = "http://www.w3.org/ns/lemon/ontolex#"
WIKIBASE = "http://wikiba.se/ontology#"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"


def json_dump(entities):
    """The bytes of a JSON dump."""
    lines = [json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode() for each in entities]
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


def triples_dump(store):
    """The statements of a store in N-Triples."""
    lines = {f"{quad.triple} ." for quad in store}
    return "".join(f"{line}\n" for line in sorted(lines)).encode()


def store_of(*turtle):
    """A store from texts of Turtle."""
    store = Store()
    for text in turtle:
        store.load(text, format=RdfFormat.TURTLE)
    return store


def entities_of(store):
    """The entities in a store, as Wikibase's JSON.

    Of a property with statements of several ranks, these are taken, and not the statements of best rank.
    """
    made = _with_ranks(store)
    ranked = {(id_, property_) for id_, each in made.items() for property_ in each["claims"]}
    for quad in sorted(store, key=str):
        subject = str(getattr(quad.subject, "value", ""))
        if (subject.removeprefix(WD), quad.predicate.value.removeprefix(WDT)) in ranked:
            continue
        if re.fullmatch(re.escape(WD) + r"[QPL][0-9]+(-[FS][0-9]+)?", subject):
            _add(made, subject.removeprefix(WD), quad.predicate.value, quad.object)
    inner = {id_: made.pop(id_) for id_ in sorted(made) if "-" in id_}
    for entity in made.values():
        for kind in ("forms", "senses"):
            if kind in entity:
                entity[kind] = [inner.get(id_) or _form_or_sense(id_) for id_ in entity[kind]]
    return list(made.values())


def _with_ranks(store):
    """The entities that have statements of several ranks, with these only."""
    made = {}
    for quad in sorted(store, key=str):
        property_ = quad.predicate.value.removeprefix(PROP)
        if not re.fullmatch("P[0-9]+", property_):
            continue
        id_, node = quad.subject.value.removeprefix(WD), quad.object
        rank = next(store.quads_for_pattern(node, NamedNode(WIKIBASE + "rank"), None)).object.value
        (value,) = store.quads_for_pattern(node, NamedNode(f"{PROP}statement/{property_}"), None)
        name = f"{id_}${node.value.rpartition('-')[2]}"
        rank = rank.removeprefix(WIKIBASE).removesuffix("Rank").lower()
        claims = made.setdefault(id_, _entity(id_))["claims"]
        claims.setdefault(property_, []).append(_statement(name, value.object, rank))
    return made


def _form_or_sense(id_):
    return {"id": id_, "representations": {}, "grammaticalFeatures": [], "claims": []}


def _entity(id_):
    if "-" in id_:
        return _form_or_sense(id_)
    if id_[0] == "L":
        return {
            "type": "lexeme", "id": id_, "lemmas": {}, "lexicalCategory": "Q1", "language": "Q1",
            "claims": [], "forms": [], "senses": [],
        }  # fmt: skip
    kind = {"Q": "item", "P": "property"}[id_[0]]
    return {"type": kind, "id": id_, "labels": {}, "descriptions": {}, "aliases": {}, "claims": {}}


_LISTS = {
    WIKIBASE + "grammaticalFeature": "grammaticalFeatures",
    ONTOLEX + "lexicalForm": "forms",
    ONTOLEX + "sense": "senses",
}
_TERMS = {LABEL: "labels", WIKIBASE + "lemma": "lemmas", ONTOLEX + "representation": "representations"}
_IDS = {WIKIBASE + "lexicalCategory": "lexicalCategory", "http://purl.org/dc/terms/language": "language"}


def _add(made, id_, predicate, object_):
    entity = made.setdefault(id_, _entity(id_))
    value = object_.value.removeprefix(WD)
    if predicate == WIKIBASE + "sitelinks":
        entity["sitelinks"] = {f"wiki{number}": {} for number in range(int(value))}
    elif predicate.startswith(WDT):
        entity["claims"] = entity["claims"] or {}
        of_property = entity["claims"].setdefault(predicate.removeprefix(WDT), [])
        of_property.append(_statement(f"{id_}${len(of_property)}", object_))
    elif predicate in _LISTS:
        entity[_LISTS[predicate]].append(value)
    elif predicate in _IDS:
        entity[_IDS[predicate]] = value
    elif _TERMS.get(predicate) in entity:
        entity[_TERMS[predicate]][_code(object_)] = {"language": _code(object_), "value": value}
    elif predicate == ALIAS and "aliases" in entity:
        entity["aliases"].setdefault(_code(object_), []).append({"language": _code(object_), "value": value})


def _code(literal):
    return from_tag(literal.language) or literal.language


def _statement(id_, object_, rank="normal"):
    snak = {"snaktype": "value", "datatype": "string", "datavalue": _value(object_)}
    return {"mainsnak": snak, "type": "statement", "id": id_, "rank": rank}


def _value(object_):
    if not isinstance(object_, Literal):
        return {"type": "wikibase-entityid", "value": {"id": object_.value.removeprefix(WD)}}
    kind = object_.datatype.value.rpartition("#")[2]
    if object_.language:
        code = _code(object_)
        return {"type": "monolingualtext", "value": {"text": object_.value, "language": code}}
    if kind in ("decimal", "integer"):
        return {"type": "quantity", "value": {"amount": f"+{object_.value}", "unit": "1"}}
    if kind == "dateTime":
        return {"type": "time", "value": {"time": _json_time(object_.value), "precision": 11}}
    return {"type": "string", "value": object_.value}


def _json_time(value):
    """A time as the JSON has it: with its sign, and without a year 0, which RDF gives to 1 BC."""
    if not value.startswith("-"):
        return f"+{value}"
    year, rest = value[1:].split("-", 1)
    return f"-{int(year) + 1:04}-{rest}"
