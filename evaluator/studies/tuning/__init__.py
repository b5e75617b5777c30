"""Search for hyper-parameters: the papers' random search, on one half of a test set, judged by the other.

In the order in which the modules build on each other:

    space      what hyper-parameters there are to choose from, and samples of them
    trial      one model trained and scored, in whatever process
    study      which trials have been made, kept in a file by Optuna
    result     the table of trials, the best of them, and how good it is
    search     tune, which ties them together
"""

from __future__ import annotations

from evaluator.studies.tuning.result import TuningResult
from evaluator.studies.tuning.search import Tuning, tune
from evaluator.studies.tuning.space import PAPER, Space

__all__ = ["PAPER", "Space", "Tuning", "TuningResult", "tune"]
