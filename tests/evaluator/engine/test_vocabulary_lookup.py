"""Looking words up: OOV, case, restricted vocabularies, words built from subwords."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator import ScoreError, Settings, TestSet
from evaluator.datasets.testset import Category, Item
from evaluator.engine.similarities import Similarities
from evaluator.engine.vocabulary_lookup import VocabularyLookup, find_category
from evaluator.text.normalization import case_folding
from tests.evaluator.examples import score, test_set, vectors

WORDS = ["rex", "regina", "filia", "Roma", "ROMA"]


EXACT = Settings(case="exact")


def some(words=WORDS, **more):
    return vectors(np.arange(1, len(words) * 2 + 1).reshape(-1, 2), list(words), **more)


def look_up(found, words, **settings):
    """The categories of a test set, looked up, and where."""
    settings = Settings(**{"case": "exact", **settings})
    lookup = VocabularyLookup(found, words.language, settings)
    return [find_category(category, lookup, settings) for category in words.categories], lookup


def in_language(language, *words):
    items = tuple(Item(f"Q{number}", (word,)) for number, word in enumerate(words, 1))
    return TestSet(language, "test.json", "0" * 64, (Category("c", "c", items),))


def test_rows_and_places():
    (first, second), lookup = look_up(some(), test_set(a=["filia", "rex"], b=["rex", "nix", "Roma"]))
    assert lookup.vocabulary_rows[first.rows].tolist() == first.vocabulary_rows.tolist() == [2, 0]
    assert second.vocabulary_rows.tolist() == [0, 3]
    assert lookup.queries[second.rows].tolist() == [[1, 2], [7, 8]]
    assert len(lookup.queries) == 3  # rex is looked up once


@pytest.mark.parametrize(("oov", "size"), [("wrong", 3), ("skip", 2)])
def test_oov(oov, size):
    (category,), _ = look_up(some(), test_set(c=["rex", "nix", "filia"]), oov=oov)
    assert (category.words, category.oov, category.usable) == (("rex", "filia", "nix"), 1, 2)
    assert (category.size, len(category.observations)) == (size, size)


def test_every_word_oov():
    (category,), lookup = look_up(some(), test_set(c=["nix", "nox"]))
    assert lookup.queries.shape == (0, 2)
    assert (category.usable, category.oov) == (0, 2)


@pytest.mark.parametrize(
    ("built", "rows", "usable", "counts"), [("unknown", [0], 1, (1, 3)), ("known", [0, -1], 2, (2, 3))]
)
def test_words_built_from_subwords_have_no_place_and_are_unknown_by_default(built, rows, usable, counts):
    regalis = {"regalis": np.array([1, 1], dtype=np.float32)}
    words = test_set(c=["rex", "regalis", "nix"])
    (category,), lookup = look_up(some(subword=regalis.get), words, built=built)
    assert category.vocabulary_rows.tolist() == rows
    assert category.known.tolist() == [0]
    assert (category.usable, category.oov) == (usable, 3 - usable)
    assert (lookup.counts, lookup.built) == (counts, ("regalis",))
    assert lookup.knowing_built().counts == (2, 3)


def test_case_is_exact_unless_it_is_folded():
    (category,), _ = look_up(some(), test_set(c=["REX", "Rex", "roma"]))
    assert (len(category.words), category.usable) == (3, 0)
    (category,), _ = look_up(some(), test_set(c=["REX", "Rex", "roma"]), case="fold")
    # REX and Rex are one word now; of Roma and ROMA the first, more frequent one counts.
    assert (category.words, category.oov, category.vocabulary_rows.tolist()) == (("rex", "roma"), 0, [0, 3])


def test_folding_makes_one_word_of_the_vocabularys_spellings():
    _, lookup = look_up(some(), test_set(c=["Roma"]), case="fold")
    assert list(lookup.vectors.words) == ["rex", "regina", "filia", "roma"]
    assert len(lookup.vectors.matrix) == 4
    assert lookup.spellings is None


def test_upper_case_as_gensim_does_it():
    """Words meet in upper case, the first spelling counts, and the others stay in the vocabulary."""
    (category,), lookup = look_up(some(), test_set(c=["rEX", "roma"]), case="upper")
    assert (category.words, category.vocabulary_rows.tolist()) == (("REX", "ROMA"), [0, 3])
    assert list(lookup.vectors.words) == WORDS
    assert lookup.spellings.tolist() == [0, 1, 2, 3, 3]


def test_upper_case_takes_the_mean_of_several_words_and_builds_no_word():
    """As gensim, which does not ask words that are not in the vocabulary."""
    built = some(subword=lambda _: np.ones(2, np.float32))
    words = test_set(c=["rex roma", "rex nix", "nix"])
    (category,), _ = look_up(built, words, case="upper", multiword="mean")
    assert (category.usable, category.oov) == (1, 2)


SEVERAL = ["New", "York", "New York", "New_York", "Roma"]


@pytest.mark.parametrize(
    ("multiword", "found"),
    [
        ("keep", {"New York": 2, "New Roma": None, "Roma": 4}),
        ("join", {"New_York": 3, "New_Roma": None, "Roma": 4}),
        ("drop", {"Roma": 4}),
        ("mean", {"New York": 2, "New Roma": -1, "Roma": 4}),
    ],
)
def test_words_of_several_words(multiword, found):
    (category,), lookup = look_up(
        some(SEVERAL), test_set(c=["New York", "New  Roma".replace("  ", " "), "Roma"]), multiword=multiword
    )
    places = dict(zip(category.words, category.vocabulary_rows.tolist(), strict=False))
    assert {word: places.get(word) for word in category.words} == found
    assert lookup.multiword == (2, 3)


def test_the_mean_of_several_words_is_that_of_their_directions():
    given = vectors([[3, 0], [0, 0.1], [1, 1]], ["a", "b", "c"])
    (category,), lookup = look_up(given, test_set(c=["a b", "a x"]), multiword="mean")
    assert lookup.queries[category.rows].tolist() == [[0.5, 0.5]]
    assert category.oov == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_mean_of_two_words_is_as_near_to_one_as_to_the_other(seed):
    matrix = np.random.default_rng(seed).normal(size=(2, 5))
    (category,), lookup = look_up(vectors(matrix, ["a", "b"]), test_set(c=["a b"]), multiword="mean")
    pairs = Similarities(lookup.queries, lookup.vocabulary_rows, lookup.vectors.matrix, "cosine")
    one, other = pairs.exactly(category.rows, np.array([[0, 1]]))[0]
    assert one == other


@pytest.mark.parametrize(
    ("language", "word", "folded"),
    [
        ("de", "STRASSE", "strasse"),
        ("de", "Straße", "strasse"),
        ("el", "ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("en", "İstanbul", "istanbul"),
        ("en", "I\u0307stanbul", "istanbul"),  # NFD
        ("en", "İstanbul".lower(), "istanbul"),  # i and U+0307
        ("en", "Iznik", "iznik"),
        ("tr", "İZNİK", "iznik"),
        ("tr", "ISPARTA", "ısparta"),
        ("az", "I\u0307ZMI\u0307R", "izmir"),
        ("ka", "საქართველო", "საქართველო"),
    ],
)
def test_folding(language, word, folded):
    assert case_folding(language)(word) == folded


def test_a_vocabulary_that_was_lower_cased_by_python():
    """İ became i and a combining dot there; folding finds it all the same."""
    (category,), _ = look_up(some(["İznik".lower(), "x"]), in_language("tr", "İznik"), case="fold")
    assert category.vocabulary_rows.tolist() == [0]


def test_a_restricted_vocabulary_knows_less():
    words = ["rex", "Roma", "filia"]
    exact = Settings(oov="skip", case="exact")
    found = score(some(), test_set(c=words), ["OddOneOut@2"], exact)["OddOneOut@2"]
    assert found.subscores[0].trials == 3 * 2
    few = some(["rex", "x", "Roma"])
    restricted = score(few, test_set(c=["rex", "x", "Roma"]), ["Topk@1"], Settings(vocabulary=2))
    assert restricted["Topk@1"].subscores[0].oov == 1
    assert score(few, test_set(c=["rex", "x", "Roma"]), ["Topk@1"], Settings(vocabulary=99))


@pytest.mark.parametrize("size", [0, -1])
def test_a_vocabulary_of_nothing(size):
    with pytest.raises(ScoreError, match="it must be 1 or more"):
        score(some(), test_set(c=["rex", "Roma"]), settings=Settings(vocabulary=size))


def test_a_restricted_model_builds_the_words_cut_off_if_they_are_to_be_known():
    built = {"Roma": np.array([1, 1], dtype=np.float32)}
    found = score(
        some(subword=built.get),
        test_set(c=["rex", "regina", "Roma"]),
        ["Topk@2"],
        Settings(vocabulary=3, case="exact", built="known"),
    )
    assert found["Topk@2"].subscores[0].oov == 0


def test_a_mean_of_opposite_vectors_points_nowhere_so_that_the_word_is_unknown():
    matrix = np.float32([[-0.21482855, 0.21482855], [0.10698342, -0.10698342], [1, 0.5]])
    (category,), _ = look_up(vectors(matrix, ["a", "b", "c"]), test_set(c=["a b", "a c"]), multiword="mean")
    assert (category.usable, category.oov) == (1, 1)


def test_fewer_words_are_drawn_evenly_for_who_knows_only_letters():
    words = [f"w{row}" for row in range(10)]
    _, lookup = look_up(some(words), test_set(c=["w0", "w9", "w4", "w3", "w0 w9"]), multiword="mean")
    few = lookup.of_letters(4)
    assert list(few.vectors.words) == list(few.letters) == ["w0", "w3", "w6", "w9"]
    assert few.vocabulary_rows.tolist() == [0, 3, -1, 1, -1]
    assert list(lookup.of_letters(5).letters) == list(lookup.of_letters().letters) == words
    assert lookup.vocabulary_rows.tolist() == [0, 9, 4, 3, -1]
