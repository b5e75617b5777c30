"""Orthography profiles: what each changes, what holds for all, and what they find in real texts."""

from __future__ import annotations

import csv
import gzip
import itertools
import pickle
import unicodedata
from collections import Counter, defaultdict
from functools import cache

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from evaluator.errors import ScoreError
from evaluator.text.normalization import Profile, parse_profile, profiles, suggested
from tests.conftest import REPOSITORY
from tools.tables import rows

EXAMPLES = {
    "latin": {
        "Jūlius": "Iulius",
        "VRBS": "URBS",
        "vĕnī": "ueni",
        "ǣtās": "aetas",
        "Œdipus": "Oedipus",
        "ÆNEAS": "AENEAS",
        "poëta": "poeta",
        "ęcclesia": "aecclesia",
        "dn\u0303s": "dñs",
    },
    "greek": {
        "λόγος": "λογοσ",
        "λόγοϲ": "λογοσ",
        "ᾠδῇ": "ωδη",
        "προΐστημι": "προιστημι",
        "\u0313Εχίδνης": "Εχιδνησ",
        "\u1fbfΕχίδνης": "Εχιδνησ",
        "ΠΑΪΣ": "ΠΑΙΣ",
        "ϑεός": "θεοσ",
        "café": "café",
    },
    "hebrew": {
        "בְּרֵאשִׁ֖ית": "בראשית",
        "שָׁלוֹם": "שלום",
        "\ufb2a": "ש",
        "יי\u05b7נגל": "יינגל",
        "ײנגל": "יינגל",
        "מלך": "מלך",
        "ﬡ": "א",
    },
    "arabic": {
        "مُحَمَّد": "محمد",
        "أحمد": "احمد",
        "إسلام": "اسلام",
        "آدم": "ادم",
        "ٱلرَّحْمَٰن": "الرحمن",
        "قـــرآن": "قران",
        "ﻼ": "لا",
        "سؤال": "سؤال",
        "على": "على",
        "علي": "علي",
        "مكتبة": "مكتبة",
    },
    "arabic-clitics": {
        "والأرض": "ارض",
        "للصلاة": "صلاة",
        "فبالليل": "ليل",
        "اليد": "يد",
        "وَجْهُهُ": "وجه",
        "نعمتهم": "نعمة",
        "ولباسهم": "لباس",
        # Words of their own: "ruby", "dates", "silver", "Babylon"; and what could be a verb or a name.
        "ياقوت": "ياقوت",
        "تمر": "تمر",
        "فضة": "فضة",
        "بابل": "بابل",
        "فذهب": "فذهب",
        "كريب": "كريب",
        "قدمنا": "قدمنا",
        "سيسمع": "سيسمع",
        "ال": "ال",
        "و": "و",
    },
    "persian": {"كتابي": "کتابی", "می\u200cروم": "میروم", "آب": "آب", "گچ": "گچ", "ہے": "ہے"},
    "serbian": {
        "Љубав": "Ljubav",
        "ЉУБАВ": "LJUBAV",
        "Њ": "NJ",
        "ђак": "đak",
        "џеп": "džep",
        "ǆep": "džep",
        "инјекција": "injekcija",
        "с\u0301утра": "śutra",
        "новый": "новый",
        "čaša": "čaša",
    },
    "norse": {"Danmǫrk": "Danmörk", "øx": "öx", "bœr": "bær", "ǫ\u0301ss": "áss", "Ø": "Ö", "þat": "þat"},
    "middle-high-german": {
        "tag": "tac",
        "TAG": "TAC",
        "lamb": "lamp",
        "kindes": "kindes",
        "bock": "boc",
        "acker": "acker",
        "schiff": "schif",
        "SCHIFF": "SCHIF",
        "minne": "minne",
        "eȥȥen": "ezzen",
        "waʒ": "waz",
        "rigg": "ric",
        "mûs": "mus",
        "mūs": "mus",
        "stǣte": "stæte",
        "wëc": "wec",
        "künec": "künec",
        "naan": "naan",
        "tac-werk": "tac-werc",
        "d": "d",
        "год": "год",
    },
    "akkadian-lemmas": {
        "šarru_I": "šarru",
        "šarru_ii": "šarru",
        "banû_IV": "banû",
        "s\u030carru_I": "šarru",
        "šamuʾ_I": "šamuʾ",
        "šarru[king]N": "šarru",
        "awātu[word//matter]N'N": "awātu",
        "šarru_NOUN": "šarru_NOUN",
        "bīt_ili": "bīt_ili",
        "šarru": "šarru",
        "_I": "_I",
        "[king]N": "[king]N",
        "I": "I",
        "𒈗_I": "𒈗_I",
    },
    "telugu": {
        "సింహంబు": "సింహము",
        "వనం": "వనము",
        "వనము": "వనము",
        "వనంబులు": "వనంబులు",
        "సంజ": "సంజ",
        "గుఱ్ఱము": "గుర్రము",
        "మేఁక": "మేక",
        "కోఁ": "కో",
        "ఁ": "ఁ",
        "ం": "ం",
        "वनं": "वनं",
    },
    "malayalam": {
        "അവന്\u200d": "അവൻ",
        "കല്\u200d": "കൽ",
        "താഴ്\u200cവര": "താഴ്വര",
        "കല്ല്": "കല്ല്",
        "\u200d": "\u200d",
    },
    "turkish": {"IĞDIR": "ığdır", "İstanbul": "istanbul", "I\u0307zmir": "izmir", "i\u0307zmir": "izmir"},
    "strip-marks": {"Ёлка": "Елка", "Čaša": "Casa", "ὅμηρος": "ομηρος", "שָׁ": "שָׁ", "कि": "कि", "ø": "ø"},
    "nfc": {"πατη\u0301ρ": "πατήρ", "Jūlius": "Jūlius"},
    "fold": {"Straße": "strasse", "ΣΑΣ": "σασ", "IĞDIR": "iğdir", "İ": "i"},
    "sanskrit": {
        "saṃskṛtam": "संस्कृतम्",
        "Rāma": "राम",
        "so'pi": "सोऽपि",
        "tadā’’dityaḥ": "तदाऽऽदित्यः",
        "agním": "अग्निम्",
        "īḷe": "ईळे",
        "kḷpta": "कॢप्त",
        "r\u0325ṣi": "ऋषि",
        "praüga": "प्रउग",
        "nirṛti": "निर्ऋति",
        "निरृति": "निर्ऋति",
        "संजय": "सञ्जय",
        "शंकर": "शङ्कर",
        "संनिधि": "सन्निधि",
        "संयम": "संयम",
        "रामं": "रामम्",
        "अ॒ग्निमी॑ळे": "अग्निमीळे",
        "नरॊत्तम": "नरोत्तम",
        "मूढ\u093c": "मूढ",
        "ॐ": "ओम्",
        "108": "१०८",
        "quick": "quick",
    },
    "slp1": {
        "mfdaNga": "मृदङ्ग",
        "jaNGAkarika": "जङ्घाकरिक",
        "aYjaliH": "अञ्जलिः",
        "so'pi": "सोऽपि",
        "khaga": "खग",
        "Kaga": "खग",
        "vādyopakaraṇam": "वाद्योपकरणम्",
        "vAdyopakaraRam": "वाद्योपकरणम्",
    },
    "wx": {
        "meGavAhana": "मेघवाहन",
        "sawwva": "सत्त्व",
        "kqRNa": "कृष्ण",
        "jFAna": "ज्ञान",
        "SrIH": "श्रीः",
        "rāma": "राम",
        "Quebec": "ॠउएबेच्",
    },
}
PAIRS = [(name, *pair) for name, pairs in EXAMPLES.items() for pair in pairs.items()]
COMBINATIONS = [
    *profiles(),
    *(
        pytest.param(
            "+".join(names), marks=[pytest.mark.slow] * (names not in itertools.pairwise(profiles()))
        )
        for names in itertools.combinations(profiles(), 2)
        if names != ("slp1", "wx")
    ),
]
LETTERS = (
    "aAeijJuUvVxzqkKgdſȥʒæÆœęßIİıñōüǫøœčđǆǈ'’0ªｑ"
    "\u0300\u0301\u0303\u0304\u0306\u0307\u0308\u0313\u0323\u0325\u0328\u0345\u034f"
    "αάᾳΐςΣϲϑ\u1fbfйѐѓаЉњџ"
    "אםשׁ\u05b7ײﭏאָ"
    "اأآٱىيكةؤـ\u064e\u0651\u0653\u0654\u0670\u06dbﷲﹱﻻی\u200c"
    "अइऋकङमरढऽ\u093c\u0902\u0903\u093e\u093f\u0943\u094d\u0951ऎॐ१\u200d"
    "_[]vX"
    "നൻല\u0d4dക\u200d"
    "కఱర\u0c01\u0c02బుము\u0c4d"
)
WORDS = st.text(st.sampled_from(LETTERS), max_size=7) | st.text(max_size=5)


@pytest.mark.parametrize(("name", "word", "spelled"), PAIRS)
def test_examples(name, word, spelled):
    assert parse_profile(name)(word) == unicodedata.normalize("NFC", spelled)


def test_every_profile_has_examples():
    assert sorted(EXAMPLES) == profiles()


def documented():
    """Name and column of examples of each row of the table of profiles."""
    table = rows(REPOSITORY / "docs" / "tables" / "orthography-profiles.csv")
    return [(name.strip("`"), examples) for name, _, examples, _ in table[1:]]


def test_every_profile_is_documented():
    assert sorted(name for name, _ in documented()) == profiles()


@pytest.mark.parametrize(("name", "examples"), documented())
def test_documented_examples(name, examples):
    for same in examples.split(", "):
        spellings = {parse_profile(name)(word) for word in same.split(" = ")}
        assert len(spellings) == 1, same


@pytest.mark.parametrize("text", COMBINATIONS)
@given(word=WORDS)
@example(word="\u0902\u0902")
@example(word="a\u0308q")
@example(word="ـ")
@example(word="ا\u06db\u0654")
def test_every_combination_is_a_normal_form(text, word):
    profile = parse_profile(text)
    once = profile(word)
    assert profile(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert bool(once) == bool(word)
    assert profile(unicodedata.normalize("NFD", word)) == once


@given(word=WORDS)
@pytest.mark.parametrize("name", ["slp1", "wx"])
def test_all_at_once_end_too(name, word):
    everything = parse_profile("+".join(set(profiles()) - {"slp1", "wx"} | {name}))
    assert everything(everything(word)) == everything(word)


def test_a_profile_is_a_value():
    profile = parse_profile(" Fold + latin+fold")
    assert profile == parse_profile("latin+fold") == Profile(("latin", "fold"))
    assert hash(profile) == hash(parse_profile("latin+fold"))
    assert str(profile) == profile.name == "latin+fold"
    assert parse_profile(str(profile)) == profile
    assert pickle.loads(pickle.dumps(profile)) == profile  # noqa: S301
    assert profile("Jūlius") == "iulius"


def test_case_is_folded_after_what_needs_it():
    assert parse_profile("fold+slp1")("aYjali") == "अञ्जलि"
    assert parse_profile("fold+greek")("ᾼδης") == "αδησ"  # folded first, ᾳ would be αι
    assert parse_profile("fold+turkish")("IĞDIR") == "ığdır"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("latn", "unknown orthography profile 'latn'; did you mean latin?"),
        ("latin+gerek", "did you mean greek?"),
        ("klingon-ish", "unknown orthography profile 'klingon-ish'. Choose from akkadian-lemmas, arabic,"),
        ("", "unknown orthography profile ''. Choose from"),
        ("slp1+wx", "name only one of them"),
    ],
)
def test_wrong_names(text, message):
    with pytest.raises(ScoreError, match=regex.escape(message)):
        parse_profile(text)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("la", "latin"),
        ("grc", "greek"),
        ("he", "hebrew"),
        ("ar", "arabic"),
        ("fa", "persian"),
        ("ur", "persian"),
        ("tr", "turkish"),
        ("az", "turkish"),
        ("kk-latn", "turkish"),
        ("sr", "serbian"),
        ("sr-Cyrl", "serbian"),
        ("sr_el", "serbian"),
        ("sa", "sanskrit"),
        ("non", "norse"),
        ("gmh", "middle-high-german"),
        ("te", "telugu"),
        ("ml", "malayalam"),
        ("akk", "akkadian-lemmas"),
    ],
)
def test_suggestions(code, name):
    assert suggested(code) == name


@pytest.mark.parametrize("code", ["en", "kk", "el", "xx", ""])
def test_no_suggestion(code):
    assert suggested(code) is None


# An IAST transliteration by the names that Unicode gives to Devanagari, independent of the tables under test.
MARKED = {"NGA": "ṅ", "NYA": "ñ", "SHA": "ś", "SSA": "ṣ", "LLA": "ḻ"} | {"NNA": "ṇ", "VOCALIC R": "ṛ"}
MARKED |= {"TTA": "ṭ", "TTHA": "ṭh", "DDA": "ḍ", "DDHA": "ḍh"} | {"AA": "ā", "II": "ī", "UU": "ū"}
MARKED |= {"VOCALIC RR": "ṝ", "VOCALIC L": "ḷ", "VOCALIC LL": "ḹ"}
MARKED |= {"SIGN ANUSVARA": "ṃ", "SIGN VISARGA": "ḥ", "SIGN AVAGRAHA": "'"}
CONSONANT, VOWEL, SIGN = "[क-नप-रलळवश-ह]", "[अ-ऌॠएऐओऔ]", "[\u093e-\u0944\u0962\u0947\u0948\u094b\u094c]"
SYLLABLES = regex.compile(
    f"(?:(?:(?!ऌ{VOWEL}){VOWEL}|{CONSONANT}(?:{SIGN}|\u094d(?!{VOWEL}))?)[ंः]?(?:ऽ{{1,2}}(?!$))?)+"
)


@cache
def roman(character):
    name = unicodedata.name(character).removeprefix("DEVANAGARI ").removeprefix("LETTER ")
    name = name.removeprefix("VOWEL SIGN ")
    if name in MARKED:
        return MARKED[name]
    return (
        name.lower() if regex.match(VOWEL, character) or regex.match(SIGN, character) else name[:-1].lower()
    )


def iast(word):
    parts = []
    for character, following in zip(word, word[1:] + " ", strict=True):
        if character == "\u094d":
            continue
        bare = regex.match(CONSONANT, character) and not regex.match(f"{SIGN}|\u094d", following)
        hiatus = parts and parts[-1].endswith("a") and character in "इउ"
        parts.append({"इ": "ï", "उ": "ü"}[character] if hiatus else roman(character) + "a" * bool(bare))
    return "".join(parts)


@cache
def letter_runs(path):
    """Different ones, of the first part of a corpus: enough to measure shares by."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        text = unicodedata.normalize("NFC", file.read(2_000_000))
    return set(regex.findall(r"[\p{L}\p{M}\p{N}\u200c\u200d]+", text))


@cache
def spelled(path, profile):
    respell = parse_profile(profile)
    return {word: respell(word) for word in letter_runs(path)}


@pytest.fixture(scope="module", autouse=True)
def forget():
    yield
    spelled.cache_clear()
    letter_runs.cache_clear()


@pytest.fixture(scope="module")
def corpora(shared_data):
    return shared_data / "corpora"


def test_iast_and_devanagari_round_trip():
    assert iast("प्रउगं") == "praügaṃ"
    assert iast("वाद्योपकरणम्") == "vādyopakaraṇam"


@pytest.mark.slow
def test_real_words_round_trip(corpora):
    sanskrit = parse_profile("sanskrit")
    words = sorted(word for word in letter_runs(corpora / "sanskrit.txt.gz") if SYLLABLES.fullmatch(word))[
        ::20
    ]
    assert len(words) > 2_000
    assert [word for word in words if sanskrit(iast(word)) != sanskrit(word)] == []


def fields(path, first):
    with path.open(encoding="utf-8", newline="") as lines:
        return {word for row in csv.reader(lines) for word in row[first:] if word}


@pytest.mark.parametrize(
    ("profile", "path", "first", "found_without", "found_with"),
    [
        ("slp1", "categorization/sanskrit/semantic_categories_slp1.csv", 1, 0, 0.2),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                ("slp1", "categorization/sanskrit/syntactic_categories_slp1.csv", 0, 0.001, 0.11),
                ("slp1", "analogy/sanskrit/syntactic_analogies_slp1.csv", 1, 0.001, 0.08),
                ("wx", "similarity/sanskrit/final_synonym_MCQs_AK.csv", 0, 0.001, 0.1),
            )
        ),
    ],
)
def test_sanskrit_test_words_meet_the_corpus(
    shared_data, corpora, profile, path, first, found_without, found_with
):
    words = fields(shared_data / "benchmarks" / path, first)
    found = words & letter_runs(corpora / "sanskrit.txt.gz")
    assert len(found) <= found_without * len(words)
    vocabulary = set(spelled(corpora / "sanskrit.txt.gz", profile).values())
    assert sum(parse_profile(profile)(word) in vocabulary for word in words) >= found_with * len(words)


@pytest.mark.parametrize(
    ("profile", "corpus", "share"),
    [
        ("latin", "latin", 0.035),
        pytest.param("greek", "ancient_greek", 0.08, marks=pytest.mark.slow),
        pytest.param("hebrew", "biblical_hebrew", 0.75, marks=pytest.mark.slow),
        pytest.param("middle-high-german", "middle_high_german", 0.14, marks=pytest.mark.slow),
    ],
)
def test_spellings_of_real_corpora_meet(corpora, profile, corpus, share):
    """The share of the word forms that meet another one which differs in spelling only."""
    forms = spelled(corpora / f"{corpus}.txt.gz", profile)
    shared = Counter(forms.values())
    assert sum(shared[form] > 1 for form in forms.values()) >= share * len(forms)


@pytest.mark.slow
def test_forms_that_middle_high_german_makes_one_are_mostly_of_one_lemma(corpora):
    """Tokens of the most frequent lemma of their form: 95.9% without the profile, 94.7% with it."""
    lemmas = defaultdict(Counter)
    respell = parse_profile("middle-high-german")
    texts = [corpora / f"middle_high_german{part}.txt.gz" for part in ("", "_lemmas")]
    with gzip.open(texts[0], "rt", encoding="utf-8") as words, gzip.open(texts[1], "rt") as named:
        pairs = Counter(pair for both in zip(words, named, strict=True) for pair in aligned(*both))
    for (word, lemma), number in pairs.items():
        lemmas[respell(word)][lemma] += number
    assert sum(max(found.values()) for found in lemmas.values()) > 0.94 * pairs.total()


def aligned(words, lemmas):
    return zip(words.split(), lemmas.split(), strict=True)


def test_words_of_a_dictionary_meet_the_latin_corpus(corpora):
    latin = parse_profile("latin")
    corpus = set(spelled(corpora / "latin.txt.gz", "latin").values())
    entries = [
        "Juppiter",
        "ǣtās",
        "jūdicium",
        "vīvō",
    ]
    assert {latin(word) for word in entries} <= corpus
