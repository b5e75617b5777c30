"""KeywordRank beside its definition, what it owes to each keyword, and what must not change it."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import ScoreError, Settings
from evaluator.datasets.testset import Item, RelatedWords, TestSet
from evaluator.measures.keywordrank import KeywordRank
from tests.evaluator import definitions
from tests.evaluator.examples import score, vectors

VALUES = ["MRR", "MAP"]
SEEDS = st.integers(0, 2**32 - 1)


def keywords(*groups, name="keywords"):
    items = tuple(Item(f"s{number}", tuple(words)) for number, words in enumerate(groups))
    return TestSet("en", "test.json", "0" * 64, groups=(RelatedWords(name, name, items),))


NAMES = [
    "dance",
    "dances",
    "dancer",
    "dancing",
    "dog",
    "dogs",
    "cat",
    "cats",
    "cattle",
    "w9",
    "x",
    "y",
    "yy",
    "yyy",
    "yyyy",
    "sun",
    "sunny",
    "sunnier",
]
"""Some are spelled alike."""
UNLIKE = [chr(0x4E00 + number) for number in range(1000)]


def world(seed, words=14, groups=9, integers=False):
    """Vectors and groups, of which some words are not known and some known words have no related one."""
    generator = np.random.default_rng(seed)
    shape = words, 3
    matrix = generator.integers(-1, 2, shape) + 0.0 if integers else generator.normal(size=shape)
    names = NAMES[: words + 3]
    sizes = generator.integers(1, 5, groups)
    return matrix, [generator.choice(names, size, replace=False).tolist() for size in sizes]


def scored(matrix, groups, value="MRR", words=None, **settings):
    found = score(
        vectors(matrix, words or (NAMES if len(matrix) <= len(NAMES) else UNLIKE)[: len(matrix)]),
        keywords(*groups),
        [KeywordRank(value)],
        Settings(**settings),
    )
    return found[str(KeywordRank(value))]


def named(matrix):
    return {NAMES[row]: np.float32(vector) for row, vector in enumerate(matrix)}


def by_definition(matrix, groups, value):
    return definitions.keyword_rank(named(matrix), groups, value)


@pytest.mark.parametrize("value", VALUES)
@given(SEEDS, st.booleans())
def test_it_is_its_definition(value, seed, integers):
    """Vectors of small whole numbers have ties, copies of each other, and no direction."""
    matrix, groups = world(seed, integers=integers)
    expected = by_definition(matrix, groups, value)
    if expected is not None:
        assert scored(matrix, groups, value).value == pytest.approx(max(expected, -1), abs=1e-9)


@given(SEEDS, st.booleans(), st.booleans())
def test_single_precision_changes_no_rank(seed, integers, close):
    """Zeros change no cosine, but of 64 dimensions on most are compared in single precision."""
    matrix, groups = world(seed, integers=integers)
    if close:  # vectors that single precision can hardly tell apart
        matrix = matrix[np.arange(len(matrix)) % 4] + matrix * 1e-6
    found = []
    for each in (matrix, np.pad(matrix, ((0, 0), (0, 64)))):
        try:
            one = scored(each, groups)
        except ScoreError:  # all known words are related, or none
            return
        found.append((one.value, one.subscores[0].observations.decided_by))
    assert found[0] == found[1]


@pytest.mark.parametrize("value", VALUES)
@given(SEEDS, st.booleans())
def test_what_it_owes_to_a_keyword_is_how_far_this_is_from_the_mean(value, seed, integers):
    """The nearest related word decides this as well; what is not asked has no part."""
    matrix, groups = world(seed, integers=integers)
    whole = by_definition(matrix, groups, value)
    if whole is None or whole < -1:
        return
    (found,) = scored(matrix, groups, value).subscores
    expected = definitions.keywords(named(matrix), groups, value)
    best = sum(1 - chance for _, chance, _ in expected.values())
    for word, own in found.observations.influences.items():
        reached, chance, _ = expected.get(word, (0.0, 0.0, ()))
        away = reached - chance - whole * (1 - chance) if word in expected else 0.0
        assert own == pytest.approx(away / best, abs=1e-9)
    decided_by = found.observations.decided_by
    assert decided_by.keys() == expected.keys()
    for word, (nearest,) in decided_by.items():
        assert nearest in expected[word][2]


@pytest.mark.parametrize("value", VALUES)
def test_chance_is_the_mean_over_all_orders(value):
    for others, related in itertools.combinations(range(1, 8), 2):
        m, n = others, related  # so many of n others are related
        orders = list(itertools.combinations(range(1, n + 1), m))
        if value == "MRR":
            expected = sum(Fraction(1, ranks[0]) for ranks in orders) / len(orders)
        else:
            expected = sum(
                sum(Fraction(k, rank) for k, rank in enumerate(ranks, 1)) / m for ranks in orders
            ) / len(orders)
        found = KeywordRank(value).chance(np.array([m, 0]), np.array([n, n]))
        assert found.tolist() == [pytest.approx(float(expected)), 0.0]


@pytest.mark.parametrize("value", VALUES)
def test_a_model_that_knows_nothing_is_at_chance_and_a_perfect_one_at_one(value):
    generator = np.random.default_rng(3)
    groups = [UNLIKE[start : start + 4] for start in range(0, 400, 4)]
    nothing = scored(generator.normal(size=(400, 20)), groups, value)
    assert nothing.low < 0 < nothing.high
    assert nothing.chance == 0
    centres = np.repeat(np.eye(100), 4, axis=0)
    assert scored(centres + generator.normal(size=(400, 100)) / 1000, groups, value).value == 1


@pytest.mark.parametrize("value", VALUES)
@given(SEEDS)
def test_what_changes_nothing(value, seed):
    """Rotation; a scale of each word; the order of words and groups; words that nobody asks."""
    matrix, groups = world(seed)
    generator = np.random.default_rng(seed)
    if by_definition(matrix, groups, value) is None:
        return
    first = scored(matrix, groups, value)
    rotation = np.linalg.qr(generator.normal(size=(3, 3)))[0]
    assert scored(matrix @ rotation, groups, value).value == pytest.approx(first.value, abs=1e-9)
    scales = generator.uniform(1, 9, (len(matrix), 1))
    assert scored(matrix * scales, groups, value).value == pytest.approx(first.value, abs=1e-9)
    order = generator.permutation(len(matrix))
    shuffled = [list(generator.permutation(each)) for each in reversed(groups)]
    names = [NAMES[row] for row in order]
    assert scored(matrix[order], shuffled, value, names).value == pytest.approx(first.value, abs=1e-12)
    more = np.vstack((matrix, generator.normal(size=(30, 3))))
    names = [*(NAMES[row] for row in range(len(matrix))), *(f"x{row}" for row in range(30))]
    assert scored(more, groups, value, names).value == first.value


def test_unknown_words_are_left_out_whatever_is_said_of_them():
    matrix, groups = world(1)
    one, other = (scored(matrix, groups, oov=oov) for oov in ("wrong", "skip"))
    assert one.value == other.value
    assert one.words == "known"
    assert one.of_known is None
    (found,) = one.subscores
    assert (found.size - found.oov, found.size) == (found.known, len({w for each in groups for w in each}))


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        ([["alpha", "x"], ["beta", "y"]], "of its 4 words 2 are known, 3 needed"),
        ([["alpha", "x"], ["beta", "y"], ["gamma", "z"]], "of its 3 known words none has a related word"),
        ([["gamma", "gammas"], ["alpha"]], "of its 3 known words none has a related word"),
        ([["alpha", "beta", "gamma"]], "all known words are related"),
    ],
)
def test_what_cannot_be_scored_is_said(groups, reason):
    with pytest.raises(ScoreError, match=reason):
        scored(np.eye(4), groups, words=["alpha", "beta", "gamma", "gammas"])


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(("related", "others"), [(1, 1), (1, 6), (2, 5), (4, 7), (6, 6)])
def test_chance_in_the_definition_is_the_mean_over_all_places(related, others, value):
    every = itertools.combinations(range(1, others + 1), related)
    precisions = np.array([[k / rank for k, rank in enumerate(ranks, 1)] for ranks in every])
    expected = precisions[:, 0].mean() if value == "MRR" else precisions.mean()
    assert definitions._mean_over_orders(related, others, value) == pytest.approx(expected)
