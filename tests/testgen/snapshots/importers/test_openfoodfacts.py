"""Taxonomies of Open Food Facts."""

from __future__ import annotations

import pytest

from testgen import SourceError
from testgen.snapshots.importers.openfoodfacts import read_openfoodfacts

# Made up, in the form of ingredients.txt.
TAXONOMY = """\
# comment
stopwords:en: and, or
synonyms:en: colour, color

en: fruit, fruits
xx: fructus
la: fructus

<en:fruits
en: apple, apples
fr: pomme, pommes
no: eple
# zh-hk:蘋果
xx: malum
vegan:en: yes
wikidata:en: Q89

< en: apple
en: green apple, apple\\, green
be-tarask: яблык

< en: fruit
fr: pâté d'été, fruits
wikidata:en:Q1

< en: fruit
en: second
wikidata:en: Q1

< en: not in this file
en: stone
"""


@pytest.fixture
def taxonomy(tmp_path):
    path = tmp_path / "ingredients.txt"
    path.write_text(TAXONOMY, encoding="utf-8")
    return path


def test_names_and_categories(taxonomy):
    found = read_openfoodfacts([taxonomy])
    (fruit,) = (category for category in found.members if category.name == "fruit")
    assert found.named(fruit) == {"Q89", "off:en:green-apple", "off:fr:pate-d-ete", "off:en:second"}
    assert found.words["Q89"] == {
        "en": ["apple", "apples"],
        "fr": ["pomme", "pommes"],
        "nb": ["eple"],
        "mul": ["malum"],
    }
    assert found.words["off:en:green-apple"]["en"] == ["green apple", "apple, green"]
    assert found.languages == {"en", "fr", "nb", "be-tarask"}
    assert "ODbL" in found.license


def test_ids_are_ascii(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("en: fruit\n\n< en: fruit\nru: яблоко\n", encoding="utf-8")
    (item,) = read_openfoodfacts([path]).items
    assert item == "off:ru:%D1%8F%D0%B1%D0%BB%D0%BE%D0%BA%D0%BE"


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("# nothing\nvegan:en: yes\n", encoding="utf-8")
    with pytest.raises(SourceError, match="Open Food Facts"):
        read_openfoodfacts([path])
