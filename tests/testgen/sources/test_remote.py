"""Wikidata and endpoints as sources, on the small world."""

from __future__ import annotations

import gzip
import itertools
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from testgen import LabelPolicy
from testgen.errors import ConfigError, MissingAnswerError, QueryError, QueryFaultError, SourceError
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import generate
from testgen.languages.codes import from_tag
from testgen.queries import class_query, shipped_queries
from testgen.sources import Names, open_source
from testgen.sources import wikidata as open_wikidata
from testgen.sources.base import ENTITY
from testgen.sources.entity_api import _TAGS
from tests.servers import faults
from tests.servers.entities import EntityServer
from tests.servers.proxy import FaultProxy, always, scripted
from tests.servers.rdf import store_from_entities
from tests.servers.sparql import SparqlServer
from tests.servers.virtuoso import virtuoso
from tests.testgen.network import CONTACT, endpoint_source, files, open_cache, stop_clock, wikidata_source

POLICY = LabelPolicy(minimum_words=1, aliases=True)
CHOSEN = ("country", "country-capital", "capital")
HEADER = "#+ title: Things\n#+ kind: category\n#+ topic: test\n#+ summary: Things.\n"
VALUES = (
    "PREFIX wd: <http://www.wikidata.org/entity/>\n"
    "SELECT ?item WHERE {{ VALUES ?item {{ {} }} }} ORDER BY ?item\n"
)


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    stop_clock(monkeypatch)


@pytest.fixture
def cache(tmp_path):
    with open_cache(tmp_path / "cache") as opened:
        yield opened


@pytest.fixture
def wikidata(cache, small_world):
    return wikidata_source(cache, small_world.sparql.url, small_world.api.url)


def things(text, name="things"):
    """Your own category."""
    return replace(class_query("Q1"), name=name, text=HEADER + text)


def listing(*ids):
    return things(VALUES.format(" ".join(f"wd:{item}" for item in ids)))


def named(source, *items):
    return {names.item: names for names in source.names(items)}


def without_source(directory):
    made = {name: json.loads(content) for name, content in files(directory).items()}
    for test_set in made.values():
        del test_set["source"]
    return made


class TestSameFromBoth:
    def test_test_sets(self, small_world, cache, wikidata, tmp_path):
        queries = [shipped_queries()[name] for name in CHOSEN]
        generate(tmp_path / "a", TestSetRequest(categories=queries, policy=POLICY), source=wikidata)
        other = endpoint_source(cache, small_world.sparql.url)
        generate(tmp_path / "b", TestSetRequest(categories=queries, policy=POLICY), source=other)
        assert without_source(tmp_path / "a") == without_source(tmp_path / "b")
        assert {"en.json", "de.json", "la.json", "sr-ec.json"} & files(tmp_path / "a").keys()
        sources = [json.loads((tmp_path / name / "en.json").read_text())["source"] for name in "ab"]
        assert sources[0] == {
            "kind": "wikidata",
            "name": "wikidata",
            "date": "2026-11-20",
            "endpoint": small_world.sparql.url,
            "retrieved": "2026-11-20T12:00:00Z",
        }
        assert sources[1] == sources[0] | {"kind": "endpoint", "name": f"127.0.0.1:{small_world.sparql.port}"}

    def test_names_of_every_item(self, small_world, cache, wikidata):
        items = [key for key in small_world.entities if key.startswith("Q")]
        other = endpoint_source(cache, small_world.sparql.url)
        by_api, by_sparql = named(wikidata, *items), named(other, *items)
        assert by_api == by_sparql
        assert list(by_api) == [item for item in items if item in by_api]

    def test_words_of_lexemes(self, small_world, cache, wikidata, tmp_path):
        lexical = [query for query in shipped_queries().values() if query.worded]
        other = endpoint_source(cache, small_world.sparql.url)
        for query in lexical:
            assert wikidata.answer(query) == other.answer(query)
            assert wikidata.answer(query, ["en"]) == other.answer(query, ["en"])


class TestNames:
    def test_redirects_have_the_names_of_their_targets(self, wikidata):
        names = named(wikidata, "Q100000001", "Q142")
        assert names["Q100000001"].labels == names["Q142"].labels

    @pytest.mark.parametrize("item", ["Q100000002", "Q100000003", "Q999", "Q100000010"])
    def test_what_is_missing_or_has_no_name_is_left_out(self, wikidata, item):
        assert named(wikidata, item) == {}

    def test_labels_or_aliases_alone_are_names(self, small_world, wikidata):
        for item, kept, other in (("Q142", "aliases", "labels"), ("Q38", "labels", "aliases")):
            entity = {**small_world.entities[item], other: {}}
            assert entity[kept]
            small_world.entities[item] = entity
        found = named(wikidata, "Q142", "Q38")
        assert found["Q142"].aliases
        assert not found["Q142"].labels
        assert found["Q38"].labels
        assert not found["Q38"].aliases

    def test_the_neutral_label(self, wikidata):
        assert named(wikidata, "Q42")["Q42"].labels["mul"] == "Douglas Adams"

    def test_empty_maps_as_php_writes_them(self, small_world, wikidata):
        small_world.api.empty_maps_as_lists = True
        assert named(wikidata, "Q100000010", "Q697").keys() == {"Q697"}

    def test_an_id_that_the_server_cannot_read_does_not_spoil_the_others(self, small_world, wikidata):
        names = named(wikidata, "Q142", "Q99999999999", "Q38", "Q88888888888")
        assert names.keys() == {"Q142", "Q38"}
        assert len(small_world.api.log) == 3  # one more for each bad id

    def test_an_answer_without_some_of_the_entities(self, small_world, wikidata):
        items = [key for key in small_world.entities if key.startswith("Q")]
        whole = named(wikidata, *items)
        small_world.api.max_result_size = 3000
        wikidata._cache.clear()
        asked = len(small_world.api.log)
        assert named(wikidata, *items) == whole
        assert len(small_world.api.log) > asked + 1

    def test_an_entity_that_never_fits(self, small_world, wikidata):
        small_world.api.max_result_size = 1
        with pytest.raises(SourceError, match="Q142"):
            named(wikidata, "Q142")

    def test_fifty_at_a_time_in_one_batch_whatever_lies_between(self, small_world, wikidata):
        items = [f"Q{number}" for number in range(1, 3000)]
        told = []
        wikidata.notify = lambda *said: told.append(said)
        named(wikidata, *[item for place, item in enumerate(items) if place % 30])
        assert [left for _, left in told] == list(range(57, -1, -1))
        assert told[-1] == ("names of 49 items", 0)
        small_world.api.log.clear()
        told.clear()
        list(wikidata.names(items))  # a hundred are missing, thinly spread
        assert len(small_world.api.log) == 2
        assert told == [("names of 50 items", 1), ("names of 50 items", 0)]

    def test_a_batch_that_takes_too_long_is_halved(self, small_world, cache):
        def too_much(request):
            return request.query.count("/entity/Q") > 7

        items = [key for key in small_world.entities if key.startswith("Q")]
        whole = named(endpoint_source(cache, small_world.sparql.url), *items)
        with FaultProxy(small_world.sparql.url, always(faults.QUERY_TIMEOUT, too_much)) as proxy:
            assert named(endpoint_source(cache, proxy.url), *items) == whole
            assert len({exchange.key for exchange in proxy.log}) == len(proxy.log)

    def test_a_refusal_of_everything_is_not_asked_for_in_ever_smaller_pieces_for_long(
        self, small_world, cache
    ):
        broken = faults.answering("400", lambda spoiler: faults.Response.text(400, "no"))
        with FaultProxy(small_world.sparql.url, always(broken)) as proxy:
            with pytest.raises(QueryFaultError):
                named(endpoint_source(cache, proxy.url), *[f"Q{number}" for number in range(1, 101)])
            assert len(proxy.log) <= 8


class TestRequests:
    def test_how_they_look(self, small_world, wikidata):
        wikidata.answer(shipped_queries()["country"])
        named(wikidata, "Q142")
        (query,), (names,) = small_world.sparql.log, small_world.api.log
        assert (query.method, names.method, names.body) == ("POST", "GET", b"")
        assert query.content_type == "application/x-www-form-urlencoded"
        for request in (query, names):
            assert request.headers["accept-encoding"] == "gzip"
            assert "authorization" not in request.headers
            assert CONTACT in request.headers["user-agent"]
            assert request.headers["user-agent"].startswith("testgen/")
        assert query.params.keys() == {"query"}
        assert "application/sparql-results+json" in query.headers["accept"]
        assert names.params == {
            "action": "wbgetentities",
            "ids": "Q142",
            "props": "labels|aliases",
            "format": "json",
            "formatversion": "2",
            "maxlag": "5",
        }

    def test_a_token_goes_to_wikidata_alone(self, small_world, cache, monkeypatch, tmp_path):
        monkeypatch.setenv("TESTGEN_TOKEN", "secret-token")
        sources = [
            wikidata_source(cache, small_world.sparql.url, small_world.api.url),
            endpoint_source(cache, small_world.sparql.url + "?other"),
        ]
        for source in sources:
            source.answer(shipped_queries()["country"])
            named(source, "Q142")
            assert "secret" not in repr([vars(source), source.servers])
        sent = [log.headers.get("authorization") for log in (*small_world.sparql.log, *small_world.api.log)]
        assert sent == ["Bearer secret-token", None, None, "Bearer secret-token"]
        assert not any(b"secret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        plain = open_wikidata(cache, "http://example.org/sparql", "http://example.org/w/api.php")
        assert [server.token for server in plain.servers] == [None, None]

    def test_one_connection_is_kept_for_each_service(self, small_world, wikidata):
        for name in CHOSEN:
            named(wikidata, *wikidata.answer(shipped_queries()[name]).unnamed)
        assert (small_world.sparql.connections, small_world.api.connections) == (1, 1)

    def test_a_server_that_wants_a_contact(self, small_world, wikidata):
        small_world.api.require_contact = True
        assert named(wikidata, "Q142")

    def test_a_second_time_nothing_is_asked(self, small_world, wikidata, cache):
        queries = [shipped_queries()[name] for name in CHOSEN]
        for source in (wikidata, wikidata_source(cache, small_world.sparql.url, small_world.api.url)):
            for query in queries:
                list(source.names(source.answer(query).unnamed))
        assert len(small_world.sparql.log) == 3
        assert len(small_world.api.log) == 2

    def test_a_plan_asks_nothing_and_is_kept_to(self, small_world, wikidata):
        queries = [shipped_queries()[name] for name in CHOSEN]
        plan = wikidata.plan(queries)
        assert (plan.requests, plan.items, plan.known) == (3, 0, False)
        for query in queries:
            wikidata.answer(query)
        plan = wikidata.plan(queries)
        assert (plan.requests, plan.known, plan.queries) == (1, True, {})
        assert plan.items > 5
        assert small_world.api.log == []

    def test_contact_is_required(self, cache, monkeypatch, tmp_path):
        monkeypatch.delenv("TESTGEN_CONTACT")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        with pytest.raises(ConfigError, match="testgen config contact"):
            wikidata_source(cache, "http://127.0.0.1:1/", "http://127.0.0.1:1/")

    @pytest.mark.parametrize("address", ["http://", "https:// host/sparql", "http://a b/"])
    def test_no_address(self, cache, address):
        with pytest.raises(SourceError, match="URL of a SPARQL endpoint"):
            open_source(address, cache)


class TestOffline:
    def test_a_miss_says_what_is_missing(self, small_world, wikidata, tmp_path):
        country, capital = (shipped_queries()[name] for name in CHOSEN[:2])
        wikidata.answer(country)
        with open_cache(tmp_path / "cache", offline=True) as cache:
            source = wikidata_source(cache, small_world.sparql.url, small_world.api.url)
            with pytest.raises(MissingAnswerError) as raised:
                generate(
                    tmp_path / "out",
                    TestSetRequest(categories=[country, capital], policy=POLICY),
                    source=source,
                )
        message = str(raised.value)
        assert "offline: the answer to query 'country-capital' is not in the cache" in message
        assert "the names of 7 items (Q38, Q142, Q183, Q697, Q750, …)" in message
        assert len(small_world.sparql.log) == 1

    def test_what_is_kept_is_enough(self, small_world, wikidata, tmp_path, monkeypatch):
        country = shipped_queries()["country"]
        generate(tmp_path / "a", TestSetRequest(categories=[country], policy=POLICY), source=wikidata)
        asked = len(small_world.sparql.log) + len(small_world.api.log)
        monkeypatch.delenv("TESTGEN_CONTACT")  # nobody is asked, so nobody need know
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
        with open_cache(tmp_path / "cache", offline=True) as cache:
            source = wikidata_source(cache, small_world.sparql.url, small_world.api.url)
            generate(tmp_path / "b", TestSetRequest(categories=[country], policy=POLICY), source=source)
        assert files(tmp_path / "a") == files(tmp_path / "b")
        assert len(small_world.sparql.log) + len(small_world.api.log) == asked


class TestAnswersThatWillNotDo:
    @pytest.mark.parametrize("entity", ["P36", "L1001", "L1001-F1"])
    def test_what_is_no_item(self, wikidata, entity):
        answer = wikidata.answer(listing("Q142", entity))
        assert answer.rows == [("Q142",)]
        said = f"things: 1 row left out, as ?item is something else than an item in 1 ({ENTITY}{entity})"
        assert answer.left_out == said
        with pytest.raises(QueryFaultError, match=rf"'things'.*\?item.*{entity}"):
            wikidata.answer(listing(entity))

    def test_texts(self, wikidata):
        with pytest.raises(QueryFaultError, match=r"\?item.*France"):
            wikidata.answer(things('SELECT ?item WHERE { BIND("France" AS ?item) }'))

    def test_nothing_bound(self, wikidata):
        with pytest.raises(QueryFaultError, match=r"\?item.*nothing"):
            wikidata.answer(things("SELECT ?item WHERE { OPTIONAL { ?item <urn:none> 1 } }"))

    def test_no_result(self, wikidata, tmp_path):
        assert wikidata.answer(class_query("Q1")).rows == []
        with pytest.raises(QueryError, match=r"wikidata .*Q1"):
            generate(tmp_path / "out", TestSetRequest(categories=[class_query("Q1")]), source=wikidata)

    def test_too_many_results(self, small_world, cache, tmp_path):
        source = wikidata_source(cache, small_world.sparql.url, small_world.api.url)
        source._endpoint = replace(source._endpoint, row_limit=5)
        with pytest.raises(QueryFaultError, match=r"\b8 results.*\b5\b.*Restrict"):
            generate(tmp_path / "out", TestSetRequest(categories=[class_query("Q3624078")]), source=source)
        assert len(small_world.sparql.log) == 2
        assert small_world.api.log == []

    def test_a_server_that_cuts_answers_off(self, small_world, cache):
        with virtuoso(small_world.sparql.store, max_rows=5) as url:
            source = endpoint_source(cache, url)
            with pytest.raises(QueryFaultError, match=r"\b5 rows.*X-SPARQL-MaxRows"):
                source.answer(class_query("Q3624078"))
            assert source.answer(class_query("Q5107")).rows == [("Q46",)]
            few = {"Q100000010", "Q697"}
            assert named(source, "Q697").keys() <= few

    def test_names_are_asked_for_in_pieces_where_answers_are_cut_off(self, small_world, cache):
        items = [key for key in small_world.entities if key.startswith("Q")]
        whole = named(endpoint_source(cache, small_world.sparql.url), *items)
        with virtuoso(small_world.sparql.store, max_rows=40) as url:
            assert named(endpoint_source(cache, url), *items) == whole


def test_names_of_two_tags_of_one_language():
    """`no` and `nb` are one language; the usual tag is preferred."""
    from testgen.sources.base import gather_names

    names = gather_names("Q1", {"no": ["b"], "nb": ["a"], "xx-odd": ["c"]}, {"no": ["d"], "nb": ["e"]})
    assert names == Names("Q1", {"nb": "a"}, {"nb": ["d", "e"]})


@pytest.mark.slow
def test_real_entities(shared_data, cache, tmp_path):
    """All real entities are read, and none of their names is lost."""
    entities, labels = {}, set()
    with gzip.open(shared_data / "wikidata" / "entities.json.gz", "rt", encoding="utf-8") as dump:
        for line in dump:
            if line.strip() not in ("[", "]"):
                entity = json.loads(line.strip().removesuffix(","))
                entities[entity["id"]] = entity
    items = sorted(key for key in entities if key.startswith("Q"))
    for item in items:
        tags = (_TAGS.get(code) or from_tag(code) for code in entities[item]["labels"])
        labels |= {(item, tag) for tag in tags if tag}
    with (
        SparqlServer(store_from_entities(entities.values())) as sparql,
        EntityServer(entities) as api,
    ):
        found = named(wikidata_source(cache, sparql.url, api.url), *items)
        by_sparql = named(endpoint_source(cache, sparql.url), *items)
        assert len(api.log) == -(-len(items) // 50)
    assert {(item, code) for item, names in found.items() for code in names.labels} == labels
    assert len(labels) > 50_000
    assert len({code for _, code in labels}) > 400
    twice = {(item, code) for item in items for code in spelled_twice(entities[item]["labels"])}
    assert texts(by_sparql, twice) == texts(found, twice)


def spelled_twice(labels):
    """Languages that an entity has under an old and a new code: in RDF they cannot be told apart."""
    codes = [from_tag(code) for code in labels]
    return {code for code in codes if codes.count(code) > 1}


def texts(found, without):
    return {
        (item, code): text
        for item, names in found.items()
        for code, text in names.labels.items()
        if (item, code) not in without
    }


def test_names_service_of_an_endpoint_is_the_endpoint(cache, small_world):
    source = endpoint_source(cache, small_world.sparql.url)
    assert source._names is source._endpoint
    assert source._names.url == small_world.sparql.url


TOGETHER = """
import sys
from pathlib import Path
from testgen.sources import AnswerCache, RetryPolicy, wikidata
from testgen.languages.codes import from_tag
from testgen.queries import class_query
source = wikidata(AnswerCache(Path(sys.argv[1])), sys.argv[2], sys.argv[3], RetryPolicy(first_wait=0.01))
for name in ("Q3624078", "Q5119", "Q5107"):
    for item in source.answer(class_query(name)).unnamed:
        list(source.names([item]))
"""


def test_two_processes_ask_one_at_a_time_and_nothing_twice(small_world, tmp_path):
    spoiling = scripted(*[None, faults.slow_first_byte(0.1)] * 3)
    with (
        FaultProxy(small_world.sparql.url, spoiling) as sparql,
        FaultProxy(small_world.api.url, spoiling) as api,
    ):
        arguments = [sys.executable, "-c", TOGETHER, str(tmp_path / "cache"), sparql.url, api.url]
        both = [subprocess.Popen(arguments) for _ in range(2)]
        assert [process.wait(timeout=60) for process in both] == [0, 0]
        log = sorted([*sparql.log, *api.log], key=lambda exchange: exchange.time)
        for earlier, later in itertools.pairwise(log):
            assert earlier.answered <= later.time
        assert len(sparql.log) == 3
        assert api.repeated_ids_after_success() == []
        assert {sparql.max_concurrency, api.max_concurrency} == {1}
