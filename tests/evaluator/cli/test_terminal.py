"""Names of foreign files never steer the terminal: control characters are shown escaped."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from rich.console import Console

from evaluator.cli.output import Progress

TITLE = "\x1b]0;owned\x07\u202e"  # sets the title of the window; turns the direction of writing
CSI = "\x9b31m"  # the same as ESC [, in one character
OPTIONS = {".html": "report", ".tex": "latex", ".svg": "figure"}
WORDS = [f"word{number}" for number in range(8)]
ESCAPED = r"\u001b]0;owned\u0007\u202e"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def files(tmp_path):
    items = [{"id": f"Q{number + 1}", "words": [word]} for number, word in enumerate(WORDS[:5])]
    category = {"name": f"colour{TITLE}{CSI}", "topic": f"t{TITLE}", "title": f"T{CSI}", "items": items}
    content = {
        "format": "testset",
        "version": 1,
        "language": "la",
        "categories": [category, {**category, "name": "other"}],
    }
    test = tmp_path / "la.json"
    test.write_text(json.dumps(content), encoding="utf-8")
    rows = [
        f"{word} {' '.join(map(str, row))}"
        for word, row in zip(WORDS, np.random.default_rng(0).normal(size=(8, 4)).round(3), strict=True)
    ]
    vectors = tmp_path / "la.vec"
    vectors.write_text("\n".join(["8 4", *rows, ""]), encoding="utf-8")
    return vectors, test


@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"], ["--details"]])
def test_scores(evaluator, files, form):
    vectors, test = files
    ended = evaluator("score", vectors, "--test", test, *form)
    assert ended.code == 0, ended.err
    assert not CONTROL.search(ended.out + ended.err)
    if form != []:  # people are shown the title, programs the name too
        shown = r"T\u009b31m" if form == ["--details"] else rf"colour{ESCAPED}\u009b31m"
        assert shown in ended.out
    if form == ["--json"]:
        again = json.dumps(json.loads(ended.out), ensure_ascii=False)
        assert f"colour{json.dumps(TITLE, ensure_ascii=False)[1:-1]}{CSI}" in again


LINES = "a\nTopk@3 1.000\n\u2066b\tc.vec"
SHOWN = r"a\u000aTopk@3 1.000\u000a\u2066b\u0009c.vec"


@pytest.mark.parametrize("form", [[], ["--csv"], ["--details"], ["--csv", "--bad"]])
def test_a_name_with_line_ends_is_one_line(evaluator, files, tmp_path, form):
    vectors, test = files
    named = tmp_path / LINES
    named.write_bytes(vectors.read_bytes() if "--bad" not in form else b"2 1\na x\n")
    ended = evaluator("score", named, vectors, "--test", test, "--measure", "Topk@3", *form[:1])
    printed = ended.err if "--bad" in form else ended.out
    assert not {"\u2066", "\t"} & set(printed)
    assert SHOWN in printed
    assert not any(line.startswith("Topk@3 1.000") for line in printed.splitlines())


def test_files_hold_no_name_raw_but_json(evaluator, files, tmp_path):
    vectors, test = files
    named = tmp_path / LINES
    named.write_bytes(vectors.read_bytes())
    outputs = [tmp_path / each for each in ("s.html", "s.tex", "s.svg")]
    options = [each for path in outputs for each in (f"--{OPTIONS[path.suffix]}", path)]
    ended = evaluator("score", named, vectors, "--test", test, *options, "--json")
    assert ended.code == 0, ended.err
    assert {each["model"] for each in json.loads(ended.out)["results"]} == {LINES, "la.vec"}
    for path in outputs:
        text = path.read_text(encoding="utf-8")
        assert not CONTROL.search(text), path
        shown = SHOWN.replace("\\", r"\textbackslash{}") if path.suffix == ".tex" else SHOWN
        shown = shown[:9] if path.suffix == ".svg" else shown  # a figure shortens it
        assert shown in text.replace("<wbr>", ""), path
        assert not any(line.startswith("Topk@3 1.000") for line in text.splitlines())


def test_messages(evaluator, files):
    vectors, test = files
    ended = evaluator("score", vectors, "--test", test, "--category", f"x{TITLE}")
    assert ended.code == 2
    assert not CONTROL.search(ended.err)
    vectors.write_text(f"2 1\na{TITLE} x\nb 1\n", encoding="utf-8")
    ended = evaluator("score", vectors, "--test", test)
    assert ended.code == 2
    assert not CONTROL.search(ended.err)


@pytest.mark.parametrize(
    "arguments",
    [[f"--x{TITLE}"], [f"score{TITLE}"], ["score", f"--x{TITLE}"], ["score", "x", "--k", f"1{CSI}"]],
)
def test_messages_that_repeat_the_command_line(evaluator, arguments):
    ended = evaluator(*arguments)
    assert ended.code == 2
    assert not CONTROL.search(ended.err)


def test_progress_on_a_terminal(monkeypatch):
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=100)
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    with Progress(f"scoring [red]{TITLE}{CSI}"):
        pass
    assert rf"scoring [red]{ESCAPED}\u009b31m" in shown.getvalue()


def test_emoji(evaluator, tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.results.figures.FORMATS", ("svg",))
    faces, things = ["😀", "😃", "😄", "😁"], ["🚗", "🚕", "🚙", "🚌"]
    lines = [f": group{each}\n" + "\n".join(own) for each, own in enumerate((faces, things))]
    test = tmp_path / f"test{TITLE}.txt"
    test.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = tmp_path / f"words{TITLE}.vec"
    words.write_text("4 2\nhappy 1 0\nface 1 1\nroad 0 1\ncar 1 2\n", encoding="utf-8")
    rows = [f"{what}\t{each}\t{what == 'face'}" for each in faces + things for what in ("face", "car")]
    dev = tmp_path / f"dev{TITLE}.txt"
    dev.write_text("\n".join(rows) + "\n", encoding="utf-8")
    options = ("--words", words, "--test", test, "--rate", "0.01", "--epochs", "1", "--seeds", "1")
    ended = evaluator("emoji", "--descriptions", dev, "--dev", dev, *options, "-o", tmp_path / f"o{TITLE}")
    assert ended.code == 0, ended.err
    assert not CONTROL.search(ended.out + ended.err)
    assert ESCAPED in ended.out


def test_a_signature_is_one_line_to_copy(evaluator, files, monkeypatch):
    vectors, test = files
    monkeypatch.setenv("TERM", "dumb")  # 80 columns
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    ended = evaluator("score", vectors, "--test", test, "--details")
    signatures = [line for line in ended.out.splitlines() if "|" in line]
    assert [line.partition("|")[0] for line in signatures] == ["Topk@3", "OddOneOut@3"]
    assert all(re.search(r"\|version:[\w.]+$", line) for line in signatures)
    assert min(map(len, signatures)) > 80
