"""`kill -9` at any moment costs one request at most, and never a file."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from testgen.queries import class_query
from tests.servers.entities import EntityServer
from tests.servers.sparql import SparqlServer
from tests.servers.world import big_world
from tests.testgen.network import CONTACT, files, report

pytestmark = pytest.mark.slow

KILLS = 20
PROGRAM = [str(Path(sys.executable).with_name("testgen")), "generate", "--source", "wikidata"]


@pytest.fixture
def world():
    """Servers that take a moment over each answer, so that there is something to kill."""
    made = big_world(1200, 8, 12)

    class Slow(EntityServer):
        def respond(self, request):
            self.stopping.wait(0.05)
            return super().respond(request)

    with SparqlServer(made.store) as sparql, Slow(made.entities) as api:
        made.__dict__["servers"] = sparql, api
        yield made


class Run:
    """Runs of the program with a cache and an output directory."""

    def __init__(self, world, directory):
        self.world, self.output = world, directory / "out"
        sparql, api = world.servers
        self.environment = {
            **os.environ,
            "TESTGEN_WIKIDATA_QUERY": sparql.url,
            "TESTGEN_WIKIDATA_API": api.url,
            "TESTGEN_CONTACT": CONTACT,
            "XDG_CACHE_HOME": str(directory / "cache"),
            "XDG_CONFIG_HOME": str(directory / "config"),
        }
        classes = [argument for name in world.classes for argument in ("--category", class_query(name).name)]
        self.command = [*PROGRAM, "--all-languages", "--output", str(self.output), *classes]

    def start(self):
        return subprocess.Popen(
            self.command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def finish(self):
        process = self.start()
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return out


def requests(world):
    return sum(len(server.log) for server in world.servers)


def comparable(directory):
    """The files without the time of retrieval, which differs."""
    made = {}
    for name, content in files(directory).items():
        test_set = json.loads(content)
        assert test_set["source"].pop("retrieved")
        test_set["source"].pop("date")
        made[name] = test_set
    return made


def assert_nothing_half_written(directory):
    """Every visible file is whole."""
    for path in directory.glob("[!.]*"):
        json.loads(path.read_text(encoding="utf-8"))


def kill_somewhere(world, run, rng):
    """Start a run and kill it some requests later, or in the seconds of computing and writing after them.

    Returns:
        Whether it was killed before it was complete.
    """
    process = run.start()
    wanted = requests(world) + rng.choice([0, 1, 2, 4, 7])
    until = time.monotonic() + 1.5 + rng.uniform(0, 1)
    while requests(world) < wanted and process.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    time.sleep(rng.uniform(0, 0.08))
    killed = process.poll() is None
    process.kill()
    process.communicate()
    return killed


def test_killed_at_any_moment(world, tmp_path):
    fair = Run(world, tmp_path / "fair")
    fair.finish()
    asked = requests(world)
    for server in world.servers:
        server.log.clear()
    run, kills, rng = Run(world, tmp_path / "foul"), 0, random.Random(3)
    asked_at = []
    while kills < KILLS:
        if kill_somewhere(world, run, rng):
            kills += 1
            asked_at.append(requests(world))
        assert_nothing_half_written(run.output)
    run.finish()
    total = requests(world)
    report(f"{asked} requests without a kill, {total} with {kills}, at {asked_at}")
    assert total <= asked + kills
    assert comparable(run.output) == comparable(fair.output)
    assert {path.name for path in run.output.iterdir()} == {path.name for path in fair.output.iterdir()}
