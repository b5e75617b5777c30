"""Draw the figures and tables of Stringham and Izbicki (2020) from what ships and the corpora at hand.

`make papers CORPORA=DIR` runs these steps, one after another, in `build/papers`, with the commands of this
project; papers.tsv has the names of the texts:

- `figures`: trains a model of each text, and draws figures 4 to 6 from the words that ship; then scores one
  text in pieces of different sizes;
- `table1`: searches for the best model of each text, small texts first;
- `figure3`: tunes vectors of emoji, with `EMOJI=DIR WORDS=FILE`; `TEXTS=FILE` adds the downstream curve.

`STEP=table1` runs one step alone. What is finished is not run again, an interrupted search resumes, and more
`TRIALS` go on from those that are there; delete `build/papers` to start anew, as after a change of the words.
A step whose files are missing is skipped, and said to be; if a command fails, the others still run, and
the exit code is 1. At the end the results are copied to docs/evidence/experiments, and the page is written
from there; `python -m tools.papers --page` does that last part alone. Figure 3 is on the page of experiments:
`python -m tools.experiments emoji.json` writes that one.
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
from collections.abc import Callable, Collection, Iterator, Sequence
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
        unique: How many different ones.
        oddoneout: The paper's score, as it prints it.
        topk: Likewise.
        epochs: How often the corpus is read here: large ones once or twice.
        differs: What the text at hand is, beside that of the paper.
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
    unique: int
    oddoneout: str
    topk: str
    epochs: int
    differs: str


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


class StepError(Exception):
    """A command failed; the message says which, and what it printed."""


def run(arguments: Sequence[str], folder: Path, output: Path | None = None) -> None:
    """Run a command of this project in a folder. What it prints goes to a file.

    Raises:
        StepError: The command was wrong or was stopped. With the exit code 1 it did what could be done.
    """
    program, *rest = arguments
    code = f"from {program}.cli import main; main()"
    print("$", shlex.join(arguments), file=sys.stderr)
    command = [sys.executable, "-c", code, *rest]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)  # noqa: S603 - our own
    if done.returncode not in (0, 1) or (output and not done.stdout):
        raise StepError(f"{shlex.join(arguments)}\n{done.stderr.decode()[-2000:]}")
    if output:
        output.write_bytes(done.stdout)


def there(language: Language, corpora: Path) -> Path | None:
    """The text of a language; none if it is not there, which is said."""
    corpus = corpora / language.corpus
    if corpus.exists():
        return corpus
    print(f"skipped: {language.name}: there is no {corpus}", file=sys.stderr)
    return None


def train(language: Language, corpora: Path, build: Path) -> Path | None:
    """The vectors of a language, by the paper's hyper-parameters; none if its corpus is not there."""
    corpus, vectors = there(language, corpora), build / f"{language.code}.safetensors"
    if corpus is None or vectors.exists():
        return corpus and vectors
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
    run([*command, *profile, *only, *read], build)
    return vectors


def figures(corpora: Path, build: Path) -> None:
    """Figures 4 to 6, and how often the texts mention each topic; then one text in pieces.

    Raises:
        StepError: One of them cannot be drawn, as where no model knows a word of the topic; the others are.
    """
    codes = [code for code in CODES if any(code in codes for _, codes in TOPICS.values())]
    trained = {code for code in codes if train(CODES[code], corpora, build)}
    named = [part for topic in TOPICS for part in ("--category", topic)]
    languages = [part for code in sorted(trained) for part in ("--language", code)]
    if not trained:
        return
    run(["testgen", "generate", *languages, *named, "--output", "testsets"], build)
    failed = []
    drawn = [partial(_figure, topic, trained, corpora, build) for topic in TOPICS]
    for draw in [*drawn, partial(sizes, corpora, build)]:
        try:
            draw()
        except StepError as error:
            failed.append(str(error))
    if failed:
        raise StepError("\n".join(failed))


def _figure(topic: str, trained: Collection[str], corpora: Path, build: Path) -> None:
    """The figure of a topic, and the mentions beside it."""
    figure, wanted = TOPICS[topic]
    having = [code for code in wanted if code in trained]
    if len(having) < 2:
        print(f"skipped: {figure}: fewer than two languages", file=sys.stderr)
        return
    folder = build / figure
    profiles = [(code, CODES[code].profile) for code in having if CODES[code].profile]
    of = ["--test", "testsets", "--category", topic]
    of += [part for code, profile in profiles for part in ("--profile", f"{code}={profile}")]
    if not (folder / "compare.json").exists():
        vectors = [f"{code}={code}.safetensors" for code in having]
        run(["evaluator", "compare", *vectors, *of, "--output", figure], build)
    if not (folder / "mentions.json").exists():
        texts = [f"{code}={corpora / CODES[code].corpus}" for code in having]
        beside = ["--comparison", f"{figure}/compare.json", "--json"]
        run(["evaluator", "mentions", *texts, *of, *beside], build, folder / "mentions.json")


def search(corpora: Path, build: Path, trials: int) -> None:
    """Table 1 again: a search for each language, of the words that ship; small texts first."""
    texts = [(language, corpus) for language in LANGUAGES if (corpus := there(language, corpora))]
    for language, corpus in sorted(texts, key=lambda each: each[1].stat().st_size):
        folder = build / f"table1-{language.code}"
        if tried(folder) >= trials:
            continue
        profile = ["--profile", language.profile] if language.profile else []
        command = ["evaluator", "tune", str(corpus), "--test", language.code, "--language", language.code]
        chosen = ["--trials", str(trials), "--epochs", str(language.epochs), "--whole", "--no-figure"]
        run([*command, *profile, *chosen, "--output", folder.name], build, build / f"{folder.name}.txt")


def tried(folder: Path) -> int:
    """How many samples the finished search in a folder has tried; 0 if it has not finished."""
    path = folder / "tuning.json"
    return len(json.loads(path.read_bytes())["trials"]) - 1 if path.exists() else 0  # one is the default


def sizes(corpora: Path, build: Path) -> None:
    """The same text in pieces of different size: a topic's share of it stays, what a model knows does not."""
    for code in SIZED:
        corpus = corpora / CODES[code].corpus
        if not corpus.exists() or (build / f"sizes-{code}" / "curve.json").exists():
            continue
        profile = ["--profile", CODES[code].profile, "--language", code]
        command = ["evaluator", "curve", str(corpus), "--test", f"testsets/{code}.json", *profile]
        measures = ["--measure", "Topk@3", "--measure", "OddOneOut@3", "--trainer", "svd"]
        run(
            [*command, *measures, "--from", "2^14", "--only", "min_count=3", "--output", f"sizes-{code}"],
            build,
        )


def emoji(files: Path, words: Path, texts: Path | None, build: Path) -> None:
    """Figure 3, if its files are there; with labelled texts also the curve of the downstream task."""
    names = ("emoji2vec_train.txt", "emoji2vec_dev.txt", "emoji2vec_test.txt", "emoji-test-13.0.txt")
    needed = [*(files / name for name in names), words, *([texts] if texts else [])]
    missing = [each for each in needed if not each.exists()]
    if missing:
        print(f"skipped: figure 3: there is no {missing[0]}", file=sys.stderr)
    elif not (build / "figure3" / "emoji.json").exists():
        learn, dev, test, symbols = (str(each) for each in needed[:4])
        run(["testgen", "emoji", "--emoji-test", symbols, "--output", "emoji.json"], build)
        given = ["--descriptions", learn, "--dev", dev, "--held-out", test, "--words", str(words)]
        downstream = ["--texts", str(texts)] if texts else []
        run(["evaluator", "emoji", *given, *downstream, "--test", "emoji.json", "--output", "figure3"], build)


def _made() -> Iterator[tuple[str, str]]:
    """Each result that the page shows: where it is made, and under which name it is kept."""
    for topic, (figure, _) in TOPICS.items():
        for name in ("compare.json", "mentions.json", "compare.svg"):
            yield f"{figure}/{name}", f"lct-{topic}-{name}"
    for code in SIZED:
        yield f"sizes-{code}/curve.json", f"lct-sizes-{code}-curve.json"
    for name in ("emoji.json", "emoji.svg"):
        yield f"figure3/{name}", name


def keep(build: Path) -> None:
    """Copy the results that the page shows to where they are kept; of searches a summary."""
    for made, name in _made():
        if (build / made).exists():
            shutil.copyfile(build / made, KEPT / name)
    searches = kept(SEARCHES) or {}
    for language in LANGUAGES:
        path = build / f"table1-{language.code}" / "tuning.json"
        if path.exists():
            searches[language.code] = _summary(json.loads(path.read_bytes()))
    text = json.dumps(searches, ensure_ascii=False, indent=1, sort_keys=True)
    (KEPT / SEARCHES).write_text(f"{text}\n", encoding="utf-8")


SEARCHES = "lct-table1.json"


def _summary(found: Any) -> dict[str, Any]:
    """A search without the scores of each category, which would be half a megabyte a language."""
    trials = [
        {
            "number": each["number"],
            "parameters": each["parameters"],
            "scores": each["scores"]
            and {
                **{name: each["scores"][name] for name in ("known_words", "words")},
                "scores": [_without_details(score) for score in each["scores"]["scores"]],
            },
        }
        for each in found["trials"]
    ]
    names = ("arguments", "inputs", "statistics", "categories", "default", "notes")
    return {**{name: found[name] for name in names}, "trials": trials}


def _without_details(score: Any) -> dict[str, Any]:
    names = ("measure", "value", "low", "high", "chance", "baseline", "spelling", "signature")
    return {name: score.get(name) for name in names}


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


def best_trial(found: Any) -> Any:
    """The sample with the highest Combined, by which the paper chooses; the first of several."""
    sampled = (each for each in found["trials"] if each["number"] != found["default"])
    finished = [each for each in sampled if each["scores"] is not None]
    return max(finished, key=lambda each: _by_measure(each)["Combined"]["value"])


def _by_measure(trial: Any) -> dict[str, Any]:
    """The scores of a trial, by the name of the measure: OddOneOut of 1,000 samples, as in the paper."""
    return {each["measure"].partition("(")[0].partition("@")[0]: each for each in trial["scores"]["scores"]}


def _searches() -> Iterator[tuple[Language, Any]]:
    found = kept(SEARCHES) or {}
    return ((each, found[each.code]) for each in LANGUAGES if each.code in found)


HYPERPARAMETERS = ("model", "architecture", "dimension", "window", "learning_rate", "min_count")


def search_table() -> str:
    """Table 1 again: the best model of each search, beside the paper's."""
    rows = []
    for language, found in _searches():
        best = best_trial(found)
        own, scores = best["parameters"], _by_measure(best)
        theirs = [getattr(language, each, 0.1) for each in HYPERPARAMETERS]
        cells = [language.name, ", ".join(str(own[each]) for each in HYPERPARAMETERS)]
        cells[1] += ", lemmas" if own["lemmas"] else ""
        cells += [
            ", ".join(map(str, theirs)),
            f"{best['scores']['known_words']} of {best['scores']['words']}",
        ]
        cells += [cell for each in ("Topk", "OddOneOut") for cell in _shown(scores[each])]
        rows.append([*cells, f"{scores['Combined']['value']:.4f}", _theirs(language)])
    head = ["language", "best model", "the paper's", "words known", "Topk@3", LEVELS, "OddOneOut@3", LEVELS]
    return table([*head, "Combined", "Topk · OddOneOut · Avg there"], rows)


def _theirs(language: Language) -> str:
    """The paper's scores; Avg is the harmonic mean, with 0.0001 added to both."""
    topk, odd = (float(each) + 0.0001 for each in (language.topk, language.oddoneout))
    return f"{language.topk} · {language.oddoneout} · {2 * topk * odd / (topk + odd):.4f}"


def searched_table() -> str:
    """What each search of Table 1 was, and in what it differs from the paper's."""
    rows = []
    for language, found in _searches():
        own, trials = found["statistics"], found["trials"]
        useless = sum(each["scores"] is None for each in trials)
        tried_ = f"{len(trials) - 1}" + (f", {useless} of which know no word" if useless else "")
        lemmas = any(note.startswith("lemmas: of") for note in found["notes"])
        rows.append(
            [
                language.name,
                f"{own['tokens']:,} ({language.tokens:,})",
                f"{own['types']:,} ({language.unique:,})",
                language.differs,
                f"{found['categories']['whole']}",
                tried_,
                f"{trials[0]['parameters']['epochs']}",
                "yes" if lemmas else "no dictionary",
            ]
        )
    head = ["language", "tokens (the paper's)", "unique (the paper's)", "the text"]
    return table([*head, "categories", "samples (100 there)", "epochs", "lemmas tried"], rows)


TABLES: tables.Tables = {
    **{topic: partial(topic_table, topic) for topic in TOPICS},
    "agreement": agreement_table,
    "sizes": sizes_table,
    "search": search_table,
    "searched": searched_table,
}


def main() -> None:
    """Run the steps that are asked for, keep their results, and write the page."""
    arguments = _arguments()
    failed = []
    if not arguments.page:
        build = arguments.build.resolve()
        build.mkdir(parents=True, exist_ok=True)
        for name, step in _steps(arguments, build):
            if arguments.step in (None, name):
                try:
                    step()
                except StepError as error:
                    failed.append(name)
                    print(f"{name} failed: {error}", file=sys.stderr)
        keep(build)
    tables.write(PAGE, TABLES)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}; run the same command again to resume")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--corpora", type=Path, help="the folder of the corpora")
    parser.add_argument("--emoji", type=Path, help="the folder of the files of figure 3")
    parser.add_argument("--words", type=Path, help="vectors of English words, for figure 3")
    parser.add_argument("--texts", type=Path, help="labelled texts with emoji, for figure 3")
    parser.add_argument("--trials", type=int, default=10, help="how many samples a search of table 1 tries")
    parser.add_argument("--step", choices=["figures", "table1", "figure3"], help="this step alone")
    parser.add_argument("--build", type=Path, default=BUILD, help="the folder of what is made")
    parser.add_argument("--page", action="store_true", help="write the page alone, from what is kept")
    return parser.parse_args()


def _steps(arguments: argparse.Namespace, build: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """The steps whose files are named."""
    if arguments.corpora is None or not arguments.corpora.is_dir():
        named = "name the folder of the corpora with CORPORA="
        print(f"skipped: figures 4 to 6, table 1: {named}", file=sys.stderr)
    else:
        corpora = arguments.corpora.resolve()
        yield "figures", partial(figures, corpora, build)
        yield "table1", partial(search, corpora, build, arguments.trials)
    if arguments.emoji is None or arguments.words is None:
        print("skipped: figure 3: name its files with EMOJI= and WORDS=", file=sys.stderr)
    else:
        texts = arguments.texts and arguments.texts.resolve()
        files, words = arguments.emoji.resolve(), arguments.words.resolve()
        yield "figure3", partial(emoji, files, words, texts, build)


if __name__ == "__main__":
    main()
