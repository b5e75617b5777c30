"""Binary files whose words hold spaces, or whose numbers are of other types: read right or refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evaluator import load_vectors
from evaluator.errors import VectorsError
from tests.evaluator.vectors.vector_files import binary

WORDS = ["the", "rex", "regina", "Ποσειδῶν", "dux", "a", "urbs", "😀", "via"]
SPACED = [
    "new york",
    "a b",
    "New York City Hall",
    "windows 10",
    "de la",
    "την πόλη",
    "in medias res",
    ". . .",
]
BROKEN = ["a\nb", "new\nyork city", "x\n"]


def many(number):
    """So many files are tried, and a fifth of them in the tests that are run often."""
    values = [number // 5, pytest.param(number, marks=pytest.mark.slow)]
    return pytest.mark.parametrize("files", values)


def world(seed, dimension, spaced, rows=60):
    """Words, some of them with spaces, and their vectors."""
    draw = random.Random(seed)
    words = [f"{draw.choice(WORDS)}{number}" for number in range(rows - len(spaced))] + list(spaced)
    draw.shuffle(words)
    scale = draw.choice([0.05, 1, 20])
    return words, (scale * np.random.default_rng(seed).normal(size=(rows, dimension))).astype(np.float32)


def read(path, bad_rows):
    """Words and numbers of a file, or None and why it is refused."""
    try:
        vectors = load_vectors(path, format="word2vec-binary", bad_rows=bad_rows)
    except VectorsError as error:
        return None, str(error)
    return list(vectors.words), vectors.matrix


@pytest.mark.parametrize("bad_rows", ["refuse", "drop"])
@pytest.mark.parametrize("dimension", [2, 5, 16, 100])
@pytest.mark.parametrize("spaced", [SPACED, [*SPACED, *BROKEN]], ids=["spaces", "newlines, too"])
@many(60)
def test_rows_that_end_with_a_newline_are_read_right(tmp_path, dimension, spaced, bad_rows, files):
    """Each file is read as it was written; one of hundreds may be refused, none is read otherwise."""
    refused = 0
    for seed in range(files):
        words, matrix = world(seed, dimension, spaced)
        path = tmp_path / "some.bin"
        path.write_bytes(binary(words, matrix, newlines=True))
        found, numbers = read(path, bad_rows)
        if found is None:
            refused += 1
            assert "some.bin, row" in numbers
            continue
        assert found == words
        assert numbers.tobytes() == matrix.tobytes()
    assert refused <= files / 10


@pytest.mark.parametrize("bad_rows", ["refuse", "drop"])
@pytest.mark.parametrize("dimension", [8, 16, 100])
@many(120)
def test_without_newlines_words_with_spaces_are_refused(tmp_path, dimension, bad_rows, files):
    for seed in range(files):
        spaced = SPACED[seed % len(SPACED)]
        words, matrix = world(seed, dimension, [spaced])
        path = tmp_path / "some.bin"
        path.write_bytes(binary(words, matrix))
        found, problem = read(path, bad_rows)
        assert found is None, (seed, spaced)
        assert "some.bin, row" in problem


@pytest.mark.parametrize("newlines", [False, True])
@pytest.mark.parametrize("dimension", [1, 2, 5, 16, 100])
@many(100)
def test_words_without_spaces_are_not_refused(tmp_path, dimension, newlines, files):
    for seed in range(files):
        words, matrix = world(seed, dimension, ["\x1f", "a\rb", "\x00"], rows=300)
        path = tmp_path / "some.bin"
        path.write_bytes(binary(words, matrix, newlines=newlines))
        found, numbers = read(path, "refuse")
        assert found == words, numbers
        assert numbers.tobytes() == matrix.tobytes()


def damaged(draw, words, matrix):
    """A file without newlines in which something is wrong, and what each of its rows is."""
    matrix, words, number, end = matrix.copy(), list(words), len(words), None
    how = draw.choice(["nothing", "nan", "zero", "twice", "cut", "a row less", "header"])
    row = draw.randrange(len(words))
    if how in ("nan", "zero"):
        matrix[row] = np.nan if how == "nan" else 0
    elif how == "twice":
        words[row] = words[draw.randrange(len(words))]
    elif how == "cut":
        end = -draw.randrange(1, 4 * matrix.shape[1])
    elif how == "a row less":
        end = -(len(words[-1].encode()) + 1 + 4 * matrix.shape[1])
    elif how == "header":
        number += draw.choice([-1, 1])
    body = binary(words, matrix).partition(b"\n")[2]
    rows = {(word, numbers.tobytes()) for word, numbers in zip(words, matrix, strict=True)}
    return f"{number} {matrix.shape[1]}\n".encode() + body[:end], rows


LONGER = [
    "ab cdefgh",
    "a bcd",
    "x 1 2 3",
    "a\nb c",
    "x y\tz",
    " lead",
    "trail ",
    "= =",
    "q w e r t y u i o p",
]


@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 16])
@many(150)
def test_no_wrong_row_is_kept_when_bad_rows_are_dropped(tmp_path, dimension, files):
    path = tmp_path / "some.bin"
    for seed in range(files):
        draw = random.Random(seed)
        spaced = draw.sample([*SPACED, *LONGER], draw.choice([1, 1, 2, 5]))
        data, rows = damaged(draw, *world(seed, dimension, spaced))
        path.write_bytes(data)
        found, numbers = read(path, "drop")
        kept = zip(found or (), numbers, strict=False)
        assert all((word, row.tobytes()) in rows for word, row in kept), (seed, spaced)


def test_text_by_chance_is_settled_by_the_number_of_rows(tmp_path):
    """The bytes of four nearly equal numbers are letters, as if they were a longer word's."""
    matrix = np.random.default_rng(5).normal(size=(30, 4)).astype(np.float32)
    matrix[17] = np.frombuffer("BUнBUнDUнAUн".encode(), dtype="<f4")
    words = [f"w{row}" for row in range(30)]
    data = binary(words, matrix)
    path = tmp_path / "some.bin"
    for bad_rows in ("refuse", "drop"):
        path.write_bytes(data)
        assert read(path, bad_rows)[0] == words
        path.write_bytes(data.replace(b"30 4", b"29 4"))
        assert "row 18: the word 'w17' goes on after a space" in read(path, bad_rows)[1]


@pytest.mark.parametrize("rows", [1, 2, 30])
@many(150)
def test_a_number_or_two_in_a_row_are_recognised_as_binary(tmp_path, rows, files):
    path = tmp_path / "some.bin"
    for seed in range(files):
        draw = np.random.default_rng(seed)
        matrix = (draw.choice([1, 10]) * draw.normal(size=(rows, 1 + seed % 2))).astype(np.float32)
        words = [f"w{row}" for row in range(rows)]
        path.write_bytes(binary(words, matrix, newlines=seed % 3 == 0))
        found = load_vectors(path)
        assert list(found.words) == words
        assert (found.matrix == matrix).all()


def test_small_cases(tmp_path):
    """Of two numbers each: the second word in rows that end with a newline, and in others."""
    words, matrix = (
        ["the", "new york", "rex", "dux"],
        np.array([[1, 0], [0.5, 0.5], [0, 1], [1, 2]], np.float32),
    )
    path = tmp_path / "some.bin"
    path.write_bytes(binary(words, matrix, newlines=True))
    assert read(path, "drop")[0] == words
    path.write_bytes(binary(words, matrix))
    for bad_rows in ("refuse", "drop"):
        assert "row 2: the word 'new' goes on after a space" in read(path, bad_rows)[1]


def test_a_row_too_short_is_not_passed_over(tmp_path):
    words, matrix = world(1, 16, [])
    data = binary(words, matrix, newlines=True)
    start = data.index(b"\n") + 1 + sum(len(word.encode()) + 66 for word in words[:7])
    path = tmp_path / "some.bin"
    path.write_bytes(data[: start + 20] + data[start + 23 :])
    for bad_rows in ("refuse", "drop"):
        assert f"row 8: the end of the row of {words[7]!r} cannot be found" in read(path, bad_rows)[1]


TYPES = {
    ">f4": "big-endian float32",
    "<f8": "float64",
    ">f8": "big-endian float64",
    "<f2": "float16",
    ">f2": "float16",
}


@pytest.mark.parametrize("newlines", [False, True])
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("dimension", [3, 50, 300])
def test_numbers_of_other_types_are_named(tmp_path, kind, newlines, dimension):
    words, matrix = world(3, dimension, [], rows=20)
    rows = (
        word.encode() + b" " + row.astype(kind).tobytes() + b"\n" * newlines
        for word, row in zip(words, matrix, strict=True)
    )
    path = tmp_path / "some.bin"
    path.write_bytes(f"{len(words)} {dimension}\n".encode() + b"".join(rows))
    for bad_rows in ("refuse", "drop"):
        found, problem = read(path, bad_rows)
        assert found is None
        assert f"its numbers look like {TYPES[kind]}, " in problem


def test_few_numbers_that_could_be_another_type_with_rows_missing_are_not_called_so(tmp_path):
    matrix = np.random.default_rng(700000004131).standard_normal((3, 8))
    matrix[0] = [0.0558, -1.5445, -0.2371, 1.6285, -0.5689, -0.8137, -0.3267, 0.4630]
    matrix[1] = [-0.7802, -3.2616, 0.2764, 1.2606, 0.4705, -2.6058, -1.1660, -0.1401]
    path = tmp_path / "some.bin"
    for newlines in (True, False):
        path.write_bytes(binary(["w0", "w1", "x w1"], np.float32(matrix), newlines=newlines))
        found, matrix_or_problem = read(path, "refuse")
        assert found is not None or "look like" not in matrix_or_problem


@pytest.mark.parametrize("dimension", [4, 5, 20])
def test_equal_numbers_are_no_text_though_their_bytes_are_letters(tmp_path, dimension):
    """The bytes of 874.3877 are И, Z and D."""
    matrix = np.random.default_rng(5).normal(size=(30, dimension)).astype(np.float32)
    matrix[7] = np.frombuffer("ИZD".encode(), dtype="<f4")
    words = [f"w{row}" for row in range(30)]
    (tmp_path / "some.bin").write_bytes(binary(words, matrix, newlines=False))
    found, numbers = read(tmp_path / "some.bin", "refuse")
    assert found == words
    assert (numbers == matrix).all()


@pytest.mark.parametrize("length", [1e-22, 1e-12, 1e9, 1e20])
@many(40)
def test_a_single_row_of_small_or_large_numbers_is_not_taken_for_other_numbers(tmp_path, length, files):
    for seed in range(files):
        matrix = (length * np.random.default_rng(seed).normal(size=(1, 8))).astype(np.float32)
        (tmp_path / "some.bin").write_bytes(binary(["w0"], matrix, newlines=bool(seed % 2)))
        found, numbers = read(tmp_path / "some.bin", "refuse")
        assert found == ["w0"], numbers
        assert (numbers == matrix).all()
