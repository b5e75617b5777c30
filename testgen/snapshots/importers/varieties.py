"""A code for each language of a word list: ISO 639-3 has none for some, and one for several varieties.

A variety of the past that the table of languages names has its code there, whatever ISO 639-3 says: IE-CoR
has Old Swedish as `swe`. Of several with one code, that with the language's own name keeps it, or else that
whose name is in those of all others. The rest get private codes: `pt-x-braz1246`, or `mis-x-west2376` where
no code is known.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import regex

from testgen.languages.codes import from_iso639_3, language_called, languages

_UNCODED = "mis"
_SUBTAG = regex.compile(r"[a-z0-9]{1,8}")  # of BCP 47
_GLOTTOCODE = regex.compile(r"[a-z0-9]{4}[0-9]{4}")
_WORD = regex.compile(r"\w+")
_OF_ANY_LANGUAGE = frozenset({"language", "standard", "std", "variety"})


class Variety(NamedTuple):
    """A language of a word list, as it is described there."""

    id: str
    iso639_3: str = ""
    name: str = ""
    glottocode: str = ""

    @classmethod
    def named(cls, reference: str) -> Variety:
        """What forms name if there is no table of languages: a glottocode, an ISO 639-3 code or a name."""
        if _GLOTTOCODE.fullmatch(reference):
            return cls(reference, glottocode=reference)
        return cls(reference, reference if from_iso639_3(reference) else "", reference)


def codes_of(varieties: Iterable[Variety]) -> tuple[dict[str, str], dict[str, str]]:
    """The code of each variety by its id; and the names of those with other codes than ISO 639-3 has."""
    given = list(varieties)
    codes: dict[str, str] = {}
    special: dict[str, str] = {}
    groups: dict[str, list[Variety]] = {}
    for each in given:
        stage = language_called(each.name)
        if stage is not None and "-x-" in stage:
            codes[each.id] = stage
            special[stage] = each.name
        else:
            groups.setdefault(from_iso639_3(each.iso639_3) or stage or "", []).append(each)
    for code, group in groups.items():
        if code and (main := _main(group, code)) is not None:
            codes[main.id] = code
        others = [each for each in group if each.id not in codes]
        for id_, private in _private(code, others).items():
            codes[id_] = private
            special[private] = next(each.name or id_ for each in others if each.id == id_)
    return codes, special


def _main(varieties: Sequence[Variety], code: str) -> Variety | None:
    """The only one; that with a name of the language, as `Greek: Ancient`; that whose name others have."""
    language, words = languages()[code], {each: _words(each.name) for each in varieties}
    names = [*map(_words, (language.name, *language.also))]
    called = [each for each in varieties if words[each] in names]
    within = [
        each for each in varieties if words[each] and all(words[each] <= other for other in words.values())
    ]
    for found in (varieties, called, within if not called else []):
        if len(found) == 1:
            return found[0]
    return None


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(name.casefold())) - _OF_ANY_LANGUAGE


def _private(code: str, varieties: Sequence[Variety]) -> dict[str, str]:
    """A private code for each variety: of its glottocode, else of its name, if it is the only one with it."""
    tag = languages()[code].tag if code else _UNCODED
    base = tag if "-x-" in tag else f"{tag}-x"
    found: dict[str, str] = {}
    for describe in (
        lambda each: each.glottocode,
        lambda each: each.name or each.iso639_3,
        lambda each: f"{each.name} {each.id}",
    ):
        subtags = {each.id: "-".join(_SUBTAG.findall(_plain(describe(each)))) for each in varieties}
        often = Counter(subtags.values())
        new = {id_: f"{base}-{text}" for id_, text in subtags.items() if text and often[text] == 1}
        found = new | found
    numbered = (each.id for each in varieties if each.id not in found)
    return found | {id_: f"{base}-{number}" for number, id_ in enumerate(numbered, 1)}


def _plain(text: str) -> str:
    """A text in lower case without marks: `Kâta` is `kata`."""
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(each for each in decomposed if not unicodedata.combining(each))
