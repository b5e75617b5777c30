"""Result files of all kinds: what is read and written, and what is refused, with file and JSON path."""

from __future__ import annotations

import json
import math
import re

import msgspec
import numpy as np
import pytest

import evaluator
from evaluator.cli.output import signed
from evaluator.errors import PluginError, ResultsError, ScoreError
from evaluator.measures.base import Subscore
from evaluator.results.base import Difference, format_of, to_json
from evaluator.results.files import GROUP, BatchFile, formats, kind_of, parse_results, read_results
from evaluator.results.score import Score
from evaluator.results.scores import COLUMNS, Scores, marks_for_print
from tests.evaluator.results.samples import (
    LINES,
    SAMPLES,
    change,
    jsonl,
    measured,
    model_line,
    score_lines,
    scored,
    scores_file,
    subscore,
)


def parsed(content, file="x.json"):
    return parse_results(json.dumps(content, ensure_ascii=False).encode(), file)


def refusal(content):
    with pytest.raises(ResultsError) as error:
        parse_results(content if isinstance(content, bytes) else json.dumps(content).encode(), "in/x.json")
    message = str(error.value)
    assert message.startswith("in/x.json: ")
    assert "\n" not in message
    return message.removeprefix("in/x.json: ")


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_what_is_read_is_written_again_key_by_key_and_bit_by_bit(name):
    assert json.loads(to_json(parsed(SAMPLES[name]))) == SAMPLES[name]


def test_there_is_a_sample_of_each_kind():
    found = [*map(parsed, SAMPLES.values()), parse_results(jsonl(LINES), "x.jsonl")]
    assert {type(each) for each in found} == {kind_of(name) for name in formats()}


def test_each_kind_is_found_by_its_format():
    assert [format_of(kind_of(name)) for name in formats()] == formats()
    assert kind_of("nothing") is None


def test_lines_of_a_batch_are_read():
    again = [*LINES, model_line("/models/a.vec", 0.75)]
    found = parse_results(jsonl(again) + b'{"vectors": "half a li', "x.jsonl")
    assert [each.vectors for each in found.lines] == [f"/models/{name}.vec" for name in "abcd"]
    assert [each.scores[0].value for each in found.results] == [0.75, 0.25], "the last line counts"
    assert json.loads(to_json(found.lines)) == [again[-1], *LINES[2:]]
    assert found.reasons == ["/models/c.vec: line 2 is broken", "/models/d.vec on la.json: nothing to score"]
    assert parse_results(jsonl(LINES[:1]), "x.jsonl").lines == ()
    loaded = [*LINES, model_line("/models/c.vec", 0.5)]
    assert len(parse_results(jsonl(loaded), "x.jsonl").failures) == 1, "it could be loaded later"


def test_models_of_a_batch_are_named_by_their_files_and_by_paths_where_these_are_the_same():
    lines = [
        model_line("/models/la/a.vec", 0.5),
        model_line("/models/grc/a.vec", 0.5, "/tests/grc.json", "grc"),
        model_line("/one/b.vec", 0.5),
        model_line("/two/b.vec", 0.25),
    ]
    found = parse_results(jsonl(score_lines(*lines)), "x.jsonl").results
    assert [each.model for each in found] == ["a.vec", "a.vec", "/one/b.vec", "/two/b.vec"]


def test_a_file_of_other_origin_needs_little():
    score = {"measure": "Mine", "value": 1, "signature": "Mine|data:1"}
    run = {"model": "a", "test_set": "t", "language": "la", "scores": [score], "more": "is ignored"}
    (found,) = parsed({"format": "scores", "version": 5, "results": [run]}).results
    assert (found["Mine"].value, found["Mine"].interval, found.get("Combined")) == (1.0, None, None)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_redirected_by_any_shell(tmp_path, encoding):
    path = tmp_path / "r.json"
    path.write_text(json.dumps(scores_file(scored("ā.vec")), ensure_ascii=False), encoding=encoding)
    (found,) = evaluator.read_results(path)
    assert found.results[0].model == "ā.vec"


def test_files_of_several_kinds_are_read_at_once(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(SAMPLES["coverage"]), encoding="utf-8")
    (tmp_path / "b.jsonl").write_bytes(jsonl(LINES))
    found = evaluator.read_results(str(tmp_path / "a.json"), tmp_path / "b.jsonl")
    assert [format_of(type(each)) for each in found] == ["coverage", "score lines"]


def test_one_table_of_all_scores_in_files_of_any_kind(tmp_path):
    paths = [tmp_path / f"{name}.json" for name in ("coverage", "scores", "batch")]
    for path in paths[:2]:
        path.write_text(json.dumps(SAMPLES[path.stem]), encoding="utf-8")
    paths[2].write_bytes(jsonl(LINES))
    frame = read_results(*paths).frame()
    assert tuple(frame.columns) == COLUMNS
    whole = frame[(frame["part"] == "all") & frame["value"].notna()]
    assert whole["model"].tolist() == ["a.vec", "a.vec", "b.vec", "a.vec", "b.vec"]
    assert whole["n"].tolist() == [12] * 5
    failed = frame[frame["model"].isin(["/models/c.vec", "/models/d.vec"])]
    assert failed["reason"].tolist() == ["/models/c.vec: line 2 is broken", "nothing to score"]
    assert tuple(read_results(paths[0]).frame().columns) == COLUMNS


def test_keys_of_a_study_are_columns():
    found = msgspec.convert(scored(keys={"size": 1000, "view": "report"}), Scores).frame()
    assert tuple(found.columns) == (*COLUMNS, "size", "view")
    assert set(found["size"]) == {1000}


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_no_changed_byte_of_a_file_is_believed(every):
    """A flipped bit of each byte is refused, or changes nothing but the digest's name or white space."""
    found = signed(parsed(json.loads(json.dumps(SAMPLES["scores"]).replace("a.vec", "?.vec"))))
    whole = to_json(found).replace("?.vec", r"\udcff.vec").encode()
    assert parse_results(whole, "x.json") == found
    refused, places = 0, range(0, len(whole), every)
    for place in places:
        try:
            again = parse_results(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :], "x.json")
        except ResultsError:
            refused += 1
        else:
            assert msgspec.structs.replace(again, sha256=found.sha256) == found, place
    assert refused > len(places) / 2


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_changed_line_of_a_batch_is_refused(every):
    whole = jsonl(LINES)
    for place in range(0, len(whole) - 1, every):
        with pytest.raises(ResultsError, match=r"^x\.jsonl: "):
            parse_results(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :], "x.jsonl")


@pytest.mark.parametrize(
    ("measure", "value", "levels"),
    [
        ("Topk@3", 1.7, "0 to 1"),
        ("OddOneOut@3", -0.1, "0 to 1"),
        ("Combined", 1.1, "0 to 1"),
        ("Above chance", 1.1, "-inf to 1"),
        ("Similarity", -1.1, "-1 to 1"),
    ],
)
def test_values_that_a_measure_cannot_have_are_refused(measure, value, levels):
    problem = f"value: {value} is impossible; {measure} is {levels}"
    of_category = measured(measure, 0.5, [subscore(value=value)])
    for content in (measured(measure, value), of_category, {**measured(measure), "seeds": [0.5, value]}):
        assert refusal(scores_file(scored(scores=[content]))) == f"$.results[0].scores[0]: {problem}"
    lines = jsonl(score_lines(model_line("/models/a.vec", 0.5), model_line("/models/b.vec", 1.7)))
    assert refusal(lines) == "line 3: $.scores.scores[0]: value: 1.7 is impossible; Topk@3 is 0 to 1"
    parsed(scores_file(scored(scores=[measured("Unknown@3", value)])))


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(ResultsError, match=r"none\.json: cannot be read: No such file"):
        read_results(tmp_path / "none.json")
    with pytest.raises(ResultsError):
        read_results()


def test_halves_of_characters_are_replaced():
    """Names of files that are not UTF-8 hold them; other commands print such names in the same way."""
    lines = score_lines(model_line("/models/\udcff.vec", 0.5))
    assert parse_results(jsonl(lines), "x.jsonl").lines[0].vectors == "/models/?.vec"


def test_numbers_of_numpy_are_written():
    score = Score(measure="Mine", value=np.float32(0.5), signature="x", hits=np.int64(3))
    assert json.loads(to_json(score))["hits"] == 3


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
@pytest.mark.parametrize(
    "change",
    [
        lambda value: {"low": value},
        lambda value: {"chance": value},
        lambda value: {"categories_high": value},
        lambda value: {"seeds": (0.5, value)},
    ],
)
def test_a_score_that_is_no_number_is_not_made(value, change):
    score = Score(measure="Mine", value=0.5, signature="x")
    with pytest.raises(ScoreError, match=r"^Mine: \w+ is -?(nan|inf), which is no result"):
        msgspec.structs.replace(score, **change(value))
    part = Subscore(name="month", value=0.5)
    with pytest.raises(ScoreError, match=r"^month: "):
        msgspec.structs.replace(part, extra={"groups": value})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"evaluator: no", "not JSON: Expecting value"),
        (b'{"format": "scores",', "not JSON"),
        (b'{"format": "\xff"}', "not JSON"),
        (b"{}\n{}", "not JSON: Extra data: line 2 column 1 (char 3); is the file complete? (of several runs"),
        (b"[" * 100_000, "not JSON"),
        (b"1", "$: is not a result of evaluator"),
        (b"[]", "$: is not a result of evaluator"),
        (b'{"a": 1}', '$.format: must be one of "scores", "score lines", "co'),
        (b'{"format": "testset", "version": 1}', "$.format: must be one of"),
        (b'{"format": ["scores"]}', "$.format: must be one of"),
        (b'{"format": "scores"}', "$.version: is missing"),
        (b'{"format": "scores", "version": true}', "$.version: must be a whole number"),
        (
            b'{"format": "scores", "version": 6}',
            "$.version: is 6, and this evaluator reads 5; update evaluator",
        ),
        (
            b'{"format": "scores", "version": 1}',
            "$.version: is 1, and this evaluator reads 5; run `evaluator score --json` again",
        ),
        (b'{"format": "scores", "version": 5}', "$.results: is missing"),
        (b'{"format": "scores", "version": 5, "results": {}}', "$.results: must be a list"),
        (
            b'{"format": "scores", "version": 5, "results": []}',
            "$.results: is empty",
        ),
        (b'{"format": "scores", "version": 5, "results": [1]}', "$.results[0]: must be an object"),
        (jsonl([*LINES[:1], {"a": 1}]), "line 2: $.vectors: is missing"),
        (jsonl([*LINES, *LINES]), "line 6: $.vectors: is missing"),
        (jsonl(LINES[:2]) + b"{}{}\n", "line 3: not JSON: Extra data"),
        (jsonl([{**LINES[0], "version": 2}, *LINES[1:]]), "$.version: is 2, and this evaluator reads 7; run"),
    ],
)
def test_what_is_no_result_file_is_refused(content, complaint):
    assert refusal(content).startswith(complaint)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("NaN", "is nan, and must be a finite number"),
        ("-Infinity", "is -inf, and must be a finite number"),
        ("1e999", "is inf, and must be a finite number"),
        ("1" + "0" * 400, "is too large"),
        ("1e7", "is 1e+07, and must be a number, at most 1000000.0"),
        ("null", "must be a number"),
        ("true", "must be a number"),
        ('"0.5"', "must be a number"),
    ],
)
def test_a_score_is_a_finite_number(value, complaint):
    text = json.dumps(scores_file(scored(), scored("b.vec", [measured(), measured("two", 0.1875)])))
    found = refusal(text.replace('"value": 0.1875', f'"value": {value}', 1).encode())
    assert found.startswith(f"$.results[1].scores[1].value: {complaint}")


@pytest.mark.parametrize(
    ("name", "was", "now", "complaint"),
    [
        (
            "scores",
            '"oov": 3',
            '"oov": 3.5',
            "$.results[0].scores[0].subscores[0].oov: must be a whole number",
        ),
        (
            "scores",
            '"oov": 3',
            '"oov": -3',
            "$.results[0].scores[0].subscores[0].oov: is -3, and must be a whole",
        ),
        (
            "scores",
            '"size": 12',
            '"size": 1' + "0" * 400,
            "$.results[0].scores[0].subscores[0].size: must be a whole number, at most",
        ),
        ("scores", '"p": 0.01', '"p": 1e999', "$.differences[0].of_words.p: is inf"),
        ("scores", '"a.vec"', '""', "$.results[0].model: is empty"),
        (
            "tuning-biblical_hebrew",
            '"architecture": "cbow", "dimension": 100',
            '"architecture": "cbow", "dimension": 0',
            "$.trials[0].parameters.dimension: is 0, and must be",
        ),
        (
            "tuning-biblical_hebrew",
            '"model": "fasttext"',
            '"model": "x"',
            "$.trials[1].parameters.model: is 'x', which this eva",
        ),
        ("tuning-biblical_hebrew", '"reported_on": "report"', '"reported_on": "whole"', ""),
        ("tuning-biblical_hebrew", '"best": 4,', '"best": 99,', "$: best: is no trial"),
        ("curve", '"keys": {"size": 1024', '"keys": {"size": 1023', "$: results[0].keys: must have a size"),
        (
            "compare",
            '"reading": "no power"',
            '"reading": "so"',
            "$.differences[0].reading: is 'so', which this",
        ),
        ("emoji", '"rate": 1e-05', '"rate": 2e-05', "$: results: must hold equally many models at each rate"),
        ("composite", '"harmonic": [', '"harmonic": [1, ', "$: harmonic: must be a list of 3"),
        ("probes", '"items": 33', '"items": -1', "$.tasks[0].items: is -1, and must be a whole number, at"),
        ("coverage", '"found": 2', '"found": "2"', "$.results[0].parts[0].found: must be a whole number"),
        ("corpus", '"3": 1', '"x": 1', "key in $.types_by_count: must be a whole number"),
    ],
)
def test_what_is_wrong_is_named_with_its_path(name, was, now, complaint):
    text = json.dumps(SAMPLES[name])
    assert was in text
    content = text.replace(was, now, 1).encode()
    if complaint:
        assert refusal(content).startswith(complaint)
    else:
        parse_results(content, "x.json")


@pytest.mark.parametrize(
    "path",
    [
        "model",
        "test_set",
        "language",
        "scores",
        "scores[0].measure",
        "scores[0].signature",
        "scores[0].value",
    ],
)
def test_what_is_missing_is_named(path):
    run = scored()
    holder = run["scores"][0] if path.startswith("scores[0]") else run
    del holder[path.rpartition(".")[2]]
    assert refusal(scores_file(run)) == f"$.results[0].{path}: is missing"


def test_a_setting_that_does_not_exist_is_named():
    lines = [{**LINES[0], "settings": {**LINES[0]["settings"], "profile": "klingon"}}, *LINES[1:]]
    assert re.match(r"\$\.settings: unknown orthography profile", refusal(jsonl(lines)))


def test_records_check_what_they_are_made_of():
    """What is written goes through the same checks as what is read."""
    with pytest.raises(ValueError, match="must be a list of 3"):
        msgspec.structs.replace(parsed(SAMPLES["composite"]), harmonic=())
    assert isinstance(parse_results(jsonl(LINES), "x"), BatchFile)
    assert subscore()["name"] == "month"


@pytest.mark.parametrize(("value", "p", "shown"), [(0.2, 0.01, True), (0.2, 0.05, False), (0, 0.01, False)])
def test_a_difference_is_shown_if_it_is_positive_and_significant(value, p, shown):
    found = msgspec.convert(change(value, p), Difference)
    assert found.shows(found.of_words) is shown
    assert not found.shows(None)


def test_a_row_says_why_no_word_is_known():
    known = {**measured(), "reason": "no word has a vector"}
    frame = msgspec.convert(scored(scores=[known, measured("Topk@5")]), Scores).frame()
    whole = frame[frame["part"] == "all"]
    assert whole["reason"].fillna("").tolist() == ["no word has a vector", ""]


def test_a_figure_for_print_has_a_row_for_each_language_and_one_for_all():
    found = marks_for_print(parsed(SAMPLES["languages"]))
    assert [(each.row, each.series) for each in found] == [
        (row, model) for row in ("la", "de", "") for model in ("a.vec", "b.vec")
    ]


@pytest.mark.parametrize(("name", "value"), [("zzz", "ScoresFile"), ("aaa", "ScoresFile"), ("x", "Score")])
def test_kinds_of_other_packages_are_classes_with_their_own_tag(tmp_path, monkeypatch, name, value):
    info = tmp_path / "mine-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: mine\nVersion: 1\n", encoding="utf-8")
    entry = f"[{GROUP}]\n{name} = evaluator.results.scores:{value}\n"
    (info / "entry_points.txt").write_text(entry, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match=f"is not a class derived from .* with the tag '{name}'; update or"):
        kind_of(name)
