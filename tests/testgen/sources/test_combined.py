"""Several snapshots as one source, and items that keep the ids of other sources."""

from __future__ import annotations

import json
import re

import pytest

import testgen
from testgen import SourceError, choose, open_source
from testgen.snapshots import comparison, creation
from testgen.sources import Names, RdfSource, id_order
from testgen.sources.base import id_of, iri_of, is_id

OTHER = """\
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
wikibase:Dump schema:name "other" ; schema:license "CC BY" .
wd:Q142 rdfs:label "Francogallia"@la, "Frankrijk"@nl .
wd:Q9001 rdfs:label "Borussia Magna"@la .
<mine:7> wdt:P31 wd:Q3624078 ; rdfs:label "Utopia"@la .
<mine:10> wdt:P31 wd:Q3624078 ; rdfs:label "Atlantis"@la .
"""


@pytest.fixture
def other(tmp_path):
    path = tmp_path / "other.ttl"
    path.write_text(OTHER, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("item", "good"),
    [("Q1", True), ("L7-F2", True), ("omw:02084071-n", True), ("off:en:apple", True)]
    + [(each, False) for each in ("q1", "", "omw:", "http://x", "omw:a b", "omw:a/b", "Omw:1")],
)
def test_which_texts_are_ids(item, good):
    assert is_id(item) == good
    if good:
        assert id_of(iri_of(item)) == item
    else:
        with pytest.raises(ValueError, match=f"^{re.escape(item)}$"):
            id_order(item)


def test_ids_of_other_sources_stand_after_those_of_wikidata_by_number():
    ordered = ["L1", "Q2", "Q10", "mine:x", "mine:7", "mine:10", "omw:01-n"]
    assert sorted(sorted(ordered), key=id_order) == ordered


def test_answers_are_those_of_all_statements(small, other):
    (country,) = choose(["country"])
    both = open_source([small, other]).answer(country).rows
    assert both == [*open_source(small).answer(country).rows, ("mine:7",), ("mine:10",)]


def test_the_first_source_that_names_an_item_gives_the_label(small, other):
    (first,) = open_source([small, other]).names(["Q142"])
    assert first.labels == {"en": "France", "la": "Gallia", "ru": "Франция", "nl": "Frankrijk"}
    assert first.aliases == {"la": ["Francia", "Francogallia"], "de": ["Frankreich"]}
    (second,) = open_source([other, small]).names(["Q142"])
    assert (second.labels["la"], second.aliases["la"]) == ("Francogallia", ["Francia", "Gallia"])
    assert list(open_source([small, other]).names(["mine:7", "Q5"])) == [
        Names("mine:7", {"la": "Utopia"}, {})
    ]


def test_the_origin_names_all_sources(small, other):
    origin = open_source([small, other]).provenance.as_dict()
    parts = [open_source(each).provenance.as_dict() for each in (small, other)]
    parts = [
        part | {"languages": codes}
        for part, codes in zip(parts, (("de", "en", "la", "mul", "ru"), ("la", "nl")), strict=True)
    ]
    assert origin == {"kind": "combined", "name": "small + other", "date": None, "sources": tuple(parts)}
    assert parts[1]["license"] == "CC BY"


@pytest.mark.parametrize(
    ("codes", "kept"),
    [
        (["nl"], [("mul",), ("nl",)]),
        (["la", "de-at"], [("de", "la", "mul"), ("la",)]),
        (["te"], [("mul",), ()]),
    ],
)
def test_the_origin_of_words_tells_of_their_languages(small, other, codes, kept):
    origin = open_source([small, other]).provenance.of_words_in(codes)
    assert [part.languages for part in origin.parts] == kept
    assert open_source(small).provenance.of_words_in(codes) == open_source(small).provenance


def test_one_source_in_a_list_is_that_source(small):
    assert open_source([small]).provenance == open_source(small).provenance


def test_a_snapshot_of_the_union_gives_the_same_test_sets(small, other, tmp_path):
    both, queries = open_source([small, other]), choose(["country"])
    assert creation.create(tmp_path / "both.jsonl", queries, both) == {}
    for name, source in (("live", both), ("frozen", tmp_path / "both.jsonl")):
        testgen.generate(
            tmp_path / name, testgen.TestSetRequest(["la"], categories=["country"]), source=source
        )
    live, frozen = ((tmp_path / each / "la.json").read_text("utf-8") for each in ("live", "frozen"))
    assert live == frozen
    ids = [item["id"] for item in json.loads(live)["categories"][0]["items"]]
    assert ids[-2:] == ["mine:7", "mine:10"]


def test_only_snapshots_are_combined(small):
    with pytest.raises(SourceError, match=r"wikidata: .*snapshots"):
        open_source([small, "wikidata"])


def test_a_file_that_is_wrong_is_named(small, tmp_path):
    empty = tmp_path / "empty.ttl"
    empty.write_text("", encoding="utf-8")
    for path, message in (
        (empty, r"empty\.ttl: the file holds no statements"),
        (tmp_path / "absent.nt", r"absent\.nt: cannot be read"),
        (tmp_path / "x.json", r"x\.json: not a source"),
    ):
        with pytest.raises(SourceError, match=message):
            open_source([small, path])


def test_snapshots_with_ids_of_other_sources_are_compared(small, other, tmp_path):
    changed = tmp_path / "changed.ttl"
    changed.write_text(OTHER.replace("Utopia", "Nusquam"), encoding="utf-8")
    changes = comparison.diff(RdfSource(other), RdfSource(changed), choose(["country"]))
    assert changes[["change", "item", "old", "new"]].values.tolist() == [
        ["renamed", "mine:7", "Utopia", "Nusquam"]
    ]
