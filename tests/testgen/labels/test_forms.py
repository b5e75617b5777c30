"""How many names are in a form that texts do not have, by reason; and words in a phonetic alphabet."""

from __future__ import annotations

import pytest

from testgen import LabelPolicy
from testgen.labels.forms import PHONETIC, Forms, FormsByLanguage, is_phonetic

MALTESE = ["ˈdɪnjɐ", "ˈɐrt", "hɐmˈriːjɐ", "ɪtˈtnɛjn"]


@pytest.mark.parametrize("word", MALTESE)
def test_a_transcription_is_phonetic(word):
    assert is_phonetic(word, "mt")


@pytest.mark.parametrize(
    ("language", "word"),
    [("mt", "ħamrija"), ("ak", "ɔkɔtɔ"), ("az", "gəlin"), ("ha", "ɓera"), ("is", "maður"), ("fr", "œuf"),
     ("el", "θάλασσα"), ("vi", "chó"), ("ee", "ŋku"), ("haw", "ʻāina"), ("ewo", "mǝndím"), ("la", "mǣror")],
)  # fmt: skip
def test_a_spelling_is_not(language, word):
    assert not is_phonetic(word, language)


def counted(code, names, policy=LabelPolicy()):  # noqa: B008  # it is immutable
    forms = FormsByLanguage()
    for name in names:
        forms.count(name, policy, code)
    return forms


def test_names_are_counted_by_reason_with_three_examples():
    names = ["соба́ка", "ко́шка", "ко́шка", "ло́шадь", "бы́к", "*вълкъ", "-ище", *["слон", "Новая Зеландия"] * 10]
    (forms,) = counted("ru", names).values()
    assert (forms.names, forms.odd) == (27, 7)
    assert forms.counts == {
        "marks that only dictionaries write": 5, "reconstructed form": 1, "part of a word": 1,
    }  # fmt: skip
    assert forms.examples["marks that only dictionaries write"] == ["соба́ка", "ко́шка", "ло́шадь"]
    assert forms.share == pytest.approx(7 / 27)


def test_more_than_a_tenth_is_told_of_with_the_option_that_helps():
    few, many = counted("ru", ["бы́к", *["слон"] * 19]), counted("mt", [*MALTESE, *["dinja"] * 20])
    assert few.described() == (
        "Not spelled as in texts: 1 of 20 names: marks that only dictionaries write 1 (бы́к), mended."
    )
    assert (counted("ru", ["слон"] * 20).described(), list(few.warnings())) == ("", [])
    examples = f"{PHONETIC} 4 (ˈdɪnjɐ, ˈɐrt, hɐmˈriːjɐ), kept"
    assert many.described() == f"Not spelled as in texts: 4 of 24 names: {examples}."
    (of_language,) = many.warnings()
    assert of_language.startswith("testgen: mt: 4 of 24 names (17%) are not spelled")
    assert of_language.endswith("`testgen snapshot import cldf --column`)")


def test_with_the_spelling_of_the_source_nothing_is_mended():
    policy = LabelPolicy(spelling="source")
    assert not counted("ru", ["соба́ка"], policy).odd


def test_a_test_set_and_an_import_tell(command, tmp_path):
    marked = ["саба́ка", "ко́шка", "каро́ва", "мы́ш", "во́ўк", "ліса́", "за́яц", "ко́нь", "асё́л", "ве́прук"]
    (tmp_path / "s.ttl").write_text(
        "@prefix wd: <http://www.wikidata.org/entity/> .\n"
        "@prefix wdt: <http://www.wikidata.org/prop/direct/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        + "".join(f'wd:Q{n} wdt:P31 wd:Q3624078 ; rdfs:label "{w}"@be .\n' for n, w in enumerate(marked, 1)),
        encoding="utf-8",
    )
    asked = ("generate", "be", "--source", tmp_path / "s.ttl", "-c", "country", "--output", tmp_path)
    code, _, err = command(*asked)
    assert code == 0
    assert "be: 10 of 10 names (100%) are not spelled as in texts: marks that only dictionaries" in err
    assert "--policy spelling=source" in err
    code, _, err = command(*asked, "--policy", "spelling=source")
    assert (code, err) == (0, "")


def test_of_no_names_no_share_is_odd():
    found = Forms()
    assert (found.share, found.are_many, found.described()) == (0.0, False, "")


@pytest.mark.parametrize(
    ("odd", "others", "many"), [(2, 18, True), (1, 10, False), (1, 9, True), (1, 8, False), (3, 17, True)]
)
def test_a_tenth_of_ten_names_or_more_are_many(odd, others, many):
    (forms,) = counted("ru", [*["бы́к"] * odd, *["слон"] * others]).values()
    assert forms.are_many is many
