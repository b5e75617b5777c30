"""Files that are not dumps are refused before anything else is done."""

from __future__ import annotations

import gzip
import hashlib
import json

import pytest

from testgen import OutputError, SourceError
from testgen.sources import Snapshot
from tests.testgen.snapshots.dumps.small_dump import ENTITIES, JSON, create, write

NOT_DUMPS = {
    "empty": (b"", "is empty"),
    "empty.gz": (gzip.compress(b""), "is empty"),
    "cut.gz": (gzip.compress(JSON)[:12], "cannot be unpacked .*; download it again"),
    "page.html": (b"<!DOCTYPE html>\n<html>", "is not a dump"),
    "list.json": (json.dumps(ENTITIES).encode(), "without one entity a line"),
    "x.ttl": (b"@prefix wd: <http://www.wikidata.org/entity/> .\n", "is RDF"),
    "truthy.nt.gz": (
        gzip.compress(b"<http://a> <http://b> <http://c> .\n"),
        "fetch latest-all.json.gz from https",
    ),
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
    assert create(tmp_path, path).broken_count == 0


@pytest.mark.parametrize(
    ("name", "date"), [("wikidata-20261101-all.json", "2026-11-01"), ("all.json", "2026-10-05")]
)
def test_where_a_snapshot_is_from(tmp_path, name, date):
    content = JSON.replace(b'"type":"item"', b'"type":"item","modified":"2026-10-05T01:02:03Z"')
    path = write(tmp_path, name, content)
    create(tmp_path, path)
    found = Snapshot(tmp_path / "s.ttl").provenance
    assert (found.name, found.date) == (name, date)
    digest = hashlib.sha256(content).hexdigest()
    assert f'schema:sha256 "{digest}"' in (tmp_path / "s.ttl").read_text(encoding="utf-8")
