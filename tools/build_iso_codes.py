"""Rebuild the table of other codes of a language than that of its test set.

A row is a code, a tab, and what else means the same language: the codes of ISO 639-3 (and 639-2/B) of a
language with a two-letter code, retired codes, and other spellings of a code for a stage of the past. They
come from the IANA registry and CLDR through langcodes, and from testgen's tables of languages.
"""

from __future__ import annotations

from pathlib import Path

from langcodes.data_dicts import LANGUAGE_ALPHA3, LANGUAGE_ALPHA3_BIBLIOGRAPHIC

from testgen.languages.codes import languages
from testgen.languages.registry import retired

TABLE = Path(__file__).parent.parent / "evaluator" / "text" / "iso639.tsv"
WITHDRAWN = {"bh", "in", "iw", "ji", "jw", "mo"}
"""Two-letter codes that ISO has withdrawn; others took their place."""


def table() -> str:
    """All rows."""
    found: dict[str, list[str]] = {}
    for code in sorted(code for code in LANGUAGE_ALPHA3 if len(code) == 2 and code not in WITHDRAWN):
        found[code] = [LANGUAGE_ALPHA3[code], LANGUAGE_ALPHA3_BIBLIOGRAPHIC.get(code, "")]
    for old, code in retired().items():
        found.setdefault(code, []).append(old)
    for code, language in languages().items():
        if "-x-" in code:
            found[code] = [tag for tag in language.tags if tag != code]
    longer = {code: dict.fromkeys(filter(None, others)) for code, others in sorted(found.items())}
    return "".join(f"{code}\t{' '.join(others)}\n" for code, others in longer.items() if others)


def main() -> None:
    """Write the table."""
    TABLE.write_text(table(), encoding="utf-8", newline="\n")
    print(f"{TABLE}: {table().count(chr(10))} codes")


if __name__ == "__main__":
    main()
