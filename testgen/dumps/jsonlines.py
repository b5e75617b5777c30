"""Entities from the lines of a JSON dump.

Only what is asked for is taken apart: msgspec checks a line and keeps most of it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache, partial
from typing import Any

import msgspec

from testgen.dumps.sieve import Sieve
from testgen.dumps.subjects import Fault, Subject, Unit
from testgen.dumps.values import entity, object_of, text, unknown

Raw = msgspec.Raw
_EMPTY = Raw(b"")
_LEMMA = "http://wikiba.se/ontology#lemma"
_FORM = "http://www.w3.org/ns/lemon/ontolex#lexicalForm"
_SENSE = "http://www.w3.org/ns/lemon/ontolex#sense"
_WRITTEN = "http://www.w3.org/ns/lemon/ontolex#representation"
_FEATURE = "http://wikiba.se/ontology#grammaticalFeature"
_GLOSS = "http://www.w3.org/2004/02/skos/core#definition"
_LANGUAGE = "http://purl.org/dc/terms/language"
_CATEGORY = "http://wikiba.se/ontology#lexicalCategory"
Claims = dict[str, Raw] | list[Any]  # PHP writes an empty map as an empty list


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


class _Part(msgspec.Struct):
    """A form or a sense."""

    id: str
    representations: Raw = _EMPTY
    grammaticalFeatures: list[str] = []  # noqa: N815  # Wikibase's; msgspec copies it
    glosses: Raw = _EMPTY
    claims: Claims = {}


class _Entity(msgspec.Struct):
    id: str
    labels: Raw = _EMPTY
    aliases: Raw = _EMPTY
    claims: Claims = {}
    language: str = ""
    lexicalCategory: str = ""  # noqa: N815
    lemmas: Raw = _EMPTY
    forms: list[_Part] | dict[str, _Part] = []
    senses: list[_Part] | dict[str, _Part] = []
    modified: str = ""


class _Term(msgspec.Struct):
    value: str
    language: str


_Terms = dict[str, _Term] | list[Any]
_HALVES = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


@cache
def _decoder(type_: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401  # a type form
    return msgspec.json.Decoder(type_)


class JsonSubject:
    """An entity, form or sense of a JSON dump."""

    __slots__ = ("_claims", "_kept", "_names", "id", "modified")

    def __init__(
        self,
        id_: str,
        claims: Claims,
        more: dict[str, list[str]],
        names: tuple[Raw, Raw] = (_EMPTY, _EMPTY),
        modified: str = "",
    ) -> None:
        """Keep the parts of a line; its statements are taken apart when they are asked for."""
        self.modified = modified
        self.id, self._claims = id_, claims if isinstance(claims, dict) else {}
        self._kept: dict[str, list[str]] = more
        self._names = names

    @property
    def predicates(self) -> Set[str]:
        """The properties, which may have no statement of best rank with a value, and what lexemes have."""
        return self._claims.keys() | self._kept.keys() if self._kept else self._claims.keys()

    def objects(self, predicate: str) -> Sequence[str]:
        """The values of the statements of best rank; see `Subject.objects`."""
        if predicate not in self._kept:
            raw = self._claims.get(predicate)
            self._kept[predicate] = list(_best(_decoder(list[_Statement]).decode(raw))) if raw else []
        return self._kept[predicate]

    def names(self) -> bytes:
        """Its labels and aliases as they are in the dump; see `Subject.names`."""
        labels, aliases = (bytes(raw) for raw in self._names)
        if len(labels) <= 2 and len(aliases) <= 2:  # there are none, or nothing is between the braces
            return b""
        return b'{"labels":' + (labels or b"{}") + b',"aliases":' + (aliases or b"{}") + b"}"


def _best(statements: Sequence[_Statement]) -> Iterator[str]:
    """The preferred statements if there are any, else the normal ones; never the deprecated."""
    rank = "preferred" if any(each.rank == "preferred" for each in statements) else "normal"
    for each in statements:
        if each.rank == rank:
            found = _object(each)
            if found is not None:
                yield found


def _object(statement: _Statement) -> str | None:
    snak = statement.mainsnak
    if snak.snaktype == "somevalue":
        return unknown(statement.id)
    if snak.snaktype != "value" or snak.datavalue is None:
        return None
    return object_of(snak.datavalue.type, snak.datavalue.value, snak.datatype)


def units(block: bytes, _sieve: Sieve, faults: list[Fault]) -> Iterator[Unit]:
    """The lines of a block.

    Each is parsed. Looking for ids in its bytes first would take longer: what is not asked for is skipped at
    more than a gigabyte a second, which is no slower than two searches.

    Args:
        block: Whole lines.
        faults: Lines that are no entities are added to it.
    """
    offset = 0
    for number, line in enumerate(block.split(b"\n")):
        stripped = line.strip().removesuffix(b",").rstrip()
        if stripped[:1] == b"{" and stripped[-1:] == b"}":
            yield Unit(number, offset, partial(_read, stripped))
        elif stripped not in (b"", b"[", b"]"):
            faults.append(Fault(number, offset, "it does not begin and end with a brace, as an entity does"))
        offset += len(line) + 1


def _read(line: bytes) -> list[Subject]:
    """The entity of a line and its parts.

    Raises:
        msgspec.DecodeError: It is no JSON, or not of this form.
        ValueError: An id in it is malformed.
    """
    return _subjects(_decoder(_Entity).decode(line))


def _subjects(found: _Entity) -> list[Subject]:
    entity(found.id)  # it is well-formed, and goes into RDF as it is
    more: dict[str, list[str]] = {}
    if found.language or found.lemmas:
        more = {_LEMMA: _texts(found.lemmas)}
        for predicate, value in ((_LANGUAGE, found.language), (_CATEGORY, found.lexicalCategory)):
            if value:
                more[predicate] = [entity(value)]
    subjects: list[Subject] = []
    for predicate, parts in ((_FORM, found.forms), (_SENSE, found.senses)):
        if parts:
            listed = list(parts.values()) if isinstance(parts, dict) else parts
            more[predicate] = [entity(part.id) for part in listed]
            subjects += [_part(part) for part in listed]
    names = found.labels, found.aliases
    return [JsonSubject(found.id, found.claims, more, names, found.modified), *subjects]


def _part(part: _Part) -> Subject:
    more = {
        _WRITTEN: _texts(part.representations),
        _FEATURE: [entity(feature) for feature in part.grammaticalFeatures],
        _GLOSS: _texts(part.glosses),
    }
    found = {predicate: objects for predicate, objects in more.items() if objects}
    return JsonSubject(part.id, part.claims, found)


def _texts(raw: Raw) -> list[str]:
    terms = _decoder(_Terms).decode(raw) if raw else []
    if not isinstance(terms, dict):
        return []
    found = (text(term.value, term.language) for term in terms.values())
    return [each for each in found if each]


class _Names(msgspec.Struct):
    labels: _Terms
    aliases: dict[str, list[_Term]] | list[Any]


def texts_of(record: bytes) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Labels and aliases by language code, from what `JsonSubject.names` gives.

    Raises:
        msgspec.MsgspecError: They have another form.
    """
    try:
        names = _decoder(_Names).decode(record)
    except msgspec.DecodeError:  # half a character, which JSON allows and nothing else does
        names = _decoder(_Names).decode(_HALVES.sub(b"\\ufffd", record))
    labels = names.labels if isinstance(names.labels, dict) else {}
    aliases = names.aliases if isinstance(names.aliases, dict) else {}
    return (
        {code: [term.value] for code, term in labels.items()},
        {code: [term.value for term in terms] for code, terms in aliases.items()},
    )
