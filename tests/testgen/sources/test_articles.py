"""Items with an article in the Wikipedia of a language, from a real SPARQL engine over HTTP."""

from __future__ import annotations

import json

import pytest

from testgen import LabelPolicy, TestSetRequest, generate
from testgen.errors import QueryError
from testgen.queries import shipped_queries
from tests.servers.rdf import store_of
from tests.servers.sparql import SparqlServer
from tests.testgen.network import endpoint_source, open_cache, stop_clock
from tests.testgen.test_lexemes import PREFIXES

ITEMS = """
wd:Q220 wdt:P31 wd:Q515 ; wdt:P1376 wd:Q38 .
wd:Q38 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q220 ; rdfs:label "Italia"@la, "Italien"@de, "Italy"@en .
wd:Q220 rdfs:label "Roma"@la, "Rom"@de, "Rome"@en .
wd:Q142 wdt:P31 wd:Q3624078 ; wdt:P36 wd:Q90 ; rdfs:label "Francia"@la, "Frankreich"@de, "France"@en .
wd:Q90 rdfs:label "Lutetia"@la, "Paris"@de, "Paris"@en .
wd:Q17 wdt:P31 wd:Q3624078 ; rdfs:label "Iaponia"@la, "日本"@mul, "Japan"@en .
"""


def article(code, item, name, group="wikipedia"):
    site, schema = f"https://{code}.{group}.org/", "http://schema.org/"
    return (
        f'<{site}wiki/{item}> <{schema}about> wd:{item} ; <{schema}name> "{name}"@{code} ;\n'
        f"  <{schema}isPartOf> <{site}> .\n"
        f'<{site}> wikibase:wikiGroup "{group}" .\n'
    )


ARTICLES = (
    article("la", "Q38", "Italia")
    + article("la", "Q220", "Roma")
    + article("de", "Q142", "Frankreich")
    + article("de", "Q38", "Italien")
    + article("la", "Q142", "Francia", group="wiktionary")
    + article("la", "Q90", "Lutetia")
)
CHOSEN = [shipped_queries()[name] for name in ("country", "country-capital")]


@pytest.fixture(autouse=True)
def _clock(monkeypatch):
    stop_clock(monkeypatch)


@pytest.fixture
def made(tmp_path):
    """Generates test sets from a graph: the content of each file."""

    def run(turtle, languages, **request):
        with SparqlServer(store_of(PREFIXES + turtle)) as server, open_cache(tmp_path / "cache") as cache:
            source = endpoint_source(cache, server.url)
            policy = LabelPolicy(minimum_words=1)
            asked = TestSetRequest(languages, categories=CHOSEN, policy=policy, **request)
            frame = generate(tmp_path / "out", asked, source=source)
        contents = [json.loads(path.read_text("utf-8")) for path in sorted((tmp_path / "out").iterdir())]
        return {each["language"]: each for each in contents}, frame

    return run


def words(content):
    return sorted(word for each in content["categories"] for item in each["items"] for word in item["words"])


def test_only_items_with_an_article_in_the_language(made):
    found, frame = made(ITEMS + ARTICLES, ["la", "de", "de-at"], known_in_its_wikipedia=True)
    assert words(found["la"]) == ["Italia"]
    assert words(found["de"]) == words(found["de-at"]) == ["Frankreich", "Italien"]  # a variant has no other
    (pair,) = found["la"]["relations"][0]["pairs"]
    assert pair == {"item": "Q220", "of": "Q38"}  # both sides have articles
    assert found["la"]["known_in_its_wikipedia"] is True
    assert frame.attrs["failed"] == {}


def test_without_it_all_names_count(made):
    found, _ = made(ITEMS + ARTICLES, ["la"])
    assert words(found["la"]) == ["Francia", "Iaponia", "Italia"]
    assert "known_in_its_wikipedia" not in found["la"]


def test_a_source_without_articles_is_refused(made):
    with pytest.raises(QueryError, match="--source wikidata"):
        made(ITEMS, ["la"], known_in_its_wikipedia=True)


@pytest.mark.slow
def test_the_shipped_snapshot_is_refused(tmp_path):
    with pytest.raises(QueryError, match="article"):
        generate(tmp_path, TestSetRequest(["la"], known_in_its_wikipedia=True))
    assert list(tmp_path.iterdir()) == []
