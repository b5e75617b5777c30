"""Rebuild testgen/languages/alphabets.tsv: the letters of each language, as far as they tell it from others.

They are the exemplar characters of Unicode CLDR (`cldr-misc-full`, `exemplarCharacters`): letters that an
ordinary text of the language has. Only letters of scripts in which marks or similar letters make a difference
are kept (Latin, Greek, Cyrillic, Hebrew, Arabic), and of these none of ASCII. A letter with a mark that
stands here is a letter of its own.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

import regex

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from snapshot import packages  # noqa: E402

from testgen.languages.codes import from_tag, languages  # noqa: E402

TABLE = ROOT / "testgen" / "languages" / "alphabets.tsv"
_ITEM = regex.compile(r"\{([^{}]+)\}|\\u([0-9A-Fa-f]{4})|\\?(\X)")
_LETTERS = regex.compile(
    r"[\p{L}&&[\p{Latin}\p{Greek}\p{Cyrillic}\p{Hebrew}\p{Arabic}]]\p{M}*", regex.VERSION1
)
_RANGE = regex.compile(r"(\S)-(\S)")


def letters(exemplars: str) -> list[str]:
    """The letters of a set of characters as CLDR writes it, `[a ą {dž}]`; digraphs are no letters here."""
    inside = _RANGE.sub(
        lambda match: " ".join(map(chr, range(ord(match[1]), ord(match[2]) + 1))), exemplars[1:-1]
    )
    items = [match[1] or match[3] for match in _ITEM.finditer(inside) if not match[2]]
    found = {unicodedata.normalize("NFC", each) for each in items}
    return sorted(each for each in found if not each.isascii() and _LETTERS.fullmatch(each))


def main() -> None:
    """Write the table; a variety that has the letters of its language has no line."""
    found: dict[str, list[str]] = {}
    for locale, content in packages.documents("cldr-misc-full", "characters.json"):
        stated = content["main"][locale]["characters"].get("exemplarCharacters", "[]")
        code = from_tag(locale)
        if code is not None and (own := letters(stated)):
            found[code] = own
    rows = [
        f"{code}\t{' '.join(own)}"
        for code, own in sorted(found.items())
        if code == languages()[code].whole or own != found.get(languages()[code].whole)
    ]
    TABLE.write_text("\n".join(["code\tletters", *rows]) + "\n", encoding="utf-8", newline="\n")
    print(f"{TABLE}: {len(rows)} languages and varieties")


if __name__ == "__main__":
    main()
