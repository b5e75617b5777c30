"""Tasks in several processes: none is lost for another's sake, and none is done twice."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.errors import ClusterError, ScoreError
from evaluator.execution.machine import Machine
from tests.conftest import REPOSITORY
from tests.evaluator.execution.tasks import Task, work


@pytest.fixture
def dies(tmp_path):
    """A task whose process dies so many times."""

    def dies_(name, times, seconds=0):
        path = tmp_path / name
        path.write_bytes(b"x" * times)
        return Task(name, seconds, str(path))

    return dies_


def run(tasks, workers=2):
    return Machine(workers).run_each(work, tasks, lambda task, reason: (task.name, reason))


def results(tasks, workers=2):
    found = [(task.name, result) for task, result in run(tasks, workers)]
    names = [name for name, _ in found]
    assert len(set(names)) == len(names), "done twice"
    return dict(found)


def test_one_worker_is_this_process():
    assert results([Task("a"), Task("b")], 1) == {"a": "A", "b": "B"}
    with pytest.raises(ValueError, match="as it does"):
        results([Task("fails")], 1)


def test_results_come_when_they_are_there():
    tasks = [Task("slow", 0.6), Task("a"), Task("b"), Task("c")]
    assert [task.name for task, _ in run(tasks)] == ["a", "b", "c", "slow"]


def test_results_in_the_order_of_the_tasks(dies):
    shares, twice = [], Task("a")
    assert Machine().run_all(work, [twice, Task("b"), twice]) == ["A", "B", "A"]
    tasks = [Task("slow", 0.5), Task("a"), dies("b", 1)]
    assert Machine(2, progress=shares.append).run_all(work, tasks) == ["SLOW", "A", "B"]
    assert shares == [1 / 3, 2 / 3, 1]
    with pytest.raises(ScoreError, match=r"deadly.*died.*fewer workers"):
        Machine(2).run_all(work, [Task("a"), dies("deadly", 9)])


def test_progress_of_a_part_is_within_that_of_the_whole():
    shares = []
    Machine(progress=shares.append).part(0.5, 1).part(0, 0.5).run_all(work, [Task("a"), Task("b")])
    assert shares == [0.625, 0.75]


def test_tasks_share_the_cores(monkeypatch):
    monkeypatch.setattr("evaluator.execution.machine.cores", lambda: 8)
    assert [Machine(workers).for_task.threads for workers in (1, 3, 16)] == [8, 2, 1]
    assert Machine(2, threads=3).for_task == Machine(threads=3)
    assert Machine(scheduler="tcp://host:8786").for_task == Machine(threads=1)


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"threads": -1}])
def test_a_machine_without_workers_is_refused(wrong):
    ((name, number),) = wrong.items()
    with pytest.raises(ClusterError, match=rf"{name}.*{number}.*1 or more"):
        Machine(**wrong)


def test_no_tasks_no_results():
    assert results([]) == {}


def test_tasks_are_taken_as_results_come():
    """A later task may depend on earlier results."""
    taken, told = [], []

    def tasks():
        for number in range(6):
            taken.append(number)
            assert len(taken) - len(told) <= 2
            yield Task(str(number))

    for task, _ in run(tasks()):
        told.append(task)
    assert len(told) == 6


def test_what_died_once_is_tried_again(dies):
    found = results([Task("a"), dies("b", 1), Task("c"), Task("d")])
    assert found == {"a": "A", "b": "B", "c": "C", "d": "D"}


@pytest.mark.slow
def test_what_always_dies_is_lost_and_nothing_else_is(dies):
    """Tasks that are slow enough to be running beside it both times are not lost with it."""
    tasks = [dies("bad", 9, 0.3), Task("beside", 1.5), Task("c"), Task("d")]
    found = results(tasks)
    assert found.pop("bad") == ("bad", "its worker process died; the memory may have run out")
    assert found == {"beside": "BESIDE", "c": "C", "d": "D"}


@pytest.mark.slow
def test_a_death_while_nobody_looks_loses_no_task(dies):
    """The next task is taken before it is known that there is no process for it."""
    found = {}
    for task, result in run([Task("a"), dies("b", 1, 0.2), Task("c"), Task("d")]):
        found[task.name] = result
        if task.name == "a":
            time.sleep(1)  # the other process dies meanwhile
    assert found == {"a": "A", "b": "B", "c": "C", "d": "D"}


def test_errors_are_handed_on_and_end_the_work():
    begun = time.monotonic()
    with pytest.raises(ValueError, match="as it does"):
        results([Task("slow", 60), Task("fails")])
    assert time.monotonic() - begun < 30


def test_who_stops_listening_stops_the_work():
    begun = time.monotonic()
    for _ in run([Task("a"), Task("slow", 60)]):
        break
    assert time.monotonic() - begun < 30


PARENT = """
import sys, time
from evaluator.execution.machine import Machine

def work(path):
    import os, time
    open(path, "w").write(str(os.getpid()))
    time.sleep(60)

if __name__ == "__main__":
    list(Machine(2).run_each(work, sys.argv[1:], print))
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked for in /proc")
def test_no_process_outlives_the_one_that_began_it(tmp_path):
    (tmp_path / "parent.py").write_text(PARENT)
    paths = [tmp_path / "a", tmp_path / "b"]
    parent = subprocess.Popen([sys.executable, tmp_path / "parent.py", *paths], cwd=REPOSITORY)
    until(lambda: all(path.exists() and path.read_text() for path in paths))
    parent.kill()
    parent.wait()
    until(lambda: not any(Path(f"/proc/{path.read_text()}").exists() for path in paths))


def until(happens):
    for _ in range(300):
        if happens():
            return
        time.sleep(0.1)
    pytest.fail("it did not happen within half a minute")
