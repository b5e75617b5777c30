"""The writers of both packages: links, pipes, modes, and what killed processes leave."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

import evaluator.execution.output_files
import testgen.system

WRITERS = {
    "testgen": testgen.system.atomic_write,
    "evaluator": evaluator.execution.output_files.atomic_output,
}


@pytest.fixture(params=WRITERS)
def write(request):
    return WRITERS[request.param]


def program(write, *lines):
    """A Python program that can use the writer."""
    imports = [f"from {write.__module__} import {write.__name__} as write", "from pathlib import Path"]
    return [sys.executable, "-c", "\n".join([*imports, *lines])]


def test_a_link_stays_and_the_mode_is_kept(write, tmp_path):
    target, link = tmp_path / "elsewhere" / "file", tmp_path / "link"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    with write(link) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
        temporary.unlink()
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [each.name for each in target.parent.iterdir()] == ["file"]


def test_pipes_and_standard_output_get_the_content(write, tmp_path):
    pipe, log = tmp_path / "pipe", tmp_path / "log"
    os.mkfifo(pipe)
    log.write_text("before\n")
    command = program(
        write,
        f"for path in ({str(pipe)!r}, '/dev/stdout'):",
        "    with write(Path(path)) as temporary: temporary.write_text(path)",
    )
    with log.open("a") as file, subprocess.Popen(command, stdout=file) as process:
        assert pipe.read_text() == str(pipe)
        assert process.wait() == 0
    assert log.read_text() == "before\n/dev/stdout"
    assert pipe.is_fifo()


def test_what_a_killed_process_left_is_deleted_but_not_what_another_writes(write, tmp_path):
    path = tmp_path / "file"
    command = program(
        write,
        f"with write(Path({str(path)!r})) as temporary:",
        "    print(temporary.name, flush=True)",
        "    input()",
    )
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        name = process.stdout.readline().strip()
        for left in ([name], []):
            with write(path) as temporary:
                temporary.write_text("whole")
            assert sorted(each.name for each in tmp_path.iterdir()) == [*left, "file"]
            process.kill()
            process.wait()


@pytest.mark.parametrize("package", [testgen.system, evaluator.execution.output_files])
def test_a_folder_is_locked_once(package, tmp_path):
    with package.locked(tmp_path) as first:
        assert first
        with pytest.raises(BlockingIOError), package.locked(tmp_path):
            pass
    with package.locked(tmp_path) as again:
        assert again
