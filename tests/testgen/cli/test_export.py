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
    assert command(*given)[1].endswith("give a --seed that nobody guesses.\n")


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
