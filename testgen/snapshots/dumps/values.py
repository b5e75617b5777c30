"""Converts values of Wikibase's JSON to objects of N-Triples, as Wikidata's RDF export does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

import pyoxigraph
import regex

from testgen.languages.codes import from_tag, languages
from testgen.snapshots.creation import literal
from testgen.sources.base import ENTITY

_UNKNOWN_VALUES = "http://www.wikidata.org/.well-known/genid/"

_XSD = "http://www.w3.org/2001/XMLSchema#"
_WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
_MATHML = "http://www.w3.org/1998/Math/MathML"
_FILE = "http://commons.wikimedia.org/wiki/Special:FilePath/"
_DATA = "http://commons.wikimedia.org/data/main/"
_EARTH = ENTITY + "Q2"
_JULIAN = "Q1985786"
_DAY_PRECISION = 11
_TIME = regex.compile(r"([+-])([0-9]+)-([0-9]{2})-([0-9]{2})T.*")
_ID = regex.compile(r"[A-Z][1-9][0-9]*(?:-[A-Z][1-9][0-9]*)?")
_STATEMENT_ID = regex.compile(r"[A-Za-z0-9]+(?:[$-][A-Za-z0-9]+)+")
_LETTERS = {"item": "Q", "property": "P", "lexeme": "L"}


def entity_iri(entity_id: str) -> str:
    """The IRI of an entity."""
    if not _ID.fullmatch(entity_id):
        raise ValueError(f"{entity_id[:30]!r} is not an id")
    return f"<{ENTITY}{entity_id}>"


def statement_id(name: str) -> str:
    """The id of a statement in RDF, after the base of the ids of entities."""
    if not _STATEMENT_ID.fullmatch(name):
        raise ValueError(f"{name[:60]!r} is not the id of a statement")
    return f"statement/{name.replace('$', '-')}"


def count_literal(number: int) -> str:
    """A whole number as an object."""
    return _typed(str(number), _XSD + "integer")


def unknown_value(name: str) -> str:
    """The IRI that stands for an unknown value ("somevalue"), as in the query service."""
    return f"<{_UNKNOWN_VALUES}{hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()}>"


def literal_in_language(value: str, code: str) -> str | None:
    """A text in a language; None if the language code cannot be written in RDF."""
    known = from_tag(code)
    tag = languages()[known].tag if known else code
    return f"{literal(value)}@{tag}" if _is_tag(tag) else None


@cache
def _is_tag(text: str) -> bool:
    try:
        pyoxigraph.Literal("", language=text)
    except ValueError:
        return False
    return True


def object_of(kind: str, value: Any, datatype: str) -> str | None:  # noqa: ANN401  # any JSON value
    """Convert a value to an object of N-Triples; None for unknown types, and for what RDF cannot write."""
    if kind == "string":
        return _string(str(value), datatype)
    convert = _CONVERTERS.get(kind)
    if convert is None:
        return None
    if not isinstance(value, dict):
        raise TypeError(f"the value of a {kind} is not a JSON object")
    return convert(value)


def _string(value: str, datatype: str) -> str | None:
    if datatype == "url":
        return _url(value)
    if datatype == "commonsMedia":
        return f"<{_FILE}{quote(value)}>"
    if datatype in ("geo-shape", "tabular-data"):
        return f"<{_DATA}{quote(value, safe=':/')}>"
    return _typed(value, _MATHML) if datatype == "math" else literal(value)


def _url(value: str) -> str | None:
    """The IRI for a URL; None if no parser of RDF would accept it."""
    try:
        return str(pyoxigraph.NamedNode(quote(value, safe=":/?#[]@!$&()*+,;=%~-._")))
    except ValueError:
        return None


def _typed(value: str, datatype: str) -> str:
    return f"{literal(value)}^^<{datatype}>"


def _entity(value: Mapping[str, Any]) -> str:
    if value.get("id"):
        return entity_iri(str(value["id"]))
    letter = _LETTERS.get(str(value.get("entity-type", "item")), "")  # old dumps have numbers only
    return entity_iri(f"{letter}{int(value['numeric-id'])}")


def _coordinate(value: Mapping[str, Any]) -> str:
    globe = value.get("globe") or _EARTH
    other = "" if globe == _EARTH else f"<{globe}> "
    return _typed(f"{other}Point({value['longitude']} {value['latitude']})", _WKT)


def _time(value: Mapping[str, Any]) -> str:
    """A day in the Gregorian calendar; if the precision is less, the first day of the month or year."""
    match = _TIME.fullmatch(str(value["time"]))
    if match is None:
        return literal(str(value["time"]))
    year, month, day = int(match[2]), int(match[3]) or 1, int(match[4]) or 1
    if match[1] == "-":
        year = 1 - year  # the year 1 BCE is 0, as in XML Schema 1.1
    if value.get("precision", 0) >= _DAY_PRECISION and str(value.get("calendarmodel", "")).endswith(_JULIAN):
        year, month, day = map(int, _gregorian(year, month, day).rsplit("-", 2))
    sign = "-" if year < 0 else ""
    return _typed(f"{sign}{abs(year):04}-{month:02}-{day:02}T00:00:00Z", _XSD + "dateTime")


def _gregorian(year: int, month: int, day: int) -> str:
    """The same day in the Gregorian calendar, which has no leap day in three of four centuries."""
    import numpy as np

    centuries = (year - (month < 3)) // 100
    first = np.datetime64(12 * (year - 1970) + month - 1, "M").astype("datetime64[D]")
    return str(first + np.timedelta64(day - 1 + centuries - centuries // 4 - 2, "D"))


_CONVERTERS: dict[str, Callable[[Mapping[str, Any]], str | None]] = {
    "wikibase-entityid": _entity,
    "quantity": lambda value: _typed(str(value["amount"]).removeprefix("+"), _XSD + "decimal"),
    "globecoordinate": _coordinate,
    "monolingualtext": lambda value: literal_in_language(str(value["text"]), str(value["language"])),
    "time": _time,
}
