"""Reads the entities and the names in a line of a dump: msgspec checks it, and parses what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec

from testgen.snapshots.dumps.required_statements import OF_LEXEME, RANK, SITELINKS, STATEMENT, STATEMENT_VALUE
from testgen.snapshots.dumps.values import (
    count_literal,
    entity_iri,
    literal_in_language,
    object_of,
    statement_id,
    unknown_value,
)
from testgen.sources.base import ENTITY, Names, gather_names

Raw = msgspec.Raw
_EMPTY = Raw(b"")
_Claims = dict[str, Raw] | list[Any]  # PHP writes an empty map as an empty list


class _Value(msgspec.Struct):
    value: Any
    type: str


class _Snak(msgspec.Struct):
    snaktype: str
    datavalue: _Value | None = None
    datatype: str = "string"


class _Statement(msgspec.Struct):
    mainsnak: _Snak
    rank: str = "normal"
    id: str = ""


class _FormOrSense(msgspec.Struct):
    id: str
    representations: Raw = _EMPTY
    grammaticalFeatures: list[str] = []  # noqa: N815  # Wikibase's name; msgspec copies the default
    glosses: Raw = _EMPTY
    claims: _Claims = {}


class _EntityLine(msgspec.Struct):
    id: str
    claims: _Claims = {}
    language: str = ""
    lexicalCategory: str = ""  # noqa: N815
    lemmas: Raw = _EMPTY
    forms: list[_FormOrSense] | dict[str, _FormOrSense] = []
    senses: list[_FormOrSense] | dict[str, _FormOrSense] = []
    sitelinks: Raw = _EMPTY
    modified: str = ""


class _Term(msgspec.Struct):
    value: str
    language: str


_Terms = dict[str, _Term] | list[Any]


class _IdLine(msgspec.Struct):
    id: str


class _NamesLine(msgspec.Struct):
    id: str
    labels: _Terms = {}
    aliases: dict[str, list[_Term]] | list[Any] = {}


_RANKS = {
    rank: f"<http://wikiba.se/ontology#{rank.capitalize()}Rank>"
    for rank in ("preferred", "normal", "deprecated")
}
_BEGIN = re.compile(rb'\{(?:"type":"[a-z]+",)?"id":"([A-Z][0-9]+)"')  # of a line of Wikidata's dumps
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


@cache
def _decoder(type_: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401  # a type form
    return msgspec.json.Decoder(type_)


@dataclass(slots=True)
class Entity:
    """An item, property or lexeme, a form or sense of one, or a statement; parsed when it is asked for."""

    id: str
    _objects: dict[str, list[str]]  # by predicate, those that are parsed already
    _claims: Mapping[str, Raw] = field(default_factory=dict)  # its statements as text, by predicate
    modified: str = ""

    @property
    def predicates(self) -> Set[str]:
        """The ids of its properties, and the IRIs of other predicates. Some may have no object."""
        return self._claims.keys() | self._objects.keys() if self._objects else self._claims.keys()

    def objects(self, predicate: str) -> Sequence[str]:
        """The objects of its statements of best rank with a predicate, as in N-Triples."""
        if predicate not in self._objects:
            raw = self._claims.get(predicate)
            self._objects[predicate] = _objects(predicate, raw) if raw else []
        return self._objects[predicate]


def _objects(predicate: str, raw: Raw) -> list[str]:
    if predicate == SITELINKS:
        return [count_literal(len(_decoder(dict[str, Raw] | list[Any]).decode(raw)))]
    statements = _decoder(list[_Statement]).decode(raw)
    best = "preferred" if any(each.rank == "preferred" for each in statements) else "normal"
    found = (_object(each) for each in statements if each.rank == best)
    return [each for each in found if each is not None]


def _object(statement: _Statement) -> str | None:
    snak = statement.mainsnak
    if snak.snaktype == "somevalue":
        return unknown_value(statement.id)
    if snak.snaktype != "value" or snak.datavalue is None:
        return None
    return object_of(snak.datavalue.type, snak.datavalue.value, snak.datatype)


def parse(line: bytes, properties: Sequence[str]) -> list[Entity]:
    """The entity of a line with its forms, senses, and statements with these properties."""
    # msgspec skips what is not asked for at more than a gigabyte a second: a search for ids takes as long.
    fields = _decoder(_EntityLine).decode(line)
    entity_iri(fields.id)  # raises if it is malformed; the id is written into RDF
    lexeme: dict[str, list[str]] = {}
    if fields.language or fields.lemmas:
        lexeme = {OF_LEXEME["lemma"]: _literals(fields.lemmas)}
        for key, value in (("language", fields.language), ("category", fields.lexicalCategory)):
            if value:
                lexeme[OF_LEXEME[key]] = [entity_iri(value)]
    forms_and_senses: list[Entity] = []
    for predicate, listed in ((OF_LEXEME["form"], fields.forms), (OF_LEXEME["sense"], fields.senses)):
        if listed:
            found = list(listed.values()) if isinstance(listed, dict) else listed
            lexeme[predicate] = [entity_iri(each.id) for each in found]
            forms_and_senses += [_form_or_sense(each) for each in found]
    claims = fields.claims if isinstance(fields.claims, dict) else {}
    statements = list(_statements(claims, properties, lexeme))
    if fields.sitelinks:
        claims[SITELINKS] = fields.sitelinks
    return [Entity(fields.id, lexeme, claims, fields.modified), *forms_and_senses, *statements]


def _statements(
    claims: Mapping[str, Raw], properties: Sequence[str], of_entity: dict[str, list[str]]
) -> Iterator[Entity]:
    """The statements with these properties, each an entity; they are added to those of the item."""
    for property_ in properties:
        raw = claims.get(property_)
        for each in _decoder(list[_Statement]).decode(raw) if raw else ():
            id_, value = statement_id(each.id), _object(each)
            of_entity.setdefault(STATEMENT + property_, []).append(f"<{ENTITY}{id_}>")
            objects = {RANK: [_RANKS[each.rank]], STATEMENT_VALUE + property_: [value] if value else []}
            yield Entity(id_, objects)


def _form_or_sense(found: _FormOrSense) -> Entity:
    objects = {
        OF_LEXEME["representation"]: _literals(found.representations),
        OF_LEXEME["feature"]: [entity_iri(feature) for feature in found.grammaticalFeatures],
        OF_LEXEME["gloss"]: _literals(found.glosses),
    }
    present = {predicate: listed for predicate, listed in objects.items() if listed}
    return Entity(found.id, present, found.claims if isinstance(found.claims, dict) else {})


def _literals(raw: Raw) -> list[str]:
    terms = _decoder(_Terms).decode(raw) if raw else []
    if not isinstance(terms, dict):
        return []
    found = (literal_in_language(term.value, term.language) for term in terms.values())
    return [each for each in found if each]


def id_of_line(line: bytes) -> str | None:
    """The id of the entity of a line; None if the line is broken."""
    match = _BEGIN.match(line)
    if match:
        return match[1].decode()
    try:
        return str(_decoder(_IdLine).decode(line).id)
    except ValueError:
        return None


def names_of(line: bytes) -> Names:
    """The labels and aliases of the entity of a line."""
    try:
        fields = _decoder(_NamesLine).decode(line)
    except msgspec.DecodeError:  # half of a surrogate pair, which JSON allows and UTF-8 does not
        fields = _decoder(_NamesLine).decode(_SURROGATE.sub(rb"\\ufffd", line))
    labels = fields.labels if isinstance(fields.labels, dict) else {}
    aliases = fields.aliases if isinstance(fields.aliases, dict) else {}
    return gather_names(
        fields.id,
        {code: [term.value] for code, term in labels.items()},
        {code: [term.value for term in terms] for code, terms in aliases.items()},
    )
