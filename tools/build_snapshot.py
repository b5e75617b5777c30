"""Build the snapshot that ships in `cache/` from Unicode CLDR, whose JSON packages npm fetches.

The output is like Wikidata's RDF: ids and most classes come from the tables in `tools/snapshot/`, and names,
official languages and currencies from CLDR. The same packages and the same tables give the same text.
"""

from __future__ import annotations

import argparse
import gzip
from collections import Counter
from pathlib import Path

from snapshot import cldr, keywords, packages, turtle
from snapshot.items import Item, build

CACHE = Path(__file__).resolve().parent.parent / "cache"
ENOUGH = 100
LICENSE = "https://www.unicode.org/license.txt"

DESCRIPTION = (
    "Names of countries, cities, languages, currencies, scripts, regions, months, weekdays, units and "
    "everyday things from Unicode CLDR {version} (26 languages from CLDR 47), joined to Wikidata's ids. "
    "Not a copy of Wikidata: the labels are CLDR's."
)


def main() -> None:
    """Write the snapshot and its keywords, and print what is in them."""
    major = packages.version().split(".")[0]
    name = f"cldr-{major}"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=CACHE / f"{name}.ttl.gz")
    arguments = parser.parse_args()
    released = cldr.released()
    items = build()
    description = DESCRIPTION.format(version=packages.version())
    text = turtle.document(items, name, released, description, LICENSE)
    arguments.output.write_bytes(gzip.compress(text.encode(), mtime=0))
    words = keywords.by_tag()
    beside = arguments.output.with_name(f"{name}.keywords.zip")
    keywords.write(beside, words, f"{name} keywords", released, LICENSE)
    print(report(items))
    print(f"{len(words):6} languages with keywords of symbols")


def report(items: list[Item]) -> str:
    """Counts of kinds, labels and languages."""
    kinds = Counter(item.kind for item in items)
    countries = Counter(tag for item in items if item.kind in {"state", "limited"} for tag in item.labels)
    tags = {tag for item in items for tag in item.labels}
    lines = [f"{count:6} {kind}" for kind, count in sorted(kinds.items())]
    lines += [
        f"{len(items):6} items",
        f"{sum(len(item.labels) for item in items):6} labels",
        f"{len(tags):6} languages",
        f"{sum(count >= ENOUGH for count in countries.values()):6} with {ENOUGH} country names",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
