"""Verdicts: none contradicts a test whose p is printed."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from evaluator.reports.page import Text
from evaluator.reports.sections.scores import scores_section
from evaluator.results.scores import ScoresFile
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
            said, tested = each.verdict, {"frequency": each.over_baseline, "spelling": each.over_spelling}
            seen.add(said)
            not_above = [
                name
                for name, of_level in tested.items()
                if of_level.value <= 0 or of_level.of_words.p >= 0.05
            ]
            if said == "not shown to be above chance":
                assert each.low <= each.chance
                continue
            assert each.low > each.chance
            if not_above:
                assert said == f"not shown to be above {' or '.join(not_above)}"
                continue
            assert said.startswith("above frequency and spelling, ")
            assert all(of_level.of_words.low > 0 for of_level in tested.values())
            others = all(
                of_level.of_categories and of_level.of_categories.p < 0.05 for of_level in tested.values()
            )
            others = others and each.categories_low is not None and each.categories_low > each.chance
            also = ", also for other categories like these"
            assert said.endswith(also if others else ", on these categories")
    assert len(seen) > 1


def texts_of(found):
    section = scores_section(ScoresFile(results=(found,)))
    return [each.text for each in section.walk() if isinstance(each, Text)]


@pytest.mark.parametrize(
    ("known", "of", "said"),
    [
        (3, 60, "Only 3 of 60 test words (5.0%) are known: scores say nothing about the model."),
        (12, 100, "Only 12 of 100 test words (12.0%) are known: scores say little about the model."),
        (60, 60, None),
    ],
)
def test_models_that_know_few_words_are_told_apart_from_others(known, of, said):
    texts = texts_of(replace(run(1), known_words=known, words=of))
    assert texts[0].startswith(said) if said else not texts[0].startswith("Only")


def test_of_one_model_it_is_said_whether_to_keep_it():
    found = run(1)
    assert str(found.kept) in texts_of(found)


def test_what_one_of_several_training_runs_knows_is_not_said_to_be_known_by_all():
    matrix = np.random.default_rng(0).normal(size=(40, 5))
    test = test_set(**{f"c{n}": WORDS[4 * n : 4 * n + 4] for n in range(4)})
    each_fifth_missing = np.arange(40) % 5 > 0
    runs = [
        score(vectors(matrix[kept], list(np.array(WORDS[:40])[kept])), test, ["Topk@2"])
        for kept in (np.full(40, True), each_fifth_missing)
    ]
    assert [each["Topk@2"].known for each in runs] == [16, 12]
    said = " ".join(texts_of(mean_over_runs("m", runs)))
    assert "Vocabularies of different sizes, 5 dimensions" in said
    assert "12 of 16 items known by all training runs (75%) in 4 categories" in said
    assert "Known words alone (16 that a training run knows, in 4 categories" in said
