from __future__ import annotations

from collections import UserDict
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_matrix

from evaluator import VectorsFile, from_gensim
from evaluator.errors import VectorsError
from evaluator.vectors import Vectors, as_vectors
from evaluator.vectors.sources import is_vectors_mapping, is_words_and_matrix
from tests.conftest import NEEDS_GENSIM

WORDS = ["rex", "dux", "roma"]
MATRIX = np.array([[1, 2], [3, 4], [5, 6.5]])


def keyed():
    from gensim.models import KeyedVectors

    found = KeyedVectors(2)
    found.add_vectors(WORDS, MATRIX.astype(np.float32))
    return found


def file(folder):
    path = folder / "some.vec"
    path.write_text("3 2\nrex 1 2\ndux 3 4\nroma 5 6.5\n", encoding="utf-8")
    return path


SOURCES = {
    "path": file,
    "text": lambda folder: str(file(folder)),
    "file": lambda folder: VectorsFile(str(file(folder))),
    "vectors": lambda _: Vectors(WORDS, MATRIX, "own"),
    "dict of arrays": lambda _: dict(zip(WORDS, MATRIX, strict=True)),
    "dict of lists": lambda _: dict(zip(WORDS, MATRIX.tolist(), strict=True)),
    "dict of half precision": lambda _: dict(zip(WORDS, MATRIX.astype(np.float16), strict=True)),
    "other mapping": lambda _: UserDict(zip(WORDS, MATRIX, strict=True)),
    "table": lambda _: pd.DataFrame(MATRIX, index=WORDS),
    "table of objects": lambda _: pd.DataFrame(MATRIX.astype(object), index=WORDS),
    "table of decimals": lambda _: pd.DataFrame(MATRIX, index=WORDS).map(lambda value: Decimal(str(value))),
    "table of nullable columns": lambda _: pd.DataFrame(MATRIX, index=WORDS).convert_dtypes(),
    "table of sparse columns": lambda _: pd.DataFrame(MATRIX, index=WORDS).astype(pd.SparseDtype(float)),
    "table with a whole coordinate": lambda _: pd.DataFrame(
        {"d0": [1, 3, 5], "d1": [2, 4, 6.5]}, index=WORDS
    ),
    "words and matrix": lambda _: (WORDS, MATRIX),
    "words as an array": lambda _: (np.array(WORDS), MATRIX),
    "sparse matrix": lambda _: (WORDS, csr_matrix(MATRIX)),
    "sparse array": lambda _: (WORDS, coo_array(MATRIX)),
    "gensim": lambda _: keyed(),
}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[NEEDS_GENSIM] * (kind == "gensim")) for kind in SOURCES]
)
def test_vectors_of_whatever_has_them(tmp_path, kind):
    vectors = as_vectors(SOURCES[kind](tmp_path))
    assert list(vectors.words) == WORDS
    assert vectors.matrix.dtype == np.float32
    assert vectors.matrix.tolist() == MATRIX.tolist()


def test_names(tmp_path):
    assert as_vectors(file(tmp_path)).name == "some.vec"
    assert as_vectors(file(tmp_path), "mine").name == "mine"
    assert as_vectors(dict(zip(WORDS, MATRIX, strict=True)), "mine").name == "mine"


@NEEDS_GENSIM
def test_the_name_of_a_model_in_memory():
    assert as_vectors(keyed(), "mine").name == "mine"
    assert as_vectors(keyed()).name == "gensim model"


def matrix(**rows):
    found = MATRIX.copy()
    for row, value in rows.items():
        found[int(row[1:])] = value
    return found


BAD = {
    "NaN": (lambda: Vectors(WORDS, matrix(r1=np.nan), "own"), "own, row 2, word 'dux': number 1 of 2 is NaN"),
    "infinity": (lambda: Vectors(WORDS, matrix(r2=np.inf), "own"), "own, row 3, word 'roma': .* infinite"),
    "too large": (lambda: Vectors(WORDS, matrix(r2=1e300), "own"), "row 3, word 'roma': .* too large"),
    "zeros": (lambda: Vectors(WORDS, matrix(r0=0), "own"), "row 1, word 'rex': all numbers are zero"),
    "duplicate": (lambda: Vectors(["a", "b", "a"], MATRIX, "own"), "row 3, word 'a': duplicate: .* row 1 "),
    "duplicate in a table": (
        lambda: pd.DataFrame(MATRIX, index=["a", "b", "a"]),
        "row 3, word 'a': duplicate",
    ),
    "NaN in a dict": (lambda: dict(zip(WORDS, matrix(r1=np.nan), strict=True)), "row 2, word 'dux'"),
    "a short row": (
        lambda: {"rex": [1, 2], "dux": [1], "x": [1, 2]},
        r"row 2, word 'dux': has the shape \(1,\)",
    ),
    "a text": (lambda: {"rex": [1, 2], "dux": ["a", "b"]}, "row 2, word 'dux': does not hold numbers only"),
    "nested": (lambda: {"rex": [[1, 2]]}, r"row 1, word 'rex': has the shape \(1, 2\)"),
    "numbers as words": (lambda: pd.DataFrame(MATRIX), "row 1: the key 0 is not a word"),
    "text columns": (
        lambda: pd.DataFrame({"a": ["x", "y", "z"]}, index=WORDS),
        "row 1, word 'rex': does not",
    ),
    "a count": (
        lambda: pd.DataFrame(MATRIX + 0.5, index=WORDS).assign(count=[9, 5, 2]),
        r"table of vectors, column 'count': .*drop\(columns=\['count'\]\)",
    ),
    "a count that may lack values": (
        lambda: pd.DataFrame(MATRIX + 0.5, index=WORDS).assign(n=pd.array([9, 5, 2], dtype="Int64")),
        "column 'n'",
    ),
    "a share": (lambda: pd.DataFrame(MATRIX, index=WORDS).assign(share=0.5), "column 'share'"),
    "a count beside names": (
        lambda: pd.DataFrame({"x": [0.5, 1, 2], "y": [1, 2, 0.5], "n": [9, 5, 2]}, index=WORDS),
        "column 'n'",
    ),
    "a missing value": (
        lambda: pd.DataFrame(MATRIX, index=WORDS).convert_dtypes().replace(4, pd.NA),
        "row 2, word 'dux': number 2 of 2 is NaN",
    ),
    "numbers as texts": (
        lambda: pd.DataFrame(MATRIX.astype(str), index=WORDS),
        "row 1, word 'rex': does not",
    ),
    "truth values": (lambda: pd.DataFrame(MATRIX > 2, index=WORDS), "row 1, word 'rex': does not"),
    "an empty dict": (dict, "no words"),
    "a number": (lambda: 3, r"this is of type int\. .* Or give one path, a dict from words"),
    "a matrix with the words in columns": (lambda: (WORDS, MATRIX.T), "3 words but 2 rows in the matrix"),
    "one row for all words": (lambda: (WORDS, MATRIX[0]), "pair of words and a matrix"),
    "a matrix of three axes": (lambda: (WORDS, MATRIX[None]), "pair of words and a matrix"),
    "words of two axes": (lambda: (np.array([WORDS]), MATRIX), "pair of words and a matrix"),
    "words in one text": (lambda: ("rex", MATRIX[:1]), "pair of words and a matrix"),
    "no file": (lambda: "nothing.vec", "no such file"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_sources(kind):
    source, problem = BAD[kind]
    with pytest.raises(VectorsError, match=problem):
        as_vectors(source())


def test_bad_rows_can_be_dropped():
    vectors = as_vectors(Vectors(WORDS, matrix(r1=np.nan), "own"), bad_rows="drop")
    assert list(vectors.words) == ["rex", "roma"]
    assert vectors.dropped == 1


def test_vectors_are_checked_once_and_not_copied():
    own = Vectors(WORDS, MATRIX.astype(np.float32), "own")
    assert as_vectors(own).matrix is own.matrix
    own.matrix[1] = np.nan
    assert as_vectors(own) is own


def test_a_path_object_and_a_folder(tmp_path):
    with pytest.raises(VectorsError, match="directory"):
        as_vectors(Path(tmp_path))


def test_what_is_no_model():
    with pytest.raises(VectorsError, match="dict"):
        from_gensim({})


def test_what_is_one_model_and_not_several():
    """A dict from names to models, or two models in a tuple, are several."""
    model = Vectors(WORDS, MATRIX, "own")
    mappings = [{"a": [1, 2.5]}, {"a": MATRIX[0]}, {"a": (1, 2)}, {"a": []}, {}]
    assert [is_vectors_mapping(each) for each in mappings] == [True, True, True, True, True]
    others = [{"a": model}, {"a": "a.vec"}, {"a": ["a.vec"]}, {"a": MATRIX}, model, [1, 2], "a.vec"]
    assert [is_vectors_mapping(each) for each in others] == [False] * 7
    pairs = [(WORDS, MATRIX), (np.array(WORDS), MATRIX), (iter(WORDS), MATRIX)]
    assert [is_words_and_matrix(each) for each in pairs] == [True, True, True]
    others = [("rex", MATRIX), ({"a": 1}, MATRIX), (WORDS, MATRIX[0]), (WORDS, MATRIX, 1), [WORDS, MATRIX]]
    others += [(model, model), (MATRIX, MATRIX), ("a.vec", "b.vec")]
    assert [is_words_and_matrix(each) for each in others] == [False] * 8
