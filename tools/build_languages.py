"""Rebuild testgen/languages/languages.tsv: names, scripts and spellings of the codes that Wikidata accepts.

The codes come from Wikidata's own list, the answer to
`w/api.php?action=query&meta=wbcontentlanguages&wbclcontext=term&format=json`, given as a file. Codes that are
already in the table stay: some of them Wikidata accepts for other texts only, and the shipped snapshot has
names in them. Names, scripts and ISO 639-3 codes come from CLDR and the IANA registry through langcodes; what
these do not know or get wrong is in the tables below.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import langcodes
from langcodes.data_dicts import LANGUAGE_ALPHA3

TABLE = Path(__file__).parent.parent / "testgen" / "languages" / "languages.tsv"
HEADER = "code\tname\tscripts\ttags\treplaced_by\tiso639_3"

NAMES = {
    "bn": "Bengali",
    "als": "Alemannic",
    "bat-smg": "Samogitian",
    "be-tarask": "Belarusian (Taraškievica orthography)",
    "be-x-old": "Belarusian (Taraškievica orthography)",
    "cbk-zam": "Chavacano of Zamboanga",
    "de-formal": "German (formal address)",
    "eml": "Emilian-Romagnol",
    "es-formal": "Spanish (formal address)",
    "fiu-vro": "Võro",
    "hu-formal": "Hungarian (formal address)",
    "isv-cyrl": "Interslavic (Cyrillic)",
    "isv-latn": "Interslavic (Latin)",
    "map-bms": "Banyumasan",
    "mo": "Moldovan (Cyrillic)",
    "mul": "language-neutral",
    "nl-informal": "Dutch (informal address)",
    "diq": "Zazaki",
    "no": "Norwegian",
    "nrm": "Norman",
    "roa-rup": "Aromanian",
    "roa-tara": "Tarantino",
    "rsk": "Pannonian Rusyn",
    "sh": "Serbo-Croatian",
    "sh-cyrl": "Serbo-Croatian (Cyrillic)",
    "sh-latn": "Serbo-Croatian (Latin)",
    "simple": "Simple English",
    "sr-ec": "Serbian (Cyrillic)",
    "sr-el": "Serbian (Latin)",
    "tl": "Tagalog",
    "zh-classical": "Literary Chinese",
    "zh-min-nan": "Min Nan Chinese",
    "zh-yue": "Cantonese",
}

# The scripts of languages for which langcodes has none, a wrong one, or only the first of several.
SCRIPTS = {
    "arc": "Syrc Hebr Armi",
    "cop": "Copt Grek",
    "cr": "Cans Latn",
    "grc": "Grek",
    "mni": "Mtei Beng",
    "rif": "Latn Tfng Arab",
    "ryu": "Jpan",
    "wal": "Latn Ethi",
    "acm": "Arab",
    "anp": "Deva",
    "az": "Latn Cyrl Arab",
    "azb": "Arab",
    "bfw": "Orya",
    "blk": "Mymr",
    "cdo": "Hant Latn",
    "cpx": "Hant",
    "dlg": "Cyrl",
    "dso": "Orya",
    "gld": "Cyrl",
    "hyw": "Armn",
    "kgg": "Deva",
    "kjh": "Cyrl",
    "kjp": "Mymr",
    "ksw": "Mymr",
    "mnc": "Mong",
    "nit": "Telu",
    "nog": "Cyrl",
    "ojb": "Cans Latn",
    "rki": "Mymr",
    "rut": "Cyrl",
    "rwr": "Deva",
    "sjd": "Cyrl",
    "sty": "Cyrl",
    "xal": "Cyrl",
    "be-tarask": "Cyrl",
    "be-x-old": "Cyrl",
    "bs": "Latn Cyrl",
    "cbk-zam": "Latn",
    "crh": "Latn",
    "eml": "Latn",
    "gan": "Hans Hant",
    "ha": "Latn Arab",
    "isv-cyrl": "Cyrl",
    "isv-latn": "Latn",
    "iu": "Cans Latn",
    "kk": "Cyrl Latn Arab",
    "ks": "Arab Deva",
    "ku": "Latn Arab",
    "ky": "Cyrl Arab",
    "lad": "Latn Hebr",
    "map-bms": "Latn",
    "mn": "Cyrl Mong",
    "mo": "Cyrl",
    "ms": "Latn Arab",
    "nan": "Latn Hant",
    "pa": "Guru Arab",
    "pi": "Deva Latn Sinh Thai",
    "rmy": "Latn",
    "roa-rup": "Latn",
    "roa-tara": "Latn",
    "rsk": "Cyrl",
    "sa": "Deva",
    "sd": "Arab Deva",
    "sh": "Latn Cyrl",
    "fon": "Latn",
    "nv": "Latn",
    "shi": "Tfng Latn",
    "simple": "Latn",
    "sr": "Cyrl Latn",
    "sr-ec": "Cyrl",
    "sr-el": "Latn",
    "tg": "Cyrl Latn",
    "tt": "Cyrl Latn",
    "ug": "Arab Latn Cyrl",
    "uz": "Latn Cyrl",
    "zh": "Hans Hant",
    "zh-classical": "Hant Hans",
    "lzh": "Hant Hans",
    "zh-min-nan": "Latn Hant",
    "zh-yue": "Hant",
    "zgh": "Tfng Latn",
    "mul": "",
    "non": "Latn Runr",
    "hbo": "Hebr",
    "kaa": "Latn Cyrl",
}

# How Wikidata's RDF spells the code: first the spelling in use, then earlier ones.
TAGS = {
    "cbk-zam": "cbk-x-zam cbk",
    "crh": "crh-latn",
    "crh-ro": "crh-latn-ro",
    "de-formal": "de-x-formal",
    "es-formal": "es-x-formal",
    "hu-formal": "hu-x-formal",
    "kk-cn": "kk-arab-cn",
    "kk-tr": "kk-latn-tr",
    "map-bms": "jv-x-bms",
    "mo": "ro-cyrl-md",
    "nl-informal": "nl-x-informal",
    "nrm": "fr-x-nrm nrf",
    "roa-tara": "it-x-tara nap-x-tara",
    "simple": "en-simple",
    "sr-ec": "sr-cyrl",
    "sr-el": "sr-latn",
    "tok": "tok tokipona",
    "zh-cn": "zh-hans-cn",
    "zh-hk": "zh-hant-hk",
    "zh-mo": "zh-hant-mo",
    "zh-my": "zh-hans-my",
    "zh-sg": "zh-hans-sg",
    "zh-tw": "zh-hant-tw",
}

REPLACED_BY = {
    "als": "gsw",
    "bat-smg": "sgs",
    "be-x-old": "be-tarask",
    "crh-latn": "crh",
    "fiu-vro": "vro",
    "no": "nb",
    "roa-rup": "rup",
    "zh-classical": "lzh",
    "zh-min-nan": "nan",
    "zh-yue": "yue",
}


def codes_from(path: Path) -> list[str]:
    """The codes of a stored answer to wbcontentlanguages."""
    answer = json.loads(path.read_text(encoding="utf-8"))
    return sorted(answer["query"]["wbcontentlanguages"])


def row(code: str) -> str:
    """One line of the table; a code without a known name is an error."""
    tag = REPLACED_BY.get(code) or (TAGS[code].split()[0] if code in TAGS and code != "tok" else code)
    language = langcodes.Language.get(tag)
    name = NAMES.get(code) or language.display_name()
    if "Unknown" in name:
        raise SystemExit(f"{code}: langcodes does not know its name; add it to NAMES")
    scripts = SCRIPTS.get(code, SCRIPTS.get(REPLACED_BY.get(code, code)))
    if scripts is None:
        scripts = language.maximize().script or ""
    iso639_3 = LANGUAGE_ALPHA3.get(code, "")  # of two-letter codes
    return "\t".join((code, name, scripts, TAGS.get(code, ""), REPLACED_BY.get(code, ""), iso639_3))


def main() -> None:
    """Write the table, atomically."""
    codes = {line.split("\t")[0] for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]}
    if len(sys.argv) > 1:
        codes.update(codes_from(Path(sys.argv[1])))
    text = "\n".join([HEADER, *(row(code) for code in sorted(codes))]) + "\n"
    temporary = TABLE.with_suffix(".part")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    temporary.replace(TABLE)
    print(f"{TABLE}: {len(codes)} codes")


if __name__ == "__main__":
    main()
