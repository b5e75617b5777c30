"""Reading dumps: broken lines, files that are cut off or none, passes that are broken off."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import signal
import subprocess
import sys

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import testgen
from testgen import OutputError, SourceError
from testgen.dumps import spill
from testgen.dumps.blocks import Cutting, Position, first_boundary
from testgen.dumps.bzip2 import Bzip2Part, is_whole
from testgen.dumps.dumpfile import dump_file
from testgen.dumps.make import Settings, create_from_dumps
from testgen.dumps.parallel import run_each
from testgen.dumps.values import object_of
from testgen.sources import Snapshot
from tests.servers.entities import small_entities
from tests.servers.rdf import store_from_entities
from tests.testgen.dump_files import json_dump, triples_dump

ENTITIES = [each for each in small_entities().values() if "redirect" not in each]
JSON, TRIPLES = json_dump(ENTITIES), triples_dump(store_from_entities(ENTITIES))
QUERIES = testgen.choose(["country", "country-official-language", "noun-plural"])
PACK = {"json": bytes, "json.gz": gzip.compress, "json.bz2": bz2.compress, "json.zst": zstandard.compress}


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def make(tmp_path, *dumps, output="s.ttl", **settings):
    return create_from_dumps(
        tmp_path / output, QUERIES, dumps, settings=Settings(**{"workers": 1, **settings})
    )


@given(
    st.lists(st.binary(max_size=40).map(lambda part: part * 700), min_size=1, max_size=12),
    st.integers(1, 5000),
    st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_bzip2_in_parts_of_any_size(tmp_path_factory, parts, step, new_stream):
    streams, current = [], b""
    for part, new in zip(parts, new_stream, strict=False):
        current += part
        if new:
            streams.append(current)
            current = b""
    packed = b"".join(bz2.compress(each, 1) for each in [*streams, current])
    path = write(tmp_path_factory.mktemp("b"), "x.bz2", packed)
    ends = [*range(step, len(packed), step), len(packed)]
    found = [Bzip2Part(path, start, end).read()[0] for start, end in zip([0, *ends], ends, strict=False)]
    assert b"".join(found) == b"".join(parts)
    assert is_whole(path)
    assert not is_whole(write(path.parent, "y.bz2", packed[:-5]))


@given(
    st.lists(st.sampled_from([b"<a> 1\n", b"<a> 2\n", b"<bb> 1\n", b"<c>\t1\n", b"# c\n"])),
    st.integers(1, 40),
)
def test_each_unit_is_in_one_block(tmp_path_factory, lines, size):
    """Whatever the size of blocks: all units, whole, in their order."""
    path = write(tmp_path_factory.mktemp("u"), "x.nt", b"<s> <p> <o> .\n" + b"".join(lines))
    blocks = [block.units() for block in Cutting(dump_file(path), Position(), size).blocks()]
    assert b"".join(blocks) == path.read_bytes()
    subjects = [{line.split()[0] for line in block.splitlines() if line.strip()} for block in blocks]
    runs = [line.split()[0] for line in path.read_bytes().splitlines() if line.strip()]
    if len(set(runs)) == sum(one != other for one, other in zip(runs, [None, *runs], strict=False)):
        assert sum(map(len, subjects)) == len(set(runs))


def test_a_boundary_needs_what_comes_after_it():
    assert first_boundary(b"x", "JSON", last=False) is None
    assert first_boundary(b"x", "JSON", last=True) == 1
    assert first_boundary(b"x\n<a> 1\n", "N-Triples", last=False) is None
    assert first_boundary(b"x\n<a> 1\n<a> 2\n<b> 1\n", "N-Triples", last=False) == 14


def test_broken_lines_are_counted_named_and_skipped(tmp_path):
    lines = JSON.split(b"\n")
    bad = [
        lines[1][:-9] + b"},",
        b"rubbish,",
        b'{"id":"Q1 <x>","claims":{}},',
        b'{"type":"item"},',
        lines[3][:50],
    ]
    path = write(tmp_path, "d.json", b"\n".join([lines[0], *bad, *lines[1:]]))
    report = make(tmp_path, path)
    assert report.faulty == 5
    assert [fault.partition(":")[0] for fault in report.faults] == [
        f"d.json, line {number}, byte {2 + sum(len(each) + 1 for each in bad[: number - 2])}"
        for number in range(2, 7)
    ]
    assert "'Q1 <x>' is no id" in report.faults[2]
    whole = make(tmp_path, write(tmp_path, "e.json", JSON), output="e.ttl")
    for query in QUERIES:
        assert Snapshot(report.path).answer(query) == Snapshot(whole.path).answer(query)


def test_only_the_first_broken_lines_are_told_in_detail(tmp_path):
    path = write(tmp_path, "d.json", JSON.replace(b"[\n", b"[\n" + b"x,\n" * 25))
    report = make(tmp_path, path, block_size=30)
    assert (report.faulty, len(report.faults)) == (25, 10)
    assert (
        report.faults[9]
        == "d.json, line 11, byte 29: it does not begin and end with a brace, as an entity does"
    )


def test_broken_triples_are_counted_named_and_skipped(tmp_path):
    wd = b"<http://www.wikidata.org/entity/"
    bad = [wd + b"Q142> <http://www.wikidata.org/prop/direct/P31> nothing .", b"rubbish", wd + b"Q1> <p>"]
    lines = TRIPLES.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(wd + b"Q142>"))
    path = write(
        tmp_path, "d.nt", b"\n".join([*lines[: at + 1], *bad[:1], *lines[at + 1 :], *bad[1:], lines[0]])
    )
    report = make(tmp_path, path)
    assert report.faulty == 3
    assert report.faults[0].startswith(f"d.nt, line {at + 2}, byte ")
    assert len(Snapshot(report.path).answer(QUERIES[0]).rows) > 3


@pytest.mark.parametrize("ending", PACK)
def test_a_dump_that_is_cut_off_is_refused_unless_allowed(tmp_path, ending):
    half = len(JSON) // 2
    packed = PACK[ending](JSON[:half]) + PACK[ending](JSON[half:])
    path = write(tmp_path, f"d.{ending}", packed[: len(packed) * 3 // 4])
    with pytest.raises(SourceError, match=f"d.{ending} is not whole: .*--allow-truncated"):
        make(tmp_path, path)
    assert not (tmp_path / "s.ttl").exists()
    report = make(tmp_path, path, allow_truncated=True)
    assert report.ends
    assert Snapshot(report.path).answer(QUERIES[0]).rows


def test_a_whole_gzip_file_of_half_a_dump_is_cut_off_too(tmp_path):
    path = write(tmp_path, "d.json.gz", gzip.compress(JSON.rpartition(b"]")[0]))
    with pytest.raises(SourceError, match=r"its last line is not \]; .* bytes of text were read"):
        make(tmp_path, path)


def test_entities_without_brackets_will_do(tmp_path):
    path = write(tmp_path, "d.json", JSON.strip().strip(b"[]").strip() + b"\n")
    assert make(tmp_path, path).faulty == 0


NO_DUMPS = {
    "empty": (b"", "holds nothing"),
    "empty.gz": (gzip.compress(b""), "holds nothing"),
    "page.html": (b"<!DOCTYPE html>\n<html>", "is no dump"),
    "list.json": (json.dumps(ENTITIES).encode(), "not one entity a line"),
    "x.ttl": (b"@prefix wd: <http://www.wikidata.org/entity/> .\n", "is Turtle"),
    "x.csv": (b"id,label\nQ1,universe\n", "is no dump"),
}


@pytest.mark.parametrize("name", NO_DUMPS)
def test_what_is_no_dump_is_refused_at_once(tmp_path, name):
    content, complaint = NO_DUMPS[name]
    with pytest.raises(SourceError, match=complaint):
        make(tmp_path, write(tmp_path, name, content))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_other_things_that_cannot_be(tmp_path):
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        make(tmp_path, tmp_path / "missing.json.gz")
    path = write(tmp_path, "d.json", JSON)
    with pytest.raises(OutputError, match=r"ends in \.ttl"):
        make(tmp_path, path, output="s.nt")
    shuffled = b"".join(sorted(TRIPLES.splitlines(keepends=True), key=lambda line: line[::-1]))
    with pytest.raises(SourceError, match=r"what is said of Q\d+ does not stand together"):
        make(tmp_path, write(tmp_path, "d.nt", shuffled))


@pytest.mark.parametrize("ending", ["json.gz", "json.bz2", "json"])
def test_several_workers_make_the_same_bytes(tmp_path, ending):
    path = write(tmp_path, f"d.{ending}", PACK[ending](JSON))
    for workers in (1, 2):
        make(tmp_path, path, output=f"{workers}.ttl", workers=workers, block_size=5000)
    assert (tmp_path / "1.ttl").read_bytes() == (tmp_path / "2.ttl").read_bytes()


def _die(task):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_is_an_error_with_advice():
    with pytest.raises(SourceError, match="with fewer --workers, and it goes on where it stopped"):
        list(run_each(_die, [1, 2, 3], 2))


KILLED = """
import os, signal, sys
import testgen
from testgen.dumps import spill
from testgen.dumps.make import Settings, create_from_dumps
spill._EVERY = 0.0
calls = int(sys.argv[3])
def notify(*_):
    global calls
    calls -= 1
    if calls < 0:
        os.kill(os.getpid(), signal.SIGKILL)
queries = testgen.choose(["country", "country-official-language", "noun-plural"])
settings = Settings(workers=1, block_size=4000)
create_from_dumps(sys.argv[2], queries, sys.argv[4:], settings=settings, notify=notify)
"""


@pytest.mark.parametrize("endings", [["json.gz", "nt"], ["json.bz2"]])
def test_a_pass_that_is_killed_goes_on_where_it_was(tmp_path, endings):
    pack = {**PACK, "nt": lambda _: TRIPLES}
    parts = len(JSON) // 3
    dumps = [write(tmp_path, f"d.{ending}", pack[ending](JSON)) for ending in endings]
    if endings[0] == "json.gz":  # several streams, at whose beginnings it can go on
        dumps[0].write_bytes(
            b"".join(map(gzip.compress, (JSON[:parts], JSON[parts : 2 * parts], JSON[2 * parts :])))
        )
    make(tmp_path, *dumps, output="fair.ttl", block_size=4000)
    output = tmp_path / "foul.ttl"
    for calls in (3, 4, 6):
        command = [sys.executable, "-c", KILLED, "x", str(output), str(calls), *map(str, dumps)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode == 0:
            break
        assert run.returncode == -signal.SIGKILL, run.stderr
        assert not output.exists()
        state = tmp_path / ".part.foul.ttl.dump" / "state.json"
        assert json.loads(state.read_text())["total"] > 0
        if calls == 4:  # appended, but not noted any more
            with (state.parent / spill.STATEMENTS).open("ab") as file:
                file.write(b"half a frame")
    make(tmp_path, *dumps, output="foul.ttl", block_size=4000)
    assert output.read_bytes() == (tmp_path / "fair.ttl").read_bytes()
    assert not list(tmp_path.glob(".part*"))


def test_a_pass_of_something_else_is_not_gone_on_with(tmp_path):
    path = write(tmp_path, "d.json.gz", gzip.compress(JSON)[:-9])
    with pytest.raises(SourceError, match="not whole"):
        make(tmp_path, path)
    settings = Settings(workers=1)
    with pytest.raises(SourceError, match="was begun with other queries; run that command again, write to"):
        create_from_dumps(tmp_path / "s.ttl", QUERIES[:1], [path], settings=settings)
    path.write_bytes(gzip.compress(JSON))
    with pytest.raises(SourceError, match="was begun with other dumps"):
        make(tmp_path, path)
    (tmp_path / ".part.s.ttl.dump" / "state.json").write_text("{")
    with pytest.raises(SourceError, match="cannot be understood; delete"):
        make(tmp_path, path)


def test_where_a_snapshot_is_from(tmp_path):
    report = make(tmp_path, write(tmp_path, "wikidata-20261101-all.json", JSON))
    found = Snapshot(report.path).provenance
    assert (found.name, found.date) == ("wikidata-20261101-all.json", "2026-11-01")
    assert "schema:sha256" in report.path.read_text(encoding="utf-8")
    said = b'<http://wikiba.se/ontology#Dump> <http://schema.org/dateModified> "2026-10-05T01:02:03Z" .\n'
    report = make(tmp_path, write(tmp_path, "truthy.nt", said + TRIPLES), output="t.ttl")
    assert Snapshot(report.path).provenance.date == "2026-10-05"


VALUES = [
    ("time", {"time": "+1879-03-14T00:00:00Z", "precision": 11}, '"1879-03-14T00:00:00Z"'),
    ("time", {"time": "+1879-00-00T00:00:00Z", "precision": 9}, '"1879-01-01T00:00:00Z"'),
    ("time", {"time": "-0044-03-15T00:00:00Z", "precision": 9}, '"-0043-03-15T00:00:00Z"'),
    (
        "time",
        {
            "time": "+1582-10-04T00:00:00Z",
            "precision": 11,
            "calendarmodel": "http://www.wikidata.org/entity/Q1985786",
        },
        '"1582-10-14T00:00:00Z"',
    ),
    ("quantity", {"amount": "+12.50", "unit": "1"}, '"12.50"'),
    ("monolingualtext", {"text": 'a "b"\\\n', "language": "sr-ec"}, '"a \\"b\\"\\\\\\n"@sr-cyrl'),
    ("wikibase-entityid", {"entity-type": "item", "numeric-id": 5}, "<http://www.wikidata.org/entity/Q5>"),
    ("string", "x", '"x"'),
    ("of the future", {}, None),
]


@pytest.mark.parametrize(("kind", "value", "expected"), VALUES)
def test_values(kind, value, expected):
    found = object_of(kind, value, "")
    assert found is None if expected is None else found.partition("^^")[0] == expected
