"""Real, published vectors, where they are at hand."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.errors import VectorsError
from evaluator.vectors import load_vectors
from tests.conftest import NO_GENSIM
from tests.evaluator.vectors.vector_files import real

pytest.importorskip("gensim", reason=NO_GENSIM)

from gensim.models import KeyedVectors
from gensim.models.fasttext import load_facebook_vectors

GOOD = [
    "dutch/nl.wiki.bpe.vs1000.d25.w2v.bin",
    "emoji/emoji2vec.bin.gz",
    "en/fasttext_sample_770_300d.vec.gz",
    "en/googlenews_top8000_300d.bin.gz",
    "en/teaching_reviews_999_500d.vec.gz",
    "en/tweets_emoji_prediction_29508_10d.vec.gz",
    "en/wonderland_lsa_1123_50d.vec",
    "en/wordspace_dsm_1677_50d.vec",
    "parallel_en_it/EN.1-10.cbow1_20_300d.txt",
    "parallel_en_it/IT.1-10.cbow1_20_300d.txt",
]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * name.endswith("d.vec.gz")) for name in GOOD]
)
def test_the_same_as_gensim(name):
    path = real(name)
    vectors = load_vectors(path)
    expected = KeyedVectors.load_word2vec_format(str(path), binary=".bin" in name)
    assert list(vectors.words) == expected.index_to_key
    assert np.array_equal(vectors.matrix, expected.vectors)
    assert vectors.dropped == 0


def test_fasttext_the_same_as_gensim():
    path = real("russian/crime-and-punishment.ft.bin")
    vectors = load_vectors(path)
    expected = load_facebook_vectors(str(path))
    assert list(vectors.words) == expected.index_to_key
    same = (vectors.matrix == expected.vectors).all(axis=1)
    assert [vectors.words[row] for row in np.flatnonzero(~same)] == ["</s>"], "gensim alone gives it n-grams"
    for word in ["steamtrain", "преступление", "наказаниями"]:
        assert word not in vectors.index
        assert np.array_equal(vectors.subword(word), expected.get_vector(word))
    assert vectors.subword("") is None


def test_coptic_has_one_empty_word():
    path = real("coptic/coptic_7476_50d.vec.gz")
    with pytest.raises(VectorsError, match=r"coptic.*line 3233: .*empty.*bad_rows"):
        load_vectors(path)
    vectors = load_vectors(path, bad_rows="drop")
    assert (len(vectors), vectors.dropped) == (7475, 1)
    expected = KeyedVectors.load_word2vec_format(str(path))
    assert list(vectors.words) == [word for word in expected.index_to_key if word]
    assert np.array_equal(vectors.matrix, np.delete(expected.vectors, 3231, axis=0))


def test_polarity_is_in_another_encoding():
    path = real("en/pang_lee_polarity_fasttext_1694_100d.vec.gz")
    with pytest.raises(VectorsError, match=r"line 150, word '\\x97': .*UTF-8.*cp1252"):
        load_vectors(path)
    vectors = load_vectors(path, encoding="cp1252")
    assert "clichés" in vectors.index
    expected = KeyedVectors.load_word2vec_format(str(path), encoding="cp1252")
    assert np.array_equal(vectors.matrix, expected.vectors)
    assert load_vectors(path, bad_rows="drop").dropped == 5


def test_swedish_is_cut_off_in_its_last_number():
    path = real("swedish/word2vec_1065_300d.txt.gz")
    with pytest.raises(VectorsError, match=r"line 1066, word 'kallas': .*row 1065\b.*192250"):
        load_vectors(path)
    vectors = load_vectors(path, bad_rows="drop")
    assert (len(vectors), vectors.dropped) == (1064, 1)
    expected = KeyedVectors.load_word2vec_format(str(path), limit=1064)
    assert list(vectors.words) == expected.index_to_key
    assert np.array_equal(vectors.matrix, expected.vectors)
    assert len(load_vectors(path, limit=1000)) == 1000
