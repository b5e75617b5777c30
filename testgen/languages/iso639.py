"""Codes of ISO 639-3, which word lists use, where these are not the codes of Wikidata."""

from __future__ import annotations

from functools import cache

from testgen.languages.table import NEUTRAL, is_registered, languages

# Languages that Wikidata names by the code of the group to which they belong (a macrolanguage of ISO 639-3).
# Wikidata's own `als` and `nrm` are other languages: Alemannic and Norman.
_MEMBERS = {
    "als": "sq",  # Tosk Albanian
    "arb": "ar",
    "azj": "az",
    "cmn": "zh",
    "ekk": "et",
    "gaz": "om",
    "hbs": "sh",
    "khk": "mn",
    "kmr": "ku",
    "lvs": "lv",
    "npi": "ne",
    "nrm": "mis-x-nrm",  # Narom
    "ory": "or",
    "pbt": "ps",
    "pbu": "ps",
    "pes": "fa",
    "plt": "mg",
    "qcn": "zh-hant",  # not in ISO 639-3: the Open Multilingual Wordnet's code for Chinese in Taiwan
    "swh": "sw",
    "uzn": "uz",
    "ydd": "yi",
    "zsm": "ms",
}


@cache
def from_iso639_3(code: str) -> str | None:
    """The code in use for a language; None if no language has the code.

    `als` is Tosk Albanian here (`sq`); for Wikidata it is a retired code of Alemannic.
    """
    if code in _MEMBERS:
        return _MEMBERS[code]
    for language in languages().values():
        if code in (language.code, language.iso639_3) and code != NEUTRAL:
            return language.replaced_by or language.code
    return code if is_registered(code) else None
