"""Words that are chosen by what a vocabulary has, in its spelling."""

from __future__ import annotations

import hashlib
import json

import pytest

from testgen import TestSetRequest, build_test_sets
from testgen.errors import TestSetError
from testgen.labels.vocabulary import Vocabulary
from testgen.labels.word_store import ItemWords


def vocabulary(tmp_path, text):
    path = tmp_path / "words.txt"
    path.write_text(text, encoding="utf-8")
    return Vocabulary.read(path)


@pytest.mark.parametrize(
    ("known", "word"),
    [
        ("IUPPITER", "Juppiter"),
        ("rēx", "rex"),
        ("rex", "Rēx"),
        ("كِتَاب", "كتاب"),
        ("מלך", "מֶלֶךְ"),
        ("βασιλευς", "βασιλεύς"),
        ("caelum", "cælum"),
    ],
)
def test_the_spelling_is_that_of_the_vocabulary(tmp_path, known, word):
    found = vocabulary(tmp_path, f"{known}\t12\n").choose(ItemWords((word, "other"), "label", 2))
    assert found == ItemWords((known,), "label", 1)


def test_vowels_of_other_scripts_make_other_words(tmp_path):
    assert vocabulary(tmp_path, "नर\n").choose(ItemWords(("नारी", "नृ"), "label", 2)).words == ()


def test_of_spellings_the_most_frequent_is_taken(tmp_path):
    found = vocabulary(tmp_path, "\ufeffIulius\t90\njulius\t8\n\nIulius\n")
    assert (found.name, found.words) == ("words.txt", 2)
    assert found.choose(ItemWords(("Julius", "JULIUS"), "label", 1)) == ItemWords(("Iulius",), "label", 1)


def test_an_alias_is_taken_where_the_label_is_not_known(tmp_path):
    found = vocabulary(tmp_path, "gallia\n").choose(ItemWords(("Francia", "Gallia"), "label", 1))
    assert found == ItemWords(("gallia",), "alias", 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n \n", "has no words"),
        (None, "cannot be read"),
        (
            "3 2\nrex 0.1 0.2\n",
            "most lines hold several words or numbers; `evaluator coverage FILE --list-words`",
        ),
    ],
)
def test_a_file_without_words_is_refused(tmp_path, text, said):
    path = tmp_path / "words.txt"
    if text is not None:
        path.write_text(text)
    with pytest.raises(TestSetError, match=said):
        Vocabulary.read(path)


def test_a_test_set_has_only_words_of_the_vocabulary_and_says_so(command, small, tmp_path):
    request = TestSetRequest(["la"], categories=["country"])
    (whole,) = build_test_sets(request, source=small)
    known = sorted(whole.words)[:4]
    text = "".join(f"{word.upper()}\t5\n" for word in known)
    (tmp_path / "words.txt").write_text(text, encoding="utf-8")
    asked = ("generate", "la", "--source", small, "-c", "country", "--for", tmp_path / "words.txt")
    asked = (*asked, "--output", tmp_path)
    assert command(*asked)[::2] == (0, "")
    content = json.loads((tmp_path / "la.json").read_text(encoding="utf-8"))
    assert {word for item in content["categories"][0]["items"] for word in item["words"]} == {
        word.upper() for word in known
    }
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert content["chosen_for"] == {"name": "words.txt", "words": 4, "sha256": digest}
    assert content["policy"]["aliases"] is True
    code, _, err = command(*asked, "--language", "en")
    assert (code, "--for is for one language" in err) == (2, True)
