"""The settings of a service, and what test sets are to be made of, as a client selects it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

from pydantic import ConfigDict, Field

from testgen.errors import PolicyError, QueryError
from testgen.generation.request import TestSetRequest
from testgen.labels import LabelPolicy
from testgen.languages.codes import canonical
from testgen.queries import Query, choose, class_query, named, shipped_queries
from testgen.sources import SHIPPED, is_remote

LOOPBACK = ("localhost", "127.0.0.1", "::1")  # the names by which a machine reaches itself
MOST = 1_000_000  # the largest minimum of words or items that may be asked for
_API = "/api/v1/test-sets"


@dataclass(frozen=True)
class Limits:
    """What one client or one request may ask for."""

    classes: int = 10  # how many classes by id one request may name
    class_items: int = 100_000  # how many items such a class may have
    jobs_per_client: int = 3  # how many unfinished jobs one client may have
    jobs_per_hour: int = 30  # how many jobs one client may start in an hour
    jobs_kept_per_client: int = 10  # how many finished jobs of one client are stored, its newest
    jobs_kept: int = 500  # how many finished jobs of all clients are stored with their results
    days_kept: float = 7  # after how many days a result may be deleted to make room for other clients
    archives: int = 2  # how many zip files are made at the same time
    connections: int = 1000  # within three quarters of the files that the process may have open
    connections_per_client: int = 100  # how many one client may have; behind a proxy, the proxy limits them
    streams: int = 200  # how many streams of events there may be
    streams_per_client: int = 10  # how many one client may have
    waiting: int = 16  # how many requests may wait for a test set to be made
    cache_bytes: int = 64_000_000  # how much memory the cache of finished test sets may take
    page_bytes: int = 32_000_000  # how much memory the cache of pages may take


@dataclass(frozen=True)
class Settings:
    """All settings of a service."""

    directory: Path  # the folder for jobs and their results
    source: str = "shipped"  # `shipped`, `wikidata`, the URL of an endpoint, or the path of a snapshot
    categories: tuple[str, ...] = ()  # those that are offered; all shipped ones if empty
    # The host names under which the service answers; requests under other names are refused, so that no web
    # page can reach a service on its visitor's own machine under another name.
    hosts: tuple[str, ...] = LOOPBACK
    limits: Limits = field(default_factory=Limits)  # what clients may ask for
    behind_proxy: bool = False  # whether to trust what a proxy says about its clients
    root_path: str = ""  # the path below which the service is, such as /testgen; empty for the whole host
    access_log: bool = False  # whether requests are logged
    pages_only: bool = False  # whether pages offer only what needs no process, as they become files: `site`
    base_url: str = ""  # the address at which such files will be; empty if it is not known

    @property
    def source_name(self) -> str:
        """The source as clients may see it: for a snapshot, the file's name without its folder."""
        return self.source if self.is_remote or self.source == SHIPPED else Path(self.source).name

    @property
    def is_remote(self) -> bool:
        """Whether the source is on the network."""
        return is_remote(self.source)


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
        return TestSetRequest(self.languages, queries, policy=self.policy, minimum_items=self.minimum_items)

    def command(self, settings: Settings, queries: Sequence[Query]) -> str:
        """The command line that makes the same test sets, from these queries."""
        words = ["testgen", "generate"]
        words += ["--all-languages"] if self.languages is None else _repeated("--language", self.languages)
        chosen = self.categories
        if not chosen and not self.classes:
            names = tuple(query.name for query in queries)
            chosen = () if {query.name for query in choose()} == set(names) else names
        words += _repeated("--category", (*chosen, *self.classes))
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
        return urlencode(chosen, doseq=True)


def _repeated(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _policy_options(policy: LabelPolicy, given: Sequence[str]) -> list[str]:
    """The options for all values that differ from the default, without those that are given already."""
    words: list[str] = []
    for name, value in policy.changes().items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
        elif f"--{option}" not in given:
            words += [f"--{option}", str(value)]
    return words


def offered_queries(settings: Settings) -> dict[str, Query]:
    """The categories and relations that a service offers, by name."""
    return {query.name: query for query in choose(settings.categories or shipped_queries())}
