"""Files that replace others: a power cut at any moment leaves the old or the new."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from testgen import system
from testgen.system import atomic_write, duration, is_stream, locked, read_bytes, sweep


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
    with atomic_write(path) as temporary:
        temporary.write_text("newer")
        assert path.read_text() == "old"
    assert done == ["5 bytes", "replace", "folder"]
    assert path.read_text() == "newer"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_files_that_are_read_whole_have_a_limit(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"abc" * 10_000)
    assert read_bytes(path) == b"abc" * 10_000
    monkeypatch.setattr(system, "_LARGEST", 3)
    path.write_bytes(b"abc")
    assert read_bytes(path) == b"abc"
    path.write_bytes(b"abcd")
    with pytest.raises(OSError, match="larger than 3 bytes"):
        read_bytes(path)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1, "1 seconds"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (7199, "120 minutes"),
        (7200, "2.0 hours"),
        (3.6e7, "10000.0 hours"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_missing_folders_are_created(tmp_path):
    with atomic_write(tmp_path / "a" / "b" / "file") as temporary:
        temporary.write_text("whole", encoding="utf-8")
    assert (tmp_path / "a" / "b" / "file").read_text(encoding="utf-8") == "whole"


@pytest.mark.parametrize("sign", "\x1b\x9f\x7f\r\u2028\u202a\u202e\u2066\u2069\ud800\uffff")
def test_signs_that_nobody_sees_and_that_steer_are_escapes(sign):
    shown = f"a\\u{ord(sign):04x}b"
    assert system.visible(f"a{sign}b") == system.visible(f"a{sign}b", lines=True) == shown
    assert system.csv_cell(f"={sign}") == f"'=\\u{ord(sign):04x}"


def test_a_name_is_one_line_and_a_text_may_have_several():
    assert system.visible("a\tb\nc") == r"a\u0009b\u000ac"
    assert system.visible("نمی\u200cخواهم\tb\n", lines=True) == "نمی\u200cخواهم\tb\n"


def test_what_was_left_of_a_file_is_swept_away_and_nothing_of_others(tmp_path):
    path = tmp_path / "la.json"
    own = [tmp_path / ".part.17.la.json", tmp_path / ".part.4711.la.json"]
    folder = tmp_path / ".part.k3x.la.json"
    others = [".part.x.la.json", ".part.17.x.la.json", ".part.17.grc.json", "part.17.la.json", "la.json"]
    for each in (*own, *(tmp_path / name for name in others)):
        each.touch()
    folder.mkdir()
    (folder / "half").touch()
    sweep(path)
    assert {each.name for each in tmp_path.iterdir()} == set(others)


def test_what_is_being_written_is_not_swept_away(tmp_path):
    path = tmp_path / "la.json"
    with atomic_write(path) as temporary:
        temporary.write_text("new")
        sweep(path)
        assert temporary.read_text() == "new"
    assert path.read_text() == "new"


def test_pipes_devices_and_standard_output_are_streams(tmp_path):
    fifo, file = tmp_path / "fifo", tmp_path / "file"
    os.mkfifo(fifo)
    file.touch()
    streams = [fifo, Path("/dev/null"), Path("/dev/stdout"), Path("/dev/fd/1")]
    assert [each for each in (*streams, file, tmp_path, tmp_path / "none") if is_stream(each)] == streams


@pytest.mark.parametrize("path", ["locked", "."])
def test_a_lock_is_held_once(tmp_path, path):
    place = tmp_path / path
    if path == "locked":
        place.touch()
    with locked(place) as is_locked:
        assert is_locked
        with pytest.raises(BlockingIOError), locked(place):
            pass
    with locked(place) as again:
        assert again
