"""The same results on a cluster as here, whatever becomes of its parts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="clusters need the extra [cluster]")

from distributed import Client, Security

from evaluator.errors import ClusterError
from evaluator.execution.machine import Machine
from evaluator.execution.processes import versions
from tests.conftest import REPOSITORY
from tests.evaluator.small_studies import SmallStudy
from tests.servers.cluster import DaskCluster


@dataclass(frozen=True)
class Task:
    """What a worker is to do; `died` is a file that its first process makes before it dies."""

    number: int
    seconds: float = 0.0
    died: str = ""
    ballast: bytes = b""


def work(task):
    time.sleep(task.seconds)
    if task.died == "always":
        os._exit(9)
    if task.died and not Path(task.died).exists():
        Path(task.died).touch()
        os._exit(9)
    if task.number < 0:
        raise ValueError("as it does here")
    return task.number**2


@pytest.fixture
def cluster(tmp_path):
    """A cluster of one test alone, which may break it."""
    with DaskCluster(tmp_path / "cluster", 2, str(REPOSITORY)) as made:
        yield made


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A cluster that no test breaks."""
    with DaskCluster(tmp_path_factory.mktemp("cluster"), 2, str(REPOSITORY)) as made:
        yield made


def run(tasks, scheduler, workers=1):
    return Machine(workers, scheduler).run_each(work, tasks, lambda task, reason: reason)


def squares(tasks, cluster):
    found = [(task.number, result) for task, result in run(tasks, cluster.address)]
    assert len({number for number, _ in found}) == len(found), "done twice"
    return dict(found)


@pytest.mark.slow
def test_every_task_is_done_once_whatever_dies(cluster, tmp_path):
    # A worker that dies, one that is cut off, and one that joins late.
    tasks = [Task(number, 0.1) for number in range(30)]
    tasks[5] = Task(5, 0.1, str(tmp_path / "died"))

    def disturb():
        time.sleep(1.0)
        cluster.begin_worker()
        cluster.begin_worker()
        survivor = next(worker for worker in cluster.workers if worker.poll() is None)
        survivor.send_signal(signal.SIGSTOP)

    disturber = threading.Thread(target=disturb)
    disturber.start()
    assert squares(tasks, cluster) == {number: number**2 for number in range(30)}
    disturber.join()
    assert (tmp_path / "died").exists()


def test_later_tasks_may_depend_on_earlier_results(sound):
    taken, told = [], []

    def tasks():
        for number in range(6):
            taken.append((number, len(told)))
            yield Task(number)

    for task, _ in run(tasks(), sound.address):
        told.append(task.number)
    assert taken[-1][1] >= 4


def test_large_tasks_are_nothing_to_be_warned_of(sound):
    assert squares([Task(3, ballast=b" " * 11_000_000)], sound) == {3: 9}


def test_errors_are_those_of_this_machine(sound):
    with pytest.raises(ValueError, match="as it does here"):
        squares([Task(1), Task(-1)], sound)


@pytest.mark.slow
def test_a_task_that_kills_its_workers_is_given_up(tmp_path):
    with DaskCluster(tmp_path, 6, str(REPOSITORY)) as cluster:
        found = squares([Task(1, 0, "always"), *(Task(number, 0.05) for number in range(2, 8))], cluster)
    assert "its worker died at each attempt" in found.pop(1)
    assert found == {number: number**2 for number in range(2, 8)}


@pytest.mark.slow
def test_a_scheduler_that_dies_is_an_error_that_says_what_to_do(cluster):
    results = run([Task(number, 0.3) for number in range(50)], cluster.address)
    assert next(results)
    cluster.scheduler.kill()
    with pytest.raises(ClusterError, match="run the same command again"):
        list(results)


def test_workers_that_all_end_are_an_error_that_says_so(sound, monkeypatch):
    """The scheduler keeps their tasks until a worker joins, which may never happen."""
    from distributed import Client

    monkeypatch.setattr("evaluator.execution.processes._SECONDS_UNTIL_A_LOOK", 0.05)
    monkeypatch.setattr("evaluator.execution.cluster._PATIENCE_WITHOUT_WORKERS", 0.1)
    monkeypatch.setattr(Client, "nthreads", lambda _: {})
    with pytest.raises(ClusterError, match=r"all workers have ended.*run the same command again"):
        squares([Task(1, 2.0)], sound)


@pytest.mark.slow
def test_workers_that_end_are_waited_for_and_then_are_an_error(cluster, monkeypatch):
    monkeypatch.setattr("evaluator.execution.processes._SECONDS_UNTIL_A_LOOK", 0.2)
    results = run([Task(number, 0.2) for number in range(30)], cluster.address)
    assert next(results)
    for worker in cluster.workers:
        worker.kill()
        worker.wait()
    cluster.begin_worker()
    assert [next(results) for _ in range(3)], "the new worker goes on"
    cluster.workers[-1].kill()
    monkeypatch.setattr("evaluator.execution.cluster._PATIENCE_WITHOUT_WORKERS", 1.0)
    with pytest.raises(ClusterError, match="all workers have ended"):
        list(results)


def test_a_scheduler_that_dies_unnoticed_is_the_same_error(sound, monkeypatch):
    """The next thing asked of it, how many threads there are, finds no connection."""
    from distributed import Client

    def nobody(_):
        raise OSError("Timed out trying to connect")

    results = run([Task(number, 0.1) for number in range(50)], sound.address)
    assert next(results)
    monkeypatch.setattr(Client, "nthreads", nobody)
    with pytest.raises(ClusterError, match="run the same command again"):
        list(results)


@pytest.mark.parametrize("library", ["testgen-evaluator", "gensim", "numpy"])
def test_another_version_is_refused(sound, monkeypatch, library):
    monkeypatch.setattr("evaluator.execution.cluster.versions", lambda: {**versions(), library: "0.0.0"})
    with pytest.raises(ClusterError, match=rf"worker.*{library} 0\.0\.0"):
        squares([Task(1)], sound)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nonsense", "'nonsense' is not a cluster"),
        ("tcp://127.0.0.1:9", "no Dask scheduler answers"),
        ("tls://127.0.0.1:9", "no Dask scheduler answers"),  # no certificates are configured
        ("foo://127.0.0.1:9", "'foo://127.0.0.1:9' is not a cluster"),
        ("inproc://x", "'inproc://x' is not a cluster"),
        ("tcp://127.0.0.1", "is not a cluster"),
        ("tcp://127.0.0.1:99999", "is not a cluster"),
        ("tcp://:8786", "is not a cluster"),
        ("slurm:cores=1,memory=4GB", "is not a cluster"),
    ],
)
def test_what_is_no_cluster_is_refused(monkeypatch, address, said):
    monkeypatch.setattr("evaluator.execution.cluster._PATIENCE", 0.3)
    with pytest.raises(ClusterError, match=said):
        list(run([Task(1)], address))


@pytest.mark.slow
@pytest.mark.parametrize("address", ["tls://127.0.0.1:9", "tcp://127.0.0.1:9", "foo://x"])
def test_a_program_ends_with_its_error(address):
    """A client that was only half made would be waited for, for a minute."""
    program = f"""
import time
from evaluator.execution import cluster
cluster._PATIENCE = 2.0
try:
    list(cluster.run_on_cluster(print, [1], {address!r}))
except Exception as error:
    print(type(error).__name__, time.time(), flush=True)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ended = time.time()
    kind, at = run.stdout.split()
    assert kind == "ClusterError"
    assert run.stderr == ""
    assert ended - float(at) < 3


@pytest.mark.slow
def test_a_cluster_without_workers_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.execution.cluster._PATIENCE", 1.0)
    with DaskCluster(tmp_path, 0) as cluster, pytest.raises(ClusterError, match="no worker joined"):
        squares([Task(1)], cluster)


def strangers_reach(address):
    """Whether somebody without the certificate of the run can connect to a scheduler."""
    for place, security in (
        (address, Security.temporary()),
        (address.replace("tls://", "tcp://"), None),
    ):
        with suppress(OSError, TimeoutError), Client(place, security=security, timeout=3):
            return True
    return False


# The commands.


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    return SmallStudy(folder, folder, 12)


@pytest.mark.slow
def test_a_search_gives_the_same_table_though_worker_and_scheduler_die(study, cluster):
    running = study.begin("cluster", "--workers", cluster.address)
    study.wait_for("cluster", 1)
    cluster.workers[0].kill()
    study.wait_for("cluster", 4)
    cluster.scheduler.kill()
    cluster.scheduler.wait()
    _, err = running.communicate(timeout=120)
    assert running.returncode == 2
    assert "run the same command again" in err
    assert "Traceback" not in err
    cluster.begin_scheduler()
    cluster.begin_worker()
    finished = study.search("cluster", "--workers", cluster.address)
    assert finished.returncode == 0, finished.stderr
    assert study.table("cluster") == study.expected


@pytest.mark.slow
def test_a_search_over_tls(study, tmp_path, monkeypatch):
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=study"]
    command = ["openssl", "req", *made, "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    both = {"cert": str(certificate), "key": str(key)}
    tls = {"ca-file": str(certificate), **dict.fromkeys(("scheduler", "worker", "client"), both)}
    settings = {"distributed": {"comm": {"require-encryption": True, "tls": tls}}}
    (tmp_path / "tls.yaml").write_text(json.dumps(settings), encoding="utf-8")  # JSON is YAML
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path))
    with DaskCluster(tmp_path / "cluster", 1, str(REPOSITORY), protocol="tls") as made:
        finished = study.search("tls", "--workers", made.address)
        assert not strangers_reach(made.address)
    assert finished.returncode == 0, finished.stderr
    assert study.table("tls") == study.expected
