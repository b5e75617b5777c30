"""Result files: what is read, what is refused, and what can be compared."""

from __future__ import annotations

import json

import pytest

from evaluator.results.score_table import Result, ResultsError, Task, read_results, tabulate
from evaluator.studies.scoring import score
from tests.evaluator.examples import test_set, vectors


def run(model="a.vec", test_set="la.json", language="la", **scores):
    """What `evaluator score --json` writes of one model on one test set, as far as it is read."""
    return {
        "vectors": model,
        "test_set": test_set,
        "language": language,
        "scores": [
            {
                "measure": measure,
                "value": value,
                "signature": f"{measure}|norm:unit|oov:wrong|test:{test_set}#0|version:1",
            }
            for measure, value in scores.items()
        ],
    }


def write(path, *runs, **more):
    path.write_text(json.dumps({"format": "scores", "version": 1, "results": list(runs), **more}))
    return path


def table(tmp_path, *runs):
    return tabulate(read_results([write(tmp_path / "r.json", *runs)]))


def refusal(path):
    with pytest.raises(ResultsError) as error:
        read_results([path])
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def test_what_score_gives_is_read_back(tmp_path):
    """The contract with `Scores.as_dict`: every score, its signature and its value to the last bit."""
    words = test_set(one=["w0", "w1", "w2"], two=["w3", "w4", "w5"])
    rows = [[1, 0.1 * n, 0.01 * n * n] for n in range(6)] + [[0, 1, n] for n in range(3)]
    scores = score(vectors(rows), words, ["Topk@2", "OddOneOut@2"])
    found = read_results([write(tmp_path / "r.json", scores.as_dict())])
    assert [(each.task.measure, each.value, each.signature) for each in found] == [
        (text, each.value, each.signature) for text, each in scores.items()
    ]
    assert {(each.model, each.task.test_set, each.task.language) for each in found} == {
        ("test vectors", "test.json", "en")
    }


def test_a_result_names_its_place_and_unknown_keys_are_ignored(tmp_path):
    path = write(tmp_path / "r.json", run(one=0.5, two=1), run("b.vec", one=-0.25), later="x")
    found = read_results([path])
    assert found[1] == Result(
        "a.vec",
        Task("two", "la.json", "la"),
        1.0,
        "two|norm:unit|oov:wrong|test:la.json#0|version:1",
        f"{path}: $.results[0].scores[1]",
    )
    assert [each.value for each in found] == [0.5, 1, -0.25]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_redirected_by_any_shell(tmp_path, encoding):
    path = tmp_path / "r.json"
    content = {"format": "scores", "version": 1, "results": [run("ā.vec", one=0.5)]}
    path.write_text(json.dumps(content, ensure_ascii=False), encoding=encoding)
    assert read_results([path])[0].model == "ā.vec"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "the file is empty"),
        ("evaluator: no", "not JSON: Expecting value"),
        ('{"format": "scores",', "not JSON"),
        ("{}\n{}", "write each to a file of its own"),
        ("[" * 100_000, "not JSON"),
        ("[]", '$.format: must be "scores"'),
        ('{"format": "testset", "version": 1}', '$.format: must be "scores"'),
        ('{"format": "scores"}', "$.version: is missing"),
        ('{"format": "scores", "version": true}', "$.version: must be a whole number"),
        (
            '{"format": "scores", "version": 2}',
            "$.version: is 2, and this evaluator reads version 1; update it",
        ),
        (
            '{"format": "scores", "version": 0}',
            "$.version: is 0, and this evaluator reads version 1; run `evaluator score --json` again",
        ),
        ('{"format": "scores", "version": 1}', "$.results: is missing"),
        ('{"format": "scores", "version": 1, "results": {}}', "$.results: must be a list"),
        ('{"format": "scores", "version": 1, "results": []}', "$.results: is empty"),
        ('{"format": "scores", "version": 1, "results": [1]}', "$.results[0]: must be an object"),
    ],
)
def test_what_is_no_result_file_is_refused(tmp_path, content, complaint):
    path = tmp_path / "r.json"
    path.write_text(content)
    assert complaint in refusal(path)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(b'{"format": "\xff"}')
    assert "not JSON" in refusal(path)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("NaN", "is nan"),
        ("-Infinity", "is -inf"),
        ("1e999", "is inf"),
        ("1" + "0" * 400, "is larger than any number of a result"),
        ("null", "must be a number"),
        ("true", "must be a number"),
        ('"0.5"', "must be a number"),
    ],
)
def test_a_score_is_a_finite_number(tmp_path, value, complaint):
    path = write(tmp_path / "r.json", run(one=0.5), run("b.vec", one=0.25, two=0.125))
    path.write_text(path.read_text().replace("0.125", value))
    assert refusal(path).startswith(f"$.results[1].scores[1].value: {complaint}")


@pytest.mark.parametrize("key", ["vectors", "test_set", "language", "scores"])
def test_what_is_missing_in_a_run_is_named(tmp_path, key):
    broken = run(one=0.5)
    del broken[key]
    assert refusal(write(tmp_path / "r.json", broken)) == f"$.results[0].{key}: is missing"


@pytest.mark.parametrize("key", ["measure", "signature", "value"])
def test_what_is_missing_in_a_score_is_named(tmp_path, key):
    broken = run(one=0.5)
    del broken["scores"][0][key]
    assert refusal(write(tmp_path / "r.json", broken)) == f"$.results[0].scores[0].{key}: is missing"


def test_an_empty_name_is_refused(tmp_path):
    assert refusal(write(tmp_path / "r.json", run("", one=1))) == "$.results[0].vectors: is empty"


def test_a_file_that_is_not_there_is_named(tmp_path):
    assert refusal(tmp_path / "none.json").startswith("cannot be read: No such file")


def test_no_files_are_refused():
    with pytest.raises(ResultsError, match="no result files"):
        read_results([])


def test_a_table_is_sorted_by_name_whatever_the_order_of_files(tmp_path):
    one = write(tmp_path / "1.json", run("b.vec", two=0.2, one=0.1))
    other = write(tmp_path / "2.json", run("a.vec", one=0.3, two=0.4))
    found = tabulate(read_results([one, other]))
    assert found == tabulate(read_results([other, one]))
    assert found.models == ("a.vec", "b.vec")
    assert found.tasks == ("one la.json", "two la.json")
    assert found.measures == ("one", "two")
    assert found.cells["b.vec", "two la.json"] == 0.2
    assert found.missing == ()


def test_what_was_not_scored_is_missing(tmp_path):
    found = table(tmp_path, run(one=0.1, two=0.2), run("b.vec", one=0.3))
    assert found.missing == (("b.vec", "two la.json"),)


def test_tasks_of_two_languages_stay_apart(tmp_path):
    found = table(tmp_path, run(one=0.1), run(language="el", one=0.2), run(test_set="x.json", one=0.3))
    assert found.tasks == ("one la.json (el)", "one la.json (la)", "one x.json")
    assert found.cells["a.vec", "one la.json (el)"] == 0.2


def test_the_same_score_may_come_twice(tmp_path):
    path = write(tmp_path / "r.json", run(one=0.1))
    assert tabulate(read_results([path, path])) == tabulate(read_results([path]))


def test_two_scores_of_a_model_on_a_task_are_refused_with_both_places(tmp_path):
    one, other = write(tmp_path / "1.json", run(one=0.1)), write(tmp_path / "2.json", run(one=0.2))
    with pytest.raises(
        ResultsError, match=r"a.vec has two scores for one on la.json: 0.1 .* and 0.2"
    ) as error:
        tabulate(read_results([one, other]))
    for path in (one, other):
        assert f"({path}: $.results[0].scores[0])" in str(error.value)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("oov:wrong", "oov:skip"),
        ("test:la.json#0", "test:la.json#1"),
        ("version:1", "version:2"),
        ("norm:unit", "norm:none"),
    ],
)
def test_scores_with_other_signatures_are_refused_with_the_difference(tmp_path, was, now):
    one, other = write(tmp_path / "1.json", run(one=0.1)), write(tmp_path / "2.json", run("b.vec", one=0.2))
    other.write_text(other.read_text().replace(was, now))
    with pytest.raises(ResultsError) as error:
        tabulate(read_results([one, other]))
    place = "$.results[0].scores[0]"
    assert str(error.value).startswith(
        f"scores of one on la.json cannot be compared: {was} for a.vec ({one}: {place}), "
        f"but {now} for b.vec ({other}: {place}); "
    )


def test_a_setting_that_only_one_signature_has_is_named(tmp_path):
    one, other = write(tmp_path / "1.json", run(one=0.1)), write(tmp_path / "2.json", run("b.vec", one=0.2))
    other.write_text(other.read_text().replace("|version", "|seed:1|version"))
    with pytest.raises(ResultsError, match=r"nothing more for a.vec .* but seed:1 for b.vec"):
        tabulate(read_results([one, other]))
