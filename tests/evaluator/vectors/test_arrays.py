from __future__ import annotations

import gzip
import io
import random
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from evaluator.errors import VectorsError
from evaluator.vectors import load_vectors

WORDS = ["rex", "New York", "Ποσειδῶν"]
MATRIX = np.array([[1, 2], [3, 4], [5, 6.5]])


def npy(folder, matrix=MATRIX, words=WORDS, name="words.txt"):
    np.save(folder / "some.npy", matrix)
    (folder / name).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return folder / "some.npy"


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, ">f8", np.int8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_and_its_words(tmp_path, kind, order):
    vectors = load_vectors(npy(tmp_path, np.asarray(MATRIX, dtype=kind, order=order)))
    assert list(vectors.words) == WORDS
    assert vectors.matrix.dtype == np.float32
    assert vectors.matrix.flags.c_contiguous
    assert vectors.matrix.tolist() == np.asarray(MATRIX, dtype=kind).astype(np.float32).tolist()


@pytest.mark.parametrize("name", ["some.txt", "some.vocab", "words.txt", "vocab.txt"])
def test_where_words_are_found(tmp_path, name, caplog):
    path = npy(tmp_path, name=name)
    assert list(load_vectors(path, limit=2).words) == WORDS[:2]
    load_vectors(path)
    said = [] if name.startswith("some.") else [f"{path}: its words are taken from {tmp_path / name}"]
    assert caplog.messages == said, "once"
    packed = tmp_path / "some.npy.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert list(load_vectors(packed).words) == WORDS


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_an_archive(tmp_path, save):
    save(tmp_path / "some.npz", vocab=np.array(WORDS), vectors=MATRIX)
    vectors = load_vectors(tmp_path / "some.npz")
    assert list(vectors.words) == WORDS
    assert vectors.matrix.tolist() == MATRIX.tolist()
    save(tmp_path / "bytes.npz", vocab=np.array([word.encode("utf-8") for word in WORDS]), vectors=MATRIX)
    assert list(load_vectors(tmp_path / "bytes.npz").words) == WORDS
    with pytest.raises(VectorsError, match="not ASCII"):
        load_vectors(tmp_path / "bytes.npz", encoding="ascii")


def test_a_list_with_the_number_of_each_word(tmp_path):
    """Numbers are words where nothing or a count follows, not where words do."""
    with pytest.raises(VectorsError, match=r"words\.txt, line 1: starts with a number, and a word follows"):
        load_vectors(npy(tmp_path, words=["0\trex", "1\tdux", "2\tNew York"]))
    assert load_vectors(npy(tmp_path, words=["0\t7", "1\t5", "2"])).words == ["0", "1", "2"]
    assert load_vectors(npy(tmp_path, words=["rex\tN", "1\tnumber", "dux\tN"])).words == ["rex", "1", "dux"]


BAD = {
    "no words": (MATRIX, None, "words.txt"),
    "too few words": (MATRIX, WORDS[:2], r"shape \(3, 2\), but 2 words in .*words.txt"),
    "one axis": (MATRIX[0], WORDS, r"shape \(2,\)"),
    "NaN": (np.array([[1, 2], [np.nan, 1], [1, 1]]), WORDS, "row 2, word 'New York': number 1 of 2 is NaN"),
    "infinity": (np.array([[1, 2], [1, 1], [1, 1e300]]), WORDS, "row 3.*infinite, or too large"),
    "zeros": (np.array([[1, 2], [0, 0], [1, 1]]), WORDS, "row 2, word 'New York': all numbers are zero"),
    "a duplicate": (MATRIX, ["rex", "x", "rex"], "row 3, word 'rex': duplicate: .* row 1 "),
    "a blank line": (MATRIX, ["rex", "", "dux"], "row 2: the word is empty"),
    "texts": (np.array([["a", "b"]] * 3), WORDS, "real numbers"),
    "no columns": (np.empty((3, 0)), WORDS, "no columns"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_arrays(tmp_path, kind):
    matrix, words, problem = BAD[kind]
    path = npy(tmp_path, matrix, words or ())
    if words is None:
        (tmp_path / "words.txt").unlink()
    with pytest.raises(VectorsError, match=problem):
        load_vectors(path)


def test_python_objects_are_not_loaded(tmp_path):
    path = npy(tmp_path)
    np.save(path, np.array([["a", 1], ["b", 2]], dtype=object))
    with pytest.raises(VectorsError, match="program"):
        load_vectors(path)
    np.savez(tmp_path / "some.npz", words=np.array(WORDS, dtype=object), vectors=MATRIX)
    with pytest.raises(VectorsError, match=r"array words: .*objects"):
        load_vectors(tmp_path / "some.npz")


def test_archives_of_something_else(tmp_path):
    np.savez(tmp_path / "a.npz", MATRIX, MATRIX)
    with pytest.raises(VectorsError, match=r"has arr_0 float64\[3, 2\], arr_1 float64\[3, 2\]"):
        load_vectors(tmp_path / "a.npz")
    (tmp_path / "b.npz").write_bytes(gzip.compress((tmp_path / "a.npz").read_bytes()))
    with pytest.raises(VectorsError, match="gunzip"):
        load_vectors(tmp_path / "b.npz")


def header(shape):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return stream.getvalue()


@pytest.mark.parametrize("shape", [(1 << 40, 1 << 20), (-3, 2), (4, 2)])
def test_a_header_that_is_wrong_takes_no_memory(tmp_path, shape):
    path = npy(tmp_path)
    path.write_bytes(header(shape) + bytes(24))
    with pytest.raises(VectorsError, match="header"):
        load_vectors(path)
    path.write_bytes(gzip.compress(header(shape) + bytes(24)))
    with pytest.raises(VectorsError, match="header"):
        load_vectors(path)
    with zipfile.ZipFile(tmp_path / "some.npz", "w") as archive:
        archive.writestr("words.npy", header(shape) + bytes(24))
    with pytest.raises(VectorsError, match="header"):
        load_vectors(tmp_path / "some.npz")


@pytest.mark.parametrize("name", ["some.npy", "some.npz"])
def test_any_damage_gives_a_message(tmp_path, name):
    npy(tmp_path)
    np.savez_compressed(tmp_path / "some.npz", words=np.array(WORDS), matrix=MATRIX)
    whole = (tmp_path / name).read_bytes()
    generator = random.Random(name)
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[generator.randrange(len(whole))] = generator.randrange(256)
        (tmp_path / name).write_bytes(
            damaged[: generator.choice([len(whole), generator.randrange(1, len(whole))])]
        )
        with suppress(VectorsError):
            load_vectors(tmp_path / name)
