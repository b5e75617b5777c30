"""Neighbours: beside their definition, what several training runs agree on, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Settings
from evaluator.errors import ScoreError
from evaluator.plugins.inspection import neighbours
from evaluator.vectors.table import Vectors


def model(words, matrix, name="m", **more):
    return Vectors(list(words), np.asarray(matrix, dtype=np.float32), name, **more)


def slow(words, matrix, word, k):
    """All cosines, one by one, and the first k in their order."""
    rows = [[float(x) for x in row] for row in np.asarray(matrix, dtype=np.float32)]
    own = rows[words.index(word)]

    def cosine(other):
        return sum(a * b for a, b in zip(own, other, strict=True)) / (
            sum(a * a for a in own) ** 0.5 * sum(b * b for b in other) ** 0.5
        )

    found = [(round(-cosine(row) * 2**40), at) for at, row in enumerate(rows) if words[at] != word]
    return [words[at] for _, at in sorted(found)[:k]]


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 4), st.integers(1, 40), st.booleans())
def test_they_are_the_words_of_the_greatest_cosines(seed, size, dimension, k, with_ties):
    random = np.random.default_rng(seed)
    matrix = random.integers(1, 4, (size, dimension)) if with_ties else random.normal(size=(size, dimension))
    words = [f"w{number}" for number in range(size)]
    (found,) = neighbours("w0", [model(words, matrix)], k=k).lists
    assert [each.word for each in found.neighbours] == slow(words, matrix, "w0", k)
    assert [words[each.place - 1] for each in found.neighbours] == [each.word for each in found.neighbours]


def test_case_is_folded_as_settings_say_and_a_word_is_not_near_itself():
    vectors = model(["Rex", "rex", "dux", "lex"], [[1, 0.05], [1, 0.1], [1, 0.2], [0, 1]])
    (folded,) = neighbours("REX", [vectors]).lists
    assert [each.word for each in folded.neighbours] == ["dux", "lex"]
    (exact,) = neighbours("rex", [vectors], settings=Settings(case="exact")).lists
    assert [each.word for each in exact.neighbours] == ["Rex", "dux", "lex"]
    assert exact.place == 2


def test_runs_are_put_together_and_their_agreement_is_jaccards():
    one = model(["rex", "dux", "lex", "pax"], [[1, 0], [1, 0.1], [1, 0.2], [0, 1]], "one")
    two = model(["rex", "dux", "lex", "pax"], [[1, 0], [1, 0.1], [0, 1], [1, 0.2]], "two")
    without = model(["dux", "lex"], [[1, 0], [0, 1]], "without")
    (found,) = neighbours("rex", {"la": [one, two, without]}, k=2).lists
    assert [(each.word, each.runs) for each in found.neighbours] == [("dux", 2), ("lex", 1), ("pax", 1)]
    assert (found.model, found.runs, found.unknown) == ("la", ("one", "two"), ("without",))
    assert found.agreement == pytest.approx(1 / 3)


def test_a_word_that_is_built_from_subwords_is_said_to_be():
    vectors = model(["dux", "lex"], [[1, 0], [0, 1]], subword=lambda _: np.array([1, 0.5], np.float32))
    (found,) = neighbours("rex", [vectors]).lists
    assert (found.built, found.place) == (1, None)
    assert [each.word for each in found.neighbours] == ["dux", "lex"]


def test_an_unknown_word_is_refused_with_words_that_may_be_meant():
    with pytest.raises(ScoreError, match=r"m: does not know the word 'regina'; it has reginae"):
        neighbours("regina", [model(["reginae", "dux"], [[1, 0], [0, 1]])])
    with pytest.raises(ScoreError, match="k is 0"):
        neighbours("dux", [model(["dux", "lex"], [[1, 0], [0, 1]])], k=0)


def test_the_command_shows_them_and_writes_json(evaluator, tmp_path):
    for number in (1, 2):
        (tmp_path / f"la.{number}.vec").write_text("rex 1 0 0\ndux 1 0.1 0\nlex 0 1 0\n", encoding="utf-8")
    shown = evaluator("neighbours", "rex", tmp_path / "la.1.vec").out
    assert "number 1 by frequency" in shown
    assert shown.index("dux") < shown.index("lex")
    several = evaluator("neighbours", "rex", f"latin={tmp_path}/la.*.vec", "--json").out
    (found,) = json.loads(several)["lists"]
    assert (found["model"], found["agreement"]) == ("latin", 1.0)
    assert "the same in all" in evaluator("neighbours", "rex", f"latin={tmp_path}/la.*.vec").out
