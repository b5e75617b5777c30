"""`--preset gensim-evaluations`: the conventions of the papers' library, by its formula and by running it."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator import GENSIM_EVALUATIONS, Settings, read_testset, score
from evaluator.settings import PRESETS
from tests.conftest import REPOSITORY
from tests.evaluator.examples import test_set, vectors

CATEGORIES = {
    "known": "w0 w1 w2 w3 w4",
    "partly": "w2 W5 w6 w7 unknown",
    "three": "w8 w9 w10",
    "two": "w11 w12",
    "one": "w13",
    "none": "not known here",
}
MEASURES = ("Topk@1", "Topk@3", "Topk@4", "OddOneOut@2", "OddOneOut@3", "OddOneOut@4")


@pytest.fixture
def world():
    """Twenty words, whose categories are a little nearer to each other than to others; two have capitals."""
    words = [f"w{row}" for row in range(18)] + ["W5", "W0"]
    matrix = np.random.default_rng(3).normal(size=(len(words), 4))
    for text in CATEGORIES.values():
        rows = [words.index(word) for word in text.split() if word in words]
        matrix[rows] += 0.8 * np.random.default_rng(len(rows)).normal(size=4)
    return vectors(matrix, words=words)


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "categories.txt"
    found.write_text("".join(f":{name}\n{words}\n" for name, words in CATEGORIES.items()), encoding="utf-8")
    return found


def unit(vectors_):
    matrix = vectors_.matrix.astype(np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def topk(vectors_, words, k):
    """Hits of known words out of n·k, whatever n and k are."""
    index = {word: row for row, word in enumerate(vectors_.words)}
    similar = unit(vectors_) @ unit(vectors_).T - 9 * np.eye(len(index))
    nearest = {
        word: {vectors_.words[row] for row in np.argsort(-similar[index[word]])[:k]}
        for word in words
        if word in index
    }
    return sum(len(found.intersection(words)) for found in nearest.values()) / (len(words) * k)


def odd_one_out(vectors_, words, k):
    """What a pair drawn with replacement is worth on average; a subset with an OOV word is a miss."""
    index, matrix = {word: row for row, word in enumerate(vectors_.words)}, unit(vectors_)
    outside = [word for word in vectors_.words if word not in words]
    hits = 0
    for subset in itertools.combinations(words, k):
        for odd in outside if set(subset) <= index.keys() else ():
            chosen = matrix[[index[word] for word in (*subset, odd)]]
            hits += int(np.argmin(chosen @ chosen.mean(axis=0))) == k
    return hits / (math.comb(len(words), k) * len(outside))


@pytest.mark.parametrize("measure", ["Topk@10", "Topk@8"])
def test_a_category_of_fewer_words_than_neighbours_has_an_interval(measure):
    rng = np.random.default_rng(1)
    asked = test_set(
        a=[f"w{number}" for number in range(9)],
        b=[f"w{number}" for number in range(5, 12)],
        c=[f"w{number}" for number in range(26, 34)],  # four of which are known
    )
    found = score(vectors(rng.normal(size=(30, 4))), asked, measure, GENSIM_EVALUATIONS)
    for each in (found[measure], found[measure].of_known):
        low, high = each.interval
        assert 0 <= low <= each.value <= high <= 1


@pytest.mark.parametrize("text", MEASURES)
def test_scores_follow_the_formula_of_the_library(world, path, text):
    name, k = text.split("@")
    least, formula = (2, topk) if name == "Topk" else (int(k), odd_one_out)
    enough = {name: words.split() for name, words in CATEGORIES.items() if len(words.split()) >= least}
    expected = {name: formula(world, words, int(k)) for name, words in enough.items()}
    found = score(world, read_testset(path), text, GENSIM_EVALUATIONS)[text]
    assert {each.name: each.value for each in found.subscores if each.value is not None} == pytest.approx(
        expected
    )
    assert found.value == pytest.approx(np.mean(list(expected.values())))
    assert 0 < found.value < 1


def test_by_default_small_categories_are_skipped_and_case_does_not_matter(world, path):
    default = score(world, read_testset(path), "Topk@3")["Topk@3"]
    assert [each.name for each in default.subscores if each.value is None] == ["two", "one"]
    preset = score(world, read_testset(path), "Topk@3", GENSIM_EVALUATIONS)["Topk@3"]
    assert [each.name for each in preset.subscores if each.value is None] == ["one"]
    assert [each.oov for each in default.subscores] == [0, 1, 0, 0, 0, 3]


def test_signatures_say_that_small_categories_were_scored(world, path):
    found = score(world, read_testset(path), "Topk@3", PRESETS["gensim-evaluations"])["Topk@3"]
    assert "|oov:wrong|built:known|case:exact|vocabulary:all|small-categories:score|" in found.signature
    assert "small-categories" not in score(world, read_testset(path), "Topk@3")["Topk@3"].signature
    with pytest.raises(Exception, match=r"small_categories.*'keep'.*skip, score"):
        Settings(small_categories="keep")


class Word(str):
    """A word that can be added to a tuple, which the library does with words as they are."""

    __slots__ = ()

    def __radd__(self, others):
        return (*others, self)


class EachPair:
    """Stands in for `random`, and draws each pair equally often; the library itself runs as released."""

    def __init__(self):
        self._drawn = 0

    def getstate(self):
        return None

    def seed(self, _):
        pass

    setstate = seed

    def choices(self, subsets, k):
        return [subsets[number * len(subsets) // k] for number in range(k)]

    def choice(self, words):
        self._drawn += 1
        return Word(words[self._drawn % len(words)])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_the_library_gives_the_same_numbers_for_any_file(tmp_path, seed, k):
    """Case clashes, OOV words, categories that overlap, are small, empty or all OOV.

    Where the library itself gives no sensible number, as for a word or a category twice, both differ; see
    docs/from-gensim-evaluations.md.
    """
    methods = pytest.importorskip("gensim_evaluations.methods")
    from gensim.models import KeyedVectors

    generator = np.random.default_rng(seed)
    base = [f"w{row}" for row in range(14)]
    words = [*base, *(word.upper() for word in base[:6])]
    table = vectors(generator.normal(size=(len(words), 4)), words=words)
    model = KeyedVectors(4)
    model.add_vectors(words, table.matrix)
    names = [*words, *(f"unknown{number}" for number in range(5))]
    sizes = generator.integers(0, 7, size=3)
    lists = [[names[row] for row in generator.permutation(len(names))[:size]] for size in sizes]
    lists += [["w0", "W1", "w1", "W9", "w9"], [word for word in names if word.startswith("unknown")]]
    lines = [f":c{number}\n{' '.join(each)}\n" for number, each in enumerate(lists)]
    path, alone = tmp_path / "fuzzed.txt", tmp_path / "one.txt"
    path.write_text("".join(lines), encoding="utf-8")
    total, by_category, *_ = methods.Topk(str(path), model, k, allow_oov=True)
    texts = f"Topk@{k}", f"OddOneOut@{k}"
    topk_, odd = (score(table, read_testset(path), text, GENSIM_EVALUATIONS)[text] for text in texts)
    assert values(topk_) == pytest.approx(by_category, abs=1e-12)
    assert topk_.value == pytest.approx(total, abs=1e-12)

    by_category = {}
    for line, each in zip(lines, lists, strict=True):
        if len(each) >= k:
            alone.write_text(line, encoding="utf-8")
            pairs = math.comb(len(each), k) * len(set(words) - set(each))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(methods, "random", EachPair())
                by_category |= methods.OddOneOut(str(alone), model, k, pairs, allow_oov=True)[1]
    assert values(odd) == pytest.approx(by_category, abs=1e-12)
    assert odd.value == pytest.approx(np.mean(list(by_category.values())), abs=1e-12)


def values(found):
    """By category as the library names them."""
    return {f":{each.name}": each.value for each in found.subscores if each.value is not None}


@pytest.mark.slow
def test_the_page_has_the_numbers_of_today(tmp_path):
    pytest.importorskip("gensim_evaluations.methods")
    from tools.documents import same
    from tools.papers_library import COLUMNS, category_files, rows
    from tools.tables import shown

    table = shown(REPOSITORY / "docs" / "from-gensim-evaluations.md", "scores")
    vectors, paths = tmp_path / "en.vec", category_files(tmp_path)
    subprocess.run([sys.executable, REPOSITORY / "tools" / "train_demo.py", vectors], check=True)
    found = [[*COLUMNS], *rows(vectors, paths)]
    assert len(table) == len(found)
    assert all(same(*map(" ".join, pair), tolerance=0.02) for pair in zip(table, found, strict=True))
