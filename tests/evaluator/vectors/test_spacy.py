"""Folders of spaCy, with numbers of words and vectors of words that spaCy 3.8.18 gave."""

from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from evaluator import load_vectors
from evaluator.errors import VectorsError
from evaluator.vectors.formats.fasttext import MURMUR_SEED, NgramRule, NgramVectors

NUMBERS = {
    "coffee": 3197928453018144401,
    "rex": 14655089313866335373,
    "new york": 14953487944833841589,
    "ὀδυσσεύς": 12107532009336358924,
    "a": 11901859001352538922,
    "abcdefg": 18200195881963043692,
    "abcdefgh": 17751780907874141760,
    "abcdefghi": 13885881106499164936,
    "🦊": 14556091817198493593,
    "mark": 423,
    "_": 456,
    "acl": 451,
    "DATE": 391,
}
MATRIX = np.random.default_rng(3).normal(size=(len(NUMBERS), 4)).astype(np.float32)
CONFIG = {"mode": "default"}
FLORET = {"mode": "floret", "minn": 2, "maxn": 3, "hash_count": 2, "hash_seed": MURMUR_SEED, "attr": 65}


def save(folder, rows, matrix=MATRIX, config=CONFIG, strings=tuple(NUMBERS)):
    """As `nlp.to_disk`: strings in the order of the alphabet, which spaCy does not keep for labels."""
    vocab = folder / "la_core" / "vocab"
    vocab.mkdir(parents=True, exist_ok=True)
    (vocab / "key2row").write_bytes(msgspec.msgpack.encode(rows))
    (vocab / "vectors.cfg").write_text(json.dumps(config))
    kept = sorted(word for word in strings if NUMBERS.get(word, 1000) >= 1000)
    (vocab / "strings.json").write_text(json.dumps(kept))
    with (vocab / "vectors").open("wb") as file:
        np.save(file, matrix)
    return vocab.parent


ROWS = {number: row for row, number in enumerate(NUMBERS.values())}


@pytest.mark.parametrize("place", [".", "vocab", "vocab/key2row"])
def test_each_word_has_its_row(tmp_path, place):
    vectors = load_vectors(save(tmp_path, ROWS) / place)
    assert list(vectors.words) == list(NUMBERS)
    assert vectors.matrix.tobytes() == MATRIX.tobytes()
    read = {each.path.rpartition("/")[2]: each.role for each in vectors.inputs if each.sha256}
    assert read == {"key2row": "vectors", "vectors": "part", "vectors.cfg": "part", "strings.json": "part"}


def test_before_version_3_2_there_was_no_mode(tmp_path):
    folder = save(tmp_path, ROWS)
    (folder / "vocab" / "vectors.cfg").unlink()
    assert load_vectors(folder).matrix.tobytes() == MATRIX.tobytes()


def test_words_may_share_a_row_and_rows_have_no_word(tmp_path):
    rows = {NUMBERS["rex"]: 7, NUMBERS["mark"]: 1, NUMBERS["coffee"]: 7}
    vectors = load_vectors(save(tmp_path, rows), limit=2)
    assert list(vectors.words) == ["rex", "mark"]
    assert vectors.matrix.tolist() == MATRIX[[7, 1]].tolist()
    assert vectors.name == "la_core"


def test_vectors_without_a_word_are_left_out(tmp_path, caplog):
    vectors = load_vectors(save(tmp_path, ROWS, strings=("rex", "a")))
    assert set(vectors.words) == {"rex", "a", "mark", "_", "acl", "DATE"}
    assert "7 vectors without a word in strings.json are left out" in caplog.text


def test_words_of_a_pipeline_of_floret_are_encoded(tmp_path):
    folder = save(tmp_path, {}, config=FLORET)
    vectors = load_vectors(folder, vocabulary=["rex", "novus"])
    rule = NgramRule(2, 3, 2)
    assert (
        vectors.matrix.tolist()
        == NgramVectors({}, MATRIX[:0], MATRIX, rule).encode(["rex", "novus"]).tolist()
    )
    assert vectors.subword("dux") is not None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"matrix": MATRIX[:0, :0]}, r"vocab/vectors: .* this pipeline has none.*_md or _lg"),
        ({"rows": {NUMBERS["rex"]: 99}}, "a row beyond the 13 of the matrix"),
        ({"rows": {NUMBERS["rex"]: 0}, "strings": ()}, "none of the 1 vectors has a word"),
        ({"config": {"mode": 3}}, "vectors.cfg: not as spaCy writes it"),
        ({"config": FLORET | {"attr": 66}}, "only words as they stand"),
        ({"config": FLORET | {"minn": 1}}, "n-grams of 2 characters and more"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, change, problem):
    with pytest.raises(VectorsError, match=problem):
        load_vectors(save(tmp_path, **{"rows": ROWS} | change), vocabulary=["rex"])


def test_a_part_names_the_folder(tmp_path):
    with pytest.raises(
        VectorsError, match=r"vectors: a part of the vectors of spaCy\. Give their folder, .*vocab"
    ):
        load_vectors(save(tmp_path, ROWS) / "vocab" / "vectors")
