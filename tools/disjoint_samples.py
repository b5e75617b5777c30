"""Compare models of disjoint samples of one corpus as if they were languages: no difference is a true one.

`python -m tools.disjoint_samples CORPUS TESTSET docs/evidence/experiments/disjoint-samples.json` takes every
eighth line for each of eight samples, trains word2vec on 500,000 words of each, and compares all 28 pairs.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from evaluator import read_testset
from evaluator.execution.machine import Machine
from evaluator.results.comparison import in_view
from evaluator.settings import Hyperparameters
from evaluator.studies.languages import Language, compare
from evaluator.studies.trainers import train
from evaluator.text.corpus import Corpus, words_of
from evaluator.vectors import Vectors

SAMPLES = 8
TOKENS = 500_000
PARAMETERS = Hyperparameters(
    architecture="skip-gram", dimension=100, min_count=5, epochs=5, learning_rate=0.025
)


def sample(corpus: Path, number: int) -> Iterator[str]:
    """Lines of a sample, until it has enough words."""
    tokens = 0
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        for line in itertools.islice(lines, number, None, SAMPLES):
            yield line
            tokens += len(words_of(line))
            if tokens >= TOKENS:
                return


def trained(corpus: Path, number: int, folder: Path) -> Vectors:
    """The vectors of a sample."""
    text, sentences = folder / f"{number}.txt", folder / f"{number}.sentences"
    text.write_text("".join(sample(corpus, number)), encoding="utf-8")
    return train(Corpus((text,)).write_sentences(sentences), PARAMETERS, seed=number)


def main() -> None:
    """Train and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="plain text, one document a line, packed by gzip")
    parser.add_argument("test_set", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    test_set = read_testset(arguments.test_set)
    with tempfile.TemporaryDirectory() as folder:
        languages = [
            Language(f"sample-{number}", trained(arguments.corpus, number, Path(folder)), test_set)
            for number in range(SAMPLES)
        ]
    topics = sorted({each.topic for each in test_set.categories if each.topic})
    found = compare(
        languages, [each.name for each in test_set.categories], topics, machine=Machine(threads=1)
    )
    summary = {
        "test set": test_set.name,
        "parameters": str(PARAMETERS),
        "tokens": TOKENS,
        "vocabularies": [each.vocabulary for each in in_view(found.results, "whole", found.groups[0])],
        "tests": len(found.differences),
        "p < 0.05": sum(each.tested.p < 0.05 for each in found.differences),
        "differ": [
            [each.category, each.measure, each.first, each.second, round(each.p_holm, 4)]
            for each in found.differences
            if each.reading == "differ"
        ],
    }
    arguments.output.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
