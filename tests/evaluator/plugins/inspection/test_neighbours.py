"""Neighbours: beside their definition, what several training runs agree on, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import Settings, as_html
from evaluator.errors import ScoreError, VectorsError
from evaluator.plugins import Text
from evaluator.plugins.inspection import neighbours
from evaluator.plugins.inspection.neighbours import Neighbour, NeighbourList, NeighboursFile, UsualAgreement
from evaluator.plugins.inspection.sections import neighbours_section
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


@given(st.integers(0, 2**32 - 1), st.integers(3, 12), st.integers(2, 4), st.integers(1, 5), st.booleans())
def test_what_is_usual_is_the_agreement_on_each_other_word(seed, size, number, k, other_words):
    random = np.random.default_rng(seed)
    words = [[f"w{at}" for at in range(size)] for _ in range(number)]
    if other_words:
        words[-1][-1] = "another"
    models = [model(each, random.normal(size=(size, 2)), f"m{at}") for at, each in enumerate(words)]

    def agreement(word):
        lists = [{*slow(each.words, each.matrix, word, k)} for each in models]
        pairs = [(one, other) for at, one in enumerate(lists) for other in lists[:at]]
        return sum(len(one & other) / len(one | other) for one, other in pairs) / len(pairs)

    own = agreement("w0")
    others = [agreement(f"w{at}") for at in range(1, size - other_words)]
    (found,) = neighbours("w0", {"m": models}, k=k).lists
    assert found.agreement == pytest.approx(own)
    assert found.usual.words == len(others)
    assert found.usual.mean == pytest.approx(sum(others) / len(others))
    assert found.usual.lower == sum(each < own - 1e-9 for each in others)
    assert found.usual.higher == sum(each > own + 1e-9 for each in others)


@given(st.integers(0, 2**32 - 1), st.integers(2, 20), st.integers(1, 9))
def test_runs_with_the_same_directions_agree_on_all_words(seed, size, k):
    words, matrix = [f"w{at}" for at in range(size)], np.random.default_rng(seed).normal(size=(size, 3))
    runs = [model(words, matrix * length, f"m{length}") for length in (1, 2, 4)]
    (found,) = neighbours("w0", {"m": runs}, k=k).lists
    assert (found.agreement, found.usual.mean) == (1, 1)
    assert (found.usual.words, found.usual.lower, found.usual.higher) == (size - 1, 0, 0)


def test_runs_with_other_neighbours_of_all_words_agree_on_none():
    angles = np.linspace(0, np.pi, 8, endpoint=False)
    matrix = np.column_stack([np.cos(angles), np.sin(angles)])
    words = list("abcdefgh")
    others = ["adgbehcf"[at] for at in range(8)]  # three steps apart, so that no neighbours stay neighbours
    (found,) = neighbours("a", {"m": [model(words, matrix, "one"), model(others, matrix, "two")]}, k=2).lists
    assert (found.agreement, found.usual.mean, found.usual.words) == (0, 0, 7)


def test_words_are_drawn_by_a_seed_and_not_more_than_a_hundred():
    words, random = [f"w{at}" for at in range(300)], np.random.default_rng(0)
    runs = {"m": [model(words, random.normal(size=(300, 5)), name) for name in "ab"]}
    found = [neighbours("w0", runs, seed=seed).lists[0].usual for seed in (1, 1, 2)]
    assert {each.words for each in found} <= {99, 100}
    assert found[0] == found[1]
    assert found[0].mean != found[2].mean
    assert [each.seed for each in found] == [1, 1, 2]


@pytest.mark.parametrize(
    ("asked", "stable", "mean"),
    [(300, (150, 600), 1), (300, (600, 900), 0), (300, (0, 150), 0), (5, (2, 200), 1)],
)
def test_words_as_frequent_as_the_one_that_was_asked_are_drawn(asked, stable, mean):
    """Two words have each direction; in the other run other two, unless they are stable."""
    rows = np.arange(900)
    partner = np.where((stable[0] <= rows) & (rows < stable[1]), rows // 2, (rows + 1) // 2)
    words, directions = [f"w{at}" for at in rows], np.eye(451)
    runs = {"m": [model(words, directions[rows // 2], "one"), model(words, directions[partner], "two")]}
    (found,) = neighbours(f"w{asked}", runs, k=1).lists
    assert found.usual.words in {99, 100}
    assert found.usual.mean == pytest.approx(mean, abs=0.05)


def test_nothing_is_usual_where_runs_have_no_other_word_in_common():
    one = model(["rex", "dux"], [[1, 0], [1, 1]], "one")
    two = model(["rex", "lex"], [[1, 0], [1, 1]], "two")
    (found,) = neighbours("rex", {"la": [one, two]}).lists
    assert (found.agreement, found.usual) == (0, None)


def test_a_run_that_has_no_other_word_is_named():
    with pytest.raises(ScoreError, match="alone: has no other word"):
        neighbours("rex", [model(["rex"], [[1, 0]], "alone")])


@pytest.mark.parametrize(
    ("own", "others", "said"),
    [(0, 1, "Less stable than usual"), (1, 0, "More stable than usual"), (0, 0, "About as stable as usual")],
)
def test_a_word_is_told_from_what_is_usual(own, others, said):
    """Of two runs, in which either the word or all others have the same neighbours."""
    usual = UsualAgreement(
        words=10, seed=0, mean=others, lower=10 * (own > others), higher=10 * (own < others)
    )
    each = NeighbourList(
        model="la", runs=("a", "b"), agreement=own, usual=usual, neighbours=(Neighbour(word="dux", cosine=1),)
    )
    shown = as_html(NeighboursFile(word="rex", k=1, lists=(each,)))
    assert (
        f"{said}: of 10 words of a similar frequency, drawn at random, two runs share {others:.0%} on average"
        in shown
    )


def test_a_word_that_is_built_from_subwords_is_said_to_be():
    vectors = model(["dux", "lex"], [[1, 0], [0, 1]], subword=lambda _: np.array([1, 0.5], np.float32))
    (found,) = neighbours("rex", [vectors]).lists
    assert (found.built, found.place) == (1, None)
    assert [each.word for each in found.neighbours] == ["dux", "lex"]


def runs_without_the_word(subword=None):
    """Two runs that have `novum` and `eboracum`, each by itself."""
    words, random = ["novum", "eboracum", *(f"w{at}" for at in range(50))], np.random.default_rng(0)
    return [model(words, random.normal(size=(52, 3)), name, subword=subword) for name in "ab"]


MEAN = "The vector is the mean of those of {} in 2 of 2 runs."
BUILT = "The vector of {} is built from subwords in 2 of 2 runs: the model does not have {}."


@pytest.mark.parametrize(
    ("asked", "several", "said"),
    [
        ("novum eboracum", "mean", [MEAN.format("novum and eboracum")]),
        (
            "novum mundum",
            "mean",
            [MEAN.format("novum and mundum"), BUILT.format("one of these words", "it")],
        ),
        ("mundum", "keep", [BUILT.format("the word", "the word")]),
    ],
)
def test_what_the_vector_of_a_word_without_a_place_is_made_of(asked, several, said):
    runs = runs_without_the_word(lambda _: np.array([1, 0.5, 0.1], np.float32))
    found = neighbours(asked, {"la": runs}, k=3, settings=Settings(multiword=several))
    (only,) = found.lists
    assert (only.place, only.usual) == (None, None)
    section = neighbours_section(found)
    first, second, *rest = [each.text for each in section.blocks if isinstance(each, Text)]
    assert [first, second, *rest][: len(said)] == said
    assert [first, second, *rest][-1] == (
        "How stable this is cannot be compared with words of a similar frequency: the word has no place in "
        "the order of frequency."
    )
    (alone,) = neighbours(asked, runs[:1], settings=Settings(multiword=several)).lists
    assert (alone.averaged, alone.built) == (only.averaged / 2, only.built / 2)


def test_nothing_is_usual_where_one_run_does_not_have_the_word():
    with_it, without = runs_without_the_word(lambda _: np.array([1, 0.5, 0.1], np.float32))
    without = model(["mundum", *without.words[1:]], without.matrix, "c", subword=without.subword)
    for runs in ([with_it, without], [without, with_it]):
        (found,) = neighbours("novum", {"la": runs}, k=3).lists
        assert (found.built, found.averaged, found.usual) == (1, 0, None)
        assert found.agreement is not None


def test_copies_are_no_training_runs(tmp_path):
    one, other = runs_without_the_word()
    copy = model(one.words, one.matrix, "copy")
    with pytest.raises(VectorsError, match=r"^la: a and copy are copies of one training run"):
        neighbours("novum", {"la": [one, other, copy]})
    assert len(neighbours("novum", [one, other, copy]).lists) == 3


def test_fewer_words_than_asked_for_are_said_to_be():
    found = neighbours("novum", {"la": runs_without_the_word()}, k=1000)
    section = neighbours_section(found)
    said = [each.text for each in section.blocks if isinstance(each, Text)]
    assert said[0].startswith(
        "2 training runs: 51 of the nearest words (fewer than 1,000, as a vocabulary has no more) are"
    )
    assert "The words that are among the nearest" in as_html(found)


def test_an_unknown_word_is_refused_with_words_that_may_be_meant():
    with pytest.raises(ScoreError, match=r"m: does not know the word 'regina'; it has reginae"):
        neighbours("regina", [model(["reginae", "dux"], [[1, 0], [0, 1]])])
    with pytest.raises(ScoreError, match="k is 0"):
        neighbours("dux", [model(["dux", "lex"], [[1, 0], [0, 1]])], k=0)


def test_the_command_shows_them_and_writes_json(evaluator, tmp_path):
    for number in (1, 2):
        rows = f"rex {number} 0 0\ndux 1 0.1 0\nlex 0 1 0\n"
        (tmp_path / f"la.{number}.vec").write_text(rows, encoding="utf-8")
    assert "--nearest" in evaluator("neighbours", "rex", tmp_path / "la.1.vec", "--nearest", "0").err
    shown = evaluator("neighbours", "rex", tmp_path / "la.1.vec").out
    assert "number 1 by frequency" in shown
    assert shown.index("dux") < shown.index("lex")
    several = evaluator("neighbours", "rex", f"latin={tmp_path}/la.*.vec", "--json").out
    (found,) = json.loads(several)["lists"]
    assert (found["model"], found["agreement"]) == ("latin", 1.0)
    out = evaluator("neighbours", "rex", f"latin={tmp_path}/la.*.vec", "--seed", "3").out
    assert "the same in all" in out
    assert "of 2 words of a similar frequency, drawn at random, two runs share 100% on average; 0 are" in out
    assert found["usual"] == {"words": 2, "seed": 0, "mean": 1.0, "lower": 0, "higher": 0}
