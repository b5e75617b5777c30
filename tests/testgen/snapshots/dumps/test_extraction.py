"""Broken lines are left out, counted, and reported with their position."""

from __future__ import annotations

import pytest

from testgen.snapshots.dumps.values import object_of
from testgen.sources import Snapshot
from tests.testgen.snapshots.dumps.small_dump import JSON, QUERIES, create, write


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
    assert report.broken_count == 5
    assert [each.partition(":")[0] for each in report.broken] == [
        f"d.json, line {number}, byte {2 + sum(len(each) + 1 for each in bad[: number - 2])}"
        for number in range(2, 7)
    ]
    assert "'Q1 <x>' is not an id" in report.broken[2]
    create(tmp_path, write(tmp_path, "e.json", JSON), output="e.ttl")
    for query in QUERIES:
        assert Snapshot(tmp_path / "s.ttl").answer(query) == Snapshot(tmp_path / "e.ttl").answer(query)


def test_only_the_first_broken_lines_are_reported_in_detail(tmp_path):
    path = write(tmp_path, "d.json", JSON.replace(b"[\n", b"[\n" + b"x,\n" * 25))
    report = create(tmp_path, path, block_size=30)
    assert (report.broken_count, len(report.broken)) == (25, 10)
    assert (
        report.broken[9] == "d.json, line 11, byte 29: it does not begin and end with a brace, as entities do"
    )


BAD_VALUES = [
    ("url", "no scheme", None),
    ("url", "http://[", None),
    ("url", "http://a b", "<http://a%20b>"),
    ("monolingualtext", "a-b", None),
    ("monolingualtext", "zh-classical", '"x"@lzh'),
    ("monolingualtext", "zz-123456789", None),
]


@pytest.mark.parametrize(("datatype", "value", "expected"), BAD_VALUES)
def test_what_rdf_cannot_say_is_left_out(datatype, value, expected):
    if datatype == "url":
        assert object_of("string", value, datatype) == expected
    else:
        assert object_of(datatype, {"text": "x", "language": value}, datatype) == expected


def test_names_that_cannot_be_read_are_reported(tmp_path):
    content = JSON.replace(b'"id":"Q142","labels":{', b'"id":"Q142","labels":{"xx":5,')
    assert content != JSON
    report = create(tmp_path, write(tmp_path, "d.json", content))
    assert [each.partition(":")[0] for each in report.without_names] == ["Q142"]
    snapshot = Snapshot(tmp_path / "s.ttl")
    assert ("Q142",) in snapshot.answer(QUERIES[0]).rows
    assert "Q142" not in snapshot.named_items()
