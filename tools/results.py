"""Score the 8,000 most frequent GoogleNews vectors on real data sets, for docs/measures/googlenews.csv.

`python tools/results.py DATA` prints that file, where DATA has the vectors
`vectors/en/googlenews_top8000_300d.bin.gz`, and the data sets in `benchmarks/similarity/en`,
`benchmarks/analogy/en` and so on.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import evaluator

VECTORS = "googlenews_top8000_300d.bin.gz"
COLUMNS = ("data set", "measure", "score", "95% interval", "OOV", "chance")

SKIP = evaluator.Settings(oov="skip", case="exact")


@dataclass(frozen=True)
class Run:
    """Data sets in one folder of `benchmarks`, scored in the same way."""

    kind: str
    files: tuple[str, ...]
    measures: tuple[str, ...]
    settings: evaluator.Settings = SKIP


RUNS = (
    Run(
        "similarity",
        (
            "EN-WS-353-ALL.txt",
            "EN-WS-353-SIM.txt",
            "EN-WS-353-REL.txt",
            "EN-MEN-TR-3k.txt",
            "EN-SIMLEX-999.txt",
            "EN-SimVerb-3500.txt",
            "EN-RG-65.txt",
            "EN-MC-30.txt",
        ),
        ("Similarity",),
        evaluator.GENSIM,
    ),
    Run(
        "analogy",
        ("google_questions-words.txt", "msr_syntactic.txt", "BATS_3.0"),
        (
            "Analogy",
            "Analogy(method=3CosMul)",
            "Analogy(method=PairDirection)",
            "Analogy(inputs=included)",
            "AnalogySpace",
        ),
        evaluator.GENSIM,
    ),
    Run(
        "outlier",
        ("8-8-8.csv", "50-8-8-EN.tar.gz", "wiki-sem-500-en.tar.gz"),
        ("OutlierDetection", "OutlierDetection(score=OPP)"),
    ),
    Run(
        "categorization",
        ("ap.csv", "bless.csv", "essli-2008.csv"),
        (
            "Topk",
            "OddOneOut",
            "OddOneOut(out=matched)",
            "CategoryOutliers",
            "Categorization",
            "Categorization(score=V)",
        ),
    ),
)


def rows(data: Path, vectors: evaluator.Vectors, run: Run) -> Iterator[tuple[str, ...]]:
    """The rows of the table that a run makes, data set by data set."""
    for file in run.files:
        test_set = evaluator.read_testset(data / "benchmarks" / run.kind / "en" / file)
        for score in evaluator.score(vectors, test_set, run.measures, run.settings).measured:
            size, oov = (sum(getattr(part, count) for part in score.subscores) for count in ("size", "oov"))
            yield (
                file,
                str(score.measure),
                f"{score.value:.3f}",
                "{:.3f} to {:.3f}".format(*score.interval),
                f"{oov:,} of {size:,}",
                f"{score.chance:.4f}",
            )


def main() -> None:
    """Print the table."""
    data = Path(sys.argv[1])
    vectors = evaluator.load_vectors(data / "vectors" / "en" / VECTORS)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(COLUMNS)
    for run in RUNS:
        table.writerows(rows(data, vectors, run))


if __name__ == "__main__":
    main()
