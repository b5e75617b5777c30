"""`evaluator best`: what it shows is what score says, and languages are taken from names that say one."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.cli.inputs import kind_of, named_tests
from evaluator.datasets.columns import codes_in, language_name
from evaluator.errors import TestSetError
from evaluator.studies.scoring import DEFAULT_MEASURES
from tests.evaluator.small_studies import write_models


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


def test_what_decides_nothing_may_fail(evaluator, tmp_path, monkeypatch):
    """Only two pairs of parts are known, so that PairRank has no score; it never chooses."""
    monkeypatch.chdir(tmp_path)
    paths = write_models(tmp_path)["la"]
    ended = evaluator("score", *paths, "--test", "la.json", "-m", "Topk@3", "-m", "PairRank")
    assert (ended.code, "PairRank" in ended.err + ended.out) == (1, True)
    monkeypatch.setitem(DEFAULT_MEASURES, "categories", ("Topk@3", "PairRank"))
    ended = evaluator("best", *paths, "--test", "la.json")
    assert (ended.code, ended.err, "PairRank" in ended.out) == (0, "", False)


def test_the_code_of_a_language_is_read_in_any_case(evaluator, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_models(tmp_path)
    Path("LA.vec").write_bytes(Path("la0.vec").read_bytes())
    for vectors in ("la0.vec", "{language}0.vec"):
        for code in ("la", "LA", "LAT"):
            ended = evaluator("score", vectors, "--test", "la.json", "--language", code, "-m", "Topk@3")
            assert ended.code == 0, ended.err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "best text.txt",
            "holds a text, not vectors. Are arguments swapped? `evaluator train` trains vectors",
        ),
        ("neighbours la0.vec rex", "la0.vec: holds vectors, and is no word. Are arguments swapped?"),
        ("score la0.vec -t la.json --vocabulary 0", "it must be 1 or more; leave it out for all words"),
    ],
)
def test_what_is_confused_is_told(evaluator, tmp_path, monkeypatch, command, said):
    monkeypatch.chdir(tmp_path)
    write_models(tmp_path)
    Path("text.txt").write_text("arma virumque cano troiae qui primus ab oris\n" * 9, encoding="utf-8")
    ended = evaluator(*command.split(), *(["-t", "la"] if command.startswith("best") else []))
    assert (ended.code, said in ended.err) == (2, True), ended.err


def test_a_table_with_commas_is_left_to_its_reader_which_says_what_to_do(tmp_path):
    (tmp_path / "la.csv").write_text("canis,0.1,0.2\nlupus,0.3,0.1\n", encoding="utf-8")
    assert kind_of(tmp_path / "la.csv") is None
