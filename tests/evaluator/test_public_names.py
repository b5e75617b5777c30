from __future__ import annotations

import dataclasses
import inspect
import re
import string
import sys
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import evaluator
import testgen
from evaluator import Hyperparameters, LoadOptions
from evaluator.plugins.design import items, plan
from evaluator.plugins.probes import probe
from evaluator.plugins.translation import translate
from evaluator.results.base import to_json
from evaluator.results.files import read_results
from testgen import LabelPolicy
from tests.conftest import NEEDS_GENSIM

COMMANDS = (
    "score",
    "tune",
    "curve",
    "compare",
    "batch",
    "report",
    "compose",
    "coverage",
    "convert",
    "average",
    "train",
)
"""What the command line does without plug-ins, by the names of its commands."""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("la.txt").write_text(":near\na b c d e f\n:far\nh i j k l m\n")
    draw = np.random.default_rng(0)
    rows = ("{} {}".format(each, " ".join(map(str, draw.normal(size=6)))) for each in string.ascii_lowercase)
    Path("la.vec").write_text("\n".join(rows) + "\n")
    Path("sets").mkdir()
    Path("sets/la.json").write_text("{}")


def compared(vectors, test_set):
    return evaluator.compare([evaluator.Language(code, vectors, test_set) for code in ("la", "grc")])


TAKING_BOTH = {
    "score": evaluator.score,
    "coverage": evaluator.coverage,
    "compare": compared,
    "probe": lambda vectors, test_set: probe(vectors, test_set, models=["knn"]),
}
TAKING_A_TEST_SET = {
    **TAKING_BOTH,
    "read_testset": lambda _, test_set: evaluator.read_testset(test_set),
    "EpochScores": lambda _, test_set: evaluator.EpochScores(test_set),
    "tune": lambda _, test_set: evaluator.tune(None, test_set, "out"),
    "curve": lambda _, test_set: evaluator.curve(None, "out", test_set),
    "translate": lambda vectors, test_set: translate(vectors, vectors, test_set),
}
TAKING_VECTORS = {
    **TAKING_BOTH,
    "load_vectors": lambda vectors, _: evaluator.load_vectors(vectors),
    "as_vectors": lambda vectors, _: evaluator.as_vectors(vectors),
    "convert": lambda vectors, _: evaluator.convert(vectors, "out.safetensors"),
    "frequency_baseline": lambda vectors, _: evaluator.frequency_baseline(vectors),
}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.slow] * (each == "probe")) for each in TAKING_BOTH]
)
def test_paths_are_as_good_as_what_they_hold(files, name):
    vectors, test_set = evaluator.load_vectors("la.vec"), evaluator.read_testset("la.txt")
    expected = repr(TAKING_BOTH[name](vectors, test_set))
    assert repr(TAKING_BOTH[name](Path("la.vec"), "la.txt")) == expected
    assert repr(TAKING_BOTH[name]("la.vec", Path("la.txt"))) == expected


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=NEEDS_GENSIM) if each in ("tune", "curve") else each
        for each in TAKING_A_TEST_SET
    ],
)
def test_what_is_no_test_set_is_refused_with_what_to_give(files, name):
    function, vectors = TAKING_A_TEST_SET[name], evaluator.load_vectors("la.vec")
    for wrong, problem in {
        "la.vec": r"la\.vec: not recognised .* Are vectors and test set swapped\?",
        "sets": "sets: holds no file that ends in .* give one that does, or one file",
        vectors: "of type Vectors, not a test set. Give the path",
        None: "of type NoneType, not a test set. Give the path",
    }.items():
        if wrong is not None or name != "curve":  # which needs none
            with pytest.raises(evaluator.TestSetError, match=problem):
                function(vectors, wrong)
    for words in ({"near": None}, {"near": "abc"}, {"near": [1.5] * 300}, {"near": vectors}, {1: ["a", "b"]}):
        with pytest.raises(
            evaluator.TestSetError, match=r"the category \S+ is .{1,60}; give a list of words"
        ):
            function(vectors, words)
    if name not in ("score", "probe"):
        with pytest.raises(evaluator.TestSetError, match=r"of type list, .* `evaluator\.score` takes a list"):
            function(vectors, ["la.txt"])


@pytest.mark.parametrize("name", TAKING_VECTORS)
def test_what_is_no_vectors_is_refused_with_what_to_give(files, name):
    function, test_set = TAKING_VECTORS[name], evaluator.read_testset("la.txt")
    error = (evaluator.VectorsError, evaluator.ScoreError)  # of a comparison in which all languages failed
    for wrong, problem in {
        "la.txt": r"la\.txt: not recognised .* Are vectors and test set swapped\?",
        test_set: "this is of type TestSet",
        3: "this is of type int",
    }.items():
        with pytest.raises(error, match=problem):
            function(wrong, test_set)


def test_a_dict_of_words_has_the_language_that_is_given():
    words = {"near": ["a", "b"]}
    assert [evaluator.read_testset(words, language=code).language for code in ("und", "la")] == ["und", "la"]


def in_memory(words=string.ascii_lowercase, dimension=2, value=1.0):
    matrix = np.ones((26, dimension), np.float32)
    matrix[3:4, :1] = value
    return evaluator.Vectors(list(words), matrix, "mine")


@pytest.mark.parametrize("name", ["score", "compare", "probe", "as_vectors", "convert"])
def test_vectors_in_memory_are_checked_wherever_they_are_taken(files, name):
    for wrong, problem in {
        in_memory(value=np.nan): "mine, row 4, word 'd': number 1 of 2 is NaN",
        in_memory(dimension=0): "mine, row 1, word 'a': all numbers are zero",
        in_memory("a" * 26): "mine, row 2, word 'a': duplicate",
        in_memory(range(26)): "mine, row 1: the key 0 is not a word",
    }.items():
        with pytest.raises(evaluator.VectorsError, match=problem):
            TAKING_VECTORS[name](wrong, "la.txt")


def test_a_batch_takes_one_path_or_several(files):
    assert evaluator.batch(Path("la.vec"), "la.txt", "one.jsonl").results == 1
    assert evaluator.batch(["la.vec"], [Path("la.txt")], Path("several.jsonl"), "Topk@1").results == 1
    (found,) = evaluator.read_results("several.jsonl").scores
    assert [each.measure for each in found] == ["Topk@1"]
    vectors = evaluator.load_vectors("la.vec")
    for wrong in ((vectors, "la.txt"), ([], "la.txt"), ("la.vec", []), ({"a": "la.vec"}, "la.txt")):
        with pytest.raises(evaluator.StudyError, match="paths"):
            evaluator.batch(*wrong, "none.jsonl")


def test_languages_are_compared_as_such(files):
    language = evaluator.Language("la", "la.vec", "la.txt")
    for wrong in (["la.vec", "la.vec"], language, "la.vec", None, (each for each in [language])):
        with pytest.raises(evaluator.ScoreError, match=r"Language\(CODE, VECTORS, TEST_SET\)"):
            evaluator.compare(wrong)
    swapped = evaluator.Language(Path("la.txt"), "la.vec", "la.txt")
    with pytest.raises(evaluator.ScoreError, match=r"Path\('la\.txt'\) is not a language code"):
        evaluator.compare([language, swapped])


@pytest.mark.parametrize("function", [items, plan])
def test_what_is_no_scores_is_refused_with_what_to_give(files, function):
    for wrong in ("scores.json", Path("scores.json"), None, evaluator.load_vectors("la.vec"), ["la.vec"]):
        with pytest.raises(evaluator.ScoreError, match=r"`evaluator\.score`"):
            function(wrong)


def test_scores_need_not_be_in_a_list(files):
    scores = evaluator.score("la.vec", "la.txt")
    assert plan(scores) == plan([scores])


def test_result_files_are_one_or_several(files):
    scored = evaluator.score(["la.vec"], "la.txt").record()
    for path in (Path("a.json"), Path("sets/a.json")):
        path.write_text(to_json(scored))
    assert evaluator.compose("a.json") == evaluator.compose([Path("a.json")])
    evaluator.report(["a.json", Path("sets/a.json"), scored], "out.html")
    assert "sets/a.json, sha256" in Path("out.html").read_text()
    functions = (evaluator.compose, evaluator.read_results, lambda given: evaluator.report(given, "no.html"))
    for function, wrong in product(functions, (None, {"a": "a.json"}, scored["la.vec", "la.txt"])):
        with pytest.raises(evaluator.ResultsError, match="path of a result file"):
            function(wrong)
    for wrong, problem in ((), "no result files given"), (("a.json", "a.json"), "given twice"):
        with pytest.raises(evaluator.ResultsError, match=problem):
            evaluator.report(wrong, "no.html")
    assert not Path("no.html").exists()


def test_what_is_no_measure_is_refused(files):
    for wrong in (evaluator.Settings(), 3, [3], [None]):
        with pytest.raises(evaluator.MeasureError, match=r"not a measure.*Topk@3"):
            evaluator.score("la.vec", "la.txt", wrong)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_a_function(name):
    assert callable(getattr(evaluator, name))
    assert name in dir(evaluator)


def test_every_public_name_can_be_loaded():
    for name in evaluator.__all__:
        assert getattr(evaluator, name) is not None, name


def types_of_arguments(function):
    """The classes of our own that the annotations of a function name, but for what functions give."""
    for parameter in inspect.signature(function).parameters.values():
        for name in re.findall(r"[A-Z]\w+", re.sub(r"Callable\[.*", "", str(parameter.annotation))):
            found = getattr(sys.modules[function.__module__], name, None)
            if isinstance(found, type) and found.__module__.startswith(("evaluator.", "testgen.")):
                yield found


@pytest.mark.parametrize("package", [evaluator, testgen])
def test_all_that_a_function_is_given_can_be_made_of_public_names(package):
    public = [getattr(package, name) for name in package.__all__]
    classes = {each for each in public if isinstance(each, type)}
    asked = [each for each in public if inspect.isfunction(each)]
    seen = set()
    while asked:
        new = {*types_of_arguments(asked.pop())} - seen
        seen |= new
        asked += [each for each in new if dataclasses.is_dataclass(each)]
    hidden = [each for each in seen if not any(each in own.__mro__ for own in classes)]
    assert [each.__name__ for each in hidden if not getattr(each, "_is_protocol", False)] == []
    assert {LoadOptions, Hyperparameters} <= seen if package is evaluator else LabelPolicy in seen


def test_versions():
    assert evaluator.__version__ == testgen.__version__ == version("testgen-evaluator")
    with pytest.raises(AttributeError):
        evaluator.nothing  # noqa: B018


def test_from_vectors_to_a_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_text(":near\na b c d\n:far\ne f g h\n")
    rows = np.random.default_rng(0).normal(size=(2, 26, 4))
    models = {
        name: dict(zip("abcdefghijklmnopqrstuvwxyz", rows[n], strict=True)) for n, name in enumerate("mn")
    }
    found = evaluator.score(models, ["t.txt"])
    evaluator.report([found.record()], "report.html", "Two models")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Two models" in page
    written = evaluator.convert(models["m"], "m.safetensors")
    assert len(evaluator.load_vectors("m.safetensors")) == len(written) == 26
    summary = evaluator.batch(["m.safetensors"], ["t.txt"], Path("out.jsonl"))
    assert summary.models == 1
    assert evaluator.coverage(models["n"], evaluator.read_testset("t.txt")).found == 8
    evaluator.report("out.jsonl", "batch.html")
    for name, write in (("t.txt", evaluator.report), ("m.txt", evaluator.convert)):
        with pytest.raises(evaluator.OutputError, match=r"end"):
            write("out.jsonl" if name == "t.txt" else models["m"], name)
    assert Path("t.txt").read_text().startswith(":near")
    for number, name in enumerate("mn"):
        evaluator.convert(models[name], f"{name}{number}.safetensors")
    both = evaluator.score({"a": ["m0.safetensors", "n1.safetensors"], "b": models["n"]}, ["t.txt"])
    assert [(each.model, each.runs) for each in both] == [("a", 2), ("b", 1)]
    with pytest.raises(KeyError, match=r"there are \('a', 't.txt'\)"):
        both["c", "t.txt"]
    with pytest.raises(evaluator.ScoreError, match="write Settings"):
        evaluator.score(models["m"], "t.txt", settings={"oov": "skip"})
    assert len(read_results("out.jsonl")) == 1
