"""Files of wiktextract; the entries are made up, in the form of kaikki.org's."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import pytest

import testgen
from testgen import LabelPolicy, SourceError, TestSetRequest
from testgen.snapshots.importers.content import write_import
from testgen.snapshots.importers.wiktextract import read_wiktextract


def entry(word, language="en", pos="noun", senses=(), **more):
    return {"word": word, "lang": "any", "lang_code": language, "pos": pos, "senses": list(senses), **more}


def sense(gloss, *topics, **more):
    return {"glosses": [gloss], "categories": list(topics), **more}


def translation(code, word, meaning="", key="lang_code"):
    return {key: code, "lang": "any", "word": word, "sense": meaning}


DOG = entry(
    "dog",
    senses=[
        sense("A mammal of the family Canidae.", "en:Canids", wikidata=["Q144"]),
        sense("A man, a fellow.", "English slang"),
        sense("A tool that grips.", "en:Tools"),
    ],
    translations=[
        translation("la", "canis", "mammal"),
        translation("cmn", "狗", "mammal", key="code"),
        translation("gem-pro", "*hundaz", "mammal"),
        translation("la", "homo", "fellow"),
        translation("de", "Klaue", "tool that grips"),
        translation("de", "Bock", "support"),
        {"lang_code": "fr", "sense": "mammal", "note": "please add this translation if you can"},
    ],
)
CAT = entry("cat", senses=[sense("A felid.", {"name": "Felids", "orig": "en:Felids", "langcode": "en"})])
CAT["senses"][0]["translations"] = [translation("la", "feles")]
EQUUS = entry("equus", "la", senses=[sense("horse")], categories=["Latin lemmas", "la:Equids", "fr:Equids"])
BOS = entry("bos", "la", senses=[sense("ox"), sense("a kind of fish")], categories=["la:Bovines"])


def written(tmp_path, *entries, name="words.jsonl"):
    path = tmp_path / name
    text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in entries).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def members(found):
    return {category.name: items for category, items in found.members.items()}


@pytest.mark.parametrize("name", ["words.jsonl", "words.jsonl.gz"])
def test_senses_are_items_with_their_words_translations_and_topics(tmp_path, name):
    found = read_wiktextract([written(tmp_path, DOG, CAT, name=name)])
    dog, tool, cat = "Q144", "wiktionary:en:dog:noun:3", "wiktionary:en:cat:noun:1"
    assert found.words == {
        dog: {"en": ["dog"], "la": ["canis"], "zh": ["狗"]},
        tool: {"en": ["dog"], "de": ["Klaue"]},
        cat: {"en": ["cat"], "la": ["feles"]},
    }
    assert members(found) == {"mammal": {dog, cat}, "tool": {tool}}
    assert found.unknown_languages == {"gem-pro"}
    assert found.unplaced == 1  # of which sense "support" is, nobody says


def test_topics_of_a_whole_entry_are_those_of_its_only_sense(tmp_path):
    found = read_wiktextract([written(tmp_path, EQUUS, BOS)])
    whole = "wiktionary:la:bos:noun"
    assert members(found) == {"mammal": {"wiktionary:la:equus:noun:1", whole}}
    assert found.words[whole] == {"la": ["bos"]}


def test_a_sense_of_any_language_with_the_same_wikidata_id_is_the_same_item(tmp_path):
    latin = entry("canis", "la", senses=[sense("dog", senseid=["la:Q144"])])
    found = read_wiktextract([written(tmp_path, DOG), written(tmp_path, latin, name="la.jsonl")])
    assert found.words["Q144"]["la"] == ["canis"]
    both = entry("molossus", "la", senses=[sense("dog", "la:Canids", wikidata=["Q144", "Q1"])])
    found = read_wiktextract([written(tmp_path, both)])
    assert list(found.words) == ["wiktionary:la:molossus:noun:1"]  # two ids are no id


@pytest.mark.parametrize(
    "left_out",
    [
        entry("dogs", senses=[sense("plural of dog", "en:Canids", form_of=[{"word": "dog"}])]),
        entry("dogge", senses=[sense("old spelling", "en:Canids", alt_of=[{"word": "dog"}])]),
        entry("cur", senses=[sense("a dog", "en:Canids", tags=["derogatory"])]),
        entry("doggedly", pos="adv", senses=[sense("like a dog", "en:Canids")]),
        entry("Canis", "mul", senses=[sense("a genus", "mul:Canids", wikidata=["Q149892"])]),
        entry("hunt", pos="verb", senses=[sense("to find and kill", wikidata=["Q36963"])]),
        entry("thing", senses=[sense("anything", "English lemmas")]),
        {"title": "hound dog", "redirect": "dog"},
    ],
)
def test_what_is_no_word_of_a_thing_is_left_out(tmp_path, left_out):
    found = read_wiktextract([written(tmp_path, left_out, CAT)])
    assert found.words.keys() == {"wiktionary:en:cat:noun:1"}
    assert found.ignored == 0


def lots(topic, number=10, pos="noun"):
    return [entry(f"w{each}{pos}", "la", pos, [sense("x", topic)]) for each in range(number)]


def test_topics_with_enough_words_are_categories_of_their_own(tmp_path):
    given = [*lots("la:Auguries & Rites"), *lots("la:Cooking", 9), *lots("la:Rivers of Gaul")]
    given += [*lots("la:Tools", 2), *lots("la:Colors", pos="adj")]
    found = read_wiktextract([written(tmp_path, *given)])
    assert {category.name: category.title for category in found.members} == {
        "auguries-rites": "Auguries & Rites",
        "tool": None,
        "colors-adjectives": "Colors (adjectives)",
    }
    assert {len(items) for items in members(found).values()} == {10, 2}


def test_older_files_name_topics_without_the_language(tmp_path):
    old = entry("aquila", "la", senses=[sense("eagle", "Birds", "Latin lemmas", "Cooking")])
    assert members(read_wiktextract([written(tmp_path, old)])).keys() == {"bird"}


def test_any_word_makes_an_id_that_test_sets_can_hold(tmp_path):
    words = ["a~b", "ice cream", "犬", "O'Brien", "a/b:c"]
    given = [entry(word, senses=[sense("x", "en:Tools")], etymology_number=2) for word in words]
    path = tmp_path / "made.ttl"
    write_import(path, read_wiktextract([written(tmp_path, *given)]))
    request = TestSetRequest(["en"], ["tool"], policy=LabelPolicy(several_words="keep", any_script=True))
    (made,) = testgen.build_test_sets(request, source=path)
    (tools,) = made.categories
    assert {item.id.split(":")[2]: item.words for item in tools.items} == {
        "a%7Eb": ("a~b",),
        "ice%20cream": ("ice cream",),
        "%E7%8A%AC": ("犬",),
        "O%27Brien": ("O'Brien",),
        "a%2Fb%3Ac": ("a", "b:c"),
    }


def test_an_item_of_wikidata_is_named_in_another_snapshot(tmp_path):
    """Which category it belongs to, only the other one says."""
    named = [translation("peo", "daraniya")]
    gold = entry("gold", senses=[sense("A metal.", wikidata=["Q897"])], translations=named)
    names = tmp_path / "names.ttl"
    write_import(names, read_wiktextract([written(tmp_path, gold)]))
    graph = tmp_path / "metals.ttl"
    graph.write_text(
        "@prefix wd: <http://www.wikidata.org/entity/> .\n"
        "@prefix wdt: <http://www.wikidata.org/prop/direct/> .\n"
        "wd:Q897 wdt:P31 wd:Q11344 ; wdt:P279 wd:Q11426 .\n",
        encoding="utf-8",
    )
    request = TestSetRequest(["peo"], ["metal"], policy=LabelPolicy(minimum_words=1, any_script=True))
    (made,) = testgen.build_test_sets(request, source=[names, graph])
    assert made.words == {"daraniya"}


@pytest.mark.parametrize(
    ("change", "left_out"),
    [
        (lambda dog: dog["translations"].append(translation(None, "hund")), {"translations.lang_code": 1}),
        (
            lambda dog: dog["translations"].extend([translation(None, "hund", key="code"), 7, None]),
            {"translations.code": 1, "translations": 2},
        ),
        (
            lambda dog: dog["senses"][2].update(glosses=None, tags="slang"),
            {"senses.glosses": 1, "senses.tags": 1},
        ),
        (lambda dog: dog.update(etymology_number=None, wikidata={}), {"etymology_number": 1, "wikidata": 1}),
        (lambda dog: dog["senses"][0]["categories"].append(None), {"senses.categories": 1}),
        (lambda dog: dog["senses"][0]["categories"].append({"orig": 3}), {"senses.categories": 1}),
        (lambda dog: dog.update(head_templates=None, forms=[None]), {}),  # these are not read
    ],
)
def test_a_value_that_is_null_or_unknown_is_left_out_alone(tmp_path, change, left_out):
    whole = read_wiktextract([written(tmp_path, DOG, CAT)])
    dog = json.loads(json.dumps(DOG))
    change(dog)
    found = read_wiktextract([written(tmp_path, dog, CAT)])
    assert found.left_out == left_out
    assert found.ignored == 0
    expected = json.loads(json.dumps(whole.words))
    if "senses.glosses" in left_out:  # by which a translation finds its sense
        del expected["wiktionary:en:dog:noun:3"]["de"]
    assert found.words == expected
    assert members(found) == members(whole)


def test_entries_of_another_edition_are_in_no_category_and_the_reason_is_told(tmp_path, command):
    chien = entry("chien", "fr", pos_title="Nom commun", senses=[sense("Mammifère.", "Animaux en français")])
    path = written(tmp_path, chien)
    code, _, said = command("snapshot", "import", "wiktextract", path, "-o", tmp_path / "o.ttl")
    assert code != 0
    assert (
        "no word in these files belongs to a category that testgen knows: 1 entries name neither topics"
        in said
    )
    path = written(tmp_path, chien, CAT, CAT | {"lang": None, "etymology_number": None})
    code, _, said = command("snapshot", "import", "wiktextract", path, "-o", tmp_path / "o.ttl")
    assert code == 0
    assert "in no category: 1 entries name neither topics" in said
    assert "values left out, as they are null or of no use: etymology_number 1" in said


def test_lines_that_cannot_be_understood_are_counted_and_the_first_is_named(tmp_path):
    path = written(tmp_path, CAT)
    path.write_bytes(path.read_bytes() + b'{"word": "dog", "lang_code\n\n[]\n{"word": 7}\n"dog",\n')
    found = read_wiktextract([path])
    assert (found.ignored, found.first_ignored) == (3, f"{path}, line 2")
    assert found.left_out == {"word": 1}
    assert len(found.items) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"title": "a", "redirect": "b"}\n', r"words\.jsonl: no line is an entry of wiktextract"),
        (b"", r"words\.jsonl: no line is an entry"),
        (b'{"word": "a"}\n{"word": "\xff"}\n', r"words\.jsonl: not UTF-8 at byte 24"),
        (gzip.compress(b'{"word": "a"}\n', mtime=0)[:-8], r"words\.jsonl: .*ended before"),
    ],
    ids=["other", "empty", "encoding", "cut off"],
)
def test_other_files_are_refused(tmp_path, content, message):
    path = tmp_path / "words.jsonl"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message):
        read_wiktextract([path])


def test_a_large_file_takes_no_more_memory_than_what_is_kept(tmp_path):
    long = entry("long", senses=[sense("x" * 2_000, "English lemmas")])
    path = written(tmp_path, *[long] * 5_000, CAT)
    tracemalloc.start()
    read_wiktextract([path])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert path.stat().st_size > 10_000_000
    assert peak < 1_000_000


def test_the_command_says_what_was_made_and_what_was_left_out(tmp_path, command):
    path = written(tmp_path, DOG, CAT)
    path.write_bytes(path.read_bytes() + b"{\n")
    code, out, err = command("snapshot", "import", "wiktextract", path, "-o", tmp_path / "made.ttl.gz")
    assert (code, out.splitlines()) == (
        0,
        [f"{tmp_path / 'made.ttl.gz'}: 3 items with names in 4 languages", "mammal 2, tool 1"],
    )
    assert "codes of no language: gem-pro" in err
    assert "lines left out, since they could not be understood: 1, the first: " in err
    assert "translations left out, as their sense is not certain: 1" in err
