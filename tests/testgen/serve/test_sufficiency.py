"""How many words are enough, against intervals computed from their definitions."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the service needs the extra [serve]")

from itertools import combinations

from testgen.serve.responses import _DESIGN_EFFECT, HALF_WIDTH, K, enough_for, needed


def half_width(share, words):
    z = 1.959964
    return z * np.sqrt(share * (1 - share) / words + z**2 / (4 * words**2)) / (1 + z**2 / words)


def test_topk_has_wilsons_interval():
    words = needed()["Topk"] / _DESIGN_EFFECT
    assert half_width(0.5, words) <= HALF_WIDTH < half_width(0.5, words - 1)


def test_a_mean_over_subsets_varies_as_much_as_is_said():
    """Simulated: words are right with a probability, and subsets if all of their words are."""
    ratio = needed()["OddOneOut"] / needed()["Topk"]
    random, words, q = np.random.default_rng(1), 30, 0.5 ** (1 / K)
    subsets = np.array([*combinations(range(words), K)])
    scores = [(random.random(words) < q)[subsets].all(axis=1).mean() for _ in range(4000)]
    assert np.var(scores) / (0.25 / words) == pytest.approx(ratio, rel=0.08)


def test_verdicts_go_by_the_number_of_words():
    topk, odd = needed()["Topk"], needed()["OddOneOut"]
    assert [enough_for(words) for words in (0, topk - 1, topk, odd - 1, odd)] == [
        [], [], ["Topk"], ["Topk"], ["Topk", "OddOneOut"],
    ]  # fmt: skip
