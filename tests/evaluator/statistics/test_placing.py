"""A score beside those in a result file: what may be said, what is left out, and what is refused."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from msgspec.structs import replace

import evaluator
from evaluator import Settings
from evaluator.errors import ResultsError
from evaluator.execution.inputs import Input
from evaluator.results.comparable import ComparisonKey
from evaluator.results.scores import ScoresFile
from evaluator.statistics.placing import placed, refuse_others
from evaluator.studies.models import ScoringTask, keys_of

GROUPS = 8


@pytest.fixture(scope="module")
def test_set(tmp_path_factory):
    path = tmp_path_factory.mktemp("placing") / "la.json"
    items = [[{"id": f"Q{g * 20 + n + 1}", "words": [f"w{g}x{n}"]} for n in range(20)] for g in range(GROUPS)]
    categories = [
        {"name": f"c{number}", "title": f"C{number}", "topic": f"t{number}", "items": each}
        for number, each in enumerate(items)
    ]
    content = {"format": "testset", "version": 2, "language": "la", "categories": categories}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def scored(test_set, noise, name, more=400, **options):
    """The scores of vectors that know categories, but for noise, with `more` words that nobody asks for."""
    draw = np.random.default_rng(7)
    centres = draw.normal(size=(GROUPS, 16))
    words = [f"w{g}x{n}" for g in range(GROUPS) for n in range(20)] + [f"other{n}" for n in range(more)]
    rows = np.vstack([np.repeat(centres, 20, axis=0), np.zeros((more, 16))]) + noise * draw.normal(
        size=(len(words), 16)
    )
    found = evaluator.score((words, rows), evaluator.read_testset(str(test_set)), "Topk@3", **options)
    return replace(found.record(), model=name, model_sha256=name.ljust(64, "0"))


def lines(own, *others):
    return list(placed(own, ScoresFile(results=others), "la.json"))


def test_it_is_above_as_many_as_have_less_and_shown_where_intervals_are_apart(test_set):
    own = scored(test_set, 0.9, "la.vec")
    worse, near, better = (scored(test_set, noise, f"m{noise}") for noise in (30, 0.93, 0.3))
    values = [each["Topk@3"].value for each in (worse, near, own, better)]
    assert values == sorted(values)
    assert len(set(values)) == 4
    assert lines(own, worse, near, better, own) == [
        "la.json: without la.vec, as la.vec is of the same vectors.",
        "Topk@3: la.vec is above 2 of 3 Latin vectors of la.json (shown to be above: 1).",
    ]


def test_nothing_is_shown_of_vectors_with_more_words(test_set):
    own, larger = scored(test_set, 0.9, "la.vec"), scored(test_set, 30, "large", more=800)
    (line,) = lines(own, larger)
    assert line == (
        "Topk@3: la.vec is above 1 of 1 Latin vectors of la.json (shown to be above: 0). "
        "Nothing is shown of large, which have more words: score both together."
    )
    (line,) = lines(replace(own, vocabulary=None), larger)
    assert "Nothing is shown of large, which may have more words: score both together." in line


def test_a_file_without_the_language_says_so(test_set):
    own = scored(test_set, 0.9, "la.vec")
    other = replace(own, language="te", model="te.vec", model_sha256="1" * 64)
    said = "la.json: has no scores of other Latin vectors; nothing is said of la.vec."
    assert lines(own, other) == [said]
    assert lines(own, own) == ["la.json: without la.vec, as la.vec is of the same vectors.", said]


def test_its_own_vectors_are_left_out_under_any_name(test_set):
    """A run of it, and a copy in another format, of which only the scores are the same."""
    own, other = scored(test_set, 0.9, "la.vec"), scored(test_set, 30, "other")
    files = [Input("vectors", f"la.{number}.vec", str(number) * 64, 9) for number in (1, 2)]
    mean = replace(own, model="la", inputs=tuple(files), vocabulary=None)
    run = replace(scored(test_set, 1, "la.1.vec"), inputs=(files[0],))
    assert lines(mean, run, other)[0] == "la.json: without la.1.vec, as la is of the same vectors."
    copy = replace(own, model="la.safetensors", model_sha256="1" * 64)
    first, second = lines(own, copy, other)
    assert first == "la.json: without la.safetensors, as la.vec is of the same vectors."
    assert "above 1 of 1 Latin vectors" in second
    both = [
        replace(each, model_sha256="2" * 64, scores=(replace(each["Topk@3"], value=0.0),))
        for each in (own, copy)
    ]
    assert len(lines(both[0], replace(both[1], model_sha256="3" * 64))) == 1  # 0 of both says nothing


def test_baselines_and_scores_on_other_test_sets_are_not_counted(test_set):
    own, other = scored(test_set, 0.9, "la.vec"), scored(test_set, 30, "other")
    baseline = replace(other, model="frequency baseline of other")
    elsewhere = replace(other, test_set="more.json", test_sha256="f" * 64)
    (line,) = lines(own, other, baseline, elsewhere)
    assert "la.vec is above 1 of 1 Latin vectors" in line
    assert lines(replace(own, model="frequency baseline of la.vec"), other) == []


def test_where_nothing_is_said_a_line_says_why(test_set):
    own, other = scored(test_set, 0.9, "la.vec"), scored(test_set, 1, "other")
    by_odd = replace(other, scores=tuple(replace(each, measure="OddOneOut@3") for each in other.scores))
    assert lines(own, by_odd) == ["la.json: nothing is said of la.vec, as others have no scores by Topk@3."]
    known = replace(own, scores=(replace(own["Topk@3"], words="known"),))
    assert lines(known, other) == ["la.json: nothing is said of la.vec, as it has no scores by all words."]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"test_sha256": "f" * 64}, "test set:ffffffffffff there"),
        ({"vocabulary:all": "vocabulary:200000"}, "vocabulary:200000 there, vocabulary:all here"),
        ({"case:fold": "case:exact"}, "case:exact there, case:fold here"),
    ],
)
def test_what_may_not_be_compared_is_refused_with_the_difference(test_set, changed, named):
    own = scored(test_set, 0.9, "la.vec")
    other = scored(test_set, 1, "fasttext")
    for key, value in changed.items():
        if key == "test_sha256":
            own_digest = own.test_sha256[:12]
            scores = [replace(s, signature=s.signature.replace(own_digest, value[:12])) for s in other.scores]
            other = replace(other, test_sha256=value, scores=tuple(scores))
        else:
            scores = [replace(s, signature=s.signature.replace(key, value)) for s in other.scores]
            other = replace(other, scores=tuple(scores))
    keys = [ComparisonKey.of(own, each) for each in own.measured]
    with pytest.raises(ResultsError, match=f"la.json: fasttext: its Topk@3 cannot be compared .*{named}"):
        refuse_others(keys, ScoresFile(results=(other,)), "la.json")
    same = scored(test_set, 0.3, "same")
    refuse_others(keys, ScoresFile(results=(other, same)), "la.json")
    placing, left_out = lines(own, other, same)
    assert "above 0 of 1 Latin vectors" in placing
    assert left_out.startswith("la.json: la.vec is not compared with fasttext by Topk@3: ")
    assert named in left_out


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ({"measures": ("OddOneOut@3",)}, "has scores by Topk@3, and not by OddOneOut@3"),
        ({"measures": ("KeywordRank",)}, "scores by the words that a model knows are not compared"),
        ({"settings": Settings(oov="skip")}, "scores by the words that a model knows are not compared"),
        ({"settings": Settings(vocabulary=50)}, "vocabulary:all there, vocabulary:50 here"),
        ({"language": "te"}, "has scores of Latin vectors, and not of Telugu ones"),
    ],
)
def test_what_will_not_be_comparable_is_known_before_any_work(test_set, task, said):
    read = evaluator.read_testset(str(test_set))
    there = ScoresFile(results=(scored(test_set, 1, "fasttext"),))
    tests = (dataclasses.replace(read, language=task.get("language", "la")),)
    vectors = evaluator.Vectors(["w0x0"], np.ones((1, 2), np.float32), "la.vec")

    def asked(more):
        return ScoringTask(
            vectors, tests, more.get("measures", ("Topk@3",)), more.get("settings", Settings())
        )

    with pytest.raises(ResultsError, match=said):
        refuse_others(list(keys_of(asked(task))), there, "la.json")
    if "language" not in task:
        refuse_others(list(keys_of(asked({}))), there, "la.json")
