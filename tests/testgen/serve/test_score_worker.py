"""What the page of scores computes, in Node in place of a browser."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from tests.worlds.routes import Browser

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")

WORDS = ["rome", "new york", "paris", "la paz", "w", "x", "y", "z"]
MATRIX = np.random.default_rng(2).normal(size=(len(WORDS), 6)).astype("<f4")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    found = Browser(NODE, tmp_path_factory.mktemp("page"))
    yield found
    found.close()


def test_set(*categories):
    items = ([{"id": word, "words": [word]} for word in words] for words in categories)
    every = [{"name": f"c{n}", "title": f"c{n}", "items": each} for n, each in enumerate(items)]
    return {"language": "en", "categories": every}


test_set.__test__ = False

TOWNS = test_set(WORDS[:4])


def write(path, end=b"\n"):
    rows = [word.encode() + b" " + row.tobytes() + end for word, row in zip(WORDS, MATRIX, strict=True)]
    path.write_bytes(f"{len(WORDS)} 6\n".encode() + b"".join(rows))
    return path


@pytest.mark.parametrize("most", [2, 5, 100])
@pytest.mark.parametrize("helpers", [0, 2])
def test_binary_rows_with_spaces_in_words_are_read_as_their_text_is(page, tmp_path, most, helpers):
    lines = (f"{word} {' '.join(map(repr, row))}\n" for word, row in zip(WORDS, MATRIX.tolist(), strict=True))
    (tmp_path / "own.vec").write_text(f"{len(WORDS)} 6\n{''.join(lines)}")
    binary, text = (
        page.score(path, TOWNS, most, helpers) for path in (write(tmp_path / "own.bin"), tmp_path / "own.vec")
    )
    assert binary == text
    assert binary["result"]["known"] == min(most, 4)


def test_binary_rows_with_spaces_in_words_and_no_line_ends_are_refused(page, tmp_path):
    found = page.score(write(tmp_path / "own.bin", b""), TOWNS, 100, 0)
    assert "Row" in found["problem"] or "ends after" in found["problem"]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_space_in_the_numbers_of_the_last_row_is_no_end_of_its_word(page, tmp_path, end):
    matrix = np.ones((5, 1), dtype="<f4")
    matrix[-1] = np.frombuffer(b" ab?", "<f4")
    words = [*WORDS[-4:], "rome"]
    content = [word.encode() + b" " + row.tobytes() + end for word, row in zip(words, matrix, strict=True)]
    (tmp_path / "own.bin").write_bytes(b"5 1\n" + b"".join(content))
    assert "result" in page.score(tmp_path / "own.bin", test_set(words[:3]), 100, 0)


def test_what_a_category_that_scores_0_has_by_chance_is_0(page, tmp_path):
    """As in evaluator: one word of a category is known, or it has the whole vocabulary."""
    every = page.score(write(tmp_path / "own.bin"), test_set(WORDS), 100, 0)["result"]
    assert (every["oddOneOut"], every["oddOneOutChance"]) == (0, 0)
    few = page.score(write(tmp_path / "own.bin"), test_set(["rome", "paris", "a"]), 3, 0)["result"]
    assert (few["topk"], few["topkChance"]) == (0, 0)


def test_words_of_small_categories_are_counted(page, tmp_path):
    found = page.score(write(tmp_path / "own.bin"), test_set(WORDS[:3], ["w", "unknown"]), 100, 0)["result"]
    assert (found["known"], found["words"]) == (4, 5)
