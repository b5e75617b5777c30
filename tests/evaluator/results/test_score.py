"""What a score says of itself: its verdict, and what it rests on."""

from __future__ import annotations

import msgspec
import pytest

from evaluator.results.base import Difference
from evaluator.results.files import read_results
from evaluator.results.numbers import interval, rate, short_interval, signed
from evaluator.results.score import Score, verdict_of
from tests.conftest import REPOSITORY
from tests.evaluator.results.samples import change, measured, subscore
from tests.evaluator.results.samples import tested as one_test

ALSO = "above frequency, also for other categories like these"
THESE = "above frequency, on these categories"


def score(**more):
    return msgspec.convert(measured() | more, Score)


@pytest.mark.parametrize(
    ("p_words", "p_categories", "categories_low", "said"),
    [
        (0.01, 0.01, 0.2, ALSO),
        (0.01, 0.01, 0.125, THESE),  # which is the chance level
        (0.01, 0.01, None, THESE),
        (0.01, 0.06, 0.2, THESE),
        (0.01, None, 0.2, THESE),
        (0.06, 0.01, 0.2, "not shown to be above frequency"),
    ],
)
def test_other_categories_are_named_only_if_a_test_and_the_interval_show_them(
    p_words, p_categories, categories_low, said
):
    of_categories = None if p_categories is None else one_test(0.25, p_categories)
    over = change(0.25, p_words, of_categories)
    assert verdict_of(score(over_baseline=over, categories_low=categories_low)) == said


def test_without_a_test_nothing_is_said_of_other_categories():
    assert verdict_of(score(low=0.2, baseline=0.15, categories_low=0.19)) == THESE


def test_the_paired_test_that_a_verdict_tells_is_at_hand():
    found = score(over_baseline=change(0.25, 0.06), spelling=0.1)
    assert found.paired_tests == ["+0.2500 (+0.1500 to +0.3500) over frequency"]
    assert score().paired_tests == []


@pytest.mark.parametrize(
    ("known", "unit", "said"),
    [
        ((9, 9), "questions", "too few sections (2 of the 3 that are needed)"),
        ((9, 9), "words", "too few categories (2 of the 3 that are needed)"),
        ((9, 9), "pairs", "too few lists (2 of the 3 that are needed)"),
        ((3, 3, 3), "words", "too few known words (9 of the 10 that are needed)"),
        ((3, 3, 3), "questions", "too few known items (9 of the 10 that are needed)"),
        ((), "words", "too few known words or categories"),
    ],
)
def test_what_is_missing_for_an_interval_is_said(known, unit, said):
    own = [subscore(str(number), n=n, known=n) for number, n in enumerate(known)]
    own.append(subscore("none", None, skipped="no word is known"))
    found = score(words="known", unit=unit, subscores=own, low=None, high=None)
    assert found.too_few == verdict_of(found) == said
    assert score().too_few == ""


def test_a_test_says_what_it_is_over():
    groups = msgspec.convert(change(0.25, 0.01) | {"unit": "groups"}, Difference)
    assert [over for over, _ in groups.tests] == ["9 groups"]
    words = msgspec.convert(change(0.25, 0.01), Difference)
    assert [over for over, _ in words.tests] == ["9 words"]
    assert "unit" not in msgspec.to_builtins(words)


@pytest.mark.parametrize("small", [-0.00004, -0.0, 0.0])
def test_what_is_rounded_to_zero_has_no_sign(small):
    assert (rate(small), interval(small, small)) == ("0.0000", "0.0000 to 0.0000")
    assert (signed(small), interval(small, small, "+")) == ("+0.0000", "+0.0000 to +0.0000")
    assert short_interval(small, small) == "0.000 to 0.000"
    assert signed(-0.00006) == "-0.0001"


def test_a_search_says_what_its_choice_lacks_and_that_the_default_has_more():
    (found,) = read_results(REPOSITORY / "docs/evidence/experiments/tuning-biblical_hebrew.json")
    assert found.conclusion == (
        "The best of the search, trial 4, is not shown to be above chance or frequency by Topk@3: 0.0046 "
        "(0.0005 to 0.0376; chance level 0.0010, frequency baseline 0.0023). By a paired test of the "
        "difference: +0.0023 (-0.0119 to +0.0165) over frequency. The default hyper-parameters, which were "
        "not chosen, have more: 0.0111."
    )
    best, low = (found.score(trial, "Topk@3") for trial in (found.best, found.default))
    assert low.value > best.value
    by_odd_words = msgspec.structs.replace(found, ranked_by="OddOneOut@3", found=True)
    said = "The best of the search, trial 4, is above chance and frequency by OddOneOut@3: 0.4109 ("
    assert by_odd_words.conclusion.startswith(said)
    assert "default hyper" not in by_odd_words.conclusion  # which have less
    turned = msgspec.structs.replace(by_odd_words, best=0, default=4, found=False)
    assert turned.conclusion.endswith(
        " The default hyper-parameters, which were not chosen, have more: 0.4109. They are above "
        "chance and frequency."
    )
