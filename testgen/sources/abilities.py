"""What a source can answer: a short question for each thing that the shipped queries need."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Literal, NamedTuple

from testgen.errors import SourceError
from testgen.queries import Query, shipped_queries
from testgen.sources.base import Source

_ASKED = {
    "items of a class": "country",
    "subclasses, two steps down": "tool",
    "subclasses, any number of steps down": "cheese",
    "statements of every rank": "us-president",
    "texts with a language": "country-demonym",
    "lexemes": "preposition",
}
_SITELINKS = Query(
    name="sitelinks",
    title="Countries with a number of sitelinks",
    kind="category",
    topic="geography",
    summary="Sovereign states whose number of sitelinks is known.",
    text="""\
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX wikibase: <http://wikiba.se/ontology#>
SELECT DISTINCT ?item WHERE { ?item wdt:P31 wd:Q3624078 ; wikibase:sitelinks ?sitelinks }
ORDER BY ?item
""",
    about=190,
)
_LANGUAGES = 200  # in which Wikidata names countries, at least
_NAMED = 50  # items, as many as one request asks for


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

    asked = {name: queries[query] for name, query in _ASKED.items()} | {"numbers of sitelinks": _SITELINKS}
    for name, query in {**asked, "languages": None}.items():
        begun = time.monotonic()
        try:
            found, failed = languages() if query is None else len(source.answer(query).rows), None
        except SourceError as error:
            found, failed = 0, error
        about = _LANGUAGES if query is None else query.about or 0
        yield Ability(name, found, about, round(time.monotonic() - begun, 2), failed)
