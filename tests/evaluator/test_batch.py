"""Many models on many test sets: paired by language, written as they come, gone on with after a stop."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from evaluator import load_vectors, score
from evaluator.batch import Reading, pairs, score_many, score_unit
from evaluator.batch import run as run_module
from evaluator.datasets import read_testset
from evaluator.errors import OutputError, TestSetError, VectorsError
from evaluator.settings import Settings
from evaluator.workers import Lost

PROGRAM = str(Path(sys.executable).with_name("evaluator"))
LANGUAGES = ("la", "he", "zh-hant")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two models and a test set for each of three languages."""
    monkeypatch.chdir(tmp_path)
    generator = np.random.default_rng(0)
    for code in LANGUAGES:
        words = [f"{code}{number}" for number in range(20)]
        topics = (f": topic{topic}\n" + "\n".join(words[topic::2]) for topic in range(2))
        Path("tests").mkdir(exist_ok=True)
        Path(f"tests/{code}.txt").write_text("\n".join(topics) + "\n", encoding="utf-8")
        for name in ("a", "b"):
            rows = [f"{word} {' '.join(map(str, generator.normal(size=4).round(3)))}" for word in words]
            path = Path(f"models/{code}/{name}.vec")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([f"{len(rows)} 4", *rows]) + "\n", encoding="utf-8")
    return tmp_path


MODELS, TESTS = ["models/{language}/*.vec"], ["tests/{language}.txt"]


def lines(path):
    head, *others = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(head)["format"] == "score lines"
    return {json.loads(line)["vectors"]: json.loads(line) for line in others}


def test_models_are_paired_with_their_language(folder):
    found = pairs(MODELS, TESTS)
    assert found["models/zh-hant/a.vec"] == ("tests/zh-hant.txt",)
    assert len(found) == 6
    every = pairs(["models/la/a.vec"], TESTS)
    assert every == {"models/la/a.vec": tuple(sorted(f"tests/{code}.txt" for code in LANGUAGES))}
    assert pairs(["models/la/*.vec", "models/la/a.vec"], ["tests/la.txt"]).keys() == {
        "models/la/a.vec",
        "models/la/b.vec",
    }
    assert pairs(["s3://bucket/{language}.vec"], TESTS)["s3://bucket/he.vec"] == ("tests/he.txt",)


@pytest.mark.parametrize(
    ("models", "tests", "error", "said"),
    [
        (["nothing/*.vec"], TESTS, VectorsError, "no vectors are there"),
        (MODELS, ["nothing.json"], TestSetError, r"nothing\.json: there is nothing"),
        (MODELS, ["tests/la.txt"], TestSetError, "of which language"),
    ],
)
def test_what_is_not_there_is_found_out_first(folder, models, tests, error, said):
    with pytest.raises(error, match=said):
        score_many(models, tests, Path("out.jsonl"))
    assert not Path("out.jsonl").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_those_of_score(folder, workers):
    settings = Settings(oov="skip")
    found = score_many(MODELS, TESTS, Path("out.jsonl"), ["Topk@2", "OddOneOut@2"], settings, workers=workers)
    assert (found.models, found.test_sets, found.categories, found.failed) == (6, 6, 24, 0)
    for place, line in lines(Path("out.jsonl")).items():
        test = f"tests/{Path(place).parent.name}.txt"
        expected = score(load_vectors(place), read_testset(test), ["Topk@2", "OddOneOut@2"], settings)
        (result,) = line["results"]
        assert result["combined"] == expected.combined
        for each, own in zip(result["scores"], expected.values(), strict=True):
            assert each["value"] == own.value
            assert each["signature"] == own.signature
            assert each["parts"] == {part.name: part.value for part in own.parts}


def test_what_cannot_be_scored_is_a_result_with_a_reason(folder):
    Path("models/la/a.vec").write_text("2 4\nbroken\n", encoding="utf-8")
    Path("models/la/b.vec").write_text("1 2\nunknown 1 2\n", encoding="utf-8")
    Path("tests/he.txt").write_text(": one\n", encoding="utf-8")
    found = score_many(MODELS, TESTS, Path("out.jsonl"))
    assert found.failed == 4
    by_name = {"/".join(Path(place).parts[-2:]): line for place, line in lines(Path("out.jsonl")).items()}
    assert "a.vec" in by_name["la/a.vec"]["error"]
    assert "error" in by_name["la/b.vec"]["results"][0]
    assert "error" in by_name["he/a.vec"]["results"][0]
    assert by_name["zh-hant/a.vec"]["results"][0]["scores"]


def test_a_model_whose_process_dies_is_a_result(folder, monkeypatch):
    def all_die(function, tasks, workers, scheduler):
        yield from ((task, Lost("it died")) for task in tasks)

    monkeypatch.setattr(run_module, "run_each", all_die)
    assert score_many(MODELS, TESTS, Path("out.jsonl")).failed == 6
    assert {line["error"] for line in lines(Path("out.jsonl")).values()} == {"it died"}


def test_it_goes_on_where_it_stopped(folder, monkeypatch):
    out = Path("out.jsonl")
    score_many(["models/{language}/a.vec"], TESTS, out)
    whole = out.read_bytes()
    out.write_bytes(whole + b'{"vectors": "half a li')
    scored = []
    monkeypatch.setattr(
        run_module,
        "run_each",
        lambda _, tasks, *__: ((task, scored.append(task.vectors) or score_unit(task)) for task in tasks),
    )
    found = score_many(MODELS, TESTS, out)
    assert (found.before, found.models) == (3, 3)
    assert {Path(place).name for place in scored} == {"b.vec"}
    assert out.read_bytes().startswith(whole)
    assert len(lines(out)) == 6


def test_a_killed_run_goes_on(folder):
    for number in range(60):
        Path(f"models/la/m{number}.vec").write_bytes(Path("models/la/a.vec").read_bytes())
    command = [PROGRAM, "batch", *MODELS, "--test", *TESTS, "--output", "out.jsonl"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not Path("out.jsonl").exists() or Path("out.jsonl").read_bytes().count(b"\n") < 5:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    subprocess.run([*command, "--workers", "2"], check=True, capture_output=True)
    assert len(lines(Path("out.jsonl"))) == 66
    assert Path("out.jsonl").read_bytes().count(b"\n") == 67


@pytest.mark.parametrize("content", [b"something else\n", b'{"a": 1}\n', b"[1]\n"])
def test_other_files_are_not_written_to(folder, content):
    Path("out.jsonl").write_bytes(content)
    with pytest.raises(OutputError, match="name another file"):
        score_many(MODELS, TESTS, Path("out.jsonl"))
    assert Path("out.jsonl").read_bytes() == content


def test_other_settings_want_another_file(folder):
    score_many(MODELS, TESTS, Path("out.jsonl"))
    with pytest.raises(OutputError, match="other measures or settings"):
        score_many(MODELS, TESTS, Path("out.jsonl"), settings=Settings(oov="skip"))
    with pytest.raises(OutputError, match="cannot be written"):
        score_many(MODELS, TESTS, Path("/dev/null/out.jsonl"))


def test_files_of_an_object_store_are_copied_once(folder, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    pytest.importorskip("upath", reason="URLs need the extra [cluster]")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    store = fsspec.filesystem("memory")
    store.pipe("/bucket/la.vec", Path("models/la/a.vec").read_bytes())
    store.pipe("/bucket/la.txt", Path("tests/la.txt").read_bytes())
    score_many(["memory://bucket/la.vec"], ["memory://bucket/la.txt"], Path("out.jsonl"))
    score_many(["models/la/a.vec"], ["tests/la.txt"], Path("here.jsonl"))
    (there,), (here,) = (lines(Path(name)).values() for name in ("out.jsonl", "here.jsonl"))
    assert there["results"] == here["results"]
    assert sorted(path.name for path in (folder / "cache").rglob("la.*")) == ["la.txt", "la.vec"]
    score_many(["memory://bucket/nothing.vec"], ["tests/la.txt"], Path("none.jsonl"))
    assert "cannot be read" in lines(Path("none.jsonl"))["memory://bucket/nothing.vec"]["error"]


def test_bad_rows_are_read_as_asked(folder):
    with Path("models/la/a.vec").open("a", encoding="utf-8") as file:
        file.write("la0 1 2\n")
    score_many(["models/la/a.vec"], ["tests/la.txt"], Path("out.jsonl"), reading=Reading(bad_rows="drop"))
    (line,) = lines(Path("out.jsonl")).values()
    assert "results" in line
