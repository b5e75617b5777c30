"""Tuning: a random search for hyper-parameters on one half of a test set, judged by the other half.

In the order in which the modules build on each other:

    space     the hyper-parameters to choose from, and which of them to try next
    trial     the halves of the categories that are scored, and one model trained and scored in any process
    search    tune, which runs all of this, and compares both
"""

from __future__ import annotations

from evaluator.studies.tuning.search import tune
from evaluator.studies.tuning.space import COUNTED, PAPER, Space, SvdSpace
from evaluator.studies.tuning.trial import Tuning

__all__ = ["COUNTED", "PAPER", "Space", "SvdSpace", "Tuning", "tune"]
