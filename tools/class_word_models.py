"""Do class words choose between models of Latin and Sanskrit? A study that can be interrupted.

`python -m tools.class_word_models WORK --data DATA --tests TESTS` makes the models of each text, scores them
and prints the table; what is in WORK is not made again. DATA has the folders `benchmarks`, `corpora` and
`lexicons`; TESTS has `la.json` and `sa.json` as `testgen generate` writes them.

The plan, made before any score was computed on these models:

- Texts: of each language one of 2^19 tokens, of lines in random order.
- 8 models a text: the SVD of positive PMI, with hyper-parameters drawn from `SPACE`. It takes a twelfth of
  the time of skip-gram and is ahead of it on such texts, but so says nothing of other kinds of model.
- Words: those that occur 8 times or more, which all models of a text know.
- *Criterion* for Sanskrit: Spearman's correlation of cosines with the three degrees of relatedness of 9,102
  pairs made from the Amarakośa (EvalSan). A stem stands for its commonest form in the text among stem, -ः,
  -ं and -म्.
- *Criterion* for Latin, where there are no ratings: synonyms of Wiktionary's wordnet, words of one concept,
  as mean reciprocal rank of a synonym among all such words, vectors centred. It is weaker: `KeywordRank`
  has the same form, though other words.
- *Hypotheses*: pairs of things and class words (`PairRank` on `thing-class` alone) agree with the criterion,
  ρ > 0, in both languages; and their loss, choosing among five, is at most half of that at random. Of
  others (all relations, keywords, `Topk@3`, `OddOneOut@3`, the window) nothing is claimed beforehand.
- With 8 models, ρ must be above .64 to be shown (one-sided, 5%): less is "not shown", not "no".
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import evaluator
from evaluator.datasets.testset import Item, RelatedWords, TestSet
from evaluator.errors import EvaluatorError
from evaluator.settings import Settings
from evaluator.studies.trainers import SvdTrainer
from evaluator.studies.tuning.space import SvdSpace
from evaluator.vectors import Vectors
from tools.choosing.sanskrit import relatedness
from tools.choosing.statistics import loss
from tools.keyword_models import KNOWN, MACHINE, Text, sample, stored

SPACE = SvdSpace(
    dimension=(32, 64, 100, 144),
    window=(2, 3, 5, 7, 10),
    min_count=(2, 3, 5, 8),
)
TEXTS = (Text("la", "latin", 0, 1), Text("sa", "sanskrit", 0, 1))
CLASSES = "thing-class"
MEASURES = ("class words", "PairRank", "KeywordRank", "Topk@3", "OddOneOut@3")


def synonyms(data: Path) -> TestSet:
    """Latin words of one concept in Wiktionary's wordnet, as groups of related words."""
    concepts: dict[str, list[str]] = {}
    with (data / "lexicons" / "historical-words.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["iso639_3"] == "lat" and not row["source"].startswith("iecor") and row["form"].isalpha():
                concepts.setdefault(row["concept"], []).append(row["form"].lower())
    items = tuple(
        Item(name, tuple(dict.fromkeys(words))) for name, words in concepts.items() if len(set(words)) > 1
    )
    return TestSet("la", "synonyms", "", groups=(RelatedWords("synonyms", "synonyms", items),))


def criterion(vectors: Vectors, text: Text, data: Path) -> tuple[float, int]:
    """The agreement of a model with the criterion of its language, and how many pairs or words are known."""
    if text.language == "la":
        score = evaluator.score(vectors, synonyms(data), "KeywordRank", machine=MACHINE)["KeywordRank"]
    else:
        test_set = relatedness(data, vectors.index)
        found = evaluator.score(vectors, test_set, "Similarity", Settings(oov="skip"), machine=MACHINE)
        score = found["Similarity"]
    (subscore,) = score.subscores
    return score.value, subscore.size - subscore.oov


def values_of(vectors: Vectors, text: Text, tests: Path) -> dict[str, float | None]:
    """The score by each measure, and how many pairs or words it asked."""
    whole = evaluator.read_testset(tests / f"{text.language}.json")
    classes = replace(whole, relations=tuple(each for each in whole.relations if each.name == CLASSES))
    found: dict[str, float | None] = {}
    for name in MEASURES:
        measure, test_set = ("PairRank", classes) if name == "class words" else (name, whole)
        try:
            score = evaluator.score(vectors, test_set, measure, machine=MACHINE)[measure]
        except EvaluatorError as error:
            print(f"{text.name}: {error}")
            found |= {name: None, f"{name} known": None}
            continue
        found |= {name: score.value, f"{name} known": score.answered}
    return found


def run(text: Text, args: argparse.Namespace) -> Iterator[str]:
    """Make the models of a text that are not made, then score them; yields a line for each."""
    generator = np.random.default_rng([57, *text.name.encode()])
    for number in range(args.models):
        (parameters,) = SPACE.samples(1, int(generator.integers(2**32)))
        path = args.work / f"{text.name}-{number:02}.json"
        if path.exists():
            continue
        if not path.with_suffix(".npz").exists():
            sentences = sample(text, args)
            trained = SvdTrainer().train(sentences, parameters, number, None)
            kept = trained.select(np.array([sentences.counts[word] >= KNOWN for word in trained.words]))
            np.savez(path.with_suffix(".npz"), words=np.array(kept.words), matrix=kept.matrix)
        vectors = stored(path.with_suffix(".npz"))
        agreement, asked = criterion(vectors, text, args.data)
        row: dict[str, Any] = {"text": text.name, "model": number, **parameters.own}
        row |= {"criterion": agreement, "criterion known": asked, **values_of(vectors, text, args.tests)}
        path.write_text(json.dumps(row), encoding="utf-8")
        yield f"{path.stem}: {row}"


def table(text: Text, work: Path) -> pd.DataFrame:
    """Of each measure the loss of choosing by it, and its correlation with the criterion."""
    own = pd.DataFrame(
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(work.glob(f"{text.name}-??.json"))
    )
    about = {"text": text.name, "models": len(own), "criterion known": own["criterion known"].min()}
    rows: list[dict[str, Any]] = [{**about, "measure": "at random", "loss": loss(own["criterion"], None)}]
    for measure in (*MEASURES, "window"):
        if own[measure].isna().any() or own[measure].min() == own[measure].max():
            continue
        known = own[f"{measure} known"].min() if f"{measure} known" in own else None
        rho = spearmanr(own[measure], own["criterion"]).statistic
        found = {"known": known, "loss": loss(own["criterion"], own[measure]), "rho": rho}
        rows.append({**about, "measure": measure, **found})
    return pd.DataFrame(rows)


def main() -> None:
    """Make models, score them, and show what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tests", type=Path, required=True)
    parser.add_argument("--models", type=int, default=8, help="of each text")
    parser.add_argument("--tokens", type=int, default=2**19, help="of each text")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    for text in TEXTS:
        for line in run(text, args):
            print(line, flush=True)
        print(table(text, args.work).to_string(index=False, float_format="{:.3f}".format), flush=True)


if __name__ == "__main__":
    main()
