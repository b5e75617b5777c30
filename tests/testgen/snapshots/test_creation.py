"""Snapshots give the same answers as their source, byte for byte."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest

import testgen
from testgen import LabelPolicy, OutputError, SourceError
from testgen.snapshots import creation
from testgen.sources import AnswerCache, RdfSource, RetryPolicy, Snapshot, endpoint, wikidata
from tests.servers import faults
from tests.servers.fixtures import small_world  # noqa: F401  # a fixture
from tests.servers.proxy import FaultProxy, always

POLICY = LabelPolicy(minimum_words=1)
NAMES = ["country", "capital", "country-capital"]


@pytest.fixture
def contact(monkeypatch):
    monkeypatch.setenv("TESTGEN_CONTACT", "somebody@example.org")


def live(world, tmp_path, **freshness):
    answers = AnswerCache(tmp_path / "answers", **freshness)
    return wikidata(answers, world.sparql.url, world.api.url, RetryPolicy(first_wait=0.01))


def create(path, queries, source):
    """A snapshot from which nothing is left out."""
    assert creation.create(path, queries, source) == {}
    return path


def files(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.mark.usefixtures("contact")
def test_test_sets_from_a_snapshot_are_those_generated_live(small_world, tmp_path):  # noqa: F811
    testgen.generate(
        tmp_path / "live",
        testgen.TestSetRequest(categories=NAMES, policy=POLICY),
        source=live(small_world, tmp_path),
    )
    path = create(tmp_path / "s.jsonl.gz", testgen.choose(NAMES), live(small_world, tmp_path))
    testgen.generate(
        tmp_path / "frozen", testgen.TestSetRequest(categories=NAMES, policy=POLICY), source=path
    )
    assert len(files(tmp_path / "live")) > 5
    assert files(tmp_path / "live") == files(tmp_path / "frozen")


@pytest.mark.usefixtures("contact")
def test_a_snapshot_is_made_again_from_the_cache_with_the_same_bytes(small_world, tmp_path):  # noqa: F811
    first = create(tmp_path / "a.jsonl", testgen.choose(NAMES), live(small_world, tmp_path))
    asked = len(small_world.sparql.log) + len(small_world.api.log)
    again = create(tmp_path / "b.jsonl", testgen.choose(NAMES), live(small_world, tmp_path, offline=True))
    assert len(small_world.sparql.log) + len(small_world.api.log) == asked
    assert first.read_bytes() == again.read_bytes()


def test_a_snapshot_of_an_endpoint_and_of_a_snapshot(small_world, small, tmp_path):  # noqa: F811
    source = endpoint(small_world.sparql.url, AnswerCache(tmp_path / "answers"), RetryPolicy(first_wait=0.01))
    made = Snapshot(create(tmp_path / "e.jsonl.gz", testgen.choose(NAMES), source))
    assert made.provenance.endpoint == small_world.sparql.url
    copy = Snapshot(create(tmp_path / "c.jsonl", testgen.choose(NAMES), RdfSource(small)))
    for query in testgen.choose(NAMES):
        assert copy.answer(query) == RdfSource(small).answer(query)
    assert list(copy.names(["Q142", "Q64"])) == list(RdfSource(small).names(["Q142", "Q64"]))
    assert copy.provenance == RdfSource(small).provenance


def test_a_query_may_rest_on_names(small, tmp_path):
    (tmp_path / "named.rq").write_text(
        """#+ title: Named in Latin
#+ kind: category
#+ topic: test
#+ summary: States that have a Latin name.
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT DISTINCT ?item WHERE {
  ?item wdt:P31 wd:Q3624078 ; rdfs:label ?label . FILTER (LANG(?label) = "la")
} ORDER BY ?item
""",
        encoding="utf-8",
    )
    queries = testgen.choose(tmp_path / "named.rq")
    expected = RdfSource(small).answer(queries[0])
    assert expected.rows
    made = Snapshot(create(tmp_path / "s.jsonl", queries, RdfSource(small)))
    assert made.answer(queries[0]) == expected


@pytest.mark.parametrize("name", ["s.nt", "s.ttl.bz2", "s"])
def test_other_endings_are_refused(small, tmp_path, name):
    with pytest.raises(OutputError, match=r"must end in \.jsonl or \.jsonl\.gz"):
        create(tmp_path / name, testgen.choose(NAMES), RdfSource(small))


def test_nothing_is_left_when_the_source_fails(small, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise SourceError("no")

    monkeypatch.setattr(RdfSource, "rows", fail)
    with pytest.raises(SourceError, match="no"):
        create(tmp_path / "s.jsonl", testgen.choose(NAMES), RdfSource(small))
    assert not list(tmp_path.glob(".part*"))
    assert not (tmp_path / "s.jsonl").exists()


def test_the_file_is_gzip_without_a_date(small, tmp_path):
    path = create(tmp_path / "s.jsonl.gz", testgen.choose(NAMES), RdfSource(small))
    assert path.read_bytes()[4:8] == bytes(4)
    assert gzip.decompress(path.read_bytes()).startswith(b'{"format":"snapshot","version":2,')


@pytest.mark.usefixtures("contact")
def test_a_query_that_fails_is_left_out_and_asked_alone_next_time(small_world, tmp_path):  # noqa: F811
    queries = testgen.choose(NAMES)
    slow = always(faults.QUERY_TIMEOUT, lambda request: "P36" in request.query)
    with FaultProxy(small_world.sparql.url, slow) as proxy:
        answers = AnswerCache(tmp_path / "answers")
        source = wikidata(answers, proxy.url, small_world.api.url, RetryPolicy(first_wait=0.01))
        left_out = creation.create(tmp_path / "some.jsonl", queries, source)
        assert left_out.keys() == {"capital", "country-capital"}
        assert all("ran out of time" in message for message in left_out.values())
        some = Snapshot(tmp_path / "some.jsonl")
        assert some.answer(queries[0]) == source.answer(queries[0])
        proxy.plan, asked = always(faults.QUERY_TIMEOUT, lambda request: False), len(proxy.log)
        source = wikidata(answers, proxy.url, small_world.api.url)
        create(tmp_path / "all.jsonl", queries, source)
        assert len(proxy.log) - asked == 2


def test_an_answer_that_is_of_no_use_is_not_in_the_snapshot(small, tmp_path):
    query = testgen.choose(["country"])[0]
    text = "SELECT ?item WHERE { BIND ('Gallia' AS ?item) }"
    of_texts = replace(query, name="texts", text=text)
    left_out = creation.create(tmp_path / "s.jsonl", [query, of_texts], RdfSource(small))
    assert left_out.keys() == {"texts"}
    assert "which is not a Wikidata item" in left_out["texts"]
    assert Snapshot(tmp_path / "s.jsonl").queries.keys() == {"country"}
