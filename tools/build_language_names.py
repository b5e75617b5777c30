"""Rebuild the table of the English names of languages that readers of data sets find in names of columns.

A row is the code of a language and, with tabs between, its three-letter codes and its names, as in testgen's
table of languages and evaluator's of ISO 639.
"""

from __future__ import annotations

from pathlib import Path

from evaluator.text.normalization import longer_codes
from testgen.languages.codes import languages

TABLE = Path(__file__).parent.parent / "evaluator" / "datasets" / "language_names.tsv"


def table() -> str:
    """All rows."""
    in_use = (
        each for _, each in sorted(languages().items()) if each.replaced_by is None and "-" not in each.code
    )
    rows = (
        dict.fromkeys(
            [each.code, *longer_codes().get(each.code, ()), each.iso639_3 or "", each.name, *each.also]
        )
        for each in in_use
    )
    return "".join("\t".join(filter(None, row)) + "\n" for row in rows)


def main() -> None:
    """Write the table."""
    TABLE.write_text(table(), encoding="utf-8", newline="\n")
    print(f"{TABLE}: {table().count(chr(10))} languages")


if __name__ == "__main__":
    main()
