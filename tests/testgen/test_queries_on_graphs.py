"""Every shipped query, on a small graph that says at its top which rows to expect."""

import re
from pathlib import Path

import pyoxigraph
import pytest

from testgen import read_query

ROOT = Path(__file__).resolve().parents[2]
QUERIES = {path.stem: path for path in sorted((ROOT / "queries").glob("**/*.rq"))}
QUERY_FILES = sorted((ROOT / "queries").glob("**/*.rq"))
GRAPHS = {path.stem: path for path in sorted((Path(__file__).parent / "graphs").glob("*.ttl"))}

ENTITY = "http://www.wikidata.org/entity/"
PREFIXES = {
    "dct": "http://purl.org/dc/terms/",
    "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "wd": ENTITY,
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wikibase": "http://wikiba.se/ontology#",
}
GOOGLE_SECTIONS = {
    "gram1-adjective-to-adverb",
    "capital-common-countries",
    "capital-world",
    "currency",
    "city-in-state",
    "family",
    "gram2-opposite",
    "gram3-comparative",
    "gram4-superlative",
    "gram5-present-participle",
    "gram6-nationality-adjective",
    "gram7-past-tense",
    "gram8-plural",
    "gram9-plural-verbs",
}
# What a query of each kind selects, words of its own perhaps, and its order, which leaves nothing open.
FORMS = {
    "category": {"item": "ORDER BY ?item", "item word": "ORDER BY ?item ?word"},
    "relation": {
        "item of": "ORDER BY ?of ?item",
        "item word of": "ORDER BY ?of ?item ?word",
        "item word of ofWord": "ORDER BY ?of ?item ?ofWord ?word",
    },
}
REQUIRED = {"title", "kind", "topic", "summary"}
# Virtuoso 7 answers a zero-or-one path (wdt:P131?) wrongly when it is joined with others.
# It runs out of stack over IN within MINUS.
FORBIDDEN = re.compile(r"\b(SERVICE|WITH|GRAPH|FROM|BASE|RAND|NOW|IN)\b|hint:|bd:|\[|P\d+\?", re.IGNORECASE)


def header(name):
    lines = re.findall(r"^#\+ ([\w-]+): (.+)$", QUERIES[name].read_text("utf-8"), re.MULTILINE)
    assert len(lines) == len(dict(lines)), "a header key stands twice"
    return dict(lines)


def code(name):
    """What is sent."""
    return read_query(QUERIES[name]).narrowed(None).rstrip("\n")


def columns(name):
    """What the query selects, without the question marks."""
    lines = re.findall(r"^SELECT DISTINCT (.+) WHERE \{$", code(name), re.MULTILINE)
    assert len(lines) == 1, "one line has to be SELECT DISTINCT … WHERE {, and nothing else"
    return lines[0].replace("?", "")


def load(name):
    store = pyoxigraph.Store()
    store.load(path=str(GRAPHS[name]), format=pyoxigraph.RdfFormat.TURTLE)
    return store


def expected(name):
    """The rows that the graph asks for: one item a row, or one pair a line."""
    lines = re.findall(r"^# expect: (.+)$", GRAPHS[name].read_text("utf-8"), re.MULTILINE)
    rows = [line.split() for line in lines]
    if header(name)["kind"] == "category":
        return [(item,) for row in rows for item in row]
    return [tuple(row) for row in rows]


def answer(name, store):
    """The ids in the order of the answer; a row that comes again with other words counts once."""
    solutions = store.query(QUERIES[name].read_text("utf-8"))
    ids = [variable for variable in ("item", "of") if variable in columns(name).split()]
    rows = (tuple(row[variable].value.removeprefix(ENTITY) for variable in ids) for row in solutions)
    return list(dict.fromkeys(rows))


def places(store, entities):
    """Where in a triple the entities stand: (predicate, "subject" or "object")."""
    found = set()
    for triple in store:
        if triple.subject in entities:
            found.add((triple.predicate, "subject"))
        if triple.object in entities:
            found.add((triple.predicate, "object"))
    return found


def near_misses(name):
    """Entities that stand where an item stands, and are not in the answer."""
    store = load(name)
    # Q142-P1549 is a text of Q142.
    ids = [re.sub(r"-P\d+$", "", row[0]) for row in expected(name)]
    items = {pyoxigraph.NamedNode(ENTITY + item) for item in ids}
    where = places(store, items)
    subjects = {t.subject for t in store if (t.predicate, "subject") in where}
    objects = {t.object for t in store if (t.predicate, "object") in where}
    return (subjects | objects) - items


def test_there_are_enough_queries():
    kinds = [header(name)["kind"] for name in QUERIES]
    assert kinds.count("category") >= 60
    assert kinds.count("relation") >= 14


def test_a_name_is_used_once():
    assert len(QUERIES) == len(QUERY_FILES)


def test_every_query_has_a_graph_and_every_graph_a_query():
    assert QUERIES.keys() == GRAPHS.keys()


def answer_is_what_the_graph_expects(name):
    assert expected(name), "the graph needs a line `# expect: Q…`"
    assert answer(name, load(name)) == expected(name)


def graph_holds_something_to_leave_out(name):
    assert near_misses(name), "the graph needs an entity that stands where an item stands, and is none"


def header_is_complete_and_agrees_with_file_and_variables(name):
    keys = header(name)
    assert keys.keys() >= REQUIRED
    assert keys.keys() <= REQUIRED | {"about", "also", "core", "everyday", "google", "min-sitelinks"}
    assert keys["topic"] == QUERIES[name].parent.name
    assert QUERIES[name].parent.parent.name == "queries"
    assert columns(name) in FORMS[keys["kind"]]
    solutions = load(name).query(QUERIES[name].read_text("utf-8"))
    assert [variable.value for variable in solutions.variables] == columns(name).split()


def name_and_text_keep_to_the_form(name):
    text = QUERIES[name].read_text("utf-8")
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert text.startswith("#+ ")
    assert text.endswith("\n")
    assert "\t" not in text
    assert text.rstrip().endswith("\n" + FORMS[header(name)["kind"]][columns(name)])


def query_is_portable(name):
    body = code(name)
    assert not FORBIDDEN.search(body)
    declared = dict(re.findall(r"^PREFIX (\w+): <([^>]+)>$", body, re.MULTILINE))
    used = re.findall(r"(\w+):\w", re.sub(r"<[^<>\s]*>", "", body))
    assert declared == {prefix: PREFIXES[prefix] for prefix in set(used)}


def sitelinks_are_filtered_last_and_by_the_number_in_the_header(name):
    number = header(name).get("min-sitelinks")
    optional = "  OPTIONAL { ?item wikibase:sitelinks ?sitelinks }\n"
    clause = f"{optional}  FILTER (!BOUND(?sitelinks) || ?sitelinks >= {number})\n}}\n"
    assert ("?sitelinks" in code(name)) == (number is not None)
    assert number is None or clause in code(name)


def items_that_few_know_are_left_out(name):
    if "min-sitelinks" not in header(name):
        return
    store, number = load(name), int(header(name)["min-sitelinks"])
    item, count = pyoxigraph.NamedNode(ENTITY + expected(name)[0][0]), PREFIXES["wikibase"] + "sitelinks"
    for sitelinks, stays in ((500, True), (number - 1, False)):
        for quad in store.quads_for_pattern(item, pyoxigraph.NamedNode(count), None):
            store.remove(quad)
        store.add(pyoxigraph.Quad(item, pyoxigraph.NamedNode(count), pyoxigraph.Literal(sitelinks)))
        assert (expected(name)[0] in answer(name, store)) == stays


def how_many_there_are_stands_in_the_header_alone(name):
    """Only what is asked language by language has no number: each language has its own."""
    by_language = "#- languages" in QUERIES[name].read_text("utf-8")
    assert ("about" in header(name)) != (by_language or name == "adjective-opposite")
    assert not re.search(r"[,;] (about|roughly|several|a few) [\w,]+\.?$", header(name)["summary"])


def ids_are_well_formed(name):
    body = re.sub(r"<[^<>\s]*>", "", code(name))
    assert all(re.fullmatch(r"Q[1-9]\d*", i) for i in re.findall(r"\bwd:(\w+)", body))
    assert all(re.fullmatch(r"P[1-9]\d*", i) for i in re.findall(r"\bwdt:(\w+)", body))


def test_sections_of_the_google_set_have_one_query_each():
    sections = [header(name)["google"] for name in QUERIES if "google" in header(name)]
    assert sorted(sections) == sorted(GOOGLE_SECTIONS)


def pairs_of_lexemes_are_asked_language_by_language(name):
    pairs = "wikibase:lexicalCategory" in code(name) and header(name)["kind"] == "relation"
    assert ("\n  #- languages\n" in QUERIES[name].read_text("utf-8")) == pairs
    assert ("{ ?language wdt:P424|wdt:P220 ?code }" in code(name)) == pairs


def test_google_sections_are_relations():
    assert {header(n)["kind"] for n in QUERIES if "google" in header(n)} == {"relation"}


def test_family_terms_are_split_into_the_two_halves_of_the_pairs():
    ids = {name: re.findall(r"wd:(Q\d+)", code(f"family-{name}")) for name in ("male", "female")}
    pairs = re.findall(r"\(wd:(Q\d+) wd:(Q\d+)\)", code("family-male-female"))
    assert pairs == list(zip(ids["male"], ids["female"], strict=True))


def test_common_capitals_are_the_same_as_category_and_relation():
    ids = [re.findall(r"wd:(Q\d+)", code(n)) for n in ("common-capital", "common-country-capital")]
    assert ids[0] == ids[1]
    assert len(set(ids[0]) - {"Q3624078"}) == 23


# One test for each query: as a test each, these would take longer to be collected and reported than to run.
RULES = (
    answer_is_what_the_graph_expects,
    graph_holds_something_to_leave_out,
    header_is_complete_and_agrees_with_file_and_variables,
    name_and_text_keep_to_the_form,
    query_is_portable,
    sitelinks_are_filtered_last_and_by_the_number_in_the_header,
    how_many_there_are_stands_in_the_header_alone,
    ids_are_well_formed,
    pairs_of_lexemes_are_asked_language_by_language,
    items_that_few_know_are_left_out,
)


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_keeps_to_the_rules(name):
    for rule in RULES:
        rule(name)
