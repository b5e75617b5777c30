"""What goes wrong in the papers' own library: none of it may happen here."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import evaluator
import testgen
from evaluator import MeasureError, ScoreError, Settings, read_testset, score
from evaluator.measures.oddoneout import OddOneOut
from evaluator.measures.topk import Topk
from testgen import LabelPolicy, OutputError
from tests.evaluator.examples import test_set, vectors
from tests.testgen.conftest import TURTLE

PREFIXES = TURTLE.partition("wikibase:Dump")[0]


@pytest.fixture
def small(tmp_path):
    """A snapshot of six states and their capitals."""
    path = tmp_path / "small.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return path


def normal(rows, columns=5, seed=0, **more):
    return vectors(np.random.default_rng(seed).normal(size=(rows, columns)), **more)


def words(*rows):
    return [f"w{row}" for row in rows]


def read(tmp_path, text):
    path = tmp_path / "categories.txt"
    path.write_bytes(text.encode())
    return read_testset(path)


def counted(vectors_, category, measure, **settings):
    scores = score(vectors_, test_set(c=category), [measure], Settings(**settings))
    (found,) = scores[str(measure)].subscores
    return found.hits, found.trials


# --- random numbers


def test_global_random_states_are_left_alone():
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002  # it is the global state that is looked at
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    first = counted(normal(50), words(*range(10)), OddOneOut(3, samples=60))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
    random.seed(6)
    assert counted(normal(50), words(*range(10)), OddOneOut(3, samples=60)) == first


# --- category files


def test_two_classes_of_one_label_are_two_categories(tmp_path):
    """A class is called by its id, which no other class has."""
    path = tmp_path / "s.ttl"
    members = "".join(
        f'wd:Q{10 * kind + n} wdt:P31 wd:Q{kind} ; rdfs:label "word{kind}{chr(97 + n)}"@en .\n'
        for kind in (7, 8)
        for n in range(4)
    )
    path.write_text(PREFIXES + 'wd:Q7 rdfs:label "bank"@en . wd:Q8 rdfs:label "bank"@en .\n' + members)
    frame = testgen.generate(
        tmp_path / "out", testgen.TestSetRequest(["en"], categories=["Q7", "Q8"]), source=path
    )
    assert frame["name"].tolist() == ["Q7", "Q8"]
    assert frame["size"].tolist() == [4, 4]


@pytest.mark.parametrize("text", [":a\n:b\nw0 w1 w2\n", ":b\nw0 w1 w2\n:a\n"])
def test_a_header_without_words_is_named_as_skipped(tmp_path, text):
    found = score(normal(9), read(tmp_path, text), ["Topk@1"])["Topk@1"]
    skipped = {each.name: each.skipped for each in found.subscores}
    assert skipped == {"a": "0 words, 3 needed", "b": None}


# --- nothing to divide by


@pytest.mark.parametrize("measure", ["Topk@0", "OddOneOut@0", "OddOneOut@1", "OddOneOut(samples=0)@3"])
def test_orders_and_samples_of_nothing_are_refused(measure):
    """With one word beside it, an odd word is a tie; with none, it is odd by itself."""
    with pytest.raises(MeasureError, match=r"must be [12] or more"):
        score(normal(9), test_set(c=words(0, 1, 2)), [measure])


def test_no_category_qualifies():
    with pytest.raises(ScoreError, match=r"a: 2 words.*b: 2 words"):
        score(normal(9), test_set(a=words(0, 1), b=["x", "y"]), ["OddOneOut@3"])


# --- out of vocabulary


def test_a_category_of_oov_words_is_zero_where_unknown_words_are_misses_and_else_skipped():
    asked = test_set(a=words(*range(6)), b=["x", "y", "z"])
    for each in score(normal(30), asked).measured:
        a, b = each.subscores
        assert (b.value, b.skipped) == (0, None)
        assert each.value == a.value / 2
    for each in score(normal(30), asked, settings=Settings(oov="skip")).measured:
        a, b = each.subscores
        assert b.skipped == "of its 3 words 0 are known, 3 needed"
        assert each.value == a.value


def test_a_category_that_covers_the_vocabulary_ends():
    """No word is left to be odd: nothing is shown to be known."""
    found = score(normal(50), test_set(c=words(*range(5))), ["OddOneOut@3"], Settings(vocabulary=5))
    assert found["OddOneOut@3"].value == 0


# --- labels and words


def test_a_cased_model_scores_on_lower_case_words_when_case_is_folded():
    matrix = np.vstack([np.eye(1, 4) + 0.1 * np.eye(4), -np.ones((4, 4)) + 0.1 * np.eye(4)])
    cased = vectors(matrix, ["İzmir", "Ankara", "ADANA", "Bursa", "rex", "a", "b", "c"])
    lower = test_set(c=["izmir", "ankara", "adana", "bursa"])
    assert score(cased, lower, settings=Settings(case="fold"))["Topk@3"].value == 1
    exact = score(cased, lower, settings=Settings(case="exact"))["Topk@3"]
    assert exact.value == 0
    assert "with --case fold, 4 words are known instead of 0" in exact.reason


def test_a_word_of_two_items_counts_once(tmp_path):
    path = tmp_path / "c.json"
    items = [{"id": f"Q{n}", "words": [word]} for n, word in enumerate(["w0", "w1", "w0"])]
    content = {"format": "testset", "version": 1, "language": "en"}
    path.write_text(json.dumps(content | {"categories": [{"name": "c", "items": items}]}))
    assert evaluator.read_testset(path).categories[0].words == ("w0", "w1")


# --- the order k


def perfect(groups, of_each):
    """Vectors in which the words of a group are all alike, and groups are far from each other."""
    return vectors(np.repeat(np.eye(groups), of_each, axis=0))


def test_a_perfect_model_reaches_the_ceiling_and_the_ceiling_is_stated():
    """A category of n words holds at most n - 1 of k neighbours; equation 1 divides by n·k all the same."""
    for size, k, ceiling in ((3, 3, 2 / 3), (4, 4, 3 / 4), (5, 4, 1), (9, 2, 1)):
        scores = score(perfect(4, size), test_set(c=words(*range(size))), [Topk(k)])
        (found,) = scores[f"Topk@{k}"].subscores
        assert found.value == pytest.approx(ceiling)
        assert found.ceiling == pytest.approx(ceiling)


# --- places


@pytest.mark.slow
@pytest.mark.parametrize("utf8_mode", [pytest.param(None, marks=pytest.mark.slow), "0"])
def test_both_programs_work_where_the_locale_knows_only_ascii(tmp_path, small, utf8_mode):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "LC_"))}
    environment |= {"LC_ALL": "C", "LANG": "C"} | ({"PYTHONUTF8": utf8_mode} if utf8_mode else {})
    environment |= {"PYTHONCOERCECLOCALE": "0"} if utf8_mode else {}

    def run(program, *arguments):
        command = [sys.executable, "-c", f"from {program}.cli import main; main()", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
        return done.stdout.decode("utf-8")

    options = ["-l", "ru", "--minimum-words", "2", "-c", "country"]
    run("testgen", "generate", "--source", str(small), *options)
    (tmp_path / "Я.vec").write_text("4 2\nФранция 1 0\nИталия 1 0.1\nРоссия 1 0.2\nx 0 1\n", encoding="utf-8")
    (tmp_path / "я.txt").write_text(":страна\nФранция Италия Россия\n", encoding="utf-8")
    assert '"test_set": "ru.json"' in run(
        "evaluator", "coverage", "Я.vec", "-t", "testsets/ru.json", "--json"
    )
    assert ",страна," in run("evaluator", "score", "Я.vec", "-t", "я.txt", "-m", "Topk@1", "--csv")
    found = run("evaluator", "score", "Я.vec", "-t", "я.txt", "-m", "Topk@1", "--json")
    (tmp_path / "r.json").write_text(found, encoding="utf-8")
    assert "unchanged" in run("evaluator", "verify", "r.json")
    assert "Σ" in run("evaluator", "measures")


def test_a_write_that_breaks_off_leaves_the_old_file_and_no_other(tmp_path, small, monkeypatch):
    def made(language):
        policy = LabelPolicy(minimum_words=2)
        testgen.generate(
            tmp_path / "out",
            testgen.TestSetRequest([language], categories=["country"], policy=policy),
            source=small,
        )

    made("la")
    before = (tmp_path / "out" / "la.json").read_bytes()
    write = Path.write_text

    def breaks_off(self, text, *arguments, **more):
        write(self, text[: len(text) // 2], *arguments, **more)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", breaks_off)
    for language in ("la", "ru"):
        with pytest.raises(OutputError, match="No space left"):
            made(language)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["la.json"]
    assert (tmp_path / "out" / "la.json").read_bytes() == before


def test_ending_a_program_while_it_writes_leaves_no_file(tmp_path, small, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        testgen.generate(
            tmp_path / "out", testgen.TestSetRequest(["la"], categories=["country"]), source=small
        )
    assert list((tmp_path / "out").iterdir()) == []


# --- size


def peak(work):
    """The most megabytes that work takes at a time."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("size", "measure"),
    [
        pytest.param(500, OddOneOut(2), marks=pytest.mark.slow),
        (2000, OddOneOut(3, samples=1000)),
        pytest.param(2000, Topk(3), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_large_categories_take_little_memory(size, measure):
    some = normal(size + 200, 4)
    some.index  # noqa: B018  # made once and kept, so not part of what scoring takes
    category = words(*range(size))
    assert peak(lambda: counted(some, category, measure)) < 250


@pytest.mark.slow
def test_many_categories_take_little_memory():
    """6,000 words in all: their similarities to each other would be 288 MB, those to the vocabulary more."""
    some = normal(6200, 4)
    some.index  # noqa: B018
    categories = test_set(**{f"c{n}": words(*range(1000 * n, 1000 * (n + 1))) for n in range(6)})
    assert peak(lambda: score(some, categories, [OddOneOut(3, samples=100), Topk(3)])) < 200


@pytest.mark.slow
def test_a_large_vocabulary_is_neither_copied_nor_walked_for_each_sample():
    """A million words: a sample of 1,000 pairs takes one pass and less memory than the vectors themselves."""
    some = normal(1_000_000, 4)
    some.index  # noqa: B018
    categories = test_set(a=words(*range(30)), b=words(*range(30, 60)))
    exact = Settings(case="exact")  # folding needs an index of its own
    taken = peak(lambda: score(some, categories, [OddOneOut(3, samples=1000)], exact))
    assert taken < some.matrix.nbytes * 2 / 2**20
