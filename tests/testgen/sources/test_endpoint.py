"""Other engines give the same answers to every shipped query as Oxigraph."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pyoxigraph
import pytest

from testgen.errors import QueryFaultError, QueryTimeoutError
from testgen.queries import class_query, shipped_queries
from testgen.sources import RdfSource
from testgen.sources.hierarchy import hierarchy_query, members_query
from tests.servers.entities import small_entities
from tests.servers.java import blazegraph, fuseki
from tests.servers.rdf import store_from_entities
from tests.servers.sparql import SparqlServer
from tests.servers.virtuoso import virtuoso
from tests.testgen.network import endpoint_source, open_cache

ENDLESS = """\
SELECT DISTINCT ?item WHERE { ?item ?a ?b . ?c ?d ?e . ?f ?g ?h . ?i ?j ?k FILTER (?b = ?k && ?e != ?h) }
ORDER BY ?item
"""
GRAPHS = sorted((Path(__file__).parents[1] / "graphs").glob("*.ttl"))


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=[virtuoso, blazegraph, fuseki], ids=lambda engine: engine.__name__)
def engines(request, tmp_path_factory):
    """The small world and all graphs of the queries, in Oxigraph and in another engine."""
    store = store_from_entities(small_entities().values())
    for graph in GRAPHS:
        store.load(path=str(graph), format=pyoxigraph.RdfFormat.TURTLE)
    with (
        request.param(store) as url,
        SparqlServer(store) as server,
        open_cache(tmp_path_factory.mktemp("cache")) as cache,
    ):
        yield endpoint_source(cache, server.url), endpoint_source(cache, url)


@pytest.mark.parametrize("name", shipped_queries())
def test_same_answer(engines, name):
    query = shipped_queries()[name]
    oxigraph, other = (engine.answer(query) for engine in engines)
    assert other.rows == oxigraph.rows
    assert other.names == oxigraph.names
    assert other.unnamed == oxigraph.unnamed
    assert oxigraph.rows


@pytest.mark.parametrize("languages", [["en", "la"], ["da", "en-gb"]], ids=str)
def test_same_words_of_some_languages(engines, languages):
    for query in shipped_queries().values():
        if query.worded:
            oxigraph, other = (engine.answer(query, languages) for engine in engines)
            assert other == oxigraph, query.name


def test_same_levels(engines):
    levels = [each for query in shipped_queries().values() if (each := hierarchy_query(query))]
    for query in [*levels, members_query(class_query("Q3624078"), "Q3624078", "x", "X")]:
        oxigraph, other = (engine.answer(query) for engine in engines)
        assert other == oxigraph
        # Of capitals of US states, and letters, the graphs do not say what they are.
        assert oxigraph.rows or query.name.startswith(("us-state-capital", "greek-letter"))


def test_same_names(engines):
    items = sorted(
        {item for query in shipped_queries().values() for item in engines[0].answer(query).unnamed}
    )
    oxigraph, other = (list(engine.names(items)) for engine in engines)
    assert other == oxigraph
    assert len(oxigraph) > 10


def test_a_real_slice_that_blazegraph_s_bulk_loader_has_loaded(shared_data, tmp_path):
    """Two million statements: what `docs/scale.md` says of a whole Wikidata, on a part of it."""
    path = tmp_path / "slice.nt.gz"
    with (
        gzip.open(shared_data / "wikidata" / "slice.nt.gz", "rb") as file,
        gzip.open(path, "wb", compresslevel=1) as mended,
    ):
        # Years are as in the JSON, 1244-00-00, without a YEAR() in Blazegraph; the RDF has 1244-01-01.
        mended.writelines(line.replace(b"-00-00T", b"-01-01T").replace(b"-00T", b"-01T") for line in file)
    oxigraph = RdfSource(path)
    answered = 0
    with blazegraph(path) as url, open_cache(tmp_path / "cache") as cache:
        source = endpoint_source(cache, url)
        for query in shipped_queries().values():
            expected = oxigraph.answer(query)
            assert source.answer(query) == expected, query.name
            answered += bool(expected.rows)
        items = oxigraph.answer(shipped_queries()["country"]).unnamed
        assert list(source.names(items)) == list(oxigraph.names(items))
    assert answered > 100


def test_a_query_that_blazegraph_cuts_off(tmp_path):
    """The real answer to a query that runs out of time is taken for that, and not for another fault."""
    store = store_from_entities(small_entities().values())
    endless = replace(class_query("Q1"), text=ENDLESS)
    with blazegraph(store) as url, open_cache(tmp_path) as cache:
        source = endpoint_source(cache, f"{url}?maxQueryTimeMillis=500")
        with pytest.raises(QueryTimeoutError):
            source.answer(endless)
        assert source.answer(class_query("Q5107")).rows == [("Q46",)]


def test_blazegraph_says_why_it_cannot_answer(tmp_path):
    """Real values of Wikidata have 0 as month: times of which only the year is known."""
    store = pyoxigraph.Store()
    store.load(
        b"<http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P571> "
        b'"2000-00-00T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .',
        format=pyoxigraph.RdfFormat.N_TRIPLES,
    )
    founded = "<http://www.wikidata.org/prop/direct/P571>"
    text = f"SELECT ?item WHERE {{ ?item {founded} ?time FILTER (YEAR(?time) > 1) }}"
    query = replace(class_query("Q1"), text=text)
    with blazegraph(store) as url, open_cache(tmp_path) as cache:
        with pytest.raises(
            QueryFaultError, match="cannot answer the query: 'Invalid value 0 for Month"
        ) as caught:
            endpoint_source(cache, url).answer(query)
        assert not isinstance(caught.value, QueryTimeoutError)
