"""Advice where few words are known: it names what helps, and its numbers are those that it gives."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from evaluator import Category, Item, Settings, TestSet, Vectors
from evaluator.datasets.testset import AnalogySection, RelatedWords
from evaluator.reports.page import Text
from evaluator.reports.sections.coverage import coverage_section
from evaluator.results.coverage import CoverageFile
from evaluator.studies.coverage import coverage, hint

EXACT = Settings(case="exact")
LATIN = ["rex", "regina", "filius", "dominus", "mater", "pater", "aqua", "ignis", "terra", "luna"]


def vectors(words, **more):
    matrix = np.random.default_rng(0).normal(size=(len(words), 3))
    return Vectors(list(words), matrix, "m", **more)


def asked(words, language="la"):
    items = tuple(Item(str(number), (word,)) for number, word in enumerate(words))
    return TestSet(language, "t.json", "0" * 64, (Category("c", "C", items),))


@pytest.mark.parametrize(
    ("language", "known", "words", "helps"),
    [
        ("ar", ["كِتَاب", "ٱلرَّحْمَٰن", "مَلِك"], ["كتاب", "الرحمن", "ملك"], "with --profile arabic"),
        ("he", ["מֶלֶךְ", "בַּיִת", "אָב"], ["מלך", "בית", "אב"], "with --profile hebrew"),
        ("la", ["dŏmĭnus", "rēx", "māter"], ["dominus", "rex", "mater"], "with --profile latin"),
        ("sa", ["rājan", "agni", "deva"], ["राजन्", "अग्नि", "देव"], "with --profile sanskrit"),
        ("grc", ["βασιλευς", "πατηρ", "μητηρ"], ["βασιλεύς", "πατήρ", "μήτηρ"], "with --profile greek"),
        ("grc", ["πατη\u0301ρ", "μη\u0301τηρ"], ["πατήρ", "μήτηρ"], "with --profile nfc"),
        ("gmh", ["tag", "lîb", "kind"], ["tac", "lîp", "kint"], "with --profile middle-high-german"),
        ("te", ["మేఁక", "గుఱ్ఱము", "వనంబు"], ["మేక", "గుర్రము", "వనం"], "with --profile telugu"),
        (
            "akk",
            ["šarru_I", "kalbu_I", "ahu_II"],
            ["šarru", "kalbu", "ahu"],
            "with --profile akkadian-lemmas",
        ),
        ("vi", ["nuoc", "vua", "me"], ["nước", "vùa", "mẹ"], "with --profile strip-marks"),
        (
            "la",
            [f"/c/la/{word}" for word in LATIN],
            LATIN,
            r"if you remove .* such as /c/la/, .*\^/c/\[\^/\]\+/\)",
        ),
        ("la", [f"{word}_NOUN" for word in LATIN], LATIN, "if you remove from the words of the vectors .*"),
        ("la", [f"{word}#n" for word in LATIN], LATIN, "if you remove from the words of the vectors .*"),
        ("la", [f"{word}2" for word in LATIN], LATIN, "if you remove from the words of the vectors .*"),
        ("la", [f"▁{word}" for word in LATIN], LATIN, "if you remove from the words of the vectors .*"),
        ("la", [f"{word}</w>" for word in LATIN], LATIN, "if you remove from the words of the vectors .*"),
        ("en", ["New_York", "Los_Angeles"], ["New York", "Los Angeles"], "with --multiword join"),
    ],
)
def test_what_would_make_words_known(language, known, words, helps):
    found = hint(vectors(known), asked(words, language))
    assert found is not None
    assert re.fullmatch(f"{helps}.*, {len(words)} words are known instead of 0", found), found


def test_a_profile_that_merges_words_of_other_languages_is_not_advised_there():
    assert hint(vectors(["rabid", "all", "red"]), asked(["rabit", "al", "ret"], "en")) is None


def test_the_numbers_are_those_of_the_whole_vocabulary(monkeypatch):
    monkeypatch.setattr("evaluator.studies.coverage._SAMPLE", 3)
    marked = [word.replace("a", "ā").replace("e", "ē").replace("i", "ī").replace("o", "ō") for word in LATIN]
    found = hint(vectors([*marked, "urbs"]), asked([*LATIN, "urbs"]))
    assert found == "with --profile latin, 11 words are known instead of 1"


def test_the_spelling_of_the_language_is_tried_where_half_is_known():
    found = hint(vectors([*LATIN, "vrbs", "venvs", "avrvm"]), asked([*LATIN, "urbs", "uenus", "aurum"]))
    assert found == "with --profile latin, 13 words are known instead of 10"
    assert hint(vectors(LATIN), asked([*LATIN, "urbs", "uenus", "aurum"])) is None


def test_another_script_is_named():
    found = hint(vectors(["король", "мать", "отец"]), asked(LATIN))
    assert found == "the vectors are of words in Cyrillic, and the test set has words in Latin"


def test_words_of_another_language_have_no_advice():
    assert hint(vectors(["king", "mother", "father"]), asked(LATIN)) is None


def test_vectors_that_are_named_after_another_language_are_told_apart():
    english = vectors(["king", "mother", "father"])
    found = hint(replace(english, name="wiki.en.vec"), asked(LATIN))
    said = "by their name the vectors are of English (en), and the test set is of Latin (la)"
    assert found == f"few words are known; {said}"
    assert hint(replace(english, name="lat.la.vec"), asked(LATIN)) is None


def test_case_where_it_counts():
    words = asked(["Rex", "REGINA", "nix", "filia"])
    own = vectors(["rex", "regina", "filia"])
    assert hint(own, words, EXACT) == "with --case fold, 3 words are known instead of 1"
    assert hint(own, words) is None
    one = replace(EXACT, vocabulary=1)
    assert hint(own, words, one) == "with --case fold, 1 words are known instead of 0"
    assert hint(own, asked(["rex", "nix"]), EXACT) is None
    assert "--case fold" in hint(vectors(["ısparta"]), asked(["ISPARTA"], "tr"), EXACT)
    assert "--case fold" not in hint(vectors(["ısparta"]), asked(["ISPARTA"], "en"), EXACT)


def test_words_that_are_built_are_not_known():
    built = {"Rex": np.array([1, 1, 1], dtype=np.float32)}
    own = vectors(["rex", "regina"], subword=built.get)
    assert hint(own, asked(["Rex", "Regina"]), EXACT) == "with --case fold, 2 words are known instead of 0"


def test_words_that_lack_are_shown_as_they_are_written():
    found = coverage(
        vectors(["πόλισ"]), asked(["πόλις", "Ἰχθύς", "ἰχθύς", "μέλαν οὖς"], "grc"), tokens="letter-runs"
    )
    assert (found.parts[0].words, found.parts[0].missing) == (3, ("ἰχθύς", "μέλαν οὖς"))
    assert found.never == ("μέλαν οὖς",)


def test_no_advice_for_a_word_or_two():
    known = [f"w{row}" for row in range(60)]
    assert hint(vectors(known), asked([*known, "W1", "W2"]), EXACT) is None
    assert hint(vectors(known), asked([*known, "W1", "W2", "W3", "W4", "W5"]), EXACT) is not None


def test_related_words_and_pairs_are_counted():
    groups = (Item("s", ("canis", "animal")), Item("t", ("rex", "Corona", "regina")))
    pairs = (("rex", ("regina",)), ("pater", ("mater", "genetrix")), ("filius", ("x",)))
    test_set = TestSet(
        "la",
        "t.json",
        "0" * 64,
        groups=(RelatedWords("keywords", "Keywords of symbols", groups),),
        analogies=(AnalogySection("of", "of", pairs),),
    )
    found = coverage(vectors(["animal", "corona", "rex", "regina", "pater", "genetrix", "filius"]), test_set)
    assert found.related == (4, 5)
    assert (found.pairs_found, found.pairs) == (2, 3)
    (part,) = (each for each in found.parts if each.kind == "related words")
    assert (part.heading, part.found, part.missing) == ("Keywords of symbols", 4, ("canis",))
    said = coverage_section(CoverageFile(results=(found,)))
    texts = [block.text for block in said.walk() if isinstance(block, Text)]
    assert (
        "Related words: 4 of 5; models are ranked from 200 on, and chosen by KeywordRank from 400 on."
        in texts
    )
    assert "Pairs with both words: 2 of 3; models are ranked by PairRank from 150 on." in texts
