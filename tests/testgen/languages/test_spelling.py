"""How words are spelled in texts: by language and script, in what ships, and as a table with reasons."""

from __future__ import annotations

import unicodedata

import pytest
import regex

from testgen import LabelPolicy, TestSetRequest, build_test_sets
from testgen.labels import words_of
from testgen.labels.policy import outcome_of
from testgen.languages.codes import languages, script_names
from testgen.languages.registry import rows_of
from testgen.languages.spelling import _FOLDER, VERSION, rules, spelling_of, why_no_word

DEFAULT = LabelPolicy()


@pytest.mark.parametrize(
    ("language", "label", "words"),
    [
        ("ru", "соба́ка", ("собака",)),
        ("uk", "со́кіл", ("сокіл",)),
        ("be", "со́кал", ("сокал",)),
        ("bg", "соко́л", ("сокол",)),
        ("ru", "ёж", ("ёж",)),
        ("mk", "Ќе́рка", ("Ќерка",)),
        ("cu", "і҆та́лїа", ("і҆та́лїа",)),
        ("sr", "ку̏ћа", ("кућа",)),
        ("hr", "kȕća", ("kuća",)),
        ("hr", "São", ("São",)),
        ("hr", "pòtōk", ("potok",)),
        ("cnr", "śèkira", ("śekira",)),
        ("mk", "сѐ", ("сѐ",)),
        ("bg", "ѝ", ("ѝ",)),
        ("lt", "lãpė", ("lapė",)),
        ("lt", "Beyoncé", ("Beyoncé",)),
        ("lv", "lāpa", ("lāpa",)),
        ("la", "falcō", ("falco",)),
        ("ang", "ċild", ("cild",)),
        ("ha", "kàrē", ("kare",)),
        ("ar", "صَقْر", ("صقر",)),
        ("ur", "فوراً", ("فوراً",)),
        ("he", "שָׁלוֹם", ("שלום",)),
        ("yi", "סודאַן", ("סודאַן",)),
        ("hbo", "שָׁלוֹם", ("שָׁלוֹם",)),
        ("vi", "chó", ("chó",)),
        ("bo", "སྐར་མ།", ("སྐར་མ",)),
        ("bo", "༄༅། །བོད་ཡིག །", ("བོད་ཡིག",)),
        ("or", "ବେଲଗ୍ରେଡ୍\u200c", ("ବେଲଗ୍ରେଡ୍",)),
        ("ml", "അവന്\u200d", ("അവൻ",)),
        ("bn", "হঠাত্\u200d", ("হঠাৎ",)),
        ("sa", "मास:", ("मासः",)),
        ("hi", "राम।", ("राम",)),
        ("am", "እንጀራ።", ("እንጀራ",)),
        ("gez", "ደቡብ፡ኮሪያ", ()),
        ("zh", "约翰·史密斯", ()),
        ("ja", "ハイチ・クレオール語", ()),
        ("zh", "北京／北平", ("北京", "北平")),
        ("ca", "gal·lès", ("gal·lès",)),
        ("ksh", "Jinneha_Bißau", ()),
        ("fa", "كتابي", ("کتابی",)),
        ("ar", "كتابي", ("كتابي",)),
        ("ps", "كتابي", ("کتابي",)),
        ("ro", "oraş", ("oraș",)),
        ("tr", "beş", ("beş",)),
        ("os", "æрдз", ("ӕрдз",)),
        ("da", "æble", ("æble",)),
        ("ce", "г1ала", ("гӀала",)),
        ("be", "адзiн", ("адзін",)),
        ("en", "Mоscow", ("Moscow",)),
        ("ru", "VIP-зал", ("VIP-зал",)),
        ("ru", "CO-детектор", ("CO-детектор",)),
        ("uz", "togʻ", ("togʻ",)),
        ("uz", "tog‘", ("tog‘",)),
        ("mk", "‘рчко", ("‘рчко",)),
        ("en", "‘word’", ("word",)),
        ("de", "»Wort«", ("Wort",)),
        ("es", "¿Quién?", ("Quién",)),
        ("moh", "kwa:", ("kwa:",)),
        ("en", "kwa:", ("kwa",)),
        ("ru", "км.", ("км",)),
        ("en", "U.S.", ("U.S.",)),
        ("ar", "ﷺ", ()),
        ("ar", "كتـــاب", ("كتاب",)),
        ("en", "ﬁn", ("fin",)),
        ("ko", "한\u3164국", ("한국",)),
        ("en", "a\u034fb\ufe0fc\U000e0100d", ("abcd",)),
        ("mn-mong", "ᠮᠣᠩᠭᠣᠯ\u180e", ("ᠮᠣᠩᠭᠣᠯ\u180e",)),
        ("am", "ሜ³", ()),
    ],
)  # fmt: skip
def test_a_word_is_spelled_as_in_texts(language, label, words):
    assert words_of(label, DEFAULT, language) == words


def test_the_spelling_of_the_source_can_be_kept():
    source = LabelPolicy(spelling="source")
    assert words_of("соба́ка", source, "ru") == ("соба́ка",)
    assert words_of("كتابي", source, "fa") == ("كتابي",)
    assert words_of("སྐར་མ།", source, "bo") == ("སྐར་མ",), "no word has the end of a sentence"


def test_under_nfkc_a_ligature_of_words_is_several():
    assert words_of("ﷺ", LabelPolicy(normalization="NFKC", several_words="join"), "ar") == (
        "صلى_الله_عليه_وسلم",
    )


def test_the_version_is_that_of_the_policy():
    assert DEFAULT.spelling == f"texts-{VERSION}"


def test_what_unicode_calls_a_word_separator_is_one():
    separator = regex.compile(r"(?:WORD (?:SEPARATOR|DIVIDER)|WORDSPACE)")
    named = [chr(point) for point in range(0x110000) if separator.search(unicodedata.name(chr(point), ""))]
    assert len(named) >= 9
    assert [each for each in named if spelling_of("en").divided(each) != " "] == []


def test_every_line_of_the_table_is_understood_and_has_a_reason():
    rows = rows_of(_FOLDER / "spelling.tsv")
    known = {"*", *script_names(), *languages()}
    for row, rule in zip(rows, rules(), strict=True):
        assert row["reason"].strip(), row
        unknown = {each.removeprefix("!") for each in rule.where} - known
        assert all(languages().get(each) or languages()[each] for each in unknown), unknown
        if rule.kind in ("respell", "lookalike", "equal", "letter"):
            assert rule.letters
        else:
            regex.compile(
                f"[{rule.characters}]" if rule.kind not in ("sequence", "omitted") else rule[2], regex.V1
            )


@pytest.mark.parametrize("code", ["ru", "lt", "fa", "ar", "bo", "la", "hr", "en", "ml", "zh", "cu"])
def test_the_spelling_of_texts_is_not_changed_again(code):
    labels = ["соба́ка", "lãpė", "كتابي", "صَقْر", "སྐར་མ།", "falcō", "അവന്\u200d", "‘word’.", "Mоscow", "»a«!"]
    for label in labels:
        for word in words_of(label, DEFAULT, code):
            assert words_of(word, DEFAULT, code) == (word,)


# What stands at the edge of a word, or between words, in nothing that ships; single quotation marks may be
# letters (Bodo, K'iche', Uzbek), and so is the geresh of Hebrew.
_AT_AN_EDGE = regex.compile(
    r"^[\p{P}\p{Cf}\p{Z}--['’‘ʼ]]|[\p{P}\p{Cf}\p{Z}--['’‘ʼ׳]]$|[\u1361\u30FB\uFF1B;_\s]|[²³]$|^\*", regex.V1
)


# The languages of which words had any, and some others.
CODES = ("am", "ar", "bo", "ckb", "cv", "dz", "fa", "gez", "he", "ja", "kn", "ksh", "la", "lkt", "ml", "or",
         "ru", "sa", "ti", "ur", "yue", "zh")  # fmt: skip


@pytest.mark.parametrize(
    "codes", [CODES[::4], pytest.param(CODES, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_no_shipped_word_has_a_separator_an_edge_mark_or_a_joiner(codes):
    found = set()
    for test_set in build_test_sets(TestSetRequest(codes, policy=LabelPolicy(minimum_words=4))):
        spelling = spelling_of(test_set.language)
        for word in {word for section in test_set.sections for word in section.words}:
            if _AT_AN_EDGE.search(word) or outcome_of(word, DEFAULT, spelling).words != (word,):
                found.add((test_set.language, word))
    assert found == set()


def test_a_part_of_a_word_a_reconstruction_and_a_sign_are_no_words():
    assert [why_no_word(each) for each in ("ūr-", "*wódr̥", "km²", "H₂O", "Art-déco")] == [
        "part of a word", "reconstructed form", "sign", "", "",
    ]  # fmt: skip
