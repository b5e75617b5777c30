"""From tables and CLDR to items in Wikidata's shape."""

from __future__ import annotations

from dataclasses import dataclass, field

from snapshot import cldr, tables

CLASSES = {
    "state": ("Q3624078", "Q6256"),  # sovereign state, country
    "limited": ("Q15634554", "Q6256"),  # state with limited recognition, country
    "associated": ("Q1138279", "Q6256"),  # associated state, country
    "dependent": ("Q161243",),  # dependent territory
    "special": ("Q779415",),  # special administrative region of China
    "department": ("Q202216",),  # overseas department and region of France
    "area": ("Q82794",),  # geographic region
    "continent": ("Q5107",),
    "subregion": ("Q82794",),  # geographic region
    "capital": ("Q5119", "Q515"),  # capital, city
    "city": ("Q515",),
    "language": ("Q34770",),
    "currency": ("Q8142",),
    "script": ("Q8192",),  # writing system
    "month": ("Q47018901",),  # calendar month
    "weekday": ("Q41825",),  # day of the week
}
"""What ``P31`` says of each kind of thing."""

STATES = ("state", "limited")


@dataclass
class Item:
    """One thing: its id, what CLDR calls it, its statements and its labels by language tag."""

    qid: str
    kind: str
    section: str
    code: str
    statements: dict[str, list[str]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)


def build(locales: list[tables.Locale]) -> list[Item]:
    """Every item with at least one label, sorted by id."""
    items = [*_territories(), *_cities(), *_languages(), *_others()]
    for item in items:
        item.statements["P31"] = [f"wd:{qid}" for qid in CLASSES[item.kind]]
    for locale in locales:
        _label(items, locale)
    return sorted((item for item in items if item.labels), key=lambda item: int(item.qid[1:]))


def _territories() -> list[Item]:
    languages = {row.code: row.qid for row in tables.languages()}
    currencies = {row.code: row.qid for row in tables.coded("currencies")}
    cities = {row.zone: row.qid for row in tables.cities()}
    items = []
    for row in tables.territories():
        item = Item(row.qid, row.kind, "territories", row.code)
        _state(item, "P30", list(row.continents))
        if row.kind in STATES:
            _state(item, "P36", [cities[row.capital]] if row.capital else [])
            _state(item, "P37", _known(cldr.official_languages(row.code), languages))
            _state(item, "P38", _known(cldr.currencies(row.code), currencies))
        items.append(item)
    return items


def _known(codes: list[str], ids: dict[str, str]) -> list[str]:
    return [ids[code] for code in codes if code in ids]


def _state(item: Item, prop: str, qids: list[str]) -> None:
    if qids:
        item.statements[prop] = [f"wd:{qid}" for qid in qids]


def _cities() -> list[Item]:
    states = {row.code: row.qid for row in tables.territories() if row.kind in STATES}
    capitals = {row.capital for row in tables.territories()}
    items = []
    for row in tables.cities():
        kind = "capital" if row.zone in capitals else "city"
        item = Item(row.qid, kind, "time_zones", row.zone)
        _state(item, "P17", _known([cldr.zone_territory(row.zone)], states))
        items.append(item)
    return items


def _languages() -> list[Item]:
    items = []
    for row in tables.languages():
        item = Item(row.qid, "language", "languages", row.code)
        if row.wikimedia:
            item.statements["P424"] = [f'"{row.wikimedia}"']
        items.append(item)
    return items


def _others() -> list[Item]:
    sections = {"month": "months", "weekday": "days"}
    return [
        *(Item(r.qid, "currency", "currency_names", r.code) for r in tables.coded("currencies")),
        *(Item(r.qid, "script", "scripts", r.code) for r in tables.coded("scripts")),
        *(Item(r.qid, r.kind, "territories", r.code) for r in tables.kinded("regions")),
        *(Item(r.qid, r.kind, sections[r.kind], r.code) for r in tables.kinded("calendar")),
    ]


def _label(items: list[Item], locale: tables.Locale) -> None:
    """Give the items their names in one language."""
    named = {
        section: cldr.names(locale.locale, section)
        for section in ("territories", "languages", "scripts", "currency_names")
    }
    for section in ("months", "days"):
        named[section] = cldr.calendar_names(locale.locale, section)
    zones = [item.code for item in items if item.section == "time_zones"]
    named["time_zones"] = cldr.city_names(locale.locale, zones)
    for item in items:
        if name := named[item.section].get(item.code):
            item.labels[locale.tag] = name
