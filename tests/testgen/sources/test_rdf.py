"""Files of RDF as sources: their answers, and the messages for files that are none."""

from __future__ import annotations

import gzip
import hashlib

import pytest

from testgen import SourceError, choose, class_query, open_source, read_query
from testgen.sources import Names
from testgen.sources.shipped import shipped_snapshots, unicode_notice


def test_rows_are_ordered_by_number_and_distinct(small):
    source = open_source(small)
    (country,) = choose(["country"])
    assert source.answer(country).rows == [("Q29",), ("Q30",), ("Q32",), ("Q38",), ("Q142",), ("Q183",)]
    (capital,) = choose(["country-capital"])
    assert source.answer(capital).rows[:2] == [("Q2807", "Q29"), ("Q61", "Q30")]


def test_names(small):
    france, berlin = open_source(small).names(["Q142", "Q999", "Q64"])
    assert france == Names(
        "Q142",
        {"en": "France", "la": "Gallia", "ru": "Франция"},
        {"la": ["Francia"], "de": ["Frankreich"]},
    )
    assert berlin == Names("Q64", {"mul": "Berlin"}, {"la": ["Berolinum"]})


def test_names_in_some_languages_come_with_english_and_neutral_ones(small, tmp_path):
    assert list(open_source(small).names(["Q142", "Q64"], {"la"})) == [
        Names("Q142", {"en": "France", "la": "Gallia"}, {"la": ["Francia"]}),
        Names("Q64", {"mul": "Berlin"}, {"la": ["Berolinum"]}),
    ]
    path = tmp_path / "tags.nt"
    label = "<http://www.wikidata.org/entity/Q1> <http://www.w3.org/2000/01/rdf-schema#label> "
    path.write_text(f'{label}"y"@it-x-tara .\n{label}"easy"@en-Simple .\n{label}"neu"@gsw .\n')
    (names,) = open_source(path).names(["Q1"], {"roa-tara", "simple"})
    assert names.labels == {"roa-tara": "y", "simple": "easy"}


def test_provenance(small):
    provenance = open_source(small).provenance
    assert provenance.as_dict() == {
        "kind": "snapshot",
        "name": "small",
        "date": "2026-11-01",
        "sha256": hashlib.sha256(small.read_bytes()).hexdigest(),
    }


def test_a_file_that_says_nothing_of_itself_is_called_by_its_name(tmp_path):
    path = tmp_path / "mine.nt.gz"
    path.write_bytes(gzip.compress(b"<http://www.wikidata.org/entity/Q1> <http://p> <http://o> .\n", mtime=0))
    provenance = open_source(path).provenance
    assert (provenance.name, provenance.date) == ("mine", None)


def test_tags_are_mapped_and_the_code_in_use_wins(tmp_path):
    path = tmp_path / "tags.nt"
    label = "<http://www.wikidata.org/entity/Q1> <http://www.w3.org/2000/01/rdf-schema#label> "
    tagged = {
        "als": "alt",
        "gsw": "neu",
        "en-simple": "easy",
        "nap-x-tara": "x",
        "it-x-tara": "y",
        "und": "?",
    }
    path.write_text("".join(f'{label}"{text}"@{tag} .\n' for tag, text in tagged.items()))
    (names,) = open_source(path).names(["Q1"])
    assert names.labels == {"gsw": "neu", "simple": "easy", "roa-tara": "y"}


def test_other_than_items_in_an_answer(small, tmp_path):
    path = tmp_path / "odd.rq"
    path.write_text(
        "#+ title: t\n#+ kind: category\n#+ topic: t\n#+ summary: s\n"
        "SELECT ?item WHERE { ?x <http://www.w3.org/2000/01/rdf-schema#label> ?item }"
    )
    with pytest.raises(SourceError, match=r"'odd'.*\?item"):
        open_source(small).answer(read_query(path))


def test_class_without_instances(small):
    assert open_source(small).answer(class_query("Q4022")).rows == []


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("x.csv", b"a,b\n", "not a source"),
        ("x.ttl", b"this is no RDF", "is not Turtle"),
        ("x.nt", b"<http://a> <http://b> <http", "is not N-Triples, or cut off"),
        ("x.ttl", b"", "holds no statements"),
        ("x.nt.gz", gzip.compress(b"<http://a> <http://b> <http://c> .\n" * 99, mtime=0)[:-9], "cut off"),
        ("x.ttl", b'<http://a> <http://b> "\xff" .', "is not Turtle"),
    ],
)
def test_what_is_no_snapshot(tmp_path, name, content, complaint):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SourceError, match=complaint) as raised:
        open_source(path)
    assert str(path) in str(raised.value)


def test_the_shipped_snapshots_and_the_notice():
    assert [path.name.partition("-")[0] for path in shipped_snapshots()] == ["cldr", "historical"]
    assert "UNICODE LICENSE" in unicode_notice().upper()


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(SourceError, match=r"none\.ttl: "):
        open_source(tmp_path / "none.ttl")
    (tmp_path / "d.ttl").mkdir()
    with pytest.raises(SourceError, match=r"d\.ttl: "):
        open_source(tmp_path / "d.ttl")


@pytest.mark.parametrize("term", ["http://schema.org/license", "http://creativecommons.org/ns#license", None])
def test_the_license_that_a_file_states_is_in_its_origin(small, tmp_path, term):
    path = tmp_path / "licensed.ttl"
    stated = f'<http://wikiba.se/ontology#Dump> <{term}> "CC0-1.0" .\n' if term else ""
    path.write_text(small.read_text(encoding="utf-8") + stated, encoding="utf-8")
    assert open_source(path).provenance.as_dict().get("license") == (term and "CC0-1.0")
