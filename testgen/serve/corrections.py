"""Where a wrong word can be corrected: at its source."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from importlib.metadata import metadata
from importlib.resources import files
from typing import NamedTuple

from testgen.languages.codes import languages
from testgen.sources import Provenance
from testgen.sources.opening import WIKIDATA

_ISSUES = ("issues", "issue tracker", "bug tracker", "tracker")  # labels of addresses of a project


class Place(NamedTuple):
    """A source of words in a language, and what to do there; an address is empty if there is none."""

    source: str
    advice: str
    address: str = ""
    items: str = ""  # the address of an item, with ITEM for its id


def places(origin: Provenance, code: str) -> Iterator[Place]:
    """Where the words of a language are from: of several snapshots, those that have names in it."""
    known = {code, *languages()[code].variants, *languages()[code].fallbacks}
    for part in origin.parts or (origin,):
        if part.languages is None or not known.isdisjoint(part.languages):
            yield _place(part, code)


def are_on_wikidata(origin: Provenance) -> bool:
    """Whether all words are names of items on Wikidata, where each can be corrected."""
    return all(map(_is_wikidata, origin.parts or (origin,)))


def _is_wikidata(part: Provenance) -> bool:
    return _rule(part).source == WIKIDATA


class _Rule(NamedTuple):
    """A row of `word_sources.tsv`, of which the reports of evaluator have a copy.

    A pattern of names or kinds of sources; what to do there; its address, or `ISSUES` for that of the
    project; the address of an item; and what to do if the project has no address.
    """

    source: str
    advice: str
    address: str
    item: str
    otherwise: str


@cache
def _rules() -> list[_Rule]:
    _, *rows = (files(__package__) / "word_sources.tsv").read_text(encoding="utf-8").splitlines()
    return [_Rule(*row.split("\t")) for row in rows]


def _rule(part: Provenance) -> _Rule:
    """The first one that fits."""
    own = (part.kind, part.name)
    return next(each for each in _rules() if any(fnmatchcase(text, each.source) for text in own))


def _place(part: Provenance, code: str) -> Place:
    rule = _rule(part)
    address = issues_address() if rule.address == "ISSUES" else rule.address
    language, *more = languages()[code].tag.split("-")
    locale = "_".join((language, *(each.title() if len(each) == 4 else each.upper() for each in more)))
    advice = rule.advice if address or not rule.otherwise else rule.otherwise
    return Place(part.name, advice, address.replace("LOCALE", locale), rule.item)


def issues_address() -> str:
    """Where the project takes reports of errors, as its metadata say; empty if they do not."""
    for line in metadata("testgen-evaluator").get_all("Project-URL") or ():
        label, _, address = line.partition(", ")
        if label.strip().lower() in _ISSUES:
            return str(address.strip())
    return ""
