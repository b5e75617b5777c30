"""Words that are chosen by what a vocabulary has, in its spelling."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import unicodedata

import pytest
import regex

from testgen import TestSetRequest, build_test_sets
from testgen.errors import TestSetError
from testgen.labels.vocabulary import Vocabulary
from testgen.labels.word_store import ItemWords


def vocabulary(tmp_path, text):
    path = tmp_path / "words.txt"
    path.write_text(text, encoding="utf-8")
    return Vocabulary.read(path)


@pytest.mark.parametrize(
    ("language", "known", "word"),
    [
        ("la", "IUPPITER", "Juppiter"),
        ("la", "rēx", "rex"),
        ("la", "rex", "Rēx"),
        ("la", "poeta", "poëta"),
        ("la", "caelum", "cælum"),
        ("ar", "كِتَاب", "كتاب"),
        ("ar", "احمد", "أحمد"),
        ("hbo", "מלך", "מֶלֶךְ"),
        ("grc", "βασιλευς", "βασιλεύς"),
        ("el", "ΣΟΦΟΣ", "σοφος"),
        ("ru", "елка", "ёлка"),
        ("ru", "соба́ка", "собака"),
        ("fa", "چكي", "چکی"),
        ("fa", "میخواهم", "می\u200cخواهم"),
        ("uk", "м'яч", "мʼяч"),
        ("uz", "o'zbek", "oʻzbek"),
        ("os", "æрдз", "ӕрдз"),
        ("ml", "അവന്\u200d", "അവൻ"),
        ("ro", "oraş", "oraș"),
        ("ce", "г1ала", "гӀала"),
        ("tr", "ISPARTA", "ısparta"),
        ("en", "ｆｉｎ", "fin"),
    ],
)
def test_the_spelling_is_that_of_the_vocabulary(tmp_path, language, known, word):
    found = vocabulary(tmp_path, f"{known}\t12\n").choose(ItemWords((word, "other"), "label", 2), language)
    assert found == ItemWords((known,), "label", 1)


@pytest.mark.parametrize(
    ("language", "known", "word"),
    [
        ("vi", "cho", "chó"),
        ("ro", "fata", "fată"),
        ("sv", "får", "far"),
        ("pl", "zad", "żad"),
        ("cs", "byt", "být"),
        ("lv", "kazas", "kāzas"),
        ("lt", "kasa", "kąsa"),
        ("de", "Masse", "Maße"),
        ("en", "jack", "iack"),
        ("yo", "oko", "ọkọ̀"),
        ("tr", "ilik", "ılık"),
        ("mk", "кука", "ќука"),
        ("sr", "кућа", "кука"),
        ("hi", "नर", "नारी"),
        ("hi", "नर", "नृ"),
        ("ru", "замо́к", "за́мок"),
        ("ar", "على", "علي"),
        ("ckb", "سەر", "سەرێ"),
        ("el", "νομός ένα", "νόμος"),
        ("ru", "мел ёж", "мёл"),
        ("hbo", "דָּבָר דֶּבֶר", "דבר"),  # a word or a pestilence: nobody knows
    ],
)
def test_no_word_is_taken_for_another(tmp_path, language, known, word):
    listed = "\n".join(known.split())
    assert vocabulary(tmp_path, listed).choose(ItemWords((word,), "label", 1), language).words == ()


# In each language, words of a list that another one of the list is like.
LISTS = {
    "vi": "cho chó meo mèo ga gà ca cá lon lợn ma má mà mả mã mạ",
    "ro": "fata fată tata tată casa casă mar măr",
    "sv": "far får här har hår halla hälla hålla",
    "lt": "kasa kąsa karstas karštas",
    "lv": "kazas kāzas pile pīle",
    "pl": "kat kąt lata łata zad żad",
    "el": "νόμος νομός πότε ποτέ",
    "la": "os ōs malum mālum Malum uulgus vulgus",
    "ru": "все всё замок за́мок замо́к",
    "he": "דבר דָּבָר דֶּבֶר",
    "ar": "علم عَلَم عِلْم إن أن ان",
    "fa": "می\u200cروم میروم چکی چكي",
    "de": "Maße Masse masse schon schön Schön",
    "tr": "ilik ılık İlik ILIK",
    "uk": "пять п'ять п’ять пʼять",
    "haw": "pau paʻu pāʻū paʻū",
}


@pytest.mark.parametrize("language", LISTS)
def test_a_word_of_the_list_is_itself(tmp_path, language):
    words = LISTS[language].split()
    for listed in (words, words[::-1]):
        found = vocabulary(tmp_path, "\n".join(listed)).choose(ItemWords(tuple(words), "label", 1), language)
        assert found.words == tuple(words)


def test_of_spellings_that_are_as_near_the_most_frequent_is_taken(tmp_path):
    found = vocabulary(tmp_path, "\ufeffIulius\t90\niulius\t8\n\nIulius\n")
    assert (found.name, found.words) == ("words.txt", 2)
    assert found.choose(ItemWords(("Julius", "JULIUS"), "label", 1), "la") == ItemWords(
        ("Iulius",), "label", 1
    )


def test_an_alias_is_taken_where_the_label_is_not_known(tmp_path):
    found = vocabulary(tmp_path, "gallia\n").choose(ItemWords(("Francia", "Gallia"), "label", 1), "la")
    assert found == ItemWords(("gallia",), "alias", 0)


MANY = ("am", "ar", "be", "bg", "bn", "cs", "da", "de", "el", "es", "et", "fa", "fi", "fr", "he", "hi", "hr",
        "hu", "hy", "is", "lt", "lv", "ml", "pl", "pt", "ro", "ru", "sl", "sr", "sv", "ta", "tr", "uk", "ur",
        "uz", "vi")  # fmt: skip
CORPORA = {"de": "german_novels", "fr": "french_novels", "ml": "malayalam", "bn": "bengali", "la": "latin"}
WORD = regex.compile(r"[\p{L}\p{M}\p{Cf}'’ʼ‘]+")


@pytest.fixture(scope="module")
def words_of_languages(shared_data):
    """Words of names of emoji in CLDR, and of texts, by language."""
    words = {code: {} for code in (*MANY, "la")}
    with gzip.open(shared_data / "wikidata" / "cldr-emoji-names.tsv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["locale"] in words:
                words[row["locale"]].update(dict.fromkeys(WORD.findall(row["name"])))
    for code, name in CORPORA.items():
        for path in (shared_data / "corpora").glob(f"{name}.txt*"):
            text = (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8")
            with text as file:
                words[code].update(dict.fromkeys(WORD.findall(file.read(400_000))))
    return {code: tuple(own) for code, own in words.items()}


def spelled_with(word):
    """The letters of a word with their marks, without joiners, case and apostrophes."""
    plain = regex.sub(r"[\p{Cf}'’ʼ‘ʻ]", "", unicodedata.normalize("NFC", word).replace("İ", "i"))
    return plain.lower().replace("ı", "i").replace("ς", "σ")


@pytest.mark.slow
@pytest.mark.parametrize("code", [*MANY, "la"])
def test_in_no_language_a_word_of_the_list_is_replaced(words_of_languages, code):
    words = words_of_languages[code]
    assert len(words) > 1_000
    listed = Vocabulary("all", len(words), "", words)
    assert [
        word for word in words if listed.choose(ItemWords((word,), "label", 1), code).words != (word,)
    ] == []


@pytest.mark.slow
@pytest.mark.parametrize("code", ["cs", "es", "fr", "hu", "lv", "pl", "pt", "ro", "sv", "tr", "vi"])
def test_a_word_that_is_not_in_the_list_is_no_other_word(words_of_languages, code):
    words = words_of_languages[code]
    listed = Vocabulary("half", len(words) // 2, "", words[::2])
    for word in words[1::2]:
        for found in listed.choose(ItemWords((word,), "label", 1), code).words:
            assert spelled_with(found) == spelled_with(word)


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
