"""Items of another Wikibase than Wikidata, and rows in which something is no item."""

from __future__ import annotations

import pyoxigraph
import pytest

from testgen import LabelPolicy, SourceError, TestSetRequest, build_test_sets, read_query
from testgen.errors import QueryFaultError
from testgen.queries import class_query
from testgen.snapshots.creation import create
from testgen.sources import RdfSource, Snapshot
from testgen.sources.base import Term, id_order, is_id, read_answer
from tests.servers import faults
from tests.servers.base import Response
from tests.servers.entities import EntityServer
from tests.servers.faults import answering
from tests.servers.proxy import Fault, FaultProxy, always, scripted
from tests.servers.sparql import SparqlServer
from tests.testgen.network import CONTACT, endpoint_source, open_cache, wikidata_source

BASE = "https://words.example.org/entity/"
DATA = """\
@prefix e: <https://words.example.org/entity/> .
@prefix t: <https://words.example.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
e:Q10 t:P1 e:Q30 ; rdfs:label "aquila"@la, "eagle"@en ; skos:altLabel "aquilae"@la .
e:Q9 t:P1 e:Q30 ; rdfs:label "corvus"@la .
e:Q2 t:P1 e:Q30 ; rdfs:label "columba"@la .
"""
QUERY = """\
#+ title: Birds
#+ kind: category
#+ topic: mine
#+ summary: Birds of our own Wikibase.
PREFIX e: <https://words.example.org/entity/>
PREFIX t: <https://words.example.org/prop/direct/>
SELECT DISTINCT ?item WHERE { ?item t:P1 e:Q30 } ORDER BY ?item
"""
EXPECTED = [("Q2", ("columba",)), ("Q9", ("corvus",)), ("Q10", ("aquila",))]


@pytest.fixture
def birds(tmp_path):
    path = tmp_path / "birds.rq"
    path.write_text(QUERY, encoding="utf-8")
    return read_query(path)


@pytest.fixture
def wikibase():
    """The query service and the API of a Wikibase of our own."""
    store = pyoxigraph.Store()
    store.load(DATA.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    labels = {"Q2": "columba", "Q9": "corvus", "Q10": "aquila"}
    entities = {
        id_: {"id": id_, "labels": {"la": {"language": "la", "value": label}}, "aliases": {}}
        for id_, label in labels.items()
    }
    with SparqlServer(store) as sparql, EntityServer(entities) as api:
        api.namespace = BASE
        yield sparql, api


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TESTGEN_CONTACT", CONTACT)
    with open_cache(tmp_path / "cache") as opened:
        yield opened


def made(source, birds):
    asked = TestSetRequest(["la"], categories=[birds], policy=LabelPolicy(minimum_words=1))
    (test_set,) = build_test_sets(asked, source=source)
    return [(item.id.removeprefix(BASE), item.words) for item in test_set.categories[0].items]


def test_its_items_are_found_with_their_labels_in_rdf(wikibase, birds, cache, tmp_path):
    source = endpoint_source(cache, wikibase[0].url)
    assert made(source, birds) == EXPECTED
    create(tmp_path / "own.jsonl", [birds], source)
    assert made(Snapshot(tmp_path / "own.jsonl"), birds) == EXPECTED
    (tmp_path / "own.ttl").write_text(DATA, encoding="utf-8")
    assert made(RdfSource(tmp_path / "own.ttl"), birds) == EXPECTED


@pytest.mark.parametrize("namespace", [BASE, BASE.replace("https", "http").rstrip("/")])
def test_its_own_api_names_its_items(wikibase, birds, cache, namespace):
    sparql, api = wikibase
    api.namespace = namespace  # people set up either
    assert made(wikidata_source(cache, sparql.url, api.url), birds) == EXPECTED
    site, names = api.log
    assert (site.params["meta"], names.params["ids"]) == ("siteinfo", "Q2|Q9|Q10")


def test_the_api_of_another_wikibase_is_not_asked_for_the_numbers(wikibase, birds, cache):
    sparql, api = wikibase
    api.namespace = "http://www.wikidata.org/entity/"
    with pytest.raises(
        SourceError, match=r"names the items of http://www\.wikidata\.org/entity/.*TESTGEN_WIKIDATA_API"
    ):
        made(wikidata_source(cache, sparql.url, api.url), birds)
    assert [request.params.get("meta") for request in api.log] == ["siteinfo"]


@pytest.mark.parametrize("fault", [faults.MAXLAG, faults.SERVER_ERROR, faults.CLOSED], ids=str)
def test_a_fault_that_passes_is_waited_for(wikibase, birds, cache, fault):
    sparql, api = wikibase
    with FaultProxy(api.url, scripted(fault, None, fault)) as proxy:
        assert made(wikidata_source(cache, sparql.url, proxy.url), birds) == EXPECTED


def test_an_api_that_is_none_is_told(wikibase, birds, cache):
    nothing = answering("200, other JSON", lambda spoiler: Response(200, b'{"query": {"general": {}}}', {}))
    with (
        FaultProxy(wikibase[1].url, always(nothing)) as proxy,
        pytest.raises(SourceError, match="does not say whose items it names; is it a Wikibase"),
    ):
        made(wikidata_source(cache, wikibase[0].url, proxy.url), birds)


def test_json_with_a_byte_order_mark_is_json(wikibase, birds, cache):
    def send(spoiler):
        answer = spoiler.answer
        spoiler.send(
            Response(200, b"\xef\xbb\xbf" + answer.body, {"Content-Type": answer.headers["Content-Type"]})
        )

    marked = Fault("a byte order mark first", send, needs_answer=True)
    sparql, api = wikibase
    with FaultProxy(sparql.url, always(marked)) as one, FaultProxy(api.url, always(marked)) as other:
        assert made(wikidata_source(cache, one.url, other.url), birds) == EXPECTED


def test_ids_of_another_wikibase_are_sorted_by_number_after_those_of_wikidata():
    ids = ["Q9", "L3", f"{BASE}Q2", f"{BASE}Q10", "https://other.org/entity/Q1", "omw:00000001-n"]
    assert all(map(is_id, ids))
    assert sorted(sorted(ids), key=id_order)[:2] == ["L3", "Q9"]
    assert [each for each in sorted(ids, key=id_order) if each.startswith(BASE)] == [
        f"{BASE}Q2",
        f"{BASE}Q10",
    ]
    assert not any(map(is_id, [f"{BASE}X", "https://words.example.org/wiki/Q2", f"{BASE}Q2>", f"{BASE}Q2#x"]))


UNKNOWN = "http://www.wikidata.org/.well-known/genid/0a1b2c3d4e5f60718293a4b5c6d7e8f9"
ITEM = {"item": Term("http://www.wikidata.org/entity/Q1")}


@pytest.mark.parametrize(
    ("term", "said"),
    [
        (Term(UNKNOWN), f"?item is an unknown value in 1 ({UNKNOWN})"),
        (Term("_:b0"), "?item is an unknown value in 1 (_:b0)"),
        (Term("Roma", "la"), "?item is something else than an item in 1 (Roma)"),
        (Term("http://example.org/x"), "?item is something else than an item in 1 (http://example.org/x)"),
        (Term(""), "?item is nothing in 1"),
        (None, "?item is nothing in 1"),
    ],
)
def test_a_row_with_something_else_is_left_out_alone_and_counted(term, said):
    bad = {} if term is None else {"item": term}
    answer = read_answer(class_query("Q9"), [ITEM, bad], "here")
    assert answer.rows == [("Q1",)]
    assert answer.left_out == f"Q9: 1 row left out, as {said}"
    with pytest.raises(QueryFaultError, match=r"here: query 'Q9' binds \?item to"):
        read_answer(class_query("Q9"), [bad], "here")


def test_generate_tells_of_rows_that_are_left_out(tmp_path, command):
    (tmp_path / "own.ttl").write_text(DATA + f"<{UNKNOWN}> t:P1 e:Q30 . [] t:P1 e:Q30 .", encoding="utf-8")
    (tmp_path / "birds.rq").write_text(QUERY, encoding="utf-8")
    options = ["--category", tmp_path / "birds.rq", "--minimum-words", "1", "--output", tmp_path / "o"]
    code, _, said = command("generate", "la", "--source", tmp_path / "own.ttl", *options)
    assert code == 0
    assert "birds: 2 rows left out, as ?item is an unknown value in 2" in said
