"""Language codes in every accepted spelling, and languages in which another language's things are named."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from pathlib import Path

import regex

from testgen.errors import LanguageError
from testgen.languages.table import NEUTRAL, is_registered, languages, rows_of

_FOLDER = Path(__file__).parent
_WELL_FORMED = regex.compile(r"[a-z]{2,}(-[a-z0-9]{1,12})*")


@cache
def _code_of_tag() -> dict[str, str]:
    found = {tag: language.code for language in languages().values() for tag in language.tags}
    for language in languages().values():
        found[language.code] = language.replaced_by or language.code
    return found


@cache
def _code_of_spelling() -> dict[str, str]:
    """The code in use for everything that a user may type: tags and, where these do not use it, ISO 639-3."""
    iso = {language.iso639_3: language.code for language in languages().values() if language.iso639_3}
    return {spelling: _code_of_tag()[code] for spelling, code in iso.items()} | _code_of_tag()


@cache
def _code_of_name() -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for each in (language for language in languages().values() if not language.replaced_by):
        for name in (each.name, *each.also):
            found.setdefault(name.lower(), set()).add(each.code)
    return {name: code for name, (code, *others) in found.items() if not others}


def from_tag(tag: str) -> str | None:
    """The code for a language tag found in RDF; None if the tag is not a language's (`und`, `zxx`)."""
    lower = tag.lower()
    return _code_of_tag().get(lower) or (lower if is_registered(lower) else None)


def tags_of(codes: Set[str]) -> frozenset[str]:
    """All tags that stand for one of these codes in RDF, in lower case."""
    return frozenset(tag for tag, code in _code_of_tag().items() if code in codes) | codes


def canonical(code: str) -> str:
    """The code in use for any accepted spelling: `no` → `nb`, `lat` → `la`, `Ancient Greek` → `grc`."""
    # Codes of ISO 639-3 are accepted unless Wikidata uses the letters for another language: `als` is
    # Alemannic (now `gsw`), not Tosk Albanian.
    spelling = code.strip().lower().replace("_", "-")
    if spelling not in _code_of_spelling() and code.strip().lower() in _code_of_name():
        return _code_of_name()[code.strip().lower()]
    if not _WELL_FORMED.fullmatch(spelling):
        raise LanguageError(
            f"{code!r} is not a language code. Codes look like 'la', 'grc' or 'zh-hant'; "
            "`testgen languages` lists them."
        )
    found = _code_of_spelling().get(spelling) or from_iso639_3(spelling)
    if found is None:
        raise LanguageError(
            f"unknown language code {code!r}.{_suggestion(spelling)} `testgen languages` lists the codes."
        )
    if found == NEUTRAL:
        raise LanguageError(
            "'mul' is not a language: it marks names that many languages share. They are used for each "
            "language that has no name of its own."
        )
    return found


@cache
def _members() -> dict[str, str]:
    """The languages that Wikidata names by the code of their group, a macrolanguage of ISO 639-3."""
    return {row["iso639_3"]: row["code"] for row in rows_of(_FOLDER / "members.tsv")}


@cache
def from_iso639_3(code: str) -> str | None:
    """The code in use for one of ISO 639-3, where `als` is Tosk Albanian; None if it is no language's."""
    if code in _members():
        return _members()[code]
    for language in languages().values():
        if code in (language.code, language.iso639_3) and code != NEUTRAL:
            return language.replaced_by or language.code
    return code if is_registered(code) else None


def _suggestion(spelling: str) -> str:
    in_use = [each for each in languages().values() if each.replaced_by is None and each.code == each.whole]
    by_name = {each.name.lower(): each.code for each in in_use}
    named = [by_name[name] for name in by_name if name.startswith(spelling)][:3]
    named += [by_name[name] for name in difflib.get_close_matches(spelling, by_name, n=2, cutoff=0.75)]
    similar = difflib.get_close_matches(spelling, _code_of_tag(), n=3, cutoff=0.6)
    found = list(dict.fromkeys([*named, *(_code_of_tag()[tag] for tag in similar)]))
    if not found:
        return ""
    return " Did you mean " + ", ".join(f"{c} ({languages()[c].name})" for c in found[:4]) + "?"


def whole_languages(codes: Iterable[str]) -> list[str]:
    """The whole languages of which the codes are variants (`en` of `en-gb`), each once, sorted."""
    return sorted({code.partition("-")[0] for code in codes})


def spellings_of(language: str) -> list[str]:
    """All codes for a whole language and its variants, with retired codes, tags and ISO 639-3, sorted."""
    variants = [each for each in languages().values() if language in whole_languages([each.code])]
    codes = {each.code for each in variants}
    retired = {each.code for each in languages().values() if each.replaced_by in codes}
    others = {other for each in variants for other in (*each.tags, each.iso639_3) if other}
    return sorted({language, *codes, *retired, *others})


def from_code(code: str) -> str | None:
    """The code in use for one that Wikidata states for a language; None if testgen does not know it."""
    return _code_of_spelling().get(code.lower())


@cache
def without_labels() -> Mapping[str, str]:
    """The languages in which Wikidata has no labels; for each, one that could stand in, or nothing."""
    return {row["language"]: row["named_in"] for row in rows_of(_FOLDER / "stand_ins.tsv")}


@cache
def _fallbacks() -> Mapping[str, Sequence[str]]:
    return {row["language"]: row["fallbacks"].split() for row in rows_of(_FOLDER / "fallbacks.tsv")}


@cache
def fallbacks_of(code: str) -> Sequence[str]:
    """The languages whose labels Wikibase shows instead of a missing one, before the language-neutral one."""
    # Those of `fallbacks.tsv` are MediaWiki's (`meta=languageinfo`, `liprop=fallbacks` of its API).
    whole = languages()[code].whole
    return _fallbacks().get(code, [whole] if whole != code else [])


@cache
def variants_of(code: str) -> Sequence[str]:
    """Its fallbacks that are the same language in the same script: German for `de-at`; none for `zh-hant`."""
    of_code = languages()[code]
    others = map(languages().__getitem__, fallbacks_of(code))
    return [
        other.code
        for other in others
        if other.whole == of_code.whole and set(other.scripts[:1]).intersection(of_code.scripts)
    ]


def stand_in_map(given: Iterable[str]) -> dict[str, str]:
    """For each language of the given pairs, such as `non=is`, the language whose names stand in."""
    found = {}
    for pair in given:
        code, equals, other = pair.partition("=")
        if not equals:
            raise LanguageError(f"{pair!r}: a stand-in looks like non=is (Old Norse, named in Icelandic)")
        found[canonical(code)] = canonical(other)
    return found
