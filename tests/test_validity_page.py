"""The page on validity shows what the data beside it say, and correlations are what they are called."""

from __future__ import annotations

import importlib.util
import re
import sys

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "validity.md").read_text(encoding="utf-8")


def tool():
    spec = importlib.util.spec_from_file_location("validity", REPOSITORY / "tools" / "validity.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


VALIDITY = tool()


@pytest.mark.parametrize("name", sorted(VALIDITY.TABLES))
def test_tables_are_those_of_the_data(name):
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", PAGE, re.DOTALL)
    assert found is not None, f"the page has no table {name}"
    assert found[1] == VALIDITY.TABLES[name](), "run tools/validity.py"


def test_figures_are_there():
    figures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", PAGE)
    assert figures
    assert [name for name in figures if not (REPOSITORY / "docs" / name).exists()] == []


def test_enough_models():
    assert (VALIDITY.everything()["language"] != "").sum() >= 100


def test_correlations_are_spearmans():
    generator = np.random.default_rng(0)
    x, y = generator.standard_normal((2, 3, 20)).round(1)  # with ties
    found = VALIDITY.correlations(x, y, [slice(0, 20)])
    assert found == pytest.approx([spearmanr(one, other).statistic for one, other in zip(x, y, strict=True)])


def test_correlations_within_sizes_do_not_see_the_size():
    generator = np.random.default_rng(0)
    size = np.repeat([0.0, 100.0], 50)
    x, y = generator.standard_normal((2, 1, 100)) + size
    assert VALIDITY.correlations(x, y, [slice(0, 100)])[0] > 0.7
    assert abs(VALIDITY.correlations(x, y, [slice(0, 50), slice(50, 100)])[0]) < 0.2


def test_bootstrap_samples_have_as_many_models_of_each_size():
    sizes = np.array([17.0, 17.0, 18.0, 18.0, 18.0])
    drawn = VALIDITY.draws(sizes, 10)
    assert drawn[0].tolist() == [0, 1, 2, 3, 4]
    assert (sizes[drawn] == sizes).all()
