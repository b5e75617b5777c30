"""Many items in many languages: how many requests it takes, and how much memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from testgen import LabelPolicy
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import generate
from testgen.queries import class_query
from tests.servers.entities import EntityServer
from tests.servers.sparql import SparqlServer
from tests.servers.world import big_world
from tests.testgen.network import CONTACT, files, open_cache, queries_of, report, stop_clock, wikidata_source

pytestmark = pytest.mark.slow

MEASURED = """
import re, sys
from pathlib import Path
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import generate
from testgen.queries import class_query
from testgen.sources import AnswerCache, wikidata
cache, output, query_url, api_url, *classes = sys.argv[1:]
source = wikidata(AnswerCache(Path(cache)), query_url, api_url)
generate(output, TestSetRequest(categories=[class_query(name) for name in classes]), source=source)
# Not ru_maxrss, which a process inherits from the one that started it.
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


def requests(*servers):
    return sum(len(server.log) for server in servers)


@pytest.mark.parametrize(("items", "languages"), [(110, 600), pytest.param(2000, 600, id="large")])
def test_number_of_requests(tmp_path, monkeypatch, items, languages):
    """One a category and one for 50 names, also of classes, whatever the languages; nothing a second time."""
    stop_clock(monkeypatch)
    world = big_world(items, 61, languages)
    *queries, further = queries_of(world)
    known = {item for query in queries for item in world.members(query.name)}
    classes = {name for query in queries for name in query.own_class}
    new = {*world.members(further.name), *further.own_class} - known - classes

    def make(output, chosen):
        with open_cache(tmp_path / "cache") as cache:
            source = wikidata_source(cache, sparql.url, api.url)
            generate(
                output, TestSetRequest(categories=chosen, policy=LabelPolicy(minimum_words=1)), source=source
            )

    with SparqlServer(world.store) as sparql, EntityServer(world.entities) as api:
        make(tmp_path / "first", queries)
        assert (len(sparql.log), len(api.log)) == (60, -(-len(known | classes) // 50))
        report(
            f"{len(known)} items, {requests(sparql, api)} requests, {len(files(tmp_path / 'first'))} files"
        )
        assert len(files(tmp_path / "first")) > 0.9 * languages
        sparql.log.clear()
        api.log.clear()
        make(tmp_path / "again", queries)
        assert requests(sparql, api) == 0
        assert files(tmp_path / "again") == files(tmp_path / "first")
        make(tmp_path / "more", [*queries, further])
        assert (len(sparql.log), len(api.log)) == (1, -(-len(new) // 50))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
@pytest.mark.parametrize(
    ("items", "languages", "megabytes"),
    # Half of the megabytes are pandas and the like; 150 languages make 100 labels an item.
    [(1000, 150, 200), pytest.param(20_000, 150, 300, id="large")],
)
def test_memory(tmp_path, items, languages, megabytes):
    world = big_world(items, 60 if items > 10_000 else 6, languages)
    with SparqlServer(world.store) as sparql, EntityServer(world.entities) as api:
        places = [str(tmp_path / "cache"), str(tmp_path / "out"), sparql.url, api.url]
        classes = [class_query(category).name for category in world.classes]
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *places, *classes],
            env={**os.environ, "TESTGEN_CONTACT": CONTACT},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        asked = requests(sparql, api)
    peak = int(done.stdout)
    report(f"{items} items, {asked} requests, {time.monotonic() - begun:.0f} s, peak {peak} MB")
    assert peak < megabytes
