"""PairRank beside its definition, without each word, and what must not change it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import ScoreError
from evaluator.datasets.testset import AnalogySection, TestSet
from evaluator.measures.pairrank import PairRank
from tests.evaluator import definitions
from tests.evaluator.examples import score, vectors

MEASURES = [PairRank(c, d) for c in ("range", "vocabulary") for d in ("forward", "both")]
SEEDS = st.integers(0, 2**32 - 1)


def relations(**pairs):
    sections = tuple(
        AnalogySection(name, name, tuple((a, (b,)) for a, b in own)) for name, own in pairs.items()
    )
    return TestSet("en", "test.json", "0" * 64, analogies=sections)


def world(seed, words=16, integers=False):
    """Vectors, and two relations with words in both roles, several partners, and unknown words."""
    generator = np.random.default_rng(seed)
    shape = words, 3
    matrix = generator.integers(-1, 2, shape) + 0.0 if integers else generator.normal(size=shape)
    names = [f"w{number}" for number in range(words + 2)]
    pairs = {
        name: [(str(generator.choice(names)), str(generator.choice(names[:7]))) for _ in range(14)]
        for name in ("r", "s")
    }
    return matrix, pairs


def named(matrix):
    return {f"w{row}": np.float32(each) for row, each in enumerate(matrix)}


def scored(matrix, pairs, measure, words=None):
    return score(vectors(matrix, words), relations(**pairs), [measure])[str(measure)]


def expected(matrix, pairs, measure, without=None):
    vectors = {word: each for word, each in named(matrix).items() if word != without}
    return definitions.pair_rank(
        vectors, pairs, measure.candidates == "vocabulary", measure.direction == "both"
    )


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@given(SEEDS, st.booleans())
def test_it_is_its_definition(measure, seed, integers):
    """Vectors of small whole numbers have ties, copies of each other, and no direction."""
    matrix, pairs = world(seed, integers=integers)
    value = expected(matrix, pairs, measure)
    if value is None:
        return
    found = scored(matrix, pairs, measure)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert found.chance == 0


def test_each_relation_has_a_lowest_value_of_its_own():
    """All candidates of two words but the nearest are their partners; in another relation all is right."""
    angles = np.linspace(0, 2, 13)
    matrix = np.column_stack((np.cos(angles), np.sin(angles)))
    words = [f"w{number}" for number in range(1, 12)]
    pairs = {
        "r": [*(("w0", word) for word in words[1:]), *(("w12", word) for word in words[:-1])],
        "s": list(itertools.pairwise(words)),
    }
    found = scored(matrix, pairs, PairRank())
    assert found.subscores[0].value == pytest.approx(-1)
    assert found.value == pytest.approx(expected(matrix, pairs, PairRank()), abs=1e-6)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@given(SEEDS)
def test_what_it_owes_to_a_word_is_what_changes_without_it(measure, seed):
    """But for one factor, which makes the variance that of pairs that share words."""
    matrix, pairs = world(seed)
    del pairs["s"]
    if expected(matrix, pairs, measure) is None:
        return
    (found,) = scored(matrix, pairs, measure).subscores
    own = found.observations.influences
    n = len(own)
    known = [(a, b) for a, b in pairs["r"] if {a, b} <= named(matrix).keys() and a != b]
    ranges = [{b for _, b in known}, {a for a, _ in known}]
    without = {
        word: definitions.scaled_pair_rank(
            [
                definitions.pair_parts(
                    {other: each for other, each in named(matrix).items() if other != word},
                    known,
                    vocabulary=measure.candidates == "vocabulary",
                    both=measure.direction == "both",
                    range_of=ranges,
                )
            ]
        )
        for word in own
    }
    changes = np.array([found.value if without[word] is None else without[word] for word in own])
    expected_here = (changes.mean() - changes) * np.sqrt((n - 1) / n)
    influences = np.array(list(own.values()))
    scale = (influences @ expected_here) / max(expected_here @ expected_here, 1e-12)
    assert influences == pytest.approx(scale * expected_here, abs=1e-6)
    assert scale <= 1 + 1e-6


def test_pairs_without_common_words_vary_one_by_one():
    """A word and its partner are left out together: each pair counts once, and not twice."""
    generator = np.random.default_rng(2)
    pairs = [(f"w{number}", f"w{number + 40}") for number in range(40)]
    points = generator.normal(size=(40, 10))
    found = scored(np.vstack((points, points + generator.normal(size=(40, 10)))), {"r": pairs}, PairRank())
    (own,) = found.subscores
    variance = sum(each**2 for each in own.observations.influences.values())
    assert 0 < variance < 0.25 / 40


def test_chance_is_the_mean_over_all_ranks():
    """All orders of the candidates of one word, by which the others are asked, too, in the same way."""
    candidates = 5
    pairs = [(f"a{number}", f"b{number % candidates}") for number in range(10)]
    generator, values = np.random.default_rng(0), []
    for _ in range(300):
        matrix = generator.normal(size=(10 + candidates, 6))
        words = [f"a{number}" for number in range(10)] + [f"b{number}" for number in range(candidates)]
        values.append(scored(matrix, {"r": pairs}, PairRank(), words).value)
    assert abs(np.mean(values)) < 4 * np.std(values) / math.sqrt(300)
    mean = np.mean([math.log(rank) for rank in range(1, candidates + 1)])
    assert mean == pytest.approx(math.log(math.factorial(candidates)) / candidates)


def test_a_perfect_model_is_at_one():
    pairs = [(f"a{number}", f"b{number % 5}") for number in range(20)]
    matrix = np.vstack([np.eye(5)[number % 5] for number in range(20)] + [np.eye(5)])
    words = [f"a{number}" for number in range(20)] + [f"b{number}" for number in range(5)]
    assert scored(matrix, {"r": pairs}, PairRank(), words).value == 1


@given(SEEDS)
def test_what_changes_nothing(seed):
    """Rotation, a scale of each word, the order of pairs and words; words that no pair has."""
    matrix, pairs = world(seed)
    generator = np.random.default_rng(seed)
    if expected(matrix, pairs, PairRank()) is None:
        return
    first = scored(matrix, pairs, PairRank()).value
    changed = matrix @ np.linalg.qr(generator.normal(size=(3, 3)))[0] * generator.uniform(1, 9, (16, 1))
    order = generator.permutation(16)
    shuffled = {name: [own[each] for each in generator.permutation(14)] for name, own in pairs.items()}
    more = np.vstack((changed[order], generator.normal(size=(20, 3))))
    names = [*(f"w{row}" for row in order), *(f"x{row}" for row in range(20))]
    assert scored(more, shuffled, PairRank(), names).value == pytest.approx(first, abs=1e-9)


def test_relations_with_too_few_known_pairs_are_left_out_and_said():
    few = [(f"w{number}", f"w{number + 8}") for number in range(7)]
    same = [(f"w{number}", f"w{number % 3 + 12}") for number in range(12)]
    with pytest.raises(ScoreError, match=r"7 of 7 pairs with both words known, 8 needed.*3 different second"):
        scored(np.random.default_rng(0).normal(size=(16, 3)), {"few": few, "same": same}, PairRank())


def test_a_relation_of_all_with_all_has_no_rank_and_no_score():
    everything = [(f"w{one}", f"w{other}") for one in range(3) for other in range(3, 7)]
    matrix = np.random.default_rng(0).standard_normal((7, 3))
    with pytest.raises(ScoreError, match=r"PairRank can score nothing of it .*all candidates are partners"):
        scored(matrix, {"r": everything}, PairRank())


def test_both_directions_of_pairs_are_told_apart():
    """First words that have a partner each, and second words that many share."""
    matrix, pairs = world(4)
    values = {
        direction: scored(matrix, pairs, PairRank(direction=direction)).value
        for direction in ("forward", "both")
    }
    assert values["forward"] != values["both"]


def test_all_measures_of_pairs_have_names():
    assert [str(each) for each in MEASURES] == [
        "PairRank",
        "PairRank(direction=both)",
        "PairRank(candidates=vocabulary)",
        "PairRank(candidates=vocabulary,direction=both)",
    ]
