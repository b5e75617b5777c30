"""Does KeywordRank choose between trained models, from what is shipped? A study that can be interrupted.

`python -m tools.keyword_models WORK --data DATA --tests TESTS` trains the models of each text, scores them
and prints the tables; what is in WORK is not made again. DATA has the folders `corpora` and `benchmarks`;
TESTS has `en.json`, `de.json` and `fr.json` as `testgen generate` writes them. `--models 8`,
`--tokens 262144` and `--texts en-0 de-0` make a smaller study.

The plan, made before any measure was computed on these models:

- Texts: two of English Wikipedia, one of German and one of French novels, each of 2^19 tokens; lines in
  random order, no line in two texts.
- 16 word2vec models a text, 8 of skip-gram and 8 of CBOW, the other hyper-parameters drawn from `SPACE`;
  rates and epochs are those with which such models have learnt most of what they can.
- Words: those that occur 8 times or more, which all models of a text know.
- *Agreement with people*: the mean of Spearman's correlations with lists of rated pairs, each weighted by how
  many of its pairs are known.
- *Loss*: of five random models of a text, how far the one with the highest score is below the best of the
  five. It is the mean over all choices of five; of equal scores, each is chosen as often.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import evaluator
from evaluator.datasets.testset import RatedPairs, TestSet
from evaluator.errors import EvaluatorError
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves.subsets import write_subset
from evaluator.studies.trainers import train
from evaluator.studies.tuning.space import Space
from evaluator.text.corpus import Corpus, Sentences
from evaluator.vectors import Vectors

SPACE = Space(
    model=("word2vec",),
    architecture=("skip-gram", "cbow"),
    dimension=(32, 64, 100, 144),
    window=(2, 3, 5, 7, 10),
    learning_rate=(0.05, 0.075, 0.1),
    min_count=(2, 3, 5, 8),
    lemmas=(False,),
)
EPOCHS = {"skip-gram": (10, 15, 20), "cbow": (20, 30, 40)}
KNOWN = 8
"""All models know words that occur so often."""

CHOSEN = 5
"""How many models somebody chooses from."""

MEASURES = ("KeywordRank", "KeywordRank(value=MAP)", "PairRank", "Topk@3", "OddOneOut@3")
MACHINE = evaluator.Machine(threads=1)


@dataclass(frozen=True)
class Text:
    """A text: its language, its corpus, and which of the disjoint parts of this it is."""

    language: str
    corpus: str
    part: int
    parts: int

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.language}-{self.part}"


TEXTS = (
    Text("en", "english_wikipedia", 0, 2),
    Text("de", "german_novels", 0, 1),
    Text("fr", "french_novels", 0, 1),
    Text("en", "english_wikipedia", 1, 2),
)


def plan(number: int) -> Iterator[tuple[int, Text, Hyperparameters]]:
    """All models: of each text in turn, of each architecture in turn."""
    generator = np.random.default_rng(55)
    for model in range(number):
        for text in TEXTS:
            (drawn,) = SPACE.samples(1, int(generator.integers(2**32)))
            architecture = ("skip-gram", "cbow")[model % 2]
            epochs = int(generator.choice(EPOCHS[architecture]))
            yield model, text, replace(drawn, architecture=architecture, epochs=epochs)


def sample(text: Text, args: argparse.Namespace) -> Sentences:
    """The first tokens of a part of a corpus whose lines are in random order."""
    whole, part = args.work / f"{text.corpus}.txt", args.work / f"{text.name}.part"
    if not whole.exists():
        file = args.data / "corpora" / f"{text.corpus}.txt.gz"
        Corpus((file,), text.language, "fold").write_sentences(whole)
    if not part.exists():
        lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
        part.write_text("".join(lines[text.part :: text.parts]), encoding="utf-8")
    return write_subset(part, 0, args.tokens, args.work / f"{text.name}.txt")


@cache
def rated(language: str, data: Path) -> Sequence[RatedPairs]:
    """The lists of rated pairs of a language."""
    folder = data / "benchmarks" / "similarity"
    if language == "en":
        names = ("MEN-TR-3k", "WS-353-ALL", "SIMLEX-999", "SimVerb-3500")
        files = [folder / "en" / f"EN-{name}.txt" for name in names]
    elif language == "de":
        german = folder / "multilingual_simlex999_ws353"
        files = [german / "simlex-german.txt", german / "ws-353" / "wordsim353-german.txt"]
    else:
        return [multi_simlex(folder / "multi_simlex", {"fr": "FRA"}[language])]
    read = [evaluator.read_testset(file, language=language) for file in files]
    return [each for test_set in read for each in test_set.rated_pairs]


def multi_simlex(folder: Path, code: str) -> RatedPairs:
    """The pairs of a language of Multi-SimLex (Vulić et al. 2020)."""
    words = pd.read_csv(folder / "translation.csv", keep_default_na=False)
    scores = pd.read_csv(folder / "scores.csv", keep_default_na=False)
    pairs = zip(words[f"{code} 1"], words[f"{code} 2"], scores[code].astype(float), strict=True)
    return RatedPairs("Multi-SimLex", "Multi-SimLex", tuple(pairs))


def agreement(vectors: Vectors, text: Text, args: argparse.Namespace) -> float:
    """The mean correlation with the ratings of people, lists weighted by their known pairs."""
    found = []
    for pairs in rated(text.language, args.data):
        test_set = TestSet(text.language, pairs.name, "", rated_pairs=(pairs,))
        score = evaluator.score(vectors, test_set, "Similarity", Settings(oov="skip"), machine=MACHINE)
        (subscore,) = score["Similarity"].subscores
        found.append((subscore.size - subscore.oov, subscore.value or 0.0))
    weights, values = zip(*found, strict=True)
    return float(np.average(values, weights=weights))


@cache
def test_set_of(language: str, tests: Path) -> TestSet:
    """The test set of a language."""
    return evaluator.read_testset(tests / f"{language}.json")


def values_of(vectors: Vectors, text: Text, args: argparse.Namespace) -> dict[str, float | None]:
    """The score by each measure, and how many keywords and pairs are known."""
    found: dict[str, float | None] = {}
    for measure in MEASURES:
        try:
            test_set = test_set_of(text.language, args.tests)
            score = evaluator.score(vectors, test_set, measure, machine=MACHINE)[measure]
        except EvaluatorError as error:
            print(f"{text.name}: {error}")
            found[measure] = None
            continue
        found[measure] = score.value
        if measure in ("KeywordRank", "PairRank"):
            found[f"{measure} known"] = score.answered
    return found


def run_all(args: argparse.Namespace) -> Iterator[str]:
    """Train what is not trained, then score it; yields a line for each."""
    for number, text, parameters in plan(args.models):
        if text.name not in args.texts:
            continue
        path, vectors_of = (
            args.work / f"{text.name}-{number:02}.json",
            args.work / f"{text.name}-{number:02}.npz",
        )
        start = time.monotonic()
        sentences = sample(text, args) if not vectors_of.exists() else None
        if sentences is not None:
            trained = train(sentences, parameters, seed=number)
            known = np.array([sentences.counts[word] >= KNOWN for word in trained.words])
            kept = trained.select(known)
            np.savez(vectors_of, words=np.array(kept.words), matrix=kept.matrix)
        if sentences is None and path.exists() and not args.again:
            continue
        stored = np.load(vectors_of)
        vectors = Vectors(stored["words"].tolist(), stored["matrix"], f"{text.name}-{number:02}")
        row = {"text": text.name, "model": number, **parameters.own, "vocabulary": len(vectors)}
        row |= {"people": agreement(vectors, text, args), **values_of(vectors, text, args)}
        path.write_text(json.dumps(row), encoding="utf-8")
        yield f"{path.stem}: {time.monotonic() - start:.0f} s, {row}"


def loss(people: Sequence[float], scores: Sequence[float] | None, chosen: int = CHOSEN) -> float:
    """The mean loss of choosing the best of some models by scores; at random if there are none.

    The k-th of n models from below is the best of a random choice of so many in C(k-1,chosen-1) of
    C(n,chosen) choices; models of equal scores share these.
    """
    own, chosen = np.asarray(people, dtype=float), min(chosen, len(people))
    best = np.array([comb(place, chosen - 1) for place in range(len(own))]) / comb(len(own), chosen)
    top = float(best @ np.sort(own))
    if scores is None:
        return top - float(own.mean())
    frame = pd.DataFrame({"score": scores, "people": own}).sort_values("score", kind="stable")
    frame["best"] = best
    frame["best"] = frame.groupby("score")["best"].transform("mean")
    return top - float(frame["best"] @ frame["people"])


def tables(frame: pd.DataFrame) -> pd.DataFrame:
    """For each text the loss at random, and the loss and Spearman's correlation with people by measure."""
    rows: list[Mapping[str, Any]] = []
    for text, own in frame.groupby("text"):
        about = {"text": text, "models": len(own), "keywords": own["KeywordRank known"].min()}
        about |= {"pairs": own["PairRank known"].min() if "PairRank known" in own else None}
        rows.append({**about, "measure": "at random", "loss": loss(own["people"], None), "rho": None})
        for measure in (*MEASURES, "window"):
            if own[measure].notna().all() and own[measure].min() < own[measure].max():
                rho = spearmanr(own[measure], own["people"]).statistic
                rows.append(
                    {**about, "measure": measure, "loss": loss(own["people"], own[measure]), "rho": rho}
                )
    return pd.DataFrame(rows)


def main() -> None:
    """Train, score, and show what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tests", type=Path, required=True)
    parser.add_argument("--models", type=int, default=16, help="of each text")
    parser.add_argument("--tokens", type=int, default=2**19, help="of each text")
    parser.add_argument("--texts", nargs="+", default=[each.name for each in TEXTS])
    parser.add_argument("--again", action="store_true", help="score again what was scored, on other tests")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    for line in run_all(args):
        print(line, flush=True)
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(args.work.glob("*-*-??.json"))]
    found = tables(pd.DataFrame(rows))
    found.to_csv(args.work / "losses.csv", index=False)
    print(found.to_string(index=False, float_format=lambda value: f"{value:.3f}"))


if __name__ == "__main__":
    main()
