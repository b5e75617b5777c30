"""Where a wrong word can be corrected: at its source."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import metadata
from typing import NamedTuple

from testgen.languages.codes import languages
from testgen.sources import Provenance
from testgen.sources.opening import WIKIDATA

_ITEMS = "https://www.wikidata.org/wiki/ITEM"
_SURVEY = "https://st.unicode.org/cldr-apps/v#/{locale}//"
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
    return WIKIDATA in (part.kind, part.name)


def _place(part: Provenance, code: str) -> Place:
    if part.name.startswith("cldr"):
        language, *more = languages()[code].tag.split("-")
        cased = (each.title() if len(each) == 4 else each.upper() for each in more)
        locale = "_".join((language, *cased))
        return Place(part.name, "Correct it in CLDR’s survey tool", _SURVEY.format(locale=locale))
    if _is_wikidata(part):
        return Place(
            part.name, "Correct the name of the item on Wikidata", "https://www.wikidata.org/", _ITEMS
        )
    if part.name.startswith("historical"):
        address = issues_address()
        what = "with language, item and word"
        advice = f"Tell the project, {what}" if address else f"Tell those from whom you have testgen, {what}"
        return Place(part.name, advice, address)
    return Place(part.name, "Correct it in the file from which this snapshot was made")


def issues_address() -> str:
    """Where the project takes reports of errors, as its metadata say; empty if they do not."""
    for line in metadata("testgen-evaluator").get_all("Project-URL") or ():
        label, _, address = line.partition(", ")
        if label.strip().lower() in _ISSUES:
            return str(address.strip())
    return ""
