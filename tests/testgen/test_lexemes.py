"""Queries that select words themselves, from lexemes and texts of items, and their errors."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pyoxigraph
import pytest

import evaluator
import testgen
from testgen import LabelPolicy, SourceError, open_source, read_query
from testgen.languages.codes import spellings_of, whole_languages
from testgen.snapshots import creation
from testgen.sources import Names
from tests.conftest import REPOSITORY
from tests.servers.entities import small_entities
from tests.servers.rdf import store_from_entities
from tests.servers.sparql import SparqlServer
from tests.testgen.network import endpoint_source, open_cache, stop_clock

SCHEMA = json.loads(
    (REPOSITORY / "testgen" / "testset" / "testset.v2.schema.json").read_text(encoding="utf-8")
)
GRAPHS = REPOSITORY / "tests" / "testgen" / "graphs"
EVERY = LabelPolicy(minimum_words=1)
WORDED = [query for query in testgen.choose() if query.worded]
PREFIXES = """\
@prefix dct: <http://purl.org/dc/terms/> .
@prefix ontolex: <http://www.w3.org/ns/lemon/ontolex#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
wd:Q1860 wdt:P424 "en" . wd:Q397 wdt:P424 "la" . wd:Q9299 wdt:P424 "sr" . wd:Q20923490 wdt:P424 "mul" .
"""
SINGULAR, PLURAL = "wd:Q110786", "wd:Q146786"


def noun(number, language, *forms):
    """A noun in Turtle; a form is its texts and its feature."""
    ids = [f"wd:L{number}-F{place}" for place in range(1, len(forms) + 1)]
    return (
        f"wd:L{number} dct:language wd:{language} ; wikibase:lexicalCategory wd:Q1084 ;\n"
        f"  ontolex:lexicalForm {', '.join(ids)} .\n"
    ) + "".join(
        f"{form} ontolex:representation {texts} ; wikibase:grammaticalFeature {feature} .\n"
        for form, (texts, feature) in zip(ids, forms, strict=True)
    )


NOUNS = (
    noun(7, "Q1860", ('"cat"@en', SINGULAR), ('"cats"@en', PLURAL))
    + noun(8, "Q1860", ('"sheep"@en', SINGULAR), ('"sheep"@en', PLURAL))
    + noun(9, "Q1860", ('"octopus"@en', SINGULAR), ('"octopuses"@en', PLURAL), ('"octopi"@en', PLURAL))
    + noun(
        10, "Q1860", ('"Colour"@en-gb, "color"@en-us', SINGULAR), ('"Colours"@en-gb, "colors"@en-us', PLURAL)
    )
    + noun(11, "Q1860", ('"ice cream"@en', SINGULAR), ('"ice creams"@en', PLURAL))
    + noun(12, "Q397", ('"rosa"@la', SINGULAR), ('"rosae"@la', PLURAL))
    + noun(
        13,
        "Q9299",
        ('"град"@sr-cyrl, "grad"@sr-latn', SINGULAR),
        ('"градови"@sr-cyrl, "gradovi"@sr-latn', PLURAL),
    )
    + noun(14, "Q20923490", ('"taxon"@mul', SINGULAR), ('"taxa"@mul', PLURAL))
)
STATES = """\
wd:Q142 wdt:P31 wd:Q3624078 ; rdfs:label "France"@en, "Gallia"@la ; wdt:P1549 "French"@en, "Frenchman"@en .
wd:Q36 wdt:P31 wd:Q3624078 ; rdfs:label "Poland"@en, "Polonia"@la ; wdt:P1549 "Polish"@en, "Polonus"@la .
"""


@pytest.fixture
def snapshot(tmp_path):
    path = tmp_path / "lexemes.ttl"
    path.write_text(PREFIXES + NOUNS + STATES, encoding="utf-8")
    return path


def made(
    source,
    directory,
    languages=None,
    names=("noun-plural", "country-demonym", "country"),
    policy=EVERY,
    stand_ins=(),
):
    """The files by language, each checked against the schema."""
    testgen.generate(
        directory,
        testgen.TestSetRequest(languages, categories=names, policy=policy, stand_ins=stand_ins),
        source=source,
    )
    files = {path.stem: path.read_text(encoding="utf-8") for path in directory.iterdir()}
    for text in files.values():
        jsonschema.validate(json.loads(text), SCHEMA)
    return files


def part(text, name):
    content = json.loads(text)
    return next(each for each in content["categories"] + content["relations"] if each["name"] == name)


def pairs(text, name):
    """The pairs of a relation in words."""
    found = part(text, name)
    words = {item["id"]: " ".join(item["words"]) for item in found["items"]}
    return [(words[pair["of"]], words[pair["item"]]) for pair in found["pairs"]]


def test_words_go_to_the_language_of_their_tag(snapshot, tmp_path):
    files = made(snapshot, tmp_path / "out")
    assert pairs(files["la"], "noun-plural") == [("rosa", "rosae"), ("taxon", "taxa")]
    assert pairs(files["en-gb"], "noun-plural")[0] == ("Colour", "Colours")
    assert pairs(files["en-us"], "noun-plural")[0] == ("color", "colors")
    assert pairs(files["sr-ec"], "noun-plural") == [("град", "градови")]
    assert pairs(files["sr-el"], "noun-plural")[0] == ("grad", "gradovi")


def test_every_plural_makes_a_pair_and_one_like_its_singular_none(snapshot, tmp_path):
    english = made(snapshot, tmp_path / "out", ["en"])["en"]
    assert pairs(english, "noun-plural") == [
        ("cat", "cats"),
        ("octopus", "octopuses"),
        ("octopus", "octopi"),
        ("taxon", "taxa"),
    ]
    origins = {item["id"]: item["from"] for item in part(english, "noun-plural")["items"]}
    given = dict.fromkeys(["L7-F1", "L7-F2", "L9-F1", "L9-F2", "L9-F3"], "query")
    assert origins == {**given, "L14-F1": "mul", "L14-F2": "mul"}


def test_a_text_of_an_item_has_its_own_id_beside_the_label(snapshot, tmp_path):
    english = made(snapshot, tmp_path / "out", ["en"])["en"]
    assert part(english, "country-demonym")["items"] == [
        {"id": "Q36", "words": ["Poland"], "from": "label"},
        {"id": "Q36-P1549", "words": ["Polish"], "from": "query"},
        {"id": "Q142", "words": ["France"], "from": "label"},
        {"id": "Q142-P1549", "words": ["French", "Frenchman"], "from": "query"},
    ]
    assert part(english, "country-demonym")["pairs"][0] == {"item": "Q36-P1549", "of": "Q36"}


@pytest.mark.slow
@pytest.mark.parametrize("languages", [["la"], ["en-gb"], ["en"], ["en-us", "sr-el"], ["sr-ec", "la"]])
def test_asking_for_some_languages_gives_what_asking_for_all_does(snapshot, tmp_path, languages):
    whole = made(snapshot, tmp_path / "whole")
    assert made(snapshot, tmp_path / "some", languages) == {code: whole[code] for code in languages}


def test_codes_that_lexemes_have_for_the_languages_of_words():
    assert whole_languages(["en-gb", "la", "en-us"]) == ["en", "la"]
    assert {"en", "en-gb", "en-us"} <= set(spellings_of("en"))
    assert {"sr", "sr-el", "sr-latn", "sr-ec", "sr-cyrl"} <= set(spellings_of("sr"))
    assert {"gsw", "als"} <= set(spellings_of("gsw"))
    assert {"nb", "no"} <= set(spellings_of("nb"))
    assert spellings_of("la") == ["la", "lat"]
    assert spellings_of("mul") == ["mul"]


def test_the_label_policy_applies(snapshot, tmp_path):
    policy = LabelPolicy(minimum_words=1, case="lower", several_words="join", mul=False)
    files = made(snapshot, tmp_path / "out", ["en", "en-gb"], policy=policy)
    assert pairs(files["en-gb"], "noun-plural") == [("colour", "colours")]
    assert ("ice_cream", "ice_creams") in pairs(files["en"], "noun-plural")
    assert "taxon" not in files["en"]


def test_evaluator_reads_them(snapshot, tmp_path):
    made(snapshot, tmp_path / "out")
    read = evaluator.read_testset(tmp_path / "out" / "la.json")
    (demonym, plural) = read.relations
    assert [(pair.item, pair.of) for pair in demonym.pairs] == [("Q36-P1549", "Q36")]
    assert [(pair.item, pair.of) for pair in plural.pairs] == [("L12-F2", "L12-F1"), ("L14-F2", "L14-F1")]


def test_lexemes_as_wikidata_has_them(tmp_path):
    """The same entities as on the servers of other tests."""
    path = tmp_path / "small.nt"
    store = store_from_entities(small_entities().values())
    store.dump(str(path), format=pyoxigraph.RdfFormat.N_TRIPLES, from_graph=pyoxigraph.DefaultGraph())
    codes = "".join(
        f'<http://www.wikidata.org/entity/{item}> <http://www.wikidata.org/prop/direct/P424> "{code}" .\n'
        for item, code in (("Q1860", "en"), ("Q397", "la"))
    )
    path.write_text(path.read_text(encoding="utf-8") + codes, encoding="utf-8")
    names = ["noun-plural", "verb-past-tense", "adjective-comparative", "adjective-superlative"]
    files = made(path, tmp_path / "out", ["en", "la", "en-us"], names)
    assert [pairs(files["la"], name) for name in names] == [
        [("rosa", "rosae"), ("homo", "homines")],
        [("amo", "amavi")],
        [("altus", "altior")],
        [("altus", "altissimus")],
    ]
    assert [pairs(files["en"], name) for name in names] == [
        [("cat", "cats"), ("mouse", "mice")],
        [("go", "went"), ("walk", "walked")],
        [("good", "better")],
        [("good", "best")],
    ]
    assert pairs(files["en-us"], "noun-plural") == [("color", "colors")]


HEADER = "#+ title: t\n#+ kind: {kind}\n#+ topic: t\n#+ summary: s\n"
DEMONYMS = "?{} <http://www.wikidata.org/prop/direct/P1549> ?{} "


def own_query(path: Path, kind: str, text: str) -> Path:
    path.write_text(HEADER.format(kind=kind) + text, encoding="utf-8")
    return path


def test_words_of_a_query_are_no_names_for_other_queries(snapshot, tmp_path):
    demonym = own_query(
        tmp_path / "d.rq", "category", f"SELECT ?item ?word {{ {DEMONYMS.format('item', 'word')} }}"
    )
    for chosen in (
        [read_query(demonym), *testgen.choose(["country"])],
        [*testgen.choose(["country"]), read_query(demonym)],
    ):
        (latin,) = testgen.build_test_sets(
            testgen.TestSetRequest(["la"], categories=chosen, policy=EVERY), source=snapshot
        )
        words = {category.name: category.words_by_id for category in latin.categories}
        assert words == {
            "country": {"Q36": ("Polonia",), "Q142": ("Gallia",)},
            "d": {"Q36": ("Polonus",)},
        }


def test_one_id_for_a_thing_and_its_text_is_refused(snapshot, tmp_path):
    path = own_query(
        tmp_path / "d.rq",
        "relation",
        f"SELECT ?item ?of ?word {{ {DEMONYMS.format('of', 'word')} BIND (?of AS ?item) }}",
    )
    with pytest.raises(SourceError, match=r"Q36.*two ids"):
        open_source(snapshot).answer(read_query(path))


def test_things_whose_labels_are_wanted_must_be_items(snapshot, tmp_path):
    path = own_query(
        tmp_path / "d.rq",
        "category",
        f'SELECT ?item {{ {DEMONYMS.format("of", "x")} BIND (IRI(CONCAT(STR(?of), "-P1549")) AS ?item) }}',
    )
    with pytest.raises(SourceError, match="-P1549"):
        open_source(snapshot).answer(read_query(path))


def test_texts_under_two_tags_of_one_language_are_all_words(snapshot, tmp_path):
    snapshot.write_text(
        PREFIXES + 'wd:Q36 wdt:P31 wd:Q3624078 ; wdt:P1549 "a"@no, "b"@nb, "c"@und, "d"@nb .',
        encoding="utf-8",
    )
    (query,) = testgen.choose(["country-demonym"])
    answer = open_source(snapshot).answer(query)
    assert answer.names == {"Q36-P1549": Names("Q36-P1549", {"nb": "a"}, {"nb": ["b", "d"]})}
    assert answer.unnamed == ["Q36"]


@pytest.mark.parametrize("query", WORDED, ids=lambda query: query.name)
def test_a_snapshot_of_a_source_has_the_words_too(query, tmp_path):
    source = open_source(GRAPHS / f"{query.name}.ttl")
    assert creation.create(tmp_path / "made.jsonl", [query], source) == {}
    made_from_it = open_source(tmp_path / "made.jsonl")
    assert made_from_it.answer(query) == source.answer(query)


NORSE = """
wd:Q35505 wdt:P220 "non" . wd:Q294 wdt:P424 "is" . wd:Q35518 wdt:P220 "akk" .
wd:L101 dct:language wd:Q35505 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "ek"@non .
wd:L102 dct:language wd:Q35505 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "þú"@non .
wd:L103 dct:language wd:Q294 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "ég"@is .
wd:L104 dct:language wd:Q294 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "hún"@is .
wd:L105 dct:language wd:Q35518 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "anāku"@mis-x-Q35518 .
wd:L106 dct:language wd:Q35518 ; wikibase:lexicalCategory wd:Q36224 ;
  wikibase:lemma "atta"@akk-latn, "𒀜𒋫"@akk-xsux .
wd:Q142 rdfs:label "Frakkland"@is . wd:Q36 rdfs:label "Pólland"@is ; wdt:P1549 "Pólverji"@is .
wd:Q183 wdt:P31 wd:Q3624078 ; rdfs:label "Þýskaland"@is, "Germany"@mul ; wdt:P1549 "Þjóðverji"@is .
"""
CATEGORIES = ["country", "country-demonym", "noun-plural", "pronoun"]


@pytest.fixture
def norse(tmp_path):
    path = tmp_path / "norse.ttl"
    path.write_text(
        PREFIXES + STATES + NORSE + noun(110, "Q294", ('"hestur"@is', SINGULAR), ('"hestar"@is', PLURAL)),
        encoding="utf-8",
    )
    return path


def named_in(text):
    content = json.loads(text)
    return content.get("named_in"), {
        each["name"]: each.get("named_in") for each in content["categories"] + content["relations"]
    }


def words_of_category(text, name):
    return [word for item in part(text, name)["items"] for word in item["words"]]


def test_a_stand_in_gives_names_and_no_lexemes(norse, tmp_path):
    policy = LabelPolicy(minimum_words=2)
    text = made(norse, tmp_path / "out", ["non"], CATEGORIES, policy, ["non=is"])["non"]
    assert words_of_category(text, "pronoun") == ["ek", "þú"]
    assert named_in(text) == ("is", {"country": "is", "country-demonym": "is", "pronoun": None})
    assert words_of_category(text, "country") == ["Pólland", "Frakkland", "Þýskaland"]
    # One more word is too many for Old Norse, and Icelandic pronouns do not stand in.
    policy = LabelPolicy(minimum_words=3)
    text = made(norse, tmp_path / "out", ["non"], CATEGORIES, policy, ["non=is"])["non"]
    assert named_in(text)[1] == {"country": "is"}


def test_nothing_stands_in_that_was_not_asked_for(norse, tmp_path):
    text = made(norse, tmp_path / "out", ["non"], CATEGORIES, LabelPolicy(minimum_words=2))["non"]
    assert named_in(text) == (None, {"pronoun": None})
    with pytest.raises(testgen.LanguageError, match="--stand-in non=is"):
        testgen.generate(
            tmp_path / "none", testgen.TestSetRequest(["non"], categories=["country"]), source=norse
        )


def test_own_names_come_first(norse, tmp_path):
    with norse.open("a", encoding="utf-8") as file:
        file.write('wd:Q142 rdfs:label "Frakkland"@non . wd:Q36 rdfs:label "Púlinaland"@non .\n')
    policy = LabelPolicy(minimum_words=2)
    text = made(norse, tmp_path / "out", ["non"], CATEGORIES, policy, ["non=is"])["non"]
    assert words_of_category(text, "country") == ["Púlinaland", "Frakkland"]
    assert named_in(text)[1]["country"] is None


def test_a_language_without_labels_and_without_a_stand_in(norse, tmp_path):
    text = made(norse, tmp_path / "out", ["akk"], CATEGORIES)["akk"]
    assert sorted(words_of_category(text, "pronoun")) == ["anāku", "atta", "𒀜𒋫"]
    # Not even the language-neutral label, which is that of languages of today.
    assert named_in(text) == (None, {"pronoun": None})
    with pytest.raises(testgen.LanguageError, match="--stand-in akk=CODE"):
        testgen.generate(
            tmp_path / "none", testgen.TestSetRequest(["akk"], categories=["country"]), source=norse
        )


def test_all_spellings_of_a_lexeme_are_its_own(norse, tmp_path):
    """They are no aliases, which would give way to the word of a later item."""
    with norse.open("a", encoding="utf-8") as file:
        file.write(
            "wd:L100 dct:language wd:Q35518 ; wikibase:lexicalCategory wd:Q36224 ; "
            'wikibase:lemma "aku"@akk-latn, "anāku"@akk-xsux .\n'
        )
    items = part(made(norse, tmp_path / "out", ["akk"], CATEGORIES)["akk"], "pronoun")["items"]
    found = {item["id"]: (item["words"], item["from"]) for item in items}
    assert found["L100"] == (["aku", "anāku"], "query")
    assert "L105" not in found


def test_a_stand_in_that_a_user_gives(norse, tmp_path):
    frame = testgen.generate(
        tmp_path,
        testgen.TestSetRequest(["akk", "la"], categories=CATEGORIES, policy=EVERY, stand_ins=["akk=is"]),
        source=norse,
    )
    rows = {(row.language, row.name): row.named_in for row in frame.itertuples(index=False)}
    assert rows["akk", "country"] == "is"
    assert rows["akk", "pronoun"] == "akk"
    assert rows["la", "country"] == "la"


def test_a_stand_in_is_said(norse, command, tmp_path):
    choices = ["-l", "non", "--stand-in", "non=is", "--minimum-words", "2", "-c", "country", "-c", "pronoun"]
    code, out, _ = command("generate", *choices, "--source", norse, "--output", tmp_path / "out")
    assert code == 0
    assert out.splitlines()[-1] == (
        "Old Norse (non) has too few words of its own: Icelandic (is) stands in for country."
    )


def test_levels_have_the_stand_in_of_their_category(norse, tmp_path):
    with norse.open("a", encoding="utf-8") as file:
        file.write("wd:Q142 wdt:P31 wd:Q7 . wd:Q36 wdt:P31 wd:Q7 . wd:Q7 wdt:P279 wd:Q3624078 .\n")
    testgen.generate(
        tmp_path / "out",
        testgen.TestSetRequest(
            ["non"],
            categories=["country"],
            policy=LabelPolicy(minimum_words=2),
            minimum_items=2,
            stand_ins=["non=is"],
        ),
        source=norse,
    )
    text = (tmp_path / "out" / "non.json").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(text), SCHEMA)
    assert set(named_in(text)[1].values()) == {"is"}


def test_a_stand_in_costs_no_request_for_lexemes(norse, tmp_path, monkeypatch):
    stop_clock(monkeypatch)
    store = pyoxigraph.Store()
    store.load(path=str(norse), format=pyoxigraph.RdfFormat.TURTLE)
    with SparqlServer(store) as server, open_cache(tmp_path / "cache") as cache:
        source = endpoint_source(cache, server.url)
        testgen.generate(
            tmp_path / "out",
            testgen.TestSetRequest(["non"], categories=CATEGORIES, policy=EVERY, stand_ins=["non=is"]),
            source=source,
        )
        assert not any('"is"' in (request.query or "") for request in server.log)
        assert sum("VALUES ?code" in (request.query or "") for request in server.log) == 2  # `mul` too


def test_a_language_that_stands_in_and_is_asked_for_has_a_test_set_of_its_own(norse, tmp_path):
    policy = LabelPolicy(minimum_words=2)
    both = made(norse, tmp_path / "both", ["non", "is"], ["country"], policy, ["non=is"])
    assert both["is"] == made(norse, tmp_path / "alone", ["is"], ["country"], policy)["is"]
    assert named_in(both["is"]) == (None, {"country": None})
    assert named_in(both["non"]) == ("is", {"country": "is"})
    assert words_of_category(both["non"], "country") == words_of_category(both["is"], "country")
