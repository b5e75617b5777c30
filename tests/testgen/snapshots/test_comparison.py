"""What is in a snapshot, and what has changed between two."""

from __future__ import annotations

import testgen
from testgen.snapshots import comparison
from testgen.sources import RdfSource
from tests.testgen.conftest import TURTLE


def test_info(small):
    found = comparison.info(RdfSource(small))
    assert found["answers"]["country"] == 6
    assert found["labels"]["la"] == 11
    assert "weekday" not in found["answers"]


def test_diff(small, tmp_path):
    later = (
        TURTLE.replace('"Gallia"@la', '"Francogallia"@la')
        .replace("wd:Q29 wdt:P31 wd:Q3624078", "wd:Q29 wdt:P31 wd:Q3024240")
        .replace("wd:Q183 wdt:P31 wd:Q3624078", "wd:Q90183 wdt:P31 wd:Q3624078")
        .replace('wd:Q9001 wdt:P31 wd:Q3624078 ; wdt:P576 "1871-01-18"', "wd:Q9001 wdt:P31 wd:Q3624078")
    )
    path = tmp_path / "later.ttl"
    path.write_text(later, encoding="utf-8")
    changes = comparison.diff(RdfSource(small), RdfSource(path), testgen.choose(["country"]), ["la"])
    assert changes.to_numpy().tolist() == [
        ["country", "la", "lost", "Q29", "Hispania", ""],
        ["country", "la", "renamed", "Q142", "Gallia", "Francogallia"],
        ["country", "la", "merged", "Q183", "Germania", "Germania (Q90183)"],
        ["country", "la", "gained", "Q9001", "", "Borussia"],
        ["country", "la", "gained", "Q90183", "", "Germania"],
    ]
    assert comparison.diff(RdfSource(small), RdfSource(small), testgen.choose(["country"])).empty
