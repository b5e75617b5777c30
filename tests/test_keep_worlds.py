"""Models that know nothing are never the ones to keep; `python -m tools.keep_worlds` has more worlds."""

from __future__ import annotations

import pytest

from tools.keep_worlds import COMPANIES, answers

_MANY = 30  # of each company, which are some 200


@pytest.mark.parametrize(
    "company",
    [pytest.param(each, marks=[] if each in COMPANIES[:2] else pytest.mark.slow) for each in COMPANIES],
    ids=lambda company: company.name,
)
def test_the_answer_is_right_in_a_world_of_few_words(company):
    assert answers(company, 1, seed=7, others=300) == {"right": 1}


@pytest.mark.slow
@pytest.mark.parametrize("company", COMPANIES, ids=lambda company: company.name)
def test_the_answer_is_right_in_nearly_all_worlds(company):
    found = answers(company, _MANY, seed=1000)
    assert found["knows nothing"] == 0
    assert found["wrong"] <= 0.05 * _MANY
    assert found["right"] >= 0.9 * _MANY
