"""Verdicts: none contradicts a test whose p is printed."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from evaluator.reports.page import Text
from evaluator.reports.sections.rankings import conclusion
from evaluator.reports.sections.scores import scores_section, tells_nothing
from evaluator.results.base import Difference, Tested
from evaluator.results.scores import RankedModel, Ranking, ScoresFile
from evaluator.statistics.scores import mean_over_runs
from evaluator.studies.scoring import score
from tests.evaluator.examples import test_set, vectors

WORDS = [f"w{row}" for row in range(80)]


def run(seed):
    """Vectors of words in 8 categories, of which they know something or nothing."""
    generator = np.random.default_rng(seed)
    strength, size = generator.choice([0, 0.3, 0.6, 1.5]), int(generator.integers(40, 80))
    topics = strength * np.repeat(generator.normal(size=(20, 6)), 4, axis=0)
    matrix = topics + generator.normal(size=(80, 6))
    order = generator.permutation(80) if seed % 2 else np.arange(80)
    kept = [row for row in order if row < size]
    test = test_set(**{f"c{n}": WORDS[4 * n : 4 * n + 4] for n in range(int(generator.integers(3, 9)))})
    return score(
        vectors(matrix[kept], [WORDS[row] for row in kept]), test, ["Topk@2", "OddOneOut@2"], context=True
    )


@pytest.mark.parametrize("block", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 10))])
def test_no_verdict_contradicts_a_test(block):
    seen = set()
    for seed in range(30 * block, 30 * block + 30):
        for each in run(seed).measured:
            said, tested = each.verdict, each.over_baseline
            seen.add(said)
            assert said
            if said.startswith("above frequency"):
                assert tested.value > 0
                assert each.low > each.chance
            if "on these" in said or "also" in said:
                assert tested.of_words.p < 0.05
                assert tested.of_words.low > 0
            if "others" in said:
                assert tested.of_categories.p < 0.05
                assert tested.of_categories.low > 0
            if said == "not shown to be above frequency":
                assert each.low > each.chance
                assert tested.value <= 0 or tested.of_words.p >= 0.05
            if said == "not shown to be above chance":
                assert each.low <= each.chance
    assert len(seen) > 1


def test_models_of_which_nothing_can_be_said():
    nothing = run(1)
    few = replace(nothing, known_words=3, words=60)
    low = tuple(replace(each, low=0.0) for each in few.scores)
    hardly = "Only 3 of 60 test words (5.0%) are known: scores say nothing about the model. "
    assert tells_nothing(replace(few, scores=low)).startswith(hardly)
    assert tells_nothing(replace(nothing, scores=low)).startswith("No score is shown to be above chance")
    high = tuple(replace(each, low=each.chance + 0.1) for each in few.scores)
    assert tells_nothing(replace(few, scores=high)).startswith(hardly)
    without = tuple(replace(each, baseline=None, over_baseline=None) for each in high)
    assert tells_nothing(replace(nothing, scores=without, known_words=60, words=60)) is None
    assert tells_nothing(replace(nothing, scores=without, known_words=12, words=100)).startswith(
        "Only 12 of 100 test words (12.0%) are known: scores say little about the model. "
    )
    beside = tuple(replace(each, baseline=each.low + 0.1, over_baseline=None) for each in high)
    assert tells_nothing(replace(nothing, scores=beside, known_words=60, words=60)).startswith(
        "No score is shown to be above that of a model which knows only how frequent words are"
    )


def test_what_one_of_several_training_runs_knows_is_not_said_to_be_known_by_all():
    matrix = np.random.default_rng(0).normal(size=(40, 5))
    test = test_set(**{f"c{n}": WORDS[4 * n : 4 * n + 4] for n in range(4)})
    each_fifth_missing = np.arange(40) % 5 > 0
    runs = [
        score(vectors(matrix[kept], list(np.array(WORDS[:40])[kept])), test, ["Topk@2"])
        for kept in (np.full(40, True), each_fifth_missing)
    ]
    assert [each["Topk@2"].known for each in runs] == [16, 12]
    section = scores_section(ScoresFile(results=(mean_over_runs("m", runs),)))
    said = " ".join(block.text for block in section.walk() if isinstance(block, Text))
    assert "Vocabularies of different sizes, 5 dimensions" in said
    assert "12 of 16 items known by all training runs (75%) in 4 categories" in said
    assert "Known words alone (16 that a training run knows, in 4 categories" in said


def ranking(**values):
    models = tuple(
        RankedModel(model=model, value=value, letters="a", best=best, worst=9)
        for model, (value, best) in values.items()
    )
    return Ranking(test_set="t", measure="Topk@2", over="9 words", models=models)


@pytest.mark.parametrize(
    ("models", "low", "said"),
    [
        ({"a": (0.5, 1), "b": (0.4, 2)}, 0.4, "a is best."),
        (
            {"a": (0.5, 1), "b": (0.4, 1)},
            0.4,
            "a has the highest score; tested over 9 words, it cannot be told apart from b.",
        ),
        ({"a": (0.5, 1), "b": (0.5, 1)}, 0.4, "a and b have the same score, the highest."),
        (
            {"a": (0.5, 1), "b": (0.4, 2)},
            0.15,
            "none is shown to be above frequency: do not choose by this.",
        ),
        (
            {"a": (0.5, 1), "b": (0.4, 2)},
            0.0,
            "none is shown to be above chance: do not choose by this.",
        ),
        (
            {name: (0.5 - n / 100, 1) for n, name in enumerate("abcdef")},
            0.4,
            "a has the highest score; tested over 9 words, it cannot be told apart from b, c, d and 2 more.",
        ),
    ],
)
def test_which_model_is_best(models, low, said):
    one = run(2)
    measured = replace(one["Topk@2"], low=low, chance=0.1, baseline=0.2, over_baseline=None)
    scores = [replace(one, model=name, scores=(measured,)) for name in models]
    assert conclusion(ranking(**models), scores) == f"Topk@2: {said}"


@pytest.mark.parametrize(
    ("second", "said"), [(1, "it cannot be told apart from b"), (2, "Topk@2: a is best")]
)
def test_a_difference_below_the_margin_is_said_whether_there_is_one_or_not(second, said):
    one = run(2)
    measured = replace(one["Topk@2"], low=0.4, chance=0.1, baseline=0.2, over_baseline=None)
    scores = [replace(one, model=name, scores=(measured,)) for name in "ab"]
    ranked = replace(ranking(a=(0.5, 1), b=(0.4, second)), within_margin=("b",))
    assert conclusion(ranked, scores).endswith(f"{said}. Shown to be within the margin of it: b.")


def test_models_that_are_not_above_frequency_are_named():
    one = run(2)
    measured = replace(one["Topk@2"], chance=0.1, baseline=0.2, over_baseline=None)
    of_model = {"a": replace(measured, low=0.4), "b": replace(measured, low=0.15)}
    scores = [replace(one, model=name, scores=(each,)) for name, each in of_model.items()]
    assert conclusion(ranking(a=(0.5, 1), b=(0.4, 1)), scores) == (
        "Topk@2: a has the highest score; tested over 9 words, it cannot be told apart from b. "
        "Shown to be above frequency: a; not so b."
    )


def test_a_score_that_is_above_frequency_by_one_of_the_tests_says_something():
    nothing = run(1)
    sure = Tested(p=0.01, low=0.02, high=0.2, error=0.05, degrees=20)
    unsure = Tested(p=0.2, low=-0.1, high=0.3, error=0.1, degrees=20)
    for of_categories, of_words in ((sure, unsure), (unsure, sure), (unsure, unsure)):
        tested = Difference(0.1, of_categories, of_words, 8, 60)
        scores = tuple(
            replace(each, low=each.chance + 0.1, baseline=0.0, over_baseline=tested)
            for each in nothing.scores
        )
        said = tells_nothing(replace(nothing, scores=scores, known_words=60, words=60))
        assert (said is None) == (sure in (of_categories, of_words))
