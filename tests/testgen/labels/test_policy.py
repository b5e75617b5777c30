"""Every choice of the label policy, and unusual labels."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.text import normalization
from testgen import LabelPolicy, LanguageError, PolicyError, words_of
from testgen.labels.policy import MENDED, outcome_of, why_dropped, words_of_alias
from testgen.languages import spelling
from testgen.languages.codes import languages

DEFAULT = LabelPolicy()


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("Gallia", ("Gallia",)),
        ("  Gallia ", ("Gallia",)),
        ("New York", ()),
        ("New\u00a0York", ()),
        ("New\u3000York", ()),
        ("New\tYork", ()),
        ("New\u2009York", ()),
        ("New\nYork", ()),
        ("Georgia (country)", ("Georgia",)),
        ("Georgia(country)", ("Georgia",)),
        ("中国（国家）", ("中国",)),
        ("Paris, Texas", ("Paris",)),
        ("باريس، تكساس", ("باريس",)),
        ("Bolzano/Bozen", ("Bolzano", "Bozen")),
        ("AC/DC/X", ("AC", "DC", "X")),
        ("km/", ("km",)),
        ("/", ()),
        ("a//b", ("a", "b")),
        ("a / a", ("a",)),
        ("(nothing else)", ()),
        ("", ()),
        ("   ", ()),
        ("1984", ()),
        ("😀", ()),
        ("H2O", ("H2O",)),
        ("Guinea-Bissau", ("Guinea-Bissau",)),
        ("Co\u00adpen\u200bhagen\u200e", ("Copenhagen",)),
        ("می\u200cخواهم", ("می\u200cخواهم",)),
        ("İstanbul", ("İstanbul",)),
        ("(Juno)", ("Juno",)),
        ("[[Juno]]", ("Juno",)),
        ("[[Juno (dea)|Iuno]]", ("Iuno",)),
        ("*wĺ̥kʷos", ()),
        ("ūr-", ()),
        ("-ness", ()),
        ("km²", ()),
        ("*", ()),
        ("מלך/ה", ("מלך",)),
        ("Lehrer/in", ("Lehrer",)),
        ("Lehrer/-in", ("Lehrer",)),
        ("студент/ка (вуз)", ("студент",)),
        ("TCP/IP", ("TCP", "IP")),
        ("美利坚合众国/美国", ("美利坚合众国", "美国")),
    ],
)
def test_default_policy(label, words):
    assert words_of(label, DEFAULT, "en") == words


@pytest.mark.parametrize(
    ("choice", "label", "words"),
    [
        ({"several_words": "join"}, "New \u00a0 York", ("New_York",)),
        ({"several_words": "keep"}, "New\u3000York", ("New York",)),
        ({"parentheses": "keep", "several_words": "keep"}, "Georgia (country)", ("Georgia (country)",)),
        ({"parentheses": "drop"}, "Georgia (country)", ()),
        ({"parentheses": "drop"}, "Georgia", ("Georgia",)),
        ({"comma": "keep", "several_words": "keep"}, "Paris, Texas", ("Paris, Texas",)),
        ({"comma": "drop"}, "Paris, Texas", ()),
        ({}, "N,N-dimethyltryptamine", ("N,N-dimethyltryptamine",)),
        ({}, "Tacinwit,Mandarin", ("Tacinwit",)),
        ({}, "قطر، دولة", ("قطر",)),
        ({}, "Georgia (country/state)", ("Georgia",)),
        ({}, "AC/DC (band/group)", ("AC", "DC")),
        ({"parentheses": "keep"}, "(Juno)", ("(Juno)",)),
        ({"parentheses": "drop"}, "(Juno)", ("Juno",)),
        ({"slash": "keep"}, "Lehrer/in", ("Lehrer/in",)),
        ({"slash": "keep"}, "AC/DC", ("AC/DC",)),
        ({"slash": "drop"}, "AC/DC", ()),
        ({"case": "lower"}, "Straße", ("straße",)),
        ({"case": "fold"}, "Straße", ("strasse",)),
        ({"case": "lower"}, "ΠΑΡΙΣ", ("παρις",)),
        ({"case": "lower"}, "İzmir", ("izmir",)),
        ({"case": "fold"}, "İzmir", ("izmir",)),
        ({"case": "fold"}, "Αΐδα", ("αΐδα",)),  # whose folding is three code points for ΐ
        ({"case": "lower", "normalization": "NFKD"}, "Ǆ", ("dz\u030c",)),
        ({"normalization": "NFD"}, "é", ("e\u0301",)),
        ({"normalization": "NFKC"}, "ﬁn", ("fin",)),
        ({"normalization": "none"}, "e\u0301", ("e\u0301",)),
        ({"normalization": "none", "case": "lower"}, "E\u0301", ("e\u0301",)),
    ],
)
def test_choices(choice, label, words):
    assert words_of(label, LabelPolicy(**choice), "en") == words


@pytest.mark.parametrize(
    ("choice", "label", "words"),
    [
        ({}, "rēgīna", ("regina",)),
        ({}, "re\u0304gi\u0304na", ("regina",)),
        ({}, "Rōma", ("Roma",)),
        ({}, "rēx/dux", ("rex", "dux")),
        ({}, "falcō (avis)", ("falco",)),
        ({"several_words": "join"}, "Rēs Pūblica", ("Res_Publica",)),
        ({"several_words": "keep", "case": "lower"}, "Rēs Pūblica", ("res publica",)),
        ({"normalization": "none"}, "rēx", ("rex",)),
        ({"spelling": "source"}, "rēgīna", ("rēgīna",)),
        ({"spelling": "source"}, "re\u0304x", ("rēx",)),
        ({"spelling": "source", "normalization": "NFD"}, "rēx", ("re\u0304x",)),
    ],
)
def test_macrons_of_latin_are_those_of_dictionaries(choice, label, words):
    policy = LabelPolicy(**choice)
    assert words_of(label, policy, "la") == words
    mended = outcome_of(label, policy, spelling.spelling_of("la")).mended
    assert mended == ((MENDED[1],) if policy.spelling == "texts-1" else ())
    assert words_of("rēx", policy, "lv") == words_of("rēx", replace(policy, spelling="source"), "la")


@pytest.mark.parametrize(
    ("alias", "label", "english", "words"),
    [
        ("bho", "Bhojpuri", "Bhojpuri", ()),
        ("bn", "bengali", "Bengali language", ()),  # as French writes it
        ("mw", "Malawi", "Malawi", ()),
        ("A.P", "Andhra Pradesh", "", ()),
        ("subject:sociology", "sociologist", "", ()),
        ("G♭", "", "", ()),
        ("St. Kitts (G♭)", "", "", ()),
        ("roi", "monarque", "monarch", ("roi",)),
        ("rot", "Rot", "red", ("rot",)),
        ("USA", "United States", "United States", ("USA",)),
        ("Art-déco", "art deco", "", ("Art-déco",)),
        ("Jo'burg (city)", "Johannesburg", "", ("Jo'burg",)),
    ],
)
def test_aliases_that_stand_in_no_text_as_a_word_are_left_out(alias, label, english, words):
    assert words_of_alias(alias, label, english, DEFAULT, "en") == words


def test_names_of_several_words_may_have_full_stops():
    keep = LabelPolicy(several_words="join")
    assert words_of_alias("St. Louis", "", "", keep, "en") == ("St._Louis",)


def test_the_languages_with_a_dotless_i_are_those_of_evaluator():
    assert spelling.TURKIC == normalization._TURKIC
    assert set(spelling.TURKIC) <= languages().keys()


@pytest.mark.parametrize("language", ["tr", "az", "kaa"])
@pytest.mark.parametrize("case", ["lower", "fold"])
@pytest.mark.parametrize("normalization", ["NFC", "NFD"])
def test_turkic_case(language, case, normalization):
    policy = LabelPolicy(case=case, normalization=normalization)
    assert (
        words_of("İZMİR", policy, language) == words_of("i\u0307zmi\u0307r", policy, language) == ("izmir",)
    )
    assert words_of("ISPARTA", policy, language) == ("ısparta",)


@pytest.mark.parametrize("field", ["normalization", "case", "several_words", "parentheses", "comma", "slash"])
def test_unknown_choice_is_refused(field):
    with pytest.raises(PolicyError, match=rf"{field}.*'maybe'.*choose from"):
        LabelPolicy(**{field: "maybe"})


def test_an_unknown_language_is_refused():
    assert words_of("IĞDIR", LabelPolicy(case="lower"), "Turkish") == ("ığdır",)
    with pytest.raises(LanguageError, match="'turkic'"):
        words_of("IĞDIR", DEFAULT, "turkic")


def test_minimum_words_must_be_positive():
    for wrong in ({"aliases": "no"}, {"minimum_words": 4.5}, {"minimum_words": "4"}):
        with pytest.raises(PolicyError, match=r"True or False|a whole number"):
            LabelPolicy(**wrong)
    with pytest.raises(PolicyError, match=r"minimum_words.*0"):
        LabelPolicy(minimum_words=0)
    assert LabelPolicy(minimum_words=1).minimum_words == 1


@given(st.text(), st.sampled_from(["drop", "join"]), st.sampled_from(["keep", "lower", "fold"]))
def test_words_are_words(label, several_words, case):
    """For any label: no white space, at least one letter, the normalization form, no repeats."""
    policy = LabelPolicy(several_words=several_words, case=case)
    words = words_of(label, policy, "en")
    assert len(set(words)) == len(words)
    for word in words:
        assert not any(character.isspace() for character in word)
        assert any(unicodedata.category(character).startswith("L") for character in word)
        assert unicodedata.is_normalized("NFC", word)


def test_what_differs_from_the_default():
    """A policy that states every choice of the default differs in nothing."""
    default = {
        "normalization": "NFC",
        "case": "keep",
        "several_words": "drop",
        "parentheses": "strip",
        "comma": "strip",
        "slash": "split",
        "aliases": False,
        "mul": True,
        "any_script": False,
        "spelling": "texts-1",
        "minimum_words": None,
    }
    assert LabelPolicy().as_dict() == default
    assert LabelPolicy(**default).changes() == LabelPolicy().changes() == {}
    changed = {"case": "fold", "comma": "drop", "aliases": True, "mul": False, "any_script": True}
    assert LabelPolicy(**changed).changes() == changed


@pytest.mark.parametrize(
    ("choice", "label", "reasons"),
    [
        ({}, "Gallia", ()),
        ({}, "Civitates Foederatae", ("several words",)),
        ({}, "2026", ("no letter",)),
        ({}, "", ("no letter",)),
        ({}, "Bolzano/Bozen an der Talfer", ("several words",)),
        ({"slash": "drop"}, "Bolzano/Bozen", ("slash",)),
        ({"parentheses": "drop"}, "Georgia (country)", ("parentheses",)),
        ({"comma": "drop"}, "Paris, Texas", ("comma",)),
        ({"several_words": "join"}, "New York", ()),
    ],
)
def test_what_is_dropped_has_a_reason(choice, label, reasons):
    assert why_dropped(label, LabelPolicy(**choice), "en") == reasons


@given(st.text(max_size=20), st.sampled_from(["split", "keep", "drop"]), st.sampled_from(["drop", "strip"]))
def test_a_label_gives_words_or_a_reason(label, slash, parentheses):
    policy = LabelPolicy(slash=slash, parentheses=parentheses)
    assert words_of(label, policy, "en") or why_dropped(label, policy, "en")


def test_choices_are_written_and_read_as_texts():
    chosen = {"case": "fold", "several_words": "join", "aliases": True, "mul": False, "spelling": "source"}
    texts = ["case=fold", "several-words=join", "aliases=yes", "mul=no", "spelling=source"]
    policy = LabelPolicy(**chosen, minimum_words=7)
    assert policy.as_texts() == texts, "the fewest words have an option of their own"
    assert LabelPolicy(minimum_words=7).with_choices(*texts) == policy
    assert DEFAULT.with_choices(" several_words = keep ").several_words == "keep"
    for text in texts:
        assert LabelPolicy.described().count(text.partition("=")[0]) == 1
    assert "aliases=yes|no" in LabelPolicy.described()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("size=4", r"no choice 'size=4'; choose from normalization=NFC\|NFKC.*any-script=yes\|no"),
        ("minimum-words=4", "no choice 'minimum-words=4'"),
        ("case", "case cannot be ''; choose from keep, lower, fold"),
        ("aliases=True", "aliases cannot be 'True'; choose from yes, no"),
    ],
)
def test_texts_that_are_no_choices(text, said):
    with pytest.raises(PolicyError, match=said):
        DEFAULT.with_choices(text)


def test_two_choices_that_contradict_each_other_are_refused():
    assert DEFAULT.with_choices("any-script=yes", "any_script=yes").any_script
    with pytest.raises(PolicyError, match=r"^label policy: any_script is yes and no; give one of them$"):
        DEFAULT.with_choices("any-script=yes", "case=fold", "any_script=no")
