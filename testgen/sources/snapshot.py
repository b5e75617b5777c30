"""A snapshot: a file with what a source answered to some queries; it refuses all others."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import regex
from msgspec.structs import replace

from testgen.errors import MissingAnswerError
from testgen.queries import Query, shipped_queries, shipped_titles
from testgen.sources.answering import AnsweringSource
from testgen.sources.answers import Answers
from testgen.sources.base import Keywords, Names, Provenance, Solution
from testgen.sources.shipped import shipped_snapshots
from testgen.system import sha256_of

ENDINGS = (".jsonl", ".jsonl.gz")

_MOST_NAMED = 12  # queries in a message
_NESTED = regex.compile(r"(.+) \((hierarchy|lexemes|articles about .+)\)")


class Snapshot(AnsweringSource):
    """The answers in a file."""

    has_own_categories = True

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path, self.answers = path, Answers.read(path)

    @property
    def provenance(self) -> Provenance:
        """The origin of the answers: test sets of a snapshot are those of its source."""
        return self.answers.source

    @property
    def origins(self) -> tuple[Provenance, ...]:
        """The origin of each part, with the languages in which it has names."""
        origin = self.provenance
        return origin.parts or (replace(origin, languages=self.answers.languages),)

    def rows(
        self,
        query: Query,
        language: str | None = None,
        rest: Sequence[str] = (),  # noqa: ARG002
    ) -> Sequence[Solution]:
        """See `AnsweringSource.rows`; what the snapshot was not made for is refused."""
        found = self.answers.rows(query, language)
        if found is None:
            raise MissingAnswerError(self._refusal(query))
        return found

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """See `Source.names`."""
        return self.answers.names(items, languages)

    @property
    def keyword_languages(self) -> tuple[str, ...]:
        """See `AnsweringSource.keyword_languages`."""
        return self.answers.keyword_languages

    def keywords(self, code: str) -> Keywords | None:
        """The keywords that were stated when the snapshot was made."""
        return self.answers.keywords(code)

    def holds(self, query: Query) -> bool:
        """Whether the snapshot was made for a query."""
        return self.answers.holds(query)

    @property
    def queries(self) -> dict[str, int]:
        """The number of rows of each query that it was made for, by its name."""
        return {name: rows for name, rows in self.answers.counts.items() if " " not in name}

    def named_items(self) -> list[str]:
        """The ids of all items that have a name, in order."""
        return self.answers.named_items

    def _refusal(self, query: Query) -> str:
        held = list(self.queries)
        known = ", ".join(held[:_MOST_NAMED]) + (" and others" if len(held) > _MOST_NAMED else "")
        nested = _NESTED.fullmatch(query.name)
        if nested and nested[2].startswith("articles"):
            return (
                f"{self.name}: a snapshot does not know which items have articles; ask its source, or another"
            )
        missing = nested[1] if nested else query.name
        chosen = held if len(held) <= _MOST_NAMED else []
        options = [option for name in dict.fromkeys([*chosen, missing]) for option in _options(name)]
        if nested and nested[2] == "hierarchy":
            options.append("--hierarchy")
        shipped = shipped_queries().get(query.name)
        if shipped is not None and query.minimum_sitelinks != shipped.minimum_sitelinks:
            options += ["--min-sitelinks", str(query.minimum_sitelinks)]
        command = ["testgen", "snapshot", "create", "--source", self._source_option, *options]
        others = " and the options of the others" if not chosen else ""
        return (
            f"{self.name} was made for {known}, and does not hold the answer to {query.name}. Make it again "
            f"with {missing}{others}: {shlex.join([*command, '--output', self.name])}"
        )

    @property
    def _source_option(self) -> str:
        """What chooses the source of the answers again; files are not known by their names."""
        origin = self.provenance
        if origin.endpoint:
            return "wikidata" if origin.kind == "wikidata" else origin.endpoint
        made_from = [part.sha256 for part in origin.parts or (origin,)]
        return "shipped" if made_from == [*map(sha256_of, shipped_snapshots())] else "SOURCE"


def _options(name: str) -> list[str]:
    """The options that choose a query by its name."""
    if regex.fullmatch("Q[0-9]+", name):
        return ["--class", name]
    return ["--category", name] if name in shipped_titles() else ["--query", f"{name}.rq"]
