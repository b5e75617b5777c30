"""Other languages in a corpus: mixtures of known shares, and texts that are in their language alone."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from evaluator.text.corpus import Corpus
from evaluator.text.other_languages import other_languages, remark
from tests.conftest import REPOSITORY

CORPORA = Path(os.environ.get("TESTGEN_SHARED_DATA", REPOSITORY.parent / "shared" / "data")) / "corpora"
RIGHT = {
    "ang": "old_english.txt",
    "non": "old_norse.txt.gz",
    "bn": "bengali.txt",
    "gmh": "middle_high_german.txt.gz",
}
SANSKRIT = Counter({"च": 237, "एव": 20, "हि": 36, "इति": 46, "उवाच": 32, "मम": 14, "राजा": 9615})
"""Words of 10,000 as frequent as in a corpus of Sanskrit, but for what stands for all others."""


def telugu(counts):
    """The same in Telugu letters."""
    return Counter(
        {"".join(chr(ord(letter) + 0x300) for letter in word): number for word, number in counts.items()}
    )


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.47, 1.0])
def test_the_share_of_sanskrit_in_telugu_letters_is_found(share):
    tokens = 10_000
    mixed = Counter({word: round(number * share) for word, number in telugu(SANSKRIT).items()})
    mixed["రాజు"] += tokens - mixed.total()
    found = other_languages(mixed, "te")
    if share < 0.1:
        assert found == {}
    else:
        assert found["Sanskrit"] == pytest.approx(share * 0.0385 / 0.0454, rel=0.02)


def test_neither_a_language_nor_a_close_one_is_found_in_itself():
    assert other_languages(SANSKRIT, "te") != {}
    assert other_languages(SANSKRIT, "sa") == other_languages(SANSKRIT, "san") == {}
    assert other_languages(SANSKRIT, "pi") == {}


def test_few_words_are_quotations():
    assert other_languages(Counter({"च": 9, "రాజు": 10}), "te") == {}


def test_a_corpus_in_other_letters_than_its_words_is_told():
    counts = Counter({"avan": 80, "അവൻ": 20})
    said = remark("text", counts, "ml", ["പശു", "ആന"])
    told = "text: 20% of its words in Malayalam letters, and most in Latin."
    assert said == f"{told} Is all of it in the language 'ml'?"
    assert remark("text", counts, "ml") == ""
    assert remark("text", Counter({"அவன்": 1, "avan": 1}), "ta", ["பசு"]) == ""


@pytest.mark.parametrize("code", [pytest.param("gmh", marks=pytest.mark.slow), "ang", "bn", "non"])
def test_a_text_in_its_own_language_has_no_other(code):
    path = CORPORA / RIGHT[code]
    if not path.exists():
        pytest.skip(f"no corpus at {path}; set TESTGEN_SHARED_DATA")
    assert other_languages(Corpus((path,)).counts(), code) == {}


def test_the_gujarati_texts_with_songs_of_kabir_have_hindi():
    path = CORPORA / "gujarati.txt"
    if not path.exists():
        pytest.skip(f"no corpus at {path}; set TESTGEN_SHARED_DATA")
    assert other_languages(Corpus((path,)).counts(), "gu") == {"Hindi": pytest.approx(0.24, abs=0.01)}
