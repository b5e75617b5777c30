"""Language codes in all their spellings."""

from __future__ import annotations

import gzip
import re
from collections import Counter

import pytest

from testgen import LanguageError
from testgen.languages.codes import (
    canonical,
    from_code,
    from_tag,
    languages,
    script_names,
    spellings_of,
    stand_in_map,
    tags_of,
    without_labels,
)


def test_the_table_is_sound():
    table = languages()
    assert len(table) > 600
    for code, language in table.items():
        assert language.name
        assert code == code.lower()
        assert language.scripts or code == "mul"
        assert language.replaced_by is None or table[language.replaced_by].replaced_by is None
    assert {each for language in table.values() for each in language.scripts} == script_names().keys()
    assert script_names()["Telu"] == "Telugu"


@pytest.mark.parametrize(
    ("spelling", "code"),
    [
        ("la", "la"),
        ("LA", "la"),
        ("no", "nb"),
        ("nb", "nb"),
        ("als", "gsw"),
        ("bat-smg", "sgs"),
        ("be-x-old", "be-tarask"),
        ("fiu-vro", "vro"),
        ("roa-rup", "rup"),
        ("zh-classical", "lzh"),
        ("zh-min-nan", "nan"),
        ("zh-yue", "yue"),
        ("en-simple", "simple"),
        ("crh-latn", "crh"),
        ("cbk-x-zam", "cbk-zam"),
        ("jv-x-bms", "map-bms"),
        ("fr-x-nrm", "nrm"),
        ("it-x-tara", "roa-tara"),
        ("sr-cyrl", "sr-ec"),
        ("sr-latn", "sr-el"),
        ("zh-hant-tw", "zh-tw"),
        ("zh_Hant", "zh-hant"),
        ("sux-xsux", "sux"),
        ("mis-x-Q36790", "sux"),
        ("mis-x-q113819406", "akk"),
    ],
)
def test_every_spelling_leads_to_the_code_in_use(spelling, code):
    assert canonical(spelling) == code
    assert from_tag(spelling.replace("_", "-")) == code


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Latin", "la"),
        ("ancient greek", "grc"),
        ("íslenska", "is"),
        (" Old Norse ", "non"),
        ("Arabic", "ar"),
        ("English", "en"),
    ],
)
def test_names_that_only_one_language_has(name, code):
    assert canonical(name) == code


@pytest.mark.parametrize(
    ("iso", "code"), [("lat", "la"), ("eng", "en"), ("SAN", "sa"), ("zho", "zh"), ("nor", "nb")]
)
def test_three_letter_codes_of_iso_639_3(iso, code):
    assert canonical(iso) == code
    assert from_tag(iso) is None  # no tag in RDF


@pytest.mark.parametrize(
    ("code", "name", "scripts"),
    [
        ("txb", "Tokharian B", ()),
        ("sa-latn", "Sanskrit (latn)", ("Latn",)),
        ("ket-cyrl-ru", "Ket (cyrl-ru)", ("Cyrl",)),
        ("de-1901", "German (1901)", ("Latn",)),
        ("mis-x-oldh1241", "mis-x-oldh1241", ()),
    ],
)
def test_languages_of_which_wikidata_has_no_names(code, name, scripts):
    assert canonical(code.upper()) == from_tag(code) == code
    assert code in tags_of({code})
    assert code not in languages()
    language = languages()[code]
    assert (language.name, language.scripts, language.tag) == (name, scripts, code)


@pytest.mark.parametrize("tag", ["qaa", "und", "zxx", "mis", "mis-x-q42", "x-mine", "txb-"])
def test_tags_that_are_no_language_s(tag):
    assert from_tag(tag) is None
    with pytest.raises(KeyError):
        languages()[tag]


def test_a_code_of_wikidata_s_own_goes_before_iso_639_3():
    assert canonical("als") == "gsw"  # Alemannic; in ISO 639-3 Tosk Albanian
    table = languages()
    iso = [language.iso639_3 for language in table.values() if language.iso639_3]
    assert len(iso) == len(set(iso)) > 180
    assert not table.keys() & set(iso)


@pytest.mark.parametrize("code", ["", "q", "LATI N", "la;DROP", "../la", "la/", "l\u0430", "-la"])
def test_malformed_codes_are_refused(code):
    with pytest.raises(LanguageError, match="`testgen languages`"):
        canonical(code)


def test_unknown_codes_name_the_nearest():
    with pytest.raises(LanguageError, match=r"'latim'.*la \(Latin\)"):
        canonical("latim")
    with pytest.raises(LanguageError, match="mul"):
        canonical("mul")


@pytest.mark.parametrize("tag", ["und", "zxx", "xx-yy"])
def test_tags_that_are_no_language(tag):
    assert from_tag(tag) is None


@pytest.mark.parametrize(
    ("text", "code", "fits"),
    [
        ("Douglas Adams", "la", True),
        ("Douglas Adams", "ru", False),
        ("Москва", "sr", True),
        ("Beograd", "sr", True),
        ("Beograd", "sr-ec", False),
        ("東京", "ja", True),
        ("東京", "ko", True),
        ("Ἀθῆναι", "grc", True),
        ("ירושלים", "he", True),
        ("Paris 2024!", "la", True),
        ("Aθ", "grc", False),
    ],
)
def test_scripts(text, code, fits):
    assert languages()[code].has_letters_of(text) is fits


@pytest.mark.parametrize(
    ("text", "code", "other"),
    [
        ("پنجاب", "pa", True),
        ("ਪੰਜਾਬ", "pa", False),
        ("پنجاب", "pnb", False),
        ("DVD", "he", True),
        ("DVD-נגן", "he", False),
        ("X射线", "zh", False),
        ("NATO", "ja", True),
        ("ナトー", "ja", False),
        ("北大西洋", "ko", False),
        ("Београд", "sr", False),
        ("Beograd", "sr", False),
        ("Beograd", "sr-ec", True),
        ("Toshkent", "uz", False),
        ("تاشکند", "kk", False),
        ("α-pinene", "en", False),
        ("Ωμέγα", "en", True),
        ("1984", "ru", False),
        ("µ", "ru", False),  # U+00B5 is common to all scripts
        ("", "ru", False),
        ("Pha̍k-fa", "hak", False),
    ],
)
def test_one_letter_of_its_own_makes_a_word_the_language_s(text, code, other):
    assert languages()[code].is_in_other_script(text) is other


def test_languages_without_labels_are_known_and_so_are_those_that_could_stand_in():
    for code, other in without_labels().items():
        assert canonical(code) == code
        assert other == "" or canonical(other) == other
        assert other not in without_labels() or other == ""
    assert without_labels()["non"] == "is"
    assert without_labels()["akk"] == ""
    assert stand_in_map(["akk=ara", "non=fo", "akk=ar"]) == {"akk": "ar", "non": "fo"}
    with pytest.raises(LanguageError, match=r"^non=fo and non=is: one stand-in for a language; give one$"):
        stand_in_map(["non=fo", "non=is"])


@pytest.mark.parametrize(
    "code", ["akk", "hit", "sux", "egy", "uga", "goh", "frm", "osx", "pro", "pli", "och", "ave"]
)
def test_languages_of_the_past(code):
    language = languages()[canonical(code)]
    assert {code, language.code} <= set(spellings_of(language.code))
    assert from_code(code) == language.code


@pytest.mark.slow
def test_names_in_other_scripts_in_a_slice_of_wikidata(shared_data):
    names, others = Counter(), Counter()
    pattern = re.compile(r'<[^>]+> <[^>]+[#/](label|altLabel)> "([^"\\]+)"@(\S+) \.')
    with gzip.open(shared_data / "wikidata" / "slice.nt.gz", "rt", encoding="utf-8") as file:
        for kind, text, tag in (match.groups() for match in map(pattern.match, file) if match):
            code = from_tag(tag)
            if code not in (None, "mul"):
                names[code, kind] += 1
                others[code, kind] += languages()[code].is_in_other_script(text)
    shares = {key: others[key] / names[key] for key in names}
    assert shares["pa", "altLabel"] > 0.95
    assert 0.1 < shares["ru", "label"] < 0.15
    # A language whose labels are mostly foreign has a script that the table does not know.
    assert [key for key in shares if names[key] >= 50 and key[1] == "label" and shares[key] > 0.2] == []


@pytest.mark.parametrize(("code", "script"), [("sl-rozaj", "Latn"), ("sl-cyrl", "Cyrl")])
def test_the_script_of_a_registered_code_is_its_own_or_that_of_the_language(code, script):
    assert languages()[code].scripts == (script,)
