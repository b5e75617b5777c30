"""A snapshot: a file of Wikidata's RDF, or RDF of the same shape, queried in an embedded Oxigraph store."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from testgen.errors import SourceError, one_line
from testgen.languages.codes import NEUTRAL, from_tag, tags_of
from testgen.queries import OWN_CATEGORIES, Query, own_category
from testgen.sources.algebra import construct_query
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
from testgen.sources.lexemes import ITEM_OF_SENSE, lexeme_query, with_lemmas

if TYPE_CHECKING:
    import pyoxigraph

T = TypeVar("T")

_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
NAMES = frozenset({_LABEL, _ALIAS})  # the predicates of names, which are most of the statements of a snapshot
UNICODE_LICENSE = "https://www.unicode.org/license.txt"
"""The licence of Unicode's data, as the shipped snapshot names it."""

ANSWERS = "answers.json.gz"
"""The file beside the shipped snapshots with what they answer to the shipped queries."""

NO_ROWS = msgspec.Raw(b"[]")

_DUMP = "http://wikiba.se/ontology#Dump"
_LICENSE = "http://creativecommons.org/ns#license"
_DERIVED_FROM = "http://www.w3.org/ns/prov#wasDerivedFrom"
_ENDINGS = (".ttl", ".nt", ".ttl.gz", ".nt.gz")


def shipped_snapshots() -> tuple[Path, ...]:
    """The snapshots in `testgen/cache` if installed, `cache` in a checkout; CLDR's labels come first."""
    inside = Path(__file__).parent.parent / "cache"
    directory = inside if inside.is_dir() else Path(__file__).parent.parent.parent / "cache"
    return tuple(sorted(directory.glob("*.ttl.gz")))


def unicode_notice() -> str:
    """The notice of the Unicode licence, which has to go with every copy of its data."""
    return (shipped_snapshots()[0].parent / "UNICODE-LICENSE.txt").read_text(encoding="utf-8")


class KeptAnswers(msgspec.Struct):
    """What snapshots answer to the shipped queries, so that it need not be computed."""

    digest: str
    answers: dict[str, msgspec.Raw]
    names: dict[str, msgspec.Raw]  # by language, and then by item: the label, or "", and the aliases


class Snapshot:
    """A source that reads Turtle or N-Triples files, plain or gzipped; the first of several names items."""

    _kept = KeptAnswers("", {}, {})
    _graphs: Sequence[pyoxigraph.NamedNode | None] = (None,)

    def __init__(
        self,
        *paths: Path,
        without: Collection[str] = (),
        answers: Path | None = None,
    ) -> None:
        """Load `.ttl` or `.nt` files, or such with `.gz`, several into a graph each."""
        # With a file of answers, they are loaded when something is asked that is not in it.
        self._name, self.paths = " + ".join(map(str, paths)), paths
        self._names_by_code: dict[str, dict[str, list[str]]] = {}  # of the kept ones, those that were read
        self._without = without
        if len(paths) > 1:
            from pyoxigraph import NamedNode

            self._graphs = [NamedNode(f"urn:source:{number}") for number, _ in enumerate(paths)]
        if answers is not None:
            with suppress(OSError, EOFError, zlib.error, msgspec.MsgspecError):
                kept = msgspec.json.decode(gzip.decompress(answers.read_bytes()), type=KeptAnswers)
                if kept.digest == self.digest:
                    self._kept = kept
        if not self._kept.answers:
            _ = self._store

    @cached_property
    def _store(self) -> pyoxigraph.Store:
        import pyoxigraph

        store = pyoxigraph.Store()
        for path, graph in zip(self.paths, self._graphs, strict=True):
            _load(store, path, graph, self._without)
        return store

    @cached_property
    def digest(self) -> str:
        """The digests of all files."""
        return " ".join(map(sha256_of, self.paths))

    def _kept_or(self, computed: Callable[[], T], type_: type[T], *key: str) -> T:
        kept = self._kept.answers.get("\n".join(key))
        return computed() if kept is None else msgspec.json.decode(kept, type=type_)

    @cached_property
    def provenance(self) -> Provenance:
        """Name and date as the file states them, and its digest."""
        return self._kept_or(self._stated_provenance, Provenance, "provenance")

    def _stated_provenance(self) -> Provenance:
        origins = tuple(map(self._provenance_of, self.paths, self._graphs))
        if len(origins) == 1:
            return origins[0]
        origins = tuple(map(self._with_languages, origins, self._graphs))
        return Provenance("combined", " + ".join(origin.name for origin in origins), None, parts=origins)

    def _with_languages(self, origin: Provenance, graph: pyoxigraph.NamedNode | None) -> Provenance:
        tags = self._query(f"SELECT DISTINCT (LANG(?text) AS ?tag) {{ GRAPH {graph} {{ ?s ?p ?text }} }}")
        codes = {from_tag(solution["tag"].value) for solution in tags if solution["tag"] is not None}
        return origin if origin.parts else replace(origin, languages=tuple(sorted(filter(None, codes))))

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """Run the query; see `Source.answer`."""
        answer = self._answer(query, languages)
        lexemes = lexeme_query(query) if self._has_lexemes else None
        if lexemes is None:
            return answer
        return with_lemmas(answer, self._answer(lexemes, None))

    def _answer(self, query: Query, languages: Sequence[str] | None) -> Answer:
        selected = sorted(query.selected)

        def rows() -> list[dict[str, Term]]:
            return [
                {name: _term(solution[name]) for name in selected if solution[name] is not None}
                for solution in self._query(text)
            ]

        text = query.narrowed(None)
        # What has no words in any language has none in these.
        if languages is not None and self._kept.answers.get("\n".join(("rows", text, *selected))) != NO_ROWS:
            text = query.narrowed([*languages, NEUTRAL])
        found = self._kept_or(rows, list[dict[str, Term]], "rows", text, *selected)
        return read_answer(query, found, self._name)

    def statements(self, query: Query) -> list[str]:
        """See `Source.statements`."""
        lexemes = lexeme_query(query) if self._has_lexemes else None
        texts = [construct_query(each.narrowed(None)) for each in (query, lexemes) if each is not None]
        return sorted({f"{triple} ." for text in texts if text is not None for triple in self._query(text)})

    @cached_property
    def _has_lexemes(self) -> bool:
        from pyoxigraph import NamedNode

        sense = NamedNode(ITEM_OF_SENSE)
        return self._kept_or(lambda: any(self._store.quads_for_pattern(None, sense, None)), bool, "lexemes")

    @property
    def size(self) -> int:
        """The number of triples."""
        return len(self._store)

    def named_items(self) -> list[str]:
        """The ids of all items that have a label, in order."""
        from pyoxigraph import NamedNode

        ids = {
            id_of(str(getattr(quad.subject, "value", "")))
            for quad in self._store.quads_for_pattern(None, NamedNode(_LABEL), None)
        }
        return sorted((id_ for id_ in ids if is_id(id_)), key=id_order)

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """Look the items up one by one; see `Source.names`."""
        if self._kept.names:
            yield from self._kept_names(items, languages)
            return
        wanted = None if languages is None else tags_of({*languages, "en", NEUTRAL})
        for item in items:
            names = united(
                [
                    gather_names(item, *(self._texts(graph, item, edge, wanted) for edge in (_LABEL, _ALIAS)))
                    for graph in self._graphs
                ]
            )
            if names.labels or names.aliases:
                yield names

    def _kept_names(self, items: Iterable[str], languages: Collection[str] | None) -> Iterator[Names]:
        wanted = set(self._kept.names) if languages is None else {*languages, "en", NEUTRAL}
        for code in wanted & self._kept.names.keys() - self._names_by_code.keys():
            of_code = msgspec.json.decode(self._kept.names[code], type=dict[str, list[str]])
            self._names_by_code[code] = of_code
        by_code = {code: self._names_by_code[code] for code in self._kept.names if code in wanted}
        for item in items:
            own = {code: of_code[item] for code, of_code in by_code.items() if item in of_code}
            if own:
                labels = {code: texts[0] for code, texts in own.items() if texts[0]}
                yield Names(item, labels, {code: texts[1:] for code, texts in own.items() if texts[1:]})

    def _query(self, text: str) -> list[Any]:
        several = len(self._graphs) > 1
        # The text was checked when the query was read.
        return list(self._store.query(text, use_default_graph_as_union=several))  # type: ignore[arg-type]

    def _texts(
        self, graph: pyoxigraph.NamedNode | None, item: str, predicate: str, wanted: Set[str] | None
    ) -> dict[str, list[str]]:
        from pyoxigraph import Literal, NamedNode

        texts: dict[str, list[str]] = {}
        subject, edge = NamedNode(iri_of(item)), NamedNode(predicate)
        for quad in self._store.quads_for_pattern(subject, edge, None, graph):
            name = quad.object
            if not isinstance(name, Literal) or name.language is None:
                continue
            if wanted is None or name.language.lower() in wanted:
                texts.setdefault(name.language, []).append(name.value)
        return texts

    def _provenance_of(self, path: Path, graph: pyoxigraph.NamedNode | None) -> Provenance:
        """The origin that a file states (both give the same test sets), else the file itself."""
        from pyoxigraph import NamedNode

        def stated(predicate: str) -> str | None:
            quads = self._store.quads_for_pattern(NamedNode(_DUMP), NamedNode(predicate), None, graph)
            return min((str(getattr(quad.object, "value", "")) for quad in quads), default=None)

        name = stated("http://schema.org/name") or path.name.split(".")[0]
        moment = stated("http://schema.org/dateModified")
        license_ = stated("http://schema.org/license") or stated(_LICENSE)
        if license_ == UNICODE_LICENSE:  # its notice has to be in every copy
            license_ = unicode_notice()
        date = moment[:10] if moment else None
        kind, endpoint = stated("http://purl.org/dc/terms/type"), stated(_DERIVED_FROM)
        if kind == "combined":
            return msgspec.json.decode(stated("http://purl.org/dc/terms/source") or "{}", type=Provenance)
        if kind and endpoint and moment:
            return Provenance(kind, name, date, endpoint=endpoint, retrieved=moment)
        return Provenance("snapshot", name, date, sha256_of(path), license=license_)


def own_categories(source: object) -> list[Query]:
    """The categories that a snapshot states itself, as imports of word lists do; none of other sources."""
    if not isinstance(source, Snapshot):
        return []
    classes = source.answer(OWN_CATEGORIES).unnamed
    return [own_category(names.item, names.labels["en"]) for names in source.names(classes, ["en"])]


def _term(term: object) -> Term:
    return Term(str(getattr(term, "value", term)), getattr(term, "language", None))


def _load(
    store: pyoxigraph.Store, path: Path, graph: pyoxigraph.NamedNode | None, without: Collection[str]
) -> None:
    import pyoxigraph

    before, format_ = len(store), _format(path)
    with _reading(path), open_unpacked(path) as file:
        if without:
            quads = pyoxigraph.parse(file, format=format_)
            store.bulk_extend(quad for quad in quads if quad.predicate.value not in without)
        else:
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
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(
            f"{path}: the gzip file is cut off or damaged ({error}); download it again"
        ) from error
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (SyntaxError, ValueError) as error:
        syntax = "Turtle" if ".ttl" in path.name.lower() else "N-Triples"
        raise SourceError(f"{path}: is not {syntax}, or cut off: {one_line(error)}") from error


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a plain or gzipped file, whatever its name is."""
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if is_gzip else path.open("rb")  # type: ignore[return-value]


def sha256_of(path: Path) -> str:
    """The digest of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
