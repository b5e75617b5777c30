"""The table of languages, their codes in every accepted spelling, and those that can stand in for them."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

import regex

from testgen.errors import LanguageError
from testgen.languages.registry import are_variants, groups, registered_names, retired, rows_of

_FOLDER = Path(__file__).parent
NEUTRAL = "mul"  # the code of labels that are the same in many languages

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
_PRIVATE_USE = "-x-"
# Language, script, region, variants, private use; Wikidata's lexemes have mis-x-q36790, which is not ours.
_TAG = regex.compile(
    r"[a-z]{2,3}(-[a-z]{4})?(-[a-z]{2}|-[0-9]{3})?(-[a-z0-9]{5,8}|-[0-9][a-z0-9]{3})*"
    r"(-x(?!-q[0-9])(-[a-z0-9]{1,8})+)?"
)
_UNCODED = "mis"  # the registry's code for languages that have none: with -x-…, one of them
_WORDS = regex.compile(r"[\s_-]+")
_WELL_FORMED = regex.compile(r"[a-z]{2,}(-[a-z0-9]{1,12})*")


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
        """The code of the language of which this is a variant: `kk` of `kk-cyrl`; else its own code.

        A private code names a dialect or a stage, with words of its own: `gmq-x-osw`.
        """
        base = _whole(self.code)
        known = languages().get(base)
        return base if known is not None and known.replaced_by is None else self.code

    @property
    def right_to_left(self) -> bool:
        """Whether its usual script is written from right to left."""
        return self.scripts[:1] != () and self.scripts[0] in _RIGHT_TO_LEFT

    @cached_property
    def fallbacks(self) -> tuple[str, ...]:
        """The languages whose labels Wikibase shows instead of a missing one, before the neutral one."""
        # Those of `fallbacks.tsv` are MediaWiki's (`meta=languageinfo`, `liprop=fallbacks` of its API).
        return _fallbacks().get(self.code, (self.whole,) if self.whole != self.code else ())

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """Its fallbacks that are the same language in the same script: `de` of `de-at`; none of `zh-hant`."""
        return tuple(
            other.code
            for other in map(languages().__getitem__, self.fallbacks)
            if other.whole == self.whole and set(other.scripts[:1]).intersection(self.scripts)
        )

    def has_letters_of(self, text: str) -> bool:
        """Whether all letters of a text belong to its scripts; False if these are not known."""
        return _is_written_in(text, self.scripts)

    def is_in_other_script(self, text: str) -> bool:
        """Whether a text has letters, and none is in a (known) script of the language: X射线 is Chinese."""
        return _is_in_other_script(text, self.scripts)


class _Languages(dict[str, Language]):
    """The languages of Wikidata by code; `languages()[code]` also gives any other that `is_registered`."""

    def __missing__(self, code: str) -> Language:
        return _registered(code)


def _whole(code: str) -> str:
    return code if _PRIVATE_USE in code else code.partition("-")[0]


@lru_cache(maxsize=10_000)
def _registered(code: str) -> Language:
    if not is_registered(code):
        raise KeyError(code)
    base, *subtags = code.split("-")
    whole = languages().get(base)
    name = whole.name if whole else registered_names().get(base) or groups().get(base)
    scripts = tuple(each.title() for each in subtags if len(each) == _SCRIPT_LENGTH and each.isalpha())
    return Language(
        code,
        f"{name} ({'-'.join(subtags)})" if name and subtags else name or code,
        scripts or (whole.scripts if whole else ()),
    )


@cache
def languages() -> dict[str, Language]:
    """Those in which Wikidata has names, and stages of the past, by code; others if `is_registered`."""
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
    """Whether a tag in lower case is one of BCP 47: a registered language, script, region and variants.

    With private use (`-x-…`) it may begin with a group of languages too, or with `mis`.
    """
    if _TAG.fullmatch(tag) is None:
        return False
    public, private, _ = tag.partition(_PRIVATE_USE)
    base, *subtags = public.split("-")
    if private and (base in groups() or public == _UNCODED):
        return are_variants(subtags)
    known = base in languages() or base in registered_names()
    return known and base != NEUTRAL and are_variants(subtags)


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
    """The code of each name that one language has; its own name counts before other names of others."""
    in_use = [each for each in languages().values() if not each.replaced_by]
    also = [(_words_of(name), each.code) for each in in_use for name in each.also]
    found: dict[str, str] = {}
    for named in (also, [(_words_of(each.name), each.code) for each in in_use]):
        often = Counter(name for name, _ in named)
        found |= {name: code for name, code in named if often[name] == 1}
    return found


def _words_of(name: str) -> str:
    """A name in lower case, with a space between its words: `Ancient_Greek` is `ancient greek`."""
    return " ".join(filter(None, _WORDS.split(name.lower())))


def language_called(name: str) -> str | None:
    """The code of the only language that has this name, with any separator between its words."""
    return _code_of_name().get(_words_of(name))


def accepted_spellings() -> Mapping[str, str]:
    """The code in use for each code and each name that `canonical` accepts, in lower case."""
    names = {name: code for name, code in _code_of_name().items() if not is_registered(name)}
    old = {code: canonical(code) for code in retired()}
    return _members() | names | old | _code_of_spelling()


def from_tag(tag: str) -> str | None:
    """The code for a language tag found in RDF; None if the tag is not a language's (`und`, `zxx`)."""
    lower = tag.lower()
    if lower in _code_of_tag():
        return _code_of_tag()[lower]
    base, hyphen, rest = lower.partition("-")
    if base in retired():
        return from_tag(f"{retired()[base]}{hyphen}{rest}")
    return lower if is_registered(lower) else None


def tags_of(codes: Set[str]) -> frozenset[str]:
    """All tags that stand for one of these codes in RDF, in lower case."""
    found = {tag for tag, code in _code_of_tag().items() if code in codes}
    for code in codes:
        base, hyphen, rest = code.partition("-")
        found |= {f"{old}{hyphen}{rest}" for old, new in retired().items() if new == base}
    return frozenset(found | codes)


@lru_cache(maxsize=1_000)
def canonical(code: str) -> str:
    """The code in use for any accepted spelling: `no` → `nb`, `lat` → `la`, `Ancient Greek` → `grc`."""
    # Codes of ISO 639-3 are accepted unless Wikidata uses the letters for another language: `als` is
    # Alemannic (now `gsw`), not Tosk Albanian. A code goes before a name: `asu` is no Asu of Tanzania.
    spelling = code.strip().lower().replace("_", "-")
    found = _code_of_spelling().get(spelling) or from_iso639_3(spelling) or language_called(code)
    if found is None and not _WELL_FORMED.fullmatch(spelling):
        raise LanguageError(
            f"{code!r} is not a language code. Codes look like 'la', 'grc' or 'zh-hant'; "
            "`testgen languages` lists them."
        )
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
    if code in retired():
        return from_iso639_3(retired()[code])
    return from_tag(code) if code == code.lower() and code != NEUTRAL else None


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
    return sorted({_whole(code) for code in codes})


def spellings_of(language: str) -> list[str]:
    """All codes for a whole language and its variants, with retired codes, tags and ISO 639-3, sorted."""
    variants = [each for each in languages().values() if language in whole_languages([each.code])]
    codes = {each.code for each in variants}
    replaced = {each.code for each in languages().values() if each.replaced_by in codes}
    replaced |= {old for old, new in retired().items() if new in codes}
    others = {other for each in variants for other in (*each.tags, each.iso639_3) if other}
    return sorted({language, *codes, *replaced, *others})


def from_code(code: str) -> str | None:
    """The code in use for one that Wikidata states for a language; None if testgen does not know it."""
    return _code_of_spelling().get(code.lower())


@cache
def without_labels() -> Mapping[str, str]:
    """The languages in which Wikidata has no labels; for each, one that could stand in, or nothing."""
    return {row["language"]: row["named_in"] for row in rows_of(_FOLDER / "stand_ins.tsv")}


@cache
def _fallbacks() -> Mapping[str, tuple[str, ...]]:
    return {row["language"]: tuple(row["fallbacks"].split()) for row in rows_of(_FOLDER / "fallbacks.tsv")}


def stand_in_map(given: Iterable[str]) -> dict[str, str]:
    """For each language of the given pairs, such as `non=is`, the language whose names stand in."""
    found = dict[str, str]()
    for pair in given:
        code, equals, other = pair.partition("=")
        if not equals:
            raise LanguageError(f"{pair!r}: a stand-in looks like non=is (Old Norse, named in Icelandic)")
        of, other = canonical(code), canonical(other)
        if found.setdefault(of, other) != other:
            raise LanguageError(f"{of}={found[of]} and {of}={other}: one stand-in for a language; give one")
    return found


def stand_ins_described(named: Iterable[tuple[str, str, str]]) -> list[str]:
    """A sentence for each language and its stand-in, from the codes of both and the names of categories."""
    found: dict[tuple[str, str], list[str]] = {}
    for code, other, name in named:
        found.setdefault((code, other), []).append(name)
    return [
        f"{languages()[code].name} ({code}) has too few words of its own: "
        f"{languages()[other].name} ({other}) stands in for {', '.join(names)}."
        for (code, other), names in found.items()
    ]
