"""Creates a snapshot from a source: the statements that queries need, and the names of what they return."""

from __future__ import annotations

import contextlib
import gzip
import heapq
import itertools
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import regex

from testgen.errors import OutputError, QueryFaultError, SourceError
from testgen.languages.codes import languages as known_languages
from testgen.queries import Query
from testgen.sources import Answer, Names, Provenance, Snapshot, Source, id_order
from testgen.sources.asking import Failures, answers_of, names_of, one_error
from testgen.sources.base import DIRECT, ENTITY, id_of, iri_of, is_id
from testgen.sources.hierarchy import MINIMUM_ITEMS, hierarchy_queries, levels_within
from testgen.sources.snapshot import NAMES
from testgen.system import atomic_write

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


def create(
    output: str | Path,
    queries: Iterable[Query],
    source: Source,
    *,
    hierarchy: bool = False,
) -> dict[str, str]:
    """Create a snapshot on which queries give the same answers; with `hierarchy`, also the same levels."""
    # Returns the message for each query that failed, or would have another answer, by its name.
    path = Path(output)
    check_ending(path)
    with atomic_write(path) as beside:
        saved, failed = _fetch(source, queries, hierarchy=hierarchy)
        counted: dict[Query, list[str]] = {}
        while True:
            if not any(each.answers[query].rows for query, each in saved.items()):
                name = source.provenance.name
                nothing = SourceError(f"{name} has no items for these queries, so there is nothing to save")
                raise one_error(failed.values()) if failed else nothing
            statements = (*counted.values(), *(each.statements for each in saved.values()))
            items = sorted(set().union(*(each.named for each in saved.values())), key=id_order)
            lines = [line for of_query in statements for line in of_query]
            made = _written(beside, lines, items, source)
            missed = _missed_by_filters(saved, made)
            if missed and (counting := _sitelinks_query(missed)) not in counted:
                counted[counting] = source.statements(counting)
                continue
            wrong: Failures = {
                query: QueryFaultError(
                    f"query {asked.name!r} gives a different answer on the snapshot than on its source"
                )
                for query, each in saved.items()
                for asked, answer in each.answers.items()
                if made.answer(asked) != answer
            }
            if not wrong:
                return {query.name: str(error) for query, error in failed.items()}
            failed |= wrong
            saved = {query: each for query, each in saved.items() if query not in wrong}


def _written(path: Path, lines: Sequence[str], items: Sequence[str], source: Source) -> Snapshot:
    write(path, lines, source.names(items), description(source.provenance))
    # Names would take most of the memory if the queries return millions of items.
    unused = [predicate for predicate in NAMES if not any(f" <{predicate}> " in line for line in lines)]
    return Snapshot(path, without=unused)


def _sitelinks_query(items: Iterable[str]) -> Query:
    values = " ".join(f"<{iri_of(item)}>" for item in items)
    where = f"VALUES ?item {{ {values} }} ?item <http://wikiba.se/ontology#sitelinks> ?sitelinks"
    text = f"SELECT DISTINCT ?item WHERE {{ {where} }} ORDER BY ?item"
    return Query("sitelinks", "Numbers of sitelinks", "category", "snapshot", "Of some items.", text)


class _Saved(NamedTuple):
    """What a snapshot holds for a query: the answers to it and about its classes, statements, named items."""

    answers: dict[Query, Answer]
    statements: list[str]
    named: set[str]


def _missed_by_filters(saved: Mapping[Query, _Saved], made: Snapshot) -> list[str]:
    """Items that a query leaves out as they have few sitelinks, but not in the snapshot."""
    # They are in it for another query, whose statements do not have their numbers of sitelinks.
    filtered = [query for query in saved if query.minimum_sitelinks is not None]
    known = {row[0] for query in filtered for row in saved[query].answers[query].rows}
    answered = {row[0] for query in filtered for row in made.answer(query).rows}
    return sorted(answered - known, key=id_order)


def _fetch(
    source: Source, queries: Iterable[Query], *, hierarchy: bool
) -> tuple[dict[Query, _Saved], Failures]:
    answers, failed = answers_of(source, queries)
    saved: dict[Query, _Saved] = {}
    for query, answer in answers.items():
        try:
            named = {*query.own_class, *answer.unnamed}
            saved[query] = _Saved({query: answer}, source.statements(query), named)
        except SourceError as error:
            failed[query] = error
    rows = {query: answers[query].rows for query in saved}
    asked = hierarchy_queries(rows, MINIMUM_ITEMS) if hierarchy else {}
    above, no_levels = answers_of(source, asked.values())
    for query, class_query in asked.items():
        if class_query in no_levels:
            failed[query] = no_levels[class_query]
            continue
        found = saved[query].answers[class_query] = above[class_query]
        levels = levels_within(query, rows[query], found.rows, MINIMUM_ITEMS)
        saved[query].named.update(level.class_id for level in levels)
        saved[query].statements.extend(
            f"<{iri_of(item)}> <{DIRECT}{property_}> <{iri_of(of)}> ." for item, property_, of in found.rows
        )
    _, no_names = names_of(source, {query: saved[query].named for query in saved if query not in failed})
    failed |= no_names
    return {query: each for query, each in saved.items() if query not in failed}, failed


def is_snapshot(head: bytes) -> bool:
    """Whether `create` wrote the file that begins with these bytes."""
    if head.startswith(b"\x1f\x8b"):
        with contextlib.suppress(zlib.error):
            head = zlib.decompressobj(wbits=31).decompress(head)
    return head.startswith(_HEAD)


def check_ending(path: Path) -> None:
    """Refuse a file name that a snapshot cannot have."""
    if not path.name.endswith(_ENDINGS):
        raise OutputError(f"{path}: the name of a snapshot must end in {' or '.join(_ENDINGS)}")


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


def description(provenance: Provenance) -> dict[str, str]:
    """What a snapshot says about itself, its source and its date, as `write` takes it."""
    combined, endpoint = provenance.parts, provenance.endpoint
    texts = {
        "schema:name": provenance.name,
        "schema:dateModified": provenance.retrieved or provenance.date,
        "schema:license": provenance.license,
        "dct:type": provenance.kind if combined or endpoint else None,
        "dct:source": json.dumps(provenance.as_dict(), ensure_ascii=False) if combined else None,
    }
    stated = {predicate: literal(text) for predicate, text in texts.items() if text}
    return stated | ({"prov:wasDerivedFrom": f"<{endpoint}>"} if endpoint else {})
