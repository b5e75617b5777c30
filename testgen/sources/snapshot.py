"""A snapshot: a file of Wikidata's RDF, or RDF of the same shape, queried in an embedded Oxigraph store."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from testgen.errors import OutputError, SourceError, one_line
from testgen.languages import NEUTRAL, tags_of
from testgen.queries import Query
from testgen.sources.base import (
    Answer,
    Names,
    Provenance,
    Term,
    gather_names,
    id_of,
    id_order,
    iri_of,
    is_id,
    read_answer,
    united,
)
from testgen.sources.statements import construct_query

if TYPE_CHECKING:
    import pyoxigraph

_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
NAMES = frozenset({_LABEL, _ALIAS})
"""The predicates of names, which are most of the statements of a snapshot."""

IN_MEMORY = 500_000
"""The most statements of an intermediate store in memory; each takes half a kilobyte."""

UNICODE_LICENSE = "https://www.unicode.org/license.txt"
"""The licence of Unicode's data, as the shipped snapshot names it."""

_DUMP = "http://wikiba.se/ontology#Dump"
_LICENSE = "http://creativecommons.org/ns#license"
_DERIVED_FROM = "http://www.w3.org/ns/prov#wasDerivedFrom"
_ENDINGS = (".ttl", ".nt", ".ttl.gz", ".nt.gz")


def shipped_snapshot() -> Path:
    """The snapshot that comes with the package: `testgen/cache` if installed, `cache` in a checkout."""
    inside = Path(__file__).parent.parent / "cache"
    directory = inside if inside.is_dir() else Path(__file__).parent.parent.parent / "cache"
    return next(directory.glob("*.ttl.gz"))


def unicode_notice() -> str:
    """The notice of the Unicode licence, which has to go with every copy of its data."""
    return (shipped_snapshot().parent / "UNICODE-LICENSE.txt").read_text(encoding="utf-8")


def _notice(license_: str | None) -> str | None:
    """The text of a licence that wants its notice in every copy; of another one, its URL."""
    return unicode_notice() if license_ == UNICODE_LICENSE else license_


class Snapshot:
    """A source that reads one Turtle or N-Triples file, plain or gzipped, and needs no network."""

    def __init__(self, path: Path, without: Collection[str] = (), folder: Path | None = None) -> None:
        """Load a `.ttl` or `.nt` file, or one of these with `.gz`.

        Statements with the predicates in `without` are left out, to save memory. The store is in the folder,
        which must be empty, or in memory.

        Raises:
            SourceError: The file cannot be read, is not RDF, is cut off, or has no triples.
            OutputError: The folder cannot be written to.
        """
        self._name = str(path)
        self._store = load_store(path, without, folder)
        self._provenance = self._provenance_of(path)

    @property
    def provenance(self) -> Provenance:
        """Name and date as the file states them, and its digest."""
        return self._provenance

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """Run the query; see `Source.answer`."""
        return read_answer(query, self._rows(query, languages), self._name)

    def _rows(self, query: Query, languages: Sequence[str] | None) -> list[dict[str, Term]]:
        return [
            {name: _term(solution[name]) for name in query.selected if solution[name] is not None}
            for solution in self._query(self._text(query, languages))
        ]

    def _text(self, query: Query, languages: Sequence[str] | None) -> str:
        return query.narrowed([*languages, NEUTRAL] if languages is not None else None)

    def statements(self, query: Query) -> list[str]:
        """See `Source.statements`."""
        text = construct_query(query.narrowed(None))
        if text is None:
            return []
        return sorted({f"{triple} ." for triple in self._query(text)})

    @property
    def size(self) -> int:
        """The number of triples."""
        return len(self._store)

    def named_items(self) -> list[str]:
        """The ids of all items that have a label, in order."""
        from pyoxigraph import NamedNode

        found = {
            id_of(str(getattr(quad.subject, "value", "")))
            for quad in self._store.quads_for_pattern(None, NamedNode(_LABEL), None)
        }
        return sorted((item for item in found if is_id(item)), key=id_order)

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """Look the items up one by one; see `Source.names`."""
        wanted = None if languages is None else tags_of({*languages, "en", NEUTRAL})
        for item in items:
            names = self._names_of(item, wanted)
            if names.labels or names.aliases:
                yield names

    def _names_of(self, item: str, wanted: Set[str] | None) -> Names:
        return self._names_in(None, item, wanted)

    def _names_in(self, graph: pyoxigraph.NamedNode | None, item: str, wanted: Set[str] | None) -> Names:
        """The names of an item, of a graph if one is named; the wanted tags are in lower case."""
        labels, aliases = (self._texts(graph, item, each, wanted) for each in (_LABEL, _ALIAS))
        return gather_names(item, labels, aliases)

    def _query(self, text: str) -> list[Any]:
        """All solutions or triples at once: an error must not hold what only this thread may delete."""
        return list(self._store.query(text))  # type: ignore[arg-type]  # checked when the query was read

    def _texts(
        self, graph: pyoxigraph.NamedNode | None, item: str, predicate: str, wanted: Set[str] | None
    ) -> dict[str, list[str]]:
        """Names by language tag."""
        from pyoxigraph import Literal, NamedNode

        found: dict[str, list[str]] = {}
        subject, edge = NamedNode(iri_of(item)), NamedNode(predicate)
        for quad in self._store.quads_for_pattern(subject, edge, None, graph):
            name = quad.object
            if not isinstance(name, Literal) or name.language is None:
                continue
            if wanted is None or name.language.lower() in wanted:
                found.setdefault(name.language, []).append(name.value)
        return found

    def _provenance_of(self, path: Path, graph: pyoxigraph.NamedNode | None = None) -> Provenance:
        """What a file says about itself; with a graph, the file that is in it.

        If it states the source from which it was made, this is the origin: both give the same test sets.
        """

        def stated(predicate: str) -> str | None:
            return self._statement(predicate, graph)

        name = stated("http://schema.org/name") or path.name.split(".")[0]
        moment = stated("http://schema.org/dateModified")
        license_ = stated("http://schema.org/license") or _notice(stated(_LICENSE))
        date = moment[:10] if moment else None
        kind, endpoint = stated("http://purl.org/dc/terms/type"), stated(_DERIVED_FROM)
        if kind == "combined":
            return Provenance.from_dict(json.loads(stated("http://purl.org/dc/terms/source") or "{}"))
        if kind and endpoint and moment:
            return Provenance(kind, name, date, endpoint=endpoint, retrieved=moment)
        return Provenance("snapshot", name, date, sha256_of(path), license=license_)

    def _statement(self, predicate: str, graph: pyoxigraph.NamedNode | None) -> str | None:
        """What a snapshot says about itself; it says it in the same way as Wikidata's dumps."""
        from pyoxigraph import NamedNode

        quads = self._store.quads_for_pattern(NamedNode(_DUMP), NamedNode(predicate), None, graph)
        return min((str(getattr(quad.object, "value", "")) for quad in quads), default=None)


class CombinedSnapshots(Snapshot):
    """Several snapshots as one source: the statements of all of them, and the names of each item in all.

    Where several name an item in a language, the label is that of the first; other labels are aliases.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Load all files; see `Snapshot` for the errors."""
        from pyoxigraph import NamedNode, Store

        self._name = " + ".join(map(str, paths))
        self._store = Store()
        self._graphs = [NamedNode(f"urn:source:{number}") for number, _ in enumerate(paths)]
        for path, graph in zip(paths, self._graphs, strict=True):
            _add(self._store, path, graph)
        parts = tuple(map(self._provenance_of, paths, self._graphs))
        self._provenance = Provenance("combined", " + ".join(part.name for part in parts), None, parts=parts)

    def _query(self, text: str) -> list[Any]:
        return list(self._store.query(text, use_default_graph_as_union=True))  # type: ignore[arg-type]

    def _names_of(self, item: str, wanted: Set[str] | None) -> Names:
        return united([self._names_in(graph, item, wanted) for graph in self._graphs])


def _term(term: object) -> Term:
    return Term(str(getattr(term, "value", term)), getattr(term, "language", None))


def load_store(path: Path, without: Collection[str], folder: Path | None) -> pyoxigraph.Store:
    """A new store with the statements of a file."""
    import pyoxigraph

    format_ = _format(path)
    with _reading(path, folder):
        store = pyoxigraph.Store(folder)
        with _open(path) as file:
            if without:
                quads = pyoxigraph.parse(file, format=format_)
                store.bulk_extend(quad for quad in quads if quad.predicate.value not in without)
            else:
                store.bulk_load(file, format=format_)
    if not len(store):
        raise SourceError(f"{path}: the file holds no statements")
    return store


def _add(store: pyoxigraph.Store, path: Path, graph: pyoxigraph.NamedNode) -> None:
    """Add the statements of a file to a store, in a graph of their own."""
    before, format_ = len(store), _format(path)
    with _reading(path, None), _open(path) as file:
        store.bulk_load(file, format=format_, to_graph=graph)
    if len(store) == before:
        raise SourceError(f"{path}: the file holds no statements")


def _format(path: Path) -> pyoxigraph.RdfFormat:
    import pyoxigraph

    if not path.name.lower().endswith(_ENDINGS):
        raise SourceError(
            f"{path}: not a source. A source is shipped, wikidata, the URL of a SPARQL endpoint "
            f"(https://…), or a snapshot file, whose name ends in {', '.join(_ENDINGS)}"
        )
    turtle = path.name.lower().removesuffix(".gz").endswith(".ttl")
    return pyoxigraph.RdfFormat.TURTLE if turtle else pyoxigraph.RdfFormat.N_TRIPLES


@contextmanager
def _reading(path: Path, folder: Path | None) -> Iterator[None]:
    """Turn the errors of reading a file into a store in a folder, or in memory, into messages for people."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(
            f"{path}: the gzip file is cut off or damaged ({error}); download it again"
        ) from error
    except OSError as error:
        if folder is not None:  # the file is testgen's own, and was just written
            raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from error
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (SyntaxError, ValueError) as error:
        syntax = "Turtle" if ".ttl" in path.name.lower() else "N-Triples"
        raise SourceError(f"{path}: is not {syntax}, or cut off: {one_line(error)}") from error


def _open(path: Path) -> IO[bytes]:
    """Open a plain or gzipped file, whatever its name is."""
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if is_gzip else path.open("rb")  # type: ignore[return-value]


def sha256_of(path: Path) -> str:
    """The digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
