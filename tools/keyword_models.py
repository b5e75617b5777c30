"""Does KeywordRank choose between trained models, from what is shipped? A study that can be interrupted.

`python -m tools.keyword_models WORK --data DATA --tests TESTS` trains the models of each text, scores them
and prints the tables; what is in WORK is not made again. DATA has the folders `corpora` and `benchmarks`;
TESTS has `en.json`, `de.json` and `fr.json` as `testgen generate` writes them. `--models 8`,
`--tokens 262144` and `--texts en-0 de-0` make a smaller study; `--means` adds the mean of the best three.

The plan, made before any measure was computed on these models:

- Texts: two of French novels, two of German ones, two of English Wikipedia, each of 2^19 tokens; lines in
  random order, no line in two texts.
- 16 word2vec models a text, 8 of skip-gram and 8 of CBOW, the other hyper-parameters drawn from `SPACE`;
  rates and epochs are those with which such models have learnt most of what they can. The models of a text
  depend on its name alone.
- Words: those that occur 8 times or more, which all models of a text know.
- *Agreement with people*: the mean of Spearman's correlations with lists of rated pairs, each weighted by how
  many of its pairs are known.
- *Loss*: of five random models of a text, how far the one with the highest score is below the best of the
  five. It is the mean over all choices of five; of equal scores, each is chosen as often.
- *Mean of the best three*: of five models, the three with the highest `KeywordRank` are averaged as by
  `evaluator average --best 3`, and the mean takes the place of the chosen one.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
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
from evaluator.vectors.average import mean_of
from tools.choosing.statistics import loss
from tools.choosing.texts import Text, multi_simlex

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


TEXTS = (
    Text("fr", "french_novels", 0, 2),
    Text("fr", "french_novels", 1, 2),
    Text("de", "german_novels", 0, 2),
    Text("de", "german_novels", 1, 2),
    Text("en", "english_wikipedia", 0, 2),
    Text("en", "english_wikipedia", 1, 2),
)


def plan(text: Text, number: int) -> Iterator[tuple[int, Hyperparameters]]:
    """The models of a text, of each architecture in turn."""
    generator = np.random.default_rng([55, *text.name.encode()])
    for model in range(number):
        (drawn,) = SPACE.samples(1, int(generator.integers(2**32)))
        architecture = ("skip-gram", "cbow")[model % 2]
        epochs = int(generator.choice(EPOCHS[architecture]))
        yield model, replace(drawn, architecture=architecture, epochs=epochs)


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


def run(text: Text, args: argparse.Namespace) -> Iterator[str]:
    """Train the models of a text that are not trained, then score them; yields a line for each."""
    for number, parameters in plan(text, args.models):
        path = args.work / f"{text.name}-{number:02}.json"
        start = time.monotonic()
        if not path.with_suffix(".npz").exists():
            sentences = sample(text, args)
            trained = train(sentences, parameters, seed=number)
            known = np.array([sentences.counts[word] >= KNOWN for word in trained.words])
            kept = trained.select(known)
            np.savez(path.with_suffix(".npz"), words=np.array(kept.words), matrix=kept.matrix)
        elif path.exists() and not args.again:
            continue
        vectors = stored(path.with_suffix(".npz"))
        row = {"text": text.name, "model": number, **parameters.own, "vocabulary": len(vectors)}
        row |= {"people": agreement(vectors, text, args), **values_of(vectors, text, args)}
        path.write_text(json.dumps(row), encoding="utf-8")
        yield f"{path.stem}: {time.monotonic() - start:.0f} s, {row}"


def stored(path: Path) -> Vectors:
    """A model that was trained."""
    found = np.load(path)
    return Vectors(found["words"].tolist(), found["matrix"], path.stem)


def best_threes(scores: Sequence[float], chosen: int = CHOSEN) -> dict[tuple[int, ...], float]:
    """The three models with the highest scores of a random choice: which, and how often, in sum 1.

    Three models of which the lowest is the k-th of n from below are those of C(k-1,chosen-3) choices.
    """
    order = np.argsort(scores, kind="stable").tolist()
    every = comb(len(order), chosen)
    found = {}
    for places in combinations(range(len(order)), 3):
        if often := comb(places[0], chosen - 3):
            found[tuple(sorted(order[place] for place in places))] = often / every
    return found


def agreement_of_means(text: Text, scores: Sequence[float], args: argparse.Namespace) -> float:
    """How well the mean of the best three of five models agrees with people, over all choices of five."""
    path = args.work / f"{text.name}.means.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    models = [stored(args.work / f"{text.name}-{number:02}.npz") for number in range(len(scores))]
    total = 0.0
    for three, share in best_threes(scores).items():
        name = "-".join(map(str, three))
        if name not in known:
            mean = mean_of([models[number] for number in three]).vectors
            known[name] = agreement(mean, text, args)
            path.write_text(json.dumps(known), encoding="utf-8")
        total += share * known[name]
    return total


def best_of(people: Sequence[float], chosen: int = CHOSEN) -> float:
    """The mean agreement with people of the best of random choices of some models."""
    return loss(people, None, chosen) + float(np.mean(people))


def table(text: Text, args: argparse.Namespace) -> pd.DataFrame:
    """Of a text the loss at random, and the loss and Spearman's correlation with people by measure."""
    files = sorted(args.work.glob(f"{text.name}-??.json"))
    own = pd.DataFrame(json.loads(path.read_text(encoding="utf-8")) for path in files)
    if own.empty:
        return own
    about: Mapping[str, Any] = {"text": text.name, "models": len(own)} | {
        name: own[f"{measure} known"].min() if f"{measure} known" in own else None
        for name, measure in (("keywords", "KeywordRank"), ("pairs", "PairRank"))
    }
    rows = [{**about, "measure": "at random", "loss": loss(own["people"], None), "rho": None}]
    for measure in (*MEASURES, "window"):
        if own[measure].notna().all() and own[measure].min() < own[measure].max():
            rho = spearmanr(own[measure], own["people"]).statistic
            rows.append({**about, "measure": measure, "loss": loss(own["people"], own[measure]), "rho": rho})
    if args.means:
        mean = agreement_of_means(text, own["KeywordRank"], args)
        rows.append(
            {**about, "measure": "mean of the best 3", "loss": best_of(own["people"]) - mean, "rho": None}
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
    parser.add_argument("--means", action="store_true", help="average the best three models, too")
    parser.add_argument("--again", action="store_true", help="score again what was scored, on other tests")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    texts = [each for each in TEXTS if each.name in args.texts]
    for text in texts:
        for line in run(text, args):
            print(line, flush=True)
        print(table(text, args).to_string(index=False, float_format="{:.3f}".format), flush=True)
    found = pd.concat([table(text, args) for text in texts])
    found.to_csv(args.work / "losses.csv", index=False)


if __name__ == "__main__":
    main()
