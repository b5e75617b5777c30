"""Files that replace others: a power cut at any moment leaves the old or the new."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from evaluator.execution import output_files
from evaluator.execution.output_files import atomic_output


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


def test_control_characters_are_escaped_but_for_tabs_and_line_ends():
    assert output_files.visible("a\x1b[0m\tb\n\x9f") == "a\\u001b[0m\tb\n\\u009f"


def test_a_file_that_is_locked_is_said_to_be(tmp_path):
    path = tmp_path / "file"
    path.touch()
    with output_files.locked(path), pytest.raises(BlockingIOError), output_files.locked(path):
        pass
