"""How words are spelled in running text, by language and script: rules that stand in `spelling.tsv`.

A line has a kind of rule; where it applies (`*`, codes of scripts, codes of languages and their varieties);
characters, as a set of the library `regex` or, for letters, one by one; what they become; and the reason.

    invisible    removed wherever they stand
    separator    stand between words, as a space does
    slash        stand between variants, as a slash does
    edge, end    are removed at both edges of a word, or at its end
    kept         of these, letters in a language
    respell      letters that become the language's own; `sequence`: the same of texts
    lookalike    the same, only where a word mixes both scripts
    letter       letters of their own with a mark, which the alphabet of CLDR lacks
    dictionary   marks that dictionaries write and texts do not, so that they are removed
    lower        the same, only in words of small letters: foreign names in texts have these marks, too
    equal        letters that are typed in place of one another: words are the same, and neither is changed
    ignored      marks that some texts have: the same
    omitted      the same, only if a text has none of them at all; as a pattern
    phonetic     signs of a phonetic alphabet, by which words in it are known; `transcription`: letters of it
                 that are also letters of languages, for those whose alphabet is known

A letter with a mark that stands in the alphabet of the language (CLDR's exemplar characters,
`alphabets.tsv`) is a letter of its own: no `dictionary` or `ignored` rule takes its mark away.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import regex

from testgen.languages.codes import Language, languages
from testgen.languages.registry import rows_of

VERSION = 1
"""The version of the rules for words: it changes with each change of these, and test sets name it."""

TURKIC = ("tr", "az", "crh", "crh-ro", "diq", "gag", "kaa", "kk-latn", "kk-tr", "tly", "tt-latn")
"""Languages in which I is the capital of ı."""

NO_WORDS = ("reconstructed form", "part of a word", "sign")
"""What is no word of a text, for people."""

_FOLDER = Path(__file__).parent
_BETWEEN_LETTERS = regex.compile(r"([^\p{L}\p{M}]+)")
_CLUSTER = regex.compile(r"(\p{L})(\p{M}+)")
_APOSTROPHES = "'\u2018\u2019\uff07"
_QUOTED = regex.compile(rf"[{_APOSTROPHES}](.*\w.*)[{_APOSTROPHES}]")
_APOSTROPHE = re.compile(f"[{_APOSTROPHES}]")
_PART = re.compile("[-\u2010-\u2015\u05be]")  # hyphens and dashes
_SUPERSCRIPT = re.compile("[\u00b2\u00b3\u00b9\u2070-\u2079]$")
# Letters of old fonts: ligatures, and the forms that Hebrew and Arabic letters have within words.
_FORMS = "\ufb00-\ufb06\ufb13-\ufb17\ufb20-\ufb28\ufb4f-\ufbb1\ufbd3-\ufdfb\ufe70-\ufefc"
_FORM = re.compile(f"[{_FORMS}]")


class Rule(NamedTuple):
    """A line of the table."""

    kind: str
    where: frozenset[str]  # with `!` before a language to which it does not apply
    characters: str
    becomes: str

    def applies_to(self, language: Language) -> bool:
        """Whether it is a rule of the language, or of a script in which this is written."""
        own = language.code, language.whole
        return not self.where.isdisjoint(("*", *own, *language.scripts)) and self.where.isdisjoint(
            f"!{code}" for code in own
        )

    @property
    def letters(self) -> Mapping[str, str]:
        """What each of its letters becomes, for rules that have them one by one."""
        return _pairs(self.characters, self.becomes)


@cache
def _pairs(characters: str, becomes: str) -> Mapping[str, str]:
    written = (
        text.encode("ascii", "backslashreplace").decode("unicode_escape") for text in (characters, becomes)
    )
    before, after = (text.split(" ") for text in written)
    return dict(zip(before, after if len(after) > 1 else after * len(before), strict=True))


@cache
def rules() -> tuple[Rule, ...]:
    """All lines of the table."""
    return tuple(
        Rule(row["rule"], frozenset(row["where"].split()), row["characters"], row["becomes"])
        for row in rows_of(_FOLDER / "spelling.tsv")
    )


@cache
def slashes() -> str:
    """The characters that divide variants, as a set of `regex`."""
    return "".join(rule.characters for rule in rules() if rule.kind == "slash")


@cache
def alphabets() -> Mapping[str, frozenset[str]]:
    """The letters of languages that are not of ASCII, in small letters, as far as CLDR states them."""
    return {row["code"]: frozenset(row["letters"].split()) for row in rows_of(_FOLDER / "alphabets.tsv")}


@cache
def alphabet(code: str) -> frozenset[str]:
    """The letters of a language, or of the one of which it is a variety; none if they are not known."""
    known = alphabets()
    return known.get(code) or known.get(languages()[code].whole) or frozenset()


@cache
def _own_rules(code: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules() if rule.applies_to(languages()[code]))


@cache
def spelling_of(code: str) -> Spelling:
    """The rules for a language, by its code in use; languages with the same rules share one object."""
    own = _own_rules(code)
    letters = alphabet(code).union(*(rule.letters for rule in own if rule.kind == "letter"))
    marked = frozenset(each for each in letters if len(unicodedata.normalize("NFD", each)) > 1)
    with_marks = any(rule.kind in ("dictionary", "lower", "ignored") for rule in own)
    pairs = {pair for rule in own if rule.kind == "equal" for pair in rule.letters.items()}
    both = frozenset(one for one, other in pairs if one in letters and other in letters)
    return _shared(own, marked if with_marks else frozenset(), both, code in TURKIC)


@cache
def _shared(own: tuple[Rule, ...], marked: frozenset[str], both: frozenset[str], turkic: bool) -> Spelling:
    return Spelling(own, marked, both, turkic)


class _Characters(dict[str, bool]):
    """Whether a character is in a set of `regex`; each is looked up once, since sets of Unicode are slow."""

    def __init__(self, characters: str) -> None:
        super().__init__()
        self._pattern = regex.compile(f"[{characters}]", regex.V1) if characters else None

    def __missing__(self, character: str) -> bool:
        self[character] = self._pattern is not None and self._pattern.match(character) is not None
        return self[character]


@dataclass(frozen=True, eq=False)
class Spelling:
    """The rules that some languages have in common."""

    rules: tuple[Rule, ...]
    marked: frozenset[str] = field(repr=False)  # letters of their own that are a letter with a mark
    apart: frozenset[str] = field(repr=False)  # letters that are not equal to others in these languages
    turkic: bool = False  # whether I is the capital of ı
    _sets: dict[str, _Characters] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def suspect(self) -> re.Pattern[str]:
        """Finds what may have to be changed in a text that consists of letters alone."""
        found = [rule for rule in self.rules if rule.kind in ("respell", "lookalike")]
        letters = {letter for rule in found for letter in rule.letters}
        if self._marks("dictionary", "lower"):
            marks = self._set("dictionary"), self._set("lower")
            marked = (
                each for each, apart in _composed() if any(mark[sign] for mark in marks for sign in apart)
            )
            letters |= {each for each in marked if self.without_dictionary_marks(each) != each}
        return re.compile(f"[{_FORMS}\u0640\u3164\uffa0{''.join(sorted(map(re.escape, letters)))}]")

    def visible(self, text: str) -> str:
        """The text without invisible characters, and with the letters of which ligatures consist."""
        invisible = self._set("invisible")
        if any(map(invisible.__getitem__, text)):
            text = "".join(each for each in text if not invisible[each])
        return _FORM.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)

    def in_own_letters(self, text: str) -> str:
        """The text in the letters of the language, where it has those of another keyboard or an old font."""
        for pattern, becomes in self._sequences:
            text = pattern.sub(becomes, text)
        text = text.translate(self._letters) if self._letters else text
        if not self._lookalikes.keys().isdisjoint(text):
            return "".join(map(self._unmixed, _BETWEEN_LETTERS.split(text)))
        return text

    def without_dictionary_marks(self, text: str) -> str:
        """The text without marks that only dictionaries write; composed, if there were any."""
        if text.isascii():
            return text
        return self._without(self._marks("dictionary", *(("lower",) if text == text.lower() else ())), text)

    def cased(self, text: str, *, fold: bool = False) -> str:
        """The text in small letters by the rules of the language, or case folded in full (ß becomes ss)."""
        # İ becomes i everywhere (NFD writes it I + U+0307); Python would make two code points of it.
        text = text.replace("İ", "i").replace("I\u0307", "i")
        if self.turkic:  # i and U+0307 are what other programs make of İ
            text = text.replace("I", "ı").replace("i\u0307", "i")
        return text.casefold() if fold else text.lower()

    def with_equal_letters(self, text: str) -> str:
        """A key that two words have in common if they differ in case and in equal letters alone."""
        text = self.in_own_letters(text).translate(self._equal)
        if not text.isascii():  # of what Unicode takes for equal, such as fullwidth letters, the same
            text = unicodedata.normalize("NFKC", text).translate(self._equal)
        return self.cased(text).replace("ς", "σ")

    def bare(self, text: str, *, omitted: bool) -> str:
        """The text without all marks by which spellings may differ; without `omitted` ones only if asked."""
        if omitted and self.omitted is not None and not text.isascii():
            text = self.omitted.sub("", unicodedata.normalize("NFD", text))
        return self._without(self._marks("dictionary", "lower", "ignored"), text)

    @cached_property
    def omitted(self) -> regex.Pattern[str] | None:
        """Finds the marks that some texts do not have at all, in a decomposed text."""
        found = [rule.characters for rule in self.rules if rule.kind == "omitted"]
        return regex.compile("|".join(found), regex.V1) if found else None

    @cached_property
    def _equal(self) -> dict[int, str]:
        pairs = self._map("equal").items()
        return {ord(one): other for one, other in pairs if one not in self.apart}

    def divided(self, text: str) -> str:
        """The text with spaces for the characters that separate words."""
        separator = self._set("separator")
        if not any(map(separator.__getitem__, text)):
            return text
        return "".join(" " if separator[each] else each for each in text)

    def trimmed(self, text: str) -> str:
        """A text without what does not belong to a word at its edges."""
        before = ""
        while text != before:  # quotation marks may be around a full stop, or before it
            before = text
            if (quoted := _QUOTED.fullmatch(text)) and not _APOSTROPHE.search(quoted[1]):
                text = quoted[1]
            text = self._without_edges(text)
            if text.endswith(".") and "." not in text[:-1]:  # not of an abbreviation, U.S.
                text = text[:-1]
        return text

    def _without_edges(self, text: str) -> str:
        edge, at_end, kept = (self._set(kind) for kind in ("edge", "end", "kept"))
        start, end = 0, len(text)
        while start < end and edge[text[start]]:
            start += 1
        while start < end and (edge[text[end - 1]] or at_end[text[end - 1]]) and not kept[text[end - 1]]:
            end -= 1
        return text[start:end]

    @cached_property
    def _sequences(self) -> list[tuple[regex.Pattern[str], str]]:
        found = [rule for rule in self.rules if rule.kind == "sequence"]
        return [(regex.compile(rule.characters, regex.V1), rule.becomes) for rule in found]

    @cached_property
    def _letters(self) -> dict[int, str]:
        return {ord(one): other for one, other in self._map("respell").items()}

    @cached_property
    def _lookalikes(self) -> dict[str, str]:
        found = self._map("lookalike")
        # A language in both scripts has no foreign letters.
        return {} if not found.keys().isdisjoint(found.values()) else found

    def _unmixed(self, part: str) -> str:
        """A word of two scripts with all letters in one, if all others look like letters of this."""
        foreign = [letter for letter in part if letter in self._lookalikes]
        if not foreign or len(foreign) == len(part):
            return part
        respelled = "".join(self._lookalikes.get(letter, letter) for letter in part)
        scripts = {unicodedata.name(each, "?").split()[0] for each in respelled if each.isalpha()}
        return respelled if len(scripts) == 1 else part

    def _map(self, kind: str) -> dict[str, str]:
        found = (rule.letters for rule in self.rules if rule.kind == kind)
        return {one: other for letters in found for one, other in letters.items()}

    def _characters(self, kind: str) -> str:
        return "".join(rule.characters for rule in self.rules if rule.kind == kind)

    def _set(self, kind: str) -> _Characters:
        if kind not in self._sets:
            self._sets[kind] = _Characters(self._characters(kind) + r"\s" * (kind in ("edge", "end")))
        return self._sets[kind]

    @lru_cache  # noqa: B019  # there are few objects, and all live as long as the program
    def _marks(self, *kinds: str) -> regex.Pattern[str] | None:
        characters = "".join(map(self._characters, kinds))
        return regex.compile(f"[{characters}]", regex.V1) if characters else None

    def _without(self, marks: regex.Pattern[str] | None, text: str) -> str:
        """The text without some marks, but for those of letters of their own."""
        if marks is None or text.isascii():
            return text
        apart = unicodedata.normalize("NFD", text)
        if not marks.search(apart):
            return text

        def bare(match: regex.Match[str]) -> str:
            kept = [
                mark
                for mark in match[2]
                if not marks.search(mark)
                or unicodedata.normalize("NFC", match[1].lower() + mark) in self.marked
            ]
            return match[1] + "".join(kept)

        return unicodedata.normalize("NFC", _CLUSTER.sub(bare, apart))


@cache
def _composed() -> tuple[tuple[str, str], ...]:
    """All letters that Unicode has together with a mark, where marks may be left out; and both apart."""
    areas = (range(0xC0, 0x250), range(0x370, 0x530), range(0x620, 0x6D4), range(0x1E00, 0x2000))
    letters = (chr(point) for area in areas for point in area)
    pairs = ((each, unicodedata.normalize("NFD", each)) for each in letters)
    return tuple((each, apart) for each, apart in pairs if each != apart)


@cache
def phonetic(letters: frozenset[str]) -> re.Pattern[str]:
    """Finds signs of a phonetic alphabet, in a language with these letters; those that are sure if none."""
    kinds = ("phonetic", "transcription") if letters else ("phonetic",)
    characters = "".join(rule.characters for rule in rules() if rule.kind in kinds)
    return re.compile(f"(?![{''.join(letters)}])[{characters}]" if letters else f"[{characters}]")


def why_no_word(text: str) -> str:
    """Why a text is no word of a text, for people: a part of a word, a sign; empty if it may be one."""
    reconstructed, part, sign = NO_WORDS
    if text.startswith("*"):
        return reconstructed
    if _PART.match(text[:1]) or _PART.match(text[-1:]):
        return part
    return sign if _SUPERSCRIPT.search(text) or text.endswith("*") else ""
