"""Snapshots: they answer the queries that they were made for, as their source did, and refuse all others."""

from __future__ import annotations

import gzip
import json

import pytest

import testgen
from testgen import SourceError, TestSetRequest, choose
from testgen.errors import MissingAnswerError
from testgen.snapshots.creation import create
from testgen.sources import RdfSource, Snapshot, held_by, open_source
from testgen.sources.hierarchy import hierarchy_query
from tests.servers.fixtures import small_world
from tests.servers.rdf import store_of
from tests.servers.sparql import SparqlServer
from tests.testgen.network import CONTACT, endpoint_source, open_cache, stop_clock, wikidata_source
from tests.testgen.test_lexemes import PREFIXES

__all__ = ["small_world"]

STATES = """
wd:Q142 wdt:P31 wd:Q3624078 ; wdt:P30 wd:Q46 ; wdt:P36 wd:Q90 ; rdfs:label "France"@en, "Gallia"@la .
wd:Q38 wdt:P31 wd:Q3624078 ; wdt:P30 wd:Q46 ; wdt:P36 wd:Q220 ; rdfs:label "Italy"@en, "Italia"@la .
wd:Q16 wdt:P31 wd:Q3624078 ; wdt:P30 wd:Q49 ; rdfs:label "Canada"@en, "Canada"@la .
wd:Q90 rdfs:label "Paris"@en, "Lutetia"@la . wd:Q220 rdfs:label "Rome"@en, "Roma"@la .
"""
OWN = """\
#+ title: Of the Americas
#+ kind: category
#+ topic: mine
#+ summary: States of North America.
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT DISTINCT ?item WHERE { ?item wdt:P30 wd:Q49 }
ORDER BY ?item
"""


@pytest.fixture
def states(tmp_path):
    path = tmp_path / "states.ttl"
    path.write_text(PREFIXES + STATES, encoding="utf-8")
    return path


@pytest.fixture
def made(states, tmp_path):
    path = tmp_path / "europe.jsonl.gz"
    assert create(path, choose(["country-in-europe"]), RdfSource(states)) == {}
    return path


def lines(path):
    content = path.read_bytes()
    unpacked = gzip.decompress(content) if path.name.endswith(".gz") else content
    return [json.loads(line) for line in unpacked.splitlines()]


def rewritten(path, change):
    """A snapshot in which one line is another one."""
    other = path.with_name("other.jsonl")
    changed = [change(line) for line in lines(path)]
    other.write_text("".join(json.dumps(line) + "\n" for line in changed), encoding="utf-8")
    return other


@pytest.mark.parametrize("made_for", ["country-in-europe", "country-capital"])
def test_states_of_europe_do_not_pass_for_all_states(states, tmp_path, command, monkeypatch, made_for):
    """Nor do those that have a capital: their statements would be enough to answer with some of the rows."""
    monkeypatch.chdir(tmp_path)
    source = ("--source", states.name)
    assert command("snapshot", "create", "-c", made_for, *source, "-o", "some.jsonl")[0] == 0
    code, out, err = command("generate", "la", "-c", "country", "--source", "some.jsonl")
    assert (code, out) == (2, "")
    again = f"--source SOURCE --category {made_for} --category country --output some.jsonl"
    assert err == (
        f"testgen: some.jsonl was made for {made_for}, and does not hold the answer to country. "
        f"Make it again with country: testgen snapshot create {again}\n"
    )
    assert command("snapshot", "create", *again.replace("SOURCE", states.name).split())[0] == 0
    asked = ("generate", "la", "-c", "country", "--minimum-words", "1", "--source", "some.jsonl")
    assert command(*asked)[0] == 0


@pytest.mark.parametrize(
    ("kind", "option"), [("wikidata", "--source wikidata"), ("endpoint", "--source http://127.0.0.1:")]
)
def test_the_command_in_the_message_names_the_source(small_world, tmp_path, monkeypatch, kind, option):
    stop_clock(monkeypatch)
    monkeypatch.setenv("TESTGEN_CONTACT", CONTACT)
    with open_cache(tmp_path / "cache") as cache:
        source = (
            endpoint_source(cache, small_world.sparql.url)
            if kind == "endpoint"
            else wikidata_source(cache, small_world.sparql.url, small_world.api.url)
        )
        create(tmp_path / "s.jsonl", choose(["country"]), source)
    with pytest.raises(MissingAnswerError, match=option):
        open_source(tmp_path / "s.jsonl").answer(choose(["capital"])[0])


def test_what_else_is_refused_names_its_options(made, tmp_path):
    (tmp_path / "own.rq").write_text(OWN, encoding="utf-8")
    source = open_source(made)
    (europe,) = choose(["country-in-europe"])
    for query, option in (
        (testgen.class_query("Q9415"), "--class Q9415"),
        (testgen.read_query(tmp_path / "own.rq"), "--query own.rq"),
        (hierarchy_query(europe), "--category country-in-europe --hierarchy --output"),
        (choose(["cheese"], minimum_sitelinks=3)[0], "--category cheese --min-sitelinks 3"),
    ):
        with pytest.raises(MissingAnswerError) as raised:
            source.answer(query)
        assert option in str(raised.value)
    with pytest.raises(SourceError, match="articles"):
        testgen.generate(
            tmp_path / "out",
            TestSetRequest(["la"], ["country-in-europe"], known_in_its_wikipedia=True),
            source=source,
        )


def test_a_query_of_the_user_s_own_is_known_by_its_text_without_comments(states, tmp_path):
    (tmp_path / "own.rq").write_text(OWN, encoding="utf-8")
    create(tmp_path / "s.jsonl", choose(tmp_path / "own.rq"), RdfSource(states))
    source = open_source(tmp_path / "s.jsonl")
    (tmp_path / "own.rq").write_text(OWN.replace("wd:Q49 }", "wd:Q49 }  # North America"), encoding="utf-8")
    assert source.answer(testgen.read_query(tmp_path / "own.rq")).rows == [("Q16",)]
    (tmp_path / "own.rq").write_text(OWN.replace("Q49", "Q46"), encoding="utf-8")
    with pytest.raises(MissingAnswerError):
        source.answer(testgen.read_query(tmp_path / "own.rq"))


def test_without_categories_it_is_asked_what_it_was_made_for(made, tmp_path, command):
    assert [query.name for query in held_by(open_source(made), choose())] == ["country-in-europe"]
    arguments = ("--source", made, "--minimum-words", "1", "--output", tmp_path / "out")
    code, out, err = command("generate", "la", *arguments)
    assert (code, err) == (0, "")
    assert "Categories: 1. Relations: 0." in out
    arguments = ("--from", "la", "--to", "en", "--source", made, "--minimum-words", "1")
    code, _, err = command("dictionary", *arguments, "--output", tmp_path / "la-en.txt")
    assert (code, err) == (0, "")
    code, out, err = command("site", tmp_path / "site", "--source", made)
    page = (tmp_path / "site" / "categories.html").read_text("utf-8")
    assert (code, "country-in-europe" in page) == (0, True)
    code, out, _ = command("snapshot", "info", made)
    assert out.splitlines()[-1] == "answers 1 queries: country-in-europe 2"
    code, out, _ = command("categories", "--source", made, "--json")
    assert [row["name"] for row in json.loads(out)] == ["country-in-europe"]


NAMED = ["country", "capital", "country-capital"]


@pytest.mark.usefixtures("_clock")
def test_an_offline_run_and_one_from_a_snapshot_replay_a_live_one(small_world, tmp_path, monkeypatch):
    """All files are the same, byte for byte, with levels of categories too."""
    monkeypatch.setenv("TESTGEN_CONTACT", CONTACT)
    policy = testgen.LabelPolicy(minimum_words=1)
    request = TestSetRequest(categories=NAMED, policy=policy, minimum_items=2)
    addresses = small_world.sparql.url, small_world.api.url
    with open_cache(tmp_path / "cache") as cache:
        testgen.generate(tmp_path / "live", request, source=wikidata_source(cache, *addresses))
    asked = len(small_world.sparql.log) + len(small_world.api.log)
    with open_cache(tmp_path / "cache", offline=True) as cache:
        offline = wikidata_source(cache, *addresses)
        testgen.generate(tmp_path / "offline", request, source=offline)
        assert create(tmp_path / "s.jsonl.gz", choose(NAMED), offline, hierarchy=True) == {}
    testgen.generate(tmp_path / "snapshot", request, source=tmp_path / "s.jsonl.gz")
    assert len(small_world.sparql.log) + len(small_world.api.log) == asked
    live, *others = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("live", "offline", "snapshot")
    )
    assert len(live) > 5
    assert others == [live, live]


@pytest.fixture
def _clock(monkeypatch):
    stop_clock(monkeypatch)


LEXEMES = (
    PREFIXES
    + """
wd:Q397 wdt:P424 "la" . wd:Q188 wdt:P424 "de" . wd:Q294 wdt:P424 "is" .
wd:L1 dct:language wd:Q397 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "ego"@la .
wd:L2 dct:language wd:Q188 ; wikibase:lexicalCategory wd:Q36224 ; wikibase:lemma "ich"@de .
wd:L3 dct:language wd:Q294 ; wikibase:lexicalCategory wd:Q4833830 ; wikibase:lemma "á"@is .
"""
)


@pytest.mark.usefixtures("_clock")
def test_words_of_lexemes_are_replayed_in_all_languages_and_in_some(tmp_path):
    (pronoun,) = choose(["pronoun"])
    with SparqlServer(store_of(LEXEMES)) as server, open_cache(tmp_path / "cache") as cache:
        live = endpoint_source(cache, server.url)
        assert create(tmp_path / "s.jsonl", [pronoun], live) == {}
        made = open_source(tmp_path / "s.jsonl")
        for languages in (None, ["la"], ["de", "la"], ["is"], ["te"]):
            assert made.answer(pronoun, languages) == live.answer(pronoun, languages)
        assert made.answer(pronoun).rows == [("L1",), ("L2",)]


def test_a_snapshot_and_a_file_of_rdf_are_combined(made, tmp_path):
    other = tmp_path / "other.ttl"
    other.write_text(
        PREFIXES + '<mine:7> wdt:P31 wd:Q3624078 ; wdt:P30 wd:Q46 ; rdfs:label "Utopia"@la .\n'
        'wd:Q142 rdfs:label "Francogallia"@la .\n',
        encoding="utf-8",
    )
    both, (europe,) = open_source([made, other]), choose(["country-in-europe"])
    assert both.answer(europe).rows == [("Q38",), ("Q142",), ("mine:7",)]
    (france,) = both.names(["Q142"])
    assert (france.labels["la"], france.aliases) == ("Gallia", {"la": ["Francogallia"]})
    assert [part.languages for part in both.provenance.parts] == [("en", "la"), ("la",)]
    with pytest.raises(MissingAnswerError, match=r"europe\.jsonl\.gz .*country-in-europe"):
        both.answer(choose(["country"])[0])
    assert create(tmp_path / "both.jsonl", [europe], both) == {}
    assert Snapshot(tmp_path / "both.jsonl").provenance == both.provenance


def test_the_text_of_a_query_has_the_digest_that_stands_beside_it(made):
    other = rewritten(made, lambda line: line | {"sha256": "0" * 64} if "sha256" in line else line)
    with pytest.raises(SourceError, match="'country-in-europe'"):
        open_source(other).answer(choose(["country-in-europe"])[0])


def test_ids_in_rows_are_checked(made):
    def change(line):
        return line | {"rows": [{"item": ["javascript://x", None]}]} if "rows" in line else line

    with pytest.raises(SourceError, match="not a Wikidata item"):
        open_source(rewritten(made, change)).answer(choose(["country-in-europe"])[0])


FIRST = b'{"format":"snapshot","version":1,"source":{"kind":"x","name":"x","date":null}}\n'


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not a snapshot, or cut off"),
        (b'{"format":"testset","version":1}\n', "not a snapshot, or cut off"),
        (FIRST.replace(b":1,", b":3,"), "version 3"),
        (FIRST + b'{"a":1}', "not a"),
        (
            FIRST + b'{"language":"../x"}',
            "'../x' is no language",
        ),
    ],
)
def test_what_is_no_snapshot(tmp_path, content, complaint):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=complaint):
        open_source(path)


def test_names_without_a_text_are_refused(made):
    other = rewritten(made, lambda line: line | {"names": {"Q142": []}} if "names" in line else line)
    with pytest.raises(SourceError, match="not a snapshot"):
        list(open_source(other).names(["Q142"]))


def test_a_file_that_is_cut_off_or_too_large_is_refused(made, monkeypatch):
    made.write_bytes(made.read_bytes()[:-9])
    with pytest.raises(SourceError, match="cut off"):
        open_source(made)
    monkeypatch.setattr("testgen.system._LARGEST", 1000)
    made.with_name("bomb.jsonl.gz").write_bytes(gzip.compress(bytes(2000)))
    with pytest.raises(SourceError, match="1,000 bytes"):
        open_source(made.with_name("bomb.jsonl.gz"))
