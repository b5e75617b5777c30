"""Files that are not dumps are refused before anything else is done."""

from __future__ import annotations

import gzip
import json

import pytest

from testgen import OutputError, SourceError
from testgen.sources import Snapshot
from tests.testgen.snapshots.dumps.small_dump import ENTITIES, JSON, TRIPLES, create, write

NOT_DUMPS = {
    "empty": (b"", "is empty"),
    "empty.gz": (gzip.compress(b""), "is empty"),
    "cut.gz": (gzip.compress(JSON)[:12], "cannot be unpacked .*; download it again"),
    "page.html": (b"<!DOCTYPE html>\n<html>", "is not a dump"),
    "list.json": (json.dumps(ENTITIES).encode(), "without one entity a line"),
    "x.ttl": (b"@prefix wd: <http://www.wikidata.org/entity/> .\n", "is Turtle"),
    "x.csv": (b"id,label\nQ1,universe\n", "is not a dump"),
}


@pytest.mark.parametrize("name", NOT_DUMPS)
def test_other_files_are_refused(tmp_path, name):
    content, complaint = NOT_DUMPS[name]
    with pytest.raises(SourceError, match=complaint):
        create(tmp_path, write(tmp_path, name, content))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_missing_files_and_other_outputs_are_refused(tmp_path):
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        create(tmp_path, tmp_path / "missing.json.gz")
    with pytest.raises(OutputError, match=r"must end in \.ttl"):
        create(tmp_path, write(tmp_path, "d.json", JSON), output="s.nt")


def test_entities_without_brackets_are_accepted(tmp_path):
    path = write(tmp_path, "d.json", JSON.strip().strip(b"[]").strip() + b"\n")
    assert create(tmp_path, path).counts.broken_count == 0


def test_where_a_snapshot_is_from(tmp_path):
    report = create(tmp_path, write(tmp_path, "wikidata-20261101-all.json", JSON))
    found = Snapshot(report.path).provenance
    assert (found.name, found.date) == ("wikidata-20261101-all.json", "2026-11-01")
    assert "schema:sha256" in report.path.read_text(encoding="utf-8")
    date = b'<http://wikiba.se/ontology#Dump> <http://schema.org/dateModified> "2026-10-05T01:02:03Z" .\n'
    report = create(tmp_path, write(tmp_path, "truthy.nt", date + TRIPLES), output="t.ttl")
    assert Snapshot(report.path).provenance.date == "2026-10-05"
