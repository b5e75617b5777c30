"""Files that replace others: a power cut at any moment leaves the old or the new."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from testgen import system
from testgen.system import atomic_write, duration, read_bytes


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
    monkeypatch.setattr(system, "_LARGEST", 3)
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert read_bytes(path) == b"abc"
    path.write_bytes(b"abcd")
    with pytest.raises(OSError, match="larger than 3 bytes"):
        read_bytes(path)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "1 seconds"), (119, "119 seconds"), (120, "2 minutes"), (7199, "120 minutes"), (7200, "2.0 hours")],
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
