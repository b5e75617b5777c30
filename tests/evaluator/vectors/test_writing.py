"""Vectors that are written as text: other programs and we read what was written."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator import OutputError, VectorsError, convert, load_vectors
from tests.conftest import NEEDS_GENSIM
from tests.evaluator.examples import vectors

EXTREME = np.array([[np.pi, 1e-38, -3.4e38], [1 / 3, 0.1, -0.0], [1, 123456789, 2**-149]], dtype=np.float32)


def test_numbers_are_the_same_to_the_last_bit(tmp_path):
    given = vectors(EXTREME, ["naïve", "王", "."])
    convert(given, tmp_path / "some.vec")
    found = load_vectors(tmp_path / "some.vec")
    assert found.words == given.words
    assert np.array_equal(found.matrix.view(np.int32), EXTREME.view(np.int32))


@NEEDS_GENSIM
def test_gensim_reads_it(tmp_path):
    from gensim.models import KeyedVectors

    matrix = np.random.default_rng(0).normal(size=(2500, 7)).astype(np.float32)
    given = vectors(matrix)
    convert(given, tmp_path / "some.vec")
    found = KeyedVectors.load_word2vec_format(str(tmp_path / "some.vec"))
    assert found.index_to_key == given.words
    assert np.array_equal(found.vectors, matrix)


@pytest.mark.parametrize("word", ["New York", "a\tb", "a\nb", "\ufefffirst", "\ud800"])
def test_words_that_text_cannot_hold(tmp_path, word):
    with pytest.raises(VectorsError, match=r"white space|cannot be written as UTF-8"):
        convert(vectors(EXTREME, ["a", word, "b"]), tmp_path / "some.vec")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["some.txt", "some.bin", "some", "some.vec.gz"])
def test_another_ending_is_no_format(tmp_path, name):
    with pytest.raises(OutputError, match=r"must end in \.safetensors or \.vec"):
        convert(vectors(EXTREME), tmp_path / name)
