"""Asking a source for several queries, where one that fails costs that query alone; what it can answer."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Literal, NamedTuple

from testgen.errors import QueryError, SourceError
from testgen.queries import Query, shipped_queries
from testgen.sources.answering import AnsweringSource
from testgen.sources.base import Answer, Names, Row, Source, id_order
from testgen.sources.hierarchy import Level, hierarchy_queries, levels_within
from testgen.system import listed

Failures = dict[Query, SourceError]

_MOST_NAMED = 10  # queries in a message
# The name of an article has the language of its Wikipedia. IRIs are written in full, since a query may use
# the usual prefixes for something else.
_ARTICLES = Template("""\
${prologue}SELECT DISTINCT $item ?word WHERE {
  { SELECT DISTINCT ?$variable WHERE { { $select } } }
  ?article <http://schema.org/about> ?$variable ;
           <http://schema.org/isPartOf> ?site ;
           <http://schema.org/name> ?word .
  ?site <http://wikiba.se/ontology#wikiGroup> "wikipedia" .
}
ORDER BY ?item ?word
""")
_ASKED = {
    "items of a class": "country",
    "subclasses, two steps down": "tool",
    "subclasses, any number of steps down": "cheese",
    "statements of every rank": "us-president",
    "texts with a language": "country-demonym",
    "lexemes": "preposition",
}
_WITH_SITELINKS = Template("""\
${prologue}SELECT DISTINCT ?item WHERE {
  { $select }
  ?item <http://wikiba.se/ontology#sitelinks> ?sitelinks .
}
ORDER BY ?item
""")
_LANGUAGES = 200  # in which Wikidata names countries, at least
_NAMED = 50  # items, as many as one request asks for


@dataclass(frozen=True)
class CollectedAnswers:
    """What a source answered to several queries, with the names of the items."""

    answers: Mapping[Query, Answer]  # to each query that was answered, and of whose items the names are known
    failed: Mapping[str, SourceError]  # for what was not, by the query's name, or `noun-plural in en`
    levels: Mapping[Query, Sequence[Level]]  # classes within categories, if these are wanted
    # The languages in whose Wikipedia an item has an article; None if this does not matter.
    articles: Mapping[str, frozenset[str]] | None
    left_out: Sequence[str]  # how many rows of a query are left out, and why
    names: Iterator[Names]  # of items and classes, once each; they are read while they are used


def ask(
    source: Source,
    queries: Iterable[Query],
    languages: Sequence[str] | None = None,
    named_in: Collection[str] | None = None,
    *,
    minimum_items: int | None = None,
    with_articles: bool = False,
) -> CollectedAnswers:
    """Ask everything that test sets need: answers, levels, articles, then the names of all items.

    Args:
        source: What is asked. A query that fails does not stop the others, whose answers may be cached.
        queries: The queries.
        languages: The languages of queries that select words themselves; None for all.
        named_in: The languages of names; None for all.
        minimum_items: Of a class within a category; None if no levels are wanted.
        with_articles: Whether to ask in which Wikipedias the items have articles.

    Raises:
        QueryError: Articles are wanted, and the source does not know any.
    """
    answers, failed = answers_of(source, queries, languages)
    rows = {query: answer.rows for query, answer in answers.items()}
    levels, no_levels = ({}, {}) if minimum_items is None else levels_of(source, rows, minimum_items)
    unnamed = {
        query: {*answer.unnamed, *query.own_class, *(level.class_id for level in levels.get(query, ()))}
        for query, answer in answers.items()
    }
    articles, no_articles = languages_with_articles(source, rows) if with_articles else (None, {})
    names, no_names = names_of(source, unnamed, named_in)
    errors = {query.name: error for query, error in (failed | no_levels | no_names | no_articles).items()}
    for answer in answers.values():
        errors |= answer.failed
    complete = {query: answer for query, answer in answers.items() if query not in no_names}
    left_out = [answer.left_out for answer in answers.values() if answer.left_out]
    return CollectedAnswers(complete, errors, levels, articles, left_out, names)


def levels_of(
    source: Source, rows: Mapping[Query, Sequence[Row]], minimum_items: int
) -> tuple[dict[Query, list[Level]], Failures]:
    """The levels of each category, found with one query for each that has enough items; and the errors."""
    asked = hierarchy_queries(rows, minimum_items)
    answers, failed = answers_of(source, asked.values())
    found: dict[Query, list[Level]] = {}
    for query, hierarchy in asked.items():
        if hierarchy in answers:
            try:
                found[query] = levels_within(query, rows[query], answers[hierarchy].rows, minimum_items)
            except SourceError as error:
                failed[hierarchy] = error
    return found, failed


def answers_of(
    source: Source, queries: Iterable[Query], languages: Sequence[str] | None = None
) -> tuple[dict[Query, Answer], Failures]:
    """The answer to each query, and the error for each that the source does not answer."""
    answers: dict[Query, Answer] = {}
    failed: Failures = {}
    chosen = list(queries)
    for number, query in enumerate(chosen, start=1):
        if isinstance(source, AnsweringSource):
            source.position = f" ({number} of {len(chosen)})"
        try:
            answers[query] = source.answer(query, languages)
        except SourceError as error:
            failed[query] = error
    return answers, failed


def names_of(
    source: Source, items: Mapping[Query, Collection[str]], languages: Collection[str] | None = None
) -> tuple[Iterator[Names], Failures]:
    """The names of the items of several queries, and the error for each that lacks the names of an item."""
    # Items of the first query come before those of the next: a run that is stopped has whole categories.
    try:
        return _begun(source.names(_one_by_one(items.values()), languages)), {}
    except SourceError:
        failed = {}
    for query, of_query in items.items():
        try:
            _begun(source.names(_one_by_one([of_query]), languages))
        except SourceError as error:
            failed[query] = error
    rest = [of_query for query, of_query in items.items() if query not in failed]
    return source.names(_one_by_one(rest), languages), failed


def what_is_missing(source: Source, found: Mapping[Query, int]) -> str:
    """What a service has less than half of, by what Wikidata is known to have; empty for snapshots."""
    few = [
        f"{query.name} ({rows:,} of about {query.about:,})"
        for query, rows in found.items()
        if query.about and 2 * rows < query.about
    ]
    if not few or source.provenance.kind in ("snapshot", "combined"):
        return ""
    named = listed(few, _MOST_NAMED, " and {} others")
    return f"{source.provenance.name} lacks most of {named}; `testgen doctor` shows what it can answer"


def one_error(errors: Iterable[SourceError]) -> SourceError:
    """One error for several: one of them if all say the same."""
    by_message = {str(error): error for error in errors}
    if len(by_message) == 1:
        return next(iter(by_message.values()))
    kinds = {type(error) for error in by_message.values()}
    kind = kinds.pop() if len(kinds) == 1 else SourceError
    return kind(
        f"{len(by_message)} queries failed; the answers to the others are in the cache:\n"
        + "\n".join(by_message)
    )


def _one_by_one(groups: Iterable[Collection[str]]) -> list[str]:
    return list(dict.fromkeys(item for group in groups for item in sorted(group, key=id_order)))


def _begun(names: Iterator[Names]) -> Iterator[Names]:
    """The same names; raises the error now if the source cannot give them all."""
    first = list(itertools.islice(names, 1))
    return itertools.chain(first, names)


def languages_with_articles(
    source: Source, queries: Iterable[Query]
) -> tuple[Mapping[str, frozenset[str]], Failures]:
    """The codes of the languages in whose Wikipedia each item has an article; and the errors."""
    asked = []
    for query, variable in ((each, name) for each in queries if not each.worded for name in each.variables):
        item = "?item" if variable == "item" else f"(?{variable} AS ?item)"
        name, values = f"{query.name} (articles about ?{variable})", {"item": item, "variable": variable}
        asked.append(query.nested_in(_ARTICLES, values, name=name, kind="category", worded={"item": "word"}))
    answers, failed = answers_of(source, asked)
    found: dict[str, frozenset[str]] = {}
    for answer in answers.values():
        for item, names in answer.names.items():
            found[item] = found.get(item, frozenset()).union(names.labels)
    if asked and not found and not failed:
        raise QueryError(
            f"{source.provenance.name} does not say which items have an article in a Wikipedia: ask Wikidata "
            "(--source wikidata), or leave --known-in-its-wikipedia out"
        )
    return found, failed


class Ability(NamedTuple):
    """A kind of question, with the rows (or languages) that a source found, of about how many in Wikidata."""

    name: str
    found: int
    about: int
    seconds: float
    error: SourceError | None = None

    @property
    def verdict(self) -> Literal["yes", "less than half", "no", "fails"]:
        """In a word or three."""
        if self.error is not None:
            return "fails"
        return "no" if not self.found else "less than half" if 2 * self.found < self.about else "yes"


def abilities(source: Source) -> Iterator[Ability]:
    """Ask a source one question after another; one that fails does not stop the others."""
    queries = shipped_queries()

    def languages() -> int:
        items = source.answer(queries["country"]).unnamed[:_NAMED]
        return len({code for names in source.names(items) for code in names.labels})

    asked = {name: queries[query] for name, query in _ASKED.items()}
    sitelinks = queries["country"].nested_in(_WITH_SITELINKS, {}, name="sitelinks", about=190)
    for name, query in {**asked, "numbers of sitelinks": sitelinks, "languages": None}.items():
        begun = time.monotonic()
        try:
            found, failed = languages() if query is None else len(source.answer(query).rows), None
        except SourceError as error:
            found, failed = 0, error
        about = _LANGUAGES if query is None else query.about or 0
        yield Ability(name, found, about, round(time.monotonic() - begun, 2), failed)
