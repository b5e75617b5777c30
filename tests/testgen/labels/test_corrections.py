"""Items that are left out, and words that are used in place of those of the source."""

import hashlib
import json

import pytest

import testgen
from testgen.labels.corrections import Corrections
from testgen.labels.word_store import ItemWords

TABLE = "# of my field\nQ142\tla\tGalliae\nQ142\tla\tFrancia\nQ183\tla\t\nQ29\t*\tespania\nQ38\t*\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "corrections.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def items(folder, language="la"):
    """The items of the countries by id, and the file."""
    content = json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
    return {each["id"]: each for each in content["categories"][0]["items"]}, content


def test_a_test_set_has_the_words_of_the_table_and_says_so(table, tmp_path):
    request = testgen.TestSetRequest(["la", "it"], categories=["country"])
    testgen.generate(tmp_path / "plain", request)
    corrected = testgen.TestSetRequest(
        ["la", "it"], categories=["country"], corrections=Corrections.read(table, ["Q1028"])
    )
    testgen.generate(tmp_path / "mended", corrected)
    (before, plain), (after, content) = items(tmp_path / "plain"), items(tmp_path / "mended")
    assert after["Q142"] == {"id": "Q142", "words": ["Galliae", "Francia"], "from": "correction"}
    assert after["Q29"]["words"] == ["espania"]
    assert before.keys() - after.keys() == {"Q183", "Q38", "Q1028"}
    assert after.keys() <= before.keys()
    others = before.keys() & after.keys() - {"Q142", "Q29"}
    assert [before[each] for each in sorted(others)] == [after[each] for each in sorted(others)]
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    assert content["corrections"] == {
        "without": ["Q1028", "Q38"],
        "name": "corrections.tsv",
        "sha256": digest,
    }
    assert "corrections" not in plain
    italian, _ = items(tmp_path / "mended", "it")
    assert "Q183" in italian
    assert italian["Q29"]["words"] == ["espania"]
    assert italian.keys().isdisjoint({"Q38", "Q1028"})


def test_an_item_without_a_name_gets_one():
    found = Corrections(words={("la", "Q1"): ["mundus"]})
    known = {"Q2": ItemWords(("terra",), "label", 1)}
    assert found.mended("la", known) == {**known, "Q1": ItemWords(("mundus",), "correction", 1)}
    assert found.mended("it", known) == known


def test_the_word_of_a_language_wins_over_that_of_all():
    for keys in (("la", "*"), ("*", "la")):
        found = Corrections(words={(code, "Q1"): [f"word of {code}"] for code in keys})
        assert found.mended("la", {})["Q1"].words == ("word of la",)
        assert found.mended("it", {})["Q1"].words == ("word of *",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("# nothing yet", "wrong.tsv: has no corrections; write item, language and word"),
        ("Q1 la mundus", r"line 1: must be item, language and word, separated by tabs"),
        ("Q1\tla\tmundus\tnote", r"line 1: must be item, language and word"),
        ("Q1\txx-yy\tmundus", r"wrong\.tsv: line 1: .*xx-yy"),
        ("a b\tla\tmundus", r"wrong\.tsv: line 1: 'a b' is not the id of an item"),
    ],
)
def test_a_wrong_line_is_refused(tmp_path, line, message):
    path = tmp_path / "wrong.tsv"
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(testgen.TestgenError, match=message):
        Corrections.read(path)


@pytest.mark.parametrize("item", ["Germany", "183", "Q", ""])
def test_what_is_no_id_is_refused(item):
    with pytest.raises(testgen.TestSetError, match="id of an item"):
        Corrections.read(None, [item])


def test_words_are_made_by_the_label_policy():
    policy = testgen.LabelPolicy(case="lower")
    found = Corrections(words={("la", "Q1"): ["Ga\u0301llia (provincia)"]}, name="t.tsv")
    assert found.under(policy).words == {("la", "Q1"): ["g\u00e1llia"]}
    several = Corrections(words={("la", "Q1"): ["Gallia nova"]}, name="t.tsv")
    with pytest.raises(testgen.TestSetError, match=r"t\.tsv: Q1, la: 'Gallia nova'"):
        several.under(policy)


def test_items_that_no_category_has_are_named(tmp_path):
    corrections = Corrections(without=("Q183", "Q999999999"))
    request = testgen.TestSetRequest(["la"], categories=["country"], corrections=corrections)
    assert testgen.generate(tmp_path, request).attrs["uncorrected"] == ["Q999999999"]


def test_a_table_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(testgen.TestSetError, match=r"none\.tsv: .*No such file"):
        Corrections.read(tmp_path / "none.tsv")
