"""What the papers do: each command of the table runs, on small data."""

from __future__ import annotations

import itertools
import json
import random
import shlex
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from evaluator.plugins.papers.rows import papers
from tests.conftest import REPOSITORY
from tools import tables

ROWS = papers().rows
COMMANDS = {each.command: each.key for each in ROWS if each.command}
SLOW = (
    *("evaluator curve", "evaluator tune", "evaluator probe", "evaluator emoji", "evaluator boundaries"),
    "testgen languages",  # which looks at all of them
    "testgen generate --language grc",  # and 17 other languages
)
TOKENS = """
def words(line):
    return line.lower().split()

def encoder(words):
    return [[len(word), *map(ord, word[:2].ljust(2))] for word in words]
"""
PAPER_TASKS = {"pairs.txt": "Similarity", "analogies.txt": "Analogy", "testset.json": "Categorization"}
TOPICS = {
    "metal": ["gold", "silver", "iron", "copper", "tin", "lead"],
    "bird": ["eagle", "raven", "dove", "owl", "crane", "goose"],
    "month": ["march", "may", "june", "july", "august", "april"],
    "kin": ["father", "mother", "brother", "sister", "aunt", "uncle"],
}
OTHERS = [f"word{number}" for number in range(60)]
PAIRS = [(f"word{number}", f"word{number + 30}") for number in range(12)]
EMOJI = [
    "1F352 ; fully-qualified # 🍒 E0.6 cherries",
    "1F34E ; fully-qualified # 🍎 E0.6 red apple",
    "1F353 ; fully-qualified # 🍓 E0.6 strawberry",
]


def sentences(draw: random.Random, number: int) -> list[str]:
    """Lines of words of one topic, between others."""
    lines = []
    for _ in range(number):
        topic = draw.choice(list(TOPICS.values()))
        lines.append(" ".join(draw.sample([*draw.choices(topic, k=4), *draw.choices(OTHERS, k=4)], 8)))
    return lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All files that the commands name."""
    folder: Path = tmp_path_factory.mktemp("papers")
    draw, numbers = random.Random(5), np.random.default_rng(5)
    lines = sentences(draw, 300)
    words = [*(word for topic in TOPICS.values() for word in topic), *OTHERS]
    matrix = numbers.normal(size=(len(words), 12))
    for place, topic in enumerate(TOPICS.values()):
        matrix[[words.index(word) for word in topic], place] += 3
    months = {"la": "ianuarius martius maius iunius", "grc": "ἰανουάριος μάρτιος μάϊος ἰούνιος"}
    vectors = {
        "model.vec": (words, matrix),
        "other.vec": (words, matrix + numbers.normal(size=matrix.shape)),
        "words.vec": (["red", "fruit", "happy", "face"], numbers.normal(size=(4, 5))),
        **{
            f"{code}.vec": (OTHERS + names.split(), numbers.normal(size=(64, 5)))
            for code, names in months.items()
        },
    }
    for name, (known, rows) in vectors.items():
        shown = (f"{word} {' '.join(f'{x:.5f}' for x in row)}" for word, row in zip(known, rows, strict=True))
        write(folder / name, f"{len(known)} {rows.shape[1]}", *shown)
    write(folder / "corpus.txt", *lines)
    write(folder / "tokens.py", TOKENS)
    write(folder / "other.txt", *sentences(draw, 100))
    write(folder / "prose.txt", *(f"{line.capitalize()}." for line in sentences(draw, 600)))
    write(folder / "testset.json", json.dumps(as_file("en", TOPICS)))
    (folder / "testsets").mkdir()
    for code, names in months.items():
        write(folder / "testsets" / f"{code}.json", json.dumps(as_file(code, {"month": names.split()})))
    write(folder / "texts.csv", "label,text", *(f"{'ab'[n % 2]},{line}" for n, line in enumerate(lines[:40])))
    write(
        folder / "pairs.txt",
        *(f"{a}\t{b}\t{draw.random():.2f}" for a, b in zip(OTHERS, words[:40], strict=False)),
    )
    questions = [f"{a} {b} {c} {d}" for (a, b), (c, d) in itertools.permutations(PAIRS, 2)]
    write(folder / "analogies.txt", ": pairs", *questions)
    write(
        folder / "synonyms.csv",
        "target,a,b,c",
        "gold,silver,raven,word1",
        "owl,crane,iron,word2",
        "may,june,lead,word3",
    )
    outliers = ([*topic, "", OTHERS[number]] for number, topic in enumerate(TOPICS.values()))
    (folder / "outliers").mkdir()
    for number, of_group in enumerate(outliers):
        write(folder / "outliers" / f"group{number}.txt", *of_group)
    write(folder / "emoji-test.txt", "# Version: 13.0", "# group: Food", "# subgroup: fruit", *EMOJI)
    write(
        folder / "emoji.json",
        json.dumps(as_file("zxx", {"fruit": ["🍎", "🍓", "🍒"], "face": ["😀", "😃", "😄"]})),
    )
    fits = [f"red fruit\t{each}\tTrue" for each in "🍎🍓🍒"] + [
        f"happy face\t{each}\tTrue" for each in "😀😃😄"
    ]
    write(folder / "train.txt", *fits)
    write(folder / "dev.txt", "fruit\t🍎\tTrue", "face\t🍎\tFalse")
    tweets = (f"{'ab'[n % 2]}\thappy {'🍎😀'[n % 2]}" for n in range(20))
    write(folder / "tweets.txt", *tweets)
    return folder


def write(path: Path, *lines: str) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def as_file(code: str, topics: dict[str, list[str]]) -> dict[str, object]:
    """A test set as testgen writes it."""
    categories = [
        {"name": name, "title": name, "items": [{"id": f"x:{word}", "words": [word]} for word in words]}
        for name, words in topics.items()
    ]
    return {"format": "testset", "version": 2, "language": code, "categories": categories}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(each, id=key, marks=pytest.mark.slow if each.startswith(SLOW) else ())
        for each, key in COMMANDS.items()
    ],
)
def test_the_command_runs(command, folder, monkeypatch, capsys):
    needed = {"--source wikidata": "the network", "--model cnn": "torch", "--trainer gensim": "gensim"}
    for option, what in needed.items():
        if option in command and (what == "the network" or find_spec(what) is None):
            pytest.skip(f"needs {what}")
    monkeypatch.chdir(folder)
    program, *arguments = shlex.split(command)
    needs_scores = program == "evaluator" and arguments[0] in ("compose", "report")
    if needs_scores and not (folder / "composite.json").exists():
        scores = []
        for test, measure in PAPER_TASKS.items():
            ran(
                "evaluator", "score", "model.vec", "other.vec", "--test", test, "--measure", measure, "--json"
            )
            scores.append(json.loads(capsys.readouterr().out))
        several = {key: scores[0][key] for key in ("format", "version")}
        several["results"] = [result for each in scores for result in each["results"]]
        write(folder / "scores.json", json.dumps(several))
        ran("evaluator", "compose", "scores.json", "--json")
        write(folder / "composite.json", capsys.readouterr().out)
    ran(program, *arguments, *(["--force"] if "--output" in arguments else []))
    assert capsys.readouterr().out or "--output" in arguments


def ran(program: str, *arguments: str) -> None:
    """Run a command in this process."""
    main = import_module(f"{program}.cli").main
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [program, *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    assert not ended.value.code


def test_each_row_has_a_command_or_says_why_there_is_none():
    assert len({each.key for each in ROWS}) == len(ROWS)
    assert all(each.command or each.note for each in ROWS)


def test_the_page_has_the_table():
    page = REPOSITORY / "docs" / "papers.md"
    found = tables.LINKED.search(page.read_text(encoding="utf-8"))
    assert [row[0] for row in tables.rows(page.parent / found[2])[1:]] == [each.key for each in ROWS]
