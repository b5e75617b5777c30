"""`evaluator best`: what it shows is what score says, and languages are taken from names that say one."""

from __future__ import annotations

import pytest

from evaluator.cli.inputs import kind_of, named_tests
from evaluator.datasets.columns import codes_in, language_name
from evaluator.errors import TestSetError


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("la.vec", ("la",)),
        ("cc.la.300.vec.gz", ("la",)),
        ("ang-cbow.bin", ("ang",)),
        ("wiki.zh-hant.vec", ("zh-hant",)),
        ("LA.vec", ("la",)),
        ("model.vec", ()),
        ("latin.vec", ()),
        ("en-la.vec", ("en", "la")),
    ],
)
def test_codes_stand_alone_in_names_of_files(name, codes):
    assert codes_in(name) == codes


def test_a_language_has_its_english_name():
    assert (language_name("la"), language_name("ab"), language_name("qqq")) == ("Latin", "Abkhazian", "qqq")


def test_names_that_say_no_language_or_two_are_refused(tmp_path):
    for name in ("model.vec", "en-la.vec", "la.vec", "te.vec"):
        (tmp_path / name).write_text("a 1 2\n", encoding="utf-8")
    with pytest.raises(TestSetError, match="which language\\? its name has no code of one"):
        named_tests([f"{tmp_path}/model.vec"])
    with pytest.raises(TestSetError, match="en and la stand in its name"):
        named_tests([f"{tmp_path}/en-la.vec"])
    with pytest.raises(TestSetError, match=r"are of several languages; write \{language\}"):
        named_tests([f"{tmp_path}/la.vec", f"{tmp_path}/te.vec"])
    assert named_tests([f"{tmp_path}/??.vec".replace("??", "{language}")]) == ["en-la", "la", "model", "te"]


def test_a_table_with_commas_is_left_to_its_reader_which_says_what_to_do(tmp_path):
    (tmp_path / "la.csv").write_text("canis,0.1,0.2\nlupus,0.3,0.1\n", encoding="utf-8")
    assert kind_of(tmp_path / "la.csv") is None
