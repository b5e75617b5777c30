"""How the rows of a source become the answer to a query: language by language, and with lemmas of lexemes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from testgen.errors import QueryFaultError, SourceError
from testgen.languages.codes import NEUTRAL, whole_languages
from testgen.queries import OWN_CATEGORIES, Query, own_category
from testgen.sources.base import Answer, Keywords, Names, Provenance, Solution, read_answer
from testgen.sources.lexemes import LEXEME_LANGUAGES, languages_with_lexemes, lexeme_query, with_lemmas


class AnsweringSource(ABC):
    """A source that gives the rows of a query as it is sent, and the names of items."""

    has_own_categories = False  # whether it may state categories of its own, as imports of word lists do
    position = ""  # of several queries, the place of the one that is asked, as in ` (12 of 232)`

    def __init__(self, name: str) -> None:
        self.name = name  # as messages have it
        self._no_languages: QueryFaultError | None = None

    @property
    @abstractmethod
    def provenance(self) -> Provenance:
        """See `Source.provenance`."""

    @abstractmethod
    def rows(self, query: Query, language: str | None = None, rest: Sequence[str] = ()) -> Sequence[Solution]:
        """The rows of a query, or of one that is asked by language, in one; `rest` will be asked for next."""

    @abstractmethod
    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """See `Source.names`."""

    @property
    def keyword_languages(self) -> tuple[str, ...]:
        """The codes of the languages for which `keywords` are stated."""
        return ()

    def keywords(self, code: str) -> Keywords | None:  # noqa: ARG002
        """The keywords of symbols in a language; None if there are none."""
        return None

    def holds(self, query: Query) -> bool:  # noqa: ARG002
        """Whether the query can be answered; False only of snapshots that were not made for it."""
        return True

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """See `Source.answer`; errors for some languages, or for lexemes, are in the answer."""
        if not query.by_language:
            return self._with_lemmas(query, read_answer(query, self.rows(query), self.name))
        rows: list[Solution] = []
        failed: dict[str, SourceError] = {}
        wholes = self.languages_of(query, languages)
        for number, code in enumerate(wholes, start=1):
            try:
                rows += self.rows(query, code, wholes[number:])
            except SourceError as error:
                failed[f"{query.name} in {code}"] = error
        if failed and not rows:
            raise next(iter(failed.values()))
        return replace(read_answer(query, rows, self.name), failed=failed)

    def languages_of(self, query: Query, languages: Sequence[str] | None) -> list[str]:
        """The languages for which a query is asked one by one; None: those that have lexemes of its kind."""
        if languages is not None:
            return whole_languages([*languages, NEUTRAL])
        if self._no_languages is not None:  # the next query would wait for the same error
            raise self._no_languages
        try:
            return languages_with_lexemes(self.rows(LEXEME_LANGUAGES), query.lexical_category)
        except QueryFaultError as error:
            self._no_languages = error
            raise

    def _with_lemmas(self, query: Query, answer: Answer) -> Answer:
        asked = lexeme_query(query)
        if asked is None or not answer.rows:
            return answer
        try:
            return with_lemmas(answer, read_answer(asked, self.rows(asked), self.name))
        except SourceError as error:
            return replace(answer, failed={asked.name: error})


def own_categories(source: object) -> list[Query]:
    """The categories that a source states itself, as imports of word lists do; of services none."""
    source = getattr(source, "behind", source)  # of one that holds the answers of another in memory
    if not isinstance(source, AnsweringSource) or not source.has_own_categories:
        return []
    if not source.holds(OWN_CATEGORIES):
        return []
    classes = source.answer(OWN_CATEGORIES).unnamed
    return [own_category(names.item, names.labels["en"]) for names in source.names(classes, ["en"])]


def held_by(source: object, queries: Iterable[Query]) -> list[Query]:
    """Those of the queries that a source can answer: of a snapshot, those that it was made for."""
    source = getattr(source, "behind", source)
    return [query for query in queries if not isinstance(source, AnsweringSource) or source.holds(query)]
