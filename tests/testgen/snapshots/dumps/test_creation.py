"""Snapshots from dumps: on them, queries give the same answers as on all statements."""

from __future__ import annotations

import bz2
import gzip
import re

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import testgen
from testgen.errors import QueryFaultError, SourceError
from testgen.queries import read_query
from testgen.snapshots import creation as from_source
from testgen.snapshots.creation import create
from testgen.snapshots.dumps import creation
from testgen.snapshots.dumps.creation import create_from_dumps
from testgen.sources import Snapshot
from tests.conftest import REPOSITORY
from tests.servers.entities import small_entities
from tests.servers.rdf import store_from_entities
from tests.testgen.snapshots.dumps.dump_files import entities_of, json_dump, store_of, triples_dump

GRAPHS = sorted((REPOSITORY / "tests" / "testgen" / "graphs").glob("*.ttl"))
ONE_PROCESS = {"workers": 1}
SHIPPED = testgen.choose()


def full(store, tmp_path):
    """All statements as a source."""
    path = tmp_path / "full.nt"
    path.write_bytes(triples_dump(store))
    return Snapshot(path)


def made(tmp_path, name, content, queries, **options):
    """The snapshot of a dump with some content."""
    dump = tmp_path / name
    dump.write_bytes(content)
    create_from_dumps(tmp_path / f"{name}.ttl", queries, [dump], **ONE_PROCESS, **options)
    return Snapshot(tmp_path / f"{name}.ttl")


def assert_same(one, other, queries):
    for query in queries:
        answer = other.answer(query)
        assert one.answer(query) == answer, query.name
        assert list(one.names(answer.unnamed)) == list(other.names(answer.unnamed)), query.name


def answered(source, query):
    """Whether there is an answer; there is none if an item has an unknown value."""
    try:
        return bool(source.answer(query).rows)
    except QueryFaultError:
        return False


@pytest.fixture(scope="module")
def graphs():
    """The graphs of all shipped queries in one, with statements that rule out items."""
    return store_of(*(path.read_text(encoding="utf-8") for path in GRAPHS))


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 24])
def test_shipped_queries_at_once(graphs, tmp_path, every):
    content, whole, queries = json_dump(entities_of(graphs)), full(graphs, tmp_path), SHIPPED[::every]
    assert sum(bool(whole.answer(query).rows) for query in queries) > 0.5 * len(queries)
    assert_same(made(tmp_path, "some.json", content, queries), whole, queries)


@pytest.mark.slow
def test_each_query_alone_finds_what_it_requires(graphs, tmp_path):
    """Together with others, a query could use statements that only others require."""
    content, whole, kinds = json_dump(entities_of(graphs)), full(graphs, tmp_path), {}
    for query in SHIPPED:  # one of each pattern, for parsing takes a while
        pattern = "".join(letter for letter in query.narrowed(None) if not letter.isdigit())
        kinds.setdefault("".join(pattern.split()), query)
    for number, query in enumerate(kinds.values()):
        if whole.answer(query).rows:
            assert_same(made(tmp_path, f"{number}.json", content, [query]), whole, [query])


def test_many_statements_are_stored_on_disk(graphs, tmp_path, monkeypatch):
    monkeypatch.setattr(creation, "IN_MEMORY", 0)
    monkeypatch.setattr(from_source, "IN_MEMORY", 0)
    content, queries = json_dump(entities_of(graphs)), testgen.choose(["us-state-city", "country-capital"])
    assert_same(made(tmp_path, "dump.json", content, queries), full(graphs, tmp_path), queries)
    assert not list(tmp_path.glob(".part*"))


def test_only_the_leftovers_of_killed_runs_are_deleted(graphs, tmp_path):
    for name in (".part.17.dump.json.ttl", ".part.mine.dump.json.ttl"):
        (tmp_path / name).touch()
    made(tmp_path, "dump.json", json_dump(entities_of(graphs)), testgen.choose(["country"]))
    assert [path.name for path in tmp_path.glob(".part*")] == [".part.mine.dump.json.ttl"]


def test_levels_of_classes(graphs, tmp_path):
    whole = full(graphs, tmp_path)
    queries = testgen.choose(["musical-instrument", "clothing", "capital", "animal", "country"])
    assert create(tmp_path / "direct.ttl", queries, whole, hierarchy=True) == {}
    direct = Snapshot(tmp_path / "direct.ttl")
    content = json_dump(entities_of(graphs))
    from_dump = made(tmp_path, "dump.json", content, queries, hierarchy=True)
    without_end = [
        path.read_text(encoding="utf-8").partition("wikibase:Dump")[0]
        for path in (tmp_path / "direct.ttl", tmp_path / "dump.json.ttl")
    ]
    assert without_end[0] == without_end[1]
    assert from_dump.size > direct.size - 5


def test_entities_with_every_trap(tmp_path):
    entities = [each for each in small_entities().values() if "redirect" not in each]
    entities.append(
        {"type": "item", "id": "Q5", "labels": [], "aliases": [], "claims": []}
    )  # as PHP writes it
    whole = full(store_from_entities(entities, unknown_values=True), tmp_path)
    queries = [query for query in SHIPPED if answered(whole, query)]
    assert len(queries) > 10
    assert_same(made(tmp_path, "dump.json", json_dump(entities), queries), whole, queries)


def test_a_query_that_meets_an_unknown_value_is_left_out(tmp_path):
    entities = [item(1, [("P31", "normal", 3624078), ("P36", "normal", None)], ["en"])]
    (tmp_path / "d.json").write_bytes(json_dump(entities))
    queries = testgen.choose(["capital", "country"])
    report = create_from_dumps(tmp_path / "s.ttl", queries, [tmp_path / "d.json"], **ONE_PROCESS)
    assert "'capital' binds ?item to http://www.wikidata.org/.well-known/genid/" in report.failed[0]
    assert [len(report.failed), Snapshot(tmp_path / "s.ttl").answer(queries[1]).rows] == [1, [("Q1",)]]
    with pytest.raises(QueryFaultError, match="not a Wikidata item"):
        create_from_dumps(tmp_path / "t.ttl", queries[:1], [tmp_path / "d.json"], **ONE_PROCESS)


def item(number, claims, labels=()):
    """An item; claims are (property, rank, value): a number of an item, None for unknown, "" for none."""
    by_property = {}
    for place, (property_, rank, value) in enumerate(claims):
        snak = {"snaktype": "value", "datatype": "wikibase-item"}
        if value is None or value == "":
            snak["snaktype"] = "somevalue" if value is None else "novalue"
        elif property_ == "P1082":
            snak["datavalue"] = {"type": "quantity", "value": {"amount": f"+{value * 100}", "unit": "1"}}
        else:
            snak["datavalue"] = {"type": "wikibase-entityid", "value": {"id": f"Q{value}"}}
        of_one = {"mainsnak": snak, "rank": rank, "type": "statement", "id": f"Q{number}$x{place}"}
        by_property.setdefault(property_, []).append(of_one)
    terms = {code: {"language": code, "value": f"{code}{number}"} for code in labels}
    return {"type": "item", "id": f"Q{number}", "labels": terms, "aliases": {}, "claims": by_property}


ITEMS = st.integers(1, 6)
RANKS = st.sampled_from(["normal"] * 4 + ["preferred", "deprecated"])
VALUES = st.one_of(*[ITEMS] * 6, st.sampled_from([None, ""]))
LANGUAGES = st.sets(st.sampled_from(["en", "la", "sr-ec", "mul"]))


def worlds(pattern):
    """Items with statements of the properties that a pattern uses."""
    properties = st.sampled_from(sorted(set(re.findall(r"P\d+", pattern))))
    claims = st.lists(st.tuples(properties, RANKS, VALUES), min_size=1, max_size=6)
    return st.dictionaries(ITEMS, st.tuples(claims, LANGUAGES), min_size=2)


# An unknown value must not be bound to ?item: every source refuses this.
KNOWN = 'FILTER (STRSTARTS(STR(?item), "http://www.wikidata.org/entity/Q"))'
PATTERNS = [
    "?item wdt:P31 wd:Q1 . MINUS { ?item wdt:P576 ?end }",
    "?item wdt:P31 wd:Q1 . FILTER NOT EXISTS { ?item wdt:P576 ?end ; wdt:P36 ?capital }",
    "?state wdt:P31 wd:Q1 ; wdt:P36 ?item . MINUS { ?state wdt:P576 ?end }",
    "?item wdt:P31/wdt:P279* wd:Q2 ; wdt:P1082 ?people . FILTER (?people > 300)",
    "?item wdt:P279+ wd:Q3 .",
    "?of wdt:P31 wd:Q1 . ?item wdt:P131/wdt:P131? ?of .",
    "?of wdt:P31 wd:Q1 . { ?item wdt:P131 ?of } UNION { ?item wdt:P131/wdt:P131 ?of } ?item wdt:P31 ?class .",
    "?item wdt:P31|wdt:P279 wd:Q2 .",
    "VALUES ?class { wd:Q1 wd:Q2 } ?item wdt:P31 ?class . MINUS { ?item wdt:P1082 ?n . FILTER (?n < 500) }",
    "VALUES ?item { wd:Q1 wd:Q2 wd:Q3 } ?item wdt:P31 ?class .",
    "?item wdt:P31 wd:Q1 . MINUS { ?item wdt:P36 ?x . ?x wdt:P31 wd:Q2 . MINUS { ?x wdt:P576 ?end } }",
    "?item wdt:P31 ?class . OPTIONAL { ?item wdt:P36 ?x . ?x wdt:P131 ?y } FILTER (!BOUND(?y))",
    "?item wdt:P36 ?x . MINUS { ?x wdt:P31 ?z } ?z wdt:P131 wd:Q4 .",
    "{ SELECT ?item WHERE { ?item wdt:P31 ?x . ?x wdt:P279 wd:Q2 } } ?x wdt:P36 ?item .",
    "?item wdt:P131 ?x . OPTIONAL { ?x wdt:P36 ?y } ?y wdt:P31 wd:Q1 .",
    "?x wdt:P36 ?item . MINUS { VALUES ?c { wd:Q1 } ?item wdt:P31 ?c } VALUES ?c { wd:Q2 wd:Q3 }",
    "BIND (wd:Q4 AS ?item) ?item wdt:P31* wd:Q1 .",
]


def query_file(folder, pattern):
    path = folder / "some.rq"
    path.write_text(
        "#+ title: T\n#+ kind: category\n#+ topic: t\n#+ summary: s\n"
        "PREFIX wd: <http://www.wikidata.org/entity/>\nPREFIX wdt: <http://www.wikidata.org/prop/direct/>\n"
        f"SELECT DISTINCT ?item WHERE {{ {pattern} {KNOWN} }} ORDER BY ?item\n"
    )
    return read_query(path)


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(
    max_examples=settings.default.max_examples // 4,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_small_worlds(tmp_path, pattern, data):
    world = data.draw(worlds(pattern))
    entities = [item(number, *said) for number, said in world.items()]
    store, query = store_from_entities(entities, unknown_values=True), query_file(tmp_path, pattern)
    if not len(store):
        return
    whole, content = full(store, tmp_path), json_dump(entities)
    if whole.answer(query).rows:
        assert_same(made(tmp_path, "dump.json", content, [query]), whole, [query])
        return
    with pytest.raises(SourceError, match="has no items for these queries"):
        made(tmp_path, "dump.json", content, [query])


@pytest.fixture(scope="module")
def content(graphs):
    return json_dump(entities_of(graphs))


COMPRESSED = {
    "": lambda text: text,
    ".gz": gzip.compress,
    "-parts.gz": lambda text: b"".join(
        gzip.compress(text[at : at + 70_001]) for at in range(0, len(text), 70_001)
    ),
    ".bz2": lambda text: bz2.compress(text, 1),
    ".zst": zstandard.compress,
}


@pytest.mark.parametrize("ending", COMPRESSED)
@pytest.mark.parametrize("size", [6_001, pytest.param(200_000, marks=pytest.mark.slow)])
def test_compression_and_block_size_change_nothing(content, tmp_path, ending, size):
    queries, texts = testgen.choose(["country-capital", "noun-plural", "us-state-city"]), []
    for name, packing, block_size in (("plain", "", 1 << 30), (f"packed{ending}", ending, size)):
        dump = tmp_path / name
        dump.write_bytes(COMPRESSED[packing](content))
        options = {"workers": 1, "block_size": block_size}
        report = create_from_dumps(tmp_path / f"{name}.ttl", queries, [dump], **options)
        assert (report.total, report.broken_count) == (len(content), 0)
        texts.append((tmp_path / f"{name}.ttl").read_text(encoding="utf-8").partition("wikibase:Dump")[0])
    assert texts[0] == texts[1]
