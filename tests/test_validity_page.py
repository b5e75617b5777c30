"""The page on validity shows what the data beside it say, and its statistics are what they are called."""

from __future__ import annotations

import importlib.util
import re
import sys
from inspect import signature
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import pearsonr, rankdata, sem, spearmanr

from evaluator.plugins.emoji.command import CHOICES, emoji
from evaluator.results.score import HEADLINE
from evaluator.studies.scoring import DEFAULT_MEASURES
from evaluator.studies.tuning import Tuning
from tests.conftest import NEEDS_GENSIM, REPOSITORY
from tools.tables import cells, shown

PAGE = (REPOSITORY / "docs" / "evidence" / "validity.md").read_text(encoding="utf-8")


def tool():
    spec = importlib.util.spec_from_file_location("validity", REPOSITORY / "tools" / "validity.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


VALIDITY = tool()
ONE_TEXT = np.zeros(20, dtype=int)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(VALIDITY.TABLES))
def test_tables_are_those_of_the_data(name):
    assert shown(VALIDITY.PAGE, name) == cells(VALIDITY.TABLES[name]()), "run python -m tools.validity"


def test_figures_are_there():
    figures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", PAGE)
    assert figures
    assert [name for name in figures if not (REPOSITORY / "docs" / "evidence" / name).exists()] == []


def test_correlations_are_spearmans():
    x, y = np.random.default_rng(0).standard_normal((2, 20)).round(1)  # with ties
    found = np.tanh(VALIDITY.correlation(x, y, ONE_TEXT))
    assert found == pytest.approx(spearmanr(x, y).statistic)


def test_partial_correlations_are_those_of_what_a_regression_leaves():
    x, y, known = np.random.default_rng(0).standard_normal((3, 20))
    left = []
    for values in (x, y):
        line = np.polyfit(rankdata(known), rankdata(values), 1)
        left.append(rankdata(values) - np.polyval(line, rankdata(known)))
    found = np.tanh(VALIDITY.correlation(x, y, ONE_TEXT, [known]))
    assert found == pytest.approx(pearsonr(*left).statistic)


def test_correlations_within_texts_do_not_see_the_text():
    parts = np.repeat([0, 100], 50)
    x, y = np.random.default_rng(0).standard_normal((2, 100)) + parts
    assert np.tanh(VALIDITY.correlation(x, y, np.zeros(100))) > 0.7
    assert abs(VALIDITY.correlation(x, y, parts)) < 0.2


@pytest.mark.parametrize("at_random", [False, True])
def test_losses_are_those_of_all_choices_of_five(at_random):
    x, y = np.random.default_rng(0).standard_normal((2, 9))
    each = []
    for drawn in map(list, combinations(range(9), 5)):
        chosen = drawn if at_random else [max(drawn, key=x.__getitem__)]
        each += [(y[drawn].max() - y[one], 1 + (y[drawn] > y[one]).sum()) for one in chosen]
    found = VALIDITY.losses(None if at_random else x, y, ONE_TEXT[:9])
    assert found == pytest.approx(np.mean(each, axis=0))


def test_the_error_of_a_mean_is_the_usual_one():
    values = np.random.default_rng(0).standard_normal(20)
    low, high = VALIDITY.estimate(lambda places: values[places].mean(), ONE_TEXT).interval()
    assert (high - low) / 2 / 1.959964 == pytest.approx(sem(values))


# The advice that follows from it

ADVICE = {
    "docs/evidence/validity.md": "Report **`{}`**",
    "docs/read-a-score.md": "Report **`{}`** with its interval",
    "docs/tune.md": "Else they are ranked by `{}`",
    "docs/tables/cli-evaluator-options.csv": "A measure; of categories, {} is the one to report.",
    "testgen/serve/templates/scores_explained.html": "<b>{}</b> is the mean of this over all words: the",
}
ANOTHER = re.compile(
    r"(?:choose|chosen|report|rank(?:s|ed)?) (?:\w+ ){0,3}by \W*(?:Combined|OddOneOut|Above)"
)


def test_one_measure_is_advised_everywhere():
    assert VALIDITY.decided() == HEADLINE
    for path, text in ADVICE.items():
        assert text.format(HEADLINE) in (REPOSITORY / path).read_text(encoding="utf-8"), path


@NEEDS_GENSIM  # without which a search with its trainers is refused
def test_it_is_the_default():
    assert DEFAULT_MEASURES["categories"][0] == HEADLINE
    assert Tuning().measures is None  # they are ranked by it, or by related words where there are enough
    assert CHOICES[signature(emoji).parameters["choose"].default] == HEADLINE


@pytest.mark.parametrize("folder", ["docs", "evaluator", "testgen"])
def test_no_other_is_advised(folder):
    files = [path for end in ("md", "py", "html") for path in (REPOSITORY / folder).rglob(f"*.{end}")]
    found = [path.name for path in files if ANOTHER.search(path.read_text(encoding="utf-8"))]
    assert found == []
