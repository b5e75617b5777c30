"""Queries that are asked language by language, on a real SPARQL engine over HTTP."""

from __future__ import annotations

import json

import pyoxigraph
import pytest

from testgen import LabelPolicy, TestSetRequest, choose, generate, open_source, shipped_queries
from testgen.errors import MissingAnswerError, QueryTimeoutError
from tests.servers import faults
from tests.servers.proxy import FaultProxy, always, scripted
from tests.servers.sparql import SparqlServer
from tests.testgen.network import endpoint_source, files, open_cache, stop_clock
from tests.testgen.test_lexemes import NOUNS, PREFIXES, STATES

EVERY = LabelPolicy(minimum_words=1)
PLURAL = "noun-plural"
PRONOUNS = """
wd:L20 dct:language wd:Q1860 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "she"@en .
wd:L21 dct:language wd:Q397 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "ego"@la .
wd:L22 dct:language wd:Q150 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "moi"@fr .
wd:Q150 wdt:P424 "fr" .
wd:L23 dct:language wd:Q35505 ; wikibase:lexicalCategory wd:Q1084 .
wd:Q35505 wdt:P220 "non" .
wd:L24 dct:language wd:Q1 ; wikibase:lexicalCategory wd:Q1084 . wd:Q1 wdt:P220 "qqq" .
"""
TURTLE = PREFIXES + NOUNS + STATES + PRONOUNS


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    stop_clock(monkeypatch)


@pytest.fixture
def server():
    store = pyoxigraph.Store()
    store.load(TURTLE.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    with SparqlServer(store) as running:
        yield running


@pytest.fixture
def cache(tmp_path):
    with open_cache(tmp_path / "cache") as opened:
        yield opened


def asked(server, text="wd:Q1084"):
    """The codes of which each query was about: one list a request."""
    found = [request.query for request in server.log if text in request.query and "VALUES" in request.query]
    return [
        query.partition("VALUES ?code {")[2].partition("}")[0].replace('"', "").split() for query in found
    ]


def plurals(directory, language):
    content = json.loads((directory / f"{language}.json").read_text(encoding="utf-8"))
    (found,) = [each for each in content["relations"] if each["name"] == PLURAL]
    return [pair["item"] for pair in found["pairs"]]


def test_all_languages_leave_no_shipped_query_out(server, cache, tmp_path):
    snapshot = tmp_path / "s.ttl"
    snapshot.write_text(TURTLE, encoding="utf-8")
    frames = [
        generate(tmp_path / name, TestSetRequest(policy=EVERY, keywords=False), source=source)
        for name, source in (("a", endpoint_source(cache, server.url)), ("b", snapshot))
    ]
    assert {"noun-plural", "pronoun", "country-demonym"} <= set(frames[0]["name"])
    assert [frame.drop(columns="file").to_dict("records") for frame in frames[:1]] == [
        frame.drop(columns="file").to_dict("records") for frame in frames[1:]
    ]
    assert frames[0].attrs["failed"] == {}


def test_only_languages_with_such_lexemes_are_asked(server, cache, tmp_path):
    chosen = [shipped_queries()[name] for name in (PLURAL, "verb-past-tense")]
    generate(
        tmp_path / "out",
        TestSetRequest(categories=chosen, policy=EVERY),
        source=endpoint_source(cache, server.url),
    )
    assert [codes[0] for codes in asked(server)] == ["en", "la", "mul", "non", "sr"]
    assert "en-gb" in asked(server)[0]
    assert asked(server, "wd:Q24905") == []  # no verbs at all
    assert sum("SELECT DISTINCT ?language" in request.query for request in server.log) == 1


def test_another_language_costs_one_request(server, cache, tmp_path):
    for languages in (["la"], ["la", "en-gb"], ["en-us", "en", "la"]):
        source = endpoint_source(cache, server.url)
        generate(
            tmp_path / "out", TestSetRequest(languages, categories=[PLURAL], policy=EVERY), source=source
        )
    assert [codes[0] for codes in asked(server)] == ["la", "mul", "en"]
    whole = open_source_of(tmp_path)
    generate(
        tmp_path / "snapshot",
        TestSetRequest(["la", "en-us", "en"], categories=[PLURAL], policy=EVERY),
        source=whole,
    )
    for code in ("la", "en", "en-us"):
        assert plurals(tmp_path / "out", code) == plurals(tmp_path / "snapshot", code)


def open_source_of(tmp_path):
    path = tmp_path / "s.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return open_source(path)


def test_an_answer_of_nothing_is_cached_too(server, cache):
    (query,) = choose([PLURAL])
    for _ in range(2):
        assert endpoint_source(cache, server.url).answer(query, ["fr"]).names.keys() == {"L14-F1", "L14-F2"}
    assert [codes[0] for codes in asked(server)] == ["fr", "mul"]


def test_small_queries_are_asked_once_for_all_languages(server, cache):
    (query,) = choose(["pronoun"])
    for languages in (["la"], ["en"], None):
        answer = endpoint_source(cache, server.url).answer(query, languages)
        assert answer.names.keys() == {"L20", "L21", "L22"}
    assert len(server.log) == 1


@pytest.mark.parametrize("languages", [None, ["en", "la"]])
def test_a_language_that_fails_does_not_cost_the_others(server, cache, tmp_path, languages):
    english = always(faults.QUERY_TIMEOUT, lambda request: 'VALUES ?code { "en"' in (request.query or ""))
    with FaultProxy(server.url, english) as proxy:
        request = TestSetRequest(languages, [PLURAL], policy=EVERY)
        frame = generate(tmp_path / "out", request, source=endpoint_source(cache, proxy.url))
        assert plurals(tmp_path / "out", "la") == ["L12-F2", "L14-F2"]
        assert frame.attrs["failed"].keys() == {"noun-plural in en"}
        assert (
            "ran out of time for the query 'noun-plural in en'" in frame.attrs["failed"]["noun-plural in en"]
        )
        # The next time, only what is missing is asked for.
        proxy.plan, before = scripted(), len(server.log)
        again = generate(tmp_path / "out", request, source=endpoint_source(cache, proxy.url))
    assert again.attrs["failed"] == {}
    assert len(server.log) == before + 1
    assert asked(server)[-1][0] == "en"
    assert plurals(tmp_path / "out", "en") == ["L7-F2", "L9-F2", "L9-F3", "L14-F2"]


def test_without_the_list_of_languages_each_query_fails_at_once(server, cache):
    slow = always(faults.QUERY_TIMEOUT, lambda request: "SELECT DISTINCT ?language" in (request.query or ""))
    with FaultProxy(server.url, slow) as proxy:
        source = endpoint_source(cache, proxy.url)
        for name in (PLURAL, "verb-past-tense"):
            with pytest.raises(QueryTimeoutError, match="languages with lexemes"):
                source.answer(shipped_queries()[name])
    assert len(proxy.log) == 1


def test_a_plan_counts_a_request_for_each_language(server, cache):
    source, chosen = endpoint_source(cache, server.url), choose([PLURAL, "verb-past-tense", "pronoun"])
    plan = source.plan(chosen)
    assert ({query.name: count for query, count in plan.queries.items()}, plan.requests, plan.known) == (
        {"languages with lexemes": 1, "noun-plural": 0, "verb-past-tense": 0, "pronoun": 1},
        2,
        False,
    )
    assert source.plan(chosen, ["en", "en-gb", "la"]).requests == 3 + 3 + 1
    source.answer(shipped_queries()["verb-past-tense"])
    plan = source.plan(chosen)
    assert {query.name: count for query, count in plan.queries.items()} == {"noun-plural": 5, "pronoun": 1}
    assert len(server.log) == 1


def test_how_many_requests_follow_is_said(server, cache):
    source, said = endpoint_source(cache, server.url), []
    source.notify = lambda what, left: said.append((what, left))
    source.answer(shipped_queries()[PLURAL])
    assert said[:3] == [
        ("query languages with lexemes", 0),
        ("query noun-plural in en", 4),
        ("query noun-plural in la", 3),
    ]
    assert said[-1] == ("query noun-plural in sr", 0)
    answer = source.answer(shipped_queries()["pronoun"])
    assert said[-1] == ("query pronoun", 0)
    assert answer.names
    assert all(texts for names in answer.names.values() for texts in names.aliases.values())


def test_offline(server, tmp_path):
    with open_cache(tmp_path / "cache") as cache:
        online = endpoint_source(cache, server.url).answer(shipped_queries()[PLURAL], ["la"])
    with open_cache(tmp_path / "cache", offline=True) as cache:
        source = endpoint_source(cache, server.url)
        assert source.answer(shipped_queries()[PLURAL], ["la"]) == online
        answer = source.answer(shipped_queries()[PLURAL], ["la", "en"])
        assert [(name, type(error)) for name, error in answer.failed.items()] == [
            ("noun-plural in en", MissingAnswerError)
        ]
        with pytest.raises(MissingAnswerError, match="languages with lexemes"):
            source.answer(shipped_queries()[PLURAL])


def test_a_snapshot_has_the_languages_that_have_lexemes(server, cache, tmp_path):
    from testgen.snapshots import creation

    query = shipped_queries()[PLURAL]
    source = endpoint_source(cache, server.url)
    assert creation.create(tmp_path / "made.jsonl", [query], source) == {}
    made = open_source(tmp_path / "made.jsonl")
    assert made.answer(query) == source.answer(query)
    assert made.answer(query, ["la"]).rows == source.answer(query, ["la"]).rows


def test_the_same_files_from_the_cache(server, cache, tmp_path):
    for name in ("a", "b"):
        source = endpoint_source(cache, server.url)
        generate(
            tmp_path / name,
            TestSetRequest(["la", "en", "fr"], categories=[PLURAL, "pronoun"], policy=EVERY),
            source=source,
        )
    assert files(tmp_path / "a") == files(tmp_path / "b")
