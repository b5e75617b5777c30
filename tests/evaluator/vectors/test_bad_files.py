"""One test for each way in which a file can be bad."""

from __future__ import annotations

import gzip
import re
import tracemalloc

import numpy as np
import pytest

from evaluator.errors import VectorsError
from evaluator.vectors import load_vectors
from tests.evaluator.vectors.vector_files import binary, text

DROP, CORRECT = 'bad_rows="drop"', "rite the file again"


def complaint(folder, data, name="some.vec", **options):
    """The message with which a file is refused; it names the file."""
    path = folder / name
    path.write_bytes(data)
    with pytest.raises(VectorsError) as caught:
        load_vectors(path, **options)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


def drop(folder, data, **options):
    """What is left of a file when bad rows are dropped: words, and how many rows went."""
    path = folder / "some.vec"
    path.write_bytes(data)
    vectors = load_vectors(path, bad_rows="drop", **options)
    assert len(vectors) == len(vectors.matrix)
    return list(vectors.words), vectors.dropped


BAD_LINES = {
    "too few columns": (b"bad 1.5", ["'bad'", "1 numbers where 2 are expected"]),
    "too many columns": (b"bad 1.5 2.5 3.5", ["'bad'", "'1.5' looks like one more", '"_"']),
    "too many whole numbers": (b"bad 1 2 3", ["'bad'", "'1' looks like one more"]),
    "two rows in one line": (b"bad 1.5 2.5 worse 3.5 4.5", ["'bad'", "'1.5' looks like one more"]),
    "no columns": (b"bad", ["'bad'", "0 numbers where 2 are expected"]),
    "no number": (b"bad 1.5 x", ["'bad'", "'x', number 2 of 2, is not a number"]),
    "two numbers in one": (b"bad 1.5-2 3", ["'bad'", "'1.5-2', number 1 of 2, is not a number"]),
    "hexadecimal": (b"bad 0x10 3", ["'bad'", "'0x10', number 1 of 2"]),
    "underscore": (b"bad 1_0 3", ["'bad'", "'1_0', number 1 of 2"]),
    "decimal comma": (b"bad 1,5 3,5", ["'1,5'", "decimal point"]),
    "Arabic digits": ("bad ١ ٢".encode(), ["'١', number 1 of 2, is not a number"]),
    "form feed": (b"bad 1 2\x0c", ["'2\\x0c', number 2 of 2, is not a number"]),
    "NaN": (b"bad nan 2.5", ["'bad'", "number 1 of 2 is NaN"]),
    "Windows NaN": (b"bad 1 -nan(ind)", ["'bad'", "number 2 of 2 is NaN"]),
    "infinity": (b"bad 1.5 -inf", ["'bad'", "number 2 of 2 is infinite"]),
    "too large for float32": (b"bad 1.5 1e39", ["'bad'", "number 2 of 2 is infinite"]),
    "too large for float64": (b"bad 1.5 -1e999", ["'bad'", "number 2 of 2 is infinite"]),
    "all zeros": (b"bad 0 -0.0", ["'bad'", "all numbers are zero"]),
    "duplicate word": (b"rex 1.5 2.5", ["'rex'", "duplicate", "row 1 of the vocabulary"]),
    "not UTF-8": (b"clich\xe9 1.5 2.5", ["'clich\\xe9'", "not UTF-8 (byte 0xe9)", "encoding='cp1252'"]),
    "surrogate": (b"a\xed\xa0\x80 1.5 2.5", ["not UTF-8 (byte 0xed)"]),
    "overlong": (b"\xc0\xaf 1.5 2.5", ["not UTF-8 (byte 0xc0)"]),
    "empty word": (b" 1.5 2.5", ["the word is empty"]),
    "empty word, tabs": (b"\t1.5\t2.5", ["the word is empty"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_LINES)
@pytest.mark.parametrize("header", [b"3 2\n", b""], ids=["word2vec", "glove"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_bad_line(tmp_path, kind, header, packed):
    line, parts = BAD_LINES[kind]
    data = header + b"rex 0.5 1\n" + line + b"\nregina 2 3\n"
    data = gzip.compress(data) if packed else data
    message = complaint(tmp_path, data)
    assert f"some.vec, line {3 if header else 2}" in message
    for part in [*parts, DROP]:
        assert part in message
    assert drop(tmp_path, data) == (["rex", "regina"], 1)


def rows(*some, end=b""):
    return b"".join(word + b" " + np.array(v, "<f4").tobytes() + end for word, v in some)


BAD_BINARY = {
    "NaN": ((b"bad", [np.nan, 1]), ["'bad'", "number 1 of 2 is NaN"]),
    "infinity": ((b"bad", [1, np.inf]), ["'bad'", "number 2 of 2 is infinite"]),
    "all zeros": ((b"bad", [0, -0.0]), ["'bad'", "all numbers are zero"]),
    "duplicate word": ((b"rex", [1, 2]), ["'rex'", "row 1 of the vocabulary"]),
    "not UTF-8": ((b"clich\xe9", [1, 2]), ["'clich\\xe9'", "not UTF-8 (byte 0xe9)"]),
    "empty word": ((b"", [1, 2]), ["the word is empty"]),
}


@pytest.mark.parametrize("kind", BAD_BINARY)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("end", [b"\n", b""], ids=["newlines", "none"])
def test_bad_binary_row(tmp_path, kind, packed, end):
    row, parts = BAD_BINARY[kind]
    some = [(b"rex", [0.1, 1]), (b"dux", [0.2, 1]), row, (b"regina", [2, 3]), (b"filia", [4, 3])]
    data = b"5 2\n" + rows(*some, end=end)
    data = gzip.compress(data) if packed else data
    message = complaint(tmp_path, data)
    by_word = not end and "number" not in parts[-1]  # such a row may come from bytes that are missing
    for part in ["some.vec, row 3", *parts, CORRECT if by_word else DROP]:
        assert part in message
    if by_word:
        assert "row 3" in complaint(tmp_path, data, bad_rows="drop")
    else:
        kept = ["rex", "dux", "regina", "filia"] if end else ["rex", "filia"]
        assert drop(tmp_path, data) == (kept, 5 - len(kept))


def test_a_duplicate_in_another_case_is_none(tmp_path):
    assert drop(tmp_path, b"2 1\nrex 1\nRex 2\n") == (["rex", "Rex"], 0)


def test_a_duplicate_keeps_its_first_vector(tmp_path):
    path = tmp_path / "some.vec"
    path.write_bytes(b"2 1\nrex 1\nrex 2\n")
    assert load_vectors(path, bad_rows="drop").matrix.tolist() == [[1]]


# --- the number of rows


FEWER = b"5 2\nrex 0.123456 1.123456\nregina 2.123456 3.123456\n"
CUT, MORE = FEWER + b"cut 4.123456 5.1", b"1 2\nrex 0.5 1\nregina 2 3\n"
MATRIX = np.arange(0.1, 9).astype(np.float32).reshape(3, 3)
BINARY = binary(["rex", "regina", "filia"], MATRIX)
LINES = binary(["rex", "regina", "filia"], MATRIX, newlines=True)
TOO_FEW, ENDS = ["line 1", "truncated"], ["row 3", "ends within this row", "cut off"]
# The file, what is said, and what is left of it when bad rows are dropped: the last words and how many went.
NUMBERS = {
    "fewer lines": (FEWER, [*TOO_FEW, "header says 5 rows", "2 follow"], 2, 0),
    "last line cut": (CUT, ["line 4, word 'cut'", "row 3 of the 5", "cut off", "Fetch it again"], 2, 1),
    "last of all cut": (CUT.replace(b"5 2", b"3 2")[:-4], ["line 4, word 'cut': 1 numbers where 2"], 2, 1),
    "more lines": (MORE, ["line 3", "header says 1 rows, but more follow"], 2, 0),
    "last binary row cut": (BINARY[:-5], ENDS, 1, 2),
    "last binary row cut, newlines": (LINES[:-5], ENDS, 2, 1),
    "fewer binary rows": (LINES.replace(b"3 3\n", b"9 3\n"), [*TOO_FEW, "header says 9 rows"], 3, 0),
    "more binary rows": (LINES.replace(b"3 3\n", b"2 3\n"), ["row 3", "says 2 rows, but more follow"], 3, 0),
    "more than binary rows": (LINES + b"left over", ["row 4: the header says 3 rows, but more"], 3, 1),
}
# Without newlines nobody can tell where bytes are missing, or too many, so that no row is certain.
UNCERTAIN = {
    "fewer": (
        BINARY.replace(b"3 3\n", b"4 3\n"),
        "says 4 rows, but only 3",
        "row 4: 3 rows follow, the header says 4",
    ),
    "more": (
        BINARY.replace(b"3 3\n", b"2 3\n"),
        "says 2 rows, but more",
        "row 3: 3 rows follow, the header says 2",
    ),
    "a part": (BINARY + b"left over", "says 3 rows, but more", "row 4: 3 rows follow, the header says 3"),
}


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_another_number_of_rows_than_the_header_says(tmp_path, kind, packed):
    data, parts, known, dropped = NUMBERS[kind]
    data = gzip.compress(data) if packed else data
    message = complaint(tmp_path, data)
    for part in [*parts, DROP]:
        assert part in message
    assert drop(tmp_path, data) == (["rex", "regina", "filia"][:known], dropped)


@pytest.mark.parametrize("kind", UNCERTAIN)
def test_another_number_of_binary_rows_without_newlines_is_always_refused(tmp_path, kind):
    data, problem, dropping = UNCERTAIN[kind]
    message = complaint(tmp_path, data)
    assert problem in message
    assert DROP not in message
    assert dropping in complaint(tmp_path, data, bad_rows="drop")


def test_more_lines_than_the_header_says_beyond_the_limit(tmp_path):
    assert drop(tmp_path, MORE, limit=1) == (["rex"], 0)


def test_more_rows_than_a_file_of_this_size_can_hold(tmp_path):
    message = complaint(tmp_path, b"500 2\nrex 0.5 1\n")
    for part in ["line 1", "500 rows of 2 numbers", "a file of this size has at most 1:", DROP]:
        assert part in message


def test_binary_rows_of_another_length(tmp_path):
    data = b"2 3\n" + rows((b"rex", [0.1, 1, 2])) + b"x" * 70_000
    message = complaint(tmp_path, data, format="word2vec-binary")
    for part in ["some.vec, row 2", "no word ends here", "Check the dimension"]:
        assert part in message


# --- the header


@pytest.mark.parametrize("header", [b"0 5", b"3 0", b"-3 5", b"3 -5", b"3 5000000"])
@pytest.mark.parametrize("format_name", ["auto", "word2vec-text", "word2vec-binary"])
def test_header_that_cannot_be(tmp_path, header, format_name):
    for bad_rows in ["refuse", "drop"]:
        data = header + b"\nrex 0.5 1\n"
        message = complaint(tmp_path, data, format=format_name, bad_rows=bad_rows)
        assert "line 1: the header says" in message
        assert "cannot be" in message
        assert "Correct it" in message


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("header", [b"999999999999999 3", b"3 999999", b"999999999999999 999999"])
@pytest.mark.parametrize("format_name", ["word2vec-text", "word2vec-binary"])
def test_absurd_header_takes_no_memory(tmp_path, packed, header, format_name):
    data = BINARY if format_name == "word2vec-binary" else b"3 3\nrex 0.5 1 2\n"
    data = header + data[3:]
    data = gzip.compress(data) if packed else data
    tracemalloc.start()
    complaint(tmp_path, data, format=format_name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


@pytest.mark.parametrize("line", [b"rex 0.5 1", b"", b"3", b"3 2 1", b"3.0 2", b"9" * 5000 + b" 2"])
@pytest.mark.parametrize("format_name", ["word2vec-text", "word2vec-binary"])
def test_no_header_where_one_must_be(tmp_path, line, format_name):
    message = complaint(tmp_path, line + b"\nrex 1 2\n", format=format_name)
    assert "line 1: the header must be the number of rows" in message
    assert 'format="glove"' in message


def test_every_row_bad(tmp_path):
    message = complaint(tmp_path, b"2 3\nrex 1 2\nregina 3 4\n", bad_rows="drop")
    for part in ["no row can be used", "2 bad rows", "header"]:
        assert part in message


# --- the file


def test_missing_file(tmp_path):
    (tmp_path / "homer.vec").touch()
    for name, hint in {"none.vec": "Check the path", "Homr.vec": r"Did you mean homer\.vec\?"}.items():
        with pytest.raises(VectorsError, match=rf"{name}: .*no such file.*{hint}"):
            load_vectors(tmp_path / name)


def test_directory(tmp_path):
    with pytest.raises(VectorsError, match="directory"):
        load_vectors(tmp_path)


def test_no_permission(tmp_path, monkeypatch):
    path = tmp_path / "some.vec"
    path.write_bytes(b"1 1\na 1\n")

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(VectorsError, match=r"some\.vec: .*permission.*chmod"):
        load_vectors(path)


@pytest.mark.parametrize("data", [b"", gzip.compress(b"")], ids=["plain", "gzip"])
def test_empty_file(tmp_path, data):
    assert "the file is empty. Fetch or write it again" in complaint(tmp_path, data)


@pytest.mark.parametrize("damage", ["cut", "flipped", "bare"])
def test_damaged_gzip(tmp_path, damage):
    words = [f"w{i}" for i in range(2000)]
    matrix = np.random.default_rng(1).normal(size=(2000, 30)).astype(np.float32)
    data = bytearray(gzip.compress(text(words, matrix)))
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[len(data) // 2] ^= 0xFF
    else:
        data = data[:2]
    message = complaint(tmp_path, bytes(data), bad_rows="drop")
    assert "compressed data is cut off or damaged" in message
    assert "Fetch the file again" in message


def test_glove_without_numbers(tmp_path):
    message = complaint(tmp_path, b"rex\nregina\n", format="glove")
    assert "line 1: no numbers after the word" in message


def test_a_line_without_end(tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.vectors.text_rows.LONGEST_LINE", 1 << 20)
    monkeypatch.setattr("evaluator.vectors.text_rows.BLOCK_BYTES", 1 << 14)
    monkeypatch.setattr("evaluator.vectors.text_rows.LARGE", 0)
    message = complaint(tmp_path, b"1 3\nw " + b"1" * (3 << 20), format="word2vec-text")
    assert "line 2: longer than 1 MiB" in message


# --- the arguments


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"limit": 0}, "limit is 0. Use 1 or more"),
        ({"bad_rows": "ignore"}, 'Use "refuse" or "drop"'),
        ({"encoding": "utf-16"}, "encoding 'utf-16' cannot be used"),
        ({"encoding": "no such"}, "encoding 'no such' cannot be used"),
        ({"encoding": "base64"}, "encoding 'base64' cannot be used"),
    ],
)
def test_arguments_that_cannot_be(tmp_path, options, part):
    assert part in complaint(tmp_path, b"1 1\na 1\n", **options)


def test_messages_are_short_for_long_words(tmp_path):
    message = complaint(tmp_path, b"1 2\n" + b"w" * 5000 + b" 1.5 x" + b"y" * 5000 + b"\n")
    assert re.search(r"'w{40}…'.*'xy{39}…'", message)
    assert len(message) < len(str(tmp_path)) + 300


def test_duplicates_are_dropped_without_a_search_for_each(tmp_path, monkeypatch):
    def search(row):
        raise AssertionError("each search reads all words so far")

    monkeypatch.setattr("evaluator.vectors.files.duplicate_of", search)
    assert drop(tmp_path, b"rex 1 2\n" * 50 + b"regina 1 3\n") == (["rex", "regina"], 49)
