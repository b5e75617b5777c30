"""Learning curves: how scores grow with the size of the corpus, and from which size on they say anything.

In the order in which the modules build on each other:

    subsets    nested random subsets of a corpus, of exact sizes
    points     what models are scored on; one of a size and seed, trained and scored in any process
    result     the curves with intervals, and their onsets: the first sizes at which scores are above chance
    run        curve, which runs all of this
"""

from __future__ import annotations

from evaluator.studies.curves.run import CurveOptions, curve
from evaluator.studies.curves.subsets import parse_size

__all__ = ["CurveOptions", "curve", "parse_size"]
