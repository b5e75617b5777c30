"""The names that CLDR has for each language, read from its JSON packages.

CLDR takes a missing name from the parent locale, in the end from `und`, whose names are codes or English.
Here a name counts only if it is the language's own. In the JSON most files already have their parents' names,
so a name that is the same in the parent of another language or script is left out.
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from snapshot import packages
from snapshot.spellout import NUMBERS, spelled_out

RELEASED = {"48.2.0": date(2026, 3, 25)}
"""Days on which the versions of the packages were published."""

ROOT = "und"
ENGLISH = "en"

with (Path(__file__).parent / "wrong.tsv").open(encoding="utf-8", newline="") as table:
    WRONG = {
        (row["section"], row["locale"], row["code"])
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
    }
"""Names that are left out, by section, locale and code; the table says what is wrong with each."""

COPIED = {"kl": "da"}
"""Locales whose names are in part another language's: 79% of Greenlandic's emoji names are Danish."""

LISTS = {"months", "days", "numbers"}
"""Sections that a language states as a whole: Nynorsk has its own "søndag", so its "fredag" counts too."""

INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200e\u200f\ufeff"))
"""Hints for line breaks and marks of direction, which are no part of a name."""

Names = Mapping[str, str]
"""Names by code."""

Content = dict[str, Any]
"""What a JSON file of a locale says."""


def released() -> date:
    """The day on which the version in `packages.tsv` was published.

    Raises:
        SystemExit: The version is not known here.
    """
    if packages.version() not in RELEASED:
        raise SystemExit(
            f"packages.tsv asks for CLDR {packages.version()}: add its date to {__file__}, review the tables"
        )
    return RELEASED[packages.version()]


@cache
def supplemental(name: str) -> dict[str, Any]:
    """A file of CLDR's data that belong to no language."""
    found: dict[str, Any] = packages.document("cldr-core", f"{name}.json")["supplemental"]
    return found


def parent(locale: str) -> str:
    """The locale that this one inherits from."""
    stated = supplemental("parentLocales")["parentLocales"]["parentLocale"]
    return str(stated.get(locale) or locale.rpartition("-")[0] or ROOT)


def language(locale: str) -> str:
    """The language of a locale."""
    return locale.split("-", maxsplit=1)[0]


def chain(locale: str) -> list[str]:
    """A locale and those that it inherits from in the same language and script, and the first that is not."""
    found = [locale]
    while language(found[-1]) == language(locale):
        found.append(parent(found[-1]))
    return found


def names(locale: str, section: str) -> Names:
    """A language's own names of a section (a key of `SECTIONS`), by code."""
    *own, foreign = chain(locale)
    known = _section(section)
    here = next((known[name] for name in own if name in known), {})
    there = known.get(foreign, {}) if language(locale) != ENGLISH else {}
    found = {code: name for code, name in here.items() if name != there.get(code)}
    return here if found and foreign != ROOT and section in LISTS else found


def city_names(locale: str, zones: list[str]) -> Names:
    """Example cities by time zone.

    Where CLDR has none, it uses the end of the zone's id, which is English. So only English gets that name.
    """
    named = names(locale, "cities")
    if language(locale) == ENGLISH:
        named = {**{zone: zone.rsplit("/", 1)[-1].replace("_", " ") for zone in zones}, **named}
    return {zone: named[zone] for zone in zones if zone in named}


def emoji_names(locale: str) -> Names:
    """Names of emoji as they are read aloud, by emoji."""
    *own, foreign = chain(locale)
    named: dict[str, str] = {}
    for section in ("annotations", "annotationsDerived"):
        known = _section(section)
        other = known.get(COPIED.get(locale, foreign), {})
        merged = {code: name for each in reversed(own) for code, name in known.get(each, {}).items()}
        named |= {code: name for code, name in merged.items() if name != other.get(code)}
    return named


@cache
def _section(section: str) -> dict[str, Names]:
    """The names of a section in all locales."""
    package, file_name, reader = SECTIONS[section]
    found = {}
    for locale, content in packages.documents(f"cldr-{package}", f"{file_name}.json"):
        data = content["main"][locale] if "main" in content else content
        named = {code: clean(name) for code, name in reader(data).items()}
        found[locale] = {
            code: name
            for code, name in named.items()
            if any(map(str.isalpha, name)) and (section, locale, code) not in WRONG
        }
    return found


def clean(name: str) -> str:
    """A name in Unicode's composed form, without spaces around it and without invisible marks."""
    return unicodedata.normalize("NFC", name).translate(INVISIBLE).strip()


def _display(kind: str) -> Callable[[Content], Names]:
    return lambda data: _plain(data["localeDisplayNames"][kind])


def _plain(named: Names) -> Names:
    """Without the short forms and variants."""
    return {code: name for code, name in named.items() if "-alt-" not in code}


def _currencies(data: Content) -> Names:
    kinds = data["numbers"]["currencies"]
    return {code: named["displayName"] for code, named in kinds.items() if "displayName" in named}


def _calendar(part: str) -> Callable[[Content], Names]:
    """Full names in the Gregorian calendar, in the form they have outside of dates."""
    return lambda data: _plain(data["dates"]["calendars"]["gregorian"][part]["stand-alone"]["wide"])


def _fields(data: Content) -> Names:
    """Names of the parts of a date ("week"), by the codes that they have as units."""
    fields = data["dates"]["fields"]
    return {f"duration-{name}": said["displayName"] for name, said in fields.items() if "displayName" in said}


def _characters(data: Content) -> Names:
    """Headings of lists of symbols, such as "animal"; in some languages they are in the plural."""
    return dict(data["characterLabels"])


def _cities(data: Content) -> Names:
    found: dict[str, str] = {}
    _walk(data["dates"]["timeZoneNames"].get("zone", {}), "", found)
    return found


def _walk(zones: Mapping[str, Any], above: str, found: dict[str, str]) -> None:
    for name, content in zones.items():
        if "exemplarCity" in content:
            found[above + name] = content["exemplarCity"]
        elif isinstance(content, Mapping):
            _walk(content, f"{above}{name}/", found)


def _units(data: Content) -> Names:
    """Names of one of each unit: 'hour', not 'hours'.

    Languages without a form for one have the same form for all numbers. A name that is also the unit's short
    form is a sign, if it is in letters that have capitals (the Chinese 米 is both).
    """
    long, short = data["units"]["long"], data["units"]["short"]
    number = "one" if any("unitPattern-count-one" in unit for unit in long.values()) else "other"
    key = f"unitPattern-count-{number}"
    named = {}
    for code, unit in long.items():
        name = _without_classifier(unit.get(key, "").replace("{0}", "").strip())
        sign = short.get(code, {}).get(key, "").replace("{0}", "").strip()
        if not (
            name.endswith(".") or (name == sign and name.lower() != name.upper() and len(name) < SHORTEST)
        ):
            named[code] = name
    return named


def _without_classifier(name: str) -> str:
    """The name of a unit without the word that Chinese puts between it and a number, as in 个世纪."""
    return name[1:] if name[1:] and name[0] in "个個" else name


SHORTEST = 4
"""A unit's name with as many letters may be the same as its short form ('jour', 'dia')."""


def _numbers(data: Content) -> Names:
    rules = data["rbnf"]["rbnf"].get("SpelloutRules", {})
    return {str(number): spelled_out(number, rules) for number in NUMBERS}


def _annotations(kind: str) -> Callable[[Content], Names]:
    def read(data: Content) -> Names:
        return {
            code: said["tts"][0] for code, said in data[kind].get("annotations", {}).items() if "tts" in said
        }

    return read


SECTIONS: dict[str, tuple[str, str, Callable[[Content], Names]]] = {
    "territories": ("localenames-full", "territories", _display("territories")),
    "languages": ("localenames-full", "languages", _display("languages")),
    "scripts": ("localenames-full", "scripts", _display("scripts")),
    "currencies": ("numbers-full", "currencies", _currencies),
    "months": ("dates-full", "ca-gregorian", _calendar("months")),
    "days": ("dates-full", "ca-gregorian", _calendar("days")),
    "fields": ("dates-full", "dateFields", _fields),
    "cities": ("dates-full", "timeZoneNames", _cities),
    "numbers": ("rbnf", "rbnf/*", _numbers),
    "units": ("units-full", "units", _units),
    "characters": ("misc-full", "characterLabels", _characters),
    "annotations": ("annotations-full", "annotations", _annotations("annotations")),
    "annotationsDerived": (
        "annotations-derived-full",
        "annotations",
        _annotations("annotationsDerived"),
    ),
}
"""For each section: package, file, and what reads the names in it."""


def official_languages(territory: str) -> list[str]:
    """Codes of the official languages of a country, also if only de facto; without scripts."""
    spoken = supplemental("territoryInfo")["territoryInfo"][territory].get("languagePopulation", {})
    share = {
        code: float(said["_populationPercent"])
        for code, said in spoken.items()
        if said.get("_officialStatus") in {"official", "de_facto_official"}
    }
    return list(dict.fromkeys(code.split("_")[0] for code in sorted(share, key=lambda code: -share[code])))


def currencies(territory: str) -> list[str]:
    """Codes of the currencies that were legal tender on the day of the release."""
    today = released().isoformat()
    stated = supplemental("currencyData")["currencyData"]["region"].get(territory, [])
    return [
        code
        for entry in stated
        for code, said in entry.items()
        if said.get("_from", "") <= today <= said.get("_to", today) and said.get("_tender") != "false"
    ]


def members(group: str) -> list[str]:
    """Codes of the territories that are members of EU or UN."""
    containment = supplemental("territoryContainment")["territoryContainment"]
    return [str(code) for code in containment[group]["_contains"]]


def scripts(code: str) -> list[str]:
    """Codes of the scripts in which a language is mostly written today."""
    return [
        str(script)
        for script in supplemental("languageData")["languageData"].get(code, {}).get("_scripts", [])
    ]
