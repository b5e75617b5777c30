"""The variance of values that share what decides them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.measures import parse_measure
from evaluator.measures.base import Subscore
from evaluator.statistics.inference import difference, of_dependent, of_independent, variation

SEEDS = st.integers(0, 2**32 - 1)


def world(seed, number=9, others=5):
    """What a value owes to observations, and the others that decide each of these."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=number)
    single = {f"k{each}": float(value) for each, value in enumerate(values - values.mean())}
    names = [*single, *(f"o{each}" for each in range(others))]
    chosen = generator.choice(len(names), (number, 2))
    return single, {
        name: tuple(names[each] for each in own) for name, own in zip(single, chosen, strict=True)
    }


@given(SEEDS)
def test_it_is_its_definition(seed):
    single, decided_by = world(seed)
    deciding = {name: {name, *others} for name, others in decided_by.items()}
    together = [pair for pair in itertools.product(single, repeat=2) if deciding[pair[0]] & deciding[pair[1]]]
    number = max(len(single) ** 2 / len(together), 2)
    squares = max(
        sum(single[k] * single[other] for k, other in together), sum(v * v for v in single.values())
    )
    found = of_dependent(single, decided_by)
    assert found.variance == pytest.approx(squares * number / (number - 1))
    assert 1 <= found.degrees <= number - 1 + 1e-9


@given(SEEDS)
def test_observations_that_nothing_else_decides_are_independent(seed):
    """Their variance has the factor n/(n-1) then, which is in influences otherwise."""
    single, _ = world(seed)
    n = len(single)
    squares = sum(value * value for value in single.values())
    expected = of_independent(single, squares, n - 1)
    found = of_dependent(single, {name: (name,) for name in single})
    assert found.variance == pytest.approx(expected.variance * n / (n - 1))
    assert found.degrees == pytest.approx(expected.degrees)


@given(SEEDS)
def test_two_models_of_the_same_values_do_not_differ(seed):
    single, decided_by = world(seed)
    _, others = world(seed + 1)

    def part(value, by):
        found = Subscore.of("k", 9, 0, value, [*single], [*single.values()], decided_by=by)
        return [found]

    measure = parse_measure("KeywordRank")
    same = difference(measure, part(0.2, decided_by), part(0.2, others))
    assert (same.value, same.of_words.p, same.of_words.error) == (0.0, 1.0, 1 / 9)
    apart = difference(measure, part(0.2, decided_by), part(0.4, decided_by)).of_words
    assert apart.error == 1 / 9, "all keywords changed by as much"
    found = variation(measure, part(0.2, others)).decided_by
    assert {name: {*own} for name, own in found.items()} == {name: {*own} for name, own in others.items()}
