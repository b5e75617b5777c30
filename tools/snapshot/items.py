"""Makes items like Wikidata's from CLDR and from the tables that join its codes to Wikidata's ids."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

from snapshot import cldr, emoji

Row = dict[str, str]
"""A row of a table, by the names of its columns."""

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
    "number": ("Q21199",),  # natural number
}
"""The classes (P31) of each kind of item that all items of the kind have."""

STATES = ("state", "limited")

EUROPEAN_UNION = "Q458"


@dataclass
class Item:
    """An item.

    Attributes:
        qid: Its id.
        kind: A key of `CLASSES`, or `thing`, `unit` or `class` for items whose table has their classes.
        section: The section of CLDR that has its names; none for a class without names.
        code: Its code there.
        statements: Objects in Turtle by property.
        labels: Labels by language tag.
        aliases: Other names by language tag.
    """

    qid: str
    kind: str
    section: str
    code: str
    statements: dict[str, list[str]] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, list[str]] = field(default_factory=dict)


def table(name: str) -> list[Row]:
    """The rows of a table in this folder."""
    with (Path(__file__).parent / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def build() -> list[Item]:
    """All items with at least one label, and the classes that lead from them to others, sorted by id."""
    items = [*_territories(), *_cities(), *_languages(), *_others(), *_things(), *_classes()]
    for item in items:
        _state(item, "P31", [*CLASSES.get(item.kind, ())])
    for kind in ("month", "weekday", "number"):
        _followed(items, kind)
    by_id = {item.qid: item for item in items}
    for row in table("facts"):
        _state(by_id[row["qid"]], row["property"], [row["value"]])
    for row in table("locales"):
        _label(items, row["locale"], row["tag"])
    _add_unreviewed({item.qid: item for item in items})
    items = [item for item in items if item.labels or item.kind == "class"]
    return sorted(items, key=lambda item: int(item.qid[1:]))


def _territories() -> list[Item]:
    languages = {row["code"]: row["qid"] for row in table("languages")}
    currencies = {row["code"]: row["qid"] for row in table("currencies")}
    cities = {row["zone"]: row["qid"] for row in table("cities")}
    states, neighbours = {row["code"]: row["qid"] for row in table("territories")}, _neighbours()
    items = []
    for row in table("territories"):
        item = _item(row, "territories")
        _state(item, "P31", row["classes"].split())
        _state(item, "P30", row["continents"].split())
        if item.kind in STATES:
            _state(item, "P36", [cities[row["capital"]]] if row["capital"] else [])
            _state(item, "P37", _known(cldr.official_languages(item.code), languages))
            _state(item, "P38", _known(cldr.currencies(item.code), currencies))
            _state(item, "P47", _known(neighbours[item.code], states))
            _state(item, "P463", [EUROPEAN_UNION] if item.code in cldr.members("EU") else [])
        items.append(item)
    return items


def _neighbours() -> dict[str, list[str]]:
    """The codes of the states with which each shares a border on land; the table has each pair once."""
    found: dict[str, set[str]] = {row["code"]: set() for row in table("territories")}
    for row in table("territories"):
        for other in row["borders"].split():
            found[row["code"]].add(other)
            found[other].add(row["code"])
    return {code: sorted(others) for code, others in found.items()}


def _item(row: Row, section: str, kind: str = "") -> Item:
    """The item of a row that has a code of CLDR."""
    return Item(row["qid"], kind or row["kind"], section, row["code"])


def _known(codes: list[str], ids: dict[str, str]) -> list[str]:
    return [ids[code] for code in codes if code in ids]


def _state(item: Item, prop: str, qids: list[str]) -> None:
    """Add values to those that the item has, if it has any."""
    if qids:
        item.statements.setdefault(prop, []).extend(f"wd:{qid}" for qid in qids)


def _cities() -> list[Item]:
    states = {row["code"]: row["qid"] for row in table("territories") if row["kind"] in STATES}
    capitals = {row["capital"] for row in table("territories")}
    items = []
    for row in table("cities"):
        kind = "capital" if row["zone"] in capitals else "city"
        item = Item(row["qid"], kind, "cities", row["zone"])
        _state(item, "P17", _known([row["territory"]], states))
        items.append(item)
    return items


def _languages() -> list[Item]:
    scripts = {row["code"]: row["qid"] for row in table("scripts")}
    items = []
    for row in table("languages"):
        item = _item(row, "languages", "language")
        _state(item, "P31", row["classes"].split())
        _state(item, "P282", _known(cldr.scripts(item.code), scripts))
        if row["wikimedia"]:
            item.statements["P424"] = [f'"{row["wikimedia"]}"']
        items.append(item)
    return items


def _others() -> list[Item]:
    sections = {"month": "months", "weekday": "days"}
    return [
        *(_item(row, "currencies", "currency") for row in table("currencies")),
        *(_item(row, "scripts", "script") for row in table("scripts")),
        *(_item(row, "numbers", "number") for row in table("numbers")),
        *(_item(row, "territories") for row in table("regions")),
        *(_stated(_item(row, sections[row["kind"]]), row) for row in table("calendar")),
    ]


COLUMNS = {"instance_of": "P31", "subclass_of": "P279", "rank": "P105", "parent_taxon": "P171"}
"""The properties of the columns that hold ids."""


def _things() -> list[Item]:
    """What emoji show, and units."""
    rows = {"thing": ("emoji", table("things")), "unit": ("units", table("units"))}
    return [
        _stated(_item(row, section, kind), row) for kind, (section, listed) in rows.items() for row in listed
    ]


def _classes() -> list[Item]:
    """Classes; some have a heading of CLDR's lists of symbols as their name."""
    return [_stated(Item(row["qid"], "class", "characters", row["code"]), row) for row in table("classes")]


def _stated(item: Item, row: Row) -> Item:
    for column, prop in COLUMNS.items():
        _state(item, prop, row.get(column, "").split())
    return item


def _followed(items: list[Item], kind: str) -> None:
    """State what follows what among the items of a kind: the last month is followed by the first."""
    own = [item for item in items if item.kind == kind]
    for item, following in zip(own, [*own[1:], *own[:1]], strict=True):
        if kind != "number" or int(following.code) == int(item.code) + 1:
            _state(item, "P156", [following.qid])


def _label(items: list[Item], locale: str, tag: str) -> None:
    """Give the items their names in one language."""
    sections = {item.section for item in items} - {"cities", "emoji", "units"}
    named = {section: cldr.names(locale, section) for section in sections}
    named["cities"] = cldr.city_names(locale, [item.code for item in items if item.section == "cities"])
    named["emoji"] = emoji.things(cldr.emoji_names(locale))
    named["units"] = {**cldr.names(locale, "fields"), **cldr.names(locale, "units")}
    for item in items:
        if name := named[item.section].get(item.code):
            item.labels[tag] = name


def _add_unreviewed(items: dict[str, Item]) -> None:
    """Add what CLDR 47 had in languages that the packages leave out, as nobody has reviewed them."""
    for row in table("unreviewed"):
        items[row["qid"]].labels[row["tag"]] = row["name"]
