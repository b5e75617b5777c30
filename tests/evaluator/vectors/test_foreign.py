"""Files of other kinds are named, with what to do."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import sqlite3
import struct
import tarfile
import zipfile
from contextlib import closing

import pytest

from evaluator import load_vectors
from evaluator.errors import VectorsError
from evaluator.vectors import foreign

GLOVE = b"rex 0.5 1.25 2\nregina 1.5 -2 3\ndux 1 2 3.5\n"


def tar(form):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        information = tarfile.TarInfo("some.vec")
        information.size = len(GLOVE)
        archive.addfile(information, io.BytesIO(GLOVE))
    return stream.getvalue()


def old_tar():
    """As programs wrote it before the mark `ustar`."""
    data = bytearray(tar(tarfile.USTAR_FORMAT))
    data[257:265] = bytes(8)
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


def zipped(*names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, GLOVE)
    return stream.getvalue()


def database():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table words (word text)")
        return connection.serialize()


def old_fasttext(size=3, labels=0):
    sizes = size, size - labels, labels, 99
    return struct.pack("<12id3iq", 10, 5, 5, 5, 5, 1, 2, 2, 1000, 3, 6, 100, 1e-4, *sizes)


TORCH = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2)
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12\n"
KINDS = {
    "a Git LFS pointer": (LFS, "a Git LFS pointer, not the file.*git lfs pull"),
    "a page": (b"\n<!DOCTYPE html>\n<html lang='la'><body>1 2</body>", "an HTML page, not the file"),
    "a page without its type": (b"\xef\xbb\xbf<HTML>\n", "an HTML page"),
    "a message of a server": (b"<?xml version='1.0'?><Error><Code>AccessDenied</Code>", "an XML document"),
    "gzip in gzip": (gzip.compress(GLOVE), "compressed twice.*gunzip"),
    "zip": (zipped("some.vec"), "a zip archive.*unzip"),
    "PyTorch": (zipped("best/data.pkl", "best/data/0"), "a model of PyTorch.*savez"),
    "older PyTorch": (TORCH, "a model of PyTorch.*savez"),
    "Excel": (zipped("[Content_Types].xml", "xl/workbook.xml"), "a spreadsheet of Excel"),
    "tar": (tar(tarfile.PAX_FORMAT), "a tar archive.*tar -xf"),
    "tar of GNU": (tar(tarfile.GNU_FORMAT), "a tar archive"),
    "older tar": (old_tar(), "a tar archive"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4", "a 7z archive"),
    "RAR": (b"Rar!\x1a\x07\x01\0", "a RAR archive"),
    "zstd": (b"\x28\xb5\x2f\xfd\4\0", "compressed with zstd.*unzstd"),
    "LZ4": (b"\x04\x22\x4d\x18\x64", "compressed with LZ4.*unlz4"),
    "LZMA": (lzma.compress(GLOVE, lzma.FORMAT_ALONE), "compressed with LZMA.*unlzma"),
    "HDF5": (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    "MATLAB": (b"MATLAB 5.0 MAT-file, Platform: GLNXA64", "a file of MATLAB"),
    "Parquet": (b"PAR1\x15\x04\x15", "a Parquet file.*pandas"),
    "Feather": (b"ARROW1\0\0\xff\xff", "an Arrow or Feather file.*pandas"),
    "R": (b"RDX3\nX\n\0\0\0\3", "data of R.*write.table"),
    "R, one object": (b"X\n\0\0\0\3\0\4", "data of R"),
    "finalfusion": (b"FiFu\0\0\0\0\2\0\0\0", "a file of finalfusion"),
    "a part of finalfusion": (struct.pack("<iqii", 4, 7000, 10, 100), "a part of a file of finalfusion"),
    "magnitude": (database(), "a database of SQLite, as the .magnitude files"),
    "GGUF": (b"GGUF\3\0\0\0\1", "a model in GGUF.*module:function"),
    "PDF": (b"%PDF-1.7\n", "a PDF"),
    "fastText of 2016": (old_fasttext(), "a model of fastText in its first format"),
    "a classifier of 2016": (old_fasttext(5, 2), "a model of fastText in its first format"),
    "UTF-16": (GLOVE.decode().encode("utf-16"), "UTF-16 text.*iconv"),
    "CSV": (b"hund,0.1,0.2\nkatze,0.3,-4e-05\n", "a comma-separated table"),
    "CSV with names": (b'word,d1,d2\n"hund","0.1","0.2"\n"katze",0.3,0.4\n', "a comma-separated table"),
    "CSV of a spreadsheet": (b"hund;0,1;0,2\nkatze;0,3;0,4\n", "separated by semicolons"),
    "sparse rows": (b"hund 3:0.5 17:0.25\nkatze 1:1\n", "name the places of their numbers"),
    "a list of words": (b"hund\nkatze\nmaus\n", "a list of words"),
    "an index": (b"0 hund 0.1 0.2\n1 katze 0.3 0.4\n", "line 1: each line starts with its number"),
    "an index, tabs": (
        b"1\thund\t0.1\t0.2\n2\tkatze\t0.3\t0.4\n",
        "line 1: each line starts with its number",
    ),
    "an index after a header": (b"2 2\n0 hund 0.1 0.2\n1 katze 0.3 0.4\n", "line 2: each line starts with"),
    "names of columns": (
        b"word 0 1 2\nhund 0.1 0.2 0.3\nkatze 0.3 0.4 0.5\n",
        "line 1: holds the numbers of",
    ),
    "names of columns, from 1": (b"w\t1\t2\nhund\t0.1\t2.5\n", "line 1: holds the numbers of columns"),
    "prose": (b"# Vectors\n\nThese are the vectors.\n", "not recognised as vectors"),
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_file_is(tmp_path, kind, packed):
    data, problem = KINDS[kind]
    path = tmp_path / "some.bin"
    path.write_bytes(gzip.compress(data) if packed or kind == "gzip in gzip" else data)
    for bad_rows in ("refuse", "drop"):
        with pytest.raises(VectorsError, match=rf"some\.bin.*{problem}") as caught:
            load_vectors(path, bad_rows=bad_rows)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_vectors_are_read(tmp_path, compress):
    path = tmp_path / "some.vec"
    path.write_bytes(compress(GLOVE))
    assert load_vectors(path).words == ["rex", "regina", "dux"]
    path.write_bytes(compress(GLOVE * 50)[:-9])
    with pytest.raises(VectorsError, match=r"some\.vec: the compressed data is cut off or damaged"):
        load_vectors(path, bad_rows="drop")


@pytest.mark.parametrize("word", ["PAR1", "MATLAB", "%PDF", "RDX2", "GGUF", "0", "7z", "FiFu", "Rar!"])
def test_words_that_look_like_a_kind(tmp_path, word):
    path = tmp_path / "some.vec"
    path.write_bytes(word.encode() + b" 0.5 1.25\n1 0.5 7\n2 3 4\n")
    assert load_vectors(path).words == [word, "1", "2"]


def header(dimension=10, loss=1, model=2, bucket=1000, minn=3, maxn=6, size=3, words=3, labels=0):
    settings = dimension, 5, 5, 5, 5, 1, loss, model, bucket, minn, maxn, 100
    return struct.pack("<12id3iq", *settings, 1e-4, size, words, labels, 99)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        *(
            ({"dimension": number}, expected)
            for number, expected in ((0, 0), (1, 1), (10_000, 1), (10_001, 0))
        ),
        *(({"loss": number}, expected) for number, expected in ((0, 0), (1, 1), (3, 1), (4, 0))),
        *(({"model": number}, expected) for number, expected in ((0, 0), (1, 1), (3, 1), (4, 0))),
        *(({"bucket": number}, expected) for number, expected in ((-1, 0), (0, 1))),
        *(({"minn": number}, expected) for number, expected in ((-1, 0), (0, 1), (6, 1), (7, 0))),
        *(({"maxn": number}, expected) for number, expected in ((2, 0), (99, 1), (100, 0))),
        *(
            ({"size": n, "words": n}, expected)
            for n, expected in ((0, 0), (1, 1), (1 << 26, 1), (2**26 + 1, 0))
        ),
        ({"words": 2, "labels": 1}, 1),
        ({"words": 4, "labels": -1}, 0),
        ({"words": -1, "labels": 4}, 0),
        ({"words": 2}, 0),
    ],
    ids=str,
)
def test_a_model_of_2016_has_settings_and_sizes_that_make_sense(changed, expected):
    named = foreign._is_old_fasttext(header(**changed))
    assert (named, foreign._is_old_fasttext(header(**changed)[:-1])) == (bool(expected), False)


def test_a_chunk_of_finalfusion_is_of_a_known_kind_and_has_a_length():
    def chunk(kind, length):
        return kind.to_bytes(4, "little") + length.to_bytes(8, "little") + b"x"

    kinds = [kind for kind in range(8) if foreign._is_finalfusion_chunk(chunk(kind, 9))]
    lengths = [
        each for each in (0, 1, (1 << 32) - 1, 1 << 32) if foreign._is_finalfusion_chunk(chunk(1, each))
    ]
    assert (kinds, lengths) == ([1, 2, 3, 4], [1, (1 << 32) - 1])
    assert not foreign._is_finalfusion_chunk(chunk(1, 9)[:-1])
