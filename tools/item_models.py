"""Train models of different quality on disjoint parts of a corpus, for `evaluator items`.

`python -m tools.item_models CORPUS FOLDER` writes FOLDER/NUMBER.safetensors, twelve times.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from evaluator import convert
from evaluator.settings import Hyperparameters
from evaluator.studies.trainers import train
from evaluator.text.corpus import Corpus, words_of

MODELS = 12
TOKENS = (200_000, 700_000, 1_500_000)
KINDS = (
    ("word2vec", "skip-gram"),
    ("word2vec", "cbow"),
    ("fasttext", "skip-gram"),
    ("word2vec", "skip-gram"),
)


def sample(corpus: Path, number: int) -> Iterator[str]:
    """Every twelfth line, until there are enough words."""
    tokens = 0
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        for line in itertools.islice(lines, number, None, MODELS):
            yield line
            tokens += len(words_of(line))
            if tokens >= TOKENS[number % len(TOKENS)]:
                return


def parameters(number: int) -> Hyperparameters:
    """Those of a model; each kind is trained on each size of text."""
    model, architecture = KINDS[number % len(KINDS)]
    return Hyperparameters(
        model=model, architecture=architecture, dimension=100, window=5, min_count=3, epochs=5
    )


def main() -> None:
    """Train all that are not there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="plain text, packed by gzip")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for number in range(MODELS):
        path = given.folder / f"{number:02}.safetensors"
        if path.exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "text"
            text.write_text("".join(sample(given.corpus, number)), encoding="utf-8")
            sentences = Corpus((text,)).write_sentences(Path(folder) / "sentences")
            vectors = train(sentences, parameters(number), seed=number)
            convert(replace(vectors, subword=None), path)
        print(path, flush=True)


if __name__ == "__main__":
    main()
