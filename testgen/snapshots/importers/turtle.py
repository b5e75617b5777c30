"""Writes what an importer has read as Turtle, in the shape of Wikidata's RDF."""

from __future__ import annotations

import contextlib
import gzip
import heapq
import itertools
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import regex

from testgen.errors import OutputError
from testgen.languages.codes import languages as known_languages
from testgen.sources import Names, id_order
from testgen.sources.base import DIRECT, ENTITY, id_of, iri_of, is_id

_PREFIXES = {
    "dct": "http://purl.org/dc/terms/",
    "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": ENTITY,
    "wdt": DIRECT,
    "wikibase": "http://wikiba.se/ontology#",
}
_IRI = regex.compile(r"<([^<>\s]*)>")
_STATEMENT = regex.compile(r"<([^<>\s]+)> (.+) \.")
_ENDINGS = (".ttl", ".ttl.gz")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})
_HEAD = "".join(f"@prefix {key}: <{base}> .\n" for key, base in _PREFIXES.items()).encode()


def is_import(head: bytes) -> bool:
    """Whether `write` wrote the file that begins with these bytes."""
    if head.startswith(b"\x1f\x8b"):
        with contextlib.suppress(zlib.error):
            head = zlib.decompressobj(wbits=31).decompress(head)
    return head.startswith(_HEAD)


def check_ending(path: Path) -> None:
    """Refuse a file name that an import cannot have."""
    if not path.name.endswith(_ENDINGS):
        raise OutputError(f"{path}: the name of an import must end in {' or '.join(_ENDINGS)}")


def _by_subject(lines: Iterable[str]) -> dict[str, list[str]]:
    """Predicates and objects of N-Triples lines, in Turtle, by the id of the subject; sorted, each once."""
    by_subject: dict[str, set[str]] = {}
    for line in lines:
        match = _STATEMENT.fullmatch(line)
        # A snapshot holds only statements about entities.
        if match and (match[1].startswith(ENTITY) or is_id(match[1])):
            by_subject.setdefault(id_of(match[1]), set()).add(_short(match[2]))
    return {subject: sorted(predicates) for subject, predicates in by_subject.items()}


def _short(text: str) -> str:
    """Shorten the IRIs of N-Triples to Turtle's prefixed names where possible, but not within a literal."""

    def shortened(match: regex.Match[str]) -> str:
        for prefix, base in _PREFIXES.items():
            name = str(match[1]).removeprefix(base)
            if name != match[1] and regex.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
                return f"{prefix}:{name}"
        return str(match[0])

    iris, quote, rest = text.partition('"')
    return f"{_IRI.sub(shortened, iris)}{quote}{rest}"


def _blocks(statements: Mapping[str, list[str]], names: Iterable[Names]) -> Iterator[str]:
    """A Turtle block for each subject, in the order of the ids. Names are read one by one."""
    ids = sorted(statements, key=_order)
    stated = ((_order(subject), subject, statements[subject]) for subject in ids)
    named = ((_order(item_names.item), item_names.item, _names_lines(item_names)) for item_names in names)
    merged = heapq.merge(stated, named, key=lambda block: block[0])
    for subject, blocks in itertools.groupby(merged, key=lambda block: block[1]):
        lines = [line for _, _, of_block in blocks for line in of_block]
        yield f"{_short(f'<{iri_of(subject)}>')} " + " ;\n ".join(lines) + " .\n"


def _order(subject: str) -> tuple[Any, ...]:
    try:
        return (0, *id_order(subject))
    except ValueError:
        return (1, subject)


def _names_lines(names: Names) -> list[str]:
    texts = {
        "rdfs:label": [(code, text) for code, text in sorted(names.labels.items())],
        "skos:altLabel": [(code, text) for code, texts in sorted(names.aliases.items()) for text in texts],
    }
    return [
        f"{predicate} " + ",".join(f"{literal(text)}@{known_languages()[code].tag}" for code, text in named)
        for predicate, named in texts.items()
        if named
    ]


def literal(text: str) -> str:
    """A text in the quotes of Turtle and N-Triples."""
    return f'"{text.translate(_ESCAPES)}"'


def write(
    path: Path, statements: Iterable[str], names: Iterable[Names], description: Mapping[str, str]
) -> None:
    """Write the file; the same content gives the same bytes. Names are in the order of the ids."""
    with path.open("wb") as raw, _compressed(raw, path) as file:
        file.write(_HEAD)
        for block in _blocks(_by_subject(statements), names):
            file.write(block.encode())
        stated = "".join(f" ;\n {predicate} {value}" for predicate, value in description.items())
        file.write(f"wikibase:Dump a schema:Dataset{stated} .\n".encode())


def _compressed(raw: BinaryIO, path: Path) -> BinaryIO | gzip.GzipFile:
    if not path.name.endswith(".gz"):
        return raw
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)
