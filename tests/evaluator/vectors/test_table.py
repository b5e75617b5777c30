from __future__ import annotations

import pickle

import numpy as np
import pytest

from evaluator import load_vectors
from evaluator.errors import VectorsError
from evaluator.vectors import Vectors

WORDS = ["The", "rex", "Rex", "the", "regina"]


def vectors(words=WORDS, **more):
    matrix = np.arange(1, 2 * len(words) + 1, dtype=np.float32).reshape(-1, 2)
    return Vectors(words, matrix, "some.vec", **more)


def spell(word):
    return np.full(2, len(word), dtype=np.float32) if word.islower() else None


def test_size_dimension_and_index():
    some = vectors()
    assert len(some) == 5
    assert some.dimension == 2
    assert some.index["regina"] == 4
    assert some.index is some.index


def test_a_word_that_comes_twice_is_named():
    with pytest.raises(VectorsError, match=r"some\.vec: .*'a'.*twice"):
        vectors(["a", "b", "a"]).index  # noqa: B018


@pytest.mark.parametrize(
    "matrix",
    [np.ones((4, 2), np.float32), np.ones((5, 2), complex), np.ones(5, np.float32)],
)
def test_a_matrix_that_does_not_fit_is_refused(matrix):
    with pytest.raises(VectorsError, match=r"some\.vec: "):
        Vectors(WORDS, matrix, "some.vec")


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int8])
def test_other_numbers_are_converted(kind):
    some = Vectors(WORDS, np.arange(10).reshape(5, 2).astype(kind), "some.vec")
    assert some.matrix.dtype == np.float32
    assert some.matrix.tolist() == np.arange(10).reshape(5, 2).tolist()


def test_restrict_keeps_the_most_frequent_words_without_a_copy():
    some = vectors(subword=spell, dropped=3)
    few = some.restrict(2)
    assert list(few.words) == ["The", "rex"]
    assert np.shares_memory(few.matrix, some.matrix)
    assert few.index == {"The": 0, "rex": 1}
    assert (few.name, few.subword, few.dropped) == ("some.vec", spell, 3)
    assert len(some.restrict(99)) == 5


@pytest.mark.parametrize("size", [0, -1])
def test_restrict_to_nothing_is_refused(size):
    with pytest.raises(VectorsError, match=r"some\.vec: .*1 word or more"):
        vectors().restrict(size)


def test_fold_keeps_the_first_word_of_each_key():
    some = vectors(subword=spell)
    folded = some.fold(str.lower)
    assert list(folded.words) == ["the", "rex", "regina"]
    assert np.array_equal(folded.matrix, some.matrix[[0, 1, 4]])
    assert folded.subword("OLIM").tolist() == [4, 4]
    assert some.subword("OLIM") is None
    assert list(some.words) == WORDS


def test_fold_copies_nothing_if_no_row_goes():
    some = vectors(["a", "B"])
    folded = some.fold(str.lower)
    assert np.shares_memory(folded.matrix, some.matrix)
    assert folded.subword is None


def test_folded_vectors_can_be_sent_to_another_process():
    folded = pickle.loads(pickle.dumps(vectors(subword=spell).fold(str.lower)))  # noqa: S301
    assert folded.subword("OLIM").tolist() == [4, 4]


@pytest.mark.parametrize(
    ("word", "helps"),
    [("cliché".encode("cp1252"), True), ("ω".encode() + b"\xcf", False), (b"\x00\x01\xe9?", False)],
    ids=["another encoding", "cut within a character", "no text"],
)
def test_an_encoding_is_advised_where_it_helps(tmp_path, word, helps):
    path = tmp_path / "some.bin"
    rows = (each + b" " + np.array([0.5, 2], "<f4").tobytes() for each in (b"rex", word, b"dux"))
    path.write_bytes(b"3 2\n" + b"".join(rows))
    with pytest.raises(VectorsError, match=r"row 2.* is not UTF-8") as refused:
        load_vectors(path)
    assert ("cp1252" in str(refused.value)) == helps
