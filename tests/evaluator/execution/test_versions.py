"""The versions that results name."""

from __future__ import annotations

import numpy as np

from evaluator.execution.processes import versions
from tests.conftest import NEEDS_GENSIM


@NEEDS_GENSIM
def test_gensim_is_named():
    assert list(versions()) == ["testgen-evaluator", "gensim", "numpy"]


def test_without_gensim(monkeypatch):
    monkeypatch.setattr("evaluator.execution.processes.find_spec", lambda _: None)
    found = versions()
    assert list(found) == ["testgen-evaluator", "numpy"]
    assert found["numpy"] == np.__version__
