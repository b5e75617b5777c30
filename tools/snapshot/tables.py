"""The hand-kept tables that join CLDR's codes to Wikidata's ids."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Territory:
    """A country or another territory with a CLDR code of its own."""

    code: str
    qid: str
    kind: str
    continents: tuple[str, ...]
    capital: str
    """CLDR time zone whose exemplar city is the capital, or nothing."""
    name: str


@dataclass(frozen=True)
class City:
    """An exemplar city of a CLDR time zone."""

    zone: str
    qid: str
    name: str


@dataclass(frozen=True)
class Language:
    """A language; ``wikimedia`` is its Wikimedia language code where it has one."""

    code: str
    qid: str
    wikimedia: str
    name: str


@dataclass(frozen=True)
class Coded:
    """A currency or a script."""

    code: str
    qid: str
    name: str


@dataclass(frozen=True)
class Kinded:
    """A region of the world, a month or a weekday."""

    kind: str
    code: str
    qid: str
    name: str


@dataclass(frozen=True)
class Locale:
    """A CLDR locale and the language tag under which Wikidata would keep its names."""

    locale: str
    tag: str


def read(name: str) -> list[dict[str, str]]:
    """Read one table: a header row, tab-separated, no quoting."""
    lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    header = lines[0].split("\t")
    return [dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:]]


def territories() -> list[Territory]:
    """Every territory of the table."""
    return [
        Territory(
            code=row["code"],
            qid=row["qid"],
            kind=row["kind"],
            continents=tuple(row["continents"].split()),
            capital=row["capital"],
            name=row["name"],
        )
        for row in read("territories")
    ]


def cities() -> list[City]:
    """Every city of the table."""
    return [City(**row) for row in read("cities")]


def languages() -> list[Language]:
    """Every language of the table."""
    return [Language(**row) for row in read("languages")]


def coded(name: str) -> list[Coded]:
    """The rows of ``currencies`` or ``scripts``."""
    return [Coded(**row) for row in read(name)]


def kinded(name: str) -> list[Kinded]:
    """The rows of ``regions`` or ``calendar``."""
    return [Kinded(**row) for row in read(name)]


def locales() -> list[Locale]:
    """The locales whose names go into the snapshot."""
    return [Locale(**row) for row in read("locales")]
