"""A score beside those of published vectors in a result file: what may be said, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from msgspec.structs import replace

import evaluator
from evaluator.errors import ResultsError
from evaluator.results.scores import ScoresFile
from evaluator.statistics.placing import placed

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
        "Topk@3: la.vec is above 2 of 3 published Latin vectors (shown to be above: 1)."
    ]


def test_nothing_is_shown_of_vectors_with_more_words(test_set):
    own, larger = scored(test_set, 0.9, "la.vec"), scored(test_set, 30, "large", more=800)
    (line,) = lines(own, larger)
    assert line == (
        "Topk@3: la.vec is above 1 of 1 published Latin vectors (shown to be above: 0). "
        "1 of these have more words; of them, only their vectors could show it."
    )


def test_a_file_without_the_language_says_so(test_set):
    own = scored(test_set, 0.9, "la.vec")
    other = replace(own, language="te", model="te.vec", model_sha256="1" * 64)
    said = ["la.json: has no scores of other Latin vectors; nothing is said of la.vec."]
    assert lines(own, other) == lines(own, own) == said


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
    with pytest.raises(ResultsError, match=f"la.json: fasttext: its Topk@3 cannot be compared .*{named}"):
        lines(own, other)
