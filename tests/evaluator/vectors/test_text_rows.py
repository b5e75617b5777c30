"""The compiled loop reads what the careful parser reads: blocks are so small that it gets most rows."""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluator.vectors
from evaluator.errors import VectorsError
from evaluator.vectors import load_vectors, text_rows
from evaluator.vectors.formats import binary_rows
from evaluator.vectors.text_rows import _parse_plain
from tests.evaluator.vectors.test_bad_files import (  # noqa: F401
    test_another_number_of_rows_than_the_header_says,
    test_bad_binary_row,
    test_bad_line,
    test_binary_rows_of_another_length,
    test_every_row_bad,
    test_more_lines_than_the_header_says_beyond_the_limit,
    test_no_header_where_one_must_be,
)
from tests.evaluator.vectors.test_formats import (  # noqa: F401
    NUMBERS,
    ODD_WORDS,
    SPACED_WORDS,
    check,
    near_halves,
    save,
    tables,
    test_another_encoding_can_be_named,
    test_binary_round_trip,
    test_every_layout_is_recognised_and_read,
    test_limit_does_not_look_at_later_rows,
    test_limit_reads_the_first_rows,
    test_odd_words_in_binary,
    test_odd_words_in_text,
    test_text_round_trip,
)
from tests.evaluator.vectors.vector_files import binary, text

ROOT = Path(evaluator.vectors.__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def small_blocks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_rows, "BLOCK_BYTES", 8)
        patch.setattr(text_rows, "LARGE", 0)
        patch.setattr(binary_rows, "BLOCK_BYTES", 24)
        yield


# --- numbers


def single(field):
    with np.errstate(over="ignore"):
        return np.float32(float(field))


def numbers(fields):
    """The numbers of one row as the compiled loop reads them; None if it leaves them to the other parser."""
    parsed = _parse_plain(b"w " + b" ".join(fields) + b"\n", len(fields))
    return None if parsed is None else parsed[1][0]


def is_between(field):
    """Whether a number of many digits is too near to the middle between two float32 for the loop to tell."""
    return single(float(field) * (1 - 2**-49)) != single(float(field) * (1 + 2**-49))


PLAIN = [
    b"0", b"-0.0", b"+1", b"1.", b".5", b"-.5e-3", b"0.000000", b"1e22", b"1E-22", b"9007199254740993",
    b"0.1234567890123456789012345", b"000000000000000000000000000012.5", b"1.234567890123456789e-01",
    b"123456789012345678901234567890", b"3.4028235e38", b"1.1754944e-38", b"1e-45", b"1.4e-45", b"1e-40",
    b"12345678.12345678", b"1e-46", b"0.00000000000000000000000000001", b"16777217", b"16777219.",
    b"99999999999999999999e-20",
]  # fmt: skip


def test_plain_numbers_are_read():
    assert numbers(PLAIN).tobytes() == np.array([single(field) for field in PLAIN]).tobytes()


@pytest.mark.parametrize(
    "field",
    b"nan inf 1e39 -1e39 1e999999999999999999999 1e 1e+ e5 . + - +-1 1.2.3 0x10 1_0 1,5 1-2 1d5 NA null "
    b'"1" \xd9\xa1 1e1e1 true'.split(),
)
def test_what_is_not_a_plain_number_is_left_to_the_careful_parser(field):
    assert numbers([field, b"1"]) is None
    assert numbers([b"1", field]) is None


LONG = st.builds(
    lambda mantissa, point, exponent: f"{mantissa[:point]}.{mantissa[point:]}e{exponent}",
    st.integers(0, 10**25).map(str),
    st.integers(0, 25),
    st.integers(-60, 12),
)
HALVES = st.tuples(near_halves(), st.sampled_from([".17e", ".18e", ".25e"])).map(lambda x: format(x[0], x[1]))


@given(st.lists(NUMBERS | st.one_of(LONG, HALVES).map(str.encode), min_size=20, max_size=40))
def test_numbers_are_rounded_as_python_and_numpy_round_them(fields):
    for field in fields:
        found = numbers([field])
        if found is None:
            assert is_between(field) or not np.isfinite(single(field))
        else:
            assert found[0].tobytes() == single(field).tobytes()


@settings(max_examples=150)
@given(st.from_regex(rb"[-+.eE0-9naif]{1,12}", fullmatch=True))
def test_any_text_is_right_or_left_to_the_careful_parser(field):
    found = numbers([field])
    try:
        expected = single(field)
    except ValueError:
        assert found is None
    else:
        if not np.isfinite(expected):
            assert found is None
        elif found is not None or expected:  # zeros of any exponent may be left, too
            assert found[0].tobytes() == expected.tobytes()


# --- lines


@pytest.mark.parametrize("end", ["\n", " \n", "\r\n", " \r\n", "\t\n"])
@pytest.mark.parametrize("header", [True, False])
def test_plain_lines_are_left_to_the_compiled_loop(tmp_path, monkeypatch, end, header):
    careful, add_lines = [], text_rows.add_lines

    def counted(rows, lines, dimension):
        lines = list(lines)
        careful.extend(lines)
        add_lines(rows, lines, dimension)

    monkeypatch.setattr(text_rows, "add_lines", counted)
    words = [f"w{i}" for i in range(100)]
    matrix = np.random.default_rng(1).normal(size=(100, 7)).astype(np.float32)
    check(load_vectors(save(tmp_path, text(words, matrix, header=header, end=end))), words, matrix)
    assert len(careful) <= 1  # the end of the file


ODD_LINES = {
    "blank": b"", "a space": b" ", "no numbers": b"w", "one number": b"w 1", "three": b"w 1 2 3",
    "two spaces": b"w  1", "spaces at the end": b"w 1 2  ", "a tab": b"w\t1 2", "tabs": b"w\t1\t2",
    "a tab in the word": b"a\tb 1 2", "a return": b"w 1\r 2", "a return in the word": b"a\rb 1 2",
    "NaN": b"w nan 1", "a letter": b"w 1 x", "a comma": b"w 1,5 2", "a quoted number": b'w "1" 2',
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD_LINES)
@pytest.mark.parametrize("place", [0, 5, 9])
def test_blocks_with_odd_lines_are_left_to_the_careful_parser(kind, place):
    lines = [b"word%d 0.123456 0.654321" % i for i in range(9)]
    assert _parse_plain(b"\n".join(lines) + b"\n", 2) is not None
    lines.insert(place, ODD_LINES[kind])
    found = _parse_plain(b"\n".join(lines) + b"\n", 2)
    if place == 0 and kind == "spaces at the end":  # other lines need not end as the first one does
        assert found[0][0] == b"w"
    else:
        assert found is None


def pieces(random_seed):
    """A file of odd lines and plain ones."""
    rng = random.Random(random_seed)
    dimension, odd = rng.choice([1, 2, 3]), rng.choice([0, 0.02, 0.1])
    end = rng.choice(["\n", "\n", " \n", "\r\n", "\n\n"])
    lines = []
    for row in range(rng.randint(5, 30)):
        word = rng.choice([*ODD_WORDS, *SPACED_WORDS, "a\tb", " w"]) if rng.random() < odd else f"w{row % 28}"
        count = dimension + (rng.choice([-1, 1]) if rng.random() < odd else 0)
        fields = [
            rng.choice(["x", "nan", "", "1e39", "1\r", "\t1"]) if rng.random() < odd else "0.25"
        ] * count
        ending = rng.choice([" \n", "\r\n", "\n\n", "\n \n", "\r \r\n"]) if rng.random() < odd else end
        lines.append(" ".join([word, *fields]) + ending)
    return f"{len(lines)} {dimension}\n" + "".join(lines).rstrip("\n" if rng.random() < 0.2 else "")


def outcome(path, **options):
    try:
        vectors = load_vectors(path, format="word2vec-text", **options)
    except VectorsError as error:
        return str(error)
    return list(vectors.words), vectors.matrix.tobytes(), vectors.dropped


@pytest.mark.parametrize("bad_rows", ["refuse", "drop"])
def test_both_parsers_read_the_same(tmp_path, monkeypatch, bad_rows):
    for seed in range(60):
        path = save(tmp_path, pieces(seed).encode())
        by_loop = outcome(path, bad_rows=bad_rows)
        with monkeypatch.context() as patch:
            patch.setattr(text_rows, "_parse_plain", lambda block, dimension: None)
            assert outcome(path, bad_rows=bad_rows) == by_loop, seed


MIXED = (
    b"7 2\nrex 1.5 2\nNew York 3 4\nregina  5 6\n\nfilia 1e-42 123456789012345678901234567890e-20\n"
    b'NA 7 8\nnull 9 10\n" 11 12\n'
)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("header", [True, False])
def test_plain_rows_and_others_keep_their_order(tmp_path, packed, header):
    data = MIXED if header else MIXED.partition(b"\n")[2]
    path = save(tmp_path, gzip.compress(data) if packed else data)
    words = ["rex", "New York", "regina", "filia", "NA", "null", '"']
    last = [1e-42, np.float32(float("123456789012345678901234567890e-20"))]
    matrix = np.array([[1.5, 2], [3, 4], [5, 6], last, [7, 8], [9, 10], [11, 12]], np.float32)
    check(load_vectors(path), words, matrix)


def test_lines_are_numbered_over_blocks_and_blank_lines(tmp_path):
    good = b"".join(b"w%d 0.123456 0.654321\n\n" % i for i in range(30))
    plain = b"".join(b"v%d 0.123456 0.654321\n" % i for i in range(30))
    for name, head, before in [("word2vec-text", b"\n61 2\n", 2), ("glove", b"\xef\xbb\xbf", 0)]:
        path = save(tmp_path, head + good + plain + b"bad 1 x\n")
        with pytest.raises(VectorsError, match=rf"line {before + 91}, word 'bad'"):
            load_vectors(path, format=name)


@pytest.mark.parametrize("kind", ["text", "glove", "binary"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_number_of_threads_changes_nothing(tmp_path, monkeypatch, kind, packed):
    monkeypatch.setattr(text_rows, "BLOCK_BYTES", 1000)
    rng = np.random.default_rng(3)
    words = [f"w{i}" if i % 7 < 6 else f"w {i}" for i in range(500)]
    if kind == "binary":
        words = [word.replace(" ", "_") for word in words]
    matrix = rng.normal(size=(500, 5)).astype(np.float32)
    data = binary(words, matrix) if kind == "binary" else text(words, matrix, header=kind == "text")
    path = save(tmp_path, gzip.compress(data) if packed else data)
    for threads in (1, 2, 3):
        monkeypatch.setattr(text_rows, "cores", lambda threads=threads: threads)
        check(load_vectors(path), words, matrix)
        check(load_vectors(path, limit=77), words[:77], matrix[:77])


@pytest.mark.parametrize(
    "data", [b"1 1\nrex 2\n", b"rex 2\n", b"\xef\xbb\xbfrex 2", b"\xef\xbb\xbf1 1\nrex 2"]
)
def test_one_word_of_one_dimension(tmp_path, data):
    name = "glove" if not data.removeprefix(b"\xef\xbb\xbf").startswith(b"1") else "word2vec-text"
    check(load_vectors(save(tmp_path, data), format=name), ["rex"], np.array([[2]], np.float32))


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf", b"\n\n\n", b" \t\r\n"])
def test_nothing_but_a_mark_or_blank_lines(tmp_path, data):
    for name in ("glove", "word2vec-text"):
        with pytest.raises(VectorsError, match="line 1"):
            load_vectors(save(tmp_path, data), format=name)


def test_a_duplicate_in_a_later_block(tmp_path):
    rows = b"".join(b"w%d 0.123456 0.654321\n" % (i % 40) for i in range(41))
    path = save(tmp_path, b"41 2\n" + rows)
    with pytest.raises(VectorsError, match=r"line 42, word 'w0': .*row 1\b"):
        load_vectors(path)
    assert load_vectors(path, bad_rows="drop").dropped == 1


def test_stateful_encodings_are_decoded_word_by_word(tmp_path):
    words = [f"{word}{i}" for i in range(9) for word in ("日本", "京都", "ab")]
    rows = b"".join(word.encode("iso2022_jp").rstrip() + b" 1.5 2.5\n" for word in words)
    vectors = load_vectors(save(tmp_path, b"%d 2\n" % len(words) + rows), encoding="iso2022_jp")
    assert list(vectors.words) == words


def test_a_newline_in_a_binary_word(tmp_path):
    words = ["a\nb", "c\x00", "d\nd"]
    matrix = np.ones((3, 2), np.float32)
    check(load_vectors(save(tmp_path, binary(words, matrix)), format="word2vec-binary"), words, matrix)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_loop_is_for_large_files_alone(tmp_path, monkeypatch, packed):
    data = text(["rex", "regina"], np.ones((2, 3), np.float32), header=True)
    path, used = save(tmp_path, gzip.compress(data) if packed else data), []
    monkeypatch.setattr(text_rows, "_parse_plain", lambda block, _: used.append(block))
    size = path.stat().st_size * (3 if packed else 1)
    monkeypatch.setattr(text_rows, "LARGE_IF_LOADED", size)
    for large, loaded in ((size + 1, False), (size, False), (size + 1, True)):
        monkeypatch.setattr(text_rows, "LARGE", large)
        if loaded:
            monkeypatch.setitem(sys.modules, "numba", None)
        else:
            monkeypatch.delitem(sys.modules, "numba", raising=False)
        assert load_vectors(path).words == ["rex", "regina"]
        assert bool(used) == (large == size or loaded)
        used.clear()


@given(tables("\n \t\ufeff"), st.integers(24, 200), st.integers(1, 3))
def test_blocks_of_any_size(table, size, threads):
    words, matrix = table
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_rows, "BLOCK_BYTES", size)
        patch.setattr(text_rows, "cores", lambda: threads)
        path = save(Path(folder), text(words, matrix))
        check(load_vectors(path, format="word2vec-text"), words, matrix)


@pytest.mark.parametrize("threads", [1, 3])
def test_damage_beyond_the_limit_does_not_matter(tmp_path, monkeypatch, threads):
    monkeypatch.setattr(text_rows, "cores", lambda: threads)
    monkeypatch.setattr(text_rows, "BLOCK_BYTES", 1 << 12)
    rng = np.random.default_rng(1)
    rows = b"".join(b"w%d %.6f %.6f\n" % (i, *rng.normal(size=2)) for i in range(5000))
    path = save(tmp_path, gzip.compress(rows)[:-5000])
    assert len(load_vectors(path, limit=10)) == 10
    with pytest.raises(VectorsError, match="cut off"):
        load_vectors(path)
    bad = rows.replace(b"\nw9 ", b"\nw9 0.5 ")
    with pytest.raises(VectorsError, match=r"line 10, word 'w9'"):
        load_vectors(save(tmp_path, gzip.compress(bad)[:-5000], "other"))


@pytest.mark.parametrize("kind", ["text", "glove", "binary"])
def test_many_words_of_one_dimension(tmp_path, kind):
    words = ['"', "NA", "null", "\u00a0", "\u2028", "\ufeff", *(f"w{i}" for i in range(200))]
    matrix = np.array([[2.0**-149 * (i + 1)] for i in range(len(words))], np.float32)
    matrix[::2] *= -1
    data = binary(words, matrix) if kind == "binary" else text(words, matrix, header=kind == "text")
    check(load_vectors(save(tmp_path, data)), words, matrix)


@pytest.mark.parametrize("size", [64, 1 << 20])
@pytest.mark.parametrize("first", [b"bad 1 x", b"bad 1", b"bad nan 1", b"w0 1 2"])
def test_of_several_bad_rows_the_first_is_told(tmp_path, monkeypatch, first, size):
    monkeypatch.setattr(text_rows, "BLOCK_BYTES", size)
    rows = [b"w%d 1 2" % i for i in range(20)]
    rows[5:5] = [first, b"worse 1", b"worst 1 x"]
    with pytest.raises(VectorsError, match=r"line 6, word"):
        load_vectors(save(tmp_path, b"\n".join(rows)), format="glove")
    with pytest.raises(VectorsError, match=r"line 7, word"):  # and not that there are more than 21 rows
        load_vectors(save(tmp_path, b"\n".join([b"21 2", *rows])))


# --- memory

MEMORY = """
import re, sys
from pathlib import Path
from evaluator.vectors import load_vectors, text_rows

def peak():
    # Not ru_maxrss, which a process inherits from the one that started it.
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) << 10

text_rows._parse_plain(b"a 1\\n", 1)
before = peak()
vectors = load_vectors(sys.argv[1])
words = sys.getsizeof(vectors.words) + sum(map(sys.getsizeof, vectors.words))
print((peak() - before - words - vectors.matrix.nbytes) >> 20)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs Linux to tell the memory of a process"
)
@pytest.mark.parametrize("kind", [pytest.param("text", marks=pytest.mark.slow), "glove, gzip", "binary"])
def test_loading_takes_little_more_memory_than_the_matrix(tmp_path, kind):
    """What it takes does not grow with the file: 82 MB of text, which are 72 MB in double precision."""
    words = [f"w{i}" for i in range(30_000)]
    row = " ".join(["0.987654"] * 300)
    data = ("30000 300\n" * (kind == "text") + "".join(f"{word} {row}\n" for word in words)).encode()
    if kind == "binary":
        data = binary(words, np.ones((30_000, 300), np.float32))
    path = save(tmp_path, gzip.compress(data, 1) if "gzip" in kind else data)
    mebibytes = int(subprocess.check_output([sys.executable, "-c", MEMORY, path], cwd=ROOT, text=True))
    assert mebibytes < 130
