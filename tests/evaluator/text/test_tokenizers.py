"""What divides a text: functions of the user's own, and CLTK where it is installed."""

from __future__ import annotations

import gzip
import sys
from importlib.util import find_spec

import pytest

from evaluator import Corpus, CorpusError, EvaluatorError
from evaluator.cli import main
from evaluator.text.tokenizers import tokenizer, words_of

CODE = """
def syllables(line):
    return [part for word in line.lower().replace(".", "").split() for part in word.split("-")]

def joined(line):
    return line

def spaced(line):
    return [f"{word} {word}" for word in line.split()]

def fails(line):
    raise KeyError(line)

number = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of the user's in the working directory."""
    (tmp_path / "own_tokens.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "text.txt").write_text("Ar-ma vi-rum-que.\nca-no\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    tokenizer.cache_clear()
    yield tmp_path
    tokenizer.cache_clear()


def test_a_function_divides_the_text(own):
    corpus = Corpus(("text.txt",), tokens="own_tokens:syllables")
    assert list(corpus.sentences()) == [["ar", "ma", "vi", "rum", "que"], ["ca", "no"]]
    # A number depends on the code: it is named as what the corpus was read with.
    assert [each.role for each in corpus.inputs] == ["corpus", "module"]


def test_a_word_with_a_space_is_two(own):
    assert words_of("arma virum", "own_tokens:spaced") == ["arma", "arma", "virum", "virum"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("syllable", r"choose from letter-runs, white-space, cltk, or name MODULE:FUNCTION"),
        ("own_tokens:syllable", "no attribute 'syllable'"),
        ("no_such_module:cut", "cannot be imported as MODULE:FUNCTION"),
        ("own_tokens:number", "is not a function"),
        ("own_tokens:joined", "it must give a list of words"),
        ("own_tokens:fails", "fails on 'arma virumque cano'"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(own, name, said):
    with pytest.raises(CorpusError, match=said):
        Corpus(("text.txt",), tokens=name)


@pytest.mark.skipif(find_spec("cltk") is not None, reason="CLTK is installed")
def test_without_cltk_it_is_said_how_to_get_it(own):
    with pytest.raises(EvaluatorError, match="pip install cltk"):
        Corpus(("text.txt",), tokens="cltk")


@pytest.mark.skipif(find_spec("cltk") is None, reason="CLTK is not installed")
@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("non", "Gylfi konungr réð þar löndum.", ["Gylfi", "konungr", "réð", "þar", "löndum"]),
        ("hi", "धर्म की जय", ["धर्म", "की", "जय"]),
    ],
)
def test_cltk_divides_as_it_does(language, text, words):
    assert words_of(text, "cltk", language) == words


def test_a_corpus_is_trained_by_a_function(own, monkeypatch):
    (own / "text.txt.gz").write_bytes(gzip.compress(b"ar-ma vi-rum ca-no\n" * 40))
    command = ["train", "text.txt.gz", "--tokens", "own_tokens:syllables", "--only", "dimension=2"]
    monkeypatch.setattr(sys, "argv", ["evaluator", *command, "--output", "model.vec"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert "\nvi " in (own / "model.vec").read_text(encoding="utf-8")
