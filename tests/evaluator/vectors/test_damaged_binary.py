"""Binary files without newlines between rows that lost, gained or changed bytes: no wrong row is kept.

A file that shows no sign of damage is read as it stands, whatever is said of bad rows: bytes missing at the
end of a row, or at the start of the next word, leave numbers and a word that may well be true ones.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

import numpy as np
import pytest

from evaluator import load_vectors
from evaluator.errors import VectorsError
from tests.evaluator.vectors.vector_files import binary

LETTERS = [
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKabc012",
    "оенитспвклмзжаб",
    "αβγδεικλμνοπρστυω",
    "中国人民日本語漢字",
]
KINDS = ["lost", "inserted", "changed", "cut", "not a number", "zero", "twice"]
PARTS = ("word", "space", "numbers")

Row = tuple[bytes, bytes]


@dataclass(frozen=True)
class File:
    """The rows of a file, and what stands where in their bytes."""

    rows: list[Row]

    @property
    def body(self) -> bytes:
        return b"".join(word + b" " + numbers for word, numbers in self.rows)

    def place(self, at: int) -> tuple[int, str]:
        """The row of a byte, and its part of this."""
        for row, (word, numbers) in enumerate(self.rows):
            for part, size in zip(PARTS, (len(word), 1, len(numbers)), strict=True):
                if at < size:
                    return row, part
                at -= size
        raise IndexError

    def start(self, row: int) -> int:
        return sum(len(word) + 1 + len(numbers) for word, numbers in self.rows[:row])

    def cut_as_before(self, body: bytes) -> set[Row]:
        """The rows of other bytes in the same places."""
        found, at = set(), 0
        for word, numbers in self.rows:
            end = at + len(word)
            found.add((body[at:end], body[end + 1 : end + 1 + len(numbers)]))
            at = end + 1 + len(numbers)
        return found


def made(draw, dimension, spaced):
    """A file of 20 to 150 words in one alphabet, some with a space if asked for."""
    letters, number, words = draw.choice(LETTERS), draw.choice([20, 60, 150]), dict[str, None]()
    while len(words) < number:
        parts = [draw.randrange(1, 10), *([draw.randrange(1, 6)] if draw.random() < spaced else [])]
        words[" ".join("".join(draw.choices(letters, k=size)) for size in parts)] = None
    normal = np.random.default_rng(draw.randrange(1 << 30)).normal(size=(number, dimension))
    matrix = (draw.choice([0.05, 1, 20]) * normal).astype("<f4")
    return File([(word.encode(), row.tobytes()) for word, row in zip(words, matrix, strict=True)])


def spot(draw, file, dimension):
    """Where bytes are damaged, and how many: often whole numbers, and near the end of a row."""
    size, numbers = len(file.body), 4 * dimension
    sizes = [1, 2, 3, 4, 8, 12, draw.randrange(1, numbers + 2), draw.randrange(1, 3 * numbers + 20)]
    count = min(draw.choice(sizes), size - 1)
    if draw.random() < 0.3:
        row = draw.choice([len(file.rows), len(file.rows) - 1, draw.randrange(1, len(file.rows))])
        return min(max(0, file.start(row) - count - draw.randrange(-3, 8)), size - count), count
    return draw.randrange(size - count + 1), count


def with_bytes_damaged(draw, file, dimension, kind):
    """The bytes after the header, and the rows that are right in them."""
    body, (at, count) = file.body, spot(draw, file, dimension)
    noise = bytes(count) if draw.random() < 0.3 else bytes(draw.randrange(256) for _ in range(count))
    (first, part), (last, other) = file.place(at), file.place(at + count - 1)
    if kind == "cut":
        return body[:at], set(file.rows[:first])
    if kind == "changed":
        body = body[:at] + noise + body[at + count :]
        return body, file.cut_as_before(body)
    damaged = body[:at] + body[at + count :] if kind == "lost" else body[:at] + noise + body[at:]
    hit = range(first, last + 1) if kind == "lost" else [first] if at > file.start(first) else []
    right = {row for number, row in enumerate(file.rows) if number not in hit}
    if part == "word" and (
        kind == "inserted" or (last, other) == (first, part)
    ):  # another word, as seen in any format
        start, (word, numbers) = file.start(first), file.rows[first]
        longer = len(word) + (count if kind == "inserted" else -count)
        right.add((damaged[start : start + longer], numbers))
    return damaged, right


def with_a_bad_row(draw, file, kind):
    """The same where a row has numbers that are none, or zeros; or a word of another row."""
    rows = list(file.rows)
    bad = draw.randrange(1, len(rows))
    word, values = rows[bad][0], np.frombuffer(rows[bad][1], "<f4").copy()
    if kind == "twice":
        word = rows[draw.randrange(bad)][0]
    else:
        values[: draw.choice([1, len(values)]) if kind == "not a number" else None] = (
            np.nan if kind != "zero" else 0
        )
    rows[bad] = (word, values.tobytes())
    return File(rows).body, {row for number, row in enumerate(file.rows) if number != bad}


def read(path, bad_rows):
    """The rows that are read, and how many are not; or None and why."""
    try:
        found = load_vectors(path, format="word2vec-binary", bad_rows=bad_rows)
    except VectorsError as error:
        return None, str(error)
    rows = zip(found.words, found.matrix.astype("<f4"), strict=True)
    return [(word.encode(), row.tobytes()) for word, row in rows], found.dropped


def check(path, seed, dimension, kind, spaced):
    """Read a damaged file; whether any of it is read."""
    draw = random.Random(f"{dimension} {kind} {spaced} {seed}")
    file = made(draw, dimension, spaced)
    if kind in ("not a number", "zero", "twice"):
        body, right = with_a_bad_row(draw, file, kind)
    else:
        body, right = with_bytes_damaged(draw, file, dimension, kind)
    path.write_bytes(f"{len(file.rows)} {dimension}\n".encode() + body)
    kept, dropped = read(path, "drop")
    if kept is None:
        assert re.search(r", row \d|, line 1: |no row can be used|its numbers look like", dropped), dropped
    elif not right.issuperset(kept):
        assert read(path, "refuse") == (kept, 0), f"a wrong row is kept: {seed}"
    return kept is not None


@pytest.mark.parametrize("files", [6, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("spaced", [0, 0.05])
@pytest.mark.parametrize("dimension", [1, 3, 16, 100])
def test_no_wrong_row_of_a_damaged_file_is_kept(tmp_path, dimension, spaced, files):
    for kind in KINDS:
        for seed in range(files):
            check(tmp_path / "some.bin", seed, dimension, kind, spaced)


@pytest.mark.parametrize(("kind", "least"), [("cut", 30), ("not a number", 36), ("zero", 36)])
def test_most_files_are_read_that_are_cut_off_or_have_a_bad_row(tmp_path, kind, least):
    assert sum(check(tmp_path / "some.bin", seed, 50, kind, 0) for seed in range(40)) >= least


def numbered(rows=30, dimension=16):
    return [f"w{row}" for row in range(rows)], np.random.default_rng(1).normal(size=(rows, dimension)).astype(
        "<f4"
    )


def test_the_rows_beside_a_bad_one_are_left_out_too(tmp_path):
    words, matrix = numbered()
    matrix[7] = np.nan
    (tmp_path / "some.bin").write_bytes(binary(words, matrix))
    kept, dropped = read(tmp_path / "some.bin", "drop")
    assert [word.decode() for word, _ in kept] == words[:6] + words[9:]
    assert dropped == 3
    (tmp_path / "some.bin").write_bytes(binary(words, matrix)[:-1])
    kept, dropped = read(tmp_path / "some.bin", "drop")
    assert [word.decode() for word, _ in kept] == words[:6] + words[9:28]
    assert dropped == 5


def test_bad_rows_are_left_out_of_a_part_only_if_the_whole_file_is_sound(tmp_path):
    words, matrix = numbered(rows=30, dimension=20_000)  # more than is read at once
    matrix[3] = 0
    path = tmp_path / "some.bin"
    path.write_bytes(binary(words, matrix))
    assert len(load_vectors(path, bad_rows="drop", limit=10)) == 7
    path.write_bytes(binary(words, matrix).replace(b"30 20000", b"31 20000", 1))
    with pytest.raises(VectorsError, match="row 31: 30 rows follow, the header says 31"):
        load_vectors(path, bad_rows="drop", limit=10)


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda data: data.replace(b"w9 ", b"w8 "), "row 10, word 'w8': duplicate: the same word is row 9"),
        (
            lambda data: data.replace(b"w9 ", b"\xe99 "),
            r"row 10: .*is no text in UTF-8, so bytes may be missing",
        ),
        (
            lambda data: data.replace(b"30 16", b"29 16"),
            "row 30: 30 rows follow, the header says 29, and rows are",
        ),
        (
            lambda data: data[:-68],
            "row 30: 29 rows follow, the header says 30, and rows are left out only",
        ),
    ],
    ids=["twice", "no text", "more rows", "fewer rows"],
)
def test_what_may_come_from_missing_bytes_is_refused(tmp_path, damage, problem):
    (tmp_path / "some.bin").write_bytes(damage(binary(*numbered())))
    with pytest.raises(VectorsError, match=problem):
        load_vectors(tmp_path / "some.bin", format="word2vec-binary", bad_rows="drop")
