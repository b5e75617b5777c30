"""Creates a snapshot: asks a source what queries need, and keeps what it answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from testgen.errors import OutputError, SourceError
from testgen.queries import Query
from testgen.sources import Names, Provenance
from testgen.sources.answering import AnsweringSource
from testgen.sources.answers import HEAD, Answers
from testgen.sources.asking import ask, one_error
from testgen.sources.base import Solution
from testgen.sources.hierarchy import MINIMUM_ITEMS
from testgen.sources.snapshot import ENDINGS
from testgen.system import atomic_write, unpacked_head


class _Recorder(AnsweringSource):
    """A source that keeps everything that another source answers."""

    def __init__(self, source: AnsweringSource) -> None:
        super().__init__(source.name)
        self._source, self.answers = source, Answers(source.provenance)

    @property
    def provenance(self) -> Provenance:
        return self._source.provenance

    def rows(self, query: Query, language: str | None = None, rest: Sequence[str] = ()) -> Sequence[Solution]:
        self._source.position = self.position
        found = self._source.rows(query, language, rest)
        self.answers.add(query, language, found)
        return found

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        for names in self._source.names(items, languages):
            self.answers.add_names(names)
            yield names


def create(
    output: str | Path,
    queries: Iterable[Query],
    source: AnsweringSource,
    *,
    hierarchy: bool = False,
    keywords: bool = False,
) -> dict[str, str]:
    """Create a snapshot for some queries; with `hierarchy`, also for the levels of each category.

    With `keywords`, it has the source's keywords of symbols in all languages.

    Returns:
        The message for each query of which the answer, or a part of it, is missing, by its name.

    Raises:
        SourceError: The source fails for everything, or has no items for these queries.
        OutputError: The file cannot be written, or its name has another ending.
    """
    path = Path(output)
    if not path.name.endswith(ENDINGS):
        raise OutputError(f"{path}: the name of a snapshot must end in {' or '.join(ENDINGS)}")
    with atomic_write(path) as beside:
        answers, failed = record(source, queries, hierarchy=hierarchy)
        if not any(answers.counts.values()):
            nothing = f"{source.provenance.name} has no items for these queries, so there is nothing to save"
            raise one_error(failed.values()) if failed else SourceError(nothing)
        for code in source.keyword_languages if keywords else ():
            if stated := source.keywords(code):
                answers.add_keywords(code, stated)
        answers.write(beside)
    return {name: str(error) for name, error in failed.items()}


def record(
    source: AnsweringSource, queries: Iterable[Query], *, hierarchy: bool = False
) -> tuple[Answers, Mapping[str, SourceError]]:
    """What a source answers to some queries; and the error for what is missing, by the name of the query."""
    recorder, chosen = _Recorder(source), list(queries)
    asked = ask(recorder, chosen, minimum_items=MINIMUM_ITEMS if hierarchy else None)
    for _ in asked.names:
        pass  # they are recorded
    for query in chosen:
        if query not in asked.answers:
            recorder.answers.discard(query.name)
    recorder.answers.source = source.provenance  # with the moment of the newest answer
    return recorder.answers, asked.failed


def is_snapshot(head: bytes) -> bool:
    """Whether `create` wrote the file that begins with these bytes."""
    return unpacked_head(head).startswith(HEAD)
