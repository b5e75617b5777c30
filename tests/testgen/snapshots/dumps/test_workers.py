"""Several worker processes give the bytes that one process gives; killed ones leave nothing behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from testgen import SourceError
from testgen.snapshots.dumps.creation import create_from_dumps
from tests.testgen.snapshots.dumps.small_dump import COMPRESS, JSON, QUERIES, create, write

INTERRUPTED = """
import sys, time
from multiprocessing import active_children
from testgen.snapshots.dumps.creation import create_from_dumps
from tests.testgen.snapshots.dumps.small_dump import QUERIES
def notify(*_):
    print(*(child.pid for child in active_children()), flush=True)
    time.sleep(60)
if __name__ == "__main__":
    options = {"workers": 2, "block_size": 4000}
    create_from_dumps(sys.argv[1], QUERIES, sys.argv[2:], **options, notify=notify)
"""


@pytest.mark.parametrize(
    "ending",
    [pytest.param(each, marks=[pytest.mark.slow] * (each in ("json.gz", "json.zst"))) for each in COMPRESS],
)
def test_several_workers_give_the_same_bytes(tmp_path, ending):
    path = write(tmp_path, f"d.{ending}", COMPRESS[ending](JSON))
    for workers in (1, 2):
        create(tmp_path, path, output=f"{workers}.ttl", workers=workers, block_size=5000)
    assert (tmp_path / "1.ttl").read_bytes() == (tmp_path / "2.ttl").read_bytes()


def test_a_worker_that_is_killed_is_an_error_with_advice(tmp_path):
    path = write(tmp_path, "d.json", JSON)

    def kill(*_):
        for child in multiprocessing.active_children():
            child.kill()

    options = {"workers": 2, "block_size": 1000}
    with pytest.raises(SourceError, match="run the same command again with fewer --workers"):
        create_from_dumps(tmp_path / "s.ttl", QUERIES, [path], **options, notify=kill)
    assert [each.name for each in tmp_path.iterdir()] == ["d.json"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path):
    script = write(tmp_path, "interrupted.py", INTERRUPTED.encode())
    command = [sys.executable, script, tmp_path / "s.ttl", write(tmp_path, "d.json", JSON)]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as running:
        workers = [Path(f"/proc/{each}") for each in running.stdout.readline().split()]
        running.send_signal(signal.SIGKILL)
    assert len(workers) == 2
    end = time.monotonic() + 30
    while any(map(Path.exists, workers)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(Path.exists, workers))
