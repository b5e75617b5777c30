"""What test sets are to be made of, as a client selects it."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated
from urllib.parse import urlencode

from pydantic import ConfigDict, Field

from testgen.errors import PolicyError, QueryError
from testgen.generation.request import TestSetRequest
from testgen.labels import LabelPolicy
from testgen.languages.codes import canonical
from testgen.queries import Query, choose, class_query, named, shipped_queries
from testgen.serve.settings import Limits, Settings
from testgen.sources import Source, held_by, own_categories

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

    def checked(self, offered: Mapping[str, Query], limits: Limits) -> Selection:
        """The selection with codes in use and without repetitions, if the service offers all of it."""
        categories, classes = tuple(dict.fromkeys(self.categories)), tuple(dict.fromkeys(self.classes))
        for name in categories:  # names alone: a path would read a file of the server
            if name not in offered and name in shipped_queries():
                raise QueryError(f"this service does not offer the category {name!r}")
            named(name, offered)
        choose(map(class_query, classes))
        most = limits.classes
        if len(classes) > most:
            raise QueryError(
                f"the request names {len(classes)} classes; this service takes up to {most} at a time"
            )
        if self.policy.fewest_words > MOST:
            raise PolicyError(
                f"the fewest words (minimum_words) are {self.policy.minimum_words}; the most is {MOST:,}"
            )
        codes = self.languages and tuple(sorted({canonical(code) for code in self.languages}))
        return replace(self, languages=codes, categories=categories, classes=classes)

    def request(self, usual: Sequence[str] = ()) -> TestSetRequest:
        """The request for the test sets; if nothing is named, of the usual categories of the service."""
        # If there are none of these either, it is what the command line makes by default.
        return TestSetRequest(
            self.languages,
            (*self.categories, *self.classes) or tuple(usual),
            policy=self.policy,
            minimum_items=self.minimum_items,
            keywords=self.with_keywords,
        )

    def command(self, settings: Settings, usual: Sequence[str] = ()) -> str:
        """The command line that makes the same test sets."""
        words = ["testgen", "generate", *([] if self.is_usual else ["--output", self.stem])]
        words += ["--all-languages"] if self.languages is None else _repeated("--language", self.languages)
        chosen = (*self.categories, *self.classes) or tuple(usual)
        words += _repeated("--category", chosen)
        if self.with_keywords == bool(chosen):  # otherwise it is the default
            words += ["--keywords" if self.with_keywords else "--no-keywords"]
        if self.policy.minimum_words is not None:
            words += ["--minimum-words", str(self.policy.minimum_words)]
        if settings.source != "shipped":
            words += ["--source", settings.source_name]
        if self.minimum_items is not None:
            words += ["--hierarchy", "--minimum-items", str(self.minimum_items)]
        return shlex.join(words + _repeated("--policy", self.policy.as_texts()))

    @property
    def is_usual(self) -> bool:
        """Whether nothing but languages is chosen: each file is then the default one of its language."""
        return self == Selection(self.languages)

    @property
    def stem(self) -> str:
        """The name of the file of one language, or of the archive of several; other choices have another."""
        name = self.languages[0] if self.languages and len(self.languages) == 1 else "test-sets"
        if self.is_usual:
            return name
        choices = repr(replace(self, languages=None))
        return f"{name}-{hashlib.sha256(choices.encode()).hexdigest()[:6]}"

    @property
    def file_name(self) -> str:
        """The name of what is downloaded."""
        return f"{self.stem}.{'json' if self.languages and len(self.languages) == 1 else 'zip'}"

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


def offered_queries(settings: Settings, source: Source | None) -> dict[str, Query]:
    """The categories and relations that a service offers, by name: a snapshot was made for some."""
    chosen = choose(settings.categories, own=own_categories(source))
    return {query.name: query for query in held_by(source, chosen)}
