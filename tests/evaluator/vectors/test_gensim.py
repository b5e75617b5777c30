"""gensim's models in memory, its saved files, and the fastText files that it writes."""

from __future__ import annotations

import gzip
import logging
import os
import pickle

import numpy as np
import pytest

from evaluator import from_gensim, load_vectors
from evaluator.errors import VectorsError
from tests.conftest import NO_GENSIM

pytest.importorskip("gensim", reason=NO_GENSIM)

from gensim.models import Doc2Vec, FastText, KeyedVectors, Word2Vec
from gensim.models.doc2vec import TaggedDocument
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model

SENTENCES = [
    ["gallia", "est", "omnis", "divisa", "in", "partes", "tres"],
    ["roma", "est", "in", "italia"],
    ["gallia", "est", "provincia"],
] * 10
SETTINGS = {"min_count": 1, "vector_size": 8, "workers": 1, "seed": 3, "epochs": 2}


@pytest.fixture(scope="module")
def word2vec():
    return Word2Vec(SENTENCES, **SETTINGS)


@pytest.fixture(scope="module")
def fasttext():
    return FastText(SENTENCES, bucket=50, **SETTINGS)


# --- in memory


def test_word2vec_shares_its_matrix(word2vec):
    for given in [word2vec, word2vec.wv]:
        vectors = from_gensim(given, "mine")
        assert np.shares_memory(vectors.matrix, word2vec.wv.vectors)
        assert list(vectors.words) == word2vec.wv.index_to_key
        assert vectors.words[0] == "est"
        assert (vectors.name, vectors.subword, vectors.dropped) == ("mine", None, 0)


def test_fasttext_shares_its_matrix_and_knows_subwords(fasttext):
    for given in [fasttext, fasttext.wv]:
        vectors = from_gensim(given)
        assert np.shares_memory(vectors.matrix, fasttext.wv.vectors)
        assert np.array_equal(vectors.subword("galliae"), fasttext.wv.get_vector("galliae"))
        assert vectors.subword("galliae").dtype == np.float32


def test_a_word_too_short_for_n_grams_has_no_vector(fasttext, caplog):
    with caplog.at_level(logging.DEBUG):
        assert from_gensim(fasttext).subword("") is None
    assert not caplog.records


def test_fasttext_without_n_grams_knows_no_subwords():
    model = FastText(SENTENCES, bucket=0, max_n=0, **SETTINGS)
    assert from_gensim(model).subword("galliae") is None


def test_subword_vectors_that_are_zero_are_none(fasttext):
    copy = pickle.loads(pickle.dumps(fasttext.wv))  # noqa: S301
    copy.vectors_ngrams[:] = 0
    copy.vectors_ngrams[0] = np.nan
    subword = from_gensim(copy).subword
    assert {subword(word) is None for word in ["galliae", "romanus", "xyz", "abcdefg"]} == {True}


def test_subwords_can_be_sent_to_another_process(fasttext):
    vectors = pickle.loads(pickle.dumps(from_gensim(fasttext)))  # noqa: S301
    assert np.array_equal(vectors.subword("galliae"), fasttext.wv.get_vector("galliae"))


@pytest.mark.parametrize("kind", [np.float64, np.float16])
def test_other_numbers_are_converted(kind):
    some = KeyedVectors(2, dtype=kind)
    some.add_vectors(["a", "b"], np.array([[1, 2], [3, 4]], dtype=kind))
    assert from_gensim(some).matrix.dtype == np.float32
    assert from_gensim(some).matrix.tolist() == [[1, 2], [3, 4]]


def keyed(rows, words=None):
    some = KeyedVectors(2)
    some.add_vectors(words or [f"w{i}" for i in range(len(rows))], np.array(rows, np.float32))
    return some


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([[1, 2], [np.nan, 1]], "number 1 of 2 is NaN"),
        ([[1, 2], [1, np.inf]], "number 2 of 2 is infinite"),
        ([[1, 2], [0, 0]], "all numbers are zero"),
    ],
)
def test_bad_rows_in_memory(rows, problem):
    some = keyed([*rows, [3, 4]])
    with pytest.raises(VectorsError, match=rf"^mine, row 2, word 'w1': {problem}.*bad_rows"):
        from_gensim(some, "mine")
    vectors = from_gensim(some, bad_rows="drop")
    assert list(vectors.words) == ["w0", "w2"]
    assert vectors.matrix.tolist() == [[1, 2], [3, 4]]
    assert vectors.dropped == 1


def test_empty_word_in_memory():
    with pytest.raises(VectorsError, match="mine, row 1: the word is empty"):
        from_gensim(keyed([[1, 2]], [""]), "mine")


def test_nothing_left_in_memory():
    with pytest.raises(VectorsError, match=r"mine: no row can be used \(1 bad rows"):
        from_gensim(keyed([[0, 0]]), "mine", bad_rows="drop")


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (KeyedVectors(3), "0 words with 0 vectors. Build the vocabulary"),
        (Word2Vec(min_count=1), "0 words with 0 vectors. Build the vocabulary"),
        ({"a": [1, 2]}, "this is a dict, not a gensim model"),
        (keyed([[1, 2]], [7]), "the key 7 is not a word"),
    ],
)
def test_what_holds_no_word_vectors(model, problem):
    with pytest.raises(VectorsError, match=f"^mine: {problem}"):
        from_gensim(model, "mine")


def test_doc2vec_gives_its_words():
    model = Doc2Vec([TaggedDocument(words, [i]) for i, words in enumerate(SENTENCES)], **SETTINGS)
    assert "gallia" in from_gensim(model).index


# --- saved by gensim


class Evil:
    """Unpickling it makes a folder."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (os.mkdir, (str(self.path),))


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", ["some.model", "some.vec.gz", "some.bin"])
@pytest.mark.parametrize("format_name", ["auto", "gensim"])
def test_nothing_is_unpickled_unless_asked_for(tmp_path, packed, name, format_name):
    path, mark = tmp_path / name, tmp_path / "mark"
    data = pickle.dumps(Evil(mark))
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(VectorsError) as caught:
        load_vectors(path, format=format_name)
    for part in [name, "pickle", "run any program", "unsafe_pickle=True", "save_word2vec_format"]:
        assert part in str(caught.value)
    assert not mark.exists()


@pytest.mark.parametrize("format_name", ["word2vec-text", "word2vec-binary", "glove", "fasttext"])
def test_no_other_format_unpickles(tmp_path, format_name):
    path, mark = tmp_path / "some.model", tmp_path / "mark"
    path.write_bytes(pickle.dumps(Evil(mark)))
    with pytest.raises(VectorsError):
        load_vectors(path, format=format_name, unsafe_pickle=True)
    assert not mark.exists()


@pytest.mark.parametrize("what", ["model", "vectors"])
@pytest.mark.parametrize("kind", ["word2vec", "fasttext"])
def test_saved_models(tmp_path, request, kind, what):
    model = request.getfixturevalue(kind)
    path = tmp_path / "some.model"
    (model if what == "model" else model.wv).save(str(path))
    vectors = load_vectors(path, unsafe_pickle=True)
    assert list(vectors.words) == model.wv.index_to_key
    assert np.array_equal(vectors.matrix, model.wv.vectors)
    assert vectors.name == "some.model"
    assert (vectors.subword is not None) == (kind == "fasttext")
    assert list(load_vectors(path, unsafe_pickle=True, limit=2).words) == model.wv.index_to_key[:2]


@pytest.mark.parametrize("name", ["some.model.gz", "some.model"])
def test_saved_model_in_gzip(tmp_path, word2vec, name):
    word2vec.wv.save(str(tmp_path / "plain"))
    path = tmp_path / name
    path.write_bytes(gzip.compress((tmp_path / "plain").read_bytes()))
    assert np.array_equal(load_vectors(path, unsafe_pickle=True).matrix, word2vec.wv.vectors)


def test_saved_model_in_several_files(tmp_path, word2vec):
    path = tmp_path / "some.model"
    word2vec.wv.save(str(path), separately=["vectors"])
    assert np.array_equal(load_vectors(path, unsafe_pickle=True).matrix, word2vec.wv.vectors)
    (tmp_path / "some.model.vectors.npy").unlink()
    with pytest.raises(VectorsError, match=r"some\.model: gensim cannot load it .*keep them together"):
        load_vectors(path, unsafe_pickle=True)


def test_pickle_that_is_no_model(tmp_path):
    path = tmp_path / "some.pkl"
    path.write_bytes(pickle.dumps({"a": [1, 2]}))
    with pytest.raises(VectorsError, match=r"some\.pkl: "):
        load_vectors(path, unsafe_pickle=True)


def test_fasttext_bin(tmp_path, fasttext):
    path = tmp_path / "some.bin"
    save_facebook_model(fasttext, str(path))
    expected, vectors = load_facebook_vectors(str(path)), load_vectors(path)
    assert list(vectors.words) == expected.index_to_key
    assert vectors.matrix.tobytes() == expected.vectors.tobytes()
    for word in ["galliae", "romanus", "ω"]:
        assert vectors.subword(word).tobytes() == expected.get_vector(word).tobytes()
