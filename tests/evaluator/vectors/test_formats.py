from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import evaluator.vectors
from evaluator.errors import VectorsError
from evaluator.vectors import load_vectors
from evaluator.vectors.reading import is_word2vec_binary
from tests.conftest import NEEDS_GENSIM
from tests.evaluator.vectors.vector_files import binary, text

WORDS = ["rex", "regina", "Ποσειδῶν", "😀"]
MATRIX = np.array([[0.1, -2e-7, 3], [4, 5.5, -6], [1e30, 0, 1e-40], [7, 8, 9]], dtype=np.float32)

ODD_WORDS = [
    '"', "'", "NA", "null", "nan", "inf", "#", "12", "0.5", "\u00a0", "a\u00a0b", "\u3000", "\u2028",
    "\u0085", "\u200b", "\x0b", "\x0c", "\x1c", "\x00", "a\rb", "\r", ",", "\\", "e\u0301", "\ufeff",
]  # fmt: skip
SPACED_WORDS = [". . .", "New York", "a b c d e f", "windows 10", "in nan", "at name@domain.com", ". ."]


def save(folder, data, name="some.vec"):
    path = folder / name
    path.write_bytes(data)
    return path


def check(vectors, words=WORDS, matrix=MATRIX):
    assert list(vectors.words) == list(words)
    assert vectors.matrix.dtype == np.float32
    assert vectors.matrix.flags.c_contiguous
    assert np.array_equal(vectors.matrix.view(np.uint32), matrix.view(np.uint32))


LAYOUTS = {
    "word2vec-text": text(WORDS, MATRIX),
    "word2vec-text, trailing spaces as in fastText": text(WORDS, MATRIX, end=" \n"),
    "word2vec-text, CRLF": text(WORDS, MATRIX, end="\r\n"),
    "word2vec-text, tabs": text(WORDS, MATRIX).replace(b" ", b"\t"),
    "word2vec-text, runs of spaces": text(WORDS, MATRIX).replace(b" ", b"  "),
    "word2vec-text, no newline at the end": text(WORDS, MATRIX).removesuffix(b"\n"),
    "word2vec-text, blank lines": text(WORDS, MATRIX, end="\n\n"),
    "word2vec-text, byte order mark": b"\xef\xbb\xbf" + text(WORDS, MATRIX),
    "word2vec-binary": binary(WORDS, MATRIX),
    "word2vec-binary, newlines": binary(WORDS, MATRIX, newlines=True),
    "glove": text(WORDS, MATRIX, header=False),
    "glove, byte order mark": b"\xef\xbb\xbf" + text(WORDS, MATRIX, header=False),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_every_layout_is_recognised_and_read(tmp_path, layout, packed):
    data = gzip.compress(LAYOUTS[layout]) if packed else LAYOUTS[layout]
    path = save(tmp_path, data, "some.data")
    check(load_vectors(path))
    check(load_vectors(str(path), format=layout.split(",")[0]))
    assert load_vectors(path).name == "some.data"
    assert load_vectors(path).subword is None


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_limit_reads_the_first_rows(tmp_path, layout, packed):
    data = gzip.compress(LAYOUTS[layout]) if packed else LAYOUTS[layout]
    path = save(tmp_path, data)
    check(load_vectors(path, limit=2), WORDS[:2], MATRIX[:2])
    check(load_vectors(path, limit=9))


def test_limit_does_not_look_at_later_rows(tmp_path):
    path = save(tmp_path, b"9 2\na 1 2\nb 3 4\nc x y\n")
    assert list(load_vectors(path, limit=2).words) == ["a", "b"]


@pytest.mark.parametrize("header", [True, False])
def test_odd_words_in_text(tmp_path, header):
    words = [*WORDS, *ODD_WORDS, *SPACED_WORDS]
    matrix = np.linspace(-1.03, 1, 3 * len(words), dtype=np.float32).reshape(-1, 3)
    check(load_vectors(save(tmp_path, text(words, matrix, header=header))), words, matrix)


def test_odd_words_in_binary(tmp_path):
    matrix = np.linspace(-1.03, 1, 3 * len(ODD_WORDS), dtype=np.float32).reshape(-1, 3)
    check(load_vectors(save(tmp_path, binary(ODD_WORDS, matrix))), ODD_WORDS, matrix)


def test_a_header_of_one_dimension_is_no_glove_row(tmp_path):
    check(load_vectors(save(tmp_path, b"1 1\n5 3\n")), ["5"], np.array([[3]], np.float32))


def test_another_encoding_can_be_named(tmp_path):
    path = save(tmp_path, "1 2\ncliché 1 2\n".encode("cp1252"))
    assert list(load_vectors(path, encoding="cp1252").words) == ["cliché"]


def test_many_blocks_of_lines(tmp_path):
    words = [f"w{i}" for i in range(4000)]
    matrix = np.random.default_rng(5).normal(size=(4000, 60)).astype(np.float32)
    for name, data in {"text": text(words, matrix), "binary": binary(words, matrix)}.items():
        assert len(data) > 900_000
        check(load_vectors(save(tmp_path, data, name)), words, matrix)
        check(load_vectors(save(tmp_path, gzip.compress(data, 1), name)), words, matrix)


NUMBERS = st.from_regex(
    rb"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})(e[+-]?[0-3]?[0-9])?", fullmatch=True
)


def near_halves():
    """Numbers halfway between two float32 ones, where rounding is hardest."""
    single = st.floats(width=32, min_value=2.0**-100, max_value=2.0**100)
    return single.map(lambda x: (x + float(np.nextafter(np.float32(x), np.float32(2.0**101)))) / 2)


@given(st.lists(NUMBERS | near_halves().map(lambda x: repr(x).encode()), min_size=1, max_size=30))
def test_numbers_are_right_to_the_last_bit(fields):
    fields = [b"1", *(field for field in fields if abs(float(field)) < 3.4e38)]
    expected = np.array([np.float32(float(field)) for field in fields], dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = save(Path(folder), b"1 %d\nw %s\n" % (len(fields), b" ".join(fields)))
        check(load_vectors(path), ["w"], expected[None])


def tables(blacklist):
    words = st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters=blacklist), min_size=1, max_size=8),
        min_size=1,
        max_size=12,
        unique=True,
    )
    values = st.floats(width=32, allow_nan=False, allow_infinity=False)

    def with_matrix(some):
        shape = st.tuples(st.just(len(some)), st.integers(1, 6))
        matrices = shape.flatmap(lambda s: npst.arrays(np.float32, s, elements=values))
        return st.tuples(st.just(some), matrices.filter(lambda m: m.any(axis=1).all()))

    return words.flatmap(with_matrix)


@given(tables("\n \t\ufeff"), st.booleans(), st.booleans())
def test_text_round_trip(table, header, packed):
    words, matrix = table
    data = text(words, matrix, header=header)
    with tempfile.TemporaryDirectory() as folder:
        path = save(Path(folder), gzip.compress(data) if packed else data)
        check(load_vectors(path, format="word2vec-text" if header else "glove"), words, matrix)


@given(tables("\n "), st.booleans(), st.booleans())
def test_binary_round_trip(table, newlines, packed):
    words, matrix = table
    data = binary(words, matrix, newlines=newlines)
    with tempfile.TemporaryDirectory() as folder:
        path = save(Path(folder), gzip.compress(data) if packed else data)
        check(load_vectors(path, format="word2vec-binary"), words, matrix)


@NEEDS_GENSIM
@given(tables("\n \t\r\ufeff\u0085\u2028\u3000\u00a0"), st.booleans())
def test_what_gensim_writes_is_recognised_and_read(table, as_binary):
    from gensim.models import KeyedVectors

    words, matrix = table
    some = KeyedVectors(matrix.shape[1])
    some.add_vectors(words, matrix)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.vec"
        some.save_word2vec_format(str(path), binary=as_binary)
        name = "word2vec-binary" if as_binary else "word2vec-text"
        check(load_vectors(path, format=name), words, matrix)


def test_no_heavy_library_is_imported_for_a_small_text_file(tmp_path):
    path = save(tmp_path, LAYOUTS["glove"])
    program = "import sys; from evaluator.vectors import load_vectors; load_vectors(sys.argv[1])"
    check_modules = "; sys.exit(bool({'gensim', 'numba', 'safetensors'} & set(sys.modules)))"
    root = Path(evaluator.vectors.__file__).parents[2]
    subprocess.run([sys.executable, "-c", program + check_modules, path], cwd=root, check=True)


def test_unknown_format_is_refused_with_those_there_are(tmp_path):
    path = save(tmp_path, LAYOUTS["glove"])
    with pytest.raises(VectorsError, match=r"'word3vec'.*auto, static-model, safetensors, npy, "):
        load_vectors(path, format="word3vec")


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_character_that_the_head_cuts_in_two_is_text(cut):
    """Only the first bytes of a file are looked at; their last character may be incomplete."""
    word = "\N{GRINNING FACE}" * 20
    assert not is_word2vec_binary(b"1 300\n" + word.encode()[:-cut])
    assert is_word2vec_binary(b"1 300\n" + word.encode()[cut:])
