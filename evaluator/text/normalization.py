"""Normalization: test sets, vocabularies and corpora are compared by the normalized forms of their words.

A profile is one or more spelling conventions, as a value that is equal and hashable by its text. Codes of
languages may have three letters (ISO 639-3) where others have two.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from evaluator.errors import ScoreError

Normalizer = Callable[[str], str]
"""From a word to its normalized form."""

_TURKIC = ("tr", "az", "crh", "crh-ro", "diq", "gag", "kaa", "kk-latn", "kk-tr", "tly", "tt-latn")


def unchanged(word: str) -> str:
    """The word itself."""
    return word


def fold(word: str) -> str:
    """Full case folding, so that ß becomes ss."""
    return _undotted(word).casefold()


def turkish(word: str) -> str:
    """Case folded by the rules of Turkish: I and İ are the capitals of ı and i."""
    return _undotted(word).replace("I", "ı").casefold()


def _undotted(word: str) -> str:
    """Replace İ by i in all its encodings: one code point, two as in NFD, and the two that lower() makes."""
    return word.replace("İ", "i").replace("I\u0307", "i").replace("i\u0307", "i")


def case_folding(language: str) -> Normalizer:
    """Full case folding by the rules of a language: in Turkish and related ones, I becomes ı, İ becomes i."""
    return turkish if language in _TURKIC else fold


def normalized(words: Sequence[str], key: Normalizer) -> Sequence[str]:
    """The normalized forms of many words; the same object if case folding changes none."""
    if key is fold:
        together = "\n".join(words)
        if "İ" not in together and "\u0307" not in together:  # for all other words, both do the same
            if together.casefold() == together:
                return words
            key = str.casefold
    return list(map(key, words))


def normalizer(language: str, case: str = "exact", profile: str = "") -> Normalizer:
    """The function that normalizes words; `unchanged` itself where nothing changes, so that callers can tell.

    The language decides the rules of case; the profile is applied before these.
    """
    of_case = {"exact": unchanged, "fold": case_folding(language), "upper": str.upper}
    if case not in of_case:
        raise ScoreError(f"case is {case!r}; choose from {', '.join(of_case)}")
    change_case = of_case[case]
    if not profile:
        return change_case
    respell = parse_profile(profile)
    return respell if change_case is unchanged else lambda word: change_case(respell(word))


@cache
def _conventions() -> Mapping[str, Normalizer]:
    """Spelling conventions in the order in which they are applied.

    Transliterations of ASCII letters come before changes of case, rules that need marks before rules that
    remove them, and Turkish rules for i before general case folding.
    """
    from evaluator.text import alphabets, arabic_clitics, sanskrit

    own = [alphabets.serbian, alphabets.latin, alphabets.greek, alphabets.hebrew, alphabets.persian]
    found = {"slp1": sanskrit.from_slp1, "wx": sanskrit.from_wx, "sanskrit": sanskrit.from_iast}
    own += [alphabets.arabic, alphabets.norse, alphabets.telugu, alphabets.malayalam]
    found |= {each.__name__: each for each in (*own, turkish)}
    found["arabic-clitics"] = arabic_clitics.arabic_clitics
    found["akkadian-lemmas"] = alphabets.akkadian_lemmas
    found["middle-high-german"] = alphabets.middle_high_german
    return {**found, "strip-marks": alphabets.strip_marks, "fold": fold, "nfc": unchanged}


@dataclass(frozen=True)
class Profile:
    """One or several spelling conventions, as a function from word to word; `parse_profile` makes one.

    The result is in NFC, does not change when the profile is applied again, and is empty for no other word
    than the empty one.
    """

    names: tuple[str, ...]  # the conventions, each once, in the order in which they are applied

    @property
    def name(self) -> str:
        """Its text, as in signatures: `latin+fold`."""
        return "+".join(self.names)

    def __str__(self) -> str:
        """The name."""
        return self.name

    def __call__(self, word: str) -> str:
        """Respell a word."""
        conventions = [_conventions()[name] for name in self.names]
        # A mark that one convention removes may have hidden a letter from another one, so all are repeated
        # until nothing changes. This ends: each removes letters and marks that no other one adds again.
        before, after = "", unicodedata.normalize("NFC", word)
        while after != before:
            before = after
            for respell in conventions:
                after = unicodedata.normalize("NFC", respell(after)) or after
        return after


def profiles() -> list[str]:
    """The names of all conventions."""
    return sorted(_conventions())


def parse_profile(text: str) -> Profile:
    """Read a profile: one convention such as `latin`, or several such as `latin+fold`, in any order."""
    names = {name.strip().lower() for name in text.split("+")}
    for name in sorted(names - _conventions().keys()):
        near = difflib.get_close_matches(name, _conventions(), n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise ScoreError(f"unknown orthography profile {name!r}{hint} Choose from {', '.join(profiles())}.")
    if {"slp1", "wx"} <= names:
        raise ScoreError(f"{text!r}: slp1 and wx read the same letters differently; name only one of them")
    return Profile(tuple(name for name in _conventions() if name in names))


_SUGGESTED = {
    "latin": "la",
    "greek": "grc",
    "hebrew": "he hbo yi",
    "arabic": "ar arz",
    "persian": "fa ur",
    "turkish": "tr az crh gag kk-latn kk-tr tt-latn",
    "serbian": "sr sh bs cnr",
    "sanskrit": "sa",
    "norse": "non",
    "middle-high-german": "gmh",
    "telugu": "te",
    "malayalam": "ml",
    "akkadian-lemmas": "akk",
}


NARROW = frozenset({"akkadian-lemmas", "arabic-clitics", "middle-high-german"})
"""Conventions that make one of different words of other languages: they are advised for their own alone."""


def suggested(language_code: str) -> str | None:
    """The name of the profile for a language whose texts are known to differ in spelling.

    A variety without a profile, as in `sr-cyrl`, has its language's.
    """
    code = language_code.lower().replace("_", "-")
    known = {each: profile for profile, codes in _SUGGESTED.items() for each in codes.split()}
    return known.get(code) or known.get(code.partition("-")[0])


@cache
def other_codes() -> Mapping[str, tuple[str, ...]]:
    """What else means a language, by the code of its test sets: `fra fre` of `fr`, `heb iw` of `he`."""
    rows = (files(__package__) / "iso639.tsv").read_text(encoding="utf-8").splitlines()
    return {code: tuple(longer.split()) for code, longer in (row.split("\t") for row in rows)}


def usual_code(code: str) -> str:
    """The code by which test sets name a language, in any case: `la` of `lat` and `LA`, `qqq` of `QQQ`."""
    code = code.lower()
    return next((short for short, longer in other_codes().items() if code in longer), code)


def spellings(code: str) -> tuple[str, ...]:
    """All codes that mean the same language, the given one first."""
    short = usual_code(code)
    return tuple(dict.fromkeys([code, short, *other_codes().get(short, ())]))
