"""Which statements of a dump queries require; queries for which this is not known are refused."""

from __future__ import annotations

import pytest

import testgen
from testgen import QueryError, read_query
from testgen.snapshots.dumps.creation import create_from_dumps
from testgen.snapshots.dumps.entities import Entity
from testgen.snapshots.dumps.extraction import StatementFilter
from testgen.snapshots.dumps.required_statements import ALWAYS, Atom, both, either, required_patterns

WD = "http://www.wikidata.org/entity/"


def query(tmp_path, where, select="?item"):
    path = tmp_path / "mine.rq"
    path.write_text(
        "#+ title: T\n#+ kind: category\n#+ topic: t\n#+ summary: s\n"
        "PREFIX wd: <http://www.wikidata.org/entity/>\nPREFIX wdt: <http://www.wikidata.org/prop/direct/>\n"
        "PREFIX p: <http://www.wikidata.org/prop/>\nPREFIX schema: <http://schema.org/>\n"
        f"SELECT DISTINCT {select} WHERE {{ {where} }} ORDER BY ?item\n"
    )
    return read_query(path)


REFUSED = {
    "?item ?p wd:Q5 .": r"\?p is a variable predicate",
    "?x <http://www.wikidata.org/prop/qualifier/P580> ?item .": "asks for <.*qualifier/P580>; from a dump",
    "?item schema:description ?text .": "it asks for <http://schema.org/description>",
    "?item wdt:P279* ?class .": "can have length 0",
    "?item ^wdt:P279 ?class .": "is not supported",
    "?item (wdt:P31/wdt:P279)* wd:Q5 .": "is not supported",
    "?item !wdt:P31 wd:Q5 .": "is not supported",
    "GRAPH <http://g> { ?item wdt:P31 wd:Q5 }": "it uses GRAPH or SERVICE",
}


@pytest.mark.parametrize("where", REFUSED)
def test_queries_that_no_dump_can_answer_are_refused_before_reading(tmp_path, where):
    with pytest.raises(QueryError, match=f"query 'mine' cannot be answered from a dump: .*{REFUSED[where]}"):
        create_from_dumps(tmp_path / "s.ttl", [query(tmp_path, where)], [tmp_path / "not there.json.gz"])


@pytest.mark.slow
@pytest.mark.parametrize("each", testgen.choose(), ids=lambda each: each.name)
def test_all_shipped_queries_can_be_answered(each):
    assert required_patterns([each])


def entity(id_, **statements):
    objects = {predicate: [f"<{WD}Q{value}>" for value in values] for predicate, values in statements.items()}
    return Entity(id_, objects)


def selected(query_, entity_):
    lines = StatementFilter(required_patterns([query_])).select(entity_)
    return sorted({line.split("prop/direct/")[1].split(">")[0] for line in lines})


def test_only_what_can_matter_is_selected():
    country, capital, city, month = testgen.choose(["country", "capital", "us-state-city", "month"])
    assert selected(country, entity("Q1", P31=[3624078, 6256], P576=[1])) == ["P31", "P576"]
    assert selected(country, entity("Q1", P31=[6256], P576=[1])) == []
    assert selected(capital, entity("Q1", P31=[3624078], P36=[2])) == ["P31", "P36"]
    assert selected(capital, entity("Q1", P31=[515])) == []
    assert selected(city, entity("Q1", P31=[515], P131=[2])) == ["P131"]
    assert selected(city, entity("Q1", P31=[515], P131=[2], P1082=[3])) == ["P1082", "P131", "P31"]
    assert selected(month, entity("Q108", P31=[47018901])) == ["P31"]
    assert selected(month, entity("Q5", P31=[47018901])) == []


def test_conditions():
    one, other = (frozenset({frozenset({Atom(frozenset({each}), None)})}) for each in ("P1", "P2"))
    assert both(one, ALWAYS) == one
    assert either(one, ALWAYS) == ALWAYS
    never = frozenset()
    assert either(one, never) == one
    assert both(one, never) == never
    assert len(both(one, other)) == 1
    assert len(either(one, other)) == 2
    many = frozenset(frozenset({Atom(frozenset({f"P{each}"}), None)}) for each in range(40))
    assert both(many, either(one, other)) == either(one, other)


def required(tmp_path, where, predicate):
    (found,) = (each for each in required_patterns([query(tmp_path, where)]) if predicate in each.predicates)
    atoms = {each for conjunction in found.condition for atom in conjunction for each in atom.predicates}
    return found, atoms


def test_a_variable_within_a_negation_is_not_the_one_after_it(tmp_path):
    """MINUS and OPTIONAL are evaluated before the pattern after them binds ?z."""
    _, atoms = required(tmp_path, "?item wdt:P36 ?x . MINUS { ?z wdt:P17 ?x } ?z wdt:P131 wd:Q4 .", "P17")
    assert atoms == {"P17"}
    _, atoms = required(tmp_path, "?item wdt:P36 ?x . OPTIONAL { ?z wdt:P17 ?x } ?z wdt:P131 wd:Q4 .", "P17")
    assert atoms == {"P17"}
    _, atoms = required(tmp_path, "?item wdt:P36 ?x . MINUS { ?item wdt:P17 ?z } ?z wdt:P131 wd:Q4 .", "P17")
    assert atoms == {"P17", "P36"}


@pytest.mark.parametrize("path", ["wdt:P279+", "wdt:P279*", "wdt:P31/wdt:P279*", "wdt:P279/wdt:P31"])
def test_the_inner_steps_of_a_path_require_all_entities(tmp_path, path):
    found, _ = required(tmp_path, f"?item {path} wd:Q3 ; wdt:P36 ?x .", "P279")
    assert found.objects is None
    assert found.condition == ALWAYS or path == "wdt:P279/wdt:P31"
