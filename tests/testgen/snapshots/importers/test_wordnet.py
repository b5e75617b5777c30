"""Wordnets: their words by language, and the categories that the English WordNet gives them."""

from __future__ import annotations

import gzip
import json
import os
from datetime import UTC, datetime

import pytest

import testgen
from testgen import SourceError
from testgen.snapshots.importers.content import categories, write_import
from testgen.snapshots.importers.wordnet import read_wordnet
from testgen.sources import RdfSource

# Made up in the form of data.noun: a few synsets with made-up offsets, and real sense keys at the top.
DATA_NOUN = """\
  1 This software and database is being provided to you, the LICENSEE, by
00000100 03 n 03 animal 0 animate_being 0 beast 0 000 | a living organism
00000200 05 n 02 mammal 0 mammalian 0 001 @ 00000100 n 0000 | warm-blooded
00000300 05 n 02 dog 0 domestic_dog 0 002 @ 00000200 n 0000 #m 00000900 n 0000 | it barks
00000400 05 n 01 bird 0 001 @ 00000100 n 0000 | with feathers
00000500 05 n 0a owl 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0 Bird_of_Minerva 1 001 @ 00000400 n 0000 | at dusk
00000600 18 n 01 Argos 0 001 @i 00000300 n 0000 | the dog of Ulysses
00000700 03 n 01 entity 0 000 | that which is
"""
LATIN = """\
# Wiktionary\tlat\thttp://wiktionary.org/\tCC BY-SA
00000200-n\tlat:lemma\tmammale
00000300-n\tlat:lemma\tcanis
00000300-n\tlat:lemma\tcanis_familiaris
00000300-n\tlat:def\t0\tlatrat
00000300-v\tlat:lemma\tsequor
00000500-n\tlemma\tbubo
00000600-n\tlat:lemma\tArgus
00000700-n\tlat:lemma\tens
"""
LMF = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
<Lexicon id="omw-en" label="made up" language="en" email="x@example.org" license="wordnet" version="1">
 <LexicalEntry id="e1"><Lemma writtenForm="animal" partOfSpeech="n"/>
  <Sense id="s1" synset="{0}00000100-n" dc:identifier="animal%1:03:00::"/></LexicalEntry>
 <Synset id="{0}00000100-n" ili="i1" partOfSpeech="n"/>
 <Synset id="{0}00000300-n" ili="i3" partOfSpeech="n">
  <SynsetRelation relType="hypernym" target="{0}00000100-n"/>
  <SynsetRelation relType="mero_part" target="{0}00000700-n"/></Synset>
</Lexicon></LexicalResource>
"""
YAML = """\
05555555-n:
  definition:
  - it barks
  ili: i3
  partOfSpeech: n
  wikidata: Q144
06666666-n:
  ili: i5
  wikidata:
  - Q1
  - Q2
"""


@pytest.fixture
def make(tmp_path):
    """Writes a file and gives its path."""

    def write(name, text):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


@pytest.fixture
def latin(make):
    return make("wn-wikt-lat.tab", LATIN)


@pytest.fixture
def english(make):
    return make("data.noun", DATA_NOUN)


def members(found):
    return {category.name: found.named(category) for category in found.members if found.named(category)}


def test_words_and_categories(latin, english):
    found = read_wordnet([latin], [english])
    assert members(found) == {
        "animal": {"omw:00000200-n", "omw:00000300-n", "omw:00000500-n"},
        "mammal": {"omw:00000300-n"},
        "bird": {"omw:00000500-n"},
    }
    assert found.words["omw:00000300-n"] == {"la": ["canis", "canis familiaris"]}
    assert (found.license, found.ignored) == ("CC BY-SA (Wiktionary)", 0)


def test_codes_of_wiktionary_have_a_star(make, english):
    files = [make(f"{code}.tab", LATIN.replace("lat", f"*{code}")) for code in ("zlw-opl", "h")]
    found = read_wordnet(files, [english])
    assert (found.languages, found.unknown_languages) == ({"zlw-x-opl"}, {"*h"})


def test_another_version_of_wordnet_is_refused(make, latin):
    first, *rest = DATA_NOUN.splitlines(keepends=True)
    licence = "  14 WordNet {} Copyright 2011 by Princeton University.  All rights reserved.  \n"
    with pytest.raises(SourceError, match=r"data\.noun, line 2: this is WordNet 3\.1.* give its data\.noun"):
        read_wordnet([latin], [make("data.noun", first + licence.format("3.1") + "".join(rest))])
    found = read_wordnet([latin], [make("data.noun", first + licence.format("3.0") + "".join(rest))])
    assert len(found.items) == 3


def test_a_gap_is_no_word(make, latin, english):
    gaps = "# MultiWordNet\tlat\thttp://x\tCC BY\n00000300-n\tlemma\tGAP!\n00000500-n\tlemma\tPSEUDOGAP!\n"
    found = read_wordnet([make("gap.tab", gaps), latin], [english])
    assert found.words["omw:00000300-n"] == {"la": ["canis", "canis familiaris"]}
    assert read_wordnet([make("gap.tab", gaps)], [english]).words == {}
    assert found.ignored == 0


def test_the_words_of_the_first_file_of_a_language_stand_first(make, latin, english):
    better = make("wn-data-lat.tab", "# Latin\tlat\thttp://x\tCC BY\n00000300-n\tlemma\tcatellus\n")
    found = read_wordnet([better, latin], [english])
    assert found.words["omw:00000300-n"] == {"la": ["catellus", "canis", "canis familiaris"]}
    assert found.license == "CC BY (Latin); CC BY-SA (Wiktionary)"


@pytest.mark.parametrize(("iso", "code"), [("als", "sq"), ("cmn", "zh"), ("nob", "nb"), ("arb", "ar")])
def test_languages_have_codes_of_iso_639_3(make, english, iso, code):
    path = make(f"wn-data-{iso}.tab", f"# x\t{iso}\thttp://x\tCC BY\n00000300-n\t{iso}:lemma\tverbum\n")
    assert read_wordnet([path], [english]).languages == {code}


def test_the_header_may_begin_with_several_signs(make, english):
    path = make("x.tab", "## x\tlat\thttp://x\tCC BY\n00000300-n\tlemma\tcanis\t7\n")
    assert read_wordnet([path], [english]).license == "CC BY (x)"


def test_a_language_that_wikidata_does_not_have_is_left_out(make, latin, english):
    path = make("wn-wikt-Xh.tab", LATIN.replace("lat", "Xh"))
    found = read_wordnet([latin, path], [english])
    assert (found.unknown_languages, found.languages) == ({"Xh"}, {"la"})


def test_lines_that_are_not_understood_are_counted(make, english):
    found = read_wordnet([make("x.tab", LATIN + "nonsense\n\n# comment\n00000300\tlemma\tx\n")], [english])
    assert found.ignored == 2


def test_lmf_gives_the_same_as_data_noun(make, latin):
    for name in ("omw-en.xml", "omw-en.xml.gz"):
        found = read_wordnet([latin], [make(name, LMF.format("omw-en-"))])
        assert members(found) == {"animal": {"omw:00000300-n"}}


def test_wikidata_ids_are_joined_by_the_ili(make, latin, english):
    ili_map = make("ili-map-pwn30.tab", "i1\t00000100-n\ni3\t00000300-n\ni5\t00000500-n\n")
    found = read_wordnet([latin], [english, ili_map, make("noun.animal.yaml", YAML)])
    assert members(found)["animal"] == {"omw:00000200-n", "Q144", "omw:00000500-n"}
    assert found.words["Q144"]["la"][0] == "canis"


def test_another_version_of_the_english_wordnet_is_joined_by_the_ili(make, latin):
    """Its synsets have numbers of their own, which may be those of other synsets in WordNet 3.0."""
    other = LMF.format("oewn-").replace("00000300-n", "00000500-n")
    ili_map = make("ili-map-pwn30.tab", "i1\t00000100-n\ni3\t00000300-n\n")
    assert members(read_wordnet([latin], [make("oewn.xml", other), ili_map])) == {
        "animal": {"omw:00000300-n"}
    }


def test_an_item_that_two_synsets_claim_is_the_item_of_neither(make, latin, english):
    ili_map = make("ili-map-pwn30.tab", "i3\t00000300-n\ni5\t00000500-n\n")
    twice = YAML.split("06666666")[0] + "06666666-n:\n  ili: i5\n  wikidata: Q144\n"
    found = read_wordnet([latin], [english, ili_map, make("noun.x.yaml", twice)])
    assert members(found)["mammal"] == {"omw:00000300-n"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("data.noun", "nothing\n", "not a file of the English WordNet"),
        ("ili-map-pwn30.tab", "i3\t00000300-n\n", "--english data.noun"),
        ("omw-en.xml", "<LexicalResource>", "not XML, or cut off"),
        ("noun.yaml", "a: b\n", "no synsets"),
        ("data.noun", "  1 licence\n00000700 03 n 01 entity 0 000 | x\n", "--english data.noun"),
    ],
)
def test_what_is_wrong_with_the_english_wordnet(make, latin, name, text, message):
    with pytest.raises(SourceError, match=message):
        read_wordnet([latin], [make(name, text)])


@pytest.mark.parametrize("text", ["", "00000300-n\tlemma\tcanis\n", "# only a name\n", "\ufeff{}"])
def test_a_file_of_another_kind_is_refused(make, english, text):
    with pytest.raises(SourceError, match="tab file of the Open Multilingual Wordnet"):
        read_wordnet([make("x.tab", text)], [english])


def test_files_that_cannot_be_read(make, english, tmp_path):
    with pytest.raises(SourceError, match=r"absent\.tab: .*No such file"):
        read_wordnet([tmp_path / "absent.tab"], [english])
    bad = tmp_path / "bad.tab"
    bad.write_bytes(b"# \xff\n")
    with pytest.raises(SourceError, match=r"bad\.tab: .*byte 2"):
        read_wordnet([bad], [english])


def test_a_circle_of_hypernyms_ends(make, latin):
    text = DATA_NOUN.replace("beast 0 000 |", "beast 0 001 @ 00000300 n 0000 |")
    found = read_wordnet([latin], [make("data.noun", text)])
    assert "omw:00000300-n" in members(found)["animal"]


def test_the_snapshot_makes_test_sets(latin, english, tmp_path):
    path, day = tmp_path / "latin.ttl.gz", datetime(2013, 8, 1, tzinfo=UTC).timestamp()
    for each in (latin, english):
        os.utime(each, (day, day))
    write_import(path, read_wordnet([latin], [english]))
    again = tmp_path / "again.ttl.gz"
    write_import(again, read_wordnet([latin], [english]))
    assert path.read_bytes() == again.read_bytes()
    provenance = RdfSource(path).provenance
    assert (provenance.name, provenance.date) == ("Open Multilingual Wordnet", "2013-08-01")
    assert provenance.license == "CC BY-SA (Wiktionary)"
    policy = testgen.LabelPolicy(minimum_words=2)
    testgen.generate(
        tmp_path / "sets", testgen.TestSetRequest(["la"], policy=policy, minimum_items=2), source=path
    )
    made = json.loads((tmp_path / "sets" / "la.json").read_text(encoding="utf-8"))
    assert made["source"]["license"] == "CC BY-SA (Wiktionary)"
    words = {each["name"]: {i["id"]: i["words"] for i in each["items"]} for each in made["categories"]}
    assert words["animal"] == {
        "omw:00000200-n": ["mammale"],
        "omw:00000300-n": ["canis"],
        "omw:00000500-n": ["bubo"],
    }


def test_pairs_of_class_and_of_parts(make, tmp_path):
    """A class has the words of its synset; parts are stated on either side."""
    lines = DATA_NOUN + (
        "00001000 08 n 01 body_part 0 000 | any part of an organism\n"
        "00001100 08 n 01 wing 0 002 @ 00001000 n 0000 #p 00000400 n 0000 | for flying\n"
        "00001200 08 n 01 beak 0 001 @ 00001000 n 0000 | of birds\n"
        "00001300 05 n 01 raven 0 002 @ 00000400 n 0000 %p 00001200 n 0000 | black\n"
    )
    words = LATIN + "".join(
        f"0000{number}-n\tlat:lemma\t{word}\n"
        for number, word in (
            ("0100", "animal"), ("0400", "avis"), ("1100", "ala"), ("1200", "rostrum"), ("1300", "corvus")
        )
    )  # fmt: skip
    found = read_wordnet([make("lat.tab", words)], [make("data.noun", lines)])
    assert (found.words["Q729"], found.words["Q5113"]) == ({"la": ["animal"]}, {"la": ["avis"]})
    write_import(tmp_path / "w.ttl", found)
    asked = testgen.TestSetRequest(
        ["la"], ["thing-class", "part-whole"], policy=testgen.LabelPolicy(minimum_words=1)
    )
    (made,) = testgen.build_test_sets(asked, source=tmp_path / "w.ttl")
    pairs = {
        each.name: {(each.words_by_id[p.item][0], each.words_by_id[p.of][0]) for p in each.pairs}
        for each in made.relations
    }
    assert pairs["part-whole"] == {("ala", "avis"), ("rostrum", "corvus")}
    assert {("canis", "animal"), ("bubo", "avis"), ("corvus", "animal")} <= pairs["thing-class"]


def test_every_root_of_the_table_is_a_sense_key():
    for category in categories().values():
        for key in category.wordnet:
            lemma, _, numbers = key.partition("%")
            assert lemma == lemma.lower()
            assert len(numbers.split(":")) == 3
