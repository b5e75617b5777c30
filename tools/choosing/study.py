"""Train and score the models of the study, and print what was found: `python -m tools.choosing WORK …`.

What is in WORK is not made again. DATA has the folders `benchmarks` and `corpora`; TESTS has `en.json`,
`de.json`, `fr.json` and `sa.json` as `testgen generate` writes them. `--models 9`, `--tokens 262144` and
`--texts en-0 de-0` make a smaller study. `--publish` also writes the tables into the page.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.text.corpus import Sentences
from evaluator.vectors import Vectors
from evaluator.vectors.average import mean_of
from tools.choosing import fewer, page, scoring
from tools.choosing.statistics import CHOSEN
from tools.choosing.texts import TEXTS, TOKENS, Text, sample
from tools.choosing.training import MODELS, path_of, plan, trained

DRAWS = 20
"""How many choices of five models are averaged in each text."""


def made(text: Text, number: int, own: dict[str, Any], args: argparse.Namespace) -> str:
    """Train and score a model if that is not done; a line of what was done."""
    path, begun = path_of(args.work, text, number, own), time.monotonic()
    if not path.exists():
        sentences = Sentences.read(args.work / f"{text.name}.txt")
        vectors = trained(sentences, own, number)
        _save(path, words=np.array(vectors.words), matrix=vectors.matrix)
    scores = path.with_suffix(".json")
    if not scores.exists():
        vectors = stored(path)
        rated = scoring.cosines(vectors, text, args.data)
        _save(path.with_suffix(".rated.npz"), **rated)
        row = {"text": text.name, "language": text.language, "model": number, "words": len(vectors), **own}
        row |= {"people": scoring.agreement(rated)}
        row |= {asked: scoring.agreement(rated, asked) for asked in ("similarity", "relatedness")}
        row |= scoring.criteria(vectors, text, args.data)
        row |= scoring.measured(vectors, text, args.data, args.tests)
        _write(scores, row)
    return f"{path.stem}: {own['kind']}, {time.monotonic() - begun:.0f} s"


def averaged(text: Text, args: argparse.Namespace) -> str:
    """Of random choices of five models the agreement with people of means and of single ones."""
    path, begun = args.work / f"{text.name}-means-{args.models}.json", time.monotonic()
    if not path.exists():
        models = [path_of(args.work, text, *each) for each in plan(text, args.models)]
        rows = [json.loads(each.with_suffix(".json").read_text(encoding="utf-8")) for each in models]
        generator, found = np.random.default_rng([61, *text.name.encode()]), []
        for _ in range(DRAWS):
            drawn = generator.choice(len(models), CHOSEN, replace=False).tolist()
            five = sorted(drawn, key=lambda each: rows[each]["KeywordRank"])
            people = [rows[each]["people"] for each in five]
            found.append(
                {
                    "text": text.name,
                    "at random": float(np.mean(people)),
                    "chosen by KeywordRank": people[-1],
                    "best": max(people),
                    "mean of all": _agreement([models[each] for each in five], text, args),
                    "mean of the best 3": _agreement([models[each] for each in five[-3:]], text, args),
                }
            )
        _write(path, found)
    return f"{path.stem}: {time.monotonic() - begun:.0f} s"


def with_fewer(text: Text, args: argparse.Namespace) -> str:
    """How well measures choose between the models of a text with less material."""
    path, begun = args.work / f"{text.name}-fewer-{args.models}.json", time.monotonic()
    if not path.exists():
        models = [path_of(args.work, text, *each) for each in plan(text, args.models)]
        people = [
            json.loads(each.with_suffix(".json").read_text(encoding="utf-8"))["people"] for each in models
        ]
        _write(path, list(fewer.chosen([stored(each) for each in models], people, text, args.tests)))
    return f"{path.stem}: {time.monotonic() - begun:.0f} s"


def _agreement(models: list[Path], text: Text, args: argparse.Namespace) -> float:
    mean = mean_of([stored(each) for each in models]).vectors
    return scoring.agreement(scoring.cosines(mean, text, args.data))


def stored(path: Path) -> Vectors:
    """A model that was trained."""
    found = np.load(path)
    return Vectors(found["words"].tolist(), found["matrix"], path.stem)


def _save(path: Path, **arrays: Any) -> None:  # noqa: ANN401  # of numpy
    part = path.with_name(f"{path.name}.part.npz")
    np.savez(part, **arrays)
    part.replace(path)


def _write(path: Path, content: object) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content), encoding="utf-8")
    part.replace(path)


def run(texts: list[Text], args: argparse.Namespace) -> Iterator[str]:
    """Do what is not done, text by text, several models at a time."""
    with ProcessPoolExecutor(args.workers, get_context("spawn")) as pool:
        for text in texts:
            sample(text, args.data, args.work, args.tokens)
            tasks = [pool.submit(made, text, *each, args) for each in plan(text, args.models)]
            yield from (each.result() for each in as_completed(tasks))
        rated = [text for text in texts if text.rated]
        for step in (averaged, with_fewer):
            yield from pool.map(step, rated, itertools.repeat(args))


def work_for(work: Path, tokens: int) -> None:
    """Make the folder; one that has texts of another size is refused."""
    work.mkdir(parents=True, exist_ok=True)
    size = work / "tokens"
    if size.exists() and size.read_text(encoding="utf-8") != str(tokens):
        sys.exit(f"{work} has texts of {size.read_text(encoding='utf-8')} tokens; take another folder")
    size.write_text(str(tokens), encoding="utf-8")


def main() -> None:
    """Train, score, and show what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tests", type=Path, required=True)
    parser.add_argument("--models", type=int, default=MODELS, help="of each text")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of each text")
    parser.add_argument("--texts", nargs="+", default=[each.name for each in TEXTS])
    parser.add_argument("--workers", type=int, default=2, help="how many models at a time")
    parser.add_argument("--publish", action="store_true", help="write the tables into the page, too")
    args = parser.parse_args()
    work_for(args.work, args.tokens)
    texts = [each for each in TEXTS if each.name in args.texts]
    for line in run(texts, args):
        print(line, flush=True)
    page.collect(args.work, texts, args.models)
    if args.publish:
        page.publish(args.work)
    else:
        page.show(args.work)
