"""Draw the figures and tables of Stringham and Izbicki (2020) from what ships and the corpora at hand.

`make papers CORPORA=DIR` runs the commands below, one after another, in `build/papers`, and writes the page
docs/evidence/language-comparison.md from what they wrote; papers.tsv has the names of the texts. A step whose
result is there is not run again; one whose files are missing is skipped, and said to be. `EMOJI=DIR` has the
files of figure 3. `python -m tools.papers --page` writes the page from what docs/evidence/experiments has.
"""

# ruff: noqa: ANN401 - JSON of any shape

from __future__ import annotations

import argparse
import csv
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tools import tables
from tools.tables import table

REPOSITORY = Path(__file__).parent.parent
PAGE = REPOSITORY / "docs" / "evidence" / "language-comparison.md"
KEPT = REPOSITORY / "docs" / "evidence" / "experiments"
BUILD = REPOSITORY / "build" / "papers"
MEASURES = ("Topk@3", "OddOneOut@3")


class Language(msgspec.Struct, frozen=True):
    """A corpus, and the hyper-parameters of the paper's best model of its language (Table 1).

    Attributes:
        code: Its code.
        name: Its name.
        corpus: The file.
        profile: The orthography profile that its texts need; "" for none.
        model: What the paper trained.
        architecture: `skip-gram` or `cbow`.
        dimension: d of the vectors.
        window: How many words to either side are context.
        min_count: Words that occur less often are left out. The learning rate is always 0.1.
        tokens: How many the paper's corpus has.
        oddoneout: The paper's score, as it prints it.
        topk: Likewise.
        epochs: How often the corpus is read here: large ones once or twice.
    """

    code: str
    name: str
    corpus: str
    profile: str
    model: str
    architecture: str
    dimension: int
    window: int
    min_count: int
    tokens: int
    oddoneout: str
    topk: str
    epochs: int


def _languages() -> tuple[Language, ...]:
    with Path(__file__).with_suffix(".tsv").open(encoding="utf-8", newline="") as file:
        return msgspec.convert(list(csv.DictReader(file, delimiter="\t")), tuple[Language, ...], strict=False)


LANGUAGES = _languages()
CODES = {each.code: each for each in LANGUAGES}
TOPICS = {
    "biblical-figure": ("figure4", ("grc", "la", "gmh", "ang", "bn", "gu", "hi", "hbo")),
    "facet-of-buddhism": ("figure5", ("bn", "gu", "hi", "sa")),
    "facet-of-hinduism": ("figure6", ("bn", "gu", "hi", "sa")),
}
"""The figure of each topic, and the languages that have both a corpus and the topic."""
SIZED = ("hbo",)
"""The languages of which texts of different sizes are compared."""


def ran(arguments: Sequence[str], folder: Path, output: Path | None = None) -> bool:
    """Run a command of this project; whether it succeeded. What it prints goes to a file."""
    program, *rest = arguments
    code = f"from {program}.cli import main; main()"
    print("$", shlex.join(arguments), file=sys.stderr)
    command = [sys.executable, "-c", code, *rest]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)  # noqa: S603 - our own
    if done.returncode not in (0, 1) or (output and not done.stdout):
        print(done.stderr.decode()[-2000:], file=sys.stderr)
        return False
    if output:
        output.write_bytes(done.stdout)
    return True


def train(language: Language, corpora: Path, build: Path) -> Path | None:
    """The vectors of a language, by the paper's hyper-parameters; none if its corpus is not there."""
    corpus, vectors = corpora / language.corpus, build / f"{language.code}.safetensors"
    if not corpus.exists():
        print(f"skipped: {language.name}: there is no {corpus}", file=sys.stderr)
        return None
    if vectors.exists():
        return vectors
    # evaluator writes no fastText: what it builds from subwords is not known here, and counts for nothing.
    given = {
        "model": "word2vec",
        "learning_rate": 0.1,
        **{name: getattr(language, name) for name in ("architecture", "dimension", "window", "min_count")},
    }
    only = [part for name, value in given.items() for part in ("--only", f"{name}={value}")]
    profile = ["--profile", language.profile] if language.profile else []
    command = ["evaluator", "train", str(corpus), "--language", language.code, "--trainer", "gensim"]
    read = ["--epochs", str(language.epochs), "--output", str(vectors)]
    return vectors if ran([*command, *profile, *only, *read], build) else None


def figures(corpora: Path, build: Path) -> None:
    """Figures 4 to 6, and how often the texts mention each topic."""
    codes = [code for code in CODES if any(code in codes for _, codes in TOPICS.values())]
    trained = {code for code in codes if train(CODES[code], corpora, build)}
    named = [part for topic in TOPICS for part in ("--category", topic)]
    languages = [part for code in sorted(trained) for part in ("--language", code)]
    if not trained or not ran(["testgen", "generate", *languages, *named, "--output", "testsets"], build):
        return
    for topic, (figure, wanted) in TOPICS.items():
        having = [code for code in wanted if code in trained]
        if len(having) < 2:
            print(f"skipped: {figure}: fewer than two languages", file=sys.stderr)
            continue
        folder = build / figure
        profiles = [
            p
            for code in having
            if CODES[code].profile
            for p in ("--profile", f"{code}={CODES[code].profile}")
        ]
        of = ["--test", "testsets", "--category", topic, *profiles]
        if not (folder / "compare.json").exists():
            vectors = [f"{code}={code}.safetensors" for code in having]
            ran(["evaluator", "compare", *vectors, *of, "--output", figure], build)
        if (folder / "compare.json").exists() and not (folder / "mentions.json").exists():
            texts = [f"{code}={corpora / CODES[code].corpus}" for code in having]
            beside = ["--comparison", f"{figure}/compare.json", "--json"]
            ran(["evaluator", "mentions", *texts, *of, *beside], build, folder / "mentions.json")


def search(corpora: Path, build: Path, trials: int) -> None:
    """Table 1 again: a small search for each language, of the words that ship."""
    for language in LANGUAGES:
        corpus = corpora / language.corpus
        if not corpus.exists():
            print(f"skipped: {language.name}: there is no {corpus}", file=sys.stderr)
            continue
        folder = build / f"table1-{language.code}"
        if (folder / "tuning.json").exists():
            continue
        profile = ["--profile", language.profile] if language.profile else []
        command = ["evaluator", "tune", str(corpus), "--test", language.code, "--language", language.code]
        chosen = ["--trials", str(trials), "--epochs", str(language.epochs), "--whole", "--no-figure"]
        ran([*command, *profile, *chosen, "--output", folder.name], build, build / f"{folder.name}.txt")


def sizes(corpora: Path, build: Path) -> None:
    """The same text in pieces of different size: a topic's share of it stays, what a model knows does not."""
    for code in SIZED:
        corpus = corpora / CODES[code].corpus
        if not corpus.exists() or (build / f"sizes-{code}" / "curve.json").exists():
            continue
        profile = ["--profile", CODES[code].profile, "--language", code]
        command = ["evaluator", "curve", str(corpus), "--test", f"testsets/{code}.json", *profile]
        measures = ["--measure", "Topk@3", "--measure", "OddOneOut@3", "--trainer", "svd"]
        ran(
            [*command, *measures, "--from", "2^14", "--only", "min_count=3", "--output", f"sizes-{code}"],
            build,
        )


def emoji(files: Path, words: Path, build: Path) -> None:
    """Figure 3, if its files are there."""
    names = ("emoji2vec_train.txt", "emoji2vec_dev.txt", "emoji2vec_test.txt", "emoji-test-13.0.txt")
    missing = [each for each in (*(files / name for name in names), words) if not each.exists()]
    if missing:
        print(f"skipped: figure 3: there is no {missing[0]}", file=sys.stderr)
    elif not (build / "figure3" / "emoji.json").exists():
        learn, dev, test, symbols = (str(files / name) for name in names)
        ran(["testgen", "emoji", "--emoji-test", symbols, "--output", "emoji.json"], build)
        given = ["--descriptions", learn, "--dev", dev, "--held-out", test, "--words", str(words)]
        rates = ["--rate", "1e-5:1e-1:9", "--seeds", "1", "--epochs", "20"]
        ran(["evaluator", "emoji", *given, "--test", "emoji.json", *rates, "--output", "figure3"], build)


def _made() -> Iterator[tuple[str, str]]:
    """Each result that the page shows: where it is made, and under which name it is kept."""
    for topic, (figure, _) in TOPICS.items():
        for name in ("compare.json", "mentions.json", "compare.svg"):
            yield f"{figure}/{name}", f"lct-{topic}-{name}"
    for code in SIZED:
        yield f"sizes-{code}/curve.json", f"lct-sizes-{code}-curve.json"
    for language in LANGUAGES:
        yield f"table1-{language.code}/tuning.json", f"lct-table1-{language.code}-tuning.json"


def keep(build: Path) -> None:
    """Copy the results that the page shows to where they are kept."""
    for made, name in _made():
        if (build / made).exists():
            shutil.copyfile(build / made, KEPT / name)


def kept(name: str) -> Any:
    """A result that is kept; None if there is none."""
    path = KEPT / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _scores(topic: str) -> dict[str, dict[str, Any]]:
    """The scores of each language on its own test set, by measure."""
    found = kept(f"lct-{topic}-compare.json")
    results = [] if found is None else found["results"]
    whole = [each for each in results if each["keys"].get("view") == "whole"]
    return {each["language"]: {score["measure"]: score for score in each["scores"]} for each in whole}


LEVELS = "chance · frequency · spelling"


def _shown(score: Any) -> list[str]:
    """A score with its interval, and the levels that it should be above."""
    if score is None:
        return ["–", "–"]
    levels = (score.get(each) for each in ("chance", "baseline", "spelling"))
    of_levels = " · ".join("–" if each is None else f"{each:.4f}" for each in levels)
    return [f"{score['value']:.4f} ({score['low']:.4f} to {score['high']:.4f})", of_levels]


def topic_table(topic: str) -> str:
    """What each language knows of a topic, beside how often its text mentions it."""
    counted, of_languages = kept(f"lct-{topic}-mentions.json"), _scores(topic)
    mentions = {} if counted is None else {each["language"]: each for each in counted["mentions"]}
    rows = []
    for code in dict.fromkeys([*mentions, *of_languages]):
        own, scores = mentions.get(code), of_languages.get(code, {})
        known = next((f"{each['known']} of {each['n']}" for each in scores.values()), "none")
        counts = [f"{own['tokens']:,}", f"{own['per_million']:,.0f}"] if own else ["–", "–"]
        cells = [CODES[code].name, counts[0], known, counts[1]]
        rows.append([*cells, *(cell for each in MEASURES for cell in _shown(scores.get(each)))])
    head = ["language", "tokens", "items known", "mentions per million"]
    return table([*head, *(part for each in MEASURES for part in (each, LEVELS))], rows)


def agreement_table() -> str:
    """How scores and counts order languages, and the tokens of their texts beside both."""
    rows = []
    for topic in TOPICS:
        counted = kept(f"lct-{topic}-mentions.json")
        for each in (counted or {}).get("agreements", ()):
            value = "–" if each["correlation"] is None else f"{each['correlation']:+.2f}"
            rows.append([f"`{topic}`", each["measure"], str(each["languages"]), value])
    return table(["topic", "measure", "languages", "Spearman, mentions and score"], rows)


def sizes_table() -> str:
    """Scores of one text in pieces of different sizes."""
    rows = []
    for code in SIZED:
        found = kept(f"lct-sizes-{code}-curve.json")
        for each in [] if found is None else found["results"]:
            scores = {score["measure"]: score for score in each["scores"]}
            size = each["keys"]["size"]
            cells = [cell for measure in MEASURES for cell in _shown(scores.get(measure))]
            rows.append([CODES[code].name, f"{size:,}", *cells])
    head = ["language", "tokens", *(part for each in MEASURES for part in (each, LEVELS))]
    return table(head, rows)


def search_table() -> str:
    """Table 1 again: the best model of each search, beside the paper's."""
    rows = []
    for language in LANGUAGES:
        found = kept(f"lct-table1-{language.code}-tuning.json")
        if found is None:
            continue
        trial = next(each for each in found["trials"] if each["number"] == found["best"])["parameters"]
        names = ("model", "architecture", "dimension", "window", "learning_rate", "min_count")
        results = [each for each in found["results"] if each["keys"]["trial"] == found["best"]]
        scores = {each["measure"]: each for each in results[0]["scores"]}
        own = [
            language.model,
            language.architecture,
            language.dimension,
            language.window,
            0.1,
            language.min_count,
        ]
        rows.append(
            [
                language.name,
                f"{found['statistics']['tokens']:,} ({language.tokens:,})",
                f"{len(found['trials']) - 1} (100)",
                ", ".join(str(trial[name]) for name in names),
                ", ".join(map(str, own)),
                *(cell for each in MEASURES for cell in _shown(scores.get(each))),
                f"{language.topk}, {language.oddoneout}",
            ]
        )
    head = ["language", "tokens (the paper's)", "trials", "best model", "the paper's"]
    return table(
        [*head, *(part for each in MEASURES for part in (each, LEVELS)), "Topk, OddOneOut there"], rows
    )


TABLES = {
    **{topic: partial(topic_table, topic) for topic in TOPICS},
    "agreement": agreement_table,
    "sizes": sizes_table,
    "search": search_table,
}


def main() -> None:
    """Run the steps that are asked for, keep their results, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, help="the folder of the corpora")
    parser.add_argument("--emoji", type=Path, help="the folder of the files of figure 3")
    parser.add_argument("--words", type=Path, help="vectors of English words, for figure 3")
    parser.add_argument(
        "--trials", type=int, default=10, help="how many samples each search of table 1 tries"
    )
    parser.add_argument("--build", type=Path, default=BUILD, help="the folder of what is made")
    parser.add_argument(
        "--page", action="store_true", help="write the page alone, from the results that are kept"
    )
    arguments = parser.parse_args()
    if not arguments.page:
        build = arguments.build.resolve()
        build.mkdir(parents=True, exist_ok=True)
        if arguments.corpora is None or not arguments.corpora.is_dir():
            print(
                "skipped: figures 4 to 6, table 1: name the folder of the corpora with CORPORA=",
                file=sys.stderr,
            )
        else:
            corpora = arguments.corpora.resolve()
            figures(corpora, build)
            sizes(corpora, build)
            search(corpora, build, arguments.trials)
        if arguments.emoji is None or arguments.words is None:
            print("skipped: figure 3: name its files with EMOJI= and WORDS=", file=sys.stderr)
        else:
            emoji(arguments.emoji.resolve(), arguments.words.resolve(), build)
        keep(build)
    tables.write(PAGE, TABLES)


if __name__ == "__main__":
    main()
