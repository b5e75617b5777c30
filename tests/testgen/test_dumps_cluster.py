"""Dumps read on a cluster give the bytes that one process gives, though machines disappear."""

from __future__ import annotations

import bz2
import threading
import time

import pytest

pytest.importorskip("distributed", reason="clusters need the extra [cluster]")
pytest.importorskip("msgspec", reason="dumps need the extra [dump]")

from testgen.dumps.make import Settings, create_from_dumps
from testgen.errors import ConfigError, SourceError
from testgen.queries import choose
from tests.conftest import REPOSITORY
from tests.servers.cluster import DaskCluster
from tests.testgen.conftest import TURTLE
from tests.testgen.dump_files import entities_of, json_dump, store_of

BLOCK = 512  # bytes, so that there are many


@pytest.fixture
def dump(tmp_path):
    """States, capitals, and a thousand other things between them."""
    others = "".join(
        f'wd:Q{number} wdt:P31 wd:Q5 ; rdfs:label "name {number}"@en .\n'
        for number in range(100_000, 101_000)
    )
    entities = entities_of(store_of(TURTLE + others))
    path = tmp_path / "wikidata-20261101-all.json.bz2"
    path.write_bytes(bz2.compress(json_dump(entities)))
    return path


@pytest.fixture
def cluster(tmp_path):
    with DaskCluster(tmp_path / "cluster", 2, str(REPOSITORY)) as made:
        yield made


def snapshot(output, dump, **settings):
    queries = choose(["country", "country-capital"])
    create_from_dumps(output, queries, [dump], settings=Settings(block_size=BLOCK, **settings))
    return output.read_bytes()


def test_the_bytes_are_those_of_one_process_though_a_worker_dies(dump, cluster, tmp_path):
    expected = snapshot(tmp_path / "alone.ttl.gz", dump, workers=1)

    def kill():
        time.sleep(0.7)
        cluster.workers[0].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    assert snapshot(tmp_path / "cluster.ttl.gz", dump, scheduler=cluster.address) == expected
    killer.join()


def test_it_goes_on_after_the_scheduler_died(dump, cluster, tmp_path, monkeypatch):
    expected = snapshot(tmp_path / "alone.ttl.gz", dump, workers=1)
    told = []

    def notify(_what, read, _size):
        told.append(read)
        if len(told) == 5:
            cluster.scheduler.kill()

    with pytest.raises(SourceError, match="the scheduler is gone"):
        create_from_dumps(
            tmp_path / "cluster.ttl.gz",
            choose(["country", "country-capital"]),
            [dump],
            settings=Settings(block_size=BLOCK, scheduler=cluster.address),
            notify=notify,
        )
    assert not (tmp_path / "cluster.ttl.gz").exists()
    assert snapshot(tmp_path / "cluster.ttl.gz", dump, workers=1) == expected


def test_what_only_one_machine_can_read_is_refused(tmp_path):
    import gzip

    path = tmp_path / "dump.json.gz"
    path.write_bytes(gzip.compress(json_dump(entities_of(store_of(TURTLE)))))
    with pytest.raises(SourceError, match="packed with bzip2"):
        snapshot(tmp_path / "out.ttl.gz", path, scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("nonsense", "is no cluster"),
        ("tcp://127.0.0.1:9", "no Dask scheduler answers"),
        ("slurm:x", "no setting"),
    ],
)
def test_what_is_no_cluster_is_refused(dump, tmp_path, monkeypatch, address, said):
    monkeypatch.setattr("testgen.dumps.cluster.PATIENCE", 1.0)
    with pytest.raises(ConfigError, match=said):
        snapshot(tmp_path / "out.ttl.gz", dump, scheduler=address)
