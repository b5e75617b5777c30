"""Word lists whose forms are phonetic: which cell has the spelling."""

from __future__ import annotations

import pytest

from testgen.snapshots.importers.cldf import read_cldf
from testgen.snapshots.importers.transcriptions import Written, words_as_spelled

KINDS = ("StandardOrth", "Phonetic")
MALTESE = [("ˈdɪnjɐ", "dinja"), ("ˈɐrt", "art"), ("hɐmˈriːjɐ", "ħamrija")]


def test_of_phonetic_forms_the_spelled_values_are_taken():
    forms = [Written(form, value, [form], KINDS) for form, value in MALTESE]
    assert words_as_spelled(forms, "mt") == ["dinja", "art", "ħamrija"]
    other_order = [Written(form, form, [value], ["Phonemic", "StandOrth"]) for form, value in MALTESE]
    assert words_as_spelled(other_order, "mt") == ["dinja", "art", "ħamrija"]
    nothing_said = [Written(form, value) for form, value in MALTESE]
    assert words_as_spelled(nothing_said, "mt") == ["dinja", "art", "ħamrija"]


@pytest.mark.parametrize(
    "forms",
    [
        [Written(form, form, (), ("Phonetic",)) for form, _ in MALTESE],
        [Written(form, value, [form], ("CyrillTrans", "Phonetic")) for form, value in MALTESE],
        [Written(form, form) for form, _ in MALTESE],
        [Written(form) for form, _ in MALTESE],
    ],
)
def test_without_a_spelling_forms_stay(forms):
    assert words_as_spelled(forms, "mt") == [form for form, _ in MALTESE]


def test_forms_that_are_spelled_stay():
    assert words_as_spelled([Written("dinja", "Dinja (f)"), Written("ˈɐrt", "art")] * 2, "mt")[0] == "dinja"


def test_a_real_list_of_maltese_is_spelled_and_says_so(shared_data, command, tmp_path):
    metadata = shared_data / "public" / "cldf" / "spagnolmaltese" / "cldf-metadata.json"
    if not metadata.is_file():
        pytest.skip(f"{metadata} is not there")
    found = read_cldf(metadata)
    assert {"kelb", "qattus", "ħanżir"} & {word for words in found.words.values() for word in words["mt"]}
    assert found.of_values == {"mt"}
    assert not found.forms.odd.get("mt") or found.forms["mt"].share < 0.02
    code, _, err = command("snapshot", "import", "cldf", metadata, "-o", tmp_path / "m.ttl.gz")
    assert code == 0
    assert "the forms are phonetic: mt" in err
