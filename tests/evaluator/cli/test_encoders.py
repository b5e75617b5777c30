"""Models that encode any word, on the command line."""

from __future__ import annotations

import json
import sys

import pytest

TEST = ("--test", "t.txt", "--measure", "Topk@1")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "letters", raising=False)
    (tmp_path / "letters.py").write_text(
        "def count(words):\n    return [[1 + word.count(each) for each in 'aelmorx'] for word in words]\n"
    )
    (tmp_path / "words.txt").write_text("rex\nlex\nroma\ndux\namor\npax\nmora\n")
    (tmp_path / "t.txt").write_text(":anagrams\nroma amor mora armo\n")
    return tmp_path


def test_a_function_is_scored_and_its_command_is_known(evaluator, folder):
    ended = evaluator("score", "letters:count", *TEST, "--vocabulary-from", "words.txt", "--json")
    (found,) = json.loads(ended.out)["results"]
    assert (found["model"], found["vocabulary"], found["known_words"]) == ("letters:count", 7, 3)
    assert found["built_words"] == 1
    signature = found["scores"][0]["signature"]
    assert "|vocabulary-from:words.txt#" in signature


@pytest.mark.slow
def test_worker_processes_import_it_as_well(evaluator, folder):
    alone = evaluator("score", "letters:count", *TEST, "--vocabulary-from", "words.txt", "--csv")
    (folder / "l.vec").write_text("2 2\nroma 1 2\namor 1 2\n")
    both = evaluator(
        *(
            "score",
            "letters:count",
            "l.vec",
            *TEST,
            "--vocabulary-from",
            "words.txt",
            "--csv",
            "--workers",
            "2",
        ),
    )
    assert both.out.startswith(alone.out)


def test_a_batch(evaluator, folder):
    arguments = "score", "letters:count", *TEST, "--output", "out.jsonl"
    assert evaluator(*arguments, "--vocabulary-from", "words.txt").code == 0
    assert evaluator(*arguments).code == 2  # the file was made with another vocabulary
    assert json.loads((folder / "out.jsonl").read_text().splitlines()[1])["scores"]["vocabulary"] == 7


@pytest.mark.parametrize(
    ("name", "problem"),
    [("letters:count", "--vocabulary-from FILE"), ("letters:nothing", "cannot be imported as module:object")],
)
def test_mistakes(evaluator, folder, name, problem):
    more = ["--vocabulary-from", "words.txt"] if name == "letters:nothing" else []
    ended = evaluator("score", name, *TEST, *more)
    assert ended.code == 2
    assert problem in ended.err
    assert "Traceback" not in ended.err
