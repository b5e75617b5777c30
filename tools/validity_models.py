"""Train and score the models of docs/evidence/validity.md; `tools/validity.py` makes the page from them.

`python tools/validity_models.py WORK --data DATA --tests TESTS` writes the vectors of each model and a JSON
file to WORK. What exists is not made again, so it can be stopped and started again. DATA has the corpora and
the benchmarks; TESTS has the folders `shipped` and `slice` that `testgen generate` wrote.

The plan, made before any measure was computed on these models:

- 60 word2vec models with random hyper-parameters (`SPACE`), in turn on the first 2^18 tokens of four disjoint
  parts of English Wikipedia, on one thread. Each is trained anew with 5, 10, 20, 40 and 80 epochs, until a
  doubling raises its agreement with people by less than 0.01. The model before that doubling has *converged*:
  nobody would train it longer. Those that have not after 80 epochs are left out and counted. Measures have no
  part in this, and rates below 0.05 are left out: with few epochs they learn so little that a doubling
  changes nothing yet.
- *Agreement with people* is the mean of the rank correlations with MEN, WS-353, SimLex-999 and SimVerb-3500,
  on the words that all models of the same text know: those that occur as often as the largest min count.
- Test sets: the shipped snapshot, the slice of Wikidata, and the columns of Google's analogies; unknown words
  are misses, or only the same shared words are asked.

What decides is in `tools/validity.py`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import evaluator
from evaluator.datasets.testset import TestSet
from evaluator.errors import EvaluatorError, TrainingError
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves.points import categories_of
from evaluator.studies.curves.subsets import write_subset
from evaluator.studies.trainers import train
from evaluator.studies.tuning.space import Space
from evaluator.text.corpus import Corpus, Sentences
from evaluator.vectors import Vectors

SPACE = Space(
    model=("word2vec",),
    dimension=(25, 50, 100, 150),
    window=(2, 3, 5, 10),
    learning_rate=(0.05, 0.1, 0.2),
    min_count=(2, 3, 5, 8),
    lemmas=(False,),
)
MODELS, PARTS, TOKENS = 60, 4, 2**18
EPOCHS = (5, 10, 20, 40, 80)
RISE = 0.01
"""A model has converged if twice as many epochs raise agreement with people by less."""

MACHINE = evaluator.Machine(threads=1)
CATEGORY_MEASURES = ("Topk@3", "OddOneOut(samples=1000)@3", "OddOneOut(out=matched)@3")
RATED = ("MEN-TR-3k", "WS-353-ALL", "SIMLEX-999", "SimVerb-3500")


@dataclass(frozen=True)
class Run:
    """A model: its number, the number of the part of the corpus, and its hyper-parameters."""

    number: int
    part: int
    parameters: Hyperparameters

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"en-{self.number:02}"


def plan() -> list[Run]:
    """All models; the parts of the corpus take turns, so that an interrupted run has as many of each."""
    drawn = SPACE.samples(MODELS, 35, EPOCHS[0])
    return [Run(number, number % PARTS, parameters) for number, parameters in enumerate(drawn)]


def sample(part: int, data: Path, work: Path) -> Sentences:
    """The text that a model is trained on, of one of the disjoint parts of the corpus."""
    paths = [work / f"en-{number}.txt" for number in range(PARTS)]
    if not all(path.exists() for path in paths):
        corpus = Corpus((data / "corpora" / "english_wikipedia.txt.gz",), "en", "fold")
        whole = corpus.write_sentences(work / "en.txt")
        lines = whole.path.read_text(encoding="utf-8").splitlines(keepends=True)
        for number, path in enumerate(paths):
            path.write_text("".join(lines[number::PARTS]), encoding="utf-8")
    return write_subset(paths[part], 0, TOKENS, work / f"sample-{part}.txt")


def shared(sentences: Sentences) -> Settings:
    """Only the words that all models of a text know: its most frequent ones."""
    known = sum(count >= max(SPACE.min_count) for count in sentences.counts.values())
    return Settings(oov="skip", vocabulary=known)


@cache
def rated(data: Path) -> Mapping[str, TestSet]:
    """The rated pairs, by name."""
    folder = data / "benchmarks/similarity/en"
    return {name: evaluator.read_testset(folder / f"EN-{name}.txt", language="en") for name in RATED}


@cache
def tests(data: Path, generated: Path) -> Mapping[str, TestSet]:
    """The test sets with categories, by name; of analogies, each section gives its two columns."""
    found = {name: evaluator.read_testset(generated / name / "en.json") for name in ("shipped", "slice")}
    path = data / "benchmarks/analogy/en/google_questions-words.txt"
    google = evaluator.read_testset(path, language="en")
    columns = tuple(each for section in google.sections for each in categories_of(section))
    return found | {"Google": replace(google, categories=columns)}


def agreement(vectors: Vectors, settings: Settings, data: Path) -> float:
    """The mean rank correlation with the ratings of people; 0 for what cannot be scored."""
    found = [record(vectors, test_set, "Similarity", settings)["value"] for test_set in rated(data).values()]
    return float(np.mean([value or 0.0 for value in found]))


def converged(run: Run, args: argparse.Namespace) -> dict[str, Any]:
    """Train a model longer until it converges, and keep it; its agreement with people by epochs."""
    sentences = sample(run.part, args.data, args.work)
    settings = shared(sentences)
    people: dict[int, float] = {}
    kept: Vectors | None = None
    last = 0
    for epochs in EPOCHS:
        try:
            vectors = train(sentences, replace(run.parameters, epochs=epochs), seed=run.number)
        except TrainingError:
            break
        people[epochs] = agreement(vectors, settings, args.data)
        if kept is not None and people[epochs] - people[last] < RISE:
            evaluator.convert(kept, args.work / f"{run.name}.safetensors")
            return {"epochs": last, "people": people, "shared": settings.vocabulary}
        kept, last = vectors, epochs
    return {"epochs": None, "people": people, "shared": settings.vocabulary}


def record(vectors: Vectors, test_set: TestSet, measure: str, settings: Settings) -> dict[str, Any]:
    """The score, its chance level, and how many of how many items are known."""
    try:
        score = evaluator.score(vectors, test_set, measure, settings, machine=MACHINE)[measure]
    except EvaluatorError as error:
        return {"value": None, "error": str(error)}
    return {"value": score.value, "chance": score.chance, "n": score.n, "known": score.known}


def scored(vectors: Vectors, common: Settings, args: argparse.Namespace) -> dict[str, Any]:
    """All scores of a model, `test set|treatment of unknown words|measure`."""
    people = {
        f"people|shared|{name}": record(vectors, test_set, "Similarity", common)
        for name, test_set in rated(args.data).items()
    }
    return people | {
        f"{name}|{words}|{measure}": record(vectors, test_set, measure, settings)
        for name, test_set in tests(args.data, args.tests).items()
        for words, settings in (("misses", Settings()), ("shared", common))
        for measure in (*CATEGORY_MEASURES, *(("Analogy@1",) if name == "Google" else ()))
    }


def run_all(args: argparse.Namespace) -> Iterator[str]:
    """Train what is not trained, then score what is not scored; yields a line for each."""
    for run in plan():
        path = args.work / f"{run.name}.json"
        if not path.exists():
            start = time.monotonic()
            about = {"name": run.name, "part": run.part, **run.parameters.own, **converged(run, args)}
            write(path, about)
            yield f"{about}: {time.monotonic() - start:.0f} s"
    for run in plan():
        path, own = args.work / f"{run.name}.scores.json", args.work / f"{run.name}.safetensors"
        if own.exists() and not path.exists():
            start = time.monotonic()
            about = json.loads((args.work / f"{run.name}.json").read_text(encoding="utf-8"))
            vectors = evaluator.load_vectors(own)
            common = Settings(oov="skip", vocabulary=about["shared"])
            write(path, {"vocabulary": len(vectors), **scored(vectors, common, args)})
            yield f"{run.name}: scored in {time.monotonic() - start:.0f} s"


def write(path: Path, found: Mapping[str, Any]) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(found), encoding="utf-8")
    temporary.replace(path)


def main() -> None:
    """Train and score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tests", type=Path, required=True)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    for line in run_all(args):
        print(line, flush=True)


if __name__ == "__main__":
    main()
