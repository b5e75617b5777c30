"""The spelling baseline is what its equation says, and scores by it are those of a slow definition."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.engine import spelling
from evaluator.engine.spelling import NOISE, Spelled, SpellingSimilarities
from evaluator.settings import Settings
from evaluator.studies import scoring
from evaluator.studies.scoring import score
from tests.evaluator.examples import test_set, vectors

LETTERS = st.text(st.sampled_from("ab<>é𐌰𝔸\ud800"), max_size=7)  # few, so that trigrams come again
WORDS = st.lists(LETTERS, min_size=1, max_size=8, unique=True)


def kernel(word, other):
    """K(w, x) = Σ_g c_g(w)·c_g(x) / √(N(w)·N(x)), as it is written."""
    counts = [
        Counter(f"<{each}>"[place : place + 3] for place in range(len(each))) if each else Counter()
        for each in (word, other)
    ]
    of_word, of_other = (counted.total() for counted in counts)
    shared = sum(number * counts[1][gram] for gram, number in counts[0].items())
    return shared / sqrt(of_word * of_other) if of_word and of_other else 0.0


def similarities(asked, words):
    """Those of words to a vocabulary, and the kernel of each pair, shape (asked, words)."""
    rows = np.array([words.index(each) if each in words else -1 for each in asked], dtype=np.intp)
    expected = np.array([[kernel(one, other) for other in words] for one in asked])
    return SpellingSimilarities(Spelled(asked), rows, Spelled(words)), expected


@given(WORDS, WORDS)
def test_similarities_are_the_equation(asked, words):
    found, expected = similarities(asked, words)
    (start, block), rows = found.block(0), np.arange(len(asked))
    every = np.broadcast_to(np.arange(len(words)), expected.shape)
    exactly = found.exactly(rows, every) * 2.0**-40
    assert (start, found.blocks) == (0, 1)
    for each in (block, exactly):
        assert np.all(each >= expected - 1e-6)
        assert np.all(each <= expected + NOISE + 1e-6), "what tells equal ones apart is small"
    assert np.allclose(block, exactly, atol=1e-6)


@given(WORDS)
def test_test_words_are_as_similar_to_each_other_in_both_orders(asked):
    found, _ = similarities(asked, asked)
    rows = np.arange(len(asked))
    among = found.among(rows)
    assert np.array_equal(among, among.T)
    first, second = np.indices(among.shape).reshape(2, -1)
    assert np.array_equal(found.of_pairs(first, second), among.ravel())
    assert np.allclose(among, found.block(0)[1], atol=1e-6)


@given(WORDS, st.data())
def test_the_words_around_are_the_nearest_ones(words, data):
    asked = data.draw(st.lists(st.sampled_from(words), min_size=1, unique=True))
    found, expected = similarities(asked, words)
    for least in {1, 2, len(words) - 1} & {*range(1, len(words))}:
        around = found.around(np.arange(len(asked)), least)
        assert around.shape == (len(asked), least)
        for row, (own, near) in enumerate(zip(asked, around.tolist(), strict=True)):
            assert len({*near, words.index(own)}) == least + 1, "each once, and not the word itself"
            others = [place for place in range(len(words)) if words[place] != own]
            best = sorted((expected[row, place] for place in others), reverse=True)[:least]
            shown = sorted((expected[row, place] for place in near), reverse=True)
            assert shown == pytest.approx(best, abs=NOISE)


def test_different_trigrams_are_never_taken_for_each_other():
    """Letters beyond 16 bits, and a pair of them whose halves look like others."""
    words = ["\U00010300a", "\u0300a", "\U00010300\u0061", "\U0010ffffb", "\uffffb"]
    found, expected = similarities(words[:1], words)
    assert np.allclose(found.block(0)[1], expected, atol=NOISE + 1e-6)
    assert expected[0].tolist() == [1, 0, 1, 0, 0]


def syllables(number, seed=0):
    """Different words of two to four syllables."""
    drawn, words = np.random.default_rng(seed), dict[str, None]()
    parts = [one + other for one in "bdfgklmnprst" for other in "aeiou"]
    while len(words) < number:
        words["".join(drawn.choice(parts, drawn.integers(2, 5)))] = None
    return [*words]


def world(size=400):
    """A model of words that means nothing, and categories of words, of which half share an ending."""
    words = syllables(size)
    lists = {
        f"c{number}": sorted(words[20:], key=lambda word: (not word.endswith(end), word))[:7]
        for number, end in enumerate(("ba", "ko", "si"))
    }
    taken = {word for own in lists.values() for word in own}
    lists["others"] = [word for word in words if word not in taken][10:60:7]
    return words, lists, vectors(np.random.default_rng(0).normal(size=(size, 5)), words)


def test_topk_by_spelling_is_its_definition():
    words, lists, model = world()
    found = score(model, test_set(**lists), ["Topk@3"], context=True)["Topk@3"]
    spelled = SpellingSimilarities(Spelled(words), np.arange(len(words)), Spelled(words))
    every = np.broadcast_to(np.arange(len(words)), (len(words), len(words)))
    exactly = spelled.exactly(np.arange(len(words)), every)
    np.fill_diagonal(exactly, -1)
    for each in found.subscores:
        own = [words.index(word) for word in lists[each.name]]
        hits = sum(len({*np.argsort(-exactly[row])[:3].tolist()} & {*own}) for row in own)
        zero = [row for row in own if np.sort(exactly[row])[-3] < NOISE * 2.0**40]
        assert not zero, "these words share trigrams with three others"
        assert each.spelling == pytest.approx(hits / (3 * len(own)))
    assert found.spelling == pytest.approx(np.mean([each.spelling for each in found.subscores]))
    assert found.spelling > 0.1 > found.value, "who sees letters finds the words that share an ending"


def test_threads_find_the_same_words(monkeypatch):
    monkeypatch.setattr(spelling, "_LEAST_SHARE", 7)
    words = [*dict.fromkeys(syllables(150))]
    rows = np.arange(len(words))
    one, four = (
        SpellingSimilarities(Spelled(words), rows, Spelled(words), threads).around(rows, 9)
        for threads in (1, 4)
    )
    assert one.tolist() == four.tolist()


def test_oddoneout_by_spelling_is_its_definition():
    words, lists, model = world(120)
    found = score(model, test_set(**lists), ["OddOneOut@2"], context=True)["OddOneOut@2"]
    spelled = SpellingSimilarities(Spelled(words), np.arange(len(words)), Spelled(words))
    alike = spelled.among(np.arange(len(words))).astype(np.float64)
    for each in found.subscores:
        own = [words.index(word) for word in lists[each.name]]
        outside = [row for row in range(len(words)) if row not in own]
        right = [
            alike[one, other] > max(alike[one, odd], alike[other, odd])
            for one, other in combinations(own, 2)
            for odd in outside
        ]
        assert each.spelling == pytest.approx(np.mean(right), rel=0.005)  # a tie counts as wrong


def test_some_odd_words_stand_for_all(monkeypatch):
    """A thousand odd words in place of all give nearly the same score."""
    _, lists, model = world(3000)
    test = test_set(**lists)
    sampled = score(model, test, ["OddOneOut@2"], context=True)["OddOneOut@2"].spelling
    monkeypatch.setattr(scoring, "_ODD_WORDS", 3000)
    every = score(model, test, ["OddOneOut@2"], context=True)["OddOneOut@2"].spelling
    assert 0 < abs(sampled - every) < 0.01


def test_measures_that_take_vectors_alone_have_no_spelling_baseline():
    _, lists, model = world(120)
    found = score(model, test_set(**lists), ["Categorization"], context=True)["Categorization"]
    assert found.spelling is None
    assert found.over_spelling is None


def test_letters_are_compared_in_the_form_in_which_words_are_looked_up():
    """Where case does not matter, or is that of gensim, words of other cases have the same baseline."""
    words, lists, model = world(200)
    titled = vectors(model.matrix, [word.title() for word in words])
    for case in ("fold", "upper"):
        levels = [
            score(each, test_set(**lists), ["Topk@3", "OddOneOut@2"], Settings(case=case), context=True)
            for each in (model, titled)
        ]
        for one, other in zip(*(each.measured for each in levels), strict=True):
            assert one.spelling == pytest.approx(other.spelling, abs=0.02)
            assert one.spelling > 0.1
