"""Tuning: a random search for hyper-parameters on one half of a test set, judged by the other half.

In the order in which the modules build on each other:

    space     the hyper-parameters to choose from, and which of them to try next
    scorable  the categories that models of a corpus can be scored on, divided into halves
    trial     one model trained and scored, in any process
    search    tune, which runs all of this, and compares both
"""

from __future__ import annotations

from evaluator.studies.tuning.search import Tuning, tune
from evaluator.studies.tuning.space import PAPER, Space

__all__ = ["PAPER", "Space", "Tuning", "tune"]
