"""Asking a source for several queries: one that fails costs that query alone."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from testgen.errors import SourceError
from testgen.queries import Query
from testgen.sources.base import Answer, Names, Source, id_order
from testgen.sources.remote import RemoteSource

Failures = dict[Query, SourceError]

_MOST_NAMED = 10  # queries in a message


def answers_of(
    source: Source, queries: Iterable[Query], languages: Sequence[str] | None = None
) -> tuple[dict[Query, Answer], Failures]:
    """The answer to each query, and the error for each that the source does not answer."""
    answers: dict[Query, Answer] = {}
    failed: Failures = {}
    chosen = list(queries)
    for number, query in enumerate(chosen, start=1):
        if isinstance(source, RemoteSource):
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
    # Items of the first query are asked for before those of the next: a run that is stopped has whole
    # categories.
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


def lacking(source: Source, found: Mapping[Query, int]) -> str:
    """What a service has less than half of, by what Wikidata is known to have; empty for snapshots."""
    few = [
        f"{query.name} ({rows:,} of about {query.about:,})"
        for query, rows in found.items()
        if query.about and 2 * rows < query.about
    ]
    if not few or source.provenance.kind in ("snapshot", "combined"):
        return ""
    more = f" and {len(few) - _MOST_NAMED} others" if len(few) > _MOST_NAMED else ""
    return (
        f"{source.provenance.name} lacks most of {', '.join(few[:_MOST_NAMED])}{more}; `testgen doctor` "
        "shows what it can answer"
    )


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
