"""Broken lines are left out, counted, and reported with their position."""

from __future__ import annotations

import pytest

from testgen import SourceError
from testgen.sources import Snapshot
from tests.testgen.snapshots.dumps.small_dump import JSON, QUERIES, TRIPLES, create, write


def test_broken_lines_of_json(tmp_path):
    lines = JSON.split(b"\n")
    bad = [
        lines[1][:-9] + b"},",
        b"rubbish,",
        b'{"id":"Q1 <x>","claims":{}},',
        b'{"type":"item"},',
        lines[3][:50],
    ]
    path = write(tmp_path, "d.json", b"\n".join([lines[0], *bad, *lines[1:]]))
    report = create(tmp_path, path)
    assert report.counts.broken_count == 5
    assert [each.partition(":")[0] for each in report.counts.broken] == [
        f"d.json, line {number}, byte {2 + sum(len(each) + 1 for each in bad[: number - 2])}"
        for number in range(2, 7)
    ]
    assert "'Q1 <x>' is not an id" in report.counts.broken[2]
    whole = create(tmp_path, write(tmp_path, "e.json", JSON), output="e.ttl")
    for query in QUERIES:
        assert Snapshot(report.path).answer(query) == Snapshot(whole.path).answer(query)


def test_only_the_first_broken_lines_are_reported_in_detail(tmp_path):
    path = write(tmp_path, "d.json", JSON.replace(b"[\n", b"[\n" + b"x,\n" * 25))
    report = create(tmp_path, path, block_size=30)
    assert (report.counts.broken_count, len(report.counts.broken)) == (25, 10)
    assert (
        report.counts.broken[9]
        == "d.json, line 11, byte 29: it does not begin and end with a brace, as entities do"
    )


def test_broken_lines_of_triples(tmp_path):
    wd = b"<http://www.wikidata.org/entity/"
    bad = [wd + b"Q142> <http://www.wikidata.org/prop/direct/P31> nothing .", b"rubbish", wd + b"Q1> <p>"]
    lines = TRIPLES.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(wd + b"Q142>"))
    path = write(
        tmp_path, "d.nt", b"\n".join([*lines[: at + 1], *bad[:1], *lines[at + 1 :], *bad[1:], lines[0]])
    )
    report = create(tmp_path, path)
    assert report.counts.broken_count == 3
    assert report.counts.broken[0].startswith(f"d.nt, line {at + 2}, byte ")
    assert len(Snapshot(report.path).answer(QUERIES[0]).rows) > 3


def test_triples_of_an_item_must_be_next_to_each_other(tmp_path):
    shuffled = b"".join(sorted(TRIPLES.splitlines(keepends=True), key=lambda line: line[::-1]))
    with pytest.raises(SourceError, match=r"the triples of Q\d+ are not next to each other"):
        create(tmp_path, write(tmp_path, "d.nt", shuffled))
