"""Language codes: which exist, how different places spell them, which scripts they are written in."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import regex

from testgen.errors import LanguageError

NEUTRAL = "mul"
"""The code of labels that are the same in many languages."""

_WELL_FORMED = regex.compile(r"[a-z]{2,}(-[a-z0-9]{1,12})*")
# CLDR names writing systems; characters belong to Unicode scripts.
_UNICODE_SCRIPTS = {
    "Hans": ("Han",),
    "Hant": ("Han",),
    "Hani": ("Han",),
    "Jpan": ("Han", "Hiragana", "Katakana"),
    "Kore": ("Hangul", "Han"),
}
_RIGHT_TO_LEFT = frozenset(
    {"Adlm", "Arab", "Aran", "Armi", "Hebr", "Mand", "Nkoo", "Phnx", "Rohg", "Samr", "Syrc", "Thaa", "Yezi"}
)


@dataclass(frozen=True)
class Language:
    """A language in which Wikidata keeps labels.

    Attributes:
        code: The code of Wikidata's API, as in `"labels": {"sr-el": …}`.
        name: Its English name.
        scripts: ISO 15924 codes of the scripts it is written in, the usual one first.
        tags: Its spellings in RDF where they differ from the code, the usual one first.
        replaced_by: For a retired code, the one that took its place.
    """

    code: str
    name: str
    scripts: tuple[str, ...]
    tags: tuple[str, ...] = ()
    replaced_by: str | None = None

    @property
    def tag(self) -> str:
        """Its usual spelling in RDF and HTML (BCP 47)."""
        return self.tags[0] if self.tags else self.code

    @property
    def right_to_left(self) -> bool:
        """Whether its usual script is written from right to left."""
        return self.scripts[:1] != () and self.scripts[0] in _RIGHT_TO_LEFT


@cache
def languages() -> dict[str, Language]:
    """All languages by code, retired codes included."""
    with (Path(__file__).parent / "languages.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {
            row["code"]: Language(
                row["code"],
                row["name"],
                tuple(row["scripts"].split()),
                tuple(row["tags"].split()),
                row["replaced_by"] or None,
            )
            for row in rows
        }


@cache
def _code_of_spelling() -> dict[str, str]:
    """Every accepted spelling: codes, retired codes and RDF tags."""
    spellings: dict[str, str] = {}
    for language in languages().values():
        for tag in language.tags:
            spellings[tag] = language.code
    for language in languages().values():
        spellings[language.code] = language.replaced_by or language.code
    return spellings


def from_tag(tag: str) -> str | None:
    """The code for a language tag found in RDF; None for a tag that is not a language's (`und`, `zxx`)."""
    return _code_of_spelling().get(tag.lower())


def canonical(code: str) -> str:
    """The code in use for any accepted spelling: `no` → `nb`, `zh-classical` → `lzh`, `sr-latn` → `sr-el`.

    Raises:
        LanguageError: The code is malformed or unknown; the message names the nearest ones.
    """
    spelling = code.strip().lower().replace("_", "-")
    if not _WELL_FORMED.fullmatch(spelling):
        raise LanguageError(
            f"{code!r} is not a language code. Codes look like 'la', 'grc' or 'zh-hant'; "
            "`testgen languages` lists them."
        )
    found = _code_of_spelling().get(spelling)
    if found is None:
        raise LanguageError(
            f"unknown language code {code!r}.{_suggestion(spelling)} `testgen languages` lists the codes."
        )
    if found == NEUTRAL:
        raise LanguageError(
            "'mul' is not a language: it marks names that many languages share, and they are used for "
            "each language that lacks a name of its own."
        )
    return found


def whole_languages(codes: Iterable[str]) -> list[str]:
    """Codes, their other spellings, and the codes of the whole languages that they are variants of.

    A word in British English (`en-gb`) belongs to a lexeme of English, one in `sr-el` to a lexeme of Serbian.

    Args:
        codes: Codes in use.
    """
    found = set(codes)
    found |= {language.code for language in languages().values() if language.replaced_by in found}
    found |= {tag for code in found for tag in languages()[code].tags}
    return sorted(found | {code.partition("-")[0] for code in found})


def stand_in_map(given: Iterable[str] = ()) -> dict[str, str]:
    """Languages whose things are named in another one: those of `stand_ins.tsv`, and those given.

    Args:
        given: Pairs such as `non=is`; they go before the file's.

    Raises:
        LanguageError: A pair is malformed, or a code in it unknown.
    """
    text = (Path(__file__).parent / "stand_ins.tsv").read_text(encoding="utf-8")
    found = {line.split("\t")[0]: line.split("\t")[1] for line in text.splitlines()[1:]}
    for pair in given:
        code, equals, other = pair.partition("=")
        if not equals:
            raise LanguageError(f"{pair!r}: a stand-in looks like non=is (Old Norse, named in Icelandic)")
        found[canonical(code)] = canonical(other)
    return found


def _suggestion(spelling: str) -> str:
    """Codes that look alike, and languages whose English name begins like what was typed."""
    near = difflib.get_close_matches(spelling, _code_of_spelling(), n=3, cutoff=0.6)
    by_name = [
        language.code
        for language in languages().values()
        if language.name.lower().startswith(spelling) and language.replaced_by is None
    ]
    found = list(dict.fromkeys([*by_name[:3], *(_code_of_spelling()[tag] for tag in near)]))
    if not found:
        return ""
    return " Did you mean " + ", ".join(f"{c} ({languages()[c].name})" for c in found[:4]) + "?"


@cache
def _foreign_letters(scripts: tuple[str, ...]) -> regex.Pattern[str]:
    """What matches a letter outside the scripts."""
    names = [name for script in scripts for name in _UNICODE_SCRIPTS.get(script, (script,))]
    own = "".join(rf"\p{{Script={name}}}" for name in names)
    return regex.compile(rf"(?V1)[\p{{L}}--[{own}\p{{Script=Common}}\p{{Script=Inherited}}]]")


def written_in_script_of(text: str, code: str) -> bool:
    """Whether all letters of the text belong to scripts of the language; False if those are not known."""
    return _written_in(text, languages()[code].scripts)


@lru_cache(maxsize=50_000)  # asked of the same names in hundreds of languages that share a script
def _written_in(text: str, scripts: tuple[str, ...]) -> bool:
    return bool(text and scripts) and not _foreign_letters(scripts).search(text)
