"""The card: metadata that the Hugging Face hub accepts, and what people read."""

from __future__ import annotations

import re

import pytest
import yaml

from testgen.exports.card import (
    DataSet,
    Summary,
    describing_files,
    hub_license,
    notes,
    origins,
    tag_of,
    test_set_files,
    write_data_set,
)
from testgen.languages.codes import languages
from tests.testgen.exports.made import WIKIDATA, parsed, section

test_set_files.__test__ = False  # a function of the card


def summary(language="la", **source):
    return Summary.of(
        parsed(language, [section("bird", ["aquila", "corvus,corax"])], source=WIKIDATA | source)
    )


def metadata(card):
    return yaml.safe_load(card.split("---\n")[1])


def card(*summaries, rows=0):
    files = {name: {"test": f"{name}.parquet"} for name in ("categories", "queries")}
    return describing_files(DataSet("Words", "About.", "feature-extraction", summaries, rows, files))[
        "README.md"
    ]


def test_metadata():
    found = metadata(card(summary("la"), summary("be-tarask"), summary("nb"), summary("und"), rows=12_345))
    assert found["language"] == ["be", "la", "nb"]
    assert found["language_bcp47"] == ["be-tarask"]
    assert found["license"] == "cc0-1.0"
    assert found["size_categories"] == ["10K<n<100K"]
    assert found["pretty_name"] == "Words in 4 languages"
    assert [each["config_name"] for each in found["configs"] if each["default"]] == ["categories"]


@pytest.mark.parametrize(
    ("rows", "size"),
    [(1, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (10**7 - 1, "1M<n<10M"), (10**7, "10M<n<100M")],
)
def test_sizes(rows, size):
    assert metadata(card(summary(), rows=rows))["size_categories"] == [size]


def test_every_language_has_a_code_that_the_hub_takes():
    for code, language in languages().items():
        if language.replaced_by is None:
            assert re.fullmatch("[a-z]{2,3}", tag_of(code).partition("-")[0]), code


@pytest.mark.parametrize(
    ("stated", "known"),
    [
        (None, {"license": "unknown"}),
        ("no licence stated", {"license": "unknown"}),
        ("CC BY 4.0", {"license": "cc-by-4.0"}),
        ("https://creativecommons.org/licenses/by-sa/4.0/", {"license": "cc-by-sa-4.0"}),
        ("http://creativecommons.org/publicdomain/zero/1.0/", {"license": "cc0-1.0"}),
        ("UNICODE LICENSE V3\n\nCOPYRIGHT", ("unicode-3.0",)),
        ("wordnet (English)", ("wordnet-english",)),
    ],
)
def test_licences(stated, known):
    if isinstance(known, tuple):
        known = {"license": "other", "license_name": known[0], "license_link": "LICENSE"}
    assert hub_license([summary(kind="snapshot", license=stated)]) == known


def test_the_licences_of_all_sources_go_with_the_card():
    parts = [WIKIDATA | {"name": name, "kind": "snapshot", "license": name * 3} for name in ("x", "y")]
    files = describing_files(test_set_files([summary(name="x + y", sources=parts)]))
    assert files["LICENSE"] == "xxx\n\nyyy"
    assert metadata(files["README.md"])["license_name"] == "several"
    assert "\n- x\n- y\n" in files["README.md"]
    assert describing_files(test_set_files([summary()])).keys() == {"README.md"}


def test_sources_that_named_nothing_are_left_out():
    parts = [
        WIKIDATA | {"name": name, "kind": "snapshot", "license": licence, "languages": languages}
        for name, licence, languages in (
            ("x", "CC BY 4.0", ["en"]),
            ("y", "y", []),
            ("z", "CC BY 4.0", ["la"]),
        )
    ]
    every = [summary("en", sources=parts[:2]), summary("la", sources=parts[1:])]
    assert hub_license(every) == {"license": "cc-by-4.0"}
    assert [each.name for each in origins(every)] == ["x", "z"]
    same = [summary(code, sources=[{**parts[0], "languages": [code]}, parts[1]]) for code in ("en", "la")]
    assert len(origins(same)) == 1


def test_what_stands_in():
    test_set = parsed("non", [section("bird", ["örn"], named_in="is"), section("tool", ["knífr"])])
    text = card(Summary.of(test_set))
    assert "\n\nOld Norse (non) has too few words of its own: Icelandic (is) stands in for bird.\n\n" in text


def test_what_was_corrected():
    table, without = {"name": "mine.tsv", "sha256": "abc"}, {"without": ["Q38", "Q39"]}
    made = [
        Summary.of(parsed(code, [section("bird", ["a"])], corrections=corrections))
        for code, corrections in (
            ("la", table | without),
            ("grc", table | without),
            ("eo", without),
            ("te", table),
        )
    ]
    said = "words of mine.tsv (SHA-256 abc) in place of those of the source"
    assert notes(made) == [
        f"Corrected in la, grc: {said}; without the items Q38, Q39.",
        "Corrected in eo: without the items Q38, Q39.",
        f"Corrected in te: {said}.",
    ]
    assert notes([summary()]) == []
    assert f"\n\nCorrected in te: {said}.\n\n" in card(made[3])


def test_what_people_read():
    text = card(
        summary("la", date="2026-11-01", sha256="abc"), summary("grc", date="2026-11-01", sha256="abc")
    )
    assert "| language | name | categories | words | relations | pairs |\n" in text
    assert "| la | Latin | 1 | 3 | 0 | 0 |\n" in text
    assert text.count("- Wikidata of 2026-11-01 (SHA-256 abc)\n") == 1
    assert re.search(r"made with testgen \S+ from Wikidata of 2026-11-01 \(SHA-256 abc\)\.", text)
    assert "public domain (CC0)" in text


def test_a_data_set_replaces_an_earlier_one_but_no_file_that_somebody_changed(tmp_path):
    data = test_set_files([summary(kind="snapshot", license="UNICODE LICENSE V3")])
    assert write_data_set(tmp_path, data, {"la.json": b"1", "grc.json": b"2", "te.json": b"3"}) == []
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert first.keys() == {"README.md", "LICENSE", "la.json", "grc.json", "te.json"}
    assert (first["la.json"], first["LICENSE"]) == (b"1", b"UNICODE LICENSE V3")
    assert metadata(first["README.md"].decode())["license_link"] == "LICENSE"
    (tmp_path / "te.json").write_bytes(b"mine")
    assert write_data_set(tmp_path, data, {"la.json": b"4"}) == ["grc.json"]
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert left.keys() == {"README.md", "LICENSE", "la.json", "te.json"}
    assert (left["la.json"], left["te.json"]) == (b"4", b"mine")
    assert b"unfinished" not in left["README.md"]
