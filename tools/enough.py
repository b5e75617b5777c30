"""How much text is enough? What models of a corpus cut to sizes can tell, for docs/questions.md.

`python -m tools.enough WORK --data DATA` trains a counted model and one of skip-gram on the first 100,000 to
3,000,000 tokens of corpora whose lines are in random order, scores them on the default test set of the
language, and writes the table of the page. DATA has the folder `corpora`; what is in WORK is not made again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import evaluator
from evaluator.studies.curves.subsets import write_subset
from evaluator.text.corpus import Corpus
from tools import tables
from tools.tables import table

PAGE = Path(__file__).parents[1] / "docs" / "questions.md"

CORPORA = {
    "en": ("English", "english_wikipedia"),
    "de": ("German", "german_novels"),
    "la": ("Latin", "latin"),
}
SIZES = (100_000, 300_000, 1_000_000, 3_000_000)
TRAINERS: Mapping[str, tuple[str, ...]] = {
    "counted": (),
    "skip-gram": ("--trainer", "gensim", "--epochs", "15"),
}
MEASURES = ("Topk@3", "KeywordRank")


def _run(*arguments: str | Path) -> Any:  # noqa: ANN401  # JSON
    program = Path(sys.executable).with_name("evaluator")
    done = subprocess.run([program, *arguments], check=True, capture_output=True, text=True)  # noqa: S603
    return json.loads(done.stdout)


def found_of(language: str, size: int, data: Path, work: Path) -> dict[str, Any]:
    """The scores of two models of so many tokens, and the smallest differences that are found."""
    whole, part = work / f"{language}.txt", work / f"{language}-{size}.txt"
    if not whole.exists():
        corpus = data / "corpora" / f"{CORPORA[language][1]}.txt.gz"
        Corpus((corpus,), language, "fold").write_sentences(whole)
    write_subset(whole, 0, size, part)
    models = [work / f"{part.stem}-{name}.safetensors" for name in TRAINERS]
    for path, how in zip(models, TRAINERS.values(), strict=True):
        if not path.exists():
            _run("train", part, "--language", language, *how, "--output", path, "--json")
    asked = [each for measure in MEASURES for each in ("--measure", measure)]
    plans = _run("plan", *models, "--test", language, *asked, "--json")["plans"]
    row: dict[str, Any] = {"language": language, "tokens": size}
    for plan in plans:
        row[f"{plan['measure']}, difference"] = plan["sizes"][0]["over_words"]
    for name, path in zip(TRAINERS, models, strict=True):
        scores = evaluator.score(path, language, MEASURES)
        for measure in MEASURES:
            own = scores[measure]
            row[f"{measure}, known"] = own.known
            row[f"{measure}, {name}"] = [own.value, *(own.interval or ()), " and ".join(own.lacking)]
    return row


def _score(found: list[Any]) -> str:
    value, *ends, less = found
    shown = f"{value:.3f}" + (f" ({ends[0]:.3f} to {ends[1]:.3f})" if ends else "")
    return shown + (f", not above {less}" if less else "")


def rows(found: list[dict[str, Any]]) -> Iterator[list[str]]:
    """The cells of each size."""
    for each in found:
        cells = [CORPORA[each["language"]][0], f"{each['tokens']:,}"]
        for measure in MEASURES:
            apart = each.get(f"{measure}, difference")
            cells += [f"{each[f'{measure}, known']:,}"]
            cells += [_score(each[f"{measure}, {name}"]) for name in TRAINERS]
            cells += ["" if apart is None else f"{apart:.3f}"]
        yield cells


def made(found: list[dict[str, Any]]) -> str:
    """The table."""
    head = ["language", "tokens"]
    for measure in MEASURES:
        known = "known words" if measure == MEASURES[0] else "known keywords"
        head += [known, *(f"{measure}, {name}" for name in TRAINERS), f"{measure}, smallest difference"]
    return table(head, rows(found))


def main() -> None:
    """Train, score, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    found = []
    for language in CORPORA:
        for size in SIZES:
            path = given.work / f"{language}-{size}.json"
            if not path.exists():
                path.write_text(json.dumps(found_of(language, size, given.data, given.work)), "utf-8")
            found.append(json.loads(path.read_text(encoding="utf-8")))
            print(*next(rows(found[-1:])), sep="  ", flush=True)
    tables.write(PAGE, {"enough": lambda: made(found)})


if __name__ == "__main__":
    main()
