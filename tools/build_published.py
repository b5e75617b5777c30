"""Rebuild testgen/serve/published.tsv, published vectors by the languages of test sets, from reference.tsv.

Models that have a page, a paper and languages in common are one line.
"""

from __future__ import annotations

from testgen.serve.published import TABLE
from tools.reference import models


def table() -> str:
    """The lines of the table."""
    found: dict[tuple[str, ...], list[str]] = {}
    for each in models():
        codes = " ".join(sorted(each.languages))
        found.setdefault((each.page, each.licence, each.cite, codes), []).append(each.name)
    lines = ["\t".join((", ".join(names), *of)) for of, names in found.items()]
    return "\n".join(["models\tpage\tlicence\tcite\tlanguages", *lines, ""])


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8", newline="\n")
