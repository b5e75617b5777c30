"""Vectors files of other projects, as their authors published them, where they are at hand."""

from __future__ import annotations

import csv

import pytest

from evaluator import load_vectors
from evaluator.errors import VectorsError
from tests.evaluator.vectors.vector_files import DATA

MANIFEST = DATA / "public" / "manifest.tsv"

# What is said of a file that is refused; the key is a part of the reason in the manifest.
SAID = {
    "not UTF-8": "(is not UTF-8|ends within a character)",
    "line 2 has 3 numbers": "line 2, .*: 3 numbers where 4",
    "no table of vectors": "line 1, word '<start>': 0 numbers",
    "(lzma)": "compressed with LZMA",
    "(zip)": "zip archive",
    "(tar.gz)": "tar archive",
    "of an old format": "fastText in its first format",
    "a matrix chunk of finalfusion": "finalfusion, a matrix without words",
    "saved by an older gensim": "saved by a gensim before version 4.*save it again",
    "(Phrases)": "it is a Phrases of gensim",
    "a pickle that is no vectors": "it is a pickled list",
    "no words beside it": "a numpy array has no words",
    "no array of words": "one array of as many words",
    "a format of finalfusion": "a file of finalfusion",
    "Git LFS pointer": "Git LFS pointer",
    "HTML page": "HTML page",
    "HDF5": "HDF5",
    "(R data)": "data of R",
    "(PyTorch)": "PyTorch",
}


def rows():
    """The rows of the manifest that are vectors."""
    if not MANIFEST.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"{MANIFEST} is not there"))]
    with MANIFEST.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [pytest.param(row, id=row["path"]) for row in found if row["kind"].startswith("vectors")]


@pytest.mark.parametrize("row", rows())
def test_a_published_file(row):
    path, expected = MANIFEST.parent / row["path"], row["expected"]
    if expected.startswith("("):
        pytest.skip(f"belongs to another file: {expected}")
    also_read = "or read as" in row["notes"] and path.suffix in {".bz2", ".npy"}
    if expected.startswith("refused") and not also_read:
        with pytest.raises(VectorsError) as caught:
            load_vectors(path)
        message = str(caught.value)
        assert str(path) in message
        assert "\n" not in message
        assert caught.match(".*" + next(said for reason, said in SAID.items() if reason in expected))
        return
    vectors = load_vectors(path)
    assert (len(vectors), vectors.dimension) == (int(row["count"]), int(row["dimension"]))
    assert vectors.words[0].startswith(row["first"].removesuffix("…"))
    if not also_read:
        assert load_vectors(path, format=expected).words == vectors.words
