from __future__ import annotations

import sys

import numpy as np
import pytest

from evaluator import LoadOptions, Settings, VectorsFile, score
from evaluator.datasets.reading import read_testset
from evaluator.errors import VectorsError
from evaluator.vectors import as_vectors, load_vectors
from tests.conftest import REPOSITORY
from tests.evaluator.vectors.vector_files import binary

WORDS = ["rex", "dux", "roma", "athenae"]


def letters(words):
    """A vector of how many of each of some letters a word has."""
    return [[1.0, *(word.count(letter) for letter in "aeioux")] for word in words]


class Model:
    """As models of sentence-transformers and model2vec."""

    def __init__(self):
        self.asked = []

    def encode(self, words):
        self.asked.append(list(words))
        return np.array(letters(words), dtype=np.float64)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of the user's own in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "myencoder", raising=False)
    (tmp_path / "myencoder.py").write_text(
        "def encode(words):\n    return [[1, len(word)] for word in words]\n\n\n"
        "def fails(words):\n    raise RuntimeError('no graphics card')\n\n\n"
        "class Model:\n    def encode(self, words):\n        return encode(words)\n\n\nmodel = "
        "Model()\nnumber = 3\n"
    )
    (tmp_path / "words.txt").write_text("rex\ndux\n\nroma\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["encode", "model", "model.encode"])
def test_a_function_or_model_of_ones_own(module, name):
    vectors = load_vectors(f"myencoder:{name}", vocabulary="words.txt")
    assert vectors.name == f"myencoder:{name}"
    assert list(vectors.words) == ["rex", "dux", "roma"]
    assert vectors.matrix.tolist() == [[1, 3], [1, 3], [1, 4]]
    assert vectors.subword("athenae").tolist() == [1, 7]
    assert str(module) not in sys.path


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("myencoder:Model", "this is the class Model. Name a function"),
        ("myencoder:number", "this is of type int"),
        ("myencoder:nothing", "cannot be imported as module:object .AttributeError"),
        ("nothere:encode", "there is no such file, and it cannot be imported"),
        ("myencoder:fails", "cannot encode words, for example 'rex': RuntimeError: no graphics card"),
    ],
)
def test_what_is_no_encoder(module, name, problem):
    with pytest.raises(VectorsError, match=problem):
        load_vectors(name, vocabulary="words.txt")


def test_an_encoder_needs_a_vocabulary(module):
    with pytest.raises(VectorsError, match="--vocabulary-from FILE"):
        load_vectors("myencoder:encode")


def test_a_file_of_the_same_name_comes_first(module):
    (module / "myencoder:encode").write_text("1 2\nx 1 2\n")
    assert list(load_vectors("myencoder:encode").words) == ["x"]


def test_other_processes_find_module_and_words(module):
    file = VectorsFile("myencoder:encode", LoadOptions(vocabulary="words.txt")).for_others()
    assert file.path == "myencoder:encode"
    assert file.options.vocabulary == str(module / "words.txt")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("rex\ndux\nrex\n", ["rex", "dux"]),
        ("\ufeffrex\t12\r\nNew York\t3\r\n", ["rex", "New York"]),
        ("2 2\nrex 1 2\ndux 2 1\n", ["rex", "dux"]),
    ],
)
def test_words_of_a_list_or_of_vectors(tmp_path, content, words):
    (tmp_path / "words").write_text(content, encoding="utf-8")
    vectors = as_vectors(letters, vocabulary=tmp_path / "words")
    assert list(vectors.words) == words
    assert vectors.candidates.startswith("words#")


def test_words_with_counts_after_a_space_are_refused(tmp_path):
    (tmp_path / "words").write_text("".join(f"w{n} {n}\n" for n in range(200)), encoding="utf-8")
    with pytest.raises(VectorsError, match="after a tab"):
        as_vectors(letters, vocabulary=tmp_path / "words")
    (tmp_path / "words").write_bytes(b"caf\xe9\n")
    with pytest.raises(VectorsError, match=r"line 1.*not UTF-8"):
        as_vectors(letters, vocabulary=tmp_path / "words")
    (tmp_path / "words").write_text("\n", encoding="utf-8")
    with pytest.raises(VectorsError, match="empty"):
        as_vectors(letters, vocabulary=tmp_path / "words")


@pytest.mark.parametrize(
    ("encode", "problem"),
    [
        (lambda words: np.ones(3), r"float64 of shape \(3,\)"),
        (lambda words: np.ones((3, 2)), r"for 4 words it gives an array of float64 of shape \(3, 2\)"),
        (lambda words: [["a"]] * len(words), "array of <U1"),
        (lambda words: np.full((len(words), 2), np.nan), "row 1, word 'rex': number 1 of 2 is NaN"),
        (lambda words: np.eye(4)[:, :3], "row 4, word 'athenae': all numbers are zero"),
    ],
)
def test_what_an_encoder_may_not_give(encode, problem):
    with pytest.raises(VectorsError, match=problem):
        as_vectors(encode, "model", vocabulary=WORDS)


def test_words_that_cannot_be_encoded_are_dropped_or_unknown():
    unknown = lambda words: [[float(word != "dux")] for word in words]  # noqa: E731
    vectors = as_vectors(unknown, vocabulary=WORDS, bad_rows="drop")
    assert list(vectors.words) == ["rex", "roma", "athenae"]
    assert vectors.dropped == 1
    assert vectors.subword("dux") is None


def test_test_words_are_encoded_together(tmp_path):
    (tmp_path / "t.txt").write_text(":a\nrex lex dux nux\n:b\nroma gaza maga raga\n", encoding="utf-8")
    model = Model()
    vectors = as_vectors(model, vocabulary=WORDS)
    found = score(vectors, read_testset(tmp_path / "t.txt"), "Topk@1", Settings(case="exact"))
    assert model.asked == [WORDS, ["lex", "nux"], ["gaza", "maga", "raga"]]
    assert (found.known_words, found.built_words, found.words) == (3, 5, 8), "others are as built words"
    assert "vocabulary-from:4 words" in found["Topk@1"].signature


def test_the_function_for_bpemb_in_the_docs(tmp_path, monkeypatch):
    """With a model and vectors made here, as BPEmb has them."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="needs the extra [dev]")
    monkeypatch.chdir(tmp_path)
    name, texts = "la.wiki.bpe.vs5000", ["rex roma dux lex pax amor regina romae"] * 20
    how = {"vocab_size": 30, "model_type": "bpe", "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts), model_prefix=name, **how)
    splitter = sentencepiece.SentencePieceProcessor(model_file=f"{name}.model")
    pieces = [splitter.id_to_piece(number) for number in range(len(splitter))]
    matrix = np.random.default_rng(0).normal(size=(len(pieces), 3)).astype(np.float32)
    (tmp_path / f"{name}.d100.w2v.bin").write_bytes(binary(pieces, matrix))
    model = dict(zip(pieces, matrix, strict=True))
    monkeypatch.syspath_prepend(REPOSITORY / "docs" / "encoders")
    vectors = load_vectors("bpemb:encode", vocabulary=["roma", "Rex"])
    for word, row in zip(vectors.words, vectors.matrix, strict=True):
        own = splitter.encode(word.lower(), out_type=str)
        assert row == pytest.approx(np.mean([model[each] for each in own], axis=0))
