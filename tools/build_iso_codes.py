"""Rebuild the table of ISO 639 codes: the three-letter codes of languages that have a two-letter one.

A row is a two-letter code of ISO 639-1, a tab, and the codes of ISO 639-3 (and 639-2/B) that mean the same
language. They come from the IANA registry and CLDR through langcodes.
"""

from __future__ import annotations

from pathlib import Path

from langcodes.data_dicts import LANGUAGE_ALPHA3, LANGUAGE_ALPHA3_BIBLIOGRAPHIC

TABLE = Path(__file__).parent.parent / "evaluator" / "text" / "iso639.tsv"
WITHDRAWN = {"bh", "in", "iw", "ji", "jw", "mo"}
"""Two-letter codes that ISO has withdrawn; others took their place."""


def table() -> str:
    """All rows."""
    codes = sorted(code for code in LANGUAGE_ALPHA3 if len(code) == 2 and code not in WITHDRAWN)
    longer = {
        code: dict.fromkeys([LANGUAGE_ALPHA3[code], LANGUAGE_ALPHA3_BIBLIOGRAPHIC.get(code, "")])
        for code in codes
    }
    return "".join(f"{code}\t{' '.join(filter(None, longer[code]))}\n" for code in codes)


def main() -> None:
    """Write the table."""
    TABLE.write_text(table(), encoding="utf-8", newline="\n")
    print(f"{TABLE}: {table().count(chr(10))} codes")


if __name__ == "__main__":
    main()
