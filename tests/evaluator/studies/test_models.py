"""Models and languages, worked on by other processes: the same results, advice and errors as here."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest

from evaluator import Language, compare, load_vectors, read_testset
from evaluator.cli.options import VectorOptions
from evaluator.errors import ExtraError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.vectors import LoadOptions
from evaluator.vectors.reading import VectorsFile
from tests.evaluator.small_studies import write_models


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_models(tmp_path)


@pytest.fixture
def run(evaluator):
    def run_(*arguments, code=0):
        ended = evaluator(*arguments)
        assert ended.code == code, ended.err
        return ended.out, PROGRESS.sub("", ended.err)

    return run_


PROGRESS = re.compile(r"^evaluator: +\d+% .*\n", re.MULTILINE)
"""Lines in the order in which tasks are finished, which is another one each time."""


def spoil(path):
    """Damage a row, and write some words in another case."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1:20] = [line.replace("la", "LA") for line in lines[1:20]]
    path.write_text("\n".join([*lines, "bad 1 2", ""]), encoding="utf-8")


SCORE = ("score", "la0.vec", "la1.vec", "--test", "la.json", "--baseline", "--json")
COMPARE = ("compare", "la=la0.vec", "grc=grc0.vec", "sa=sa1.vec", "--test", ".", "--topic", "t")


def test_other_processes_say_the_same(run, models, two_workers):
    spoil(models["la"][0])
    exact = (*SCORE, "--bad-rows", "drop", "--case", "exact")
    alone = run(*exact)
    assert run(*exact, "--workers", two_workers) == alone
    assert "bad rows left out: 1" in alone[1]
    assert "with --case fold, " in alone[1]


def test_errors_are_the_same(run, models, tmp_path, two_workers):
    models["la"][0].write_text("60 4\nla0 1 2 3 nonsense\n", encoding="utf-8")
    out, alone = run(*SCORE, code=1)
    scored, elsewhere = run(*SCORE, "--workers", two_workers, code=1)
    assert scored.replace(f"{tmp_path}/", "") == out
    assert "la0.vec, line 1: " in alone
    assert elsewhere.replace(f"{tmp_path}/", "") == alone  # others have another working directory


@pytest.mark.parametrize("command", [SCORE, COMPARE], ids=["score", "compare"])
def test_what_is_not_there_is_refused_at_once(run, models, command):
    models["la"][0].unlink()
    _, said = run(*command, code=2)
    assert said == "evaluator: la0.vec: there is no such file. Did you mean sa0.vec?\n"


def test_a_file_after_json_is_told_what_to_write(run, models):
    _, said = run(*SCORE, "--json", "out.json", code=2)
    assert said == "evaluator: out.json: there is no such file. After --json, write `> out.json`.\n"


def test_models_of_the_same_name_are_told_apart(run, models, two_workers):
    for name in ("one", "two"):
        Path(name).mkdir()
        models["la"].pop().rename(Path(name) / "x.vec")
    out, _ = run("score", "one/x.vec", "two/x.vec", "--test", "la.json", "--json", "--workers", two_workers)
    assert [each["model"] for each in json.loads(out)["results"]] == ["one/x.vec", "two/x.vec"]


def test_vectors_in_memory_do_not_travel(models):
    languages = [
        Language(code, load_vectors(models[code][0]), read_testset(f"{code}.json")) for code in ("la", "grc")
    ]
    with pytest.raises(VectorsError, match=r"la0\.vec: .*worker processes"):
        compare(languages, machine=Machine(2))


def test_vectors_at_a_url(run, models, monkeypatch, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    store = fsspec.filesystem("memory")
    for path in (*models["la"], *models["grc"]):
        store.pipe(f"/bucket/{path.name}", path.read_bytes())
    at = "memory://bucket"
    there = [
        ["score", f"{at}/la0.vec", f"{at}/la1.vec", "--test", "la.json"],
        ["compare", f"la={at}/la0.vec", f"grc={at}/grc0.vec", "--test", "."],
    ]
    for command in there:
        here = [each.replace(f"{at}/", "") for each in command]
        assert run(*command)[0] == run(*here)[0]


def test_errors_travel():
    error = ExtraError("lemmas", "simplemma", "lemmas")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(again), str(again)) == (ExtraError, str(error))


def test_a_vectors_file_is_loaded_as_it_says(models):
    spoil(models["la"][0])
    with pytest.raises(VectorsError, match="la0"):
        VectorsFile(str(models["la"][0])).load()
    file = VectorsFile(str(models["la"][0]), LoadOptions(bad_rows="drop"), "mine")
    loaded = file.load()
    assert (file.name, loaded.name, loaded.dropped) == ("mine", "mine", 1)


@pytest.mark.parametrize("workers", ["0", "-1", "two", "localhost"])
def test_what_is_neither_a_number_of_workers_nor_an_address_is_refused(run, models, workers):
    _, said = run(*SCORE, "--workers", workers, code=2)
    assert "Invalid value for '--workers'" in said
    assert "tcp://host:8786" in said


def test_a_report_does_not_replace_what_is_read(run, models, tmp_path):
    text = models["la"][0].read_bytes()
    models["la"][0].rename("la.html")
    _, said = run("score", f"file://{tmp_path}/la.html", "--test", "la.json", "--report", "la.html", code=2)
    assert "is an input; results would overwrite it" in said
    assert Path("la.html").read_bytes() == text


def test_a_token_in_a_url_is_no_part_of_a_name():
    loader = VectorOptions()
    given = ["http://h/la/a.vec?token=SECRET", "http://h/grc/a.vec?token=SECRET"]
    assert [each.name for each in loader.files(given)] == ["http://h/la/a.vec", "http://h/grc/a.vec"]
    again = ["http://h/a.vec?version=1", "http://h/a.vec?version=2"]  # nothing else tells them apart
    assert [each.name for each in loader.files(again)] == again


def test_rows_left_out_are_told_of_where_there_is_no_score(run, models):
    (models["la"][0]).write_text("2 2\nnix 1 2\nbad 1\n", encoding="utf-8")
    shown, said = run("score", "la0.vec", "--test", "la.json", "--bad-rows", "drop", code=1)
    assert "no word is known" in shown
    assert "bad rows left out: 1" in said
