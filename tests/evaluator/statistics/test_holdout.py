"""The two halves of a test set share nothing, and are equally large."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.datasets.testset import Category, Item, TestSet
from evaluator.statistics.holdout import split_in_halves
from evaluator.text.normalization import unchanged
from tests.evaluator.examples import vectors

WORDS = st.lists(st.sampled_from([f"w{i}" for i in range(12)] + ["W1", "W2"]), min_size=1, max_size=3)
ITEMS = st.dictionaries(st.sampled_from([f"Q{i}" for i in range(14)]), WORDS, max_size=10)
CATEGORIES = st.dictionaries(st.sampled_from("abc"), ITEMS, min_size=1)
SEEDS = st.integers(0, 5)


def made(categories):
    """A test set from the words of items by category."""
    return TestSet(
        "en",
        "test.json",
        "0" * 64,
        tuple(
            Category(
                name, name, tuple(Item(id_, tuple(dict.fromkeys(words))) for id_, words in items.items())
            )
            for name, items in categories.items()
        ),
    )


def plain(number, names="ab"):
    """Categories of items that have nothing in common."""
    return made({name: {f"{name}{i}": [f"{name}{i}"] for i in range(number)} for name in names})


def items(half):
    return {item.id for category in half.test_set.categories for item in category.items}


def words(half, normalize=unchanged):
    return {normalize(word) for category in half.test_set.categories for word in category.words}


@given(CATEGORIES, SEEDS, st.sampled_from([unchanged, str.lower]))
def test_no_item_and_no_word_is_in_both(categories, seed, form):
    test_set = made(categories)
    first, second = split_in_halves(test_set, seed, form)
    assert not items(first) & items(second)
    assert not words(first, form) & words(second, form)
    assert (first.excluded, second.excluded) == (words(second, form), words(first, form))


@given(CATEGORIES, SEEDS)
def test_nothing_is_lost_and_an_item_is_in_the_same_half_everywhere(categories, seed):
    test_set = made(categories)
    both = split_in_halves(test_set, seed)
    for category in test_set.categories:
        parts = [
            part.items for half in both for part in half.test_set.categories if part.name == category.name
        ]
        together = [item for part in parts for item in part]
        assert sorted(together, key=str) == sorted(category.items, key=str)
        for half in both:
            own = {item.id for item in category.items} & items(half)
            kept = [part for part in half.test_set.categories if part.name == category.name]
            assert {item.id for part in kept for item in part.items} == own
            assert all(part.items for part in kept)


@given(st.integers(0, 40), st.sampled_from(["a", "ab", "abc"]), SEEDS)
def test_categories_that_share_nothing_are_halved(number, names, seed):
    sizes = [
        {category.name: len(category.items) for category in half.test_set.categories}
        for half in split_in_halves(plain(number, names), seed)
    ]
    for name in names:
        assert abs(sizes[0].get(name, 0) - sizes[1].get(name, 0)) == number % 2


@given(st.sets(st.integers(0, 30)), SEEDS)
def test_each_half_has_as_many_known_words(numbers, seed):
    known = {f"a{i}" for i in numbers}
    first, second = split_in_halves(plain(31, "a"), seed, known=known)
    assert abs(len(words(first) & known) - len(words(second) & known)) == len(known & words_of_all()) % 2
    assert abs(len(items(first)) - len(items(second))) <= 2


def words_of_all():
    return {f"a{i}" for i in range(31)}


def test_a_seed_gives_the_same_halves_whatever_the_order():
    test_set = plain(20)
    first = split_in_halves(test_set, 3)
    assert split_in_halves(test_set, 3) == first
    turned = replace(
        test_set,
        categories=tuple(replace(c, items=c.items[::-1]) for c in reversed(test_set.categories)),
    )
    assert [items(half) for half in split_in_halves(turned, 3)] == [items(half) for half in first]
    others = {frozenset(items(split_in_halves(test_set, seed)[0])) for seed in range(8)}
    assert len(others) == 8


def test_the_halves_are_the_same_in_every_version():
    """A study that is resumed judges with the words that its trials have not seen."""
    test_set = plain(9, "a")
    first, second = split_in_halves(test_set)
    assert items(first) == {"a1", "a3", "a4", "a8"}
    assert items(second) == {f"a{i}" for i in range(9)} - items(first)
    assert split_in_halves(test_set) == split_in_halves(test_set, 0)


def test_words_of_an_item_count_in_all_its_categories():
    """The same id may have other words in another category; none of them may be in both halves."""
    test_set = made({"a": {"Q1": ["rex"], "Q2": ["via"]}, "b": {"Q1": ["king"], "Q3": ["rex", "urbs"]}})
    first, second = split_in_halves(test_set)
    assert {"Q1", "Q3"} in (items(first) & {"Q1", "Q3"}, items(second) & {"Q1", "Q3"})
    for one, other in ((first, second), (second, first)):
        assert one.excluded == words(other)


def test_halves_say_which_they_are():
    test_set = replace(plain(4), named_in="de")
    first, second = split_in_halves(test_set)
    assert (first.test_set.name, second.test_set.name) == ("test.json, first half", "test.json, second half")
    assert (first.test_set.named_in, first.test_set.sha256) == ("de", test_set.sha256)


def test_words_of_the_other_half_leave_the_vocabulary():
    test_set = plain(6, "a")
    names = [*(f"a{i}" for i in range(6)), "other", "word"]
    given_ = vectors(np.arange(16).reshape(8, 2) + 1, names)
    first, second = split_in_halves(test_set)
    for half, rest in ((first, second), (second, first)):
        left = half.vocabulary(given_)
        assert set(left.words) == set(names) - words(rest)
        assert list(left.words) == [word for word in names if word in left.words]
        for row, word in enumerate(left.words):
            assert left.matrix[row].tolist() == given_.matrix[names.index(word)].tolist()
    unrelated = vectors(np.eye(2), ["x", "y"])
    assert first.vocabulary(unrelated) is unrelated


@pytest.mark.parametrize("number", [0, 1])
def test_categories_without_two_items_stay_whole(number):
    sizes = [len(half.test_set.categories) for half in split_in_halves(plain(number, "a"))]
    assert sum(sizes) == number
