from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest

from evaluator.errors import VectorsError
from evaluator.vectors import load_vectors
from tests.evaluator.vectors.test_floret import EXPECTED
from tests.evaluator.vectors.test_floret import TABLE as FLORET

# The keys that spaCy 3.8.18 gave these words; the last two share a row, as in pruned models.
KEYS = {
    "rex": 14655089313866335373,
    "regina": 3784249594054184044,
    "dux": 17122776657298905761,
    "Rōma": 16488678176640391365,
}
ROWS = dict(zip(KEYS.values(), (1, 0, 2, 2), strict=True))
TABLE = np.arange(1, 13, dtype=np.float32).reshape(4, 3)


def save(folder, table=TABLE, rows=ROWS, strings=("x", *KEYS), **settings):
    vocab = folder / "vocab"
    vocab.mkdir(exist_ok=True)
    with (vocab / "vectors").open("wb") as file:
        np.save(file, table)
    (vocab / "key2row").write_bytes(msgspec.msgpack.encode(rows))
    (vocab / "strings.json").write_text(json.dumps(strings))
    (vocab / "vectors.cfg").write_text(json.dumps({"mode": "default"} | settings))
    return folder


def floret(folder, table=None, **settings):
    rows = [line.split()[1:] for line in FLORET.splitlines()[1:]]
    how = {"minn": 2, "maxn": 3, "hash_count": 2, "hash_seed": 2166136261, "bow": "<", "eow": ">"}
    table = np.array(rows, dtype=np.float32) if table is None else table
    return save(folder, table, mode="floret", **(how | settings))


def test_words_are_in_the_order_of_their_rows(tmp_path):
    for folder in (save(tmp_path), tmp_path / "vocab"):
        vectors = load_vectors(folder)
        assert (vectors.name, vectors.subword) == (folder.name, None)
        assert list(vectors.words) == ["regina", "rex", "dux", "Rōma"]
        assert vectors.matrix.tolist() == TABLE[[0, 1, 2, 2]].tolist()
    assert list(load_vectors(tmp_path, limit=2).words) == ["regina", "rex"]
    (tmp_path / "vocab" / "vectors.cfg").unlink()  # as in versions of spaCy that had one mode only
    assert len(load_vectors(tmp_path)) == 4


def test_vectors_are_those_of_spacy(tmp_path):
    spacy = pytest.importorskip("spacy", reason="compares with spaCy, which is not installed")
    words = ["", "a", "rex", "12345678", "123456789", "Ποσειδῶν", "😀x", "longer than sixteen", "Rōma"]
    generator = np.random.default_rng(0)
    model = spacy.blank("la")
    for word in words[1:]:
        model.vocab.set_vector(word, generator.normal(size=5).astype(np.float32))
    model.vocab.prune_vectors(6)
    model.to_disk(tmp_path)
    vectors = load_vectors(tmp_path)
    assert {*vectors.words} == {*words[1:]}
    for word, row in zip(vectors.words, vectors.matrix, strict=True):
        assert row.tolist() == model.vocab.get_vector(word).tolist(), word


def test_bad_rows(tmp_path):
    save(tmp_path, np.zeros((4, 3), np.float32))
    with pytest.raises(VectorsError, match="row 1, word 'regina': all numbers are zero"):
        load_vectors(tmp_path)
    save(tmp_path, strings=["dux", "rex", "Rōma"])
    with pytest.raises(VectorsError, match=r"row 1: strings\.json has no word of this key"):
        load_vectors(tmp_path)
    vectors = load_vectors(tmp_path, bad_rows="drop")
    assert (list(vectors.words), vectors.dropped) == (["rex", "dux", "Rōma"], 1)


def test_a_row_beyond_the_table_is_refused(tmp_path):
    for row in (4, -1):
        with pytest.raises(VectorsError, match=f"key2row: leads to row {row}, but the table has 4 rows"):
            load_vectors(save(tmp_path, rows=ROWS | {7: row}))


@pytest.mark.parametrize("name", ["key2row", "strings.json"])
def test_damaged_files(tmp_path, name):
    path = save(tmp_path) / "vocab" / name
    whole = path.read_bytes()
    for content in (b"", whole[: len(whole) // 2], b"\xff", b"[7]", b"{}"):
        path.write_bytes(content)
        with pytest.raises(VectorsError, match="damaged"):
            load_vectors(tmp_path)
    path.unlink()
    with pytest.raises(VectorsError, match=f"{name}: cannot be read"):
        load_vectors(tmp_path)


def test_other_modes(tmp_path):
    with pytest.raises(VectorsError, match="mode 'new', which is not known"):
        load_vectors(save(tmp_path, mode="new"))
    with pytest.raises(VectorsError, match="install a larger one"):
        load_vectors(save(tmp_path, np.zeros((0, 0), np.float32)))


def test_the_mode_floret(tmp_path):
    for folder in (floret(tmp_path), tmp_path / "vocab"):
        vectors = load_vectors(folder, vocabulary=list(EXPECTED))
        assert vectors.name == folder.name
        assert vectors.matrix == pytest.approx(np.array(list(EXPECTED.values())), rel=1e-4)


def test_floret_that_cannot_be_used(tmp_path):
    with pytest.raises(VectorsError, match="9 hashes"):
        load_vectors(floret(tmp_path, hash_count=9), vocabulary=["x"])
    with pytest.raises(VectorsError, match="row 2 holds NaN"):
        load_vectors(floret(tmp_path, np.array([[1, 2], [np.nan, 1]])), vocabulary=["x"])
    with pytest.raises(VectorsError, match="no vocabulary"):
        load_vectors(floret(tmp_path))
    for content in (b"{", b"\xff", b"[]", b'{"mode": "floret"}'):
        (tmp_path / "vocab" / "vectors.cfg").write_bytes(content)
        with pytest.raises(VectorsError, match="damaged"):
            load_vectors(tmp_path, vocabulary=["x"])
