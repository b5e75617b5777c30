"""Rebuild testgen/generation/differences.tsv: the smallest difference of Topk that a test set shows, by size.

It is what `evaluator plan` says of a file of coverage with `--score 0.02`, for categories of equal size of
which all words are known. Of other categories the figure is that of their effective number of words; of
models that know half of them it is slightly smaller. A test holds both against `evaluator plan`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from evaluator.measures import parse_measure  # noqa: E402
from evaluator.plugins.design.power import pilot_of, scores_of  # noqa: E402
from evaluator.results.coverage import Coverage, PartCoverage  # noqa: E402
from testgen.generation.sizes import DIFFERENCES, SCORE_PLANNED  # noqa: E402

MEASURE = "Topk@3"
_STEPS = 10  # of each power of ten
_LARGEST = 100  # words of a category


def smallest(coverage: Coverage) -> float | None:
    """The smallest difference that is found over words; None if no model can be so much better."""
    return pilot_of(parse_measure(MEASURE), list(scores_of(coverage, SCORE_PLANNED, [MEASURE]))).over_words(1)


def covered(sizes: Sequence[int]) -> Coverage:
    """What a vocabulary that has all words knows of categories of these sizes."""
    parts = tuple(PartCoverage(f"{place}", "category", words, words, ()) for place, words in enumerate(sizes))
    return Coverage(
        vocabulary="all",
        test_set="words",
        language="und",
        parts=parts,
        scorable=len(parts),
        advice=(),
        words=sum(sizes),
        found=sum(sizes),
    )


def table() -> str:
    """The lines of the table."""
    lines = ["words\tdifference"]
    for wanted in (10 ** (step / _STEPS) for step in range(_STEPS // 2, 4 * _STEPS + 1)):
        categories = math.ceil(wanted / _LARGEST)
        sizes = [round(wanted / categories)] * categories
        difference = smallest(covered(sizes))
        if difference is not None:
            lines.append(f"{sum(sizes)}\t{difference:.4g}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    DIFFERENCES.write_text(table(), encoding="utf-8")
