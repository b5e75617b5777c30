"""Wordnets, as the library wn reads them."""

from __future__ import annotations

import pytest

from testgen.errors import TestSetError
from testgen.exports.wn_lmf import export_wn_lmf
from tests.testgen.exports.made import content, section, written

wn = pytest.importorskip("wn")

LATIN = [
    section("bird", ["aquila", "corvus,corax"]),
    section("fish", ["corax", "rana & <co>"], named_in=None),
]


def relation(name, items, pairs, **more):
    made = section(name, items, **more)
    return made | {"pairs": [{"item": f"Q{name}-{a}", "of": f"Q{name}-{b}"} for a, b in pairs]}


@pytest.fixture
def add(tmp_path, monkeypatch):
    """Adds the wordnets of test sets to an empty database of wn; gives what the export says."""
    monkeypatch.setattr(wn.config, "data_directory", tmp_path / "wn")

    def added(*contents):
        frame = export_wn_lmf(written(tmp_path, *contents), tmp_path / "out")
        wn.add(tmp_path / "out" / "wordnet.xml", progress_handler=None)
        return frame

    yield added
    wn.reset_database()


def test_wn_finds_items_words_categories_and_pairs(add):
    capitals = relation("capital", ["Roma", "Italia"], [("Roma", "Italia")])
    frame = add(content("la", LATIN, [capitals]), content("te", [section("bird", ["డేగ"])]))
    assert frame.to_dict("records") == [
        {"language": "la", "words": 6, "synsets": 6, "relations": 1, "left_out": 0},
        {"language": "te", "words": 1, "synsets": 1, "relations": 0, "left_out": 0},
    ]
    assert {each.id: each.language for each in wn.lexicons()} == {"testgen-la": "la", "testgen-te": "te"}
    raven = wn.synset("testgen-la-Qbird-corvus.2c.corax")
    assert raven.lemmas() == ["corvus", "corax"]  # the usual one first
    assert raven.metadata() == {"identifier": "Qbird-corvus,corax", "subject": "bird"}
    assert len(wn.synsets("corax")) == 2
    assert wn.words("rana & <co>")[0].pos == "u"
    assert [each.lemmas() for each in wn.synset("testgen-la-Qcapital-Roma").get_related("other")] == [
        ["Italia"]
    ]


def test_wn_finds_nothing_wrong(add, tmp_path):
    from wn import lmf, validate

    add(content("la", LATIN, [relation("capital", ["Roma", "Italia"], [("Roma", "Italia")])]))
    (lexicon,) = lmf.load(tmp_path / "out" / "wordnet.xml", progress_handler=None)["lexicons"]
    relations = (each for synset in lexicon["synsets"] for each in synset.get("relations", ()))
    named = [each["meta"]["type"] for each in relations]
    assert named == ["capital"]
    found = validate.validate(lexicon, progress_handler=None)
    assert {code: each["items"] for code, each in found.items() if each["items"]} == {}


def test_an_item_is_one_synset_in_whatever_categories_and_relations(add):
    pair = relation("pair", ["Roma", "Italia"], [("Roma", "Italia")])
    same = section("town", ["Roma"]) | {"items": [{"id": "Qpair-Roma", "words": ["urbs"], "from": "label"}]}
    add(content("la", [same, same | {"name": "see"}], [pair]))
    rome = wn.synset("testgen-la-Qpair-Roma")
    assert rome.lemmas() == ["urbs", "Roma"]
    assert rome.metadata()["subject"] == "town; see"


def test_words_of_another_language_are_left_out(add):
    lent = section("fish", ["salmo"], named_in="it")
    frame = add(content("la", [section("bird", ["aquila"]), lent], named_in="it"))
    assert frame["left_out"].tolist() == [1]
    assert [each.lemma() for each in wn.words()] == ["aquila"]
    with pytest.raises(TestSetError, match="of other languages"):
        add(content("la", [lent], named_in="it"))


def test_licence_and_version_are_those_of_the_source(add):
    dated = {"kind": "snapshot", "name": "core", "date": "2026-05-01", "sha256": "ab" * 32}
    add(content("la", LATIN, source=dated | {"license": "https://creativecommons.org/licenses/by/4.0/"}))
    (lexicon,) = wn.lexicons()
    assert lexicon.license == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert lexicon.version.startswith("2026-05-01-")
    assert "core of 2026-05-01" in lexicon.citation
