"""Learning curves: how scores grow with the size of the corpus, and from which size on they say anything.

In the order in which the modules build on each other:

    subsets    nested random subsets of a corpus, of exact sizes
    points     what models are scored on; one of a size and seed, trained and scored in any process
    run        curve, which runs all of this, with onsets: the first sizes at which scores are above chance
"""

from __future__ import annotations

from evaluator.studies.curves.points import CurveOptions
from evaluator.studies.curves.run import curve
from evaluator.studies.curves.subsets import parse_size

__all__ = ["CurveOptions", "curve", "parse_size"]
