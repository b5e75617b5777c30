"""Train and score the models that docs/validity.md compares; `tools/validity.py` makes the page from them.

`python tools/validity_models.py WORK --data DATA --tests TESTS` writes a JSON file for each model to
WORK/models. Models whose file exists are skipped, so it can be stopped and started again. DATA has the
corpora and the benchmarks; TESTS has the folders `shipped` and `slice` that `testgen generate` wrote.
"""

# ruff: noqa: S311 - nothing here is secret

from __future__ import annotations

import argparse
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import evaluator
from evaluator.datasets.testset import Category, TestSet
from evaluator.engine.vocabulary_lookup import VocabularyLookup
from evaluator.errors import EvaluatorError
from evaluator.settings import Hyperparameters, Settings
from evaluator.studies.curves.subsets import write_subset
from evaluator.studies.curves.test_sets import categories_of
from evaluator.studies.training import train
from evaluator.studies.tuning.space import Space
from evaluator.text.corpus import Corpus, Sentences
from evaluator.vectors import Vectors

SPACE = Space(
    model=("word2vec", "word2vec", "word2vec", "fasttext"),
    dimension=(50, 75, 100, 150),
    window=(2, 3, 5, 8, 10),
    learning_rate=(0.01, 0.025, 0.05, 0.1),
    min_count=(2, 3, 5, 8),
    lemmas=(False,),
)
EPOCHS = {17: (5, 10, 20), 18: (5, 10, 20), 19: (3, 5, 10), 20: (2, 3, 5), 21: (2, 3, 5), 22: (1, 2, 3)}
MODELS = {
    "en": {17: 14, 18: 20, 19: 20, 20: 20, 21: 14, 22: 8},
    "hi": {18: 9, 19: 9},
}
"""How many models are trained on samples of 2^size tokens."""
SAMPLES = {"en": 4, "hi": 1}
"""Into how many disjoint parts a corpus is cut; smaller samples of a part are within larger ones."""
REPEATED = {"en": (19, 4, 2)}
"""The size at which how many models are trained again with how many other seeds."""
LONG, LONGEST = 15.0, 30.0  # seconds; models that take longer than these are trained last, or drawn again

FILES = {"en": "english_wikipedia.txt.gz", "hi": "hindi.txt.gz"}
PUBLISHED = ("googlenews_top8000_300d.bin.gz", "tweets_emoji_prediction_29508_10d.vec.gz")

CATEGORY_MEASURES = ("Topk@3", "OddOneOut(samples=1000)@3", "OddOneOut(out=matched)@3")
WORDS, DRAWS = (5, 10, 20), 3  # categories cut to so many words, so many times


@dataclass(frozen=True)
class Run:
    """A model: what it is trained on, and how.

    Attributes:
        language: Its code.
        sample: The number of the part of the corpus.
        size: The binary logarithm of the number of tokens.
        parameters: The hyper-parameters.
        seed: Of training.
        number: Of the model in its language.
    """

    language: str
    sample: int
    size: int
    parameters: Hyperparameters
    seed: int
    number: int

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.language}-{self.number:03}"


def plan(language: str) -> list[Run]:
    """All models of a language, in the order of `_late`."""
    generator = np.random.default_rng(20)
    runs = []
    for size, number in MODELS[language].items():
        for position in range(number):
            parameters = _drawn(size, generator)
            runs.append((position % SAMPLES[language], size, parameters, 0))
    if language in REPEATED:
        size, models, seeds = REPEATED[language]
        chosen = [run for run in runs if run[1] == size][:models]
        runs += [(*run[:3], seed) for run in chosen for seed in range(1, seeds + 1)]
    found = [Run(language, *run, number) for number, run in enumerate(runs)]
    return sorted(found, key=_late)


def _late(run: Run) -> tuple[bool, int, float]:
    """Small corpora first, then models that take long, of large corpora first."""
    seconds = _seconds(run.parameters, 2**run.size)
    long = run.size == 22 or seconds > LONG
    return long, -run.size if long else run.size, seconds


def _drawn(size: int, generator: np.random.Generator) -> Hyperparameters:
    while True:
        epochs = int(generator.choice(EPOCHS[size]))
        (drawn,) = SPACE.samples(1, int(generator.integers(2**31)), epochs)
        if _seconds(drawn, 2**size) <= LONGEST:
            return drawn


def _seconds(parameters: Hyperparameters, tokens: int) -> float:
    """About how long training takes on one core, from a few models."""
    rates = {"word2vec": {"skip-gram": 4.0, "cbow": 1.1}, "fasttext": {"skip-gram": 6.8, "cbow": 6.0}}
    a_token = rates[parameters.model][parameters.architecture] * 1e-6
    work = (
        parameters.dimension / 100 * (parameters.window / 5 if parameters.architecture == "skip-gram" else 1)
    )
    return a_token * (0.3 + 0.7 * work) * tokens * parameters.epochs


def samples(language: str, data: Path, work: Path) -> list[Path]:
    """The disjoint parts of a corpus, a sentence or article a line, written once."""
    paths = [work / f"{language}-{number}.txt" for number in range(SAMPLES[language])]
    if all(path.exists() for path in paths):
        return paths
    corpus = Corpus((data / "corpora" / FILES[language],), language, "fold")
    whole = corpus.write_sentences(work / f"{language}.txt")
    lines = whole.path.read_text(encoding="utf-8").splitlines(keepends=True)
    for number, path in enumerate(paths):
        path.write_text("".join(lines[number :: len(paths)]), encoding="utf-8")
    return paths


def sentences(run: Run, part: Path, work: Path) -> Sentences:
    """The sample that a model is trained on; all of the part if it is a little smaller than asked for."""
    return write_subset(part, 0, min(2**run.size, _tokens(part)), work / "sample.txt")


@cache
def _tokens(part: Path) -> int:
    return Sentences.read(part).tokens


@cache
def tests(language: str, data: Path, generated: Path) -> Mapping[str, TestSet]:
    """All test sets with categories, sections or groups, by name."""
    benchmarks = data / "benchmarks"

    def read(path: Path, kind: str = "auto") -> TestSet:
        return evaluator.read_testset(path, format=kind, language=language)

    found = {name: read(generated / name / f"{language}.json") for name in ("shipped", "slice")}
    if language == "en":
        found["Google"] = with_columns(read(benchmarks / "analogy/en/google_questions-words.txt"))
        found["BATS"] = with_columns(read(benchmarks / "analogy/en/BATS_3.0"))
        found["MSR"] = read(benchmarks / "analogy/en/msr_syntactic.txt")
        for name in ("ap", "bless", "essli-2008"):
            found[name] = read(benchmarks / f"categorization/en/{name}.csv")
        for name in ("8-8-8.csv", "50-8-8-EN.tar.gz", "wiki-sem-500-en.tar.gz"):
            found[name.partition(".")[0]] = read(benchmarks / "outlier/en" / name)
    found["cut"] = cut(found["slice"])
    return found


def with_columns(test_set: TestSet) -> TestSet:
    """A test set of analogies with two more categories for each section, the columns of its pairs."""
    made = tuple(each for section in test_set.sections for each in categories_of(section))
    return replace(test_set, categories=made)


def cut(test_set: TestSet) -> TestSet:
    """Categories cut to a few words, each a few times: `name|words|draw`; only of words without a space."""
    made = []
    for category in test_set.categories:
        single = [
            replace(item, words=words)
            for item in category.items
            if (words := tuple(word for word in item.words if " " not in word)[:1])
        ]
        for size in (size for size in WORDS if size <= len(single)):
            for draw in range(DRAWS):
                name = f"{category.name}|{size}|{draw}"
                made.append(Category(name, name, tuple(random.Random(name).sample(single, size))))
    return replace(test_set, categories=tuple(made))


RATED = {
    "en": {
        "MEN": "en/EN-MEN-TR-3k.txt",
        "WS-353": "en/EN-WS-353-ALL.txt",
        "WS-SIM": "en/EN-WS-353-SIM.txt",
        "WS-REL": "en/EN-WS-353-REL.txt",
        "SimLex-999": "en/EN-SIMLEX-999.txt",
        "RG-65": "en/EN-RG-65.txt",
        "SimVerb": "en/EN-SimVerb-3500.txt",
    },
    "hi": {"Hindi-WS": "indian/Hindi-WS.txt"},
}


@cache
def rated(language: str, data: Path) -> Mapping[str, TestSet]:
    """All rated pairs of a language."""
    return {
        name: evaluator.read_testset(data / "benchmarks/similarity" / path, language=language)
        for name, path in RATED[language].items()
    }


def measures_of(name: str, test_set: TestSet, oov: str) -> Iterator[str]:
    """The measures for a test set; those that take long are left out for the large ones."""
    large = name in ("slice", "BATS")
    if test_set.categories:
        yield from CATEGORY_MEASURES[: 2 if large else 3]
    if test_set.categories and name not in ("slice", "BATS", "cut", "shipped"):
        yield "Categorization"
    if name in ("Google", "MSR") or (name == "BATS" and oov == "wrong"):
        yield "Analogy@1"
    if test_set.outlier_groups:
        yield "OutlierDetection"


def settings_of(name: str) -> Iterator[Settings]:
    """How a test set is scored: unknown words are misses, and, but for cut categories, left out."""
    yield Settings()
    if name != "cut":
        yield Settings(oov="skip")


def scored(vectors: Vectors, language: str, data: Path, generated: Path) -> dict[str, Any]:
    """All scores of a model, by test set, treatment of OOV words, and measure."""
    found: dict[str, Any] = {}
    for name, test_set in tests(language, data, generated).items():
        for settings in settings_of(name):
            own = found.setdefault(name, {})
            if settings.oov == "skip" and vectors.subword is not None:  # no word is unknown
                own["skip"] = own["wrong"]
                continue
            own[settings.oov] = {
                measure: record(vectors, test_set, measure, settings)
                for measure in measures_of(name, test_set, settings.oov)
            }
    for name, test_set in rated(language, data).items():
        for settings in settings_of(name):
            own = record(vectors, test_set, "Similarity", settings)
            found.setdefault(name, {})[settings.oov] = {"Similarity": own}
    return found


def record(vectors: Vectors, test_set: TestSet, measure: str, settings: Settings) -> dict[str, Any]:
    """The score, its chance level, and value, chance, size and OOV of each subscore."""
    try:
        machine = evaluator.Machine(threads=1)
        score = evaluator.score(vectors, test_set, measure, settings, machine=machine)[measure]
    except EvaluatorError as error:
        return {"value": None, "error": str(error)}
    parts = {
        each.name: [
            each.value and round(each.value, 5),
            each.chance and round(each.chance, 5),
            each.size,
            each.oov,
        ]
        for each in score.subscores
    }
    return {"value": score.value, "chance": score.chance, "subscores": parts}


def coverage(vectors: Vectors, language: str, named: Mapping[str, TestSet]) -> dict[str, float]:
    """The share of each test set's words that are in the vocabulary; subwords do not count."""
    own = replace(vectors, subword=None)
    found = {}
    for name, test_set in named.items():
        if not words_of(test_set):
            continue
        lookup = VocabularyLookup(own, language, Settings())
        rows = lookup.query_rows(word for word in map(lookup.normalized, words_of(test_set)) if word)
        found[name] = float(np.mean(np.asarray(rows) >= 0))
    return found


def words_of(test_set: TestSet) -> list[str]:
    """All different words of categories and rated pairs."""
    words = [word for each in test_set.categories for word in each.words]
    words += [word for each in test_set.rated_pairs for pair in each.pairs for word in pair[:2]]
    return list(dict.fromkeys(words))


def write(
    path: Path, vectors: Vectors, about: Mapping[str, Any], args: argparse.Namespace, language: str
) -> None:
    """Score a model and write its file."""
    start = time.monotonic()
    if args.keep is not None:
        evaluator.save_vectors(replace(vectors, subword=None), args.keep / f"{about['name']}.safetensors")
    named = {**tests(language, args.data, args.tests), **rated(language, args.data)}
    found = {
        **about,
        "vocabulary": len(vectors),
        "coverage": coverage(vectors, language, named),
        "scores": scored(vectors, language, args.data, args.tests),
        "seconds_scoring": round(time.monotonic() - start, 1),
    }
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(found), encoding="utf-8")
    temporary.replace(path)


def run_all(runs: Iterable[Run], args: argparse.Namespace) -> Iterator[str]:
    """Train and score what is not finished; yields a line for each."""
    folder = args.work / "models"
    for run in runs:
        path = folder / f"{run.name}.json"
        if path.exists():
            continue
        start = time.monotonic()
        part = samples(run.language, args.data, args.work)[run.sample]
        about = {**asdict(run), "parameters": asdict(run.parameters), "name": run.name}
        try:
            vectors = train(sentences(run, part, args.work), run.parameters, run.seed)
        except EvaluatorError as error:
            path.with_suffix(".failed").write_text(f"{about}: {error}\n", encoding="utf-8")
            yield f"{run.name}: {error}"
            continue
        about["seconds_training"] = round(time.monotonic() - start, 1)
        write(path, vectors, about, args, run.language)
        yield f"{run.name}, 2^{run.size} tokens, {run.parameters}: {time.monotonic() - start:.0f} s"


# The same questions for all models of a size


COMMON = ("slice", "shipped", "Google")
"""The test sets with categories that are scored on the words that all models of a size know."""


def common_words(run: Run, args: argparse.Namespace) -> tuple[frozenset[str], int]:
    """The words that models of a size know with any min count, and how many words the smallest has."""
    ranked = []
    for part in samples(run.language, args.data, args.work):
        counts = Counter(sentences(run, part, args.work).counts)
        ranked.append([word for word, count in counts.most_common() if count >= max(SPACE.min_count)])
    size = min(map(len, ranked))
    return frozenset.intersection(*(frozenset(words[:size]) for words in ranked)), size


def only(test_set: TestSet, words: Set[str]) -> TestSet:
    """Categories and rated pairs of these words only; categories that all measures can score."""
    categories = []
    for each in test_set.categories:
        kept = tuple(item for item in each.items if item.words[0].casefold() in words)
        categories += [replace(each, items=tuple(replace(item, words=item.words[:1]) for item in kept))]
    rated_pairs = [
        replace(
            each, pairs=tuple(pair for pair in each.pairs if {word.casefold() for word in pair[:2]} <= words)
        )
        for each in test_set.rated_pairs
    ]
    large = tuple(each for each in categories if len(each.words) >= 4)
    return replace(test_set, categories=large, rated_pairs=tuple(rated_pairs))


def score_common(runs: Sequence[Run], args: argparse.Namespace) -> Iterator[str]:
    """Score models of one size, whose vectors were kept, on what all know; yields a line for each."""
    language = runs[0].language
    words, size = common_words(runs[0], args)
    named = {name: only(tests(language, args.data, args.tests)[name], words) for name in COMMON}
    named |= {name: only(each, words) for name, each in rated(language, args.data).items()}
    settings = Settings(oov="skip", vocabulary=size)
    for run in runs:
        path = args.work / "common" / f"{run.name}.json"
        if path.exists():
            continue
        vectors = evaluator.load_vectors(args.keep / f"{run.name}.safetensors")
        found = {
            name: {
                measure: record(vectors, each, measure, settings)
                for measure in (("Similarity",) if each.rated_pairs else CATEGORY_MEASURES)
            }
            for name, each in named.items()
        }
        path.write_text(json.dumps(found), encoding="utf-8")
        yield f"{run.name}: {len(words)} words that all models of 2^{run.size} tokens know"


def finished_by_size(language: str, args: argparse.Namespace) -> Iterator[list[Run]]:
    """The finished models of each size."""
    finished = [run for run in plan(language) if (args.work / "models" / f"{run.name}.json").exists()]
    for size in MODELS[language]:
        runs = [run for run in finished if run.size == size]
        if not all((args.work / "common" / f"{run.name}.json").exists() for run in runs):
            yield runs


def published(args: argparse.Namespace) -> Iterator[str]:
    """Score the published English vectors that are large enough."""
    for file in PUBLISHED:
        name = file.partition("_")[0]
        path = args.work / "models" / f"en-{name}.json"
        if not path.exists():
            vectors = evaluator.load_vectors(args.data / "vectors" / "en" / file)
            about = {"name": f"en-{name}", "language": "en", "sample": name, "size": None, "seed": 0}
            write(path, vectors, about, args, "en")
            yield name


def main() -> None:
    """Train and score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tests", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="a folder for the vectors, without subwords")
    parser.add_argument("--language", choices=MODELS, action="append")
    parser.add_argument("--common", action="store_true", help="score what was kept on what all models know")
    args = parser.parse_args()
    for folder in ("models", "common"):
        (args.work / folder).mkdir(parents=True, exist_ok=True)
    for language in args.language or list(MODELS):
        if args.common:
            lines = itertools.chain.from_iterable(
                score_common(runs, args) for runs in finished_by_size(language, args)
            )
        else:
            lines = itertools.chain(
                published(args) if language == "en" else (), run_all(plan(language), args)
            )
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    main()
