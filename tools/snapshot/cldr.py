"""The names that CLDR has for each language, read from the Babel package.

Babel takes a missing name from the parent locale, in the end from `root`, whose names are codes or English.
Here a name counts only if CLDR has it for the language itself. So each locale is read without its parents,
and parents are followed only within the same language and script.

Babel caches a loaded locale by its name only, whether merged with its parents or not: nothing in this process
may ask Babel for a merged locale.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import date
from typing import Any

from babel.core import get_cldr_version, get_global
from babel.languages import get_official_languages
from babel.localedata import load
from babel.numbers import get_territory_currencies

RELEASED = {"47": date(2025, 3, 13)}
"""Release dates of the CLDR versions from which the snapshot was built."""


def version() -> str:
    """The CLDR version in the installed Babel."""
    return str(get_cldr_version())


def released() -> date:
    """The day on which that version was released.

    Raises:
        SystemExit: The version is not known here.
    """
    if version() not in RELEASED:
        raise SystemExit(
            f"Babel contains CLDR {version()}: add its release date to {__file__}, and review the tables"
        )
    return RELEASED[version()]


def parent(locale: str) -> str | None:
    """The locale that this one inherits from, if that is the same language in the same script."""
    above = get_global("parent_exceptions").get(locale) or "_".join(locale.split("_")[:-1])
    if above.split("_")[0] != locale.split("_", maxsplit=1)[0] or _other_script(locale):
        return None
    return str(above)


def _other_script(locale: str) -> bool:
    """Whether the locale is a language in another script than its usual one."""
    language, *rest = locale.split("_")
    if len(rest) != 1 or len(rest[0]) != 4 or not rest[0].isalpha():
        return False
    return rest[0] not in get_global("likely_subtags").get(language, "").split("_")


def chain(locale: str) -> list[str]:
    """A locale, its parent, the parent of that, and so on."""
    found = [locale]
    while above := parent(found[-1]):
        found.append(above)
    return found


def stated(locale: str, *path: str) -> dict[Any, Any]:
    """A section of a locale's data, with what its parents in the same language add."""
    merged: dict[Any, Any] = {}
    for name in reversed(chain(locale)):
        section: Any = load(name, merge_inherited=False)
        for key in path:
            section = section.get(key, {}) if isinstance(section, Mapping) else {}
        # An alias (to another width of the same name) is not a mapping and is not followed.
        merged.update(section if isinstance(section, Mapping) else {})
    return merged


def clean(name: object, code: str) -> str | None:
    """A name as Wikidata would have it; None if it is not a name."""
    if not isinstance(name, str):
        return None
    text = unicodedata.normalize("NFC", name).strip()
    return text if text != code and any(char.isalpha() for char in text) else None


def names(locale: str, section: str) -> dict[str, str]:
    """Display names by code, of `territories`, `languages`, `scripts` or `currency_names`.

    A name that is the code itself stands for a missing name, unless English has it too: the code of the Thai
    script is its name.
    """
    english = stated("en", section)
    named = stated(locale, section)
    found = {code: clean(name, "" if english.get(code) == code else code) for code, name in named.items()}
    return {code: name for code, name in found.items() if name}


def city_names(locale: str, zones: list[str]) -> dict[str, str]:
    """Exemplar cities by time zone.

    Where CLDR has none, it uses the end of the zone's id, which is English. So only English gets that name,
    and the few that `root` corrects.
    """
    named = stated(locale, "time_zones")
    if locale.split("_", maxsplit=1)[0] == "en":
        named = {**_english_cities(zones), **_having_city(named)}
    found = {zone: clean(named.get(zone, {}).get("city"), zone) for zone in zones}
    return {zone: name for zone, name in found.items() if name}


def _english_cities(zones: list[str]) -> dict[str, dict[str, str]]:
    from_id = {zone: {"city": zone.rsplit("/", 1)[-1].replace("_", " ")} for zone in zones}
    root = load("root", merge_inherited=False)["time_zones"]
    return {**from_id, **_having_city(root)}


def _having_city(zones: Mapping[str, Any]) -> dict[str, Any]:
    return {zone: names for zone, names in zones.items() if "city" in names}


def calendar_names(locale: str, section: str) -> dict[str, str]:
    """Full names of the Gregorian `months` or `days`, as used outside of dates.

    CLDR leaves these out where they are the same as in dates.
    """
    numbered = stated(locale, section, "format", "wide")
    numbered.update(stated(locale, section, "stand-alone", "wide"))
    root = load("root", merge_inherited=False)[section]["format"]["wide"]
    found = {str(number): clean(name, root[number]) for number, name in numbered.items()}
    return {number: name for number, name in found.items() if name}


def official_languages(territory: str) -> list[str]:
    """Codes of the official languages of a country, also if only de facto; without scripts."""
    codes = get_official_languages(territory, de_facto=True)
    return list(dict.fromkeys(code.split("_")[0] for code in codes))


def currencies(territory: str) -> list[str]:
    """Codes of the currencies that were legal tender on the day of the release."""
    return list(get_territory_currencies(territory, released(), tender=True))


def zone_territory(zone: str) -> str:
    """The code of the territory of a time zone."""
    canonical = get_global("zone_aliases").get(zone, zone)
    territories = get_global("zone_territories")
    return str(territories.get(zone) or territories.get(canonical) or "")
