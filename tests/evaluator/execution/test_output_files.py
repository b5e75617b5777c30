"""Files that replace others: a power cut at any moment leaves the old or the new."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from evaluator.execution import output_files
from evaluator.execution.output_files import atomic_output, is_stream, sweep_leftovers


def test_a_file_is_on_the_disk_before_it_replaces_another(tmp_path, monkeypatch):
    path, done = tmp_path / "file", []
    path.write_text("old")
    sync, replace = os.fsync, Path.replace

    def noted_sync(descriptor):
        status = os.fstat(descriptor)
        done.append("folder" if stat.S_ISDIR(status.st_mode) else f"{status.st_size} bytes")
        sync(descriptor)

    def noted_replace(temporary, target):
        done.append("replace")
        return replace(temporary, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    with atomic_output(path) as temporary:
        temporary.write_text("newer")
        assert path.read_text() == "old"
    assert done == ["5 bytes", "replace", "folder"]
    assert path.read_text() == "newer"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


STEERING = "\x1b\x9f\x7f\r\u2028\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ud800\uffff"


@pytest.mark.parametrize("sign", STEERING)
@pytest.mark.parametrize("lines", [True, False])
def test_signs_that_nobody_sees_and_that_steer_are_escapes(sign, lines):
    assert output_files.visible(f"a{sign}b", lines=lines) == f"a\\u{ord(sign):04x}b"


def test_a_name_is_one_line_and_a_file_may_have_several():
    assert output_files.visible("a\tb\nc") == r"a\u0009b\u000ac"
    assert output_files.visible("a\tb\nc", lines=True) == "a\tb\nc"


@pytest.mark.parametrize(
    "text", ["שלום\u200f", "نمی\u200cخواهم", "👩\u200d🔬", "e\u0301", r"C:\users", "a b\xa0c"]
)
def test_what_writing_needs_stays(text):
    assert output_files.visible(text) == text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-x", "'-x"),
        ("@sum", "'@sum"),
        ("-0.5", "-0.5"),
        ("+1e3", "+1e3"),
        ("\t=1", r"\u0009=1"),
        ("a\u202eb", r"a\u202eb"),
        (-0.5, -0.5),
        (None, None),
        ("rex", "rex"),
    ],
)
def test_a_spreadsheet_runs_no_cell(value, written):
    assert output_files.csv_cell(value) == written


def test_a_file_that_is_locked_is_said_to_be(tmp_path):
    path = tmp_path / "file"
    path.touch()
    with output_files.locked(path), pytest.raises(BlockingIOError), output_files.locked(path):
        pass


def test_what_was_left_of_a_file_is_swept_away_and_nothing_of_others(tmp_path):
    path = tmp_path / "la.json"
    own = [tmp_path / ".part.17.la.json", tmp_path / ".part.4711.la.json"]
    folder = tmp_path / ".part.k3x.la.json"
    others = [".part.x.la.json", ".part.17.x.la.json", ".part.17.grc.json", "part.17.la.json", "la.json"]
    for each in (*own, *(tmp_path / name for name in others)):
        each.touch()
    folder.mkdir()
    (folder / "half").touch()
    with atomic_output(tmp_path / "grc.json") as written:
        written.touch()
        sweep_leftovers(path)
        assert written.exists()
    assert {each.name for each in tmp_path.iterdir()} == {*others, "grc.json"} - {".part.17.grc.json"}


def test_pipes_devices_and_standard_output_are_streams(tmp_path):
    fifo, file = tmp_path / "fifo", tmp_path / "file"
    os.mkfifo(fifo)
    file.touch()
    streams = [fifo, Path("/dev/null"), Path("/dev/stdout"), Path("/dev/fd/1")]
    assert [each for each in (*streams, file, tmp_path, tmp_path / "none") if is_stream(each)] == streams
