"""What test sets are to be made of, as a client selects it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated
from urllib.parse import urlencode

from pydantic import ConfigDict, Field

from testgen.errors import PolicyError, QueryError
from testgen.generation.request import TestSetRequest
from testgen.labels import LabelPolicy
from testgen.languages.codes import canonical
from testgen.queries import Query, choose, class_query, named, shipped_queries
from testgen.serve.settings import Settings

MOST = 1_000_000  # the largest minimum of words or items that may be asked for
_API = "/api/v1/test-sets"

Text = Annotated[str, Field(max_length=2000)]
"""What a field of a form takes, which may have several names: to understand it takes time."""


@dataclass(frozen=True)
class Selection:
    """What test sets are to be made of: the order of a job, a form, the parameters of a URL."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    languages: Annotated[
        tuple[Text, ...] | None,
        Field(min_length=1, max_length=1000, description="Codes; null for every language with enough words."),
    ] = None
    # If categories and classes are empty, all that are offered.
    categories: Annotated[tuple[Text, ...], Field(max_length=1000)] = ()
    classes: Annotated[tuple[Text, ...], Field(max_length=1000, description="Ids such as Q9415.")] = ()
    policy: LabelPolicy = field(default_factory=LabelPolicy)  # how labels become words
    # How many items a class within a category must have; None for no such classes.
    minimum_items: Annotated[int | None, Field(ge=2, le=MOST)] = None
    # Whether there are groups of the keywords of symbols; None: unless categories or classes are named.
    keywords: bool | None = None

    @property
    def with_keywords(self) -> bool:
        """Whether there are groups of the keywords of symbols."""
        return not (self.categories or self.classes) if self.keywords is None else self.keywords

    def checked(self, settings: Settings) -> Selection:
        """The selection with codes in use and without repetitions, if the service offers all of it."""
        categories, classes = tuple(dict.fromkeys(self.categories)), tuple(dict.fromkeys(self.classes))
        for name in categories:  # names alone: a path would read a file of the server
            if named(name, shipped_queries()).name not in offered_queries(settings):
                raise QueryError(f"this service does not offer the category {name!r}")
        choose(map(class_query, classes))
        most = settings.limits.classes
        if len(classes) > most:
            raise QueryError(
                f"the request names {len(classes)} classes; this service takes up to {most} at a time"
            )
        if self.policy.minimum_words > MOST:
            raise PolicyError(f"minimum_words is {self.policy.minimum_words}; it may be up to {MOST:,}")
        codes = self.languages and tuple(sorted({canonical(code) for code in self.languages}))
        return replace(self, languages=codes, categories=categories, classes=classes)

    def queries(self, settings: Settings) -> list[Query]:
        """The queries; if none is named, those that the command line would use."""
        if self.categories or self.classes:
            return choose(
                [
                    *(named(name, shipped_queries()) for name in self.categories),
                    *map(class_query, self.classes),
                ]
            )
        return list(offered_queries(settings).values())

    def request(self, queries: Sequence[Query]) -> TestSetRequest:
        """The request for the test sets of some queries."""
        return TestSetRequest(
            self.languages,
            queries,
            policy=self.policy,
            minimum_items=self.minimum_items,
            keywords=self.with_keywords,
        )

    def command(self, settings: Settings, queries: Sequence[Query]) -> str:
        """The command line that makes the same test sets, from these queries."""
        words = ["testgen", "generate"]
        words += ["--all-languages"] if self.languages is None else _repeated("--language", self.languages)
        chosen = self.categories
        if not chosen and not self.classes:
            names = tuple(query.name for query in queries)
            chosen = () if {query.name for query in choose()} == set(names) else names
        words += _repeated("--category", (*chosen, *self.classes))
        if self.with_keywords == bool(chosen or self.classes):  # otherwise it is the default
            words += ["--keywords" if self.with_keywords else "--no-keywords"]
        every = not chosen and not self.classes
        words += ["--all-categories"] if every else []
        if every or "minimum_words" in self.policy.changes():
            words += ["--minimum-words", str(self.policy.minimum_words)]
        if settings.source != "shipped":
            words += ["--source", settings.source_name]
        if self.minimum_items is not None:
            words += ["--hierarchy", "--minimum-items", str(self.minimum_items)]
        return shlex.join(words + _repeated("--policy", self.policy.as_texts()))

    @property
    def form_query(self) -> str:
        """The query part of the build page's URL with this selection in its form."""
        if self.languages is None:
            return self._query(all_languages="true")
        return self._query(language=self.languages)

    @property
    def download_path(self) -> str:
        """The path and query, in the API, of the test set, or of a zip file of several."""
        if self.languages is not None and len(self.languages) == 1:
            path, query = f"{_API}/{self.languages[0]}.json", self._query()
        else:
            path, query = f"{_API}.zip", self._query(language=self.languages or ())
        return f"{path}?{query}" if query else path

    def _query(self, **first: object) -> str:
        chosen = {**first, "category": self.categories, "class": self.classes}
        for name, value in self.policy.changes().items():
            chosen[name] = str(value).lower() if isinstance(value, bool) else value
        if self.minimum_items is not None:
            chosen["minimum_items"] = self.minimum_items
        if self.keywords is not None:
            chosen["keywords"] = str(self.keywords).lower()
        return urlencode(chosen, doseq=True)


def _repeated(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def offered_queries(settings: Settings) -> dict[str, Query]:
    """The categories and relations that a service offers, by name."""
    return {query.name: query for query in choose(settings.categories or shipped_queries())}
