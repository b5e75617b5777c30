from __future__ import annotations

import numpy as np
import pytest

from evaluator.errors import VectorsError
from evaluator.vectors import load_vectors

# Written by floret 0.10.5: cbow, 12 buckets, 3 dimensions, n-grams of 2 and 3 characters, 2 hashes.
TABLE = """12 3 2 3 2 2166136261 < >
0 -0.66278 0.62669 -0.49597
1 -1.0428 0.98386 -0.77974
2 -0.51616 0.48524 -0.38549
3 -0.5342 0.50494 -0.3997
4 -1.3804 1.3033 -1.0324
5 -0.44232 0.41857 -0.33108
6 -0.5398 0.50943 -0.40366
7 0.0020334 -0.0017157 0.00146
8 -0.89336 0.84434 -0.66838
9 -0.60751 0.57376 -0.45439
10 -0.87597 0.82721 -0.65518
11 -0.75663 0.71394 -0.56579
"""
# What get_word_vector of the same model gave.
EXPECTED = {
    "regina": [-0.697272, 0.658424, -0.52152],
    "Ποσειδῶν": [-0.681376, 0.643436, -0.509637],
    "x": [-0.744631, 0.703326, -0.556989],
    "nova": [-0.594107, 0.561035, -0.444368],
}


def save(folder, text=TABLE):
    path = folder / "some.floret"
    path.write_text(text, encoding="utf-8")
    return path


def test_vectors_are_those_of_floret(tmp_path):
    vectors = load_vectors(save(tmp_path), vocabulary=["regina", "x"])
    assert list(vectors.words) == ["regina", "x"]
    assert vectors.candidates == "2 words"
    for word, expected in EXPECTED.items():
        assert vectors.subword(word) == pytest.approx(expected, rel=1e-4), word
    assert vectors.matrix == pytest.approx(np.array([EXPECTED["regina"], EXPECTED["x"]]), rel=1e-4)


def test_vectors_of_a_table_trained_now(tmp_path):
    floret = pytest.importorskip("floret", reason="compares with floret, which is not installed")
    words = ["rex", "regina", "Ποσειδῶν", "😀x", "c", "arma", "superlongwordwithmanycharactersinside"]
    (tmp_path / "text").write_text("\n".join(" ".join(["et", *words]) for _ in range(50)), encoding="utf-8")
    for shortest, longest, hashes in ((3, 5, 2), (1, 3, 3), (4, 5, 4)):
        model = floret.train_unsupervised(
            str(tmp_path / "text"),
            model="cbow",
            mode="floret",
            hashCount=hashes,
            bucket=500,
            thread=1,
            minn=shortest,
            maxn=longest,
            dim=8,
            minCount=1,
            verbose=0,
        )
        model.save_floret_vectors(str(tmp_path / "some.floret"))
        vectors = load_vectors(tmp_path / "some.floret", vocabulary=words)
        for word in words:
            assert vectors.subword(word) == pytest.approx(model.get_word_vector(word), abs=1e-6), word


def test_a_vocabulary_is_needed(tmp_path):
    with pytest.raises(VectorsError, match=r"no vocabulary.*--vocabulary-from.*saved beside it \(\.vec\)"):
        load_vectors(save(tmp_path))


DAMAGED = {
    "cut off": (TABLE[:100], "line 1: the header says 12 rows of 3 numbers, which do not fit"),
    "cut off late": (TABLE[:200], "row 7 of the 12 .* But no row can be left out of a table of hashes"),
    "a row too few": (TABLE.rpartition("11 ")[0], "12 rows"),
    "rows out of order": (TABLE.replace("\n3 ", "\n33 "), "not numbered from 0 to 11"),
    "a huge header": (TABLE.replace("12 3", "999999999999999 3", 1), "do not fit"),
    "no rows": (TABLE.replace("12 3", "0 3", 1), "cannot be"),
    "five hashes": (TABLE.replace("3 2 2166136261", "3 5 2166136261"), "5 hashes"),
    "a huge seed": (TABLE.replace("2166136261", "99166136261"), "which cannot be"),
    "long n-grams": (TABLE.replace("3 2 3 2", "3 2 3000 2"), "which cannot be"),
    "NaN": (TABLE.replace("-1.0428", "nan"), "line 3, word '1': number 1 of 3 is NaN"),
    "a word": (TABLE.replace("-1.0428", "rex"), "line 3"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage(tmp_path, kind):
    text, problem = DAMAGED[kind]
    for rows in ("refuse", "drop"):  # no row can be left out of a table of hashes
        with pytest.raises(VectorsError, match=problem):
            load_vectors(save(tmp_path, text), vocabulary=["x"], bad_rows=rows)


def test_a_row_of_zeros_is_part_of_the_table(tmp_path):
    text = TABLE.replace("-1.0428 0.98386 -0.77974", "0 0 0")
    assert len(load_vectors(save(tmp_path, text), vocabulary=["x", "regina"])) == 2
