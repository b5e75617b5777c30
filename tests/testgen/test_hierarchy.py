"""Levels of categories: small graphs in the real engines, then files, servers and real data."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

import testgen
from testgen import LabelPolicy, PolicyError, QueryError
from testgen.generation.request import TestSetRequest
from testgen.generation.test_sets import generate
from testgen.queries import class_query, read_query, shipped_queries, split_prologue
from testgen.snapshots import creation
from testgen.sources import RdfSource, open_source
from testgen.sources.hierarchy import hierarchy_query, levels_within, members_query, root_classes
from tests.servers import faults
from tests.servers.entities import EntityServer
from tests.servers.proxy import FaultProxy, always
from tests.servers.rdf import store_from_entities
from tests.servers.sparql import SparqlServer
from tests.servers.world import statement
from tests.testgen.network import endpoint_source, files, open_cache, stop_clock, wikidata_source

SCHEMA = json.loads(
    (Path(testgen.__file__).parent / "testset" / "testset.v2.schema.json").read_text(encoding="utf-8")
)
PREFIXES = "".join(
    f"@prefix {name}: <{base}> .\n"
    for name, base in {
        "wd": "http://www.wikidata.org/entity/",
        "wdt": "http://www.wikidata.org/prop/direct/",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    }.items()
)
POLICY = LabelPolicy(minimum_words=1)
HEADER = "#+ title: Things\n#+ kind: category\n#+ topic: test\n#+ summary: Things.\n"
SPARQL_PREFIXES = PREFIXES.replace("@prefix", "PREFIX").replace(" .\n", "\n")

# Q100 is the root; a, b, … are items 1, 2, …; "1: 100 101" says that Q1 is an instance of both.
INSTRUMENTS = """
1: 100
2: 101
3: 102
4: 103
5: 104 102
6: 100
102 < 101 < 100
104 < 103 < 100
"""


def triples(graph):
    """(subject, property, object) of lines `1: 100 101` (instance of) and `102 < 101 < 100` (subclass of)."""
    for line in graph.split("\n"):
        item, colon, classes = line.partition(":")
        chain = line.split("<")
        if colon:
            yield from ((f"Q{item.strip()}", "P31", f"Q{each}") for each in classes.split())
        else:
            pairs = itertools.pairwise(chain)
            yield from ((f"Q{one.strip()}", "P279", f"Q{other.strip()}") for one, other in pairs)


def snapshot(tmp_path, graph, more=""):
    """The graph as a file; every item n is called "item n", every class "class n"."""
    path = tmp_path / "graph.ttl"
    lines = [f"wd:{subject} wdt:{property_} wd:{of} ." for subject, property_, of in triples(graph)]
    ids = sorted({each for subject, _, of in triples(graph) for each in (subject, of)})
    lines += [f'wd:{each} rdfs:label "{word(each)}"@en .' for each in ids]
    path.write_text(PREFIXES + "\n".join(lines) + more, encoding="utf-8")
    return path


def word(entity_id):
    """A name of letters only."""
    return entity_id.translate(str.maketrans("Q0123456789", "qabcdefghij"))


def found(path, query=None, minimum_items=2):
    """The classes within a category: (class, level, within, items)."""
    query, source = query or class_query("Q100"), open_source(path)
    rows, statements = (source.answer(each).rows for each in (query, hierarchy_query(query)))
    made = levels_within(query, rows, statements, minimum_items)
    for each in made:  # each level's own query says the same
        own = members_query(query, each.class_id, "x", "X")
        if source.holds(own):  # a snapshot was made for the category alone
            assert {item for (item,) in source.answer(own).rows} == each.items
    return [
        (each.class_id, each.level, each.within, sorted(each.items, key=lambda item: int(item[1:])))
        for each in made
    ]


def things(tmp_path, where, select="DISTINCT ?item"):
    path = tmp_path / "things.rq"
    text = f"{HEADER}{SPARQL_PREFIXES}SELECT {select} WHERE {{ {where} }}\nORDER BY ?item\n"
    path.write_text(text, encoding="utf-8")
    return read_query(path)


BELOW = "?item wdt:P31/wdt:P279* wd:Q100 ."


# A graph, and the levels within the items that are instances of Q100 themselves.
DIRECT = {
    # Q2, Q3 and Q4 are no direct instances of Q100 in the graph above.
    "only items of the category count": (INSTRUMENTS + "2: 100\n3: 100\n", [("Q101", 1, None, "2 3")]),
    "a class with one item is no category": ("1: 100 101\n2: 100\n3: 100\n101 < 100", []),
    "classes that are not below the root": ("1: 100 500\n2: 100 500\n3: 100\n500 < 600\n100 < 600\n", []),
    # Languages are subclasses of families: French and Spanish of Romance, Romance of Indo-European.
    "kinds of things are in their classes too": (
        "1: 100\n2: 100\n3: 100\n4: 100\n1 < 101\n2 < 101\n101 < 102\n3 < 102\n102 < 100\n",
        [("Q102", 1, None, "1 2 3"), ("Q101", 2, "Q102", "1 2")],
    ),
    # Q1 is an item and a class of Q2 and Q3; being in Q101 is said of Q1 alone.
    "what an item is an instance of is not passed down": (
        "1: 100 101\n2: 100 1\n3: 100 1\n4: 100 101\n1 < 100\n101 < 100\n",
        [("Q1", 1, None, "2 3"), ("Q101", 1, None, "1 4")],
    ),
}
# The same of the instances of Q100 and of all classes below.
WITHIN = {
    "a diamond lies below both its sides": (
        "1: 103\n2: 103\n3: 101\n4: 102\n5: 100\n103 < 102 < 100\n103 < 101 < 100\n",
        [("Q101", 1, None, "1 2 3"), ("Q102", 1, None, "1 2 4"), ("Q103", 2, "Q101", "1 2")],
    ),
    "a shorter way up does not lift a class": (
        "1: 102\n2: 102\n3: 101\n4: 100\n102 < 101 < 100\n102 < 100\n",
        [("Q101", 1, None, "1 2 3"), ("Q102", 2, "Q101", "1 2")],
    ),
    "circles are one class": (
        "1: 103\n2: 102\n3: 101\n4: 100\n103 < 102 < 101 < 103\n101 < 100\n", [("Q101", 1, None, "1 2 3")],
    ),
    "a circle through the root is the category": (
        "1: 101\n2: 101\n3: 100\n4: 102\n5: 102\n102 < 101 < 100 < 101\n", [("Q102", 1, None, "4 5")],
    ),
    "a class of itself": ("1: 101\n2: 101\n3: 100\n101 < 101 < 100\n100 < 100\n", [("Q101", 1, None, "1 2")]),
    "of classes with the same items the lowest number stands for all": (
        "1: 103\n2: 103\n3: 104\n4: 104\n5: 100\n104 < 103 < 102 < 105 < 100\n",
        [("Q102", 1, None, "1 2 3 4"), ("Q104", 2, "Q102", "3 4")],
    ),
}  # fmt: skip


class TestWithinARoot:
    @pytest.mark.parametrize("case", [*DIRECT, *WITHIN])
    def test_levels(self, tmp_path, case):
        graph, expected = (DIRECT | WITHIN)[case]
        levels = found(snapshot(tmp_path, graph), things(tmp_path, BELOW) if case in WITHIN else None)
        assert levels == [(*level, [f"Q{item}" for item in items.split()]) for *level, items in expected]

    def test_every_class_at_every_level(self, tmp_path):
        path = snapshot(tmp_path, INSTRUMENTS)
        assert found(path, things(tmp_path, BELOW)) == [
            ("Q101", 1, None, ["Q2", "Q3", "Q5"]),
            ("Q103", 1, None, ["Q4", "Q5"]),
            ("Q102", 2, "Q101", ["Q3", "Q5"]),
        ]

    @pytest.mark.parametrize(("minimum", "classes"), [(2, 3), (3, 1), (4, 0)])
    def test_classes_with_few_items_are_left_out(self, tmp_path, minimum, classes):
        path = snapshot(tmp_path, INSTRUMENTS)
        assert len(found(path, things(tmp_path, BELOW), minimum)) == classes

    def test_unknown_values_are_no_classes(self, tmp_path):
        unknown = "<http://www.wikidata.org/.well-known/genid/1f>"
        more = f"\nwd:Q1 wdt:P31 _:b , {unknown} . wd:Q101 wdt:P279 _:c , {unknown} ."
        path = snapshot(tmp_path, "1: 100 101\n2: 100 101\n3: 100\n101 < 100", more)
        assert found(path) == [("Q101", 1, None, ["Q1", "Q2"])]


class TestSeveralRootsAndNone:
    def test_each_of_several_roots_is_a_level(self, tmp_path):
        graph = "1: 200\n2: 200\n3: 301\n4: 301\n5: 300\n301 < 300\n200 < 900\n300 < 900\n"
        query = things(tmp_path, "VALUES ?class { wd:Q200 wd:Q300 } ?item wdt:P31/wdt:P279* ?class .")
        assert found(snapshot(tmp_path, graph), query) == [
            ("Q200", 1, None, ["Q1", "Q2"]),
            ("Q300", 1, None, ["Q3", "Q4", "Q5"]),
            ("Q301", 2, "Q300", ["Q3", "Q4"]),
        ]

    def test_without_a_root_the_classes_that_items_are_said_to_be_in(self, tmp_path):
        # Q900, "entity", is nobody's own class.
        graph = "1: 200\n2: 200\n3: 201\n4: 201\n5: 300\n201 < 202 < 200 < 900\n300 < 900\n"
        query = things(tmp_path, f"VALUES ?item {{ {' '.join(f'wd:Q{n}' for n in range(1, 7))} }}")
        assert found(snapshot(tmp_path, graph), query) == [
            ("Q200", 1, None, ["Q1", "Q2", "Q3", "Q4"]),
            ("Q201", 2, "Q200", ["Q3", "Q4"]),
        ]

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ("?item wdt:P31 wd:Q1 .", {"Q1"}),
            ("?item wdt:P31|wdt:P279 wd:Q1 .", {"Q1"}),
            ("?item wdt:P279+ wd:Q1 .", {"Q1"}),
            ("{ ?item wdt:P31 wd:Q1 } UNION { ?item wdt:P279/wdt:P279 wd:Q2 }", {"Q1", "Q2"}),
            ("?item wdt:P31 wd:Q1 . MINUS { ?item wdt:P31 wd:Q2 }", {"Q1"}),
            ("?item wdt:P31 wd:Q1 . FILTER NOT EXISTS { ?item wdt:P31 wd:Q2 }", {"Q1"}),
            ("?state wdt:P31 wd:Q1 ; wdt:P36 ?item .", set()),
            ("?item wdt:P1269 wd:Q1 .", set()),
            ("?item ^wdt:P279 wd:Q1 .", set()),
            ("?item wdt:P31/wdt:P361 wd:Q1 .", set()),
            ("?item wdt:P31 ?class .", set()),
        ],
    )
    def test_roots(self, tmp_path, where, expected):
        assert root_classes(things(tmp_path, where)) == expected


class TestQueries:
    def test_relations_and_words_have_no_levels(self):
        for query in shipped_queries().values():
            assert (hierarchy_query(query) is None) == (query.kind == "relation" or bool(query.worded))

    def test_whatever_else_a_query_selects_is_left_within(self, tmp_path):
        path = snapshot(tmp_path, INSTRUMENTS)
        plain = found(path, things(tmp_path, BELOW))
        where = "?item wdt:P31 ?class . ?class wdt:P279* ?of . FILTER (?of = wd:Q100) BIND (5 AS ?property)"
        assert found(path, things(tmp_path, where, select="*"))[0][3] == plain[0][3]

    def test_prefixes_of_a_query_may_mean_something_else(self, tmp_path):
        query = things(tmp_path, BELOW)
        odd = query.text.replace("wdt:", "wd2:").replace("wd:", "wdt:").replace("wd2:", "wd:")
        odd = "BASE <http://example.org/>\n" + odd
        assert split_prologue(odd)[1].startswith("SELECT")
        path = snapshot(tmp_path, INSTRUMENTS)
        assert found(path, replace(query, text=odd))[0][3] == ["Q2", "Q3", "Q5"]

    def test_a_limit_is_kept(self, tmp_path):
        query = things(tmp_path, BELOW)
        path = snapshot(tmp_path, INSTRUMENTS)
        assert found(path, replace(query, text=query.text + "LIMIT 3\n")) == [("Q101", 1, None, ["Q2", "Q3"])]

    def test_no_file_is_of_this_kind(self, tmp_path):
        path = tmp_path / "things.rq"
        path.write_text(
            HEADER.replace("category", "hierarchy") + "SELECT ?item WHERE { ?item ?property ?of }"
        )
        with pytest.raises(QueryError, match="category or relation"):
            read_query(path)

    def test_ids_are_checked(self, tmp_path):
        more = "\nwd:Q1 wdt:P31 <http://www.wikidata.org/entity/Q1x> ."
        path = snapshot(tmp_path, "1: 100\n2: 100\n3: 100", more)
        assert found(path) == found(snapshot(tmp_path, "1: 100\n2: 100\n3: 100"))


def generated(tmp_path, path, name="en", **arguments):
    arguments = {"minimum_items": 2, "policy": POLICY} | arguments
    frame = generate(
        tmp_path / "out",
        TestSetRequest([name], categories=[things(tmp_path, BELOW)], **arguments),
        source=path,
    )
    content = json.loads((tmp_path / "out" / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.validate(content, SCHEMA)
    return content, frame


class TestFiles:
    def test_levels_are_categories_within_categories(self, tmp_path):
        content, frame = generated(tmp_path, snapshot(tmp_path, INSTRUMENTS))
        assert content["hierarchy"] == {"minimum_items": 2}
        keys = ("name", "level", "within", "class", "title")
        assert [tuple(each.get(key) for key in keys) for each in content["categories"]] == [
            ("things", 0, None, None, "Things"),
            ("things/Q101", 1, "things", "Q101", "Things: qbab"),
            ("things/Q102", 2, "things/Q101", "Q102", "Things: qbac"),
            ("things/Q103", 1, "things", "Q103", "Things: qbad"),
        ]
        assert [item["words"] for item in content["categories"][2]["items"]] == [["qd"], ["qf"]]
        # A class has all its words in common with its category, which is not worth saying.
        assert not any(each.keys() & {"shared", "other_script"} for each in content["categories"])
        assert frame[["kind", "name", "size"]].to_numpy().tolist() == [
            ["category", "things", 6],
            ["level", "things/Q101", 3],
            ["level", "things/Q102", 2],
            ["level", "things/Q103", 2],
        ]

    def test_titles_of_classes_are_english_else_neutral(self, tmp_path):
        path = snapshot(
            tmp_path, INSTRUMENTS, '\nwd:Q101 rdfs:label "anders"@mul . wd:Q102 rdfs:label "einzig"@mul .'
        )
        path.write_text(path.read_text().replace('wd:Q102 rdfs:label "qbac"@en .', ""))
        content, _ = generated(tmp_path, path)
        titles = {each["name"]: each["title"] for each in content["categories"]}
        assert titles["things/Q101"] == "Things: qbab"
        assert titles["things/Q102"] == "Things: einzig"

    def test_a_language_has_the_levels_in_which_it_names_enough_items(self, tmp_path):
        more = "".join(f'\nwd:Q{n} rdfs:label "{word(f"Q{n}")}"@la .' for n in (1, 2, 3, 4))
        content, _ = generated(tmp_path, snapshot(tmp_path, INSTRUMENTS, more), "la")
        # Q3 alone of Q102 has a name.
        names = [(each["name"], each["level"], len(each["items"])) for each in content["categories"]]
        assert names == [("things", 0, 4), ("things/Q101", 1, 2)]

    def test_what_is_within_a_category_that_is_left_out_is_left_out(self, tmp_path):
        path = snapshot(tmp_path, INSTRUMENTS)
        with pytest.raises(testgen.LanguageError):
            generated(tmp_path, path, policy=LabelPolicy(minimum_words=7))

    def test_a_word_of_two_items_is_the_same_items_at_every_level(self, tmp_path):
        path = snapshot(tmp_path, INSTRUMENTS)
        # Q1, of no class, has the name of Q5.
        path.write_text(path.read_text().replace('"qb"@en', '"qf"@en'))
        content, _ = generated(tmp_path, path)
        items = {each["name"]: {item["id"] for item in each["items"]} for each in content["categories"]}
        assert "Q5" not in items["things"]
        for each in content["categories"][1:]:
            assert items[each["name"]] <= items[each["within"]]

    def test_without_levels_nothing_is_said_of_them(self, tmp_path):
        content, _ = generated(tmp_path, snapshot(tmp_path, INSTRUMENTS), minimum_items=None)
        assert "hierarchy" not in content
        assert [each.keys() for each in content["categories"]] == [
            {"name", "title", "topic", "query", "sha256", "items"}
        ]

    def test_the_same_bytes_every_time(self, tmp_path):
        path = snapshot(tmp_path, INSTRUMENTS)
        generated(tmp_path, path)
        first = files(tmp_path / "out")
        lines = path.read_text().split("\n")
        path.write_text("\n".join([*lines[:3], *reversed(lines[3:])]))
        generated(tmp_path, path)
        again = files(tmp_path / "out")
        sources = [json.loads(each["en.json"])["source"]["sha256"] for each in (first, again)]
        assert first["en.json"].replace(sources[0].encode(), b"") == again["en.json"].replace(
            sources[1].encode(), b""
        )

    @pytest.mark.parametrize("few", [1, 0, -3])
    def test_one_item_belongs_to_nothing(self, tmp_path, few):
        path = snapshot(tmp_path, INSTRUMENTS)
        with pytest.raises(PolicyError, match="2 or more"):
            generated(tmp_path, path, minimum_items=few)
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"level": 1},
            {"level": 1, "within": "things"},
            {"level": 0, "within": "things", "class": "Q1"},
            {"within": "things", "class": "Q1"},
            {"level": 1, "within": "things", "class": "1"},
        ],
    )
    def test_the_schema_knows_what_goes_together(self, tmp_path, wrong):
        content, _ = generated(tmp_path, snapshot(tmp_path, INSTRUMENTS), minimum_items=None)
        content["categories"][0].update(wrong)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(content, SCHEMA)


def entities():
    """The graph as entities of Wikidata's API."""
    made = {}
    for subject, property_, of in triples(INSTRUMENTS):
        for each in (subject, of):
            labels = {"en": {"language": "en", "value": word(each)}}
            made.setdefault(each, {"type": "item", "id": each, "labels": labels, "descriptions": {},
                                   "aliases": {}, "claims": {}, "sitelinks": {}})  # fmt: skip
        claims = made[subject]["claims"].setdefault(property_, [])
        claims.append(statement(subject, property_, of))
    return made


@pytest.fixture
def servers():
    made = entities()
    with SparqlServer(store_from_entities(made.values())) as sparql, EntityServer(made) as api:
        yield sparql, api


@pytest.fixture
def cache(tmp_path, monkeypatch):
    stop_clock(monkeypatch)
    with open_cache(tmp_path / "cache") as opened:
        yield opened


class TestServers:
    def written(self, tmp_path, source, name):
        queries = [things(tmp_path, BELOW), class_query("Q102")]
        generate(
            tmp_path / name,
            TestSetRequest(["en"], categories=queries, policy=POLICY, minimum_items=2),
            source=source,
        )
        return json.loads((tmp_path / name / "en.json").read_text(encoding="utf-8"))

    def test_the_same_from_every_source(self, servers, cache, tmp_path):
        sparql, api = servers
        sources = [
            wikidata_source(cache, sparql.url, api.url),
            endpoint_source(cache, sparql.url),
            RdfSource(snapshot(tmp_path, INSTRUMENTS)),
        ]
        made = [self.written(tmp_path, source, f"s{number}") for number, source in enumerate(sources)]
        assert len(made[0]["categories"]) == 5
        for each in made:
            del each["source"]
        assert made[0] == made[1] == made[2]

    def test_a_snapshot_of_it_gives_the_same_bytes(self, servers, cache, tmp_path):
        sparql, api = servers
        queries, source = [things(tmp_path, BELOW)], wikidata_source(cache, sparql.url, api.url)
        path = tmp_path / "frozen.jsonl.gz"
        assert creation.create(path, queries, source, hierarchy=True) == {}
        for name, asked in (("a", source), ("b", path)):
            generate(
                tmp_path / name,
                TestSetRequest(categories=queries, policy=POLICY, minimum_items=2),
                source=asked,
            )
        assert b'"level": 2' in files(tmp_path / "a")["en.json"]
        assert files(tmp_path / "a") == files(tmp_path / "b")

    def test_one_request_more_for_each_category(self, servers, cache, tmp_path):
        sparql, api = servers
        source = wikidata_source(cache, sparql.url, api.url)
        self.written(tmp_path, source, "a")
        # Q102 has two items: no class within it could hold two and not all of them.
        assert [request.method for request in sparql.log] == ["POST"] * 3
        assert len(api.log) == 1
        self.written(tmp_path, source, "b")
        assert len(sparql.log) + len(api.log) == 4
        assert files(tmp_path / "a") == files(tmp_path / "b")

    def test_what_is_asked_without_levels_is_the_same_as_ever(self, servers, cache, tmp_path):
        sparql, api = servers
        source = wikidata_source(cache, sparql.url, api.url)
        generate(
            tmp_path / "a",
            TestSetRequest(["en"], categories=[things(tmp_path, BELOW)], policy=POLICY),
            source=source,
        )
        assert (len(sparql.log), len(api.log)) == (1, 1)

    def test_offline(self, servers, cache, tmp_path):
        sparql, api = servers
        generate(
            tmp_path / "a",
            TestSetRequest(["en"], categories=[things(tmp_path, BELOW)], policy=POLICY),
            source=wikidata_source(cache, sparql.url, api.url),
        )
        cache.close()
        with open_cache(tmp_path / "cache", offline=True) as offline:
            source = wikidata_source(offline, sparql.url, api.url)
            request = TestSetRequest(
                ["en"], categories=[things(tmp_path, BELOW)], policy=POLICY, minimum_items=2
            )
            frame = generate(tmp_path / "b", request, source=source)
        assert "is not in the cache" in frame.attrs["failed"]["things (hierarchy)"]

    def test_a_category_stays_when_its_levels_fail(self, servers, cache, tmp_path):
        def above(request):
            return "?property" in request.query

        queries = [things(tmp_path, BELOW)]
        with FaultProxy(servers[0].url, always(faults.QUERY_TIMEOUT, above)) as proxy:
            source = endpoint_source(cache, proxy.url)
            request = TestSetRequest(["en"], categories=queries, policy=POLICY, minimum_items=2)
            frame = generate(tmp_path / "a", request, source=source)
            assert len([each for each in proxy.log if above(each)]) == 1  # not asked again unchanged
        assert list(frame.attrs["failed"]) == ["things (hierarchy)"]
        assert frame["name"].tolist() == ["things"]


class TestCommandLine:
    @pytest.fixture
    def run(self, command):
        def run(*arguments):
            code, out, err = command(*arguments)
            assert code == 0, err
            return out

        return run

    def test_generate(self, run, tmp_path):
        path = snapshot(tmp_path, INSTRUMENTS)
        things(tmp_path, BELOW)
        asked = [
            "generate",
            "-l",
            "en",
            "--category",
            tmp_path / "things.rq",
            "--source",
            path,
            "-o",
            tmp_path,
        ]
        out = run(*asked, "--hierarchy")
        assert out.splitlines()[0].split() == ["language", "categories", "words", "relations", "pairs",
                                               "levels", "file"]  # fmt: skip
        assert out.splitlines()[1].split()[:6] == ["en", "1", "6", "0", "0", "3"]
        assert out.endswith("Categories: 1. Relations: 0. Levels: 3.\n")
        assert "Levels: 1." in run(*asked, "--hierarchy", "--minimum-items", "3")
        assert "evels" not in run(*asked)

    def test_the_requests_for_levels(self, run, servers, cache, tmp_path, monkeypatch):
        cache.close()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
        things(tmp_path, BELOW)
        asked = ["generate", "-l", "en", "--category", tmp_path / "things.rq", "--source", servers[0].url,
                 "--minimum-words", "1", "-o", tmp_path]  # fmt: skip
        assert "At least 1 requests" in run(*asked, "--dry-run", "--hierarchy")
        run(*asked)
        shown = run(*asked, "--dry-run", "--hierarchy").splitlines()
        assert (shown[0], shown[-1][:10]) == ("query things (hierarchy): 1 request", "At least 1")
        run(*asked, "--hierarchy")
        assert run(*asked, "--dry-run", "--hierarchy") == "0 requests; none was sent.\n"

    def test_snapshot(self, run, tmp_path):
        path, things_ = snapshot(tmp_path, INSTRUMENTS), things(tmp_path, BELOW)
        made = tmp_path / "made.jsonl"
        run("snapshot", "create", "--hierarchy", "--category", tmp_path / "things.rq", "--source", path,
                 "-o", made)  # fmt: skip
        assert found(made, things_) == found(path, things_)


@pytest.fixture(scope="module")
def real_slice(shared_data):
    return RdfSource(shared_data / "wikidata" / "slice.nt.gz")


@pytest.mark.parametrize("name", ["language", "academic-discipline"])
@pytest.mark.slow
def test_the_real_slice(real_slice, name):
    query = shipped_queries()[name]
    rows, statements = (real_slice.answer(each).rows for each in (query, hierarchy_query(query)))
    made = levels_within(query, rows, statements, 2)
    by_class = {each.class_id: each for each in made}
    assert len(made) > 80
    assert max(each.level for each in made) >= 6
    assert len({each.items for each in made}) == len(made)
    for each in made:
        assert (each.within is None) == (each.level == 1)
        if each.within:
            assert each.items < by_class[each.within].items
            assert by_class[each.within].level == each.level - 1


def test_a_query_that_rdflib_does_not_take_has_no_levels_and_the_reason_is_told(tmp_path):
    path = snapshot(tmp_path, INSTRUMENTS)
    query = things(tmp_path, BELOW + ' FILTER ("2000-01-01" ^^ <http://www.w3.org/2001/XMLSchema#date> != 1)')
    asked = TestSetRequest(["en"], categories=[query], minimum_items=2, policy=POLICY)
    frame = generate(tmp_path / "out", asked, source=path)
    assert set(frame["kind"]) == {"category"}
    (said,) = frame.attrs["failed"].values()
    assert "its text is SPARQL to engines, but not to rdflib" in said
    assert "Expected" in said
