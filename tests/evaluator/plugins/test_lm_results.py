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
TIME = "2026-11-23T14-41-33.938759"


def answer(category, words, right, model="m", **about):
    of = {"task": "odd_one_out", "metric": "acc", "language": "la", "topic": "", "options": 4} | about
    return Answer(model=model, category=category, words=tuple(words), right=right, **of)


def questions(generator, number=10):
    """Documents as `testgen export` writes them."""
    for category, place in itertools.product(CATEGORIES, range(number)):
        options = [f"{category}{each}" for each in generator.sample(range(12), 3)]
        odd = generator.choice([each for each in CATEGORIES if each != category])
        options.insert(place % 4, f"{odd}{generator.randrange(12)}")
        about = {
            "id": f"la/{category}/3/{place}",
            "language": "la",
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


def harness(folder, model, share, seed=0):
    """Samples as lm-eval 0.4.13 writes them, and its results beside them."""
    luck, path = random.Random(model), folder / model.replace("/", "__")
    path.mkdir(parents=True)
    lines = []
    for number, doc in enumerate(questions(random.Random(seed))):
        right = float(luck.random() < share)
        sample = {"doc_id": number, "doc": doc, "target": str(doc["answer"]), "filter": "none", "acc": right}
        lines.append(json.dumps(sample | {"metrics": ["acc", "acc_norm"], "acc_norm": 1 - right}))
    (path / f"samples_odd_one_out_{TIME}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    results = {"model_name": model, "results": {}}
    (path / f"results_{TIME}.json").write_text(json.dumps(results), encoding="utf-8")
    return path


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
    with pytest.raises(ScoreError, match="scores answers of language models: `evaluator lm-results`"):
        evaluator.score(vectors, {"x": ["a", "b", "c"]}, "Accuracy")


def test_models_that_answered_other_questions_are_refused(tmp_path):
    harness(tmp_path, "one", 0.5)
    harness(tmp_path, "two", 0.5, seed=1)
    with pytest.raises(ResultsError, match=r"two and one answered different questions of la by Accuracy@4"):
        score_answers(read_logs([tmp_path]))


def test_a_path_that_does_not_exist_is_said_to_be_missing(tmp_path):
    with pytest.raises(ResultsError, match="none: cannot be read: No such file"):
        read_logs([tmp_path / "none"])


def test_a_model_with_two_logs_of_a_task_is_refused(tmp_path):
    folder = harness(tmp_path, "m", 0.5)
    log = inspect(tmp_path / "log.json", "m", [0] * 100)
    with pytest.raises(ResultsError, match=r"log\.json: m answered odd_one_out in .*, too; name one"):
        read_logs([folder, log])


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
        (f"samples_x_{TIME}.jsonl", "", "hold no answers"),
        ("log.json", "{}", r"\$\.eval: is missing"),
        ("results_x.json", "{}", "has means alone; give the samples"),
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
    with pytest.raises(ResultsError, match=r"\$\.samples\[3\]\.scores: .* is not a judgement"):
        read_logs([log])


def test_a_folder_without_logs_is_refused(tmp_path):
    with pytest.raises(ResultsError, match="give --log_samples to lm_eval"):
        read_logs([tmp_path])


def test_the_command_shows_scores(tmp_path):
    harness(tmp_path, "good", 0.9)
    printed = CliRunner().invoke(app, ["lm-results", str(tmp_path)], catch_exceptions=False).stdout
    as_json = CliRunner().invoke(app, ["lm-results", str(tmp_path), "--json"], catch_exceptions=False).stdout
    assert "observations" not in as_json
    assert "Accuracy@4" in printed
    assert "above chance" in printed
