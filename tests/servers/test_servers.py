"""The servers of the tests behave as documented, and each fault is one that a client can see."""

from __future__ import annotations

import http.client
import json
import threading
import time

import pytest
import requests
from pyoxigraph import Store
from SPARQLWrapper import JSON, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed

from tests.servers import faults
from tests.servers.entities import EntityServer, entities_from_dump, small_entities
from tests.servers.faults import FAULTS
from tests.servers.proxy import FaultProxy, always, scripted, seeded
from tests.servers.rdf import store_from_entities, tags
from tests.servers.sparql import SparqlServer
from tests.servers.virtuoso import virtuoso
from tests.servers.world import big_world

UNCLOSED = pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning")
"""SPARQLWrapper does not close answers that are errors, and Python warns of it since 3.14."""

PREFIXES = """
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX ontolex: <http://www.w3.org/ns/lemon/ontolex#>
PREFIX dct: <http://purl.org/dc/terms/>
"""
STATES = (
    PREFIXES
    + """SELECT DISTINCT ?item WHERE {
  ?item wdt:P31 wd:Q3624078 . MINUS { ?item wdt:P576 ?end } } ORDER BY ?item"""
)
CAPITALS = PREFIXES + "SELECT ?item ?of WHERE { ?of wdt:P36 ?item } ORDER BY ?of ?item"
LABELS = PREFIXES + "SELECT ?label WHERE { wd:Q142 rdfs:label ?label }"
AGENT = {"User-Agent": "testgen-tests/0 (https://example.org; mail@example.org)"}


def ask(url, query=STATES, timeout=10):
    """What a client does that knows no trouble."""
    accept = {"Accept": "application/sparql-results+json"}
    answer = requests.post(url, data={"query": query}, headers=AGENT | accept, timeout=timeout)
    answer.raise_for_status()
    rows = answer.json()["results"]["bindings"]
    return [tuple(cell["value"].rpartition("/")[2] for cell in row.values()) for row in rows]


def get(url, ids, timeout=10, status=200, **params):
    params = {"action": "wbgetentities", "format": "json", "formatversion": 2, "ids": ids, **params}
    answer = requests.get(url, params=params, headers=AGENT, timeout=timeout)
    assert answer.status_code == status
    return answer.json()


def wrapper(url, query):
    client = SPARQLWrapper(url, agent=AGENT["User-Agent"])
    client.setQuery(query)
    client.setReturnFormat(JSON)
    client.setMethod(POST)
    return client


class TestSparqlServer:
    def test_requests_are_logged(self, small_world):
        posted = wrapper(small_world.sparql.url, STATES).queryAndConvert()
        assert len(posted["results"]["bindings"]) == 7
        (request,) = small_world.sparql.log
        assert (request.query, request.method, request.status) == (STATES, "POST", 200)

    def test_answers_are_the_engine_s(self, small_world):
        states = ["Q100000010", "Q1049", "Q142", "Q183", "Q38", "Q697", "Q750"]
        assert ask(small_world.sparql.url) == [(state,) for state in states]

    @UNCLOSED
    def test_refusals(self, small_world):
        url = small_world.sparql.url
        with pytest.raises(QueryBadFormed):
            wrapper(url, "SELECT ?item WHERE {").query()
        post = {"data": "DROP ALL", "headers": {"Content-Type": "application/sparql-update"}}
        assert requests.post(url, **post, timeout=5).status_code == 415
        assert requests.get(url, timeout=5).status_code == 400
        assert requests.delete(url, timeout=5).status_code == 405
        assert requests.get(url + "/other", timeout=5).status_code == 404

    def test_keeps_connections_and_zips(self, small_world):
        with requests.Session() as session:
            answers = [session.post(small_world.sparql.url, data={"query": LABELS}, timeout=5) for _ in "ab"]
        assert answers[0].headers["Content-Encoding"] == "gzip"
        assert int(answers[0].headers["Content-Length"]) < len(answers[0].content)
        plain = requests.post(
            small_world.sparql.url, data={"query": LABELS}, headers={"Accept-Encoding": "identity"}, timeout=5
        )
        assert int(plain.headers["Content-Length"]) == len(plain.content)

    def test_mistakes_in_a_server_are_not_lost(self):
        server = SparqlServer(Store())
        server.respond = lambda request: 1 / 0
        server.start()
        with pytest.raises(requests.ConnectionError):
            requests.get(server.url, timeout=5)
        with pytest.raises(ZeroDivisionError):
            server.__exit__(None, None, None)


class TestRdf:
    def test_best_rank_only(self, small_world):
        assert ask(small_world.sparql.url, CAPITALS) == [
            ("Q90", "Q142"), ("Q56036", "Q16957"), ("Q64", "Q183"), ("Q220", "Q38"), ("Q1491", "Q750"),
            ("Q2907", "Q750"),
        ]  # fmt: skip
        currencies = PREFIXES + "SELECT ?c WHERE { wd:Q142 wdt:P38 ?c }"
        assert ask(small_world.sparql.url, currencies) == [("Q4916",)]

    def test_unknown_values_when_asked_for(self):
        with SparqlServer(store_from_entities(small_entities().values(), unknown_values=True)) as server:
            rows = ask(server.url, CAPITALS)
        assert any(capital not in ("Q90",) and state == "Q1049" for capital, state in rows)
        assert not any(state == "Q697" for _, state in rows)

    def test_language_tags_are_those_of_rdf(self, small_world):
        query = PREFIXES + "SELECT (LANG(?l) AS ?tag) ?l WHERE { wd:Q183 rdfs:label ?l }"
        of_tag = dict(ask(small_world.sparql.url, query))
        assert of_tag["sr-cyrl"] == "Немачка"
        assert {"jv-x-bms", "it-x-tara", "cbk-x-zam", "zh-hant-tw"} <= of_tag.keys()
        assert not {"sr-ec", "map-bms", "simple"} & of_tag.keys()
        assert tags()["simple"] == "en-simple"

    def test_both_servers_tell_the_same_story(self, small_world):
        entity = get(small_world.api.url, "Q142", props="labels|aliases")["entities"]["Q142"]
        for name, path in (("labels", "rdfs:label"), ("aliases", "skos:altLabel")):
            query = PREFIXES + f"SELECT (LANG(?l) AS ?tag) ?l WHERE {{ wd:Q142 {path} ?l }}"
            terms = [(code, term) for code, term in entity[name].items()]
            spelt = {
                (tags().get(code, code), each["value"])
                for code, term in terms
                for each in (term if isinstance(term, list) else [term])
            }
            assert set(ask(small_world.sparql.url, query)) == spelt

    def test_lexemes(self, small_world):
        query = (
            PREFIXES
            + """SELECT ?singular ?plural WHERE {
          ?lexeme a ontolex:LexicalEntry ; dct:language wd:Q1860 ; wikibase:lexicalCategory wd:Q1084 ;
            ontolex:lexicalForm ?a, ?b .
          ?a ontolex:representation ?singular ; wikibase:grammaticalFeature wd:Q110786 .
          ?b ontolex:representation ?plural ; wikibase:grammaticalFeature wd:Q146786 .
          FILTER (LANG(?singular) = LANG(?plural)) } ORDER BY ?singular"""
        )
        assert ask(small_world.sparql.url, query) == [
            ("cat", "cats"), ("color", "colors"), ("colour", "colours"), ("mouse", "mice"),
        ]  # fmt: skip
        lemma = PREFIXES + "SELECT ?l WHERE { ?x dct:language wd:Q397 ; wikibase:lemma ?l } ORDER BY ?l"
        assert ask(small_world.sparql.url, lemma) == [("altus",), ("amo",), ("homo",), ("rosa",)]

    @pytest.mark.slow
    def test_real_entities_become_triples(self, shared_data):
        entities = entities_from_dump(shared_data / "wikidata" / "entities.json.gz")
        assert len(entities) == 1403
        some = [entity for key, entity in entities.items() if key.endswith("1")]
        assert len(store_from_entities(some)) > 1000


class TestEntityServer:
    def test_labels_and_aliases(self, small_world):
        answer = get(small_world.api.url, "Q142|Q64", props="labels|aliases")
        assert list(answer) == ["entities", "success"]
        assert answer["success"] == 1
        france = answer["entities"]["Q142"]
        assert set(france) == {"type", "id", "labels", "aliases"}
        assert france["labels"]["la"] == {"language": "la", "value": "Francogallia"}
        assert france["aliases"]["la"] == [{"language": "la", "value": "Gallia"}]
        assert answer["entities"]["Q64"]["aliases"] == {}
        assert small_world.api.log[0].params["ids"] == "Q142|Q64"

    def test_redirects_come_under_the_id_asked_for(self, small_world):
        answer = get(small_world.api.url, "Q100000001|Q142", props="labels")["entities"]
        assert list(answer) == ["Q100000001", "Q142"]
        assert answer["Q100000001"]["id"] == "Q142"
        assert answer["Q100000001"]["redirects"] == {"from": "Q100000001", "to": "Q142"}
        assert answer["Q100000001"]["labels"] == answer["Q142"]["labels"]

    def test_missing(self, small_world):
        ids = "Q100000002|Q100000003|Q999999"
        answer = get(small_world.api.url, ids)["entities"]
        assert answer == {key: {"id": key, "missing": ""} for key in ids.split("|")}

    @pytest.mark.parametrize("bad", ["Q0", "foo", "P", "Q", "Q01", "Q2147483648", " Q42", "Q142-F1", ""])
    def test_a_malformed_id_fails_all(self, small_world, bad):
        error = get(small_world.api.url, f"Q142|{bad}|Q64")["error"]
        assert (error["code"], error["id"]) == ("no-such-entity", bad)
        assert error["info"] == f'Could not find an entity with the ID "{bad}".'

    def test_fifty_ids_and_no_more(self, small_world):
        ids = [f"Q{number}" for number in range(1, 52)]
        assert len(get(small_world.api.url, "|".join(ids[:50]))["entities"]) == 50
        error = get(small_world.api.url, "|".join(ids))["error"]
        assert error["code"] == "toomanyvalues"
        assert [error[key] for key in ("parameter", "limit", "lowlimit", "highlimit")] == ["ids", 50, 50, 500]

    def test_empty_maps(self, small_world):
        for as_lists, empty in ((True, []), (False, {})):
            small_world.api.empty_maps_as_lists = as_lists
            answer = get(small_world.api.url, "Q100000010|Q750", props="labels|aliases")["entities"]
            assert answer["Q100000010"]["labels"] == answer["Q750"]["aliases"] == empty

    def test_no_user_agent(self, small_world):
        connection = http.client.HTTPConnection("127.0.0.1", small_world.api.port, timeout=5)
        connection.request("GET", "/w/api.php?action=wbgetentities&ids=Q42&format=json")
        refused = connection.getresponse()
        assert refused.status == 403
        assert b"robot policy" in refused.read()
        connection.close()
        small_world.api.require_contact = True
        assert requests.get(small_world.api.url, timeout=5).status_code == 403
        assert "entities" in get(small_world.api.url, "Q42")

    def test_an_answer_cut_for_its_size(self, small_world):
        small_world.api.max_result_size = 1500
        answer = get(small_world.api.url, "Q142|Q183|Q38|Q750", props="labels|aliases")
        assert 0 < len(answer["entities"]) < 4
        assert "truncated" in answer["warnings"]["result"]["warnings"]


class TestBigWorld:
    def test_is_the_same_every_time(self):
        first, second = big_world(1000, 7, 40), big_world(1000, 7, 40)
        key = "Q200000123"
        assert first.entities[key] == second.entities[key]
        assert first.entities[key] != big_world(1000, 7, 40, seed=2).entities[key]
        assert len(first.entities) == len(list(first.entities)) == 1007
        assert "Q200001001" not in first.entities

    def test_is_big_quickly(self):
        world = big_world(20_000, 10, 300)
        with SparqlServer(world.store) as sparql, EntityServer(world.entities) as api:
            query = PREFIXES + f"SELECT ?item WHERE {{ ?item wdt:P31 wd:{world.classes[3]} }} ORDER BY ?item"
            ids = [item for (item,) in ask(sparql.url, query)]
            assert ids == world.members(world.classes[3])
            assert 2000 < len(ids) < 4000
            labels = get(api.url, "|".join(ids[:50]), props="labels")["entities"][ids[0]]["labels"]
            assert len(labels) > 50
            assert len({label["value"] for label in labels.values()}) == len(labels)


# What a naive client meets: an exception, or an HTTP status. Names of JSON errors differ between versions.
SEEN = {
    "CLOSED": requests.ConnectionError,
    "RESET": requests.ConnectionError,
    "RESET_IN_BODY": (requests.ConnectionError, requests.exceptions.ChunkedEncodingError),
    "CUT": requests.exceptions.ChunkedEncodingError,
    "CUT_WITH_ITS_LENGTH": requests.exceptions.JSONDecodeError,
    "CUT_WITHOUT_LENGTH": requests.exceptions.JSONDecodeError,
    "CUT_CHUNKED": requests.exceptions.ChunkedEncodingError,
    "CUT_GZIP": requests.exceptions.RequestException,
    "BAD_GZIP": requests.exceptions.ContentDecodingError,
    "TOO_MANY_REQUESTS": 429,
    "TOO_MANY_REQUESTS_UNTIL": 429,
    "TOO_MANY_REQUESTS_EDGE": 429,
    "WIKIMEDIA_429": 429,
    "WIKIMEDIA_429_BARE": 429,
    "JETTY_429": 429,
    "JETTY_429_ZERO": 429,
    "QLEVER_TIMEOUT": 429,
    "BANNED": 403,
    "QUERY_TIMEOUT": 500,
    "QUERY_TIMEOUT_IN_BODY": requests.exceptions.JSONDecodeError,
    "QLEVER_ERROR_IN_BODY": requests.exceptions.JSONDecodeError,
    "SERVER_ERROR": 500,
    "BAD_GATEWAY": 502,
    "UNAVAILABLE": 503,
    "UNAVAILABLE_RETRY_AFTER": 503,
    "GATEWAY_TIMEOUT": 504,
    "CAPTIVE_PORTAL": requests.exceptions.JSONDecodeError,
    "HTML_AS_JSON": requests.exceptions.JSONDecodeError,
    "JSON_AS_TEXT": None,
    "NO_BINDINGS": KeyError,
    "NO_TERM": None,
    "NO_VALUE": None,
    "RESULTS_LIST": TypeError,
    "JSON_LIST": TypeError,
    "JSON_NULL": TypeError,
    "EMPTY_BODY": requests.exceptions.JSONDecodeError,
    "BAD_UTF8": None,
    "REDIRECT_LOOP": requests.TooManyRedirects,
    "SLOW_FIRST_BYTE": requests.ReadTimeout,
    "SILENCE": requests.ReadTimeout,
    "TRICKLE": None,
    "MAXLAG": "maxlag",
    "MAXLAG_503": "maxlag",
    "RATE_LIMITED": "ratelimited",
    "READ_ONLY": "readonly",
    "INTERNAL_API_ERROR": "internal_api_error_DBQueryTimeoutError",
    "INTERNAL_API_ERROR_500": "internal_api_error_DBQueryTimeoutError",
}


class TestFaults:
    def test_every_fault_is_tested(self):
        assert FAULTS.keys() == SEEN.keys()
        assert len({fault.name for fault in FAULTS.values()}) == len(FAULTS)

    @pytest.mark.parametrize(
        "name", [name for name, seen in SEEN.items() if not isinstance(seen, str | None)]
    )
    def test_a_naive_client_sees_it(self, small_world, name):
        seen = SEEN[name]
        with FaultProxy(small_world.sparql.url, scripted(FAULTS[name])) as proxy:
            if isinstance(seen, int):
                with pytest.raises(requests.HTTPError) as caught:
                    ask(proxy.url)
                assert caught.value.response.status_code == seen == proxy.log[0].status
            else:
                with pytest.raises(seen):
                    ask(proxy.url, timeout=0.3)
            assert proxy.log[0].fault == FAULTS[name].name
            assert not proxy.log[0].delivered
            asked = len(proxy.log)
            assert len(ask(proxy.url)) == 7
            assert proxy.log[asked].delivered
            assert proxy.log[asked].fault is None
            assert not proxy.repeated_after_success()
            assert proxy.max_concurrency == 1

    @pytest.mark.parametrize("name", [name for name, seen in SEEN.items() if isinstance(seen, str)])
    def test_errors_of_the_entity_api(self, small_world, name):
        with FaultProxy(small_world.api.url, scripted(FAULTS[name])) as proxy:
            status = int(FAULTS[name].name[:3]) if FAULTS[name].name[0] in "345" else 200
            assert get(proxy.url, "Q42", status=status)["error"]["code"] == SEEN[name]
            assert not proxy.log[0].delivered
            assert get(proxy.url, "Q42")["success"] == 1
            assert proxy.log[1].delivered

    @pytest.mark.parametrize("fault", faults.RETRYABLE_API, ids=lambda fault: fault.name)
    def test_faults_that_pass_work_on_the_entity_api(self, small_world, fault):
        with FaultProxy(small_world.api.url, scripted(fault)) as proxy:
            with pytest.raises((requests.RequestException, KeyError, AssertionError)):
                get(proxy.url, "Q142")["entities"]
            assert get(proxy.url, "Q142")["success"] == 1

    def test_right_json_with_the_wrong_type(self, small_world):
        with FaultProxy(small_world.sparql.url, scripted(faults.JSON_AS_TEXT)) as proxy:
            answer = requests.post(proxy.url, data={"query": STATES}, headers=AGENT, timeout=5)
            assert answer.headers["Content-Type"] == "text/plain"
            assert len(answer.json()["results"]["bindings"]) == 7

    @pytest.mark.parametrize("name", ["sparql", "api"])
    def test_bytes_that_are_not_utf8_pass_as_replacement_characters(self, small_world, name):
        with FaultProxy(getattr(small_world, name).url, scripted(faults.BAD_UTF8)) as proxy:
            params = {"query": STATES, "action": "wbgetentities", "ids": "Q42", "format": "json"}
            answer = requests.post(proxy.url, data=params, headers=AGENT, timeout=5)
            assert "\ufffd" in json.dumps(answer.json(), ensure_ascii=False)
            with pytest.raises(UnicodeDecodeError):
                answer.content.decode()
            assert not proxy.log[0].delivered

    def test_a_trickle_defeats_a_read_timeout(self, small_world):
        with FaultProxy(small_world.sparql.url, scripted(faults.trickle(0.01))) as proxy:
            started = time.monotonic()
            with requests.post(
                proxy.url, data={"query": STATES}, headers=AGENT, stream=True, timeout=0.2
            ) as answer:
                for _ in answer.iter_content(1):
                    if time.monotonic() > started + 0.6:
                        break
            assert time.monotonic() > started + 0.5
            ask(proxy.url)
            assert proxy.max_concurrency == 1

    def test_timeouts_in_the_body_say_so(self, small_world):
        plan = scripted(faults.QUERY_TIMEOUT_IN_BODY, faults.QLEVER_ERROR_IN_BODY, faults.QUERY_TIMEOUT)
        with FaultProxy(small_world.sparql.url, plan) as proxy:
            java, qlever, error = (
                requests.post(proxy.url, data={"query": STATES}, headers=AGENT, timeout=5) for _ in range(3)
            )
        assert java.status_code == qlever.status_code == 200
        assert '"value":"SPARQL-QUERY: queryStr=' in java.text
        assert "java.util.concurrent.TimeoutException" in java.text
        assert "!!!!>># An error has occurred while exporting" in qlever.text
        assert error.text.startswith("SPARQL-QUERY: queryStr=")

    def test_refused_connections(self, small_world):
        with FaultProxy(small_world.sparql.url) as proxy:
            with proxy.refusing(), pytest.raises(requests.ConnectionError, match="refused"):
                ask(proxy.url)
            assert len(ask(proxy.url)) == 7

    @UNCLOSED
    def test_sparqlwrapper_meets_faults_as_well(self, small_world):
        with FaultProxy(small_world.sparql.url, scripted(faults.BANNED)) as proxy:
            with pytest.raises(Exception, match="403"):
                wrapper(proxy.url, STATES).query()
            assert len(wrapper(proxy.url, STATES).queryAndConvert()["results"]["bindings"]) == 7

    def test_always(self, small_world):
        plan = always(faults.QUERY_TIMEOUT, lambda request: "P36" in (request.query or ""))
        with FaultProxy(small_world.sparql.url, plan) as proxy:
            for _ in range(2):
                with pytest.raises(requests.HTTPError):
                    ask(proxy.url, CAPITALS)
            assert len(ask(proxy.url, STATES)) == 7

    def test_seeded_faults_depend_on_the_question_not_on_the_order(self, small_world):
        questions = [f"Q{number}" for number in range(1, 41)]
        some = [faults.BAD_GATEWAY, faults.UNAVAILABLE]
        runs = []
        for order in (questions, questions[::-1]):
            with FaultProxy(small_world.api.url, seeded(0.3, some, seed=4, at_most=1)) as proxy:
                for question in order:
                    requests.get(proxy.url, params={"ids": question}, headers=AGENT, timeout=5)
                runs.append({exchange.params["ids"]: exchange.fault for exchange in proxy.log})
        assert runs[0] == runs[1]
        assert 4 < sum(fault is not None for fault in runs[0].values()) < 20


class TestPoliteness:
    @pytest.mark.slow
    def test_coming_back_too_early(self, small_world):
        plan = scripted(faults.too_many_requests(1), None, faults.too_many_requests_until(0))
        with FaultProxy(small_world.sparql.url, plan) as proxy:
            for _ in range(2):
                requests.post(proxy.url, data={"query": STATES}, headers=AGENT, timeout=5)
            assert proxy.requests_before_retry_after() == [proxy.log[1]]
            for _ in range(2):
                time.sleep(max(0, max(seen.retry_at or 0 for seen in proxy.log) - time.monotonic()))
                requests.post(proxy.url, data={"query": CAPITALS}, headers=AGENT, timeout=5)
            assert proxy.requests_before_retry_after() == [proxy.log[1]]

    def test_asking_again(self, small_world):
        with FaultProxy(small_world.api.url, scripted(faults.CUT)) as proxy:
            with pytest.raises(requests.RequestException):
                get(proxy.url, "Q42|Q64")
            get(proxy.url, "Q42|Q64")
            assert not proxy.repeated_after_success()
            get(proxy.url, "Q64|Q90")
            assert not proxy.repeated_after_success()
            assert proxy.repeated_ids_after_success() == ["Q64"]
            get(proxy.url, "Q42|Q64")
            assert proxy.repeated_after_success() == [proxy.log[3]]

    def test_concurrency(self, small_world):
        with FaultProxy(small_world.sparql.url, always(faults.slow_first_byte(0.15))) as proxy:
            threads = [threading.Thread(target=ask, args=(proxy.url,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert proxy.max_concurrency == 3
            assert all(exchange.delivered for exchange in proxy.log)

    def test_many_quick_requests_in_a_row_are_not_concurrent(self, small_world):
        with FaultProxy(small_world.api.url) as proxy, requests.Session() as session:
            for _ in range(50):
                session.get(proxy.url, headers=AGENT, timeout=5)
                requests.get(proxy.url, headers=AGENT, timeout=5)
            assert proxy.max_concurrency == 1


class TestVirtuoso:
    def test_is_skipped_where_it_is_not_installed(self, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(pytest.skip.Exception, match="virtuoso-t is not installed"), virtuoso(Store()):
            pass
