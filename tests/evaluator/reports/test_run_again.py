"""The command that a report prints gives the same results again."""

from __future__ import annotations

import json
import shlex
import shutil

import pytest

from tests.conftest import NEEDS_GENSIM
from tests.evaluator.reports.html_pages import parse
from tests.golden import inputs

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

SMALL = "--only dimension=5 --only lemmas=no --only model=word2vec --only min_count=3 --epochs 1 --no-figure"

# What a command line says in every way: names that occur twice, defaults, and options of all groups.
RUNS = {
    "score": "score world.vec world2.vec --baseline --test lists.txt --test-format categories --language tr "
    "--measure 'OddOneOut(samples=50)@3' --measure Topk@1 --seed 4 --bad-rows drop --json",
    "preset": "score world.vec --test topics.txt --preset gensim-evaluations --json",
    "runs": "score both='world[23].vec' world.vec --test lists.txt --oov skip --json",
    "batch": "score world.vec world2.vec --test lists.txt --test-format categories "
    "--measure Topk@2 --multiword mean --seed 3 --output OUT.jsonl",
    "compose": "compose one.json two.json three.json --each-test-set --json",
    "coverage": "coverage world.vec --test lists.txt --test pairs.tsv --case exact --vocabulary 200 --json",
    "coverage-corpus": "coverage lee.txt --corpus --min-count 2 --test testsets/en.json --case exact --json",
    "items": "items world.vec world2.vec --test lists.txt --case exact --json",
    "plan": "plan world.vec world2.vec --test lists.txt --measure OddOneOut@3 --difference 0.1 --json",
    "corpus": "coverage corpus.txt --corpus --case exact --profile strip-marks --json",
    "curve": "curve corpus.txt --test one/same.txt --test two/same.txt --analogies three/same.txt --from 2^9 "
    "--to 2^10 --seeds 2 --seeds-up-to 2^9 --only dimension=5 --no-figure --output OUT",
    "curve-analogies": "curve corpus.txt --analogies topic-questions.txt --from 2^10 --to 2^10 "
    "--only dimension=5 --measure Topk@2 --measure Analogy@3 --seed 7 --no-figure --output OUT",
    "tune": f"tune corpus.txt --test topics.txt --category topic0 --category topic1 --trials 2 {SMALL} "
    "--seed 5 --case exact --output OUT",
    "compare": "compare en=en.vec la=la.vec --test testsets --own-vocabulary --category month -k 2 "
    "--profile la=latin+fold --output OUT",
    "probe": "probe world.vec world2.vec --test few.txt --model logistic --splits 2 --seed 3 --json",
    "translate": "translate world.vec world2.vec --dictionary en-fr.test.txt --align procrustes "
    "--train en-fr.train.txt --measure MRR --vocabulary 300 --json",
    "emoji": "emoji --descriptions train.txt --dev dev.txt --words emoji-words.vec --test emoji.json "
    "--rate 0.01 --epochs 2 --seeds 1 --seed 2 --output OUT",
}
RESULT = {"curve": "curve.json", "tune": "tuning.json", "compare": "compare.json", "emoji": "emoji.json"}


@pytest.fixture(autouse=True)
def no_figures(monkeypatch):
    """They take longer than all else, and commands stand beside them."""
    monkeypatch.setattr("evaluator.reports.render.MOST_FIGURES", 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("again")
    inputs.make(path)
    for name in ("one", "two", "three"):
        (path / name).mkdir()
    topics = (path / "topics.txt").read_text(encoding="utf-8")
    half = topics.index("\n:", len(topics) // 2) + 1
    (path / "one" / "same.txt").write_text(topics[:half], encoding="utf-8")
    (path / "two" / "same.txt").write_text(topics[half:], encoding="utf-8")
    shutil.copy(path / "topic-questions.txt", path / "three" / "same.txt")
    words = [line.split()[0] for line in (path / "world.vec").read_text(encoding="utf-8").splitlines()[1:41]]
    for split, some in (("train", words[:20]), ("test", words[20:])):
        (path / f"en-fr.{split}.txt").write_text("".join(f"{word} {word}\n" for word in some))
    return path


# Those that train, or read a text that gensim installs with itself.
GENSIM = ("coverage-corpus", "curve", "curve-analogies", "tune")
# The others show the same.
SLOW = ("compare", "coverage-corpus", "curve", "curve-analogies", "emoji", "plan", "probe", "tune")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW) + [NEEDS_GENSIM] * (name in GENSIM))
        for name in RUNS
    ],
)
def test_the_printed_command_gives_the_same_again(name, folder, monkeypatch, evaluator):
    monkeypatch.chdir(folder)
    if name == "compose":
        for vectors, file in (("world", "one"), ("world2", "two"), ("world3", "three")):
            printed = evaluator("score", f"{vectors}.vec", "--test", "lists.txt", "--json").out
            (folder / f"{file}.json").write_text(printed, encoding="utf-8")
    first = _result(evaluator, shlex.split(RUNS[name].replace("OUT", f"{name}-1")), folder)
    (folder / f"{name}-result.json").write_text(first, encoding="utf-8")
    assert evaluator("report", f"{name}-result.json", "--output", f"{name}.html", "--force").code == 0
    printed = shlex.split(_printed_command((folder / f"{name}.html").read_text(encoding="utf-8")))
    words = printed[1 : printed.index(">")] if ">" in printed else printed[1:]
    if "--output" in words:
        words[words.index("--output") + 1] = f"{name}-2{'.jsonl' if name == 'batch' else ''}"
    assert _comparable(_result(evaluator, words, folder)) == _comparable(first)


@pytest.mark.slow
def test_the_printed_commands_of_many_models_of_several_languages_give_the_same_again(
    folder, tmp_path, monkeypatch, evaluator
):
    monkeypatch.chdir(tmp_path)
    for code in ("la", "de"):
        (tmp_path / code).mkdir()
        shutil.copy(folder / "testsets" / f"{code}.json", tmp_path)
        for number in range(4):
            shutil.copy(folder / f"{code}.vec", tmp_path / code / f"{number}.vec")
    begun = "score la/*.vec --test la.json --measure Topk@2 --output 1.jsonl"
    line = "score {language}/*.vec --test {language}.json --measure Topk@2 --output 1.jsonl --report x.html"
    for each in (begun, line, line):
        assert evaluator(*each.split()).code == 0
    commands = _printed_commands((tmp_path / "x.html").read_text(encoding="utf-8"))
    assert len(commands) == 2
    for each in commands:
        assert evaluator(*shlex.split(each.replace("1.jsonl", "2.jsonl"))[1:]).code == 0
    first, again = (sorted((tmp_path / f"{n}.jsonl").read_text("utf-8").splitlines()) for n in (1, 2))
    assert len(first) == 9
    assert again == first


def _printed_command(page):
    (found,) = _printed_commands(page)
    return found


def _printed_commands(page):
    return [each.text for each in parse(page).all("code") if each.text.startswith("evaluator ")]


def _result(evaluator, words, folder):
    """What a command prints as JSON, or the result file that it writes."""
    ended = evaluator(*words)
    assert ended.code == 0, ended.err
    if "--output" not in words:
        return ended.out
    output = folder / words[words.index("--output") + 1]
    path = output if output.suffix else output / RESULT[words[0]]
    return path.read_text(encoding="utf-8")


def _comparable(text):
    """A result without times, and without digests, which are of the times as well."""
    return (
        [_without_times(json.loads(line)) for line in text.splitlines()]
        if _is_lines(text)
        else (_without_times(json.loads(text)))
    )


def _is_lines(text):
    return text.startswith('{"format": "score lines"')


def _without_times(value):
    if isinstance(value, dict):
        return {key: _without_times(each) for key, each in value.items() if key not in ("seconds", "sha256")}
    return [_without_times(each) for each in value] if isinstance(value, list) else value


def test_folders_of_absolute_paths_and_tokens_of_urls_are_not_in_the_file(folder, evaluator, monkeypatch):
    monkeypatch.chdir(folder)
    test = folder / "lists.txt"
    found = json.loads(evaluator("score", folder / "world.vec", "--test", test, "--json").out)
    assert found["arguments"] == ["world.vec", "--test", "lists.txt"]
