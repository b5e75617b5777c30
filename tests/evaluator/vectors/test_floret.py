"""Tables of floret, against floret itself and a slow definition."""

from __future__ import annotations

import gzip
import pickle

import numpy as np
import pytest

from evaluator import load_vectors
from evaluator.errors import VectorsError
from evaluator.vectors.formats.fasttext import MURMUR_SEED, NgramRule, NgramVectors
from tests.evaluator.vectors.test_fasttext import UNKNOWN, trained

TABLE = np.random.default_rng(3).normal(size=(23, 4)).astype(np.float32)
WORDS = ["rex", "regina", "Ποσειδῶν"]


def save(folder, rows=TABLE, header=None, numbers=None):
    header = header or f"{len(rows)} {rows.shape[1]} 2 3 2 {MURMUR_SEED} < >"
    numbers = range(len(rows)) if numbers is None else numbers
    lines = [
        f"{number} " + " ".join(map(repr, row.tolist())) for number, row in zip(numbers, rows, strict=True)
    ]
    path = folder / "some.floret"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("hashes", [1, 2, 3, 4])
def test_the_same_as_floret(tmp_path, hashes):
    model = trained(tmp_path, mode="floret", hashCount=hashes, minn=2, maxn=4, bucket=97)
    model.save_floret_vectors(str(tmp_path / "some.floret"))
    words = [word for word in [*model.words, *UNKNOWN] if word and word != "</s>"]
    vectors = load_vectors(tmp_path / "some.floret", vocabulary=words[1:])
    assert list(vectors.words) == words[1:], "the first word of the model has a row that the table lacks"
    expected = np.array([model.get_word_vector(word) for word in words[1:]])
    assert vectors.matrix == pytest.approx(expected, abs=1e-5)  # the table has five digits


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_any_word_is_encoded(tmp_path, packed):
    path = save(tmp_path)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    (tmp_path / "words.txt").write_text("\n".join(WORDS), encoding="utf-8")
    vectors = load_vectors(path, vocabulary=tmp_path / "words.txt", limit=2)
    assert (list(vectors.words), vectors.candidates.partition("#")[0]) == (WORDS[:2], "words.txt")
    model = NgramVectors({}, TABLE[:0], TABLE, NgramRule(2, 3, 2))
    assert vectors.matrix.tolist() == model.encode(WORDS[:2]).tolist()
    subword = pickle.loads(pickle.dumps(vectors)).subword  # noqa: S301
    assert subword("dux").tolist() == model.encode(["dux"])[0].tolist()


def test_buckets_of_zeros_are_read(tmp_path):
    """floret leaves such rows where it was trained in few threads."""
    rows = TABLE.copy()
    rows[::2] = 0
    vectors = load_vectors(save(tmp_path, rows), vocabulary=WORDS)
    assert (
        vectors.matrix.tolist() == NgramVectors({}, rows[:0], rows, NgramRule(2, 3, 2)).encode(WORDS).tolist()
    )


def nan():
    rows = TABLE.copy()
    rows[4, 1] = np.nan
    return rows


BAD = {
    "no words are named": ({}, None, "no vocabulary to search for neighbours"),
    "a number left out": (
        {"numbers": [*range(5), *range(6, 24)]},
        WORDS,
        "line 7: starts with '6' where the number 5",
    ),
    "a number twice": ({"numbers": [*range(22), 1]}, WORDS, "line 24, word '1': duplicate"),
    "more rows": (
        {"header": f"22 4 2 3 2 {MURMUR_SEED} < >"},
        WORDS,
        "line 24: the header says 22 rows, but more",
    ),
    "fewer rows": ({"header": f"24 4 2 3 2 {MURMUR_SEED} < >"}, WORDS, "24 rows, but only 23 follow"),
    "another dimension": (
        {"header": f"23 5 2 3 2 {MURMUR_SEED} < >"},
        WORDS,
        "line 2, word '0': 4 numbers where 5",
    ),
    "NaN": ({"rows": nan()}, WORDS, "line 6, word '4': number 2 of 4 is NaN"),
    "no buckets": (
        {"header": f"0 4 2 3 2 {MURMUR_SEED} < >"},
        WORDS,
        "line 1: the header of a table of floret",
    ),
    "an absurd size": (
        {"header": f"9999999999 99999 2 3 2 {MURMUR_SEED} < >"},
        WORDS,
        "line 1: the header of a",
    ),
    "a huge seed": (
        {"header": "23 4 2 3 2 9999999999 < >"},
        WORDS,
        "line 1: the header of a table of floret",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_tables(tmp_path, kind):
    settings, words, problem = BAD[kind]
    for bad_rows in ("refuse", "drop"):
        with pytest.raises(VectorsError, match=rf"some\.floret.*{problem}"):
            load_vectors(save(tmp_path, **settings), vocabulary=words, bad_rows=bad_rows)


def test_a_file_without_the_header(tmp_path):
    with pytest.raises(VectorsError, match="header of a table of floret"):
        load_vectors(save(tmp_path, header="23 4"), format="floret", vocabulary=WORDS)
