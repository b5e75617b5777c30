"""`testgen export`: what it prints."""

from __future__ import annotations

import json
import re

import pytest

from tests.testgen.exports.made import content, section, written
from tests.testgen.exports.test_euroeval import WORDS as MORE_WORDS
from tests.testgen.exports.test_lm_eval import WORDS


@pytest.fixture
def paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    birds = section("bird", WORDS[:30])
    return written(
        tmp_path,
        content("la", [birds, section("fish", WORDS[40:70])]),
        content("eo", [section("bird", ["a", "b"])]),
    )


def test_a_data_set(command, paths):
    code, out, err = command("export", *paths, "--format", "huggingface", "words")
    assert (code, out, err) == (0, "Data set in words. Languages: 2. Words: 62. Pairs: 0.\n", "")
    code, out, err = command("export", *paths, "--format", "huggingface", "words", "--json")
    assert json.loads(out)[1] == {"language": "la", "categories": 2, "words": 60, "relations": 0, "pairs": 0}


def test_questions(command, paths):
    code, out, err = command("export", "--format", "lm-eval", *paths, "odd", "--k", "3", "--k", 5)
    assert (code, err) == (0, "")
    first, three, five, left_out = out.splitlines()
    assert first == "Questions in odd: 120. Languages: 1."
    assert three.startswith("k = 3: chance 0.250; the option most unlike the others in length and")
    assert five.startswith("k = 5: chance 0.167; ")
    assert left_out == "Left out, with fewer than 50 questions: eo."


def test_questions_with_a_private_split(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    categories = [section("bird", MORE_WORDS[:120]), section("fish", MORE_WORDS[120:])]
    (path,) = written(tmp_path, content("la", categories))
    given = ("export", path, "--format", "euroeval", "odd", "--minimum-questions", 5)
    code, out, err = command(*given, "--seed", 7)
    assert (code, err) == (0, "")
    assert re.match(r"Questions in odd: \d+\. Languages: 1\. Private: \d+\.\n", out)
    assert "give a --seed that nobody guesses" not in out
    code, out, err = command(*given)
    assert (code, out) == (2, "")
    assert "odd: private questions of an earlier export would be lost: la-3-private.csv" in err
    assert command(*given, "--force")[1].endswith("give a --seed that nobody guesses.\n")


@pytest.mark.parametrize("format_", ["huggingface", "wn-lmf"])
def test_options_of_questions_are_refused_without_questions(command, paths, tmp_path, format_):
    given = ("--k", 5, "--questions", 100, "--minimum-questions", 9, "--seed", 0)
    code, out, err = command("export", *paths, "--format", format_, "words", *given)
    assert (code, out) == (2, "")
    left_out = "--k, --questions, --minimum-questions, --seed"
    assert err == f"testgen: --format {format_} has no questions; leave out {left_out}\n"
    assert not (tmp_path / "words").exists()


@pytest.mark.parametrize("format_", ["lm-eval", "euroeval"])
def test_too_few_questions_leave_no_folder_and_a_limit_is_named(command, paths, tmp_path, format_):
    given = ("export", *paths, "--format", format_, "new/folder")
    assert command(*given, "--questions", 1)[2].endswith(
        ", raise --questions, or lower --minimum-questions\n"
    )
    err = command(*given, "--minimum-questions", 5000, "--questions", 5000)[2]
    assert "raise" not in err
    assert not (tmp_path / "new").exists()


def test_mistakes(command, paths, tmp_path):
    code, out, err = command("export", *paths, "--format", "huggingface")
    assert (code, out) == (2, "")
    assert err.startswith(
        f"testgen: {paths[1]}: is a file; name the folder of the export after the test sets"
    )
    (tmp_path / "some.json").write_text('{"format": "testset", "version": 2}', encoding="utf-8")
    code, out, err = command("export", "some.json", "words", "--format", "lm-eval")
    assert (code, out) == (2, "")
    assert err.startswith("testgen: some.json: is no test set, or is damaged; name a file that")
    assert "(Object missing required field `language`" in err
    assert command("export", *paths, "words")[0] == 2
