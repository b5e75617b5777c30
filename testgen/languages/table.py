"""The table of languages: code, name, scripts and other spellings of each; and the names of the scripts."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import regex

_FOLDER = Path(__file__).parent
NEUTRAL = "mul"
"""The code of labels that are the same in many languages."""

# CLDR names writing systems; characters belong to Unicode scripts.
_UNICODE_SCRIPTS = {
    "Hans": ("Han",),
    "Hant": ("Han",),
    "Hani": ("Han",),
    "Jpan": ("Han", "Hiragana", "Katakana"),
    "Kore": ("Hangul", "Han"),
}
_RIGHT_TO_LEFT = frozenset(
    {
        *("Adlm", "Arab", "Aran", "Armi", "Avst", "Hebr", "Mand", "Nkoo", "Phli", "Phlp", "Phnx", "Rohg"),
        *("Samr", "Syrc", "Thaa", "Yezi"),
    }
)
# In these, words stand side by side without a space.
_WITHOUT_SPACES = frozenset(
    {*("Hani", "Hans", "Hant", "Jpan", "Khmr", "Lana", "Laoo", "Mymr", "Tale", "Talu", "Thai", "Tibt")}
)
_SCRIPT_LENGTH = 4
# Language, script, region, variants; of the private ones not those of Wikidata's lexemes (mis-x-q36790).
_TAG = regex.compile(r"[a-z]{2,3}(-[a-z]{4})?(-[a-z]{2}|-[0-9]{3})?(-[a-z0-9]{5,8}|-[0-9][a-z0-9]{3})*")
_PRIVATE = regex.compile(r"mis-x(?!-q[0-9])(-[a-z0-9]{1,8})+")


@dataclass(frozen=True)
class Language:
    """A language in which Wikidata has labels."""

    code: str  # the code of Wikidata's API, as in `"labels": {"sr-el": …}`
    name: str  # its English name
    scripts: tuple[str, ...]  # ISO 15924 codes of the scripts in which it is written, the usual one first
    tags: tuple[str, ...] = ()  # its spellings in RDF where they differ from the code, the usual one first
    replaced_by: str | None = None  # for a retired code, the code that replaces it
    iso639_3: str | None = None  # its three-letter code of ISO 639-3, where this differs from the code
    also: tuple[str, ...] = ()  # its name in itself, other English names, its code of ISO 639-2/B

    @property
    def tag(self) -> str:
        """Its usual spelling in RDF and HTML (BCP 47)."""
        return self.tags[0] if self.tags else self.code

    @property
    def whole(self) -> str:
        """The code of the language of which this is a variant: `kk` of `kk-cyrl`; else its own code."""
        base = self.code.partition("-")[0]
        known = languages().get(base)
        return base if known is not None and known.replaced_by is None else self.code

    @property
    def right_to_left(self) -> bool:
        """Whether its usual script is written from right to left."""
        return self.scripts[:1] != () and self.scripts[0] in _RIGHT_TO_LEFT


class _Languages(dict[str, Language]):
    """The languages of Wikidata by code; `languages()[code]` also gives any other that `is_registered`."""

    def __missing__(self, code: str) -> Language:
        if not is_registered(code):
            raise KeyError(code)
        base, *subtags = code.split("-")
        whole = self.get(base)
        name = whole.name if whole else _registry().get(base)
        scripts = tuple(each.title() for each in subtags if len(each) == _SCRIPT_LENGTH and each.isalpha())
        return Language(
            code,
            f"{name} ({'-'.join(subtags)})" if name and subtags else name or code,
            scripts or (whole.scripts if whole else ()),
        )


@cache
def languages() -> dict[str, Language]:
    """All languages in which Wikidata has names, by code, retired ones too; others if `is_registered`."""
    return _Languages(
        (
            row["code"],
            Language(
                row["code"],
                row["name"],
                tuple(row["scripts"].split()),
                tuple(row["tags"].split()),
                row["replaced_by"] or None,
                row["iso639_3"] or None,
                tuple(filter(None, row["also"].split("; "))),
            ),
        )
        for row in rows_of(_FOLDER / "languages.tsv")
    )


@lru_cache(maxsize=50_000)
def is_registered(tag: str) -> bool:
    """Whether a tag in lower case is one of BCP 47 with a registered language, or private (`mis-x-…`)."""
    if _PRIVATE.fullmatch(tag):
        return True
    base = tag.partition("-")[0]
    return (
        _TAG.fullmatch(tag) is not None and base != NEUTRAL and (base in languages() or base in _registry())
    )


@cache
def _registry() -> dict[str, str]:
    return {row["code"]: row["name"] for row in rows_of(_FOLDER / "registry.tsv")}


@cache
def script_names() -> dict[str, str]:
    """The English names of all scripts of languages, by their ISO 15924 codes."""
    return {row["code"]: row["name"] for row in rows_of(_FOLDER / "scripts.tsv")}


@cache
def without_spaces() -> frozenset[str]:
    """The codes of languages whose usual script does not divide words: a name in Thai may be a phrase."""
    return frozenset(
        code for code, each in languages().items() if not _WITHOUT_SPACES.isdisjoint(each.scripts[:1])
    )


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table that ships with testgen."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def written_in_script_of(text: str, code: str) -> bool:
    """Whether all letters of a text belong to scripts of a language; False if its scripts are not known."""
    return _is_written_in(text, languages()[code].scripts)


def in_other_script(text: str, code: str) -> bool:
    """Whether a text has letters, and none is in a (known) script of the language: X射线 is Chinese."""
    return _is_in_other_script(text, languages()[code].scripts)


@lru_cache(maxsize=50_000)
def _is_in_other_script(text: str, scripts: tuple[str, ...]) -> bool:
    if not scripts or _own_letters(scripts).search(text):
        return False
    return _foreign_letters(scripts).search(text) is not None


@lru_cache(maxsize=50_000)  # the same names are checked for hundreds of languages that share a script
def _is_written_in(text: str, scripts: tuple[str, ...]) -> bool:
    return bool(text and scripts) and not _foreign_letters(scripts).search(text)


@cache
def _foreign_letters(scripts: tuple[str, ...]) -> regex.Pattern[str]:
    return regex.compile(
        rf"(?V1)[\p{{L}}--[{_unicode_scripts(scripts)}\p{{Script=Common}}\p{{Script=Inherited}}]]"
    )


@cache
def _own_letters(scripts: tuple[str, ...]) -> regex.Pattern[str]:
    return regex.compile(rf"(?V1)[\p{{L}}&&[{_unicode_scripts(scripts)}]]")


def _unicode_scripts(scripts: tuple[str, ...]) -> str:
    names = [name for script in scripts for name in _UNICODE_SCRIPTS.get(script, (script,))]
    return "".join(rf"\p{{Script={name}}}" for name in names)
