"""Files that `convert` writes: opened as they were written, or refused."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

import evaluator.vectors
from evaluator import convert
from evaluator.errors import OutputError, VectorsError
from evaluator.vectors import Vectors, load_vectors
from evaluator.vectors.formats import safetensors
from tests.evaluator.vectors import fasttext_files
from tests.evaluator.vectors.test_formats import MATRIX, ODD_WORDS, SPACED_WORDS, WORDS, check, tables

ROOT = Path(evaluator.vectors.__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "some.safetensors"
    convert(Vectors(WORDS, MATRIX, "some.vec", dropped=2), path)
    return path


def test_the_same_vectors_have_the_same_bytes(path):
    assert len({(convert(load_vectors(path), path), path.read_bytes())[1] for _ in range(5)}) == 1


@pytest.mark.parametrize("name", ["auto", "safetensors"])
def test_what_is_written_is_read(path, name):
    vectors = load_vectors(path, format=name)
    check(vectors)
    assert (vectors.name, vectors.subword, vectors.dropped) == ("some.safetensors", None, 2)
    assert vectors.index == {word: row for row, word in enumerate(WORDS)}


def test_the_matrix_is_mapped_into_memory(path):
    matrix = load_vectors(path).matrix
    assert type(matrix) is np.ndarray
    assert isinstance(matrix.base.base, np.memmap)
    assert not matrix.flags.writeable
    path.unlink()
    assert np.array_equal(matrix, MATRIX)


def test_limit_and_restriction(path):
    check(load_vectors(path, limit=2), WORDS[:2], MATRIX[:2])
    few = load_vectors(path).restrict(2)
    assert (few.matrix.shape, few.index) == ((2, 3), {"rex": 0, "regina": 1})
    assert list(load_vectors(path).fold(str.upper).words)[:2] == ["REX", "REGINA"]


def test_odd_words(tmp_path):
    words = [*ODD_WORDS, *SPACED_WORDS, "a\nb", " "]
    matrix = np.ones((len(words), 1), np.float32)
    convert(Vectors(words, matrix, "odd"), tmp_path / "odd.safetensors")
    check(load_vectors(tmp_path / "odd.safetensors"), words, matrix)


@given(tables(""))
def test_round_trip(table):
    words, matrix = table
    with tempfile.TemporaryDirectory() as folder:
        convert(Vectors(words, matrix, "some"), Path(folder) / "some.safetensors")
        check(load_vectors(Path(folder) / "some.safetensors"), words, matrix)


def test_a_matrix_that_is_not_contiguous(tmp_path):
    wide = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    convert(Vectors(["a", "b", "c"], wide[:, ::2], "some"), tmp_path / "some.safetensors")
    check(load_vectors(tmp_path / "some.safetensors"), ["a", "b", "c"], wide[:, ::2])


def test_the_library_reads_it_too(path):
    with safe_open(path, "numpy") as tensors:
        assert json.loads(tensors.get_tensor("words").tobytes()) == WORDS
        assert np.array_equal(tensors.get_tensor("matrix"), MATRIX)
        metadata = tensors.metadata()
    assert {name: metadata[name] for name in ("format", "version", "source", "dropped")} == {
        "format": "evaluator vectors", "version": "1", "source": "some.vec", "dropped": "2"
    }  # fmt: skip


def test_a_single_changed_byte_is_noticed(path):
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(VectorsError, match=r"some\.safetensors: "):
            load_vectors(path, format="safetensors")


def test_a_large_matrix_that_is_zeroed_in_the_middle(tmp_path, monkeypatch):
    monkeypatch.setattr(safetensors, "CHUNK_BYTES", 1 << 12)
    path = tmp_path / "some.safetensors"
    convert(Vectors([f"w{i}" for i in range(2000)], np.ones((2000, 50), np.float32), "some"), path)
    assert len(load_vectors(path)) == 2000
    data = bytearray(path.read_bytes())
    data[200_000:200_004] = bytes(4)
    path.write_bytes(data)
    with pytest.raises(VectorsError, match="damaged"):
        load_vectors(path)


@pytest.mark.parametrize("size", [9, 100, 400, -1])
def test_a_file_that_is_cut_off(path, size):
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(VectorsError, match=r"some\.safetensors: .*convert"):
        load_vectors(path)


def test_a_compressed_file(path):
    path.write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(VectorsError, match="gunzip"):
        load_vectors(path)


def test_another_version(path, monkeypatch):
    monkeypatch.setattr(safetensors, "VERSION", "2")
    with pytest.raises(VectorsError, match=r"\b1\b.*\b2\b"):
        load_vectors(path)


@pytest.mark.parametrize(
    ("tensors", "parts"),
    [
        ({"wte": MATRIX, "bias": MATRIX[0]}, ["has the tensors bias, wte, but no vocabulary. Export words"]),
        ({"wte": MATRIX}, ["no static model", "encode words with a function of your own (module:function)"]),
        ({}, ["has the tensors none"]),
    ],
)  # fmt: skip
def test_a_file_that_others_wrote(tmp_path, tensors, parts):
    save_file(tensors, tmp_path / "model.safetensors")
    with pytest.raises(VectorsError) as caught:
        load_vectors(tmp_path / "model.safetensors")
    for part in ['was not written by "evaluator convert"', "word2vec format", *parts]:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("words", "matrix", "problem"),
    [
        (["a", "a"], [[1], [2]], "duplicate"),
        (["a", ""], [[1], [2]], "the word is empty"),
        (["a", "b"], [[1], [0]], "all numbers are zero"),
        (["a", "b"], [[1], [np.nan]], "is NaN"),
        (["a", "\ud83d"], [[1], [2]], "cannot be written as UTF-8"),
    ],
)
def test_what_cannot_be_scored_is_not_written(tmp_path, words, matrix, problem):
    path = tmp_path / "some.safetensors"
    with pytest.raises(VectorsError, match=rf"mine.*{problem}"):
        convert(Vectors(words, np.array(matrix, np.float32), "mine"), path)
    assert not path.exists()


def test_subwords_are_not_written_unless_left_out(tmp_path):
    path = tmp_path / "some.safetensors"
    vectors = load_vectors(fasttext_files.write(tmp_path / "some.bin", ["rex", "dux"], MATRIX))
    with pytest.raises(VectorsError, match=r"some\.bin: .*--without-subwords"):
        convert(vectors, path)
    assert not path.exists()
    convert(replace(vectors, subword=None), path)
    check(load_vectors(path), vectors.words, vectors.matrix)


def test_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        convert(Vectors(WORDS, MATRIX, "some"), tmp_path / "none" / "some.safetensors")


def test_another_file_stays_if_writing_fails(path, monkeypatch):
    before = path.read_bytes()

    def fail(tensors, name, metadata):
        save_file({}, name)
        raise SafetensorError("I/O error: No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", fail)
    with pytest.raises(OutputError, match="No space left"):
        convert(Vectors(["a"], MATRIX[:1], "other"), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


OPENED = """
import sys
from evaluator.vectors import load_vectors
assert len(load_vectors(sys.argv[1])) == 4
print(*{"numba", "gensim", "pandas", "scipy"} & set(sys.modules))
"""


def test_it_is_opened_without_heavy_libraries(path):
    command = [sys.executable, "-c", OPENED, path]
    assert subprocess.check_output(command, cwd=ROOT, text=True).split() == []


def test_the_digest_does_not_change(path):
    """Whoever changes how it is computed must raise the version."""
    with safe_open(path, "numpy") as tensors:
        digest = tensors.metadata()["digest"]
    assert digest == "sha256:7af874bb843ee8d12a14369a29a2149149f784d8402f52d0da22a7cffb1ba159"
