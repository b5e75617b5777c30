"""What was changed after it was written is found: results, models and test sets."""

from __future__ import annotations

import json
import sys

import pytest

from evaluator import score
from evaluator.cli import main
from evaluator.cli.output import signed
from evaluator.cli.verify import check
from evaluator.errors import ResultsError
from evaluator.results.base import UNFINISHED, to_json
from evaluator.studies.batch import batch
from tests.evaluator.small_studies import write_models


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A file of a batch, and one of scores; of the same models and test set."""
    monkeypatch.chdir(tmp_path)
    models, test = write_models(tmp_path)["la"], tmp_path / "la.json"
    lines, file = tmp_path / "results" / "lines.jsonl", tmp_path / "results" / "scores.json"
    batch(list(map(str, models)), [str(test)], lines, ["Topk@3"])
    scores = signed(score(models, test, ["Topk@3"]).record())
    file.write_text(to_json(scores), encoding="utf-8")
    return lines, file


def test_what_was_written_is_unchanged(results):
    lines, file = results
    assert check(lines) == (3, [], [])
    assert check(file) == (1, [], [])


def test_a_changed_line_is_found(results):
    lines, _ = results
    head, first, second = lines.read_text(encoding="utf-8").splitlines(keepends=True)
    lines.write_text(head + first.replace('"value": 0', '"value": 1', 1) + second, encoding="utf-8")
    assert check(lines) == (3, [f"{lines}: line 2 is damaged or was changed"], [])
    lines.write_text(head + first + second[:-9], encoding="utf-8")
    assert check(lines) == (3, [f"{lines}: line 3 {UNFINISHED}"], [])


def test_changed_scores_are_found(results):
    _, file = results
    content = json.loads(file.read_text(encoding="utf-8"))
    content["results"][1]["scores"][0]["value"] += 0.001
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ResultsError, match=r"scores\.json: .*changed"):
        check(file)


def test_models_and_test_sets_that_are_others_now_are_found(results, tmp_path):
    lines, _ = results
    (tmp_path / "la.json").unlink()
    with (tmp_path / "la1.vec").open("a", encoding="utf-8") as model:
        model.write("\n")
    _, (changed, missing), _ = check(lines)
    assert missing.startswith(f"{lines}: la.json, which it names, is not there; ")
    assert changed == f"{lines}: la1.vec has changed since these results were made; run their command again"


def test_the_command_looks_at_all_files_of_a_folder(results, monkeypatch, capsys):
    lines, file = results
    monkeypatch.setattr(sys, "argv", ["evaluator", "verify", str(lines.parent)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code or 0, capsys.readouterr().out) == (
        0,
        f"{lines}: unchanged, by 3 digests\n{file}: unchanged, by 1 digest\n",
    )
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (1, f"{lines}: unchanged, by 3 digests\n")
    assert err.startswith(f"evaluator: {file}: $.format: must be one of")
