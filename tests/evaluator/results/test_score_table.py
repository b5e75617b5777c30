"""Tables of models × tasks: what is taken from result files, what can be compared, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evaluator.errors import ResultsError, ScoreError
from evaluator.results.base import to_json
from evaluator.results.score_table import read_table
from evaluator.results.scores import ScoresFile
from evaluator.statistics.composite import compose
from evaluator.studies.scoring import score
from tests.evaluator.examples import test_set, vectors
from tests.evaluator.results.samples import FAILED, SAMPLES, jsonl, model_line, score_lines


def run(model="a.vec", test_set="la.json", language="la", **scores):
    """A model on one test set, with all that a file of other origin needs."""
    return {
        "model": model,
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
    path.write_text(json.dumps({"format": "scores", "version": 5, "results": list(runs), **more}))
    return path


def table(tmp_path, *runs):
    return read_table([write(tmp_path / "r.json", *runs)])[0]


def tasks(found):
    return found.columns.get_level_values("task").tolist()


def cell(found, model, task):
    return found.xs(task, axis="columns", level="task").loc[model].item()


def test_what_score_gives_is_in_it(tmp_path):
    """The score by every measure to the last bit, and none that is computed from two of them."""
    words = test_set(one=["w0", "w1", "w2"], two=["w3", "w4", "w5"])
    rows = [[1, 0.1 * n, 0.01 * n * n] for n in range(6)] + [[0, 1, n] for n in range(3)]
    scores = score(vectors(rows), words, ["Topk@2", "OddOneOut@2"])
    (tmp_path / "r.json").write_text(to_json(ScoresFile(results=(scores,)).record()))
    found, _ = read_table([tmp_path / "r.json"])
    expected = {f"{each.measure} test.json": each.value for each in scores.measured}
    assert {task: cell(found, "test vectors", task) for task in tasks(found)} == expected
    assert len(expected) == 2


def test_files_of_all_commands_are_taken_and_those_without_scores_are_named(tmp_path):
    paths = [tmp_path / f"{name}.json" for name in ("scores", "coverage", "curve")]
    for path in paths:
        path.write_text(json.dumps(SAMPLES[path.stem]))
    lines = tmp_path / "results.jsonl"
    lines.write_bytes(jsonl(score_lines(model_line("/models/e.vec", 0.25), *FAILED)))
    found, notes = read_table([*paths, lines])
    assert [cell(found, name, "Topk@3 la.json") for name in ("a.vec", "b.vec", "e.vec")] == [0.5, 0.5, 0.25]
    assert notes == [
        f"{paths[1]}: holds no scores of models on tasks; `evaluator coverage --json` wrote it",
        f"{paths[2]}: holds no scores of models on tasks; `evaluator curve` wrote it",
        f"{lines}: /models/c.vec: line 2 is broken",
        f"{lines}: /models/d.vec on la.json: nothing to score",
    ]


def test_files_without_any_scores_are_refused(tmp_path):
    (tmp_path / "curve.json").write_text(json.dumps(SAMPLES["curve"]))
    (tmp_path / "new.jsonl").write_bytes(jsonl(score_lines({"vectors": "/c.vec", "reason": "broken"})))
    with pytest.raises(ResultsError) as error:
        read_table([tmp_path / "curve.json", tmp_path / "new.jsonl"])
    assert str(error.value) == (
        f"{tmp_path}/curve.json: holds no scores of models on tasks; `evaluator curve` wrote it; "
        f"{tmp_path}/new.jsonl: /c.vec: broken; {tmp_path}/new.jsonl: holds no scores; "
        "name a file that `evaluator score --json` or `evaluator score --output` wrote"
    )


def test_a_table_is_sorted_by_name_whatever_the_order_of_files(tmp_path):
    one = write(tmp_path / "1.json", run("b.vec", two=0.2, one=0.1))
    other = write(tmp_path / "2.json", run("a.vec", one=0.3, two=0.4))
    found, _ = read_table([one, other])
    assert found.equals(read_table([other, one])[0])
    assert found.index.tolist() == ["a.vec", "b.vec"]
    assert found.columns.tolist() == [("one", "one la.json"), ("two", "two la.json")]
    assert cell(found, "b.vec", "two la.json") == 0.2
    assert found.notna().all(axis=None)


def test_what_was_not_scored_is_missing(tmp_path):
    found = table(tmp_path, run(one=0.1, two=0.2), run("b.vec", one=0.3))
    assert np.argwhere(found.isna()).tolist() == [[1, 1]]


def test_tasks_of_two_languages_stay_apart(tmp_path):
    found = table(tmp_path, run(one=0.1), run(language="el", one=0.2), run(test_set="x.json", one=0.3))
    assert tasks(found) == ["one la.json (el)", "one la.json (la)", "one x.json"]
    assert cell(found, "a.vec", "one la.json (el)") == 0.2


def test_the_same_score_may_come_twice(tmp_path):
    path = write(tmp_path / "r.json", run(one=0.1))
    assert read_table([path, path])[0].equals(read_table([path])[0])


def test_two_scores_of_a_model_on_a_task_are_refused_with_both_places(tmp_path):
    one, other = write(tmp_path / "1.json", run(one=0.1)), write(tmp_path / "2.json", run(one=0.2))
    with pytest.raises(
        ResultsError, match=r"a.vec has two scores for one on la.json: 0.1 .* and 0.2"
    ) as error:
        read_table([one, other])
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
        read_table([one, other])
    place = "$.results[0].scores[0]"
    assert str(error.value).startswith(
        f"scores of one on la.json cannot be compared: {was} for a.vec ({one}: {place}), "
        f"but {now} for b.vec ({other}: {place}); "
    )


def test_a_setting_that_only_one_signature_has_is_named(tmp_path):
    one, other = write(tmp_path / "1.json", run(one=0.1)), write(tmp_path / "2.json", run("b.vec", one=0.2))
    other.write_text(other.read_text().replace("|version", "|seed:1|version"))
    with pytest.raises(ResultsError, match=r"a\.vec .*seed:1 for b\.vec"):
        read_table([one, other])


def skipped(model, *settings):
    """A model that was scored with `oov=skip`."""
    found = run(model, **{"Topk@3": 0.5})
    found["scores"][0]["signature"] = "|".join(["Topk@3", *settings, "oov:skip", "test:la.json#0"])
    return found


def test_models_that_were_asked_different_words_are_not_compared(tmp_path):
    said = (
        r"cannot be compared: with --oov skip, a\.vec \(.*\) and b\.vec .*in one command of `evaluator score`"
    )
    with pytest.raises(ResultsError, match=said):
        table(tmp_path, skipped("a.vec"), skipped("b.vec"))
    assert table(tmp_path, skipped("a.vec"), skipped("a.vec")).index.tolist() == ["a.vec"]


def test_models_that_were_asked_the_same_words_are_compared(tmp_path):
    common = "candidates:0123456789ab"
    assert table(tmp_path, skipped("a.vec", common), skipped("b.vec", common)).notna().all(axis=None)
    for other in ("candidates:ab9876543210", "norm:unit"):
        with pytest.raises(ResultsError, match=r"candidates:0123456789ab for a\.vec .* for b\.vec"):
            table(tmp_path, skipped("a.vec", common), skipped("b.vec", other))


def test_what_could_not_be_scored_is_named(tmp_path):
    """A model, a model on a test set, and a measure of one; each model and test set once."""
    lacks = run("b.vec", one=0.1) | {"failures": [{"measure": "two", "reason": "la.json: two has no words"}]}
    failures = [
        {"model": "c.vec", "test_set": None, "reason": "c.vec: line 2 is broken"},
        {"model": "d.vec", "test_set": "la.json", "reason": "nothing to score"},
    ]
    path = write(tmp_path / "r.json", run("a.vec", one=0.2, two=0.3), lacks, failures=failures)
    found, notes = read_table([path])
    assert np.argwhere(found.isna()).tolist() == [[1, 1]]
    assert notes == [
        f"{path}: c.vec: line 2 is broken",
        f"{path}: d.vec on la.json: nothing to score",
        f"{path}: b.vec: la.json: two has no words",
    ]
    with pytest.raises(ScoreError, match=r"b\.vec .*two la\.json.*score it"):
        compose([path])
    assert compose([path], leave_out="models").models == ("a.vec",)
    line = model_line("/models/e.vec", 0.25, failures=[{"measure": "two", "reason": "no words"}])
    (tmp_path / "r.jsonl").write_bytes(jsonl(score_lines(line)))
    assert read_table([tmp_path / "r.jsonl"])[1] == [f"{tmp_path / 'r.jsonl'}: e.vec on la.json: no words"]


def test_a_measure_of_known_words_is_left_out_where_models_were_asked_other_words(tmp_path):
    """It has a default value in each file, so the other measures of the files must stay comparable."""

    def keywords(model, asked, **scores):
        found = run(model, KeywordRank=0.3, **scores)
        found["scores"][0]["signature"] += f"|words:{asked}"
        return found

    path = write(
        tmp_path / "r.json", keywords("a", "1", **{"Topk@3": 0.1}), keywords("b", "2", **{"Topk@3": 0.2})
    )
    found, notes = read_table([path])
    assert tasks(found) == ["Topk@3 la.json"]
    assert len(notes) == 1
    assert notes[0].startswith(
        "KeywordRank on la.json was left out: models were asked other words; score all"
    )
    with pytest.raises(ResultsError, match=r"KeywordRank on la\.json was left out"):
        read_table([write(tmp_path / "r.json", keywords("a", "1"), keywords("b", "2"))])
    same = read_table([write(tmp_path / "r.json", keywords("a", "1"), keywords("b", "1"))])[0]
    assert tasks(same) == ["KeywordRank la.json"]
