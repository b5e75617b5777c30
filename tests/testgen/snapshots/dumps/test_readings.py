"""A run that was killed repeats only the reading that was interrupted, and only for the same task."""

from __future__ import annotations

import bz2
import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import testgen
from testgen import OutputError, SourceError
from testgen.snapshots.dumps import creation
from testgen.snapshots.dumps.creation import DumpReport, ReadOptions, create_from_dumps
from testgen.snapshots.dumps.dump_file import dump_file
from testgen.sources import Snapshot
from tests.conftest import REPOSITORY
from tests.testgen.snapshots.dumps.dump_files import entities_of, json_dump, store_of
from tests.testgen.snapshots.dumps.small_dump import COMPRESS, JSON, QUERIES, create, write

THREADS = Path("/proc/self/task")

KILLED = """
import os, signal, sys
import testgen
from testgen.snapshots.dumps.creation import create_from_dumps
def notify(what, *_):
    if what.endswith(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
queries = testgen.choose(["country", "country-official-language", "noun-plural"])
create_from_dumps(sys.argv[2], queries, sys.argv[3:], workers=1, block_size=4000, notify=notify)
"""


class InterruptionError(Exception):
    pass


def stop_at(what):
    """A function that ends a run when it is told of something."""

    def notify(told, *_):
        if told.endswith(what):
            raise InterruptionError

    return notify


@pytest.mark.slow
@pytest.mark.parametrize("ending", COMPRESS)
def test_a_killed_run_is_resumed_and_gives_the_same_bytes(tmp_path, ending):
    dumps = [write(tmp_path, f"{name}.{ending}", COMPRESS[ending](JSON)) for name in "de"]
    create(tmp_path, *dumps, output="expected.ttl", block_size=4000)
    output, folder, told = tmp_path / "resumed.ttl", tmp_path / ".part.resumed.ttl.dump", []
    for where, finished in (("for statements", False), ("the queries", False), ("for names", True)):
        command = [sys.executable, "-c", KILLED, where, str(output), *map(str, dumps)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == -signal.SIGKILL, run.stderr
        assert (output.exists(), (folder / "report.json").exists()) == (False, finished)
    create(tmp_path, *dumps, output="resumed.ttl", block_size=4000, notify=lambda what, *_: told.append(what))
    assert {what.partition(" ")[2] for what in told} == {"for names"}
    assert output.read_bytes() == (tmp_path / "expected.ttl").read_bytes()
    assert not list(tmp_path.glob(".part*"))


def test_a_finished_second_reading_is_kept_until_the_snapshot_is_written(tmp_path, monkeypatch):
    path, told = write(tmp_path, "d.json", JSON), []
    create(tmp_path, path, output="expected.ttl")
    with monkeypatch.context() as patch:
        patch.setattr("testgen.snapshots.dumps.creation.write", lambda *_: stop_at("")(""))
        with pytest.raises(InterruptionError):
            create(tmp_path, path)
    create(tmp_path, path, notify=lambda *what: told.append(what))
    assert told == []
    assert (tmp_path / "s.ttl").read_bytes() == (tmp_path / "expected.ttl").read_bytes()


def test_what_was_read_is_not_used_for_another_task(tmp_path):
    path = write(tmp_path, "d.json.gz", gzip.compress(JSON))
    with pytest.raises(InterruptionError):
        create(tmp_path, path, notify=stop_at("for names"))
    with pytest.raises(SourceError, match="holds what was read with other queries; run that command again"):
        create_from_dumps(tmp_path / "s.ttl", QUERIES[:1], [path])
    path.write_bytes(gzip.compress(JSON))
    with pytest.raises(SourceError, match="holds what was read with other dumps"):
        create(tmp_path, path)
    report = tmp_path / ".part.s.ttl.dump" / "report.json"
    report.write_text('{"task": {}, "total": "one"}')
    with pytest.raises(SourceError, match=r"cannot be read \(Expected `int`.*\$.total.*; delete"):
        create(tmp_path, path)


def test_a_dump_that_changes_between_the_readings_is_refused(tmp_path):
    path = write(tmp_path, "d.json", JSON)

    def replace(what, *_):
        if what == "answering the queries":
            path.write_bytes(JSON + b"\n")

    with pytest.raises(SourceError, match=r"read for the names, and .* do not change the file"):
        create(tmp_path, path, notify=replace)


def test_an_incomplete_dump_that_was_allowed_is_still_refused_without_the_option(tmp_path):
    path = write(tmp_path, "d.json.gz", gzip.compress(JSON)[:-300])
    with pytest.raises(InterruptionError):
        create(tmp_path, path, allow_truncated=True, notify=stop_at("for names"))
    with pytest.raises(SourceError, match="is incomplete"):
        create(tmp_path, path)


def test_names_of_the_answers_only_are_stored(tmp_path):
    path = write(tmp_path, "d.json", JSON)
    queries, output = testgen.choose(["country"]), tmp_path / "s.ttl"
    with pytest.raises(InterruptionError):
        create_from_dumps(output, queries, [path], workers=1, notify=stop_at("for names"))
    report = json.loads((tmp_path / ".part.s.ttl.dump" / "report.json").read_text())
    create_from_dumps(output, queries, [path], workers=1)
    snapshot = Snapshot(output)
    assert report["items"] == [item for (item,) in snapshot.answer(queries[0]).rows]
    assert 0 < len(report["items"]) < report["entities"] / 2


def test_threads_that_unpack_end_if_the_database_cannot_be_written(tmp_path, monkeypatch):
    path = write(tmp_path, "d.json.bz2", bz2.compress(b"[\n" + 100 * JSON[2:-3] + b"\n]\n", 1))
    report, options = DumpReport({}, items=["Q142"]), ReadOptions(1, 4000, stop_at("never"))
    before = len(list(THREADS.iterdir()))
    monkeypatch.setattr(creation.msgspec.json, "encode", lambda _: object())  # cannot be stored
    with pytest.raises(OutputError, match="cannot be written") as held:
        creation.read_names([dump_file(path)], report, tmp_path / "names", options)
    assert len(list(THREADS.iterdir())) == before
    assert held.tb, "what it holds must not keep them running"


def test_without_items_that_need_names_there_is_one_reading(tmp_path):
    graph = (REPOSITORY / "tests" / "testgen" / "graphs" / "noun-plural.ttl").read_text(encoding="utf-8")
    told, path = [], write(tmp_path, "d.json", json_dump(entities_of(store_of(graph))))
    queries = testgen.choose(["noun-plural"])
    create_from_dumps(
        tmp_path / "s.ttl", queries, [path], workers=1, notify=lambda *what: told.append(what[0])
    )
    assert told == ["d.json for statements", "answering the queries"]
