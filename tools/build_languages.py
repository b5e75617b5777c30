"""Rebuild testgen/languages/languages.tsv: names, scripts and spellings of the codes that Wikidata accepts.

The codes come from Wikidata's own list, the answer to
`w/api.php?action=query&meta=wbcontentlanguages&wbclcontext=term&format=json`, given as a file. Codes that are
already in the table stay: Wikidata accepts some of them only for other texts, and the shipped snapshot has
names in them. Names, scripts and ISO 639-3 codes come from CLDR and the IANA registry through langcodes. What
these lack or have wrong is in `languages.tsv` beside this file: names, all scripts (`-` for none), the
spellings in Wikidata's RDF (the one in use first), for retired codes the code in use, and more names.
What else a language is called (`also`): its name in itself (CLDR), its names in the IANA registry, and its
code of ISO 639-2/B (`fre`).
All scripts means all in which the language is usually written: the primary ones in `languageData.json` of
cldr-core, and those of its names in Wikidata. A code is for one script only where Wikidata has another code
for the other script (`pa` and `pnb`, `crh` and `crh-cyrl`).

Beside it, `scripts.tsv` has the English names of these scripts, from CLDR too, and `registry.tsv` the other
subtags of the IANA registry that a tag may have, from a newer edition than langcodes' (npm's
`language-subtag-registry`): languages, in which word lists and files may be, groups of languages, and
variants. For a retired code it has the code that took its place; `retired.tsv` beside this file has more.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import langcodes
from langcodes.data_dicts import LANGUAGE_ALPHA3, LANGUAGE_ALPHA3_BIBLIOGRAPHIC

from tools.snapshot.packages import document

TABLE = Path(__file__).parent.parent / "testgen" / "languages" / "languages.tsv"
SCRIPTS = TABLE.with_name("scripts.tsv")
REGISTRY = TABLE.with_name("registry.tsv")
CORRECTIONS = Path(__file__).parent / "languages.tsv"
RETIRED = CORRECTIONS.with_name("retired.tsv")
SUBTAGS = "language-subtag-registry"
HEADER = "code\tname\tscripts\ttags\treplaced_by\tiso639_3\talso"

STAND_ALONE = {"Hans": "Simplified Han", "Hant": "Traditional Han"}
"""CLDR's names of scripts that do not follow the name of a language, where these are other names."""


def read_table(path: Path) -> dict[str, dict[str, str]]:
    """The rows of a table, by code."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["code"]: row for row in rows}


def codes_from(path: Path) -> list[str]:
    """The codes of a stored answer to wbcontentlanguages."""
    answer = json.loads(path.read_text(encoding="utf-8"))
    return sorted(answer["query"]["wbcontentlanguages"])


def row(code: str, corrections: dict[str, dict[str, str]]) -> str:
    """One line of the table; a code without a known name is an error."""
    nothing = dict.fromkeys(("name", "scripts", "tags", "replaced_by", "also"), "")
    own = corrections.get(code, nothing)
    used = own["replaced_by"] or code
    tag = own["replaced_by"] or (own["tags"].split() or [code])[0]
    language = langcodes.Language.get(tag)
    name = own["name"] or language.display_name()
    if "Unknown" in name:
        raise SystemExit(f"{code}: langcodes does not know its name; add it to {CORRECTIONS}")
    scripts = own["scripts"] or corrections.get(used, nothing)["scripts"] or language.maximize().script or ""
    iso639_3 = LANGUAGE_ALPHA3.get(code, "")  # of two-letter codes
    other = "; ".join(other_names(code, language, name, own["also"] or ""))
    also = "" if own["replaced_by"] or code == "mul" else other
    return "\t".join((code, name, scripts.strip("-"), own["tags"], own["replaced_by"], iso639_3, also))


def other_names(code: str, language: langcodes.Language, name: str, more: str) -> list[str]:
    """What a language is called besides its name, each once."""
    autonym = language.autonym() if "-x-" not in code else ""  # that of the group, as of gmq-x-osw
    found = [autonym, *registered().get(code, []), *more.split("; ")]
    found.append(LANGUAGE_ALPHA3_BIBLIOGRAPHIC.get(code, ""))
    return [each for each in dict.fromkeys(found) if each and each != name and "Unknown" not in each]


def names_in_registry(entry: dict[str, Any]) -> list[str]:
    """The names of a language in the IANA registry, without remarks such as "(macrolanguage)"."""
    return [re.sub(r"\s*\(.*\)", "", name) for name in entry["Description"]]


@cache
def subtags(kind: str) -> dict[str, dict[str, Any]]:
    """The entries of the IANA registry of one type, such as `language`, by their subtags."""
    entries = document(SUBTAGS, "data/json/registry.json")
    return {each["Subtag"]: each for each in entries if each["Type"] == kind}


@cache
def registered() -> dict[str, list[str]]:
    """The names of single languages and macrolanguages in the IANA registry."""
    return {
        code: names_in_registry(each)
        for code, each in subtags("language").items()
        if each.get("Scope") not in ("collection", "private-use", "special")
    }


def other_subtags(codes: set[str]) -> list[str]:
    """The lines of `registry.tsv`: languages that are not in the main table, groups, and variants."""
    entries, ours = subtags("language"), read_table(RETIRED)
    names = {code: names[0] for code, names in registered().items()}
    names |= {code: each["name"] for code, each in ours.items()}
    retired = {code: each["Preferred-Value"] for code, each in entries.items() if "Preferred-Value" in each}
    retired |= {code: each["replaced_by"] for code, each in ours.items()}
    found = {(code, "language"): name for code, name in names.items() if code not in codes}
    groups = {code: each for code, each in entries.items() if each.get("Scope") == "collection"}
    for kind, of_kind in (("group", groups), ("variant", subtags("variant"))):
        found |= {(code, kind): each["Description"][0] for code, each in of_kind.items()}
    return [
        "\t".join((code, kind, name, retired.get(code, "") if kind == "language" else ""))
        for (code, kind), name in sorted(found.items())
    ]


def main() -> None:
    """Write the table, atomically."""
    corrections = read_table(CORRECTIONS)
    codes = {*read_table(TABLE), *corrections}
    if len(sys.argv) > 1:
        codes.update(codes_from(Path(sys.argv[1])))
    codes -= {*read_table(RETIRED)}
    write(TABLE, [HEADER, *(row(code, corrections) for code in sorted(codes))])
    print(f"{TABLE}: {len(codes)} codes")
    scripts = {script for each in read_table(TABLE).values() for script in each["scripts"].split()}
    write(SCRIPTS, ["code\tname", *(f"{script}\t{script_name(script)}" for script in sorted(scripts))])
    print(f"{SCRIPTS}: {len(scripts)} codes")
    others = other_subtags(codes)
    write(REGISTRY, ["code	kind	name	replaced_by", *others])
    print(f"{REGISTRY}: {len(others)} subtags")


def write(path: Path, lines: list[str]) -> None:
    """Let these lines be a file."""
    temporary = path.with_suffix(".part")
    temporary.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    temporary.replace(path)


def script_name(script: str) -> str:
    """The English name of a script by its ISO 15924 code."""
    return STAND_ALONE.get(script) or langcodes.Language.make(script=script).script_name()


if __name__ == "__main__":
    main()
