"""Many models on many test sets: paired by language, written when they are finished, resumed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from evaluator import compose, read_results, score
from evaluator.datasets.reading import read_testset
from evaluator.errors import OutputError, ResultsError, StudyError, TestSetError, VectorsError
from evaluator.execution.machine import Machine
from evaluator.execution.processes import versions
from evaluator.results.base import signed_line, to_json
from evaluator.settings import Settings
from evaluator.statistics.score_lines import compared
from evaluator.studies.batch import batch
from evaluator.studies.models import score_model
from evaluator.studies.patterns import Paired, missing, of_language, pairs
from evaluator.studies.resumable import locked_output
from evaluator.vectors import LoadOptions

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
    found = map(json.loads, others)
    return {line["vectors"]: line for line in found if not line.get("again")}


def by_test(path):
    """The lines by the file names of model and test set."""
    found = map(json.loads, path.read_text(encoding="utf-8").splitlines()[1:])
    return {tuple(Path(line.get(key, "")).name for key in ("vectors", "test")): line for line in found}


def here(found):
    """Pairs with places as seen from the folder."""
    return {
        os.path.relpath(model): tuple(os.path.relpath(each) for each in own.tests)
        for model, own in found.items()
    }


def test_models_are_paired_with_their_language(folder):
    found = here(pairs(MODELS, TESTS))
    assert found["models/zh-hant/a.vec"] == ("tests/zh-hant.txt",)
    assert len(found) == 6
    every = here(pairs(["models/la/a.vec"], ["tests/*.txt"]))
    assert every == {"models/la/a.vec": tuple(sorted(f"tests/{code}.txt" for code in LANGUAGES))}
    assert here(pairs(["models/la/*.vec", "models/la/a.vec"], ["tests/la.txt"])).keys() == {
        "models/la/a.vec",
        "models/la/b.vec",
    }
    url = pairs(["s3://bucket/{language}.vec"], TESTS)["s3://bucket/he.vec"]
    assert (url.tests, url.language) == ((str(folder / "tests/he.txt"),), "he")


def test_models_are_found_by_codes_of_three_letters(folder):
    Path("models/la").rename("models/lat")
    assert here(pairs(MODELS, TESTS))["models/lat/a.vec"] == ("tests/la.txt",)


def test_models_have_the_names_in_their_paths(folder):
    found = pairs(["models/{language}/{model}.vec"], TESTS)
    assert {(own.model, own.language) for own in found.values()} == {
        (name, code) for name in ("a", "b") for code in LANGUAGES
    }
    Path("glove.6B.la.vec").touch()
    (own,) = pairs(["{model}.{language}.vec"], TESTS).values()
    assert (own.model, own.language) == ("glove.6B", "la")
    Path("x").mkdir()
    for name in ("x/x.la.vec", "x/y.la.vec"):
        Path(name).touch()
    assert list(here(pairs(["{model}/{model}.{language}.vec"], TESTS))) == ["x/x.la.vec"]


def test_what_lacks_in_a_table_of_models_and_languages(folder):
    Path("models/he/b.vec").unlink()
    Path("models/grc").mkdir()
    Path("models/grc/a.vec").touch()
    pattern = ["models/{language}/{model}.vec"]
    assert list(missing(pattern, pairs(pattern, TESTS))) == [
        "models/grc/a.vec: there is no test set of grc",
        "b: there are no vectors of he",
    ]
    assert list(missing(MODELS, pairs(MODELS, TESTS))) == ["models/grc/a.vec: there is no test set of grc"]


def test_the_test_sets_of_a_language(folder):
    Path("sets").mkdir()
    for code in ("la", "en"):
        Path(f"sets/{code}.json").touch()
    for named in ("sets", "sets/{language}.json"):
        assert of_language([named], "lat") == [("sets/la.json", "la")]
        with pytest.raises(TestSetError, match=r"which language.* there are en, la"):
            of_language([named])
        with pytest.raises(TestSetError, match="no test set of grc is there; there are en, la"):
            of_language([named], "grc")
    assert of_language(["sets/*.json"]) == [("sets/en.json", None), ("sets/la.json", None)]
    assert of_language(["none.json", "s3://b/{language}.json"], "lat") == [
        ("none.json", "la"), ("s3://b/la.json", "la"),
    ]  # fmt: skip
    assert here(pairs(["models/{language}/a.vec"], ["sets"])) == {"models/la/a.vec": ("sets/la.json",)}


def test_no_model_is_scored_in_all_languages_by_mistake(folder):
    """The folder may have test sets of many languages; where it has one, that is the model's."""
    Path("sets").mkdir()
    Path("sets/la.json").touch()
    assert here(pairs(["models/la/a.vec"], ["sets"])) == {"models/la/a.vec": ("sets/la.json",)}
    Path("sets/en.json").touch()
    Path("la.vec").touch()
    said = r"which language\? The test sets are of 2 \(en, la\)\. Write \{language\} .* in quotes: "
    for model, example in {
        "models/la/a.vec": "models/{language}/a.vec",
        "./la.vec": "{language}.vec",
        "models/*/b.vec": "models/{language}.vec",
    }.items():
        with pytest.raises(TestSetError, match=f"{said}'{re.escape(example)}'; .*'FOLDER/\\*.json' for all"):
            pairs([model], ["sets"])
    assert len(here(pairs(["la.vec"], ["sets/*.json"]))["la.vec"]) == 2


def test_a_place_is_one_however_it_is_spelled(folder):
    other = folder.parent / "other"
    shutil.rmtree(other, ignore_errors=True)
    (other / "deep").mkdir(parents=True)
    (other / "deep/m.vec").touch()
    (other / "a.vec").touch()
    Path("linked").symlink_to(other / "deep")
    spelled = ["models/la/a.vec", "./models/la/a.vec", "models/../models//la/a.vec"]
    found = pairs(spelled, ["tests/*.txt", "./tests/la.txt"])
    tests = tuple(str(folder / f"tests/{code}.txt") for code in ("he", "la", "zh-hant"))
    assert found == {str(folder / "models/la/a.vec"): Paired(tests)}
    assert pairs(MODELS, TESTS) == pairs([str(folder / MODELS[0]), f"./{MODELS[0]}"], TESTS)
    # Behind a link `..` is another folder than the text says.
    (behind,) = pairs(["linked/../a.vec"], ["tests/la.txt"])
    assert Path(behind).samefile(other / "a.vec")
    assert list(pairs(["linked/m.vec"], ["tests/la.txt"])) == [str(folder / "linked/m.vec")]


def test_what_exists_is_taken_by_its_name(folder):
    for name in ("a[1].vec", "a1.vec", "d[x]/la/q.vec"):
        path = Path(f"odd/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert list(here(pairs(["odd/a[1].vec"], ["tests/*.txt"]))) == ["odd/a[1].vec"]
    assert list(here(pairs(["odd/a[12].vec"], ["tests/*.txt"]))) == ["odd/a1.vec"]
    assert here(pairs(["odd/d[x]/{language}/*.vec"], TESTS)) == {"odd/d[x]/la/q.vec": ("tests/la.txt",)}


@pytest.mark.parametrize(
    ("files", "pattern", "codes"),
    [
        (["la/la.txt", "he/he.txt", "la/he.txt"], "{language}/{language}.txt", ["he", "la"]),
        (["x/la.txt", "y/zh-hant.txt"], "*/{language}.txt", ["la", "zh-hant"]),
        (["set-zh-hant.v1.txt", "set-la.v2.txt"], "*-{language}.v[12].txt", ["la", "zh-hant"]),
        (["set-la.v1.txt", "set-la.v3.txt", "set-he.v12.txt"], "set-{language}.v[!3].txt", ["la"]),
        (["la/v1/x.txt", "he/v22/x.txt"], "{language}/v?/x.txt", ["la"]),
        (["[v]/la.txt"], "[v]/{language}.txt", ["la"]),
    ],
)
def test_languages_are_told_by_patterns_of_any_form(folder, files, pattern, codes):
    for name in files:
        path = Path("found") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = here(pairs(["models/{language}/a.vec"], [f"found/{pattern}"]))
    assert sorted(found) == [f"models/{code}/a.vec" for code in codes]


@pytest.mark.parametrize(
    ("models", "tests", "error", "said"),
    [
        (["nothing/*.vec"], TESTS, VectorsError, r"nothing/\*\.vec: there are no vectors; name files"),
        ([*MODELS, "lost.vec"], TESTS, VectorsError, r"lost\.vec: there are no vectors"),
        (
            ["no/{language}.vec"],
            TESTS,
            VectorsError,
            r"for the languages of the test sets \(he, la, zh-hant\)",
        ),
        (MODELS, ["nothing.json"], TestSetError, r"nothing\.json: no such file"),
        (MODELS, ["tests/la.txt"], TestSetError, "its language is not known"),
    ],
)
def test_what_is_not_there_is_found_out_first(folder, models, tests, error, said):
    with pytest.raises(error, match=said):
        batch(models, tests, Path("out.jsonl"))
    assert not Path("out.jsonl").exists()


def test_results_are_those_of_score(folder, two_workers):
    settings = Settings(norm="none")
    found = batch(
        MODELS, TESTS, Path("out.jsonl"), ["Topk@2", "OddOneOut@2"], settings, machine=Machine(two_workers)
    )
    assert (found.models, found.results, found.values, found.failed) == (6, 6, 24, 0)
    for place, line in lines(Path("out.jsonl")).items():
        code = Path(place).parent.name
        measures = ["Topk@2", "OddOneOut@2"]
        test = read_testset(f"tests/{code}.txt", language=code)
        expected = score(place, test, measures, settings)
        assert line["scores"] == json.loads(to_json(expected.record()))


def test_a_model_is_scored_again_if_a_file_has_changed(folder):
    out, how = Path("out.jsonl"), (["models/la/*.vec"], ["tests/la.txt"])
    assert batch(*how, out).models == 2
    before = read_results(out)[0]
    os.utime("models/la/a.vec", (0, 0))
    assert batch(*how, out).models == 0
    shutil.copy("models/la/b.vec", "models/la/a.vec")
    found = batch(*how, out)
    said = "scored again, as they or their test sets have changed since: 1 model"
    assert (found.models, found.notes) == (1, (said,))
    (after,) = read_results(out)
    digests = {each.model: each.model_sha256 for each in after.results}
    assert digests == dict.fromkeys(("a.vec", "b.vec"), before.results[1].model_sha256)
    assert {each.test_sha256 for each in after.results} == {before.results[0].test_sha256}
    with Path("tests/la.txt").open("a", encoding="utf-8") as test:
        test.write(": more\nnew other words\n")
    assert batch(*how, out).models == 2
    assert len({each.test_sha256 for each in read_results(out)[0].results}) == 1
    assert batch(*how, out).models == 0


@pytest.mark.slow
def test_ten_thousand_unchanged_models_are_not_read_again(folder, monkeypatch):
    """They are names of one file, whose digest is known after it is read once."""
    out, (first, *_) = folder / "out.jsonl", sorted(folder.glob("models/la/*.vec"))
    tests = [str(folder / "tests/la.txt")]
    batch([str(first)], tests, out)
    head, line = out.read_bytes().splitlines(keepends=True)
    content = json.loads(line)
    del content["sha256"]
    (vectors, test), others = content["scores"]["inputs"], {}
    models = [folder / f"models/copy{number}.vec" for number in range(10_000)]
    for path in models:
        os.link(first, path)
        own = {"inputs": [{**vectors, "path": str(path.relative_to(folder))}, test]}
        others[path] = {**content, "vectors": str(path), "scores": {**content["scores"], **own}}
    out.write_bytes(head + b"".join(map(signed_line, others.values())))
    read = Mock(wraps=hashlib.file_digest)
    monkeypatch.setattr("evaluator.execution.inputs.hashlib.file_digest", read)
    found = batch(list(map(str, models)), tests, out)
    assert read.call_count <= 2  # the vectors and the test set
    assert (found.models, found.before) == (0, 10_000)


def test_models_of_other_commands_were_asked_other_words(folder, evaluator):
    """With `oov=skip`; one model on each test set is compared with nothing."""
    found = batch(["models/{language}/a.vec"], TESTS, Path("out.jsonl"), settings=Settings(oov="skip"))
    assert (found.models, found.failed) == (3, 0)
    words = ("score", "models/{language}/b.vec", "-t", *TESTS, "--oov", "skip", "-o", "b.jsonl")
    assert evaluator(*words).code == 0
    one, other = read_results("out.jsonl", "b.jsonl")
    assert one.results[0].model == "a.vec"
    with pytest.raises(ResultsError, match=r"--oov skip.*a\.vec.*out\.jsonl.*b\.vec"):
        compose([Path("out.jsonl"), Path("b.jsonl")])
    assert other.results[0].scores[0].words == "known"
    batch(["models/la/b.vec"], ["tests/la.txt"], Path("out.jsonl"), settings=Settings(oov="skip"))
    apart = compared(read_results("out.jsonl")[0])
    assert not [each for each in apart.rankings if each.test_set == "la.txt"]
    assert "la.txt: 1 of 2 models were not compared" in apart.notes[0]


def smaller(path, rows):
    """Take the last rows from a file of vectors."""
    lines = path.read_text().splitlines()[1:-rows]
    path.write_text("\n".join([f"{len(lines)} 4", *lines]) + "\n")


@pytest.mark.parametrize("oov", ["wrong", "skip"])
@pytest.mark.parametrize("removed", [0, 2])
def test_models_are_compared_as_in_one_run_from_the_file_alone(folder, oov, removed, two_workers):
    """Also where one knows fewer words, and neighbours are looked for among the words that all have."""
    if removed:
        smaller(Path("models/la/b.vec"), removed)
    shutil.copy("models/he/a.vec", "models/la/c.vec")  # which knows no word
    Path("more.vec").write_text("".join(f"la{n} {n % 3} 1 {n % 5} 2\n" for n in range(20)) + "z 1 2 3 4\n")
    models = [f"models/la/{name}.vec" for name in "ab"] + ["more.vec"]
    measures, settings = ["Topk@2", "OddOneOut@2"], Settings(oov=oov)
    batch(
        [*models, "models/la/c.vec"],
        ["tests/la.txt"],
        Path("out.jsonl"),
        measures,
        settings,
        machine=Machine(two_workers),
    )
    found = compared(read_results("out.jsonl")[0])
    test = read_testset("tests/la.txt", language="la")
    # With `wrong` it is asked the same questions, and has 0; with `skip` there is nothing to ask it.
    expected = score([*models, *(["models/la/c.vec"] if oov == "wrong" else [])], [test], measures, settings)
    by_pair = {(each.measure, each.first, each.second): each for each in expected.differences}
    assert by_pair
    order = [each.model for each in found.results]
    for each in found.differences:
        other = by_pair.get((each.measure, each.first, each.second))
        if other is None:  # models are in the order in which they were finished
            other = by_pair[each.measure, each.second, each.first]
            assert each.value == -other.value
            assert each.of_words.p == other.of_words.p
        else:
            assert each == other
    assert len(found.differences) == len(by_pair)
    assert sorted(order) == sorted(each.model for each in expected.results)
    for one, other in zip(found.rankings, expected.rankings, strict=True):
        assert {each.model: each for each in one.models} == {each.model: each for each in other.models}
    (one,), (other,) = found.kept, expected.kept
    assert (one.kind, {*one.models}, one.lacking) == (other.kind, {*other.models}, other.lacking)
    assert not found.notes
    lacking = [line for line in found.lines if line.again]
    assert bool(lacking) == (oov == "wrong")


def test_a_second_pass_is_resumed(folder, monkeypatch):
    """Killed in the middle of it, only what lacks is scored; and nothing if all is there."""
    smaller(Path("models/la/b.vec"), 3)
    Path("models/la/a.vec").write_text(
        Path("models/la/a.vec").read_text().replace("20 4", "21 4") + "z 1 2 3 4\n"
    )
    out, how = Path("out.jsonl"), (LA, ["tests/la.txt"])
    found = batch(*how, out)
    assert "2 models scored again, among the words that all models of la.txt have" in found.notes[0]
    whole = out.read_bytes()
    assert whole.count(b"\n") == 5
    before = compared(read_results(out)[0])
    scored = []
    monkeypatch.setattr(
        "evaluator.studies.batch.score_model", lambda task: scored.append(task) or score_model(task)
    )
    kept = b"".join(whole.splitlines(keepends=True)[:4])
    out.write_bytes(kept)
    assert "1 of 2 models were not compared" in compared(read_results(out)[0]).notes[0]
    out.write_bytes(kept + b'{"half')
    with pytest.raises(ResultsError, match=r"out\.jsonl: line 5 is not complete"):
        read_results(out)
    assert batch(*how, out).models == 0
    assert [each.file.name for each in scored] == [before.lines[-1].scores.model]
    assert compared(read_results(out)[0]).rankings == before.rankings
    assert batch(*how, out).notes == ()
    assert len(scored) == 1
    shutil.copy("models/la/b.vec", "models/la/c.vec")
    batch(*how, out)
    assert [each.file.name for each in scored[1:]] == ["c.vec", "a.vec", "b.vec", "c.vec"]
    assert {len(each.models) for each in compared(read_results(out)[0]).rankings} == {3}


def test_with_unknown_words_left_out_finished_models_are_not_scored_again(folder, monkeypatch):
    smaller(Path("models/la/b.vec"), 3)
    out, how = Path("out.jsonl"), (LA, ["tests/la.txt"])
    skip = Settings(oov="skip")
    batch(*how, out, settings=skip)
    assert batch(*how, out, settings=skip).models == 0
    shutil.copy("models/la/b.vec", "models/la/c.vec")
    assert batch(*how, out, settings=skip).models == 3, "they are asked what all of them know"
    assert {len(each.models) for each in compared(read_results(out)[0]).rankings} == {3}


def test_more_models_than_people_compare_are_not_compared(folder, monkeypatch):
    monkeypatch.setattr("evaluator.statistics.score_lines.MOST_COMPARED", 1)
    batch(LA, ["tests/la.txt"], Path("out.jsonl"))
    found = compared(read_results("out.jsonl")[0])
    assert not found.rankings
    assert "2 models were not compared with each other, as they are more than 1" in found.notes[0]


def test_what_cannot_be_scored_is_a_result_with_a_reason(folder):
    Path("models/la/a.vec").write_text("2 4\nbroken\n", encoding="utf-8")
    Path("models/la/b.vec").write_text("1 2\nunknown 1 2\n", encoding="utf-8")
    Path("tests/he.txt").write_text(": one\n", encoding="utf-8")
    found = batch(MODELS, TESTS, Path("out.jsonl"))
    assert found.failed == 4
    by_name = {"/".join(Path(place).parts[-2:]): line for place, line in lines(Path("out.jsonl")).items()}
    assert "a.vec" in by_name["la/a.vec"]["reason"]
    assert "test" not in by_name["la/a.vec"], "the vectors could not be loaded"
    (knows_nothing,) = {each["reason"] for each in by_name["la/b.vec"]["scores"]["scores"]}
    assert "no word is known" in knows_nothing
    assert {each["value"] for each in by_name["la/b.vec"]["scores"]["scores"]} >= {0}
    assert "reason" in by_name["he/a.vec"]
    assert by_name["zh-hant/a.vec"]["scores"]["scores"]


def test_a_measure_that_cannot_be_scored_leaves_the_others(folder, evaluator):
    """Its reason is in the line; it is not tried again, as that would give the same."""
    out, measures = Path("out.jsonl"), ["Topk@2", "Analogy", "Topk@50"]
    found = batch(MODELS, TESTS, out, measures)
    assert (found.models, found.results, found.failed, found.values) == (6, 6, 12, 12)
    for line in lines(out).values():
        result = line["scores"]
        assert [each["measure"] for each in result["scores"]] == ["Topk@2"]
        assert [each["measure"] for each in result["failures"]] == ["Analogy@1", "Topk@50"]
        assert "has no sections, which Analogy@1 scores" in result["failures"][0]["reason"]
    assert batch(MODELS, TESTS, out, measures).models == 0
    (read,) = read_results(out)
    assert [each.measure for each in read.results[0].failures] == ["Analogy@1", "Topk@50"]
    words = ["score", *MODELS, "-t", *TESTS, "-m", "Topk@2", "-m", "Analogy", "-o", "other.jsonl"]
    printed, err, code = evaluator(*words)
    assert code == 1
    assert "6 models, 6 results, 6 errors, 12 category scores" in printed
    assert "other.jsonl says why 6 could not be scored" in err


def test_a_model_whose_process_dies_is_a_result(folder, monkeypatch):
    def all_die(machine, function, tasks, died):
        yield from ((task, died(task, "it died")) for task in tasks)

    monkeypatch.setattr(Machine, "run_each", all_die)
    found = batch(MODELS, TESTS, Path("out.jsonl"))
    assert found.failed == 6
    assert str(found) == "6 models, 6 results, 6 errors, 0 category scores"
    assert {line["reason"] for line in lines(Path("out.jsonl")).values()} == {"it died"}


def test_an_interrupted_batch_is_resumed(folder, monkeypatch):
    out = Path("out.jsonl")
    batch(["models/{language}/a.vec"], TESTS, out)
    whole = out.read_bytes()
    out.write_bytes(whole + b'{"vectors": "half a li')
    scored = []
    monkeypatch.setattr(
        Machine,
        "run_each",
        lambda _, __, tasks, ___: (
            (task, scored.append(task.file.path) or score_model(task)) for task in tasks
        ),
    )
    found = batch(MODELS, TESTS, out)
    assert (found.before, found.models) == (3, 3)
    assert {Path(place).name for place in scored} == {"b.vec"}
    assert out.read_bytes().startswith(whole)
    assert len(lines(out)) == 6
    assert str(found).endswith("3 results, 0 errors, 12 category scores; 3 models had been scored before")
    assert str(batch(MODELS, TESTS, out)) == "nothing to do: 6 models had been scored before"


@pytest.mark.slow
def test_a_killed_batch_is_resumed(folder):
    for number in range(30):
        Path(f"models/la/m{number}.vec").write_bytes(Path("models/la/a.vec").read_bytes())
    command = [PROGRAM, "score", *MODELS, "--test", *TESTS, "--output", "out.jsonl"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not Path("out.jsonl").exists() or Path("out.jsonl").read_bytes().count(b"\n") < 5:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    batch(MODELS, TESTS, Path("out.jsonl"))
    assert len(lines(Path("out.jsonl"))) == 36
    assert Path("out.jsonl").read_bytes().count(b"\n") == 37


LA = ["models/la/*.vec"]


def test_models_that_are_links_to_one_file_are_scored_each(folder):
    Path("models/he/a.vec").unlink()
    Path("models/he/a.vec").symlink_to(folder / "models/la/a.vec")
    out = Path("out.jsonl")
    batch(["models/la/a.vec"], ["tests/*.txt"], out)
    found = batch(["models/he/a.vec"], ["tests/*.txt"], out)
    assert (found.before, found.models) == (0, 1)
    assert list(lines(out)) == [str(folder / f"models/{code}/a.vec") for code in ("la", "he")]


def test_more_test_sets_are_scored(folder):
    out = Path("out.jsonl")
    batch(LA, ["tests/la.txt"], out)
    shutil.copy("tests/la.txt", "tests/more.txt")
    found = batch(LA, ["tests/more.txt"], out)
    assert (found.before, found.models) == (0, 2)
    found = read_results(out)[0].results
    assert [(each.model, each.test_set) for each in found] == [
        (f"{model}.vec", f"{test}.txt") for test in ("la", "more") for model in "ab"
    ]
    for tests in (["tests/la.txt"], ["tests/more.txt", "tests/la.txt"]):
        assert batch(LA, tests, out).before == 2


def test_what_failed_is_tried_again(folder):
    out, model, test = Path("out.jsonl"), Path("models/la/a.vec"), Path("tests/la.txt")
    vectors, words = model.read_bytes(), test.read_bytes()
    model.write_text("2 4\nbroken\n", encoding="utf-8")
    assert batch(LA, ["tests/la.txt"], out).failed == 1
    model.write_bytes(vectors)
    found = batch(LA, ["tests/la.txt"], out)
    assert (found.before, found.models, found.failed) == (1, 1, 0)
    assert not read_results(out)[0].reasons
    test.write_text(": one\n", encoding="utf-8")
    other = Path("other.jsonl")
    assert batch(LA, ["tests/la.txt"], other).failed == 2
    test.write_bytes(words)
    assert batch(LA, ["tests/la.txt"], other).models == 2
    assert batch(LA, ["tests/*.txt"], other).models == 2


@pytest.mark.parametrize(
    "output", ["models/la/a.vec", "tests/la.txt", "linked.jsonl", "tests/../tests/la.txt"]
)
def test_what_is_read_is_not_written_over(folder, output):
    Path("linked.jsonl").symlink_to("tests/la.txt")
    before = {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}
    with pytest.raises(OutputError, match="overwrite"):
        batch(MODELS, TESTS, Path(output))
    assert {path: path.read_bytes() for path in folder.rglob("*.*") if path.is_file()} == before


@pytest.mark.parametrize("output", [".", "", "..", "tests", "/", "/dev/null"])
def test_what_is_no_file_is_refused(folder, output):
    with pytest.raises(OutputError, match="name a"):
        batch(MODELS, TESTS, Path(output))


def test_a_full_disk_leaves_whole_lines(folder):
    out = Path("out.jsonl")
    batch(["models/la/a.vec"], ["tests/la.txt"], out)
    whole = out.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, hard))
    try:
        with pytest.raises(OutputError, match=r"out\.jsonl: .*kept"):
            batch(MODELS, TESTS, out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert out.read_bytes() == whole
    found = batch(MODELS, TESTS, out)
    assert (found.before, found.models) == (1, 5)
    assert len(lines(out)) == 6


def test_names_that_are_not_utf8_are_written_and_found_again(folder, evaluator):
    odd = os.fsdecode(b"models/la/\xff.vec")
    shutil.copy("models/la/a.vec", odd)
    test = os.fsdecode(b"tests/la\xff.txt")
    shutil.copy("tests/la.txt", test)
    out = Path("out.jsonl")
    assert batch([odd], [test], out).failed == 0
    assert list(lines(out)) == [str(folder / odd)]
    assert batch([odd], [test], out).before == 1
    lost = os.fsdecode(b"tests/lost\xff.txt")
    assert evaluator("score", odd, "-t", lost, "-o", "other.jsonl").code == 2


def test_a_batch_of_other_versions_is_refused(folder, monkeypatch):
    out, now = Path("out.jsonl"), versions()
    batch(["models/la/*.vec"], ["tests/la.txt"], out)
    assert read_results(out)[0].versions == (now,)
    monkeypatch.setattr("evaluator.studies.resumable.versions", lambda: {**now, "numpy": "0.0.0"})
    with pytest.raises(StudyError, match=r"numpy 0\.0\.0"):
        batch(MODELS, TESTS, out)


def test_other_settings_need_another_file(folder):
    out = Path("out.jsonl")
    batch(MODELS, TESTS, out)
    with pytest.raises(StudyError, match=r"\(case was fold, is exact\)"):
        batch(MODELS, TESTS, out, settings=Settings(case="exact"))
    with pytest.raises(StudyError, match=r"\(encoding was utf-8, is latin-1\)"):
        batch(MODELS, TESTS, out, loading=LoadOptions(encoding="latin-1"))
    with pytest.raises(OutputError, match="cannot be written"):
        batch(MODELS, TESTS, Path("/dev/null/out.jsonl"))
    with locked_output(out), pytest.raises(StudyError, match=r"another process.*wait"):
        batch(MODELS, TESTS, out)


def test_files_of_an_object_store_are_copied_once(folder, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    store = fsspec.filesystem("memory")
    store.pipe("/bucket/la.vec", Path("models/la/a.vec").read_bytes())
    store.pipe("/bucket/la.txt", Path("tests/la.txt").read_bytes())
    batch(["memory://bucket/la.vec"], ["memory://bucket/la.txt"], Path("out.jsonl"))
    batch(["models/la/a.vec"], ["tests/la.txt"], Path("here.jsonl"))
    (there,), (here,) = (lines(Path(name)).values() for name in ("out.jsonl", "here.jsonl"))
    for key in ("scores", "model_sha256", "test_sha256"):
        assert there["scores"][key] == here["scores"][key]
    assert sorted(path.name for path in (folder / "cache").rglob("la.*")) == ["la.txt", "la.vec"]
    assert batch(["models/la/a.vec"], ["memory://bucket/no.txt"], Path("no.jsonl")).failed == 1
    batch(["memory://bucket/nothing.vec"], ["tests/la.txt"], Path("none.jsonl"))
    assert "cannot be read" in lines(Path("none.jsonl"))["memory://bucket/nothing.vec"]["reason"]


def test_bad_rows_are_read_as_asked(folder):
    with Path("models/la/a.vec").open("a", encoding="utf-8") as file:
        file.write("la0 1 2\n")
    Path("pairs.txt").write_text("la0 la1 5\nla1 la2\nla2 la3 1\nla0 la3 4\n", encoding="utf-8")
    tests, models = ["pairs.txt", "tests/la.txt"], ["models/la/a.vec", "models/la/b.vec"]
    drop = LoadOptions(bad_rows="drop")
    found = batch(models, tests, Path("out.jsonl"), loading=drop, test_format="auto")
    assert found.failed == 0
    assert len(found.notes) == 2, "once, not for each model"
    assert any(re.search(r"a\.vec: bad rows left out: 1$", note) for note in found.notes)
    assert any(re.match(r"left out: .*pairs\.txt, line 2: ", note) for note in found.notes)
    assert by_test(Path("out.jsonl")).keys() == {
        (model, test) for model in ("a.vec", "b.vec") for test in ("pairs.txt", "la.txt")
    }
