"""What language models answered: logs of two programs, and the scores of the answers."""

import itertools
import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import evaluator
from evaluator.cli.app import app
from evaluator.errors import ResultsError, ScoreError
from evaluator.plugins.lm_results import Answer, read_logs, score_answers
from tools.answer_worlds import of_answers

CATEGORIES = ["bird", "fruit", "metal", "river", "month", "tool", "colour", "number", "planet", "dance"]
TIME, LATER = "2026-11-23T14-41-33.938759", "2026-11-23T15-02-10.000113"


def answer(category, words, right, model="m", **about):
    of = {"task": "odd_one_out", "metric": "acc", "language": "la", "topic": "", "options": 4} | about
    return Answer(model=model, category=category, words=tuple(words), right=right, **of)


def questions(generator, number=10, language="la"):
    """Documents as `testgen export` writes them."""
    for category, place in itertools.product(CATEGORIES, range(number)):
        options = [f"{category}{each}" for each in generator.sample(range(12), 3)]
        odd = generator.choice([each for each in CATEGORIES if each != category])
        options.insert(place % 4, f"{odd}{generator.randrange(12)}")
        about = {
            "id": f"{language}/{category}/3/{place}",
            "language": language,
            "category": category,
            "topic": f"{category}s",
        }
        yield about | {
            "topic": f"{category}s",
            "k": 3,
            "options": options,
            "answer": place % 4,
            "items": [],
            "odd_category": odd,
        }


def harness(folder, model, share, seed=0, time=TIME, **asked):
    """Samples as lm-eval 0.4.13 writes them, and its results beside them."""
    path = folder / model.replace("/", "__")
    path.mkdir(parents=True, exist_ok=True)
    luck, docs = random.Random(model), enumerate(questions(random.Random(seed), **asked))
    samples(path, [(number, doc, float(luck.random() < share)) for number, doc in docs], time)
    results = {"model_name": model, "results": {}}
    (path / f"results_{time}.json").write_text(json.dumps(results), encoding="utf-8")
    return path


def samples(folder, answers, time=TIME):
    """The file of samples; an answer is a number, the document, and whether it was right."""
    lines = []
    for number, doc, right in answers:
        sample = {"doc_id": number, "doc": doc, "target": str(doc["answer"]), "filter": "none", "acc": right}
        lines.append(json.dumps(sample | {"metrics": ["acc", "acc_norm"], "acc_norm": 1 - right}))
    path = folder / f"samples_odd_one_out_{time}.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


DOCS = list(enumerate(questions(random.Random(0))))


def inspect(path, model, rights, epochs=1, **changed):
    """A log as inspect-ai 0.3.285 writes it as JSON."""
    samples = [
        {
            "id": number,
            "epoch": epoch + 1,
            "choices": doc["options"],
            "target": "ABCD"[doc["answer"]],
            "metadata": {key: doc[key] for key in ("language", "category", "topic")} | {"word": ""},
            "scores": {"choice": {"value": "C" if right > epoch else "I", "answer": "A"}},
        }
        for epoch in range(epochs)
        for number, (doc, right) in enumerate(zip(questions(random.Random(0)), rights, strict=True))
    ]
    known = {"version": 2, "status": "success", "eval": {"task": "hf/you/words/odd_one_out", "model": model}}
    path.write_text(json.dumps({**known, "samples": samples, **changed}), encoding="utf-8")
    return path


def test_two_programs_logs_of_the_same_questions_are_compared(tmp_path):
    harness(tmp_path / "out", "good/model", 0.9)
    inspect(tmp_path / "out" / "poor.json", "poor", [number % 4 == 0 for number in range(100)])
    found = score_answers(read_logs([tmp_path / "out"]))
    good, poor = found.results
    assert (good.model, poor.model) == ("good/model", "poor")
    assert good["Accuracy@4"].value > 0.8
    assert poor["Accuracy@4"].value == pytest.approx(0.25, abs=0.05)
    assert good["Accuracy(metric=acc_norm)@4"].value == pytest.approx(1 - good["Accuracy@4"].value)
    assert "Accuracy(metric=acc_norm)@4" not in poor
    (ranking,) = [each for each in found.rankings if each.measure == "Accuracy@4"]
    assert [each.model for each in ranking.models] == ["good/model", "poor"]
    assert ranking.models[0].letters != ranking.models[1].letters
    assert ranking.over == "10 categories"
    (kept,) = found.kept
    assert kept.best == "good/model"
    assert "train" not in str(score_answers([*read_logs([tmp_path / "out" / "poor.json"])]).kept[0]).lower()
    assert [each.chance for each in good["Accuracy@4"].subscores] == [0.25] * 10
    assert good["Accuracy@4"].subscores[0].topic == "birds"


def test_the_value_is_the_mean_over_categories_of_the_share_of_right_answers(tmp_path):
    found = read_logs([harness(tmp_path, "m", 0.5)])
    of = {
        name: [each.right for each in found if (each.category, each.metric) == (name, "acc")]
        for name in CATEGORIES
    }
    score = score_answers(found)[0]["Accuracy@4"]
    assert score.value == pytest.approx(np.mean([np.mean(own) for own in of.values()]))
    assert (score.hits, score.trials) == (sum(map(sum, of.values())), 100)


def test_several_epochs_count_as_one_question(tmp_path):
    log = inspect(tmp_path / "log.json", "m", [number % 3 for number in range(100)], epochs=2)
    assert sorted({each.right for each in read_logs([log])}) == [0, 0.5, 1]
    assert score_answers(read_logs([log]))[0]["Accuracy@4"].value == pytest.approx(
        np.mean([each.right for each in read_logs([log])])
    )


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 6), min_size=2, max_size=3), st.booleans()), min_size=3, max_size=12
    )
)
def test_influences_square_to_the_variance_of_questions_that_share_words(drawn):
    found = score_answers(answer("c", map(str, words), float(right)) for words, right in drawn)
    influences = found[0]["Accuracy@4"].subscores[0].observations.influences
    right, n = np.array([float(each) for _, each in drawn]), len(drawn)
    away = (right - right.mean()) / n
    pairs = list(itertools.product(range(n), repeat=2))
    share = [bool(drawn[p][0] & drawn[q][0]) for p, q in pairs]
    clustered = sum(away[p] * away[q] for (p, q), together in zip(pairs, share, strict=True) if together)
    expected = max(clustered / max(1 - np.mean(share), 0.25), (away**2).sum())
    squares = sum(each**2 for each in influences.values())
    if squares:
        assert squares == pytest.approx(expected, rel=1e-6)
    else:
        sums = [sum(away[p] for p in range(n) if int(word) in drawn[p][0]) for word in influences]
        assert np.ptp(sums) < 1e-12


@pytest.mark.parametrize("words", [0.0, pytest.param(1.0, marks=pytest.mark.slow)])
def test_intervals_hold_the_true_accuracy(words):
    (found,) = of_answers((12, 10, 0.0, words), worlds=60)
    assert found["of words"] >= 0.9
    assert found["of categories"] >= 0.9
    assert found["naive categories"] < 0.9  # of questions that are taken as independent


def test_a_result_file_is_read_and_reported(tmp_path):
    found = score_answers(read_logs([harness(tmp_path, "m", 0.7)]))
    path = tmp_path / "answers.json"
    path.write_text(evaluator.results.base.to_json(found.record()), encoding="utf-8")
    (read,) = evaluator.read_results(path)
    assert type(read) is type(found)
    assert read[0]["Accuracy@4"].value == found[0]["Accuracy@4"].value
    evaluator.report([path], tmp_path / "report.html")
    assert "Accuracy@4" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_vectors_have_no_accuracy():
    vectors = (["a", "b"], np.eye(2))
    with pytest.raises(ScoreError, match="`evaluator lm-results`"):
        evaluator.score(vectors, {"x": ["a", "b", "c"]}, "Accuracy")


def test_models_that_answered_other_questions_are_refused(tmp_path):
    harness(tmp_path, "one", 0.5)
    harness(tmp_path, "two", 0.5, seed=1)
    with pytest.raises(ResultsError, match=r"two and one .*la by Accuracy@4"):
        score_answers(read_logs([tmp_path]))


def test_a_path_that_does_not_exist_is_said_to_be_missing(tmp_path):
    with pytest.raises(ResultsError, match=r"none: .*No such file"):
        read_logs([tmp_path / "none"])


def test_runs_of_several_languages_are_read_together_and_compared_by_language(tmp_path):
    for model, share in (("good", 0.9), ("poor", 0.3)):
        harness(tmp_path, model, share)
        harness(tmp_path, model, share, time=LATER, language="te")
    found = score_answers(read_logs([tmp_path]))
    assert {(each.model, each.language) for each in found.results} == {
        *itertools.product(("good", "poor"), ("la", "te"))
    }
    assert {each.language for each in found.rankings if each.measure == "Accuracy@4"} >= {"la", "te"}


def test_runs_of_several_numbers_of_options_are_read_together(tmp_path):
    three = [(number, doc | {"options": doc["options"][:3]}, 1.0) for number, doc in DOCS]
    samples(tmp_path, [(number, doc, 0.0) for number, doc in DOCS])
    samples(tmp_path, three, LATER)
    (found,) = score_answers(read_logs([tmp_path])).results
    assert (found["Accuracy@3"].value, found["Accuracy@4"].value) == (1, 0)


def test_a_second_log_of_a_model_task_language_and_number_of_options_is_refused(tmp_path):
    folder = harness(tmp_path, "m", 0.5)
    log = inspect(tmp_path / "log.json", "m", [0] * 100)
    twice = r"log\.json: m answered odd_one_out in la with 4 options in .*, too; name one of the two"
    with pytest.raises(ResultsError, match=twice):
        read_logs([folder, log])


def test_a_log_that_is_named_twice_is_read_once(tmp_path):
    log = inspect(tmp_path / "log.json", "m", [0] * 100)
    assert read_logs([log, log, tmp_path]) == read_logs([log])


@pytest.mark.parametrize("wrong", [7.5, -1, float("nan")])
def test_what_is_no_share_of_right_answers_is_refused(tmp_path, wrong):
    path = samples(tmp_path, [(number, doc, wrong if number == 2 else 1.0) for number, doc in DOCS])
    with pytest.raises(
        ResultsError, match=r"samples_odd_one_out_.*: line 3: \$\.acc: is .*, and must be a .*number"
    ):
        read_logs([path])


@pytest.mark.parametrize("known", [{}, {"id": ""}])
def test_a_question_that_stands_twice_in_a_file_is_refused(tmp_path, known):
    path = samples(tmp_path, [(number % 99, doc | known, 1.0) for number, doc in DOCS[:99] + DOCS[:1]])
    with pytest.raises(ResultsError, match=r"jsonl: line 100: .*line 1\b.*delete"):
        read_logs([path])


def test_a_file_without_answers_is_refused_beside_others(tmp_path):
    harness(tmp_path, "m", 0.5)
    path = inspect(tmp_path / "log.json", "other", [0] * 100, samples=[])
    with pytest.raises(ResultsError, match=r"log\.json: .*answers"):
        read_logs([tmp_path])
    path.unlink()
    samples(tmp_path, [])
    with pytest.raises(ResultsError, match=r"jsonl: .*answers"):
        read_logs([tmp_path])


def test_an_archive_beside_logs_is_refused_unless_it_was_converted(tmp_path):
    log = inspect(tmp_path / "one.json", "m", [0] * 100)
    (tmp_path / "one.eval").write_bytes(b"PK")
    assert read_logs([tmp_path]) == read_logs([log])
    (tmp_path / "two.eval").write_bytes(b"PK")
    with pytest.raises(ResultsError, match=r"two\.eval: convert it: inspect log convert"):
        read_logs([tmp_path])


def test_the_summary_beside_samples_is_skipped_and_names_the_model(tmp_path):
    """`lm_eval --output_path out/model.json` calls it model_TIME.json, and makes no folder of the model."""
    summary, results = tmp_path / f"model_{TIME}.json", {"results": {}, "model_name": "gpt"}
    summary.write_text(json.dumps(results), encoding="utf-8")
    path = samples(tmp_path, [(number, doc, 1.0) for number, doc in DOCS])
    assert {each.model for each in read_logs([tmp_path])} == {"gpt"}
    path.unlink()
    with pytest.raises(ResultsError, match=rf"model_{TIME}\.json: .*give the samples"):
        read_logs([tmp_path])


def test_models_that_answered_other_questions_are_refused_also_if_a_third_was_not_asked(tmp_path):
    three = [(number, doc | {"options": doc["options"][:3]}, 1.0) for number, doc in DOCS]
    for name, asked in (("a", [(number, doc, 1.0) for number, doc in DOCS]), ("b", three), ("c", three[1:])):
        (tmp_path / name).mkdir()
        samples(tmp_path / name, asked)
    with pytest.raises(ResultsError, match=r"c and b .*la by Accuracy@3"):
        score_answers(read_logs([tmp_path]))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("log.eval", "PK", "inspect log convert"),
        ("samples.jsonl", "{}", "is not called samples_TASK_TIME.jsonl"),
        (f"samples_x_{TIME}.jsonl", "{}", r"line 1: \$\.doc: is missing"),
        (
            f"samples_x_{TIME}.jsonl",
            '{"doc": {"question": "?"}, "acc": 1}',
            r"line 1: \$\.doc\.language: is missing",
        ),
        (f"samples_x_{TIME}.jsonl", "[", "line 1: not JSON"),
        (f"samples_x_{TIME}.jsonl", "", "has no answers"),
        ("log.json", "{}", r"\$\.eval: is missing"),
        ("results_x.json", '{"results": {}}', "has means alone; give the samples"),
        (
            "log.json",
            '{"eval": {"model": "m", "task": "t"}, "status": "error", "samples": []}',
            "ended with 'error'",
        ),
    ],
)
def test_other_files_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ResultsError, match=message):
        score_answers(read_logs([path]))


@pytest.mark.parametrize("value", ["maybe", 2, -1])
def test_what_is_no_judgement_is_refused(tmp_path, value):
    log = inspect(tmp_path / "log.json", "m", [0] * 100)
    known = json.loads(log.read_text(encoding="utf-8"))
    known["samples"][3]["scores"]["choice"]["value"] = value
    log.write_text(json.dumps(known), encoding="utf-8")
    with pytest.raises(ResultsError, match=r"\$\.samples\[3\]\.scores: "):
        read_logs([log])


def test_a_folder_without_logs_is_refused(tmp_path):
    with pytest.raises(ResultsError, match="--log_samples"):
        read_logs([tmp_path])


def test_the_command_shows_scores(tmp_path):
    harness(tmp_path, "good", 0.9)
    printed = CliRunner().invoke(app, ["lm-results", str(tmp_path)], catch_exceptions=False).stdout
    as_json = CliRunner().invoke(app, ["lm-results", str(tmp_path), "--json"], catch_exceptions=False).stdout
    assert "observations" not in as_json
    assert "Accuracy@4" in printed
    assert "above chance" in printed
