"""Counts of neighbours beside their definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from evaluator.text.cooccurrences import GAP, cooccurrences, numbered


def by_definition(sentences, window, dynamic):
    """How often each pair of words stands near each other."""
    found = Counter()
    for words in sentences:
        for here, word in enumerate(words):
            for there, other in enumerate(words):
                distance = abs(here - there)
                if 0 < distance <= window:
                    found[word, other] += window - distance + 1 if dynamic else 1
    return found


@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("window", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_the_definition(seed, window, dynamic):
    random = np.random.default_rng(seed)
    sentences = [random.integers(6, size=random.integers(9)).tolist() for _ in range(20)]
    text = np.array([row for words in sentences for row in (*words, GAP)], dtype=np.int32)
    found = cooccurrences(text, 7, window, dynamic=dynamic)  # the last word does not occur
    expected = by_definition(sentences, window, dynamic)
    rows = np.repeat(range(7), np.diff(found.starts))
    pairs = list(zip(rows.tolist(), found.contexts.tolist(), strict=True))
    assert dict(zip(pairs, found.counts.tolist(), strict=True)) == expected
    assert pairs == sorted(expected)


def test_words_without_a_row_are_left_out_before_windows():
    text = numbered([["a", "rare", "b"], [], ["rare"], ["b"]], {"a": 0, "b": 1}, 9)
    assert text.tolist() == [0, 1, GAP, GAP, GAP, 1, GAP]


def test_a_text_of_nothing():
    found = cooccurrences(np.array([GAP, GAP], dtype=np.int32), 2, 3, dynamic=True)
    assert found.starts.tolist() == [0, 0, 0]
    assert not len(found.contexts)
