"""Relation vectors beside their definition."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from evaluator import ScoreError, Settings, Vectors
from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.plugins.papers.relations import relations
from evaluator.plugins.papers.sections import relations_section

WORDS = ["rex", "regina", "vir", "femina", "urbs", "urbes", "via", "viae"]
SECTIONS = (
    AnalogySection("sex", "sex", (("rex", ("regina",)), ("vir", ("femina",)), ("taurus", ("vacca",)))),
    AnalogySection("number", "number", (("urbs", ("urbes",)), ("via", ("viae",)))),
    AnalogySection("short", "short", (("rex", ("vir",)),)),
)
TEST_SET = TestSet("la", "analogies", "0" * 64, analogies=SECTIONS)


def cosine(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


@pytest.mark.parametrize("seed", range(4))
def test_cosines_are_means_over_pairs_of_pairs(seed):
    matrix = np.random.default_rng(seed).normal(size=(len(WORDS), 5))
    found = relations(Vectors(WORDS, matrix.astype(np.float32), "model"), TEST_SET, Settings())
    unit = {word: row / np.linalg.norm(row) for word, row in zip(WORDS, matrix, strict=True)}
    points = {
        each.name: [unit[b] - unit[a] for a, (b,) in each.pairs if a in unit and b in unit]
        for each in SECTIONS[:2]
    }
    assert [(each.section, each.pairs, each.known) for each in found.groups] == [
        ("sex", 3, 2),
        ("number", 2, 2),
    ]
    for each in found.groups:
        own = points[each.section]
        other = points["number" if each.section == "sex" else "sex"]
        assert each.within == pytest.approx(np.mean([cosine(*two) for two in combinations(own, 2)]), abs=1e-6)
        assert each.others == pytest.approx(np.mean([cosine(*two) for two in product(own, other)]), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_plane_is_that_of_the_largest_variance(seed):
    matrix = np.random.default_rng(seed).normal(size=(len(WORDS), 5))
    found = relations(Vectors(WORDS, matrix.astype(np.float32), "model"), TEST_SET, Settings())
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    points = unit[1::2] - unit[::2]
    eigenvalues = np.linalg.eigvalsh(np.cov(points.T))[::-1]
    assert found.explained == pytest.approx(eigenvalues[:2] / eigenvalues.sum(), abs=1e-6)
    places = np.array([(each.x, each.y) for each in found.relations])
    assert places.var(axis=0, ddof=1) == pytest.approx(eigenvalues[:2], abs=1e-6)


def test_relations_of_one_offset_lie_in_one_point():
    matrix = np.zeros((8, 4), np.float32)
    matrix[[0, 2], 0] = matrix[[4, 6], 1] = 1
    matrix[[1, 3], 2] = matrix[[5, 7], 3] = 1
    found = relations(Vectors(WORDS, matrix, "model"), TEST_SET, Settings())
    assert [each.within for each in found.groups] == pytest.approx([1, 1])
    assert found.explained == pytest.approx((1, 0), abs=1e-9)


def test_without_two_known_pairs_it_is_refused():
    with pytest.raises(ScoreError, match=r"no relation has 2 pairs .* it has 3 relations"):
        relations(Vectors(["rex"], np.ones((1, 2), np.float32), "model"), TEST_SET, Settings())


def test_the_section_has_a_row_for_each_relation():
    matrix = np.random.default_rng(1).normal(size=(len(WORDS), 5)).astype(np.float32)
    section = relations_section(relations(Vectors(WORDS, matrix, "model"), TEST_SET, Settings()))
    table = next(block for block in section.blocks if hasattr(block, "rows"))
    assert len(table.rows) == 2
