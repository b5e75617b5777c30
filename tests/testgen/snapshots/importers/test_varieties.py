"""Codes of the languages of a word list."""

from __future__ import annotations

import csv

import pytest

from testgen.languages.codes import is_registered, languages
from testgen.snapshots.importers.varieties import Variety, codes_of


def codes(*given):
    varieties = [Variety(str(number), *each) for number, each in enumerate(given)]
    found, special = codes_of(varieties)
    assert special.keys() == {code for code in found.values() if "-x-" in code}
    return [found[each.id] for each in varieties]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("swe", "Swedish", "swed1254"), ("swe", "Old Swedish", "swed1254")], ["sv", "gmq-x-osw"]),
        ([("pol", "Old Polish", "poli1260")], ["zlw-x-opl"]),
        ([("slv", "Slovene", ""), ("slv", "Slovene: Kostel", "")], ["sl", "sl-x-slovene-kostel"]),
        ([("lez", "Lezgi", ""), ("lez", "Lezgian (Quba)", "")], ["lez-x-lezgi", "lez-x-lezgian-quba"]),
        (
            [("por", "Portuguese", "port1283"), ("por", "Portuguese: Brazilian", "braz1246")],
            ["pt", "pt-x-braz1246"],
        ),
        (
            [("grc", "Greek: Ancient", "anci1242"), ("grc", "Greek: New Testament", "koin1234")],
            ["grc", "grc-x-koin1234"],
        ),
        (
            [("bre", "Breton: Treger", "treg1244"), ("bre", "Breton: Gwened", "vann1244")],
            ["br-x-treg1244", "br-x-vann1244"],
        ),
        (
            [("mkd", "Macedonian", "mace1250"), ("mkd", "Macedonian: Suho", "mace1250")],
            ["mk", "mk-x-mace1250"],
        ),
        (
            [("lbe", "Lak (Shali)", "lakk1252"), ("lbe", "Lak (Arakul)", "lakk1252")],
            ["lbe-x-lak-shali", "lbe-x-lak-arakul"],
        ),
        ([("lbe", "Lak", ""), ("lbe", "Lak", "")], ["lbe-x-lak-0", "lbe-x-lak-1"]),
        ([("pbt", "Pashto", ""), ("pbu", "Northern Pashto", "")], ["ps", "ps-x-northern-pashto"]),
        (
            [("", "Latin", ""), ("", "Bulang", "blan1242"), ("", "Bulang-2", "blan1242")],
            ["la", "mis-x-bulang", "mis-x-bulang-2"],
        ),
        (
            [("bsh", "Kâta-vari: Ktivi", ""), ("bsh", "Kâta-vari: Eastern", "")],
            ["bsh-x-kata-vari-ktivi", "bsh-x-kata-vari-eastern"],
        ),
        ([("", "漢", ""), ("", "字", "")], ["mis-x-0", "mis-x-1"]),
        (
            [("nrm", "Narom A", "naro1251"), ("nrm", "Narom B", "naro1252")],
            ["mis-x-nrm-naro1251", "mis-x-nrm-naro1252"],
        ),
    ],
)
def test_each_has_a_code_of_its_own(given, expected):
    found = codes(*given)
    assert found == expected
    assert all(is_registered(languages()[code].tag) for code in found)


@pytest.mark.parametrize("name", ["iecor", "ids", "wold", "northeuralex"])
def test_no_two_languages_of_real_lists_share_a_code(shared_data, name):
    path = shared_data / "lexicons" / name / "languages.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [
            Variety(each["ID"], each["ISO639P3code"], each["Name"], each["Glottocode"])
            for each in csv.DictReader(file)
        ]
    found, special = codes_of(rows)
    assert len(set(found.values())) == len(rows)
    assert all(is_registered(languages()[code].tag) for code in found.values())
    if name == "iecor":
        assert {
            "gmq-x-osw": "Old Swedish",
            "zlw-x-ocs": "Old Czech",
            "zlw-x-opl": "Old Polish",
        }.items() <= special.items()
        assert {"sv", "cs", "pl", "grc", "el"} <= set(found.values())
