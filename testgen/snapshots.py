"""Snapshots: making one from a source, looking into one, comparing two.

A snapshot holds the statements that the chosen queries rest on and the names of the items they return, in the
shape of Wikidata's RDF. Test sets made from it are those that its source would have given at that moment.
"""

from __future__ import annotations

import gzip
import heapq
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import regex

from testgen.errors import OutputError, SourceError
from testgen.files import atomic_write
from testgen.hierarchy import MINIMUM_ITEMS, hierarchy_queries, levels_within
from testgen.labels import LabelPolicy
from testgen.labels.words import WordsByItem, collect_words, words_by_variable
from testgen.languages import languages as known_languages
from testgen.queries import Query
from testgen.sources import Answer, Names, Provenance, Row, Snapshot, Source, id_order
from testgen.sources.base import ENTITY
from testgen.sources.snapshot import IN_MEMORY, NAMES

if TYPE_CHECKING:
    import pandas as pd

_PREFIXES = {
    "dct": "http://purl.org/dc/terms/",
    "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": ENTITY,
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wikibase": "http://wikiba.se/ontology#",
}
_IRI = regex.compile(r"<([^<>\s]*)>")
_SUBJECT = regex.compile(r"<" + regex.escape(ENTITY) + r"([^<>\s]+)> (.+) \.")
_ENDINGS = (".ttl", ".ttl.gz")


def create(
    output: str | Path,
    queries: Iterable[Query],
    source: Source,
    *,
    hierarchy: bool = False,
    room: Path | None = None,
) -> Path:
    """Make a snapshot.

    Args:
        output: The file to write, `.ttl` or `.ttl.gz`.
        queries: The queries that are to give the same answers on it as on the source.
        source: Where statements and names are from.
        hierarchy: Whether it is to give the same levels of categories as well.
        room: An empty folder for statements that are too many for the memory; None to keep all there.

    Returns:
        The file.

    Raises:
        SourceError: The source fails, or a query gives another answer on the snapshot than on the source.
        OutputError: The file cannot be written.
    """
    path = Path(output)
    check_ending(path)
    with atomic_write(path) as beside:
        chosen = list(queries)
        answers = {query: source.answer(query) for query in chosen}
        if not any(answer.rows for answer in answers.values()):
            raise SourceError(f"{source.provenance.name} has no items for these queries: nothing to freeze")
        lines = [line for query in chosen for line in source.statements(query)]
        named = {item for answer in answers.values() for item in answer.unnamed}
        if hierarchy:
            above, classes = _classes(source, answers)
            lines += [line for answer in above.values() for line in _said(answer)]
            answers, named = answers | above, named | classes
        _write(beside, _blocks(_by_subject(lines), source.names(sorted(named, key=id_order))), source)
        # Names would take most of the memory; there are those of all items where queries return millions.
        unasked = [each for each in NAMES if not any(f" <{each}> " in line for line in lines)]
        _check(Snapshot(beside, unasked, room if len(lines) > IN_MEMORY else None), answers)
    return path


def check_ending(path: Path) -> None:
    """Refuse a file that is not called like a snapshot.

    Args:
        path: Its path.

    Raises:
        OutputError: It ends otherwise.
    """
    if not path.name.endswith(_ENDINGS):
        raise OutputError(f"{path}: the name of a snapshot ends in {' or '.join(_ENDINGS)}")


def _classes(source: Source, answers: Mapping[Query, Answer]) -> tuple[dict[Query, Answer], set[str]]:
    """The answers to the hierarchy queries of all categories, and the classes that may become levels."""
    rows = {query: answer.rows for query, answer in answers.items()}
    asked = hierarchy_queries(rows, MINIMUM_ITEMS)
    above = {each: source.answer(each) for each in asked.values()}
    classes = {
        level.class_id
        for query, each in asked.items()
        for level in levels_within(query, rows[query], above[each].rows, MINIMUM_ITEMS)
    }
    return above, classes


def _said(answer: Answer) -> Iterator[str]:
    """The statements that the answer to a hierarchy query lists, as N-Triples."""
    direct = _PREFIXES["wdt"]
    return (f"<{ENTITY}{item}> <{direct}{property_}> <{ENTITY}{of}> ." for item, property_, of in answer.rows)


def _check(made: Snapshot, answers: Mapping[Query, Answer]) -> None:
    for query, answer in answers.items():
        if made.answer(query) != answer:
            raise SourceError(f"query {query.name!r} gives another answer on the snapshot than at its source")


def _by_subject(lines: Iterable[str]) -> dict[str, list[str]]:
    """N-Triples lines by the id of their subject, without it, each once, sorted."""
    found: dict[str, set[str]] = {}
    for line in lines:
        match = _SUBJECT.fullmatch(line)
        if match:  # what is said of other things than entities is no part of a snapshot
            found.setdefault(match[1], set()).add(_short(match[2]))
    return {subject: sorted(said) for subject, said in found.items()}


def _short(text: str) -> str:
    """N-Triples with IRIs shortened to Turtle's prefixed names, where they can be."""

    def shortened(match: regex.Match[str]) -> str:
        for prefix, base in _PREFIXES.items():
            name = str(match[1]).removeprefix(base)
            if name != match[1] and regex.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
                return f"{prefix}:{name}"
        return str(match[0])

    return str(_IRI.sub(shortened, text)) if '"' not in text else _short_with_text(text)


def _short_with_text(text: str) -> str:
    """The same where a literal follows: only the predicate before it is shortened."""
    predicate, quote, literal = text.partition('"')
    return _short(predicate) + quote + literal


def _blocks(statements: Mapping[str, list[str]], names: Iterable[Names]) -> Iterator[str]:
    """One Turtle block for each subject, in the order of the ids; names are taken as they come."""
    ids = sorted(statements, key=_order)
    said = ((_order(subject), subject, statements[subject]) for subject in ids)
    named = ((_order(each.item), each.item, _names_lines(each)) for each in names)
    merged = heapq.merge(said, named, key=lambda block: block[0])
    for subject, blocks in itertools.groupby(merged, key=lambda block: block[1]):
        lines = [line for _, _, of_block in blocks for line in of_block]
        yield f"wd:{subject} " + " ;\n ".join(lines) + " .\n"


def _order(subject: str) -> tuple[Any, ...]:
    try:
        return (0, *id_order(subject))
    except ValueError:
        return (1, subject)


def _names_lines(names: Names) -> list[str]:
    labels = [
        f"{_literal(text)}@{known_languages()[code].tag}" for code, text in sorted(names.labels.items())
    ]
    aliases = [
        f"{_literal(text)}@{known_languages()[code].tag}"
        for code, texts in sorted(names.aliases.items())
        for text in texts
    ]
    return [
        *(["rdfs:label " + ",".join(labels)] if labels else []),
        *(["skos:altLabel " + ",".join(aliases)] if aliases else []),
    ]


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def _write(path: Path, blocks: Iterable[str], source: Source) -> None:
    """Write the file; the same content gives the same bytes."""
    with path.open("wb") as raw, _packed(raw, path) as file:
        file.write("".join(f"@prefix {key}: <{base}> .\n" for key, base in _PREFIXES.items()).encode())
        for block in blocks:
            file.write(block.encode())
        file.write(_description(source.provenance).encode())


def _packed(raw: BinaryIO, path: Path) -> BinaryIO | gzip.GzipFile:
    if not path.name.endswith(".gz"):
        return raw
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0)


def _description(provenance: Provenance) -> str:
    """What the snapshot says of itself: where it is from, and from when."""
    lines = [f"schema:name {_literal(provenance.name)}"]
    moment = provenance.retrieved or provenance.date
    if moment:
        lines.append(f"schema:dateModified {_literal(moment)}")
    if provenance.kind == "dump":
        lines.append(f"schema:sha256 {_literal(provenance.sha256 or '')}")
    if provenance.endpoint:
        lines.append(f"dct:type {_literal(provenance.kind)}")
        lines.append(f"prov:wasDerivedFrom <{provenance.endpoint}>")
    return "wikibase:Dump a schema:Dataset ;\n " + " ;\n ".join(lines) + " .\n"


@dataclass(frozen=True)
class Info:
    """What is in a snapshot.

    Attributes:
        provenance: Where it is from.
        statements: The number of its triples.
        items: The number of things that have names.
        labels: The number of labels by language code.
        answers: For each query that it can answer, the number of rows.
    """

    provenance: Provenance
    statements: int
    items: int
    labels: Mapping[str, int]
    answers: Mapping[str, int]


def info(snapshot: Snapshot, queries: Iterable[Query]) -> Info:
    """Look into a snapshot."""
    labels: dict[str, int] = {}
    items = 0
    for names in snapshot.names(snapshot.named_items()):
        items += 1
        for code in names.labels:
            labels[code] = labels.get(code, 0) + 1
    answers = {query.name: len(snapshot.answer(query).rows) for query in queries}
    return Info(
        snapshot.provenance,
        snapshot.size,
        items,
        dict(sorted(labels.items())),
        {name: rows for name, rows in answers.items() if rows},
    )


def diff(
    old: Snapshot, new: Snapshot, queries: Iterable[Query], languages: Collection[str] | None = None
) -> pd.DataFrame:
    """What has changed from one snapshot to another, for each category and language.

    Returns:
        One row for each change: category, language, change, item, old, new (words, parted by commas). The
        change is `gained`, `lost`, `renamed`, or `merged`: the item is gone, and another one has its words.

    Raises:
        SourceError: Neither has items for any of the queries.
    """
    import pandas as pd

    policy, chosen = LabelPolicy(minimum_words=1, several_words="keep"), list(queries)
    before, after = (collect_words(snapshot, chosen, policy, languages) for snapshot in (old, new))
    if not any(each.rows.get(query) for each in (before, after) for query in chosen):
        raise SourceError("neither snapshot has items for these queries: there is nothing to compare")
    rows = []
    for code in sorted({*before.languages, *after.languages}):
        words = before.words(code), after.words(code)
        for query in chosen:
            had, has = (
                _named(each.rows[query], words_by_variable(query, of_all))
                for each, of_all in zip((before, after), words, strict=True)
            )
            rows += [(query.name, code, *change) for change in _changes(had, has)]
    return pd.DataFrame(rows, columns=["category", "language", "change", "item", "old", "new"])


def _named(rows: Iterable[Row], words: Sequence[WordsByItem]) -> dict[str, tuple[str, ...]]:
    """The words of all that is bound in the rows of an answer and has any."""
    bound = ((item, side) for row in rows for item, side in zip(row, words, strict=True))
    return {item: side[item].words for item, side in bound if item in side}


def _changes(
    had: Mapping[str, tuple[str, ...]], has: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str, str, str]]:
    owners = {words: item for item, words in has.items()}
    for item in sorted({*had, *has}, key=id_order):
        old, new = ", ".join(had.get(item, ())), ", ".join(has.get(item, ()))
        if item not in has and had[item] in owners:
            yield "merged", item, old, f"{old} ({owners[had[item]]})"
        elif old != new:
            yield "renamed" if old and new else "gained" if new else "lost", item, old, new
