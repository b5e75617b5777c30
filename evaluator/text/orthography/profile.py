"""Profiles: one or more spelling conventions, as a value that is equal and hashable by its text."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluator.errors import ScoreError
from evaluator.text.orthography import alphabets, sanskrit


@dataclass(frozen=True)
class _Convention:
    """A spelling convention: a line about it, and the function."""

    summary: str
    respell: Callable[[str], str]


# In the order in which they are applied: transliterations of ASCII letters come before changes of case, rules
# that need marks before rules that remove them, and Turkish rules for i before general case folding.
_CONVENTIONS = {
    "slp1": _Convention("Sanskrit in SLP1 or IAST to Devanagari, then as sanskrit", sanskrit.from_slp1),
    "wx": _Convention("Sanskrit in WX to Devanagari, then as sanskrit", sanskrit.from_wx),
    "sanskrit": _Convention("IAST to Devanagari, nasals by one rule, no accents", sanskrit.from_iast),
    "serbian": _Convention("Serbian Cyrillic to Latin", alphabets.serbian),
    "latin": _Convention("j as i, v as u, æ and œ as ae and oe, no macrons or breves", alphabets.latin),
    "greek": _Convention("no breathings, accents, iota subscripts; ς as σ", alphabets.greek),
    "hebrew": _Convention("no vowel points or cantillation marks, ligatures undone", alphabets.hebrew),
    "persian": _Convention("as arabic, but آ stays; Arabic ي and ك as ی and ک", alphabets.persian),
    "arabic": _Convention("no harakat or tatweel, every alef bare", alphabets.arabic),
    "norse": _Convention("Old Norse ǫ and ø as ö, œ as æ, as printed in Iceland", alphabets.norse),
    "turkish": _Convention("case folded with I to ı and İ to i", alphabets.turkish),
    "strip-marks": _Convention("no marks on Latin, Greek, Cyrillic letters", alphabets.strip_marks),
    "fold": _Convention("case folded in full", alphabets.fold),
}


@dataclass(frozen=True)
class Profile:
    """One or several spelling conventions, as a function from word to word; `parse_profile` makes one.

    The result is in NFC, does not change when the profile is applied again, and is empty for no other word
    than the empty one.

    Attributes:
        names: The conventions, each once, in the order in which they are applied.
    """

    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its text, as in signatures: `latin+fold`."""
        return "+".join(self.names)

    def __str__(self) -> str:
        """The name."""
        return self.name

    def __call__(self, word: str) -> str:
        """Respell a word."""
        # A mark that one convention removes may have hidden a letter from another one, so all are repeated
        # until nothing changes. This ends: each removes letters and marks that no other one adds again.
        before, after = "", unicodedata.normalize("NFC", word)
        while after != before:
            before = after
            for name in self.names:
                after = unicodedata.normalize("NFC", _CONVENTIONS[name].respell(after)) or after
        return after


def profiles() -> Mapping[str, str]:
    """The names of all conventions, each with a line about it."""
    return {name: _CONVENTIONS[name].summary for name in sorted(_CONVENTIONS)}


def parse_profile(text: str) -> Profile:
    """Read a profile: one convention such as `latin`, or several such as `latin+fold`, in any order."""
    names = {name.strip().lower() for name in text.split("+")}
    for name in sorted(names - _CONVENTIONS.keys()):
        near = difflib.get_close_matches(name, _CONVENTIONS, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise ScoreError(f"unknown orthography profile {name!r}{hint} Choose from {', '.join(profiles())}.")
    if {"slp1", "wx"} <= names:
        raise ScoreError(f"{text!r}: slp1 and wx read the same letters differently; name only one of them")
    return Profile(tuple(name for name in _CONVENTIONS if name in names))


def suggested(language_code: str) -> Profile | None:
    """The profile for a language whose texts are known to differ in spelling; None if there is none.

    Args:
        language_code: As in a test set: `la`, `sr-cyrl`. A variety without a profile has its language's.
    """
    name = alphabets.suggested_profile(language_code)
    return parse_profile(name) if name else None
