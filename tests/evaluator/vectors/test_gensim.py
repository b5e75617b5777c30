"""gensim's models in memory, its saved files, and the fastText files that it writes."""

from __future__ import annotations

import copyreg
import gzip
import logging
import os
import pickle
import tracemalloc
from itertools import product

import numpy as np
import pytest

from evaluator import as_vectors, from_gensim, load_vectors
from evaluator.errors import VectorsError
from tests.conftest import NO_GENSIM
from tests.spread import spread

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
    with pytest.raises(VectorsError, match=r"mine, row 1: .*empty"):
        from_gensim(keyed([[1, 2]], [""]), "mine")


def test_nothing_left_in_memory():
    with pytest.raises(VectorsError, match=r"mine: no row.*1 bad"):
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


class Array:
    """Pickled as an array of numpy with a state of our choice."""

    def __init__(self, *state):
        self.state = state

    def __reduce__(self):
        return (np.zeros(1).__reduce__()[0], (np.ndarray, (0,), b"b"), (1, *self.state))


class Calls:
    def __init__(self, function, *arguments):
        self.all = function, arguments

    def __reduce__(self):
        return self.all


def saved(**attributes):
    """A pickle of KeyedVectors with three words and attributes of our choice."""
    vectors = KeyedVectors(2)
    vectors.__dict__ |= {"index_to_key": ["a", "b", "c"], "vectors": np.eye(3, 2, dtype="f4"), **attributes}
    return pickle.dumps(vectors, protocol=4)


RECORD = np.dtype([("pointer", object)])
HOSTILE = {
    "in an attribute": lambda mark: saved(note=Evil(mark)),
    "as the vectors": lambda mark: saved(vectors=Evil(mark)),
    "in a list in a dict": lambda mark: saved(note={"a": [{"b": (Evil(mark),)}]}),
    "in an array of objects": lambda mark: saved(vectors=np.array([[Evil(mark)]] * 3, dtype=object)),
    "eval": lambda mark: saved(note=Calls(eval, f"__import__('os').mkdir({str(mark)!r})")),
    "getattr": lambda _: saved(note=Calls(getattr, "text", "upper")),
    "a call of what a call gives": lambda mark: saved(note=Calls(Calls, os.mkdir, str(mark))),
    "copyreg": lambda _: saved(note=Calls(copyreg._reconstructor, Evil, object, None)),
    "extensions": lambda _: b"\x80\x04\x82\x01.",
    "a dotted name": lambda _: b"\x80\x04\x8c\x08builtins\x8c\x0dhash.__self__\x93.",
    "the model alone": lambda mark: pickle.dumps(Evil(mark)),
    "state of a class": lambda _: b"\x80\x04\x8c\x05numpy\x8c\x07ndarray\x93}\x8c\x01a\x8c\x01bsb.",
    "numbers as objects": lambda _: saved(vectors=Array((3, 2), np.dtype("O"), False, b"\x01" * 48)),
    "objects in a record": lambda _: saved(vectors=Array((3, 1), RECORD, False, b"\x01" * 24)),
    "a huge shape": lambda _: saved(vectors=Array((10**9, 10**9), np.dtype("f4"), False, b"\0" * 24)),
    "a negative shape": lambda _: saved(vectors=Array((-3, -2), np.dtype("f4"), False, b"\0" * 24)),
    "a huge frame": lambda _: b"\x80\x04\x95" + (1 << 60).to_bytes(8, "little") + b"N.",
    "huge bytes": lambda _: b"\x80\x04\x8e" + (1 << 60).to_bytes(8, "little") + b"N.",
    "a huge bytearray": lambda _: b"\x80\x05\x96" + (1 << 36).to_bytes(8, "little") + b"N.",
    "a huge memo": lambda _: b"\x80\x04Nr\xff\xff\xff\x7f.",
    "whole numbers": lambda _: saved(vectors=np.eye(3, 2, dtype="i4")),
    "yes and no": lambda _: saved(vectors=np.eye(3, 2, dtype="?")),
    "complex numbers": lambda _: saved(vectors=np.eye(3, 2, dtype="c8")),
    "too few vectors": lambda _: saved(vectors=np.eye(2, dtype="f4")),
    "words that are none": lambda _: saved(index_to_key=["a", 2, "c"]),
    "half a pickle": lambda _: saved()[:-40],
    "a model that is a list": lambda _: pickle.dumps([1, 2]),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_runs_nothing_and_takes_no_memory(tmp_path, name, packed):
    path, mark = tmp_path / "some.model", tmp_path / "mark"
    data = HOSTILE[name](mark)
    path.write_bytes(gzip.compress(data) if packed else data)
    tracemalloc.start()
    with pytest.raises(VectorsError, match=r"some\.model: "):
        load_vectors(path, format="gensim")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    assert not mark.exists()


def test_hostile_arrays_beside_the_file(tmp_path, word2vec):
    path, mark = tmp_path / "some.model", tmp_path / "mark"
    word2vec.wv.save(str(path), separately=["vectors"])
    beside = tmp_path / "some.model.vectors.npy"
    for content in (
        lambda: np.save(beside, np.array([Evil(mark)], dtype=object)),
        lambda: beside.write_bytes(
            b"\x93NUMPY\x01\x00v\x00"
            + b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 9), }".ljust(118)
        ),
        lambda: np.save(beside, np.zeros((2, 2))),
        beside.unlink,
    ):
        content()
        with pytest.raises(VectorsError, match=r"some\.model: cannot be read .*\.npz\) are kept together"):
            load_vectors(path)
    assert not mark.exists()


@pytest.mark.parametrize("format_name", ["word2vec-text", "word2vec-binary", "glove", "fasttext"])
def test_no_other_format_unpickles(tmp_path, format_name):
    path, mark = tmp_path / "some.model", tmp_path / "mark"
    path.write_bytes(pickle.dumps(Evil(mark)))
    with pytest.raises(VectorsError):
        load_vectors(path, format=format_name)
    assert not mark.exists()


@pytest.mark.parametrize("what", ["model", "vectors"])
@pytest.mark.parametrize("separately", [[], ["vectors"]])
def test_saved_models(tmp_path, word2vec, what, separately):
    path = tmp_path / "some.model"
    saving = word2vec if what == "model" else word2vec.wv
    saving.save(str(path), **({"separately": separately} if separately and what == "vectors" else {}))
    vectors = load_vectors(path)
    assert list(vectors.words) == word2vec.wv.index_to_key
    assert np.array_equal(vectors.matrix, word2vec.wv.vectors)
    assert (vectors.name, vectors.subword) == ("some.model", None)
    assert list(load_vectors(path, limit=2).words) == word2vec.wv.index_to_key[:2]


def test_arrays_of_a_large_model_are_beside_it(tmp_path, word2vec):
    path = tmp_path / "some.model"
    word2vec.save(str(path), sep_limit=10)
    assert (tmp_path / "some.model.wv.vectors.npy").exists()
    assert np.array_equal(load_vectors(path).matrix, word2vec.wv.vectors)


def test_gensim_reads_nothing(tmp_path, word2vec, monkeypatch):
    word2vec.save(str(tmp_path / "some.model"))
    monkeypatch.setattr(KeyedVectors, "__setstate__", lambda *_: pytest.fail("gensim's code"), raising=False)
    monkeypatch.setattr("evaluator.vectors.formats.gensim.find_spec", lambda _: None)
    assert len(load_vectors(tmp_path / "some.model").words) == len(word2vec.wv)


@pytest.mark.parametrize("name", ["some.model.gz", "some.model"])
def test_saved_model_in_gzip(tmp_path, word2vec, name):
    word2vec.wv.save(str(tmp_path / "plain"))
    path = tmp_path / name
    path.write_bytes(gzip.compress((tmp_path / "plain").read_bytes()))
    assert np.array_equal(load_vectors(path).matrix, word2vec.wv.vectors)


WAYS = product(
    [2, 3, 4, 5],
    [10, 10**9],  # several files, or one
    ["word2vec", "fasttext"],
    ["model", "vectors"],
    ["some.model", "some.model.gz", "some.model.bz2"],
)


@pytest.mark.parametrize(("protocol", "sep_limit", "kind", "what", "name"), spread(WAYS, 5))
def test_every_way_to_save(tmp_path, request, protocol, sep_limit, kind, what, name):
    model = request.getfixturevalue(kind)
    path = tmp_path / name
    (model if what == "model" else model.wv).save(str(path), sep_limit=sep_limit, pickle_protocol=protocol)
    vectors = load_vectors(path)
    assert list(vectors.words) == model.wv.index_to_key
    assert vectors.matrix.tobytes() == model.wv.vectors.tobytes()
    assert (vectors.subword is not None) == (kind == "fasttext")
    for word in ["galliae", "romanus"] if vectors.subword else []:
        assert vectors.subword(word).tobytes() == model.wv.get_vector(word).tobytes()
    again = pickle.loads(pickle.dumps(vectors))  # noqa: S301
    assert again.matrix.tobytes() == vectors.matrix.tobytes()


def of_texts_of_numpy(_):
    some = KeyedVectors(2)
    some.add_vectors(np.array(["rex", "Ποσειδῶν", "😀"]), np.eye(3, 2, dtype="f4") + 1)
    return some


def mapped_into_memory(folder):
    of_texts_of_numpy(folder).save(str(folder / "first"), separately=["vectors"])
    return KeyedVectors.load(str(folder / "first"), mmap="r")


def with_attributes(_):
    some = of_texts_of_numpy(_)
    some.set_vecattr("rex", "count", 7)
    some.note = {"a": frozenset({1, 2}), "b": {3}, "c": np.float32(2), "d": np.random.default_rng(1)}
    return some


def of_half_precision(_):
    some = KeyedVectors(2, dtype=np.float16)
    some.add_vectors(["rex", "Ποσειδῶν", "😀"], np.eye(3, 2, dtype="f2") + 1)
    return some


def by_columns(_):
    some = of_texts_of_numpy(_)
    some.vectors = np.asfortranarray(some.vectors.astype(">f8"))
    return some


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize(
    "make", [of_texts_of_numpy, mapped_into_memory, with_attributes, of_half_precision, by_columns]
)
def test_vectors_made_in_other_ways(tmp_path, make, protocol):
    make(tmp_path).save(str(tmp_path / "some.kv"), pickle_protocol=protocol)
    vectors = load_vectors(tmp_path / "some.kv")
    assert vectors.words == ["rex", "Ποσειδῶν", "😀"]
    assert {type(word) for word in vectors.words} == {str}
    assert vectors.matrix.tolist() == [[2, 1], [1, 2], [1, 1]]


def test_a_model_with_a_tree_of_words(tmp_path):
    Word2Vec(SENTENCES, hs=1, negative=0, **SETTINGS).save(str(tmp_path / "some.model"))
    assert "gallia" in load_vectors(tmp_path / "some.model").words
    Doc2Vec([TaggedDocument(words, [i]) for i, words in enumerate(SENTENCES)], **SETTINGS).save(
        str(tmp_path / "other.model")
    )
    assert "gallia" in load_vectors(tmp_path / "other.model").words


@pytest.mark.parametrize("count", [0, 20])
def test_places_without_a_word(tmp_path, count):
    some = KeyedVectors(2, count=20) if count else keyed([[1, 2]], [7])
    problem = "key None is not a word, in row 1" if count else "the key 7 is not a word"
    with pytest.raises(VectorsError, match=problem):
        as_vectors(some)
    some.save(str(tmp_path / "some.kv"))
    with pytest.raises(VectorsError, match=r"key 1 is (None|a number), not a word"):
        load_vectors(tmp_path / "some.kv")


class Other:
    """A class that no vectors name, under the name of another."""

    @classmethod
    def named(cls, module, name, state):
        """A pickle of an object whose class has another name."""
        raw = pickle.dumps(state, 2)[2:-1]
        return b"\x80\x02c" + f"{module}\n{name}\n".encode() + b")\x81" + raw + b"b."


FOREIGN = {
    "gensim 3": (Other.named("gensim.models.keyedvectors", "Word2VecKeyedVectors", {}), "before version 4"),
    "FastText of gensim 3": (
        Other.named("gensim.models.keyedvectors", "FastTextKeyedVectors", {}),
        "before version 4.*save it again",
    ),
    "gensim 1": (
        Other.named("gensim.models.keyedvectors", "KeyedVectors", {"index2word": ["a"], "syn0": None}),
        "before version 4",
    ),
    "phrases": (
        Other.named("gensim.models.phrases", "Phrases", {}),
        "a Phrases of gensim, .* no word vectors",
    ),
    "a tensor": (Other.named("torch", "FloatStorage", {}), "a pickle of PyTorch.*savez"),
    "a list": (pickle.dumps(["a", "b"]), "a pickled list, not a model of gensim"),
    "a class of somebody": (Other.named("mine", "Model", {}), "names mine.Model.*can run any program"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_pickles_of_others_are_named(tmp_path, kind):
    data, problem = FOREIGN[kind]
    (tmp_path / "some.model").write_bytes(data)
    with pytest.raises(VectorsError, match=rf"some\.model: cannot be read: it .*{problem}"):
        load_vectors(tmp_path / "some.model")


def test_fasttext_bin(tmp_path, fasttext):
    path = tmp_path / "some.bin"
    save_facebook_model(fasttext, str(path))
    expected, vectors = load_facebook_vectors(str(path)), load_vectors(path)
    assert list(vectors.words) == expected.index_to_key
    assert vectors.matrix.tobytes() == expected.vectors.tobytes()
    for word in ["galliae", "romanus", "ω"]:
        assert vectors.subword(word).tobytes() == expected.get_vector(word).tobytes()
