"""Reading test set files: what is wrong is said with its place."""

from __future__ import annotations

import json

import pytest

from testgen.errors import TestSetError
from testgen.sources import open_source
from testgen.testset.writing import parse_test_set, read_test_sets
from tests.testgen.exports.made import content, parsed, section, written


def test_what_testgen_writes_is_read(small, tmp_path):
    from hashlib import sha256

    import testgen

    testgen.generate(
        tmp_path,
        testgen.TestSetRequest(["la", "en"], categories=["country", "country-capital"]),
        source=open_source(small),
    )
    english, latin = read_test_sets([tmp_path / "la.json", tmp_path / "en.json"])
    assert (english.language, latin.language) == ("en", "la")
    (country,) = latin.categories
    assert (country.name, country.topic, country.items[0].words) == ("country", "geography", ("Hispania",))
    assert sha256(country.query.encode()).hexdigest() == country.sha256
    assert latin.relations[0].pairs[0].of in {item.id for item in latin.relations[0].items}
    assert latin.source.name == "small"


def changed(change):
    value = content("la", [section("bird", ["aquila", "corvus"])])
    change(value)
    return json.dumps(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"is no test set, or is damaged; name a file that `testgen generate` wrote, such as"),
        (
            "3 2\nrex 0.1 0.2\n",
            r"is no test set, or is damaged; .*, or make it again \(Expected `object`",
        ),
        ('{"format": "testset"', r"again \(Input data was truncated\)"),
        ("{}", '"format" and "version" are not "testset" and 2; is this a test set'),
        ("[]", "Expected `object`, got `array`"),
        (changed(lambda value: value.update(version=1)), '"format" and "version" are not'),
        (changed(lambda value: value.pop("source")), "Object missing required field `source`"),
        (
            changed(lambda value: value["categories"][0]["items"][1].pop("words")),
            r"Object missing required field `words` - at `\$\.categories\[0\]\.items\[1\]`",
        ),
        (
            changed(lambda value: value["categories"][0]["items"][0].update(words=[])),
            r"Expected `array` of length >= 1 - at `\$\.categories\[0\]\.items\[0\]\.words`",
        ),
        (
            changed(
                lambda value: value["relations"].append(
                    section("r", ["a"], pairs=[{"item": "a", "of": "Q1"}])
                )
            ),
            r"the item Q1 of a pair is not among the items - at `\$\.relations\[0\]`",
        ),
        (
            json.dumps({"format": "dictionary", "version": 1}),
            "is a bilingual dictionary.*`evaluator translate`",
        ),
    ],
)
def test_what_is_no_test_set_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(TestSetError, match=message):
        parse_test_set(text)
    path = tmp_path / "some.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TestSetError, match=r"some\.json: "):
        read_test_sets([path])


def test_the_files_are_of_different_languages(tmp_path):
    value = content("la", [section("bird", ["aquila"])])
    (first,), (second,) = written(tmp_path, value), written(tmp_path / "more", value)
    with pytest.raises(TestSetError, match=r"la\.json.*more.la\.json"):
        read_test_sets([first, second])
    assert read_test_sets([first, first]) == [parsed("la", value["categories"])]
    assert read_test_sets(str(first)) == read_test_sets(first) == read_test_sets([first])
    with pytest.raises(TestSetError, match="`testgen generate`"):
        read_test_sets([])
    with pytest.raises(TestSetError, match=r"none\.json: .*No such file"):
        read_test_sets([tmp_path / "none.json"])
