"""What one package writes is what the other reads; they share nothing else."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

import evaluator
import testgen
from testgen import LabelPolicy
from tools.documents import REPOSITORY

SCHEMA = json.loads(
    (REPOSITORY / "testgen" / "testset" / "testset.v2.schema.json").read_text(encoding="utf-8")
)
LANGUAGES = [
    pytest.param(["la", "eo"], id="some"),
    pytest.param(["sr-el", "he", "zh-hant", "ar", "en"], marks=pytest.mark.slow, id="others"),
]


@pytest.fixture(scope="module", params=LANGUAGES)
def languages(request):
    """Languages of the shipped snapshot."""
    return request.param


@pytest.fixture(scope="module")
def directory(languages, tmp_path_factory):
    """Their test sets."""
    path = tmp_path_factory.mktemp("testsets")
    request = testgen.TestSetRequest(languages, policy=LabelPolicy(minimum_words=4), all_categories=True)
    testgen.generate(path, request)
    return path


def test_every_file_keeps_to_the_schema(directory, languages):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for language in languages:
        validator.validate(json.loads((directory / f"{language}.json").read_text(encoding="utf-8")))


def test_evaluator_reads_every_file_as_testgen_meant_it(directory, languages):
    for test_set in testgen.build_test_sets(testgen.TestSetRequest(languages, categories=testgen.choose())):
        read = evaluator.read_testset(directory / f"{test_set.language}.json")
        assert read.language == test_set.language
        assert {c.name: c.words for c in read.categories} == {
            category.name: tuple(word for item in category.items for word in item.words)
            for category in test_set.categories
        }
        assert {r.name: tuple((pair.item, pair.of) for pair in r.pairs) for r in read.relations} == {
            r.name: tuple((pair.item, pair.of) for pair in r.pairs) for r in test_set.relations
        }


def test_the_sample_of_the_format_fits_the_schema():
    sample = REPOSITORY / "tests" / "evaluator" / "datasets" / "golden" / "testset.v2.json"
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(sample.read_text(encoding="utf-8")))


def test_evaluator_reads_dictionaries_as_testgen_meant_them(tmp_path):
    frame = testgen.write_dictionaries(
        tmp_path, testgen.TestSetRequest(["eo", "zh-hant"], categories=testgen.choose(["country", "month"]))
    )
    assert len(frame) == 2
    schema = REPOSITORY / "testgen" / "generation" / "dictionary.v1.schema.json"
    content = json.loads((tmp_path / "eo-zh-hant.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(content)
    read = evaluator.read_testset(tmp_path / "eo-zh-hant.json")
    assert (read.language, read.target) == ("eo", "zh-hant")
    assert {each.name: each.title for each in read.translations} == {
        each["name"]: each["title"] for each in content["categories"]
    }
    for split in ("train", "test"):
        pairs = {
            (word, other)
            for each in read.translations
            for item in each.items
            if item.split == split
            for word in item.words
            for other in item.translations
        }
        text = evaluator.read_testset(tmp_path / f"eo-zh-hant.{split}.txt")
        assert (text.language, text.target) == ("eo", "zh-hant")
        (only,) = text.translations
        assert {(item.id, other) for item in only.items for other in item.translations} == pairs


@pytest.mark.slow
def test_the_real_slice_serves_the_promised_topics(shared_data):
    """A second snapshot, of real Wikidata content."""
    source = testgen.open_source(shared_data / "wikidata" / "slice.nt.gz")
    names = ["country", "biblical-figure", "profession", "city", "chemical-element"]
    table = testgen.coverage(testgen.TestSetRequest(categories=names), source=source)
    assert (table["country"] > 0).sum() >= 300
    assert (table > 0).sum().min() > 50
    assert table["country"].max() > 150


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least", "pair"),
    [
        ("thing-class", 2000, ("Q144", "Q729")),  # dog, animal
        ("country-border", 200, ("Q183", "Q142")),  # Germany, France
        ("city-country", 400, ("Q172", "Q16")),  # Toronto, Canada
        ("person-field", 1000, ("Q1035", "Q420")),  # Charles Darwin, biology
    ],
)
def test_the_real_slice_has_everyday_pairs(shared_data, name, least, pair):
    source = testgen.open_source(shared_data / "wikidata" / "slice.nt.gz")
    rows = source.answer(testgen.shipped_queries()[name]).rows
    assert len(rows) >= least
    assert pair in rows


def _colours_and_letters(path):
    """The custom properties of a style, of light and of dark pages."""
    before_print = path.read_text(encoding="utf-8").partition("@media print")[0]
    return [
        dict(re.findall(r"(--[a-z-]+): ([^;]+);", block))
        for block in re.findall(r":root \{(.*?)\}", before_print, re.DOTALL)
    ]


def test_reports_look_like_the_pages_of_the_service():
    light, dark = _colours_and_letters(REPOSITORY / "testgen" / "serve" / "static" / "style.css")
    report = _colours_and_letters(REPOSITORY / "evaluator" / "reports" / "templates" / "report.css")
    assert [len(each) for each in report] == [10, 7]
    assert report[0].items() <= light.items()
    assert report[1].items() <= dark.items()
