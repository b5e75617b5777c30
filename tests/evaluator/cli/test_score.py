"""`evaluator score` of models in several languages, and the table and figure of a paper."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from evaluator import read_results
from evaluator.results.figures.forest import COLUMN, MOST_SERIES, forest_figure
from evaluator.results.scores import marks_for_print

pytest.importorskip("matplotlib")

LANGUAGES = ("de", "en", "fr", "la", "ru")
MODELS = {"cbow": 0.6, "glove": 0.6, "sg": 2.5}
CATEGORIES, SIZE, OTHERS = 7, 6, 60


def item(language, word):
    return {"id": f"Q{1000 * LANGUAGES.index(language) + word}", "words": [f"{language}{word}"]}


def write_vectors(path, language, strength, seed):
    """Words that point to their category, and others."""
    draw = np.random.default_rng(seed)
    words = [f"{language}{number}" for number in range(CATEGORIES * SIZE + OTHERS)]
    rows = draw.normal(size=(len(words), 12))
    rows[: CATEGORIES * SIZE] += strength * np.repeat(draw.normal(size=(CATEGORIES, 12)), SIZE, axis=0)
    lines = [f"{word} {' '.join(f'{x:.3f}' for x in row)}" for word, row in zip(words, rows, strict=True)]
    path.write_text("\n".join([f"{len(words)} 12", *lines]) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    (folder / "sets").mkdir()
    (folder / "models").mkdir()
    for number, language in enumerate(LANGUAGES):
        lists = [
            {"name": f"c{c}", "items": [item(language, SIZE * c + word) for word in range(SIZE)]}
            for c in range(CATEGORIES)
        ]
        content = {"format": "testset", "version": 1, "language": language, "categories": lists}
        (folder / "sets" / f"{language}.json").write_text(json.dumps(content), encoding="utf-8")
        for model, (name, strength) in enumerate(MODELS.items()):
            path = folder / "models" / f"{name}.{language}.vec"
            write_vectors(path, language, strength, [number, model])
    return folder


@pytest.fixture
def score(made, evaluator, monkeypatch, tmp_path):
    monkeypatch.chdir(made)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments, models="models/{model}.{language}.vec"):
        return evaluator("score", models, "--test", "sets", *arguments)

    return run


def in_json(ended):
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_models_in_all_languages_are_a_table(score, tmp_path):
    found = in_json(score("--json"))
    assert found["format"] == "scores"
    assert {(each["language"], each["model"]) for each in found["results"]} == {
        (language, model) for language in LANGUAGES for model in MODELS
    }
    for total in found["totals"]:
        of_model = [each for each in found["results"] if each["model"] == total["model"]]
        for number, each in enumerate(total["scores"]):
            values = [one["scores"][number]["value"] for one in of_model]
            assert each["value"] == pytest.approx(np.mean(values))
    ranked = {(each["language"], each["test_set"], each["measure"]): each for each in found["rankings"]}
    assert len(ranked) == 2 * (len(LANGUAGES) + 1)
    over_all = ranked["mul", "all languages", "Topk@3"]
    assert over_all["over"] == f"{CATEGORIES} categories"
    assert (over_all["models"][0]["model"], over_all["models"][0]["letters"]) == ("sg", "a")
    (tmp_path / "scores.json").write_text(json.dumps(found), encoding="utf-8")
    frame = read_results(tmp_path / "scores.json").frame()
    assert set(frame.language) == {*LANGUAGES, "mul"}


def test_what_lacks_is_named_and_the_rest_is_scored(score, made, tmp_path):
    lost, unasked = made / "models/glove.ru.vec", made / "models/sg.grc.vec"
    content = lost.read_bytes()
    lost.unlink()
    unasked.write_bytes(content)
    try:
        ended = score("--json", "-m", "Topk@3")
    finally:
        lost.write_bytes(content)
        unasked.unlink()
    found = in_json(ended)
    said = [line for line in ended.err.splitlines() if "%" not in line]
    assert said == [
        "evaluator: models/sg.grc.vec: there is no test set of grc",
        "evaluator: glove: there are no vectors of ru",
    ]
    assert len(found["results"]) == len(LANGUAGES) * len(MODELS) - 1
    for total in found["totals"]:  # the languages in which all models have a score, for all of them
        values = [
            each["scores"][0]["value"]
            for each in found["results"]
            if each["model"] == total["model"] and each["language"] != "ru"
        ]
        assert total["scores"][0]["value"] == pytest.approx(np.mean(values))


def test_a_benchmark_is_for_the_models_of_its_language(score, made, tmp_path):
    path = tmp_path / "SimLex-999.txt"
    head = "word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\tSimAssoc333\tSD(SimLex)\n"
    rows = [f"en{one}\ten{one + 1}\tN\t{one % 10}.5\t1\t1\t1\t0\t0\t1" for one in range(30)]
    path.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    found = in_json(score("--test", path, "--json"))
    on_pairs = {
        (each["language"], each["model"]) for each in found["results"] if each["test_set"] == path.name
    }
    assert on_pairs == {("en", model) for model in MODELS}
    assert len(found["results"]) == len(on_pairs) + len(LANGUAGES) * len(MODELS)


def test_seeds_of_a_model_in_a_language_are_training_runs(score, made, tmp_path):
    for number in range(2):
        for language in ("la", "de"):
            write_vectors(tmp_path / f"sg.{language}.{number}.vec", language, 2.5, number)
    found = in_json(score("--json", "-m", "Topk@3", models=f"{tmp_path}/{{model}}.{{language}}.*.vec"))
    assert [
        (each["model"], each["language"], len(each["scores"][0]["seeds"])) for each in found["results"]
    ] == [
        ("sg", "de", 2),
        ("sg", "la", 2),
    ]


def test_a_table_of_three_models_in_five_languages_is_at_most_twenty_lines(score, tmp_path):
    ended = score("--latex", tmp_path / "t.tex")
    assert ended.code == 0
    lines = (tmp_path / "t.tex").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 20
    assert lines[0] == "% made by evaluator score"
    rows = [line.removesuffix(r" \\").split(" & ") for line in lines if line.startswith(("Topk", "OddOne"))]
    assert [row[:2] for row in rows[:3]] == [["Topk@3", model] for model in MODELS]
    assert {len(row) for row in rows} == {2 + 2 * (len(LANGUAGES) + 1)}
    assert re.fullmatch(r"\\textbf\{0\.\d+\}\\textsuperscript\{a\}", rows[2][-2])
    assert re.fullmatch(r"0\.\d+ to 0\.\d+", rows[2][-1])
    ranked = {(each["language"], each["measure"]): each for each in in_json(score("--json"))["rankings"]}
    for row in rows:
        for language, cell in zip((*LANGUAGES, "mul"), row[2::2], strict=True):
            best = [each["model"] for each in ranked[language, row[0]]["models"] if each["best"] == 1]
            letters = {each["model"]: each["letters"] for each in ranked[language, row[0]]["models"]}
            assert f"\\textsuperscript{{{letters[row[1]]}}}" in cell
            assert (r"\textbf" not in cell) or best == [row[1]], "bold only where it is tested"


def test_the_files_never_cost_the_table(score, made, tmp_path, evaluator, monkeypatch):
    """What is wrong with them is said before work starts; what happens afterwards comes after the table."""
    (tmp_path / "mine.tex").write_text("my own", encoding="utf-8")
    monkeypatch.setattr("evaluator.cli.score._scored", lambda *_, **__: pytest.fail("work started"))
    for option, name, problem in (
        ("--latex", "mine.tex", "evaluator did not write it"),
        ("--latex", "none/t.tex", "cannot be written"),
        ("--figure", "f.gif", "a figure ends in"),
        ("--figure", "none/f.pdf", "cannot be written"),
    ):
        ended = score(option, tmp_path / name)
        assert (ended.code, ended.out) == (2, "")
        assert problem in ended.err


def test_a_disk_that_becomes_full_does_not_cost_the_table(score, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("evaluator.execution.output_files.replace_durably", full)
    ended = score("--latex", tmp_path / "t.tex", "-m", "Topk@3")
    assert ended.code == 2
    assert "Scores by language" in ended.out
    assert "No space left on device" in ended.err


def test_more_models_than_colours_are_refused_before_the_work(score, made, tmp_path, monkeypatch):
    for number in range(MOST_SERIES + 1):
        for language in ("la", "de"):
            (tmp_path / f"m{number}.{language}.vec").write_bytes(
                (made / f"models/sg.{language}.vec").read_bytes()
            )
    monkeypatch.setattr("evaluator.cli.score._scored", lambda *_, **__: pytest.fail("work started"))
    models = f"{tmp_path}/{{model}}.{{language}}.vec"
    ended = score("--figure", tmp_path / "f.pdf", models=models)
    assert (ended.code, "a figure shows 10 models, and not 11" in ended.err) == (2, True)


@pytest.mark.parametrize("number", [1, 3, MOST_SERIES])
@pytest.mark.parametrize("several", [False, True])
def test_most_of_a_figure_is_data(score, made, tmp_path, number, several):
    languages = LANGUAGES if several else ("la",)
    for model in range(number):
        for language in languages:
            path = made / f"models/sg.{language}.vec"
            (tmp_path / f"skipgram-300-{model}.{language}.vec").write_bytes(path.read_bytes())
    found = score("--json", models=f"{tmp_path}/{{model}}.{{language}}.vec")
    (tmp_path / "scores.json").write_text(found.out, encoding="utf-8")
    (record,) = read_results(tmp_path / "scores.json")
    with forest_figure(marks_for_print(record), width=COLUMN) as figure:
        assert figure.get_figwidth() == COLUMN
        figure.canvas.draw()
        data = sum(axes.get_position().width for axes in figure.axes)
        assert data >= 0.6
        assert len(figure.legends) == 1
        shown = {
            line.get_label(): (line.get_color(), line.get_marker(), line.get_markerfacecolor())
            for axes in figure.axes
            for line in axes.lines
            if line.get_label().startswith("skipgram")
        }
    assert len(set(shown.values())) == len(shown) == (number if several else 0), (
        "without languages they are rows"
    )


def test_scores_that_are_kept_are_not_compared(score, tmp_path):
    out = tmp_path / "s.jsonl"
    for option in (
        ["--baseline"],
        ["--figure", tmp_path / "f.pdf"],
        ["--latex", tmp_path / "t.tex"],
        ["--csv"],
    ):
        ended = score("--output", out, *option)
        assert (ended.code, "--output keeps the scores of models one by one" in ended.err) == (2, True)
    assert not out.exists()
    for done in ("15 models, 15 results", "nothing to do: 15 models"):
        assert done in score("--output", out, "-m", "Topk@3").out
    (kept,) = read_results(out)
    assert {(each.model, each.language) for each in kept.results} == {
        (model, language) for model in MODELS for language in LANGUAGES
    }
