"""The shipped queries can be read without looking numbers up: comments say what each stands for."""

from __future__ import annotations

import gzip
import re

import pytest

from testgen import shipped_queries

QUERIES = shipped_queries()
# A number as it stands in a query, and the comment at the end of its line.
NUMBER = re.compile(r"\b(?:wdt?|ps?):([QP][0-9]+)")
LABEL = re.compile(
    r"<http://www\.wikidata\.org/entity/([QP][0-9]+)> <http://www\.w3\.org/"
    r'(?:2000/01/rdf-schema#label|2004/02/skos/core#(?:altLabel|prefLabel))> "(.*)"@en \.\n'
)


def labels(text):
    """The number and the label of each item and property of a query, in the order of its lines."""
    for line in text.splitlines():
        code, _, comment = line.partition("  # ")
        found = list(dict.fromkeys(NUMBER.findall(code))) if not line.lstrip().startswith("#") else []
        if found:
            yield from zip(found, comment.split("; "), strict=True)


@pytest.mark.parametrize("query", QUERIES.values(), ids=list(QUERIES))
def test_the_comments_of_a_query(query):
    each_number_has_its_label_at_the_end_of_its_line(query)
    a_minimum_of_sitelinks_says_what_it_leaves_out(query)


def each_number_has_its_label_at_the_end_of_its_line(query):
    """In the order of the line, with `; ` between them; a number that stands twice in a line has one."""
    try:
        found = list(labels(query.text))
    except ValueError as error:
        pytest.fail(f"a line has more numbers than labels, or fewer: {error}")
    assert all(label.strip() for _, label in found)


def test_a_number_has_the_same_label_everywhere():
    found: dict[str, set[str]] = {}
    for query in QUERIES.values():
        for number, label in labels(query.text):
            found.setdefault(number, set()).add(label)
    assert len(found) > 400
    assert {number: several for number, several in found.items() if len(several) > 1} == {}


def a_minimum_of_sitelinks_says_what_it_leaves_out(query):
    lines = query.text.splitlines()
    reasons = [line for line in lines if line.startswith("# Below min-sitelinks: ")]
    assert len(reasons) == (query.minimum_sitelinks is not None)
    assert [line for line in lines if "?links >=" in line and "  # " not in line] == []


@pytest.mark.slow
def test_labels_are_those_of_wikidata(shared_data):
    """Labels or other names of the items that the slice knows; capitals aside."""
    asked = {number: label for query in QUERIES.values() for number, label in labels(query.text)}
    known: dict[str, set[str]] = {}
    with gzip.open(shared_data / "wikidata" / "slice.nt.gz", "rt", encoding="utf-8") as file:
        for number, label in map(re.Match.groups, filter(None, map(LABEL.match, file))):
            if number in asked:
                known.setdefault(number, set()).add(label.casefold())
    assert len(known) > 250
    differing = {number: asked[number] for number in known if asked[number].casefold() not in known[number]}
    assert differing == {}
