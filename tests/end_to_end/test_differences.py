"""The smallest difference that a test set shows, as testgen tells it: what `evaluator plan` says of it."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

import evaluator
import testgen
from evaluator.measures import parse_measure
from evaluator.plugins.design import plan
from evaluator.plugins.design.power import scores_of
from evaluator.statistics.inference import LEAST_CATEGORIES
from testgen.generation.sizes import (
    DIFFERENCES,
    EVERYDAY_CATEGORIES,
    RELATED_WORDS,
    SCORE_PLANNED,
    FileSize,
)
from tools.build_differences import MEASURE, covered, smallest


def shown_by(*found):
    return FileSize(categories=len(found), sizes=found).difference


@pytest.mark.parametrize("words", [4, 100, 504])
def test_the_table_is_what_plan_says(words):
    row = next(line for line in DIFFERENCES.read_text().splitlines() if line.startswith(f"{words}\t"))
    count = -(-words // 100)
    assert float(row.partition("\t")[2]) == pytest.approx(
        smallest(covered([words // count] * count)), rel=1e-3
    )


def test_of_other_sizes_it_is_within_a_fiftieth():
    for found in ([4, 250, 12, 40], [37] * 6 + [300], [11], [13, 90, 55, 24, 7, 7, 1000]):
        assert shown_by(*found) == pytest.approx(smallest(covered(found)), rel=0.02)


def test_of_half_known_words_it_is_nearly_the_same():
    found = [20, 40, 60, 80, 100, 120]
    whole = covered(found)
    half = tuple(structs.replace(each, found=each.words // 2) for each in whole.parts)
    assert shown_by(*found) == pytest.approx(smallest(structs.replace(whole, parts=half)), rel=0.06)


def test_the_file_of_a_language_shows_it_as_the_program_says(tmp_path):
    """From the file itself, its coverage by a vocabulary of all its words, and the plan of the program."""
    request = testgen.TestSetRequest(["got"])
    testgen.generate(tmp_path, request)
    test_set = evaluator.read_testset(tmp_path / "got.json")
    words = list(dict.fromkeys(word for each in test_set.categories for word in each.words))
    model = evaluator.Vectors(words, np.ones((len(words), 2), np.float32), "words")
    (found,) = plan(scores_of(evaluator.coverage(model, test_set), SCORE_PLANNED, [MEASURE])).plans
    told = testgen.coverage(request).attrs["in_file"]["got"].difference
    assert told == pytest.approx(found.sizes[0].over_words, rel=0.02)


def test_too_few_words_show_nothing():
    assert FileSize().difference is None
    assert shown_by(3) is None
    assert shown_by(*[100] * 1000) == pytest.approx(shown_by(*[100] * 100)), "beyond the table, its last line"


def test_thresholds_are_those_of_evaluator():
    assert EVERYDAY_CATEGORIES == LEAST_CATEGORIES
    assert parse_measure("KeywordRank").least_choosing == RELATED_WORDS
