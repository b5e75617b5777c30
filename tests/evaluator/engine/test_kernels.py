"""Exact counts: every order of OddOneOut, ties, drawn subsets, and any number of threads."""

from __future__ import annotations

import math
import os
import platform
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from evaluator import Settings, frequency_baseline
from evaluator.engine import kernels
from evaluator.engine.similarities import BLOCK
from evaluator.execution.machine import Machine
from evaluator.measures import oddoneout
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from tests.evaluator import definitions
from tests.evaluator.examples import score, test_set, vectors
from tests.spread import spread


def world(rows=700, dimension=6, seed=0):
    generator = np.random.default_rng(seed)
    matrix = generator.normal(size=(rows, dimension)).astype(np.float32)
    matrix[::25] += 2
    return matrix, [f"w{row}" for row in range(0, rows, 25)][:9]


@pytest.mark.parametrize(("k", "norm"), spread(product([2, 3, 4, 5], ["unit", "none"]), 3))
def test_every_order_is_its_definition(k, norm):
    matrix, _ = world(40, seed=k)
    matrix[1] = matrix[0]  # a word that is another one
    category = [f"w{row}" for row in range(0, 18, 2)]
    words = [f"w{row}" for row in range(40)]
    (found,) = score(vectors(matrix), test_set(c=category), [OddOneOut(k)], Settings(norm=norm))[
        f"OddOneOut@{k}"
    ].subscores
    assert (found.hits, found.trials) == definitions.odd_one_out(category, words, matrix, k, norm=norm)


@pytest.mark.parametrize(
    ("k", "count"),
    [
        (2, kernels.count_odd_pairs_by_word),
        (3, kernels.count_odd_triples_by_word),
        (4, kernels.count_odd_quadruples_by_word),
    ],
)
@pytest.mark.parametrize("n", [8, 9, 10, 11])
def test_counts_of_a_whole_block_fit(k, count, n):
    """Where every word is odd beside every subset; the loops keep two counts in one number."""
    hits = np.zeros(n, dtype=np.int64)
    similar, gram = np.full((n, BLOCK), -1, dtype=np.float32), np.ones((n, n), dtype=np.float32)
    count(similar, gram, np.float32(0), hits)
    assert (hits == math.comb(n - 1, k - 1) * BLOCK).all()


@pytest.mark.parametrize("method", [0, 1, 2])
def test_the_best_answers_of_blocks_are_those_of_the_whole_vocabulary(method):
    """As many as are kept, the best first; of equal ones, that of the lower row."""
    random = np.random.default_rng(method)
    of_b, of_a, of_c = random.normal(size=(3, 5, 90)).astype(np.float32)
    of_b[:, 40:] = of_b[:, :50]
    of_a[:, 40:] = of_a[:, :50]
    of_c[:, 40:] = of_c[:, :50]
    questions = random.integers(5, size=(20, 3))
    bases = random.normal(size=20).astype(np.float32)
    values, words = np.full((20, 4), -np.inf, dtype=np.float32), np.full((20, 4), -1)
    for start, end in ((0, 30), (30, 31), (31, 90)):
        block = [np.ascontiguousarray(each[:, start:end]) for each in (of_b, of_a, of_c)]
        kernels.keep_best_answers(method, *block, questions, bases, start, values, words)
    for (a, b, c), base, found, best in zip(questions, bases, values, words, strict=True):
        answers = [
            of_b[b] - of_a[a] + of_c[c], of_b[b] * of_c[c] * of_a[a], (of_b[b] - of_a[a] - base) * of_c[c]
        ][method]  # fmt: skip
        expected = np.argsort(-answers, kind="stable")[:4]
        assert best.tolist() == expected.tolist()
        assert found.tolist() == pytest.approx(answers[expected].tolist(), rel=1e-5)


def test_the_number_of_threads_changes_nothing():
    matrix, category = world(3000)
    sets = test_set(a=category, b=[f"w{row}" for row in range(1, 3000, 111)])
    measures = ["Topk@7", "OddOneOut@2", "OddOneOut@3", "OddOneOut@4", "OddOneOut(samples=500)@3"]
    one, two, many = (
        score(vectors(matrix), sets, measures, machine=Machine(threads=threads)).record()
        for threads in (1, 2, 7)
    )
    assert one == two == many


def test_order_of_words_changes_nothing():
    matrix, category = world(900)
    there, back = (
        score(vectors(matrix), test_set(c=words))["OddOneOut@3"].subscores[0].hits
        for words in (category, category[::-1])
    )
    assert there == back


def test_many_equal_words_are_told_apart_by_frequency():
    """More neighbours tie for the last place than are kept: all of them have to be looked at again."""
    matrix = np.tile(np.array([[1.0, 0.0]]), (400, 1))
    matrix[300:] = [0.0, 1.0]
    (found,) = score(vectors(matrix), test_set(c=["w0", "w1", "w2", "w299"]), ["Topk@3"])["Topk@3"].subscores
    # The three nearest of w0 are w1, w2, w3; of w1 w0, w2, w3; of w2 w0, w1, w3; of w299 w0, w1, w2.
    assert found.hits == 2 + 2 + 2 + 3


def test_vectors_too_long_and_too_short_for_single_precision():
    matrix, category = world(300)
    scores = [score(vectors(matrix * factor), test_set(c=category)) for factor in (1, 1e-30, 1e30)]
    values = [[each.value for each in found.measured] for found in scores]
    assert values[0] == pytest.approx(values[1], abs=1e-3)
    assert values[0] == pytest.approx(values[2], abs=1e-3)


def test_one_dimension():
    matrix = np.array([[1.0], [2.0], [3.0], [-1.0], [-5.0]])
    (found,) = score(vectors(matrix), test_set(c=["w0", "w1", "w2"]), ["OddOneOut@3"])[
        "OddOneOut@3"
    ].subscores
    assert (found.hits, found.trials) == (2, 2)


@pytest.fixture
def few_subsets(monkeypatch):
    monkeypatch.setattr(oddoneout, "MOST_SUBSETS", 50)
    monkeypatch.setattr(oddoneout, "DRAWN_SUBSETS", 60)


def exact(matrix, category, k=3):
    (found,) = score(vectors(matrix), test_set(c=category), [OddOneOut(k)])[f"OddOneOut@{k}"].subscores
    return found


def test_too_many_subsets_are_drawn_and_the_error_says_how_sure_the_score_is(few_subsets):
    matrix, category = world(300)
    category = [*category, "unknown"]
    drawn = [
        score(vectors(matrix), test_set(c=category), ["OddOneOut@3"], Settings(seed=seed))["OddOneOut@3"]
        for seed in range(30)
    ]
    found = [each.subscores[0] for each in drawn]
    assert all(each.trials == 60 * (300 - 9) and 0 < each.error < 0.5 / math.sqrt(60) for each in found)
    hits, trials = definitions.odd_one_out(category, [f"w{row}" for row in range(300)], matrix, 3)
    values = np.array([each.value for each in found])
    assert abs(values.mean() - hits / trials) < 4 * found[0].error / math.sqrt(30)
    assert drawn[0].subscores[0].error == found[0].error


def test_few_subsets_are_all_counted():
    matrix, category = world()
    assert exact(matrix, category).error is None


def test_few_subsets_of_known_words_are_all_counted_however_many_words_have_no_vector():
    """A long category in a small corpus: C(5009, 3) subsets, of which C(9, 3) can hit."""
    matrix, category = world()
    found = exact(matrix, [*category, *(f"unknown{i}" for i in range(5000))])
    assert math.comb(5009, 3) > oddoneout.MOST_SUBSETS
    assert found.error is None
    assert found.hits == exact(matrix, category).hits
    assert found.trials == math.comb(5009, 3) * (700 - 9)


def test_what_the_work_takes_is_told_before():
    matrix, category = world()
    told = []
    score(vectors(matrix), test_set(c=category), [Topk(3), OddOneOut(3)], announce=told.append)
    assert told == [9 * 700 + math.comb(9, 3) * 700]


@pytest.mark.slow
@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="numba cannot compile for Intel's processors here"
)
def test_intels_processors_count_with_vectors_of_512_bits(tmp_path):
    """Compiled, and not run: LLVM itself prefers 256 bits for this processor."""
    program = """
import numba
from evaluator.engine.kernels import count_odd_triples_by_word as kernel
floats, ints = numba.float32[:, ::1], numba.int64[::1]
kernel.compile((floats, floats, numba.float32, ints))
assert "zmm" in "".join(kernel.inspect_asm().values())
"""
    names = {"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env={**os.environ, **names}, check=True)


def test_parallel_vectors_are_told_apart_by_frequency():
    """Vectors of one direction and other lengths: single precision finds their cosines a little different."""
    generator = np.random.default_rng(0)
    matrix = generator.uniform(0.1, 10, size=(3000, 1)) * generator.normal(size=(1, 50))
    (found,) = score(vectors(matrix), test_set(c=[f"w{row}" for row in range(5)]), ["Topk@3"])[
        "Topk@3"
    ].subscores
    assert found.hits == 15


@pytest.mark.parametrize(("k", "norm"), spread(product([2, 3, 4, 5], ["unit", "none"]), 3))
def test_frequency_by_rank_is_its_definition(k, norm):
    """Words in any case, some of them unknown; ranks are those of the file, of which a row is left out."""
    words = [f"{'W' if row % 7 == 0 else 'w'}{row if row != 20 else 19}" for row in range(90)]
    words[20] = words[19].upper()  # left out, as it is the same word in another case
    model = vectors(np.random.default_rng(k).normal(size=(90, 4)), words)
    angles = np.pi / 2 * np.log1p(np.arange(90)) / np.log1p(90)
    kept = [row for row in range(90) if row != 20]
    circle = np.column_stack((np.cos(angles), np.sin(angles)))[kept]
    category = [f"w{row}" for row in (0, 3, 21, 22, 40, 41, 80, 89)] + ["none"]
    names = [words[row].lower() for row in kept]
    settings = Settings(norm=norm, case="fold")
    scores = score(model, test_set(c=category), ["Topk@2", OddOneOut(k)], settings, context=True)
    topk, odd = (scores[each].subscores[0] for each in ("Topk@2", f"OddOneOut@{k}"))
    hits, trials = definitions.topk(category, names, circle, 2)
    assert topk.baseline == pytest.approx(hits / trials, abs=1e-12)
    hits, trials = definitions.odd_one_out(category, names, circle, k)
    rarest, _ = definitions.rarest_odd_one_out(category, names, k)
    assert odd.baseline == pytest.approx(max(hits, rarest) / trials, abs=1e-12)
    assert hits > 0


@pytest.mark.parametrize("most", [oddoneout.MOST_SUBSETS, 10])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_who_takes_the_rarest_word_for_the_odd_one_is_a_baseline(k, most, monkeypatch):
    """Of frequent words; what is counted by word is counted by subset, too."""
    monkeypatch.setattr(oddoneout, "MOST_SUBSETS", most)
    monkeypatch.setattr(oddoneout, "DRAWN_SUBSETS", 15)
    rows = [0, 2, 3, 7, 11, 40, 90]
    category = [f"w{row}" for row in rows]
    model = vectors(np.random.default_rng(k).normal(size=(100, 4)))
    (found,) = score(model, test_set(c=category), [OddOneOut(k)], context=True)[f"OddOneOut@{k}"].subscores
    hits, trials = definitions.rarest_odd_one_out(category, [f"w{row}" for row in range(100)], k)
    assert found.baseline == pytest.approx(hits / trials, abs=1e-12 if most > 10 else 0.1)


@pytest.mark.parametrize(
    ("level", "unknown", "expected"),
    [
        (0, 0, {"equal": ("near",), "halved": ("near",)}),
        (3, 0, {"equal": ("near",), "halved": ("rare",)}),
        (0, 6, {"equal": ("rare", "near"), "halved": ("rare", "near")}),
    ],
)
def test_which_frequency_baseline_is_higher_depends_on_weights_and_known_words(level, unknown, expected):
    """One category is won by nearness in rank, the other by the rarest word."""
    words = [f"w{row}" for row in range(100)]
    categories = {
        "near": words[60:66] + [f"unknown{each}" for each in range(unknown)],
        "rare": [words[row] for row in (0, 2, 3, 7, 40)],
    }
    made = test_set(**categories)
    leveled = [replace(each, level=level * (each.name == "near")) for each in made.categories]
    angles = np.pi / 2 * np.log1p(np.arange(100)) / np.log1p(100)
    circle = np.column_stack((np.cos(angles), np.sin(angles)))
    model, measure = vectors(np.random.default_rng(0).normal(size=(100, 4))), OddOneOut(3)
    for how, names in expected.items():
        found = score(model, replace(made, categories=leveled), [measure], Settings(levels=how), context=True)
        weights = [2.0 ** -(level * (how == "halved")), 1]
        odd = found[str(measure)]
        for name, oov in zip(names, ("wrong", "skip"), strict=False):
            by = {
                "near": lambda each, oov: definitions.odd_one_out(each, words, circle, 3, oov),
                "rare": lambda each, oov: definitions.rarest_odd_one_out(each, words, 3, oov),
            }
            shares = {
                how: [np.divide(*of(each, oov)) for each in categories.values()] for how, of in by.items()
            }
            means = {how: np.average(each, weights=weights) for how, each in shares.items()}
            assert max(means, key=means.get) == name
            baseline = (odd if oov == "wrong" else odd.of_known).baseline
            assert baseline == pytest.approx(means[name], abs=1e-12)


def test_frequency_by_rank_is_a_pass_over_the_baseline(monkeypatch):
    """Also where means of words, which are between ranks, are asked, and subsets are drawn."""
    monkeypatch.setattr(oddoneout._Counter, "rarest", lambda self, _: self.begin())
    matrix, category = world(3000)
    category += ["w7 w9", "w2000 w2001", "absent"]
    model, settings = vectors(matrix), Settings(multiword="mean")
    for most in (oddoneout.MOST_SUBSETS, 10):
        monkeypatch.setattr(oddoneout, "MOST_SUBSETS", most)
        monkeypatch.setattr(oddoneout, "DRAWN_SUBSETS", 15)
        lists = test_set(c=category, d=category[::2])
        by_rank = score(model, lists, ["Topk@3", "OddOneOut@3"], settings, context=True)
        whole = score(frequency_baseline(model), lists, ["Topk@3", "OddOneOut@3"], settings)
        for each in ("Topk@3", "OddOneOut@3"):
            levels = [part.baseline for part in by_rank[each].subscores]
            expected = [part.value for part in whole[each].subscores]
            assert levels == pytest.approx(expected, abs=0 if each == "Topk@3" else 2e-4)
        assert by_rank["OddOneOut@3"].baseline > 0


def test_sums_of_compiled_loops_stay_in_32_bits():
    """Numba makes a sum of 64 bits of `odd += np.int32(…)`, and the loop takes half as long again."""
    source = Path(kernels.__file__).read_text()
    assert not re.search(r"^\s*\w+ \+= np\.int", source, flags=re.MULTILINE)
