"""Four hosts with a network between them: whatever becomes of them, the results are those of one process."""

from __future__ import annotations

import subprocess

import pytest

pytest.importorskip("distributed", reason="clusters need the extra [cluster]")

from tests.conftest import REPOSITORY
from tests.evaluator.small_studies import PROGRAM, SmallStudy, write_models
from tests.servers.cluster import DaskCluster
from tests.servers.hosts import Hosts, no_hosts

pytestmark = [pytest.mark.slow, pytest.mark.skipif(no_hosts() is not None, reason=no_hosts() or "")]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """What all hosts see, and what only that of the commands sees."""
    return tmp_path_factory.mktemp("shared"), tmp_path_factory.mktemp("own")


@pytest.fixture(scope="module")
def study(folders):
    return SmallStudy(*folders, 24)


@pytest.fixture
def hosts():
    with Hosts(["scheduler", "worker0", "worker1", "worker2", "client"]) as made:
        yield made


@pytest.fixture
def cluster(hosts, folders, tmp_path):
    with DaskCluster(tmp_path / "cluster", 3, str(REPOSITORY), hosts, unseen=folders[1]) as made:
        made.wait_for_workers()
        yield made


def on_client(hosts):
    return lambda command: hosts.command("client", command)


def test_a_search_gives_the_same_table_though_hosts_disappear(study, hosts, cluster):
    by, options = on_client(hosts), ("--workers", cluster.address)
    running = study.begin("hosts", *options, by=by)
    study.wait_for("hosts", 3)
    cluster.workers[0].kill()
    hosts.cut_off("worker1")
    study.wait_for("hosts", 8)
    hosts.connect("worker1")  # with a result that nobody waits for any more
    study.wait_for("hosts", 12)
    assert running.poll() is None
    cluster.scheduler.kill()
    cluster.scheduler.wait()
    _, said = running.communicate(timeout=120)
    assert running.returncode == 2
    assert "run the same command again" in said
    assert "Traceback" not in said
    before = study.finished("hosts")
    assert before < 24
    cluster.begin_scheduler()
    cluster.begin_worker("worker0")
    finished = study.search("hosts", *options, by=by)
    assert finished.returncode == 0, finished.stderr
    assert study.table("hosts") == study.expected


def test_models_are_scored_where_the_workers_are(folders, hosts, cluster):
    shared, _ = folders
    models = write_models(shared)["la"]
    command = ["score", *map(str, models), "--test", str(shared / "la.json"), "--json"]
    alone = run([PROGRAM, *command])
    there = run(hosts.command("client", [PROGRAM, *command, "--workers", cluster.address]))
    assert there == alone
    assert there


def run(command):
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout
