"""Words of lexemes that mean an item, from a real SPARQL engine over HTTP, and snapshots."""

from __future__ import annotations

import json

import pytest

from testgen import LabelPolicy, TestSetRequest, generate, open_source
from testgen.queries import shipped_queries
from testgen.snapshots import creation
from testgen.sources.lexemes import lexeme_query
from tests.servers import faults
from tests.servers.proxy import FaultProxy, always, scripted
from tests.servers.rdf import store_of
from tests.servers.sparql import SparqlServer
from tests.testgen.network import endpoint_source, open_cache, stop_clock
from tests.testgen.test_lexemes import PREFIXES

NOUN, PROPER_NOUN, NUMERAL, VERB = "Q1084", "Q147276", "Q63116", "Q24905"
ANIMALS = """
wd:Q144 wdt:P31 wd:Q55983715 ; wdt:P279 wd:Q729 ;
  rdfs:label "dog"@en, "Canis lupus familiaris"@la, "Hund"@de .
wd:Q146 wdt:P31 wd:Q55983715 ; wdt:P279 wd:Q729 ; rdfs:label "cat"@en, "felis"@la, "köttr"@mul .
wd:Q726 wdt:P31 wd:Q55983715 ; wdt:P279 wd:Q729 ; rdfs:label "horse"@en, "bikini"@got .
wd:Q142 wdt:P31 wd:Q3624078 ; rdfs:label "France"@en .
"""


def lexeme(number, category, lemmas, item):
    return (
        f"wd:L{number} wikibase:lexicalCategory wd:{category} ; wikibase:lemma {lemmas} ;\n"
        f"  ontolex:sense wd:L{number}-S1 . wd:L{number}-S1 wdt:P5137 wd:{item} .\n"
    )


LEXEMES = (
    lexeme(1, NOUN, '"canis"@la', "Q144")
    + lexeme(2, NOUN, '"catulus"@la', "Q144")
    + lexeme(3, NOUN, '"cattus"@la', "Q146")
    + lexeme(4, PROPER_NOUN, '"hross"@non', "Q726")
    + lexeme(5, NUMERAL, '"eoh"@ang', "Q726")
    + lexeme(6, VERB, '"equito"@la', "Q726")
    + lexeme(7, NOUN, '"Frakkland"@non', "Q142")
    + lexeme(8, NOUN, '"Köter"@de', "Q144")
    + lexeme(9, NOUN, '"𐌰𐌹𐍈𐌰"@got', "Q726")
    + lexeme(10, NOUN, '"equus"@la', "Q1000")
    + lexeme(11, NOUN, '"Katze"@de', "Q146")
)
TURTLE = PREFIXES + ANIMALS + LEXEMES
EVERY = LabelPolicy(minimum_words=1)
CHOSEN = [shipped_queries()[name] for name in ("animal", "country")]


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    stop_clock(monkeypatch)


@pytest.fixture
def cache(tmp_path):
    with open_cache(tmp_path / "cache") as opened:
        yield opened


@pytest.fixture
def server():
    with SparqlServer(store_of(TURTLE)) as running:
        yield running


def words(folder, source, languages=("ang", "de", "got", "la", "non"), policy=EVERY):
    """By language: the words of each animal, with the origin of the first one; and what failed."""
    frame = generate(folder, TestSetRequest(languages, categories=CHOSEN, policy=policy), source=source)
    found = {}
    for path in sorted(folder.iterdir()):
        content = json.loads(path.read_text(encoding="utf-8"))
        (category,) = content["categories"]
        found[path.stem] = {item["id"]: (item["from"], *item["words"]) for item in category["items"]}
        assert category["name"] == "animal"
    return found, frame.attrs["failed"]


EXPECTED = {
    "ang": {"Q146": ("mul", "köttr"), "Q726": ("lexeme", "eoh")},
    "de": {"Q144": ("label", "Hund"), "Q146": ("lexeme", "Katze")},
    "got": {"Q726": ("lexeme", "𐌰𐌹𐍈𐌰")},
    "la": {"Q144": ("lexeme", "canis", "catulus"), "Q146": ("label", "felis")},
    "non": {"Q726": ("lexeme", "hross")},
}


def snapshot_of(tmp_path, cache, server):
    path = tmp_path / "made.ttl"
    assert creation.create(path, CHOSEN, endpoint_source(cache, server.url)) == {}
    return open_source(path)


def file_of(tmp_path, cache, server):
    path = tmp_path / "all.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return open_source(path)


def live(tmp_path, cache, server):
    return endpoint_source(cache, server.url)


@pytest.mark.parametrize("source", [live, snapshot_of, file_of])
def test_a_lexeme_gives_a_word_where_the_label_gives_none(source, tmp_path, cache, server):
    found, failed = words(tmp_path / "out", source(tmp_path, cache, server))
    assert (found, failed) == (EXPECTED, {})


def test_with_aliases_lexemes_give_more_words_after_the_label(tmp_path, cache, server):
    found, _ = words(
        tmp_path / "out",
        live(tmp_path, cache, server),
        ["la", "de"],
        LabelPolicy(aliases=True, minimum_words=1),
    )
    assert found["la"]["Q146"] == ("label", "felis", "cattus")
    assert found["de"]["Q144"] == ("label", "Hund", "Köter")


def test_one_query_for_each_category_of_things(tmp_path, cache, server):
    source = live(tmp_path, cache, server)
    plan = source.plan(CHOSEN)
    assert {query.name: number for query, number in plan.queries.items()} == {"animal": 2, "country": 1}
    words(tmp_path / "out", source)
    asked = [request.query for request in server.log if "P5137" in request.query]
    assert len(asked) == 1
    words(tmp_path / "again", live(tmp_path, cache, server), ["non", "sv"])
    assert [request.query for request in server.log if "P5137" in request.query] == asked
    assert source.plan(CHOSEN).requests == 0


def test_lexemes_that_fail_do_not_cost_the_labels(tmp_path, cache, server):
    slow = always(faults.QUERY_TIMEOUT, lambda request: "P5137" in (request.query or ""))
    with FaultProxy(server.url, slow) as proxy:
        found, failed = words(tmp_path / "out", endpoint_source(cache, proxy.url), ["la"])
        assert found == {"la": {"Q146": ("label", "felis")}}
        assert failed.keys() == {"animal (lexemes)"}
        assert "ran out of time for the query 'animal (lexemes)'" in failed["animal (lexemes)"]
        proxy.plan = scripted()
        assert words(tmp_path / "again", endpoint_source(cache, proxy.url), ["la"])[1] == {}


@pytest.mark.parametrize("name", ["country", "country-capital", "pronoun", "noun-plural", "capital"])
def test_names_relations_and_words_of_queries_have_no_lexemes(name):
    assert lexeme_query(shipped_queries()[name]) is None


def test_an_item_without_any_name_has_its_lexeme(tmp_path):
    path = tmp_path / "nameless.ttl"
    path.write_text(
        PREFIXES
        + "wd:Q144 wdt:P31 wd:Q55983715 ; wdt:P279 wd:Q729 .\n"
        + lexeme(1, NOUN, '"hundr"@non', "Q144"),
        encoding="utf-8",
    )
    assert words(tmp_path / "out", path, ["non"])[0] == {"non": {"Q144": ("lexeme", "hundr")}}
