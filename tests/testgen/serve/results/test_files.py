"""Result files: what is read from each kind, and what is said of others."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from testgen.serve.results.files import UnreadableError, parse
from tests.testgen.serve.results.examples import comparison, line, lines, record, score, scores


def test_scores_come_with_intervals_chance_and_known_words():
    combined = {"value": 0.2, "low": 0.1, "high": 0.3, "chance": 0.01}
    known = record(combined=combined, scores=[score(low=0.3, high=0.5, chance=0.02, known=3, n=10)])
    second, first = parse(scores(known), "x.json")
    assert (first.measure, first.value, first.low, first.high, first.chance) == (
        "Combined",
        0.2,
        0.1,
        0.3,
        0.01,
    )
    assert (second.measure, second.low, second.known, second.words) == ("Topk@3", 0.3, 3, 10)
    assert second.categories == ()


def test_categories_are_read_when_they_are_asked_for():
    sub = {"name": "month", "title": "Months", "value": 0.5, "n": 12, "known": 10, "low": 0.1, "high": 0.9}
    (found,) = parse(scores(record(scores=[score(subscores=[sub])])), "x.json", categories=True)
    (category,) = found.categories
    assert (category.name, category.value, category.known, category.words) == ("Months", 0.5, 10, 12)


def test_a_batch_has_a_model_in_each_line_and_its_last_line_may_be_unfinished():
    content = (
        lines(line("/x/a.vec"), line("/x/b.vec"), line("/x/a.vec", 0.6, combined=0.1)) + b'{"vectors": "c'
    )
    found = {(each.model, each.measure): each for each in parse(content, "x.jsonl")}
    assert found.keys() == {("a.vec", "Topk@3"), ("a.vec", "Combined"), ("b.vec", "Topk@3")}
    assert found["a.vec", "Topk@3"].value == 0.6, "the last line of a model counts"
    assert (found["b.vec", "Topk@3"].known, found["b.vec", "Topk@3"].words) == (8, 10)


def test_models_of_equal_names_are_told_apart():
    both = parse(lines(line("/x/a.vec"), line("/y/a.vec")), "x.jsonl")
    assert [each.model for each in both] == ["/x/a.vec", "/y/a.vec"]
    assert [each.model for each in parse(scores(record(), record()), "x")] == ["a.vec", "a.vec (2)"]


def test_a_comparison_has_scores_of_categories():
    whole, aligned = parse(comparison(), "x.json")
    assert (whole.model, whole.of, whole.known, whole.words) == ("la.vec", "Months", 10, 12)
    assert aligned.of == "Months (the same items in la, el)"
    assert whole.signature != aligned.signature
    assert "words-of-vocabulary:99" in whole.signature


def test_the_name_of_a_test_sets_file_makes_no_difference():
    (one,) = parse(scores(record()), "x")
    (other,) = parse(scores(record()).replace(b"la.json#", b"folder/latin.json#"), "x")
    assert one.signature == other.signature


def test_what_only_one_model_was_asked_is_its_own():
    own = [record(name, scores=[score(settings="oov:skip")]) for name in ("a.vec", "b.vec")]
    assert len({each.signature for each in parse(scores(*own), "x")}) == 2
    common = [record(name, scores=[score(settings="oov:skip|common:12")]) for name in ("a.vec", "b.vec")]
    assert len({each.signature for each in parse(scores(*common), "x")}) == 1


def test_names_are_shortened_and_cannot_change_the_text_around_them():
    (found,) = parse(scores(record("x" * 1000 + ".vec")), "x")
    assert len(found.model) == 100
    (found,) = parse(scores(record("a\u202e\nb\x00.vec")), "x")
    assert found.model == "a\ufffd\ufffdb\ufffd.vec"
    (found,) = parse(scores(record("a\udcffb.vec")), "x")
    assert found.model == "a?b.vec"


def test_utf_16_is_read():
    assert parse(scores(record()).decode().encode("utf-16"), "x")[0].model == "a.vec"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a complete result file"),
        (b"[1, 2]", "not a complete result file"),
        (b"[" * 100_000, "not a complete result file"),
        (b"\xff\xfe\xff", "not a complete result file"),
        (scores(record())[:-5], "not a complete result file"),
        (b'{"format": "testset", "version": 1}', "no scores of models"),
        (b'{"name": "x"}', "not a result of evaluator"),
        (lines(line("a"), version=3), "of version 3 of its format; this service reads 4"),
        (scores(record(scores=[{"measure": "Topk@3"}])), "value"),
        (scores(record()).replace(b"0.4", b"1e999"), "out of range"),
        (scores(record()).replace(b"0.4", b"NaN"), "not a complete result file"),
        (scores(record()).replace(b"0.4", b'"good"'), "Expected `float`"),
    ],
)  # fmt: skip
def test_other_files_are_refused_with_the_reason(content, said):
    with pytest.raises(UnreadableError, match=said):
        parse(content, "x.json")


def test_the_least_that_the_documentation_asks_for_is_enough():
    least = {"measure": "Topk@3", "value": 0.42, "signature": "Topk@3|norm:unit|…"}
    result = {"model": "a.vec", "test_set": "la.json", "language": "la", "scores": [least]}
    (found,) = parse(json.dumps({"format": "scores", "version": 4, "results": [result]}).encode(), "x")
    assert (found.value, found.low, found.known, found.sha256) == (0.42, None, None, "")
