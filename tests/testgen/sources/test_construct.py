"""The statements that a CONSTRUCT query fetches are true, and are enough for the same answer."""

import pyoxigraph
import pytest

from testgen.sources.algebra import construct_query

PREFIXES = (
    "PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: <http://www.wikidata.org/prop/direct/> "
    "PREFIX wikibase: <http://wikiba.se/ontology#> "
)
GRAPH = """\
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
wd:Q1 wdt:P38 wd:Q11 . wd:Q11 wdt:P31 wd:Q21, wd:Q9 . wd:Q21 wdt:P279 wd:Q9 .
wd:Q2 wdt:P38 wd:Q12 . wd:Q12 wdt:P31 wd:Q9 .
wd:Q3 wdt:P38 wd:Q13 ; wdt:P576 "1900" . wd:Q13 wdt:P279 wd:Q12 .
wd:Q9 wdt:P31 wd:Q99 .
"""
WHERE = {
    "ruled out": "?item wdt:P38 ?of MINUS { ?item wdt:P576 ?end }",
    "ruled out by one value": "?item wdt:P38 ?of FILTER NOT EXISTS { ?of wdt:P31 ?k FILTER (?k != wd:Q9) }",
    "optional": "?item wdt:P38 ?of OPTIONAL { ?item wdt:P576 ?end } FILTER (BOUND(?end) || ?of = wd:Q12)",
    "two branches": "{ ?item wdt:P31 wd:Q9 } UNION { ?item wdt:P279/wdt:P31 wd:Q9 }",
    "one step or none": "?of wdt:P38 ?item . ?item wdt:P279? ?up . ?up wdt:P31 wd:Q9",
    "any steps": "?of wdt:P38 ?item . ?item wdt:P31/wdt:P279* wd:Q9",
    # Where the second branch did not match, the clause for its path must not bind ?kind.
    "a path that is ruled out": """
      { ?of wdt:P38/(wdt:P31|wdt:P279) ?item . ?item wdt:P279 wd:Q9 } UNION
      { ?of wdt:P38 ?item MINUS { ?item wdt:P31|wdt:P279 ?kind . ?kind wdt:P279 wd:Q9 } }""",
}


def rows(store, text):
    return {str(solution[0]) for solution in store.query(text)}


@pytest.mark.parametrize("where", WHERE.values(), ids=WHERE)
def test_statements_are_true_and_enough(where):
    whole, part = pyoxigraph.Store(), pyoxigraph.Store()
    whole.load(GRAPH, format=pyoxigraph.RdfFormat.TURTLE)
    select = f"{PREFIXES}SELECT DISTINCT ?item WHERE {{ {where} }}"
    statements = list(whole.query(construct_query(select)))
    assert all(pyoxigraph.Quad(*statement) in whole for statement in statements)
    part.extend(pyoxigraph.Quad(*statement) for statement in statements)
    assert rows(part, select) == rows(whole, select)
    assert rows(whole, select)
    assert len(part) < len(whole)


def test_what_every_row_needs_is_not_looked_up_again():
    text = construct_query(
        f"{PREFIXES}SELECT ?item WHERE {{ ?item wdt:P38 ?of MINUS {{ ?item wdt:P576 ?end }} }}"
    )
    assert text.count("OPTIONAL") == 1
    assert "BIND" not in text


SITELINKS = """\
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
wd:Q1 wdt:P31 wd:Q9 ; wikibase:sitelinks 9 .
wd:Q2 wdt:P31 wd:Q9 ; wikibase:sitelinks 50 .
wd:Q3 wdt:P31 wd:Q9 ; wikibase:sitelinks 20 .
wd:Q4 wdt:P31 wd:Q9 .
"""


def of_class(minimum):
    clause = "OPTIONAL { ?item wikibase:sitelinks ?sitelinks }"
    clause += f" FILTER (!BOUND(?sitelinks) || ?sitelinks >= {minimum})"
    return f"{PREFIXES}SELECT DISTINCT ?item WHERE {{ ?item wdt:P31 wd:Q9 . {clause} }}"


def test_items_with_too_few_sitelinks_are_not_fetched_and_the_others_with_their_number():
    whole, part = pyoxigraph.Store(), pyoxigraph.Store()
    whole.load(SITELINKS, format=pyoxigraph.RdfFormat.TURTLE)
    part.extend(pyoxigraph.Quad(*each) for each in whole.query(construct_query(of_class(20))))
    assert len(part) == 5
    for minimum, items in {20: "234", 50: "24", 51: "4"}.items():
        assert rows(part, of_class(minimum)) == rows(whole, of_class(minimum))
        assert rows(part, of_class(minimum)) == {f"<http://www.wikidata.org/entity/Q{n}>" for n in items}
