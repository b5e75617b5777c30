"""What one package writes is what the other reads; they share nothing else."""

from __future__ import annotations

import json

import jsonschema
import pytest

import evaluator
import testgen
from evaluator.results.files import parse_results
from testgen import LabelPolicy
from testgen.serve.results.files import parse
from tests.evaluator.results import samples
from tools.documents import REPOSITORY

SCHEMA = json.loads((REPOSITORY / "testgen" / "testset.v1.schema.json").read_text(encoding="utf-8"))
LANGUAGES = ["eo", "zh-hant", "ar", "en"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """Test sets of some languages of the shipped snapshot."""
    path = tmp_path_factory.mktemp("testsets")
    countries = testgen.coverage(categories=["country"])["country"]
    policy = LabelPolicy(minimum_words=4)
    names = {*LANGUAGES, *countries.index[countries >= 4][::40]}
    testgen.generate(path, names, policy=policy, all_categories=True)
    return path


def test_every_file_keeps_to_the_schema(directory):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for file in directory.iterdir():
        validator.validate(json.loads(file.read_text(encoding="utf-8")))


def test_evaluator_reads_every_file_as_testgen_meant_it(directory):
    for test_set in testgen.build_test_sets(testgen.choose(), LANGUAGES):
        read = evaluator.read_testset(directory / f"{test_set.language}.json")
        assert read.language == test_set.language
        assert {c.name: c.words for c in read.categories} == {
            category.query.name: tuple(word for item in category.items.values() for word in item.words)
            for category in test_set.categories
        }
        assert {r.name: r.pairs for r in read.relations} == {
            r.query.name: r.pairs for r in test_set.relations
        }


def test_the_old_file_kept_for_ever_still_fits_the_schema():
    old = REPOSITORY / "tests" / "evaluator" / "datasets" / "golden" / "testset.v1.json"
    jsonschema.validate(json.loads(old.read_text(encoding="utf-8")), SCHEMA)


def test_evaluator_reads_dictionaries_as_testgen_meant_them(tmp_path):
    frame = testgen.write_dictionaries(
        tmp_path, ["eo", "zh-hant"], queries=testgen.choose(["country", "month"])
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


@pytest.mark.parametrize(
    "content",
    [json.dumps(samples.SAMPLES["scores"]).encode(), samples.jsonl(samples.LINES)],
    ids=["score", "batch"],
)
def test_the_service_shows_the_scores_that_evaluator_wrote(content):
    written = parse_results(content, "x")
    rows = [row for row in written.frame().to_dict("records") if row["part"] == "all"]
    rows = [row for row in rows if row["words"] == "all" and row["measure"] != "Above chance"]
    assert [
        (each.model, each.measure, each.value, each.known, each.words) for each in parse(content, "x")
    ] == [(row["model"], row["measure"], row["value"], row["known"], row["n"]) for row in rows]


def test_the_service_shows_the_comparisons_that_evaluator_wrote():
    content = json.dumps(samples.SAMPLES["compare"]).encode()
    written = parse_results(content, "x")
    names = {each.code: each.vectors for each in written.languages}
    rows = [each for each in (*written.rows, *written.aligned) if each.value is not None]
    assert [(each.model, each.measure, each.value, each.words) for each in parse(content, "x")] == [
        (names[each.language], each.measure, each.value, each.n) for each in rows
    ]


@pytest.mark.slow
def test_the_real_slice_serves_the_promised_topics(shared_data):
    """A second snapshot, of real Wikidata content."""
    source = testgen.open_source(shared_data / "wikidata" / "slice.nt.gz")
    names = ["country", "biblical-figure", "profession", "city", "chemical-element"]
    table = testgen.coverage(categories=names, source=source)
    assert (table["country"] > 0).sum() >= 300
    assert (table > 0).sum().min() > 50
    assert table["country"].max() > 150
