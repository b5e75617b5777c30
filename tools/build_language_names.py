"""Rebuild the table of the English names of languages that readers of data sets find in names of columns.

A row is the code of a language and, with tabs between, its other codes and its names, as in testgen's table
of languages and evaluator's of ISO 639. A name that means another language to testgen, as `Asu`, which is a
code, is left out, and so is `in`, once the code of Indonesian: names of columns have the English word.
"""

from __future__ import annotations

from pathlib import Path

from evaluator.text.normalization import other_codes
from testgen.errors import LanguageError
from testgen.languages.codes import canonical, languages

TABLE = Path(__file__).parent.parent / "evaluator" / "datasets" / "language_names.tsv"


def table() -> str:
    """All rows."""
    in_use = (
        each
        for code, each in sorted(languages().items())
        if each.replaced_by is None and ("-" not in code or "-x-" in code) and code != "mul"
    )
    rows = (
        dict.fromkeys(
            [each.code, *other_codes().get(each.code, ()), each.iso639_3 or "", each.name, *each.also]
        )
        for each in in_use
    )
    return "".join("\t".join(each for each in row if means(each, next(iter(row)))) + "\n" for row in rows)


def means(text: str, code: str) -> bool:
    """Whether a text is a code or name of this language, and no other language's code or only name."""
    try:
        return text not in ("", "in") and canonical(text) == code
    except LanguageError:  # several languages have the name
        return True


def main() -> None:
    """Write the table."""
    TABLE.write_text(table(), encoding="utf-8", newline="\n")
    print(f"{TABLE}: {table().count(chr(10))} languages")


if __name__ == "__main__":
    main()
