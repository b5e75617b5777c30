"""Sources on the network, with a cache of everything that they answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from testgen.errors import CacheError, MissingAnswerError, QueryFaultError, QueryTimeoutError, SourceError
from testgen.languages.codes import NEUTRAL, whole_languages
from testgen.queries import Query
from testgen.sources.algebra import construct_query
from testgen.sources.answer_cache import AnswerCache, CachedAnswer
from testgen.sources.base import Answer, Names, Provenance, Term, gather_names, read_answer
from testgen.sources.entity_api import EntityApi
from testgen.sources.lexemes import LEXEME_LANGUAGES, languages_with_lexemes, lexeme_query, with_lemmas
from testgen.sources.sparql import Binding, SparqlEndpoint

_TOO_SLOW = (
    "asking the same again will not help. Make the query smaller: name a subclass instead of "
    "wdt:P31/wdt:P279*, add a restriction that few items meet, or split it in two"
)


@dataclass(frozen=True)
class RequestPlan:
    """The requests that something would take."""

    # The number of requests for those that are not in the cache; 0 if the languages are not known yet.
    queries: Mapping[Query, int]
    items: int  # the number of known items whose names are not in the cache
    batch_size: int  # how many of them one request asks for
    known: bool  # whether this is all: not if there are queries, which may return other items

    @property
    def requests(self) -> int:
        """The number of requests, as far as it is known."""
        return sum(self.queries.values()) + -(-self.items // self.batch_size)


class RemoteSource:
    """A SPARQL endpoint for ids, a service for names, and a cache in front of both."""

    def __init__(
        self,
        kind: str,
        name: str,
        endpoint: SparqlEndpoint,
        names: EntityApi | SparqlEndpoint,
        cache: AnswerCache,
    ) -> None:
        self._kind, self._name = kind, name
        self._endpoint, self._names, self._cache = endpoint, names, cache
        self.servers = tuple({id(server): server for server in (endpoint.server, names.server)}.values())
        self._newest = ""
        self._no_languages: QueryFaultError | None = None
        self.notify: Callable[[str, int], None] = lambda _what, _left: None
        """Called before each request: what is asked, and how many more requests are known to follow."""
        self.position = ""  # of several queries, the place of the one that is asked, as in ` (12 of 232)`

    @property
    def provenance(self) -> Provenance:
        """The endpoint, and the newest retrieval among the answers used so far."""
        return Provenance(
            self._kind,
            self._name,
            self._newest[:10] or None,
            endpoint=self._endpoint.url,
            retrieved=self._newest or None,
        )

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """See `Source.answer`; errors for some languages, or for lexemes, are in the answer."""
        if not query.by_language:
            return self._with_lemmas(query, read_answer(query, self._rows(query, None, 0), self._name))
        rows: list[dict[str, Term]] = []
        failed: dict[str, SourceError] = {}
        wholes = self._whole_languages(query, languages)
        missing = [code for code in wholes if self._is_missing(query, code)]
        for code in wholes:
            left = len(missing) - bisect_right(missing, code)
            try:
                rows += self._rows(query, code, left)
            except SourceError as error:
                failed[f"{query.name} in {code}"] = error
        if failed and not rows:
            raise next(iter(failed.values()))
        return replace(read_answer(query, rows, self._name), failed=failed)

    def _with_lemmas(self, query: Query, answer: Answer) -> Answer:
        asked = lexeme_query(query)
        if asked is None or not answer.rows:
            return answer
        try:
            return with_lemmas(answer, read_answer(asked, self._rows(asked, None, 0), self._name))
        except SourceError as error:
            return replace(answer, failed={asked.name: error})

    def _whole_languages(self, query: Query, languages: Sequence[str] | None) -> list[str]:
        """The languages for which a query is asked one by one; None: those that have lexemes of its kind."""
        if languages is not None:
            return whole_languages([*languages, NEUTRAL])
        if self._no_languages is not None:  # the next query would wait for the same error
            raise self._no_languages
        try:
            return languages_with_lexemes(self._rows(LEXEME_LANGUAGES, None, 0), query.lexical_category)
        except QueryFaultError as error:
            self._no_languages = error
            raise

    def _query_key(self, query: Query, language: str | None) -> list[str]:
        return [self._endpoint.url, "query", query.narrowed(None if language is None else [language])]

    def _rows(self, query: Query, language: str | None, left: int) -> list[dict[str, Term]]:
        """The answer to a query in one language (None: in all), from the cache or from the endpoint."""
        name = query.name if language is None else f"{query.name} in {language}"
        key = self._query_key(query, language)
        cached = self._cached_or_asked(
            key,
            f"the answer to query {name!r}",
            (f"query {name}{self.position}", left),
            lambda: self._select(query, name, key[-1]),
        )
        self._newest = max(self._newest, cached.retrieved)
        return [
            {variable: Term(term.get("value", ""), term.get("xml:lang")) for variable, term in row.items()}
            for row in cached.value
        ]

    def _cached_or_asked(
        self, key: list[str], what: str, request: tuple[str, int], ask: Callable[[], object]
    ) -> CachedAnswer:
        cached = self._cache.get(key)
        if cached is None:
            self._check_online(what)
            self.notify(*request)
            with self._endpoint.server.lock:
                cached = self._cache.get(key)  # another process may have asked while this one waited
                if cached is None:
                    value = ask()
                    cached = CachedAnswer(value, self._cache.put_all([(key, value)]))
        return cached

    def _select(self, query: Query, name: str, text: str) -> list[Binding]:
        try:
            bindings = self._endpoint.select(text)
        except QueryTimeoutError as error:
            raise QueryTimeoutError(f"{error} {name!r}; {_TOO_SLOW}") from error
        return [{name: term for name, term in row.items() if name in query.selected} for row in bindings]

    def statements(self, query: Query) -> list[str]:
        """See `Source.statements`."""
        if query.by_language:
            texts = [query.narrowed([code]) for code in self._whole_languages(query, None)]
        else:
            texts = [each.narrowed(None) for each in (query, lexeme_query(query)) if each]
        lines: set[str] = set()
        for text in filter(None, map(construct_query, texts)):
            cached = self._cached_or_asked(
                [self._endpoint.url, "statements", text],
                f"the statements that query {query.name!r} needs",
                (f"statements of {query.name}", 0),
                partial(self._endpoint.construct, text),
            )
            # `_newest` ignores these: test sets are the same with and without them.
            lines.update(map(str, cached.value))
        return sorted(lines)

    def names(
        self,
        items: Iterable[str],
        languages: Collection[str] | None = None,  # noqa: ARG002 - servers give all of them at once
    ) -> Iterator[Names]:
        """Names of the items, asking only for those that are not in the cache; see `Source.names`."""
        wanted = list(items)
        self._fetch([item for item in wanted if self._cache.get(self._key(item)) is None])
        for item in wanted:
            cached = self._cache.get(self._key(item))
            if cached is None:
                raise CacheError(
                    f"{self._name}: the names of {item} have disappeared from the cache; run again"
                )
            self._newest = max(self._newest, cached.retrieved)
            found = gather_names(item, cached.value["labels"], cached.value["aliases"])
            if found.labels or found.aliases:
                yield found

    def _fetch(self, missing: Sequence[str]) -> None:
        if missing:
            self._check_online(f"the names of {len(missing)} items ({', '.join(missing[:5])}, …)")
        size = self._names.batch_size
        for start in range(0, len(missing), size):
            batch = missing[start : start + size]
            self.notify(f"names of {len(batch)} items", -(-(len(missing) - start - len(batch)) // size))
            with self._names.server.lock:
                batch = [item for item in batch if self._cache.get(self._key(item)) is None]
                texts = self._names.names(batch) if batch else {}
                self._cache.put_all((self._key(item), texts[item]) for item in batch)

    def plan(
        self, queries: Iterable[Query], languages: Sequence[str] | None = None, named: Iterable[str] = ()
    ) -> RequestPlan:
        """The requests for these queries, and for the names of some more items; sends none of them."""
        unasked: dict[Query, int] = {}
        items = set(named)
        for query in queries:
            needed = self._unasked(query, languages)
            unasked |= needed
            if not needed:
                items.update(query.own_class, self.answer(query, languages).unnamed)
        missing = sum(self._cache.get(self._key(item)) is None for item in items)
        return RequestPlan(unasked, missing, self._names.batch_size, not unasked)

    def _unasked(self, query: Query, languages: Sequence[str] | None) -> dict[Query, int]:
        """How many requests a query needs; with the query for languages, if these are not known."""
        wholes: Sequence[str | None] = [None]
        if query.by_language:
            if languages is None and self._is_missing(LEXEME_LANGUAGES, None):
                return {LEXEME_LANGUAGES: 1, query: 0}
            wholes = self._whole_languages(query, languages)
        missing = sum(self._is_missing(query, code) for code in wholes)
        lexemes = lexeme_query(query)
        missing += lexemes is not None and self._is_missing(lexemes, None)
        return {query: missing} if missing else {}

    def _is_missing(self, query: Query, language: str | None) -> bool:
        return self._cache.get(self._query_key(query, language)) is None

    def _key(self, item: str) -> list[str]:
        return [self._names.url, "names", item]

    def _check_online(self, what: str) -> None:
        if self._cache.offline:
            raise MissingAnswerError(f"{self._name}, offline: {what} is not in the cache")
