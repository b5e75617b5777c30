"""Plans against the tests that they are made for, and at their edges. `tools/simulate.py` has their power."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import evaluator
from evaluator import ScoreError
from evaluator.datasets.testset import RatedPairs, TestSet
from evaluator.measures import parse_measure
from evaluator.plugins.design import plan
from evaluator.plugins.design.power import pilot_of, scores_of
from evaluator.plugins.design.result import PlanFile
from evaluator.plugins.design.section import plan_section
from evaluator.results.base import to_json
from evaluator.statistics.inference import difference
from tests.evaluator.examples import test_set as of_words
from tests.evaluator.examples import vectors
from tests.evaluator.results.samples import coverage
from tests.evaluator.statistics.test_choosing import MODELS, asked
from tests.golden.runs import Tolerance, changes
from tools.worlds import Design, drawn

DESIGN = Design("8 of 6, 80% known", (6,) * 8, 0.8)
MEASURE = "Topk@3"
RECORDED = Path(__file__).parent / "plans.json"


@pytest.fixture(scope="module", name="pilots")
def made_pilots():
    return two_pilots()


def two_pilots():
    made = drawn(DESIGN, np.random.default_rng(1), models=2, same_known=0.8, gains=(1.0, 1.3))
    return [evaluator.score(*each, MEASURE) for each in made]


def test_of_the_difference_of_the_pilots_the_standard_error_is_that_of_their_test(pilots):
    first, second = (each[MEASURE] for each in pilots)
    found = pilot_of(parse_measure(MEASURE), [first, second])
    tested = difference(parse_measure(MEASURE), first.subscores, second.subscores)
    spread = found._spread(second.value - first.value, 1.0)
    from scipy.special import stdtrit

    half = stdtrit(spread.degrees, 0.975) * math.sqrt(spread.variance)
    assert tested.of_words.high - tested.value == pytest.approx(half)


def test_more_categories_find_smaller_differences(pilots):
    (made,) = plan(pilots).plans
    for name in ("over_words", "over_categories"):
        values = [getattr(each, name) for each in made.sizes]
        assert values == sorted(values, reverse=True)
    assert [(each.words, each.categories) for each in made.sizes[:3]] == [(48, 8), (72, 12), (96, 16)]


def test_what_is_needed_for_a_difference_finds_it(pilots):
    (made,) = plan(pilots, 0.1).plans
    found = pilot_of(parse_measure(MEASURE), [each[MEASURE] for each in pilots])
    for needed, there, smallest in (
        (made.words, 48, found.over_words),
        (made.categories, 8, found.over_categories),
    ):
        assert smallest(needed / there) <= 0.1 < smallest((needed - 1) / there)
    (half,) = plan(pilots).plans
    assert half.difference == pytest.approx(half.sizes[0].over_words / 2)


def test_one_pilot_does_not_show_how_differences_vary(pilots):
    (one,), (two,) = (plan(pilots[:number]).plans for number in (1, 2))
    assert (one.models, one.correlation) == (1, pytest.approx(0.3))
    assert two.models == 2
    assert one.categories is None
    assert {each.over_categories for each in one.sizes} == {None}
    assert one.sizes[0].over_words == pytest.approx(two.sizes[0].over_words, rel=0.5)


def test_no_size_is_told_for_a_difference_that_no_model_can_reach(pilots):
    (made,) = plan(pilots).plans
    room = made.most - made.value
    (there,), (beyond,) = (plan(pilots, room * part).plans for part in (0.9, 1.01))
    assert there.words is not None
    assert (beyond.words, beyond.categories) == (None, None)
    assert "No model can be better by" in str(list(plan_section(PlanFile(plans=(beyond,))).walk()))


def test_two_pilots_that_are_the_same_say_nothing_of_differences(pilots):
    (one,), (same,) = plan(pilots[:1]).plans, plan([pilots[0], pilots[0]]).plans
    assert (same.models, same.sizes) == (1, one.sizes)
    stored = pilots[0].record()
    assert plan([stored, stored]).plans[0].categories is None


def test_scores_out_of_files_are_planned_with_by_the_model_of_luck(pilots):
    (one,), (stored,) = (plan([each]).plans for each in (pilots[0], pilots[0].record()))
    assert stored.sizes[0].over_words == pytest.approx(one.sizes[0].over_words, rel=0.4)
    assert stored.sizes[0].over_words != one.sizes[0].over_words


def test_scores_out_of_files_owe_nothing_to_unknown_words(pilots):
    stored = pilots[0].record()[MEASURE]
    words = pilot_of(parse_measure(MEASURE), [stored]).models[0].single
    known = [each.known for each in stored.subscores]
    assert [
        sum(words[f"{each.name} {number}"] != 0 for number in range(each.n)) for each in stored.subscores
    ] == known
    assert sum(known) < len(words)


def test_below_six_categories_nothing_is_tested_over_them():
    made = drawn(Design("3 of 8", (8,) * 3), np.random.default_rng(1), models=2, gains=(1.0, 1.3))
    (few,) = plan([evaluator.score(*each, MEASURE) for each in made]).plans
    assert few.sizes[0].over_categories is None
    assert few.sizes[-1].categories == 24
    assert few.sizes[-1].over_categories > 0


def test_coverage_gives_the_score_that_is_asked_for():
    known = coverage().results[0]
    found = scores_of(known, 0.1, ["Topk@1"])["Topk@1"]
    assert [(each.n, each.known) for each in found.subscores] == [(4, 2)]
    assert found.value == pytest.approx(0.1)
    with pytest.raises(ScoreError, match=r"Topk@1 .*0\.5000.*--score"):
        scores_of(known, 0.5, ["Topk@1"])


def test_coverage_without_a_category_of_three_words_is_no_pilot():
    words = coverage().results[0]
    small = replace(words, parts=tuple(replace(each, words=2) for each in words.parts))
    with pytest.raises(ScoreError, match=r"Topk@1 is above 0 and below 0\.0000; name the --score"):
        scores_of(small, 0.1, ["Topk@1"])


def test_what_cannot_be_planned_for_is_refused(pilots):
    with pytest.raises(ScoreError, match=r"\bone\b.*\btwo\b.*3"):
        plan([*pilots, pilots[0]])
    nothing = evaluator.score(vectors(np.eye(9)), of_words(c=["w0", "w1", "x"]), "OddOneOut@3")
    with pytest.raises(ScoreError, match=r"above 0.*below 1"):
        plan([nothing])
    for difference_ in (0, -0.1, 2):
        with pytest.raises(ScoreError, match=rf"difference.*{difference_}.*1"):
            plan(pilots, difference_)


def test_of_correlations_nothing_is_planned(pilots):
    pairs = tuple((f"w{n}", f"w{n + 1}", float(n)) for n in range(8))
    rated = TestSet("la", "la.json", "0" * 64, rated_pairs=(RatedPairs("p", "p", pairs),))
    found = evaluator.score(vectors([[1, 0.1 * n * n] for n in range(9)]), rated, "Similarity")
    assert found["Similarity"].value not in (None, 0, 1)
    with pytest.raises(ScoreError, match="by a measure of shares"):
        plan(found)


def planned(pilots):
    """Plans of pilots of all sorts, as files of results hold them."""
    related = evaluator.score(MODELS[:1], asked(600), "KeywordRank")
    files = {
        "two": plan(pilots),
        "one": plan(pilots[:1]),
        "aimed": plan(pilots, 0.05),
        "stored": plan([each.record() for each in pilots]),
        "coverage": plan(scores_of(coverage().results[0], 0.1, ["Topk@1"])),
        "related": plan(related),
    }
    return {name: json.loads(to_json(file))["plans"] for name, file in files.items()}


def test_plans_are_as_recorded(pilots):
    """`python -m tests.evaluator.plugins.design.test_power` records them again."""
    found = list(changes(json.loads(RECORDED.read_text()), planned(pilots), Tolerance(relative=1e-5)))
    assert found == []


def test_files_are_no_pilots():
    with pytest.raises(ScoreError, match="give scores"):
        plan("la.vec")


def test_related_words_are_planned_as_their_test_says():
    """Twice the words halve the variance; what is needed for a difference finds it."""
    found = [evaluator.score(each, asked(600), "KeywordRank") for each in MODELS]
    (made,) = plan(found).plans
    now, later = made.sizes[0], made.sizes[2]
    assert (now.words, later.words) == (600, 1200)
    assert later.over_words == pytest.approx(now.over_words / 2**0.5, rel=0.01)
    assert now.over_categories is None
    tested = evaluator.score(MODELS, asked(600), "KeywordRank").differences[0].tested
    assert now.over_words == pytest.approx(2.8 * tested.error, rel=0.05)  # 1.96 + 0.84
    (aimed,) = plan(found, now.over_words / 2).plans
    assert aimed.words == pytest.approx(4 * 600, rel=0.02)


def test_coverage_is_no_pilot_of_related_words():
    with pytest.raises(ScoreError, match="KeywordRank: coverage does not say how it varies; give vectors"):
        scores_of(coverage(), 0.2, ["KeywordRank"])


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(planned(two_pilots()), indent=1) + "\n")
