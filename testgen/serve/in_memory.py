"""A source with its answers and names in memory, by language, and the table of its words."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

import regex

from testgen.errors import MissingAnswerError, SourceError
from testgen.generation.request import TestSetRequest
from testgen.generation.sizes import FileSize
from testgen.generation.test_sets import coverage
from testgen.languages.codes import NEUTRAL, accepted_spellings, languages
from testgen.queries import Query
from testgen.sources import Answer, Keywords, Names, Provenance, Row, Source, id_order

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

_ENGLISH = "en"
_LONGEST_CODE = 3  # letters: `day` may be a code or a name, but hardly the name of a language
_CLASSES = Query(
    "classes", "Classes", "relation", "classes", "All classes and their instances.",
    "PREFIX wdt: <http://www.wikidata.org/prop/direct/>\n"
    "SELECT DISTINCT ?item ?of WHERE { ?of wdt:P31 ?item } ORDER BY ?item ?of",
)  # fmt: skip
_OF_CLASS = regex.compile(r"\?item wdt:P31 wd:(Q[0-9]+)")


class InMemorySource:
    """A source that holds in memory the answers to some queries of another source, and passes on the rest."""

    def __init__(self, source: Source, queries: Iterable[Query], chosen: Sequence[str] = ()) -> None:
        """Read everything that a source has available: a snapshot, or a remote source that is offline.

        `chosen` are the categories that the operator chose, if any.
        """
        self.behind, self._chosen = source, chosen
        self.answers: dict[Query, Answer] = {}  # to the queries that are available at once, with all names
        self.missing: dict[Query, SourceError] = {}  # the errors for the others
        self._names: dict[str, Names] = {}
        for query in queries:
            try:
                answer = source.answer(query)
                wanted = [item for item in answer.unnamed if item not in self._names]
                # All or none: a query is available completely or not at all.
                named = {names.item: names for names in source.names(wanted)}
                self._names |= {item: named.get(item, Names(item, {}, {})) for item in wanted}
                if answer.failed:
                    self.missing[query] = next(iter(answer.failed.values()))
                else:
                    self.answers[query] = answer
            except SourceError as error:
                if error.final:
                    raise
                self.missing[query] = error

    @property
    def provenance(self) -> Provenance:
        """The origin that the other source states."""
        return self.behind.provenance

    @property
    def usual(self) -> Sequence[str]:
        """The categories of a test set for which none is named; empty for those of the command line."""
        return tuple(self.queries) if self.missing else self._chosen

    @property
    def queries(self) -> Mapping[str, Query]:
        """The queries that are available at once and have items, by name."""
        return {query.name: query for query, answer in self.answers.items() if answer.rows}

    def answer(self, query: Query, languages: Sequence[str] | None = None) -> Answer:
        """See `Source.answer`."""
        if query in self.answers and (languages is None or not query.by_language):
            return self.answers[query]
        return self.behind.answer(query, languages)

    def names(self, items: Iterable[str], languages: Collection[str] | None = None) -> Iterator[Names]:
        """See `Source.names`."""
        wanted = list(items)
        others = self.behind.names([item for item in wanted if item not in self._names], languages)
        elsewhere = {names.item: names for names in others}
        for item in wanted:
            names = self._names.get(item) or elsewhere.get(item)
            if names and (names.labels or names.aliases):
                yield names

    def keywords(self, code: str) -> Keywords | None:
        """See `Source.keywords`; they are read when they are asked for."""
        return self.behind.keywords(code)

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """Usable words by language (code, the index) and category (name), as `coverage` counts them."""
        import pandas as pd

        if not self.queries:
            return pd.DataFrame(index=pd.Index([], name="code"))
        frame = coverage(TestSetRequest(categories=self.usual, all_categories=True), source=self)
        return frame[(frame > 0).any(axis=1)]

    @cached_property
    def counts(self) -> dict[str, dict[str, int]]:
        """The same counts by language and category, without zeros."""
        rows = self.coverage.to_dict("index").items()
        return {str(code): {str(name): int(n) for name, n in row.items() if n} for code, row in rows}

    @cached_property
    def in_file(self) -> dict[str, FileSize]:
        """The size of the test set of each language that has words."""
        found: dict[str, FileSize] = self.coverage.attrs.get("in_file", {})
        return {code: found[code] for code in self.counts}

    @cached_property
    def languages_of(self) -> dict[str, set[str]]:
        """The whole languages in which each category has words: `kk` for `kk-cyrl` too."""
        found: dict[str, set[str]] = {}
        for code, counts in self.counts.items():
            for name in counts:
                found.setdefault(name, set()).add(languages()[code].whole)
        return found

    def label(self, item: str, language: str) -> str | None:
        """The label of an item in a language, as the source has it; else the language-neutral one."""
        labels = self._names[item].labels if item in self._names else {}
        return labels.get(language, labels.get(NEUTRAL))

    @cached_property
    def classes(self) -> dict[str, tuple[str, int]]:
        """Name and size of the classes of a snapshot by id, large ones first; the name may be empty."""
        rows: Sequence[Row] = ()
        with suppress(MissingAnswerError):  # a snapshot was made for other queries
            rows = self.behind.answer(_CLASSES).rows
        sizes = Counter(class_id for class_id, _ in rows)
        titles = {class_id: query.title for class_id, query in self.query_of_class.items()}
        for names in self.behind.names(sizes, [_ENGLISH]):
            titles[names.item] = names.labels.get(_ENGLISH) or titles.get(names.item, "")
        return {class_id: (titles.get(class_id, ""), size) for class_id, size in sizes.most_common()}

    @cached_property
    def class_names(self) -> dict[str, tuple[str, ...]]:
        """The labels of the classes of a snapshot in all languages, by id."""
        return {names.item: tuple(names.labels.values()) for names in self.behind.names(self.classes)}

    @cached_property
    def query_of_class(self) -> dict[str, Query]:
        """The categories that hold the instances of one class and nothing else, by the id of the class."""
        found = {}
        for query in self.queries.values():
            ids = _OF_CLASS.findall(query.text)
            if len(ids) == 1 and query.text.count("wd:Q") == 1:
                found[ids[0]] = query
        return found

    @cached_property
    def _labels(self) -> tuple[np.ndarray, np.ndarray, list[Names]]:
        """Digests of all labels, sorted, and the number of the item of each: a tenth of what a dict needs."""
        import numpy as np

        everything = list(self._names.values())
        pairs = {
            (hash(_folded(label)), number)
            for number, names in enumerate(everything)
            for label in set(names.labels.values())
        }
        table = np.array(sorted(pairs), np.int64).reshape(-1, 2)
        return table[:, 0].copy(), table[:, 1].astype(np.int32), everything

    def named(self, text: str) -> dict[str, list[str]]:
        """The items that have a label, without regard to capitals, and in which languages they have it."""
        digests, numbers, everything = self._labels
        sought = _folded(text)
        first, end = digests.searchsorted(hash(sought)), digests.searchsorted(hash(sought), "right")
        codes = {
            names.item: [code for code, label in names.labels.items() if _folded(label) == sought]
            for names in (everything[number] for number in numbers[first:end])
        }
        return {item: found for item, found in codes.items() if found}

    @cached_property
    def language_names(self) -> Mapping[str, set[str]]:
        """What languages are called in all languages, by code, if the source has items for them."""
        codes, found = accepted_spellings(), defaultdict[str, set[str]](set)
        for names in self._names.values():
            english = names.labels.get(_ENGLISH, "").lower()
            if len(english) > _LONGEST_CODE and english in codes:
                found[codes[english]].update(map(_folded, names.labels.values()))
        return found

    def items(self, query: Query) -> list[str]:
        """All items in the answer to a query, in order."""
        return sorted({item for row in self.answers[query].rows for item in row}, key=id_order)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip().casefold())
