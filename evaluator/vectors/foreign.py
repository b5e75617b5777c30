"""What a file is that is not in a format of vectors: each kind by its first bytes, with what to do."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from evaluator.errors import VectorsError

_EXPORT = "Export words and vectors in word2vec format with the library that wrote it"
_GZIP_INSTEAD = "or compress it with gzip instead"
_OLD_HEADER = struct.Struct("<12id3iq")  # of fastText before it had a magic number
_LARGEST = 1 << 26


def _in_zip(name: bytes, head: bytes) -> bool:
    """Whether this is a zip archive whose first member has a name."""
    return head.startswith(b"PK\x03\x04") and re.search(name, _first_member(head)) is not None


def _first_member(head: bytes) -> bytes:
    return head[30 : 30 + int.from_bytes(head[26:28], "little")]


def is_npz(head: bytes) -> bool:
    """A zip archive whose first file is a numpy array."""
    return _in_zip(rb"\.npy\Z", head)


def _is_tar(head: bytes) -> bool:
    """The mark of a header, or for older archives its sum of bytes."""
    if head[257:262] == b"ustar":
        return True
    found = re.fullmatch(rb"[ 0]*([0-7]+)[\0 ]*", head[148:156])
    total = sum(head[:148]) + 8 * ord(" ") + sum(head[156:512])
    return len(head) >= 512 and found is not None and int(found[1], 8) == total


def _is_lzma(head: bytes) -> bool:
    """Settings, size of the dictionary, and length of the content, which may be unknown."""
    known = head[5:13] == b"\xff" * 8 or head[10:13] == bytes(3)
    return len(head) > 13 and head[:3] == b"\x5d\0\0" and known and not head[13]


def _is_old_fasttext(head: bytes) -> bool:
    """Settings and sizes that make sense where later versions have a magic number."""
    if len(head) < _OLD_HEADER.size:
        return False
    fields = _OLD_HEADER.unpack_from(head)
    dimension, (loss, model, bucket, minn, maxn) = fields[0], fields[6:11]
    size, words, labels = fields[13:16]
    settings = 1 <= dimension <= 10_000 and {loss, model} <= {1, 2, 3} and bucket >= 0 <= minn <= maxn <= 99
    return settings and 1 <= size <= _LARGEST and min(words, labels) >= 0 and words + labels == size


def _is_finalfusion_chunk(head: bytes) -> bool:
    """The number of a kind of chunk of finalfusion, and a length of up to 4 GiB that is not 0."""
    kind, length = int.from_bytes(head[:4], "little"), int.from_bytes(head[4:12], "little")
    return len(head) > 12 and 1 <= kind <= 4 and 0 < length < 1 << 32


Signature = re.Pattern[bytes] | Callable[[bytes], bool]
"""What begins like this, or is recognised so."""


def _markup(*names: bytes) -> re.Pattern[bytes]:
    r"""A document whose first element has one of these names, after a mark of UTF-8 and white space."""
    return re.compile(rb"(\xef\xbb\xbf)?\s{0,500}(" + b"|".join(map(re.escape, names)) + rb")", re.IGNORECASE)


def _starts(*magics: bytes) -> re.Pattern[bytes]:
    return re.compile(b"|".join(map(re.escape, magics)), re.DOTALL)


SIGNATURES: Mapping[str, tuple[Signature, str]] = {
    "a Git LFS pointer, not the file": (
        _starts(b"version https://git-lfs.github.com/"),
        "Fetch the file itself: git lfs pull, or download it from the page of the repository",
    ),
    "an HTML page, not the file": (
        _markup(b"<!doctype html", b"<html", b"<head", b"<body"),
        "Open the address in a browser, and fetch the file that it leads to",
    ),
    "an XML document": (_markup(b"<?xml"), "It may be a message of the server: fetch the file again"),
    "compressed twice": (
        _starts(b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0"),
        "Unpack it once (gunzip, bunzip2, unxz)",
    ),
    "a model of PyTorch": (
        lambda head: (
            _in_zip(rb"(\A|/)(data\.pkl|byteorder|\.format_version)\Z", head)
            or b"\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19" in head[:20]
        ),
        "Load it there, and save words and matrix: np.savez('m.npz', words=np.array(words), matrix=matrix)",
    ),
    "a spreadsheet of Excel": (
        partial(_in_zip, rb"\[Content_Types\]\.xml"),
        "Save it as text: a word and its numbers in each line",
    ),
    "a zip archive": (
        lambda head: _in_zip(b"", head) and not is_npz(head),
        "Unpack it (unzip) and give the file inside",
    ),
    "a tar archive": (_is_tar, "Unpack it (tar -xf) and give the file inside"),
    "a 7z archive": (_starts(b"7z\xbc\xaf\x27\x1c"), "Unpack it (7z x) and give the file inside"),
    "a RAR archive": (_starts(b"Rar!\x1a\x07"), "Unpack it (unrar x) and give the file inside"),
    "compressed with zstd": (_starts(b"\x28\xb5\x2f\xfd"), f"Unpack it (unzstd), {_GZIP_INSTEAD}"),
    "compressed with LZ4": (_starts(b"\x04\x22\x4d\x18"), f"Unpack it (unlz4), {_GZIP_INSTEAD}"),
    "compressed with LZMA": (_is_lzma, f"Unpack it (unlzma), {_GZIP_INSTEAD}"),
    "an HDF5 file": (_starts(b"\x89HDF"), _EXPORT),
    "a file of MATLAB": (_starts(b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"), _EXPORT),
    "a Parquet file": (
        _starts(b"PAR1\x15"),
        "Read it with pandas and give as_vectors a table whose index are the words, or write it as text",
    ),
    "an Arrow or Feather file": (
        _starts(b"ARROW1\0\0", b"FEA1\0"),
        "Read it with pandas and give as_vectors a table whose index are the words, or write it as text",
    ),
    "data of R": (
        _starts(b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"X\n\0\0\0"),
        'Write it in R as text: write.table(m, "m.txt", quote = FALSE, col.names = FALSE)',
    ),
    "a file of finalfusion": (
        _starts(b"FiFu\0\0\0\0"),
        "Convert it: finalfusion convert -f finalfusion -t word2vec m.fifu m.bin",
    ),
    "a part of a file of finalfusion, a matrix without words": (
        _is_finalfusion_chunk,
        "Export words and vectors together in word2vec format",
    ),
    "a database of SQLite, as the .magnitude files of pymagnitude are": (
        _starts(b"SQLite format 3\0"),
        _EXPORT,
    ),
    "a model in GGUF": (
        _starts(b"GGUF\1\0\0", b"GGUF\2\0\0", b"GGUF\3\0\0"),
        "Encode words with a function of your own (module:function)",
    ),
    "a PDF": (_starts(b"%PDF-"), "Give the file with the vectors"),
    "a model of fastText in its first format, of 2016": (
        _is_old_fasttext,
        "Load it in gensim (load_facebook_vectors), and export it (save_word2vec_format); or give its .vec",
    ),
    "UTF-16 text": (_starts(b"\xff\xfe", b"\xfe\xff"), "Convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)"),
}
"""What each kind is called, how it is recognised, and what to do with it."""


def refuse_foreign(path: Path, head: bytes) -> None:
    """Refuse a file of another kind, whose first bytes, up to 64 KiB, are these."""
    for what, (signature, remedy) in SIGNATURES.items():
        if signature.match(head) if isinstance(signature, re.Pattern) else signature(head):
            raise VectorsError(f"{path}: this is {what}. {remedy}.")


_FIELD = rb"[^\s,;]+"
_NUMBER = rb"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
LAYOUTS: Mapping[str, tuple[re.Pattern[bytes], str]] = {
    "a comma-separated table": (
        re.compile(rb"[^,\n]+(?:,\s*\"?" + _NUMBER + rb"\"?){2,}\s*"),
        "Write spaces in place of the commas, and no line of column names",
    ),
    "a table separated by semicolons": (
        re.compile(rb"[^;\n]+(?:;\s*\"?-?[0-9.,eE+-]+\"?){2,}\s*"),
        "Write spaces in place of the semicolons, points in the numbers, and no line of column names",
    ),
    "rows that name the places of their numbers (sparse vectors)": (
        re.compile(rb"\S+(?:\s+[0-9]+:" + _NUMBER + rb")+\s*"),
        "Write all numbers of each row, also those that are 0",
    ),
    "a list of words, a line each": (
        re.compile(rb"[^\s,;{}\[\]<>]+"),
        "Give the vectors; beside a matrix (.npy) such a list is called like it, with .txt",
    ),
}
"""Texts that are no vectors, by most of their first lines: what they are, and what to do."""


def layout_of(head: bytes) -> str:
    """What a text is that is in no format of vectors, and what to do; "" if that is not known."""
    lines = [line for line in head.split(b"\n")[:100] if line.strip()]
    for what, (pattern, remedy) in LAYOUTS.items():
        if lines and sum(pattern.fullmatch(line) is not None for line in lines) > len(lines) / 2:
            return f"it looks like {what}. {remedy}"
    return ""


def refuse_columns(file: str, lines: Sequence[tuple[int, bytes, Sequence[bytes]]]) -> None:
    """Refuse a text table with an index before the words, or with numbers of columns in its first line.

    Args:
        file: What the message calls the file.
        lines: The first rows: the number of a line, its word, and its numbers.
    """
    if len(lines) < 2:
        return
    number, _, names = lines[0]
    index = list[int]()
    for _, word, _ in lines:
        numbered = re.fullmatch(rb"([0-9]{1,18})[ \t]+[^ \t].*", word, re.DOTALL)
        index += [int(numbered[1])] if numbered else []
    if index in (list(range(len(lines))), list(range(1, len(lines) + 1))):
        raise VectorsError(
            f"{file}, line {number}: each line starts with its number, before the word. Leave it out."
        )
    places = list(map(b"%d".__mod__, range(len(names) + 1)))
    are_places = len(names) > 1 and list(names) in (places[:-1], places[1:])
    if are_places and any(b"." in value for value in lines[1][2]):
        raise VectorsError(
            f"{file}, line {number}: holds the numbers of columns and no vector. Leave this line out."
        )
