"""Codes of ISO 639-3 in word lists."""

from __future__ import annotations

import pytest

from testgen.languages.codes import _members, from_iso639_3, languages


@pytest.mark.parametrize(
    ("iso", "code"),
    [
        ("als", "sq"),  # for Wikidata, Alemannic
        ("arb", "ar"),
        ("cmn", "zh"),
        ("nob", "nb"),
        ("nor", "nb"),
        ("lat", "la"),
        ("grc", "grc"),
        ("hbs", "sh"),
        ("nrm", "mis-x-nrm"),  # for Wikidata, Norman
        ("xcl", "xcl"),
        ("txb", "txb"),  # Wikidata has no names in it, nor in the next two
        ("ket", "ket"),
        ("ain", "ain"),
        ("mul", None),
        ("xyz", None),
        ("", None),
    ],
)
def test_codes(iso, code):
    assert from_iso639_3(iso) == code


def test_each_member_belongs_to_a_language_in_use():
    for code in filter(None, _members().values()):
        assert languages()[code].replaced_by is None
