"""Files of RDF in the shape of Wikidata's, queried in an embedded Oxigraph store: any query may be asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from testgen.errors import SourceError, one_line
from testgen.languages.codes import NEUTRAL, from_tag, tags_of
from testgen.queries import Query
from testgen.sources.answering import AnsweringSource
from testgen.sources.answers import Answers
from testgen.sources.base import (
    BLANK,
    Answer,
    Keywords,
    Names,
    Provenance,
    Solution,
    Term,
    gather_names,
    id_of,
    id_order,
    iri_of,
    is_id,
    united,
)
from testgen.sources.keywords import KeywordFiles
from testgen.sources.lexemes import ITEM_OF_SENSE, LEXEME_LANGUAGES
from testgen.sources.shipped import in_full
from testgen.system import open_unpacked, reading, sha256_of

if TYPE_CHECKING:
    import pyoxigraph

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
DUMP = "http://wikiba.se/ontology#Dump"
_LICENSE = "http://creativecommons.org/ns#license"
ENDINGS = (".ttl", ".nt", ".ttl.gz", ".nt.gz")


class RdfSource(AnsweringSource):
    """Turtle or N-Triples files, plain or gzipped; the first of several names items."""

    has_own_categories = True
    _graphs: Sequence[pyoxigraph.NamedNode | None] = (None,)

    def __init__(self, *paths: Path, answers: Path | None = None) -> None:
        """Load `.ttl` or `.nt` files, or such with `.gz`, several into a graph each."""
        # With a file of their answers, they are loaded when something is asked that is not in it.
        super().__init__(" + ".join(map(str, paths)))
        self.paths, self._keywords = paths, KeywordFiles(paths)
        if len(paths) > 1:
            from pyoxigraph import NamedNode

            self._graphs = [NamedNode(f"urn:source:{number}") for number, _ in enumerate(paths)]
        self._answers = None if answers is None else self._answers_in(answers)
        if self._answers is None:
            _ = self._store

    def _answers_in(self, path: Path) -> Answers | None:
        """The answers in a file, if it was made from these files as they are."""
        try:
            answers = Answers.read(path)
        except SourceError:
            return None
        made_from = [origin.sha256 for origin in answers.source.parts or (answers.source,)]
        return answers if made_from == [*map(sha256_of, self.paths)] else None

    @cached_property
    def _store(self) -> pyoxigraph.Store:
        import pyoxigraph

        store = pyoxigraph.Store()
        for path, graph in zip(self.paths, self._graphs, strict=True):
            _load(store, path, graph)
        return store

    @cached_property
    def provenance(self) -> Provenance:
        """Name and date as the file states them, and its digest."""
        if self._answers is not None:
            return self._answers.source
        if len(self.paths) == 1:
            return self._origin_of(self.paths[0], self._graphs[0])
        origins = self.origins
        return Provenance("combined", " + ".join(origin.name for origin in origins), None, parts=origins)

    @cached_property
    def origins(self) -> tuple[Provenance, ...]:
        """The origin of each file, with the languages in which it has names."""
        origins = map(self._origin_of, self.paths, self._graphs)
        return tuple(map(self._with_languages, origins, self._graphs))

    def _with_languages(self, origin: Provenance, graph: pyoxigraph.NamedNode | None) -> Provenance:
        where = f"GRAPH {graph} {{ ?s ?p ?text }}" if graph else "?s ?p ?text"
        tags = self._query(f"SELECT DISTINCT (LANG(?text) AS ?tag) {{ {where} }}")
        codes = {from_tag(solution["tag"].value) for solution in tags if solution["tag"] is not None}
        return replace(origin, languages=tuple(sorted(filter(None, codes))))

    def rows(
        self,
        query: Query,
        language: str | None = None,
        rest: Sequence[str] = (),  # noqa: ARG002
    ) -> Sequence[Solution]:
        """See `AnsweringSource.rows`."""
        known = None if self._answers is None else self._answers.rows(query, language)
        if known is not None:
            return known
        solutions = self._query(query.narrowed(None if language is None else [language]))
        return [
            {name: _term(solution[name]) for name in query.selected if solution[name] is not None}
            for solution in solutions
        ]

    def _with_lemmas(self, query: Query, answer: Answer) -> Answer:
        return super()._with_lemmas(query, answer) if self._has_lexemes else answer

    @cached_property
    def _has_lexemes(self) -> bool:
        from pyoxigraph import NamedNode

        if self._answers is not None:
            return bool(self.rows(LEXEME_LANGUAGES))
        return any(self._store.quads_for_pattern(None, NamedNode(ITEM_OF_SENSE), None))

    @property
    def size(self) -> int:
        """The number of triples."""
        return len(self._store)

    def named_items(self) -> list[str]:
        """The ids of all items that have a label, in order."""
        from pyoxigraph import NamedNode

        ids = {
            id_of(str(getattr(quad.subject, "value", "")))
            for quad in self._store.quads_for_pattern(None, NamedNode(LABEL), None)
        }
        return sorted((id_ for id_ in ids if is_id(id_)), key=id_order)

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """Look the items up one by one; see `Source.names`."""
        if self._answers is not None:
            yield from self._answers.names(items, languages)
            return
        wanted = None if languages is None else tags_of({*languages, "en", NEUTRAL})
        for item in items:
            names = united(
                [
                    gather_names(item, *(self._texts(graph, item, edge, wanted) for edge in (LABEL, ALIAS)))
                    for graph in self._graphs
                ]
            )
            if names.labels or names.aliases:
                yield names

    @property
    def keyword_languages(self) -> tuple[str, ...]:
        """See `AnsweringSource.keyword_languages`."""
        return self._keywords.languages

    def keywords(self, code: str) -> Keywords | None:
        """The keywords in the files beside these."""
        return self._keywords.keywords(code)

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

    def _origin_of(self, path: Path, graph: pyoxigraph.NamedNode | None) -> Provenance:
        """The origin that a file states, and its digest."""
        from pyoxigraph import NamedNode

        def stated(predicate: str) -> str | None:
            quads = self._store.quads_for_pattern(NamedNode(DUMP), NamedNode(predicate), None, graph)
            return min((str(getattr(quad.object, "value", "")) for quad in quads), default=None)

        name = stated("http://schema.org/name") or path.name.split(".")[0]
        moment = stated("http://schema.org/dateModified")
        license_ = stated("http://schema.org/license") or stated(_LICENSE)
        date, digest = moment and moment[:10], sha256_of(path)
        return Provenance("snapshot", name, date, digest, license=license_ and in_full(license_))


def _term(term: object) -> Term:
    from pyoxigraph import BlankNode

    value = str(getattr(term, "value", term))
    return Term(BLANK + value if isinstance(term, BlankNode) else value, getattr(term, "language", None))


def _load(store: pyoxigraph.Store, path: Path, graph: pyoxigraph.NamedNode | None) -> None:
    before, format_ = len(store), _format(path)
    try:
        with reading(path, SourceError), open_unpacked(path) as file:
            store.bulk_load(file, format=format_, to_graph=graph)
    except (SyntaxError, ValueError) as error:
        syntax = "Turtle" if ".ttl" in path.name.lower() else "N-Triples"
        raise SourceError(f"{path}: is not {syntax}, or cut off: {one_line(error)}") from error
    if len(store) == before:
        raise SourceError(f"{path}: the file holds no statements")


def _format(path: Path) -> pyoxigraph.RdfFormat:
    import pyoxigraph

    if not path.name.lower().endswith(ENDINGS):
        raise SourceError(
            f"{path}: not a source. A source is shipped, wikidata, the URL of a SPARQL endpoint "
            f"(https://…), a snapshot (.jsonl.gz), or a file of RDF, whose name ends in {', '.join(ENDINGS)}"
        )
    turtle = path.name.lower().removesuffix(".gz").endswith(".ttl")
    return pyoxigraph.RdfFormat.TURTLE if turtle else pyoxigraph.RdfFormat.N_TRIPLES
