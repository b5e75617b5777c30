"""Bilingual dictionaries: what is in them, how they are split, and the files they become."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import testgen
from testgen import Dictionary, LabelPolicy, LanguageError, OutputError, PolicyError, QueryError
from testgen.generation.dictionaries import Entry
from testgen.queries import shipped_queries
from testgen.sources import Provenance

SCHEMA = json.loads(
    (Path(testgen.__file__).parent / "generation" / "dictionary.v1.schema.json").read_text(encoding="utf-8")
)
POLICY = LabelPolicy(minimum_words=2)


def written(output, *languages, policy=POLICY, source, **options):
    return testgen.write_dictionaries(
        output,
        testgen.TestSetRequest(languages, categories=["country"], policy=policy),
        source=source,
        **options,
    )


def read(path):
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    jsonschema.validate(content, SCHEMA)
    return content


def test_items_with_words_in_both_languages(small, tmp_path):
    testgen.write_dictionaries(
        tmp_path / "la-ru.txt",
        testgen.TestSetRequest(["la"], categories=["country"], policy=POLICY),
        ["ru"],
        source=small,
    )
    content = read(tmp_path / "la-ru.json")
    (country,) = content["categories"]
    assert {each["id"]: (each["words"], each["translations"]) for each in country["items"]} == {
        "Q38": (["Italia"], ["Италия"]),
        "Q142": (["Gallia"], ["Франция"]),
    }
    assert (content["language"], content["target"], content["policy"]["minimum_words"]) == ("la", "ru", 2)
    assert content["source"]["name"] == "small"
    assert (tmp_path / "la-ru.txt").read_text(encoding="utf-8") == "Italia Италия\nGallia Франция\n"


def test_all_words_of_an_item_translate_each_other(small, tmp_path):
    policy = LabelPolicy(minimum_words=2, aliases=True, several_words="keep")
    written(tmp_path, "la", "en", policy=policy, source=small)
    lines = (tmp_path / "la-en.txt").read_text(encoding="utf-8").splitlines()
    assert {"Gallia France", "Francia France", "Civitates_Foederatae United_States"} <= set(lines)
    (country,) = read(tmp_path / "la-en.json")["categories"]
    assert ["Civitates Foederatae"] in [each["words"] for each in country["items"]]


def test_all_pairs_of_languages_in_one_pass(small, tmp_path):
    frame = written(tmp_path / "all", "la", "en", "ru", source=small)
    assert list(zip(frame["language"], frame["target"], strict=True)) == [
        *(("la", "en"), ("la", "ru"), ("en", "la")),
        *(("en", "ru"), ("ru", "la"), ("ru", "en")),
    ]
    assert len(list((tmp_path / "all").iterdir())) == 6 * 4
    there, back = (
        [line.split() for line in (tmp_path / f"all/{name}.txt").read_text(encoding="utf-8").splitlines()]
        for name in ("la-en", "en-la")
    )
    assert sorted(there) == sorted(pair[::-1] for pair in back)
    assert frame["items"].tolist() == (frame["train"] + frame["test"]).tolist()


def test_the_words_are_those_of_test_sets():
    """In the shipped snapshot, with its own names; the policy is the same code."""
    query = shipped_queries()["country"]
    of = {
        each.language: each
        for each in testgen.build_test_sets(testgen.TestSetRequest(["la", "te"], categories=[query]))
    }
    found = Dictionary.of(of["la"], of["te"], LabelPolicy(), 0.25)
    for entries in found.categories.values():
        for item, entry in entries.items():
            assert entry.words == of["la"].categories[0].words_by_id[item]
            assert entry.translations == of["te"].categories[0].words_by_id[item]
    assert len(found.items()) > 100


def test_an_item_is_in_the_same_split_in_all_pairs_of_languages():
    query = shipped_queries()["country"]
    sets = list(testgen.build_test_sets(testgen.TestSetRequest(["la", "te", "cy", "en"], categories=[query])))
    found = [
        Dictionary.of(one, other, LabelPolicy(), 0.25) for one in sets for other in sets if one is not other
    ]
    of_items: dict[str, set[str]] = {}
    for each in found:
        for item in each.items():
            of_items.setdefault(item, set()).add(each.split(item))
    assert sum(len(splits) > 1 for splits in of_items.values()) <= 2  # those that share a word somewhere
    shares = [len(each.items("test")) / len(each.items()) for each in found]
    assert all(0.15 < share < 0.35 for share in shares)


QUERY = shipped_queries()["country"]
WORDS = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=2, unique=True).map(tuple)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_no_word_to_be_tested_is_in_training(entries, share):
    items = {f"Q{number}": Entry(*entry) for number, entry in enumerate(entries, 1)}
    provenance = Provenance("snapshot", "none", None)
    found = Dictionary("la", "te", provenance, POLICY, share, {QUERY: items})
    train, test = found.pairs("train"), found.pairs("test")
    assert sorted([*train, *test]) == sorted(found.pairs())
    for side in (0, 1):
        assert not {pair[side] for pair in train} & {pair[side] for pair in test}
    assert not (test if share == 0 else train if share == 1 else [])


@pytest.mark.parametrize("name", ["la-en.json", "la-en.txt", "la-en.train.txt", "la-en.test.txt"])
def test_nothing_of_others_is_overwritten(small, tmp_path, name):
    (tmp_path / name).write_text("mine\n")
    with pytest.raises(OutputError, match=rf"{name}: .*did not write it"):
        written(tmp_path, "la", "en", source=small)
    assert [path.name for path in tmp_path.glob("*-*")] == [name]
    written(tmp_path, "la", "en", source=small, force=True)
    written(tmp_path, "la", "en", source=small)  # what testgen wrote is written again


@pytest.mark.parametrize(
    ("languages", "options", "error", "message"),
    [
        (["la"], {}, LanguageError, "two languages"),
        (["la", "la"], {}, LanguageError, "two languages"),
        (["la", "xx"], {}, LanguageError, "unknown language code 'xx'"),
        (["en", "te"], {}, LanguageError, "en-te|te-en"),
        (["en", "non"], {}, LanguageError, r"non \(Old Norse\) has too few words.*; name is \(Icelandic\)"),
        (["la", "en"], {"test_share": 1.5}, PolicyError, "from 0 to 1"),
    ],
)
def test_refusals(languages, options, error, message, small, tmp_path):
    with pytest.raises(error, match=message):
        written(tmp_path, *languages, source=small, **options)


def test_one_file_is_for_one_pair(small, tmp_path):
    with pytest.raises(OutputError, match="2 dictionaries"):
        written(tmp_path / "one.json", "la", "en", source=small)


def test_relations_alone_make_no_dictionary(small, tmp_path):
    with pytest.raises(QueryError, match="name a category"):
        testgen.write_dictionaries(
            tmp_path, testgen.TestSetRequest(["la", "en"], categories=["country-capital"]), source=small
        )


def test_the_command(command, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = "dictionary", "--source", small, "--from", "la", "--to", "en", "-c", "country"
    code, out, err = command(*asked, "-o", "la-en.test.txt")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split()[:4] == ["la", "en", "1", "5"]
    assert sorted(path.name for path in tmp_path.glob("la-*")) == [
        *("la-en.json", "la-en.test.txt", "la-en.train.txt", "la-en.txt")
    ]
    code, out, err = command(*asked, "-c", "river", "--to", "ru", "-o", "some", "--json")
    assert code == 1
    assert [each["target"] for each in json.loads(out)] == ["en"]  # Russian has two of four
    assert "left out la-ru: no category has 4 items" in err
    assert "left out river" in err
