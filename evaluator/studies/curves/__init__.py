"""Learning curves: how scores grow with the corpus, and from which size on they say anything.

In the order in which the modules build on each other:

    subsets    nested random subsets of a corpus, of exact sizes
    material   what models are scored on: categories and analogies
    points     a model of one size and seed trained and scored, in whatever process
    store      the points that are finished, kept in a folder
    onset      the first size from which on a measure tells something
    result     the curves with intervals, their onsets, and the ratios of these
    run        learning_curve, which ties them together
"""

from __future__ import annotations

from evaluator.studies.curves.result import LearningCurve
from evaluator.studies.curves.run import Plan, learning_curve
from evaluator.studies.curves.subsets import parse_size

__all__ = ["LearningCurve", "Plan", "learning_curve", "parse_size"]
