"""Snapshots give the same answers as their source, byte for byte."""

from __future__ import annotations

import gzip

import pytest

import testgen
from testgen import LabelPolicy, OutputError, SourceError
from testgen.snapshots import creation
from testgen.sources import AnswerCache, RetryPolicy, Snapshot, endpoint, wikidata
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
    path = create(tmp_path / "s.ttl.gz", testgen.choose(NAMES), live(small_world, tmp_path))
    testgen.generate(
        tmp_path / "frozen", testgen.TestSetRequest(categories=NAMES, policy=POLICY), source=path
    )
    assert len(files(tmp_path / "live")) > 5
    assert files(tmp_path / "live") == files(tmp_path / "frozen")


@pytest.mark.usefixtures("contact")
def test_a_snapshot_is_made_again_from_the_cache_with_the_same_bytes(small_world, tmp_path):  # noqa: F811
    first = create(tmp_path / "a.ttl", testgen.choose(NAMES), live(small_world, tmp_path))
    asked = len(small_world.sparql.log) + len(small_world.api.log)
    again = create(tmp_path / "b.ttl", testgen.choose(NAMES), live(small_world, tmp_path, offline=True))
    assert len(small_world.sparql.log) + len(small_world.api.log) == asked
    assert first.read_bytes() == again.read_bytes()


def test_a_snapshot_of_an_endpoint_and_of_a_snapshot(small_world, small, tmp_path):  # noqa: F811
    source = endpoint(small_world.sparql.url, AnswerCache(tmp_path / "answers"), RetryPolicy(first_wait=0.01))
    made = Snapshot(create(tmp_path / "e.ttl.gz", testgen.choose(NAMES), source))
    assert made.provenance.endpoint == small_world.sparql.url
    copy = Snapshot(create(tmp_path / "c.ttl", testgen.choose(NAMES), Snapshot(small)))
    for query in testgen.choose(NAMES):
        assert copy.answer(query) == Snapshot(small).answer(query)
    assert list(copy.names(["Q142", "Q64"])) == list(Snapshot(small).names(["Q142", "Q64"]))
    assert (copy.provenance.kind, copy.provenance.name) == ("snapshot", "small")


def test_dissolved_states_stay_out_of_a_snapshot_that_holds_them(small, tmp_path):
    made = Snapshot(create(tmp_path / "c.ttl", testgen.choose(["country"]), Snapshot(small)))
    assert "Q9001" not in made.named_items()
    assert ("Q9001",) not in made.answer(testgen.choose(["country"])[0]).rows


def test_a_query_may_rest_on_names(small, tmp_path):
    """Answers are checked without loading names, unless the query uses names."""
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
    expected = Snapshot(small).answer(queries[0])
    assert expected.rows
    made = Snapshot(create(tmp_path / "s.ttl", queries, Snapshot(small)))
    assert made.answer(queries[0]) == expected


@pytest.mark.parametrize("name", ["s.nt", "s.ttl.bz2", "s"])
def test_other_endings_are_refused(small, tmp_path, name):
    with pytest.raises(OutputError, match=r"must end in \.ttl or \.ttl\.gz"):
        create(tmp_path / name, testgen.choose(NAMES), Snapshot(small))


def test_nothing_is_left_of_a_snapshot_that_fails(small, tmp_path, monkeypatch):
    monkeypatch.setattr(Snapshot, "statements", lambda _self, _query: [])
    with pytest.raises(SourceError, match="gives a different answer on the snapshot"):
        create(tmp_path / "made" / "s.ttl", testgen.choose(NAMES), Snapshot(small))
    assert not list((tmp_path / "made").iterdir())


def test_nothing_is_left_when_the_source_fails(small, tmp_path, monkeypatch):
    def fail(*_):
        raise SourceError("no")

    monkeypatch.setattr(Snapshot, "answer", fail)
    with pytest.raises(SourceError, match="no"):
        create(tmp_path / "s.ttl", testgen.choose(NAMES), Snapshot(small))
    assert not list(tmp_path.glob(".part*"))
    assert not (tmp_path / "s.ttl").exists()


def test_the_file_is_gzip_without_a_date(small, tmp_path):
    path = create(tmp_path / "s.ttl.gz", testgen.choose(NAMES), Snapshot(small))
    assert path.read_bytes()[4:8] == bytes(4)
    assert b"wdt:P31 wd:Q3624078" in gzip.decompress(path.read_bytes())


@pytest.mark.usefixtures("contact")
@pytest.mark.parametrize("form", ["SELECT", "CONSTRUCT"])
def test_a_query_that_fails_is_left_out_and_asked_alone_next_time(form, small_world, tmp_path):  # noqa: F811
    queries = testgen.choose(NAMES)
    slow = always(faults.QUERY_TIMEOUT, lambda request: form in request.query and "P36" in request.query)
    with FaultProxy(small_world.sparql.url, slow) as proxy:
        answers = AnswerCache(tmp_path / "answers")
        source = wikidata(answers, proxy.url, small_world.api.url, RetryPolicy(first_wait=0.01))
        left_out = creation.create(tmp_path / "some.ttl", queries, source)
        assert left_out.keys() == {"capital", "country-capital"}
        assert all("ran out of time" in message for message in left_out.values())
        some = Snapshot(tmp_path / "some.ttl")
        assert some.answer(queries[0]) == source.answer(queries[0])
        proxy.plan, asked = always(faults.QUERY_TIMEOUT, lambda request: False), len(proxy.log)
        source = wikidata(answers, proxy.url, small_world.api.url)
        create(tmp_path / "all.ttl", queries, source)
        assert len(proxy.log) - asked == (4 if form == "SELECT" else 2)


@pytest.mark.usefixtures("contact")
def test_a_query_whose_statements_do_not_give_its_answer_is_left_out(small, tmp_path, monkeypatch):
    whole = Snapshot(small)
    queries = testgen.choose(["country", "country-capital"])
    kept = {query: whole.statements(query) for query in queries}
    monkeypatch.setattr(whole, "statements", lambda query: [] if query == queries[1] else kept[query])
    left_out = creation.create(tmp_path / "s.ttl", queries, whole)
    assert list(left_out) == ["country-capital"]
    assert "different answer" in left_out["country-capital"]
    assert Snapshot(tmp_path / "s.ttl").answer(queries[0]) == whole.answer(queries[0])
    monkeypatch.setattr(whole, "statements", lambda query: [])
    with pytest.raises(SourceError, match="different answer"):
        creation.create(tmp_path / "s.ttl", queries, whole)


FAMOUS = """\
#+ title: Famous things
#+ kind: category
#+ topic: mine
#+ summary: Instances of Q9 that are famous.
#+ min-sitelinks: 20
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX wikibase: <http://wikiba.se/ontology#>
SELECT DISTINCT ?item WHERE {
  ?item wdt:P31 wd:Q9 .
  OPTIONAL { ?item wikibase:sitelinks ?sitelinks } FILTER (!BOUND(?sitelinks) || ?sitelinks >= 20)
}
ORDER BY ?item
"""
SITELINKS = """\
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
wd:Q1 wdt:P31 wd:Q9 ; wikibase:sitelinks 9 .
wd:Q2 wdt:P31 wd:Q9 ; wikibase:sitelinks 50 .
wd:Q3 wdt:P31 wd:Q9 ; wikibase:sitelinks 20 .
"""


def test_a_snapshot_has_the_numbers_of_sitelinks_for_a_higher_minimum(tmp_path):
    (tmp_path / "famous.rq").write_text(FAMOUS, "utf-8")
    (tmp_path / "whole.ttl").write_text(SITELINKS, "utf-8")
    whole = Snapshot(tmp_path / "whole.ttl")
    famous, more = (testgen.choose(tmp_path / "famous.rq", minimum_sitelinks=n)[0] for n in (20, 30))
    made = Snapshot(create(tmp_path / "made.ttl", [famous], whole))
    assert "wd:Q1 " not in (tmp_path / "made.ttl").read_text("utf-8")
    assert made.answer(more).rows == whole.answer(more).rows == [("Q2",)]


def test_an_item_with_too_few_sitelinks_stays_out_if_another_query_needs_it(tmp_path):
    (tmp_path / "famous.rq").write_text(FAMOUS, "utf-8")
    (tmp_path / "whole.ttl").write_text(SITELINKS, "utf-8")
    queries, whole = testgen.choose(["Q9", tmp_path / "famous.rq"]), Snapshot(tmp_path / "whole.ttl")
    made = Snapshot(create(tmp_path / "made.ttl", queries, whole))
    assert [len(made.answer(query).rows) for query in queries] == [3, 2]
