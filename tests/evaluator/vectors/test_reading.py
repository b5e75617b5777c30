"""Which format a file is in, formats of other packages, and files that change while they are read."""

from __future__ import annotations

import pickle

import pytest

from evaluator.errors import PluginError, VectorsError
from evaluator.vectors import LoadOptions, VectorFormat, load_vectors, reading
from tests.evaluator.vectors.test_formats import LAYOUTS, check, save

CSV = """
import numpy as np
from evaluator.vectors import Vectors, vector_format

@vector_format("csv", rank=25, looks_like=lambda head: b"," in head)
def read_csv(file, options):
    word, *numbers = file.stream.read().decode().split(",")
    return Vectors([word], np.array([numbers], dtype=np.float32), file.path.name)

def read_others(file, options):
    return None
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a package with an entry point."""

    def make(entry):
        information = tmp_path / "installed" / "vectors_csv-1.0.dist-info"
        information.mkdir(parents=True)
        save(information, b"Metadata-Version: 2.1\nName: vectors-csv\nVersion: 1.0\n", "METADATA")
        save(information, f"[evaluator.vector_formats]\n{entry}\n".encode(), "entry_points.txt")
        save(information.parent, CSV.encode(), "vectors_csv.py")
        monkeypatch.syspath_prepend(information.parent)
        reading.vector_formats.cache_clear()

    yield make
    reading.vector_formats.cache_clear()


def test_a_format_of_another_package(tmp_path, install):
    install("csv = vectors_csv:read_csv")
    path = save(tmp_path, b"rex,1,2")
    for name in ("auto", "csv"):
        vectors = load_vectors(path, format=name)
        assert (list(vectors.words), vectors.matrix.tolist(), vectors.name) == (["rex"], [[1, 2]], "some.vec")
    check(load_vectors(save(tmp_path, LAYOUTS["glove"])))
    with pytest.raises(VectorsError, match="fasttext, gensim, csv, word2vec-binary"):
        load_vectors(path, format="tsv")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (
            "csv = vectors_csv:read_others",
            r"'csv' .* is not a function decorated with vector_format\('csv', …\)",
        ),
        (
            "tsv = vectors_csv:read_csv",
            r"'tsv' .* is not a function decorated with vector_format\('tsv', …\)",
        ),
        ("csv = vectors_csv:nothing", "cannot be loaded from vectors_csv:nothing: AttributeError"),
        ("glove = vectors_csv:read_csv", "registers 'glove'.* a name of evaluator's own"),
    ],
)
def test_a_format_that_cannot_be_used_names_its_package(tmp_path, install, entry, problem):
    install(entry)
    path = save(tmp_path, LAYOUTS["glove"])
    with pytest.raises(PluginError, match=rf"package 'vectors-csv'.*{problem}"):
        load_vectors(path, format="theirs")
    check(load_vectors(path))


@pytest.mark.parametrize("data", [b"rex 1 2 3\n", b"rex 1 2 3\nbad 0 0 0\n"], ids=["good", "bad"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, data):
    path = save(tmp_path, data)

    def read(file, options):
        with path.open("ab") as more:
            more.write(b"more 1 2 3\n")
        return reading.FORMATS["glove"].read(file, options)

    changing = VectorFormat("changing", 1, lambda head: True, read)
    monkeypatch.setattr(reading, "vector_formats", lambda: {"changing": changing})
    with pytest.raises(VectorsError, match=r"some\.vec: .*changed"):
        load_vectors(path)


def test_formats_are_tried_by_rank():
    assert list(reading.vector_formats()) == [
        *("static-model", "safetensors", "npy", "npz", "fasttext", "gensim"),
        *("word2vec-binary", "word2vec-text", "floret", "spacy", "glove"),
    ]


def test_options_travel_to_other_processes():
    options = LoadOptions(bad_rows="drop", limit=3)
    assert pickle.loads(pickle.dumps(options)) == options  # noqa: S301 - our own
    assert options.drop


def test_rows_with_control_characters_are_binary_as_no_text_has_them():
    heads = {byte: b"2 2\nword " + bytes([byte]) + b"!!!!!!!" for byte in range(128)}  # the first of two rows
    found = [byte for byte, head in heads.items() if reading.is_word2vec_binary(head)]
    assert found == [byte for byte in range(32) if bytes([byte]) not in b"\t\n\r"]


def test_numbers_are_sought_in_the_first_hundred_lines():
    assert reading.has_number_rows(b"title\n" * 99 + b"word 1 2")
    assert not reading.has_number_rows(b"title\n" * 100 + b"word 1 2")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"w 1 2 3 4 5\nv 1 2 3 4 5\n", True),
        (b"w 1 2 3 4\nv 1 2 3 4\n", False),
        (b"w 1 2 3 4 5\nv 1 2 3 4\n", False),
        (b"w 1 2 3 4 5\nv two words 1 2 3 4 5\n", False),
        (b"2 5\n", True),
        (b"\xef\xbb\xbf2 5\nw 1 2 3 4 5\n", True),
        (b"2 5 7\n", False),
        (b"\x93NUMPY\x01", True),
        (b"\x80\x04", True),
    ],
)
def test_what_certainly_holds_vectors(head, expected):
    assert reading.are_vectors(head) is expected
