"""A snapshot: Wikidata's RDF, or RDF of the same shape, in a file, queried by an embedded Oxigraph store."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import regex

from testgen.errors import SourceError
from testgen.languages import from_tag, languages
from testgen.queries import Query
from testgen.sources.base import Names, Provenance, Row, item_number

if TYPE_CHECKING:
    import pyoxigraph

_ENTITY = "http://www.wikidata.org/entity/"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
_DUMP = "http://wikiba.se/ontology#Dump"
_ITEM_IRI = regex.compile(regex.escape(_ENTITY) + r"(Q[1-9][0-9]*)")
_ENDINGS = (".ttl", ".nt", ".ttl.gz", ".nt.gz")


def shipped_snapshot() -> Path:
    """The snapshot that comes with the package: `testgen/cache` when installed, `cache` in a checkout."""
    inside = Path(__file__).parent.parent / "cache"
    directory = inside if inside.is_dir() else Path(__file__).parent.parent.parent / "cache"
    return next(directory.glob("*.ttl.gz"))


class Snapshot:
    """A source that reads one Turtle or N-Triples file, plain or gzipped, and asks nobody else."""

    def __init__(self, path: Path) -> None:
        """Load the file.

        Args:
            path: A `.ttl` or `.nt` file, or one of these with `.gz`.

        Raises:
            SourceError: It cannot be read, is no RDF, is cut off, or has no triples.
        """
        if not path.name.lower().endswith(_ENDINGS):
            raise SourceError(
                f"{path}: a snapshot is a Turtle or N-Triples file; its name ends in {', '.join(_ENDINGS)}"
            )
        self._path = path
        self._store = _load(path)
        self._provenance = Provenance("snapshot", self._title(), self._date(), _sha256(path))

    @property
    def provenance(self) -> Provenance:
        """Name and date as the file states them, and its hash."""
        return self._provenance

    def rows(self, query: Query) -> list[Row]:
        """Run the query; see `Source.rows`."""
        answer = self._store.query(query.text)
        rows = {
            tuple(self._item(query, solution[variable]) for variable in query.variables)
            for solution in answer  # type: ignore[union-attr]  # checked when the query was read
        }
        return sorted(rows, key=lambda row: [item_number(item) for item in reversed(row)])

    def _item(self, query: Query, term: object) -> str:
        match = _ITEM_IRI.fullmatch(getattr(term, "value", ""))
        if match is None:
            raise SourceError(
                f"{self._path}: query {query.name!r} returned {term}, which is no Wikidata item"
            )
        return str(match[1])

    def names(self, items: Iterable[str]) -> Iterator[Names]:
        """Look the items up one by one; see `Source.names`."""
        for item in items:
            labels = {code: texts[0] for code, texts in self._texts(item, _LABEL).items()}
            aliases = self._texts(item, _ALIAS)
            if labels or aliases:
                yield Names(item, labels, aliases)

    def _texts(self, item: str, predicate: str) -> dict[str, list[str]]:
        """Names by language code, sorted, but those under the code's usual tag before those under others."""
        from pyoxigraph import Literal, NamedNode

        found: dict[str, list[tuple[bool, str]]] = {}
        for quad in self._store.quads_for_pattern(NamedNode(_ENTITY + item), NamedNode(predicate), None):
            name = quad.object
            if not isinstance(name, Literal) or name.language is None:
                continue
            code = from_tag(name.language)
            if code is not None:
                found.setdefault(code, []).append((not _is_usual(name.language, code), name.value))
        return {code: [text for _, text in sorted(texts)] for code, texts in found.items()}

    def _title(self) -> str:
        return self._statement("http://schema.org/name") or self._path.name.split(".")[0]

    def _date(self) -> str | None:
        date = self._statement("http://schema.org/dateModified")
        return date[:10] if date else None

    def _statement(self, predicate: str) -> str | None:
        """What the snapshot says of itself, in the place where Wikidata's dumps do."""
        from pyoxigraph import NamedNode

        quads = self._store.quads_for_pattern(NamedNode(_DUMP), NamedNode(predicate), None)
        return min((str(getattr(quad.object, "value", "")) for quad in quads), default=None)


def _is_usual(tag: str, code: str) -> bool:
    return tag.lower() == (languages()[code].tags or (code,))[0]


def _load(path: Path) -> pyoxigraph.Store:
    import pyoxigraph

    turtle = path.name.lower().removesuffix(".gz").endswith(".ttl")
    format_ = pyoxigraph.RdfFormat.TURTLE if turtle else pyoxigraph.RdfFormat.N_TRIPLES
    store = pyoxigraph.Store()
    try:
        with _open(path) as file:
            store.bulk_load(file, format=format_)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(f"{path}: the gzip file is cut off or damaged ({error}); get it again") from error
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (SyntaxError, ValueError) as error:
        raise SourceError(
            f"{path}: is not {'Turtle' if turtle else 'N-Triples'}, or cut off: {error}"
        ) from error
    if not len(store):
        raise SourceError(f"{path}: holds no statements")
    return store


def _open(path: Path) -> IO[bytes]:
    """Plain or gzip, by what the file holds."""
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if is_gzip else path.open("rb")  # type: ignore[return-value]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
