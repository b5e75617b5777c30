"""The compiled parser reads what the slow one reads: files here go through it, in small blocks."""

from __future__ import annotations

import gzip
import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluator.errors import VectorsError
from evaluator.vectors import lines, load_vectors
from evaluator.vectors.compiled import parse_lines, split_binary
from evaluator.vectors.formats import word2vec
from tests.evaluator.vectors.test_bad_files import (  # noqa: F401
    test_bad_binary_row,
    test_bad_line,
    test_binary_rows_of_another_length,
    test_every_row_bad,
    test_fewer_binary_rows_than_the_header_says,
    test_fewer_rows_than_the_header_says,
    test_last_binary_row_is_cut_off,
    test_last_line_is_cut_off,
    test_last_line_is_cut_off_with_no_rows_missing,
    test_more_binary_rows_than_the_header_says,
    test_more_lines_than_the_header_says,
    test_no_header_where_one_must_be,
)
from tests.evaluator.vectors.test_formats import (  # noqa: F401
    check,
    save,
    tables,
    test_another_encoding_can_be_named,
    test_binary_round_trip,
    test_every_layout_is_recognised_and_read,
    test_limit_does_not_look_at_later_rows,
    test_limit_reads_the_first_rows,
    test_numbers_are_right_to_the_last_bit,
    test_odd_words_in_binary,
    test_odd_words_in_text,
    test_text_round_trip,
)
from tests.evaluator.vectors.vector_files import binary, text


@pytest.fixture(scope="module", autouse=True)
def small_blocks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK_BYTES", 96)
        patch.setattr(word2vec, "BLOCK_BYTES", 24)
        yield


def parsed(fields):
    """What the compiled parser makes of one row: its numbers, or None if it leaves them to the slow one."""
    data = np.frombuffer(b"w " + b" ".join(fields) + b"\n", np.uint8)
    _, plain, values, _, _ = parse_lines(data, len(fields))
    return values[0] if plain.all() else None


def single(field):
    with np.errstate(over="ignore"):
        return np.float32(float(field))


def same(field):
    """Whether one number comes out right; a 1 beside it, as rows of zeros are left to others."""
    values = parsed([field, b"1"])
    return None if values is None else values[0].tobytes() == single(field).tobytes()


PLAIN = [
    b"0", b"-0.0", b"+1", b"1.", b".5", b"-.5e-3", b"0.000000", b"1e22", b"1E-22", b"9007199254740993",
    b"0.1234567890123456789012345", b"000000000000000000000000000012.5", b"1.234567890123456789e-01",
    b"123456789012345678901234567890", b"3.4028235e38", b"1.1754944e-38", b"1e-45", b"1.4e-45", b"1e-40",
    b"7.0064923216240854e-46", b"12345678.12345678", b"1e-46", b"0.00000000000000000000000000001",
    b"99999999999999999999e-20",
]  # fmt: skip


@pytest.mark.parametrize("field", PLAIN)
def test_numbers_that_are_plain(field):
    assert same(field) is not False
    assert same(b"-" + field.lstrip(b"+-")) is not False


@pytest.mark.parametrize(
    "field",
    b"nan inf 1e39 -1e39 1e999999999999999999999 1e 1e+ e5 . + - +-1 1.2.3 0x10 1_0 1,5 1-2 1d5 NA null "
    b'"1" \xd9\xa1 1e1e1'.split(),
)
def test_what_is_no_plain_number_is_left_to_the_slow_parser(field):
    assert parsed([field, b"1"]) is None
    assert parsed([b"1", field]) is None


@given(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["r", ".17e", ".18e", ".25e", ".5f"])
)
def test_float64_numbers_are_rounded_as_python_rounds_them(value, layout):
    field = (repr(value) if layout == "r" else format(value, layout)).encode()
    assert same(field) is not False


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@example(2.0**-149)
@example(2.0**-126)
def test_float32_numbers_with_nine_digits_are_mostly_plain(value):
    field = b"%.9g" % value
    assert same(field) is (True if value == 0 or abs(value) > 1e-30 else same(field))
    assert same(field) is not False


@settings(max_examples=300)
@given(st.integers(0, 10**25), st.integers(-80, 60), st.integers(0, 12))
def test_long_mantissas(mantissa, exponent, zeros):
    digits = str(mantissa)
    for place in (0, len(digits) // 2, len(digits)):
        field = (
            f"{'0' * zeros}{digits[:place]}.{'0' * (zeros if not place else 0)}{digits[place:]}e{exponent}"
        )
        assert same(field.encode()) is not False


@given(st.integers(0, 2**32 - 1), st.integers(-3, 3))
def test_numbers_close_to_halfway_between_two_float32(bits, steps):
    low = abs(struct.unpack("<f", struct.pack("<I", bits))[0])
    if not 1e-30 < low < 1e30:
        return
    half = (low + float(np.nextafter(np.float32(low), np.float32(np.inf)))) / 2
    for _ in range(abs(steps)):
        half = float(np.nextafter(half, np.inf if steps > 0 else 0))
    assert same(repr(half).encode()) is not False
    assert same(b"%.18e" % half) is not False


FIELDS = st.from_regex(rb"[-+.eE0-9naif]{1,12}", fullmatch=True)


@settings(max_examples=300)
@given(FIELDS)
def test_any_text_is_right_or_left_to_the_slow_parser(field):
    try:
        expected = single(field)
    except ValueError:
        assert parsed([field, b"1"]) is None
    else:
        assert same(field) in ({None, True} if np.isfinite(expected) else {None})


def test_rows_of_zeros_are_left_to_the_slow_parser():
    assert parsed([b"0", b"-0.0"]) is None


def test_eight_bytes_are_not_read_beyond_the_end():
    for digits in range(1, 20):
        assert same(b"1" * digits)
        assert parsed([b"0." + b"3" * digits]) == np.float32(float("0." + "3" * digits))


def test_binary_rows_are_parted():
    data = np.frombuffer(
        b"\na " + struct.pack("<2f", 1, 2) + b"bb " + struct.pack("<2f", np.nan, 0) + b"c ", np.uint8
    )
    values, good, words, end, endless = split_binary(data, 2, 100)
    assert values[0].tolist() == [1, 2]
    assert good.tolist() == [True, False]
    assert (words.tobytes(), end, endless) == (b"a bb ", len(data) - 2, False)
    assert split_binary(np.frombuffer(b"a" * 100, np.uint8), 2, 100)[3:] == (0, True)


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
    for name, head, before in [("word2vec-text", b"\n31 2\n", 2), ("glove", b"\xef\xbb\xbf", 0)]:
        path = save(tmp_path, head + good + b"bad 1 x\n")
        with pytest.raises(VectorsError, match=rf"line {before + 61}, word 'bad'"):
            load_vectors(path, format=name)


@pytest.mark.parametrize("kind", ["text", "glove", "binary"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_number_of_threads_changes_nothing(tmp_path, kind, packed):
    rng = np.random.default_rng(3)
    words = [f"w{i}" if i % 7 < 6 else f"w {i}" for i in range(500)]
    if kind == "binary":
        words = [word.replace(" ", "_") for word in words]
    matrix = rng.normal(size=(500, 5)).astype(np.float32)
    data = binary(words, matrix) if kind == "binary" else text(words, matrix, header=kind == "text")
    path = save(tmp_path, gzip.compress(data) if packed else data)
    for threads in (1, 2, 3, None):
        check(load_vectors(path, threads=threads, cache=False), words, matrix)
        check(load_vectors(path, threads=threads, cache=False, limit=77), words[:77], matrix[:77])


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
    with pytest.raises(VectorsError, match=r"line 42, word 'w0': duplicate.*row 1 of the vocabulary"):
        load_vectors(path)
    assert load_vectors(path, bad_rows="drop").dropped == 1


def test_stateful_encodings_are_decoded_word_by_word(tmp_path):
    words = ["日本", "京都", "ab"]
    rows = b"".join(word.encode("iso2022_jp").rstrip() + b" 1.5 2.5\n" for word in words)
    vectors = load_vectors(save(tmp_path, b"3 2\n" + rows), encoding="iso2022_jp")
    assert list(vectors.words) == words


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_must_be_some(tmp_path, threads):
    with pytest.raises(VectorsError, match=f"threads is {threads}. Use 1 or more"):
        load_vectors(save(tmp_path, MIXED), threads=threads)


@settings(max_examples=100)
@given(tables("\n \t\ufeff"), st.integers(24, 200), st.integers(1, 3))
def test_blocks_of_any_size(table, size, threads):
    words, matrix = table
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK_BYTES", size)
        path = save(Path(folder), text(words, matrix))
        check(load_vectors(path, format="word2vec-text", threads=threads, cache=False), words, matrix)


@pytest.mark.parametrize("threads", [1, 3])
def test_damage_beyond_the_limit_does_not_matter(tmp_path, threads):
    rng = np.random.default_rng(1)
    rows = b"".join(b"w%d %.6f %.6f\n" % (i, *rng.normal(size=2)) for i in range(5000))
    path = save(tmp_path, gzip.compress(rows)[:-5000])
    assert len(load_vectors(path, limit=10, threads=threads)) == 10
    with pytest.raises(VectorsError, match="gzip data is cut off"):
        load_vectors(path, threads=threads)
    bad = rows.replace(b"\nw9 ", b"\nw9 0.5 ")
    with pytest.raises(VectorsError, match=r"line 10, word 'w9'"):
        load_vectors(save(tmp_path, bad, "other"), threads=threads)


@pytest.mark.parametrize("kind", ["text", "glove", "binary"])
def test_many_words_of_one_dimension(tmp_path, kind):
    words = ['"', "NA", "null", "\u00a0", "\u2028", "\ufeff", *(f"w{i}" for i in range(500))]
    matrix = np.array([[2.0**-149 * (i + 1)] for i in range(len(words))], np.float32)
    matrix[::2] *= -1
    data = binary(words, matrix) if kind == "binary" else text(words, matrix, header=kind == "text")
    vectors = load_vectors(save(tmp_path, data))
    check(vectors, words, matrix)


@pytest.mark.parametrize("size", [64, 1 << 20])
@pytest.mark.parametrize("first", [b"bad 1 x", b"bad 1", b"bad nan 1", b"w0 1 2"])
def test_of_several_bad_rows_the_first_is_told(tmp_path, monkeypatch, first, size):
    monkeypatch.setattr(lines, "BLOCK_BYTES", size)
    rows = [b"w%d 1 2" % i for i in range(20)]
    rows[5:5] = [first, b"worse 1", b"worst 1 x"]
    with pytest.raises(VectorsError, match=r"line 6, word"):
        load_vectors(save(tmp_path, b"\n".join(rows)), format="glove")
