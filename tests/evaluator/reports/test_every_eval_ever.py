"""Records by the schema of the package every-eval-ever 0.3.0 (MIT), a copy of which is here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from evaluator.errors import OutputError, ResultsError
from evaluator.reports.build import InputFile, read_inputs
from evaluator.reports.every_eval_ever import SCHEMA_VERSION, Source, records
from evaluator.results.files import parse_results
from evaluator.results.scores import Scores
from tests.evaluator.results.samples import LINES, SAMPLES, jsonl, measured, scored, scores_file

SCHEMA = json.loads((Path(__file__).parent / "every_eval_ever/eval.schema.json").read_text("utf-8"))
OURS = Source("lab", "lab")
# Of the package's validator, which also wants a UUID of version 4.
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
PATH = re.compile(rf"data/testgen-evaluator/lab/[^/]+/{UUID}\.json")


def source(content, name="scores.json"):
    raw = jsonl(content) if isinstance(content, list) else json.dumps(content).encode()
    return InputFile(name, raw, parse_results(raw, name))


def made(*contents, by=OURS, moment=0):
    found = records([source(each, f"{number}.json") for number, each in enumerate(contents)], by, moment)
    return {path: json.loads(text) for path, text in found.items()}


def has_scores(content):
    return any(isinstance(each, Scores) for each in getattr(source(content).result, "results", ()))


def test_the_schema_is_that_of_the_version_that_records_name():
    assert SCHEMA["version"] == SCHEMA_VERSION


def test_records_of_all_kinds_of_results_fit_the_schema():
    validator = jsonschema.Draft7Validator(SCHEMA)
    several = [each for each in (*SAMPLES.values(), LINES) if has_scores(each)]
    assert len(several) > 5
    for path, record in (pair for each in several for pair in made(each).items()):
        assert PATH.fullmatch(str(path))
        assert [f"{each.json_path}: {each.message}" for each in validator.iter_errors(record)] == []


def test_a_file_without_scores_is_refused():
    with pytest.raises(ResultsError, match="holds no scores"):
        made(SAMPLES["average"])


def test_a_record_says_what_was_measured_on_what_and_how():
    content = scores_file(scored(scores=[measured(value=0.5)], combined={"value": 0.25}))
    ((_, record),) = made(content).items()
    topk, combined = record["evaluation_results"]
    assert record["model_info"]["id"] == "lab/a.vec"
    assert record["eval_library"] == {"name": "testgen-evaluator", "version": "0.1.0"}
    assert topk["source_data"]["dataset_name"] == "la.json"
    assert topk["source_data"]["additional_details"]["sha256"] == "ab" * 32
    assert topk["metric_config"]["metric_parameters"] == {"k": 3, "distance": "cosine"}
    assert (topk["metric_config"]["min_score"], topk["metric_config"]["max_score"]) == (0, 1)
    assert topk["score_details"]["score"] == 0.5
    interval = topk["score_details"]["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"], interval["confidence_level"]) == (0.25, 0.5, 0.95)
    assert topk["generation_config"]["additional_details"]["oov"] == "skip"
    assert combined["metric_config"]["metric_parameters"] == {}
    assert "uncertainty" not in combined["score_details"]


@pytest.mark.parametrize(("by", "said"), [("lab", "first_party"), ("others", "third_party")])
def test_who_scored_their_own_models_is_said(by, said):
    ((_, record),) = made(scores_file(scored()), by=Source("lab", by)).items()
    assert record["source_metadata"]["evaluator_relationship"] == said


def test_the_path_is_of_the_content_and_not_of_the_time():
    content, other = scores_file(scored()), scores_file(scored(scores=[measured(value=0.25)]))
    assert made(content).keys() == made(content, moment=9).keys() != made(other).keys()


def test_names_are_those_of_folders_on_all_systems():
    names = ["con", "a:b", "bi/grams", "data", "x. "]
    found = made(scores_file(*(scored(model=name) for name in names)))
    assert {path.parts[3] for path in found} == {"_con", "a_b", "bi_grams", "_data", "x"}
    assert {record["model_info"]["name"] for record in found.values()} == {*names}


@pytest.mark.parametrize("developer", ["a/b", "unknown", "data", "nul", ""])
def test_a_developer_whose_name_is_no_folder_is_refused(developer):
    with pytest.raises(OutputError, match="Hugging Face"):
        made(scores_file(scored()), by=Source(developer, "me"))


def test_the_same_score_of_two_files_is_there_once_and_another_one_is_refused():
    content = scores_file(scored(scores=[measured()]))
    ((_, record),) = made(content, content | {"arguments": ["a.vec"]}).items()
    assert len(record["evaluation_results"]) == 1
    with pytest.raises(ResultsError, match=r"1\.json: a\.vec has another Topk@3 on la\.json"):
        made(content, scores_file(scored(scores=[measured(value=0.25)])))


def test_the_command_writes_each_record_once(evaluator, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(json.dumps(scores_file(scored())), encoding="utf-8")
    arguments = ["report", "s.json", "--format", "every-eval-ever", "-o", "out"]
    assert "--developer NAME" in evaluator(*arguments).err
    assert "--format" in evaluator("report", "s.json", "-o", "x.html", "--developer", "lab").err
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    assert "seconds since 1970" in evaluator(*arguments, "--developer", "lab", "--evaluated-by", "me").err
    for moment in "17", "18":
        monkeypatch.setenv("SOURCE_DATE_EPOCH", moment)
        assert evaluator(*arguments, "--developer", "lab", "--evaluated-by", "me").code == 0
    (path,) = Path("out").rglob("*.json")
    record = json.loads(path.read_text("utf-8"))
    assert record["retrieved_timestamp"] == "17"
    assert record["evaluation_id"] == "testgen-evaluator/lab/a.vec/17"
    (file,) = read_inputs([Path("s.json")])
    assert file.sha256 in record["source_metadata"]["additional_details"].values()


def test_a_baseline_is_left_out_as_nobody_made_it(evaluator, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["report", "s.json", "--format", "every-eval-ever", "-o", "out"]
    baseline = "frequency baseline of a.vec"
    both = [scored(), scored(model=baseline, scores=[measured(value=0.25)])]
    Path("s.json").write_text(json.dumps(scores_file(*both)), encoding="utf-8")
    assert evaluator(*arguments, "--developer", "lab").err.endswith("says: give --evaluated-by NAME\n")
    ended = evaluator(*arguments, "--developer", "lab", "--evaluated-by", "me")
    (path,) = ended.out.split()
    assert json.loads(Path(path).read_text("utf-8"))["model_info"]["name"] == "a.vec"
    assert ended.err == f"evaluator: {baseline}: left out, as a baseline is not a model of lab\n"
    with pytest.raises(ResultsError, match="holds no scores of models"):
        made(scores_file(both[1]))


def test_details_are_those_that_a_score_has():
    full = measured() | {"seeds": [0.25, 0.75], "hits": 3, "trials": 6, "reason": "why"}
    without = {key: value for key, value in measured().items() if key != "chance"}
    for score, expected in ((full, True), (without, False)):
        ((_, record),) = made(scores_file(scored(scores=[score]))).items()
        details = record["evaluation_results"][0]["score_details"]["details"]
        assert (details.get("training_runs") == "[0.25, 0.75]") is expected
        for name in ("hits", "trials", "reason", "chance"):
            assert details.get(name) == (str(score[name]) if name in score else None)
