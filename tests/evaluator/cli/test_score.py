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

FIVE = ("de", "en", "la", "fr", "ru")
LANGUAGES = FIVE[:3]  # which are enough, and take three fifths of the time
MODELS = {"cbow": 0.6, "glove": 0.6, "sg": 2.5}
CATEGORIES, SIZE, OTHERS = 7, 6, 60


def item(language, word):
    return {"id": f"Q{1000 * FIVE.index(language) + word}", "words": [f"{language}{word}"]}


def write_vectors(path, language, strength, seed):
    """Words that point to their category, and others."""
    draw = np.random.default_rng(seed)
    words = [f"{language}{number}" for number in range(CATEGORIES * SIZE + OTHERS)]
    rows = draw.normal(size=(len(words), 12))
    rows[: CATEGORIES * SIZE] += strength * np.repeat(draw.normal(size=(CATEGORIES, 12)), SIZE, axis=0)
    lines = [f"{word} {' '.join(f'{x:.3f}' for x in row)}" for word, row in zip(words, rows, strict=True)]
    path.write_text("\n".join([f"{len(words)} 12", *lines]) + "\n", encoding="utf-8")


def write_inputs(folder, languages):
    (folder / "sets").mkdir()
    (folder / "models").mkdir()
    for number, language in enumerate(languages):
        lists = [
            {"name": f"c{c}", "items": [item(language, SIZE * c + word) for word in range(SIZE)]}
            for c in range(CATEGORIES)
        ]
        content = {"format": "testset", "version": 1, "language": language, "categories": lists}
        (folder / "sets" / f"{language}.json").write_text(json.dumps(content), encoding="utf-8")
        for model, (name, strength) in enumerate(MODELS.items()):
            path = folder / "models" / f"{name}.{language}.vec"
            write_vectors(path, language, strength, [number, model])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    write_inputs(folder, LANGUAGES)
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


@pytest.fixture
def found(score, made):
    """The scores of all models, which are computed for the first test that asks."""
    path = made / "found.json"
    if not path.exists():
        path.write_text(json.dumps(in_json(score("--json"))), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def test_models_in_all_languages_are_a_table(found, tmp_path):
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


def test_best_ends_as_score_does_and_its_json_is_that_of_score(score, found, evaluator):
    best = evaluator("best", "models/{model}.{language}.vec", "--test", "sets")
    ends = [ended.out.splitlines()[-len(LANGUAGES) - 1 :] for ended in (best, score())]
    assert ends[0] == ends[1], "a line for each language and all"
    in_best = in_json(evaluator("best", "models/{model}.{language}.vec", "--test", "sets", "--json"))
    assert in_best["kept"] == found["kept"]


def test_what_lacks_is_named_and_the_rest_is_scored(score, made, tmp_path):
    lost, unasked = made / "models/glove.en.vec", made / "models/sg.grc.vec"
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
        "evaluator: glove: there are no vectors of en",
    ]
    assert len(found["results"]) == len(LANGUAGES) * len(MODELS) - 1
    for total in found["totals"]:  # the languages in which all models have a score, for all of them
        values = [
            each["scores"][0]["value"]
            for each in found["results"]
            if each["model"] == total["model"] and each["language"] != "en"
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


def test_what_cannot_be_placed_is_refused_before_any_work(made, evaluator, tmp_path, monkeypatch):
    monkeypatch.chdir(made / "models")
    of, others = ("--test", made / "sets" / "en.json", "-m", "Topk@3"), tmp_path / "others.json"
    others.write_text(evaluator("score", "cbow.en.vec", *of, "--json").out, encoding="utf-8")
    report = tmp_path / "report.html"
    command = ("score", "sg.en.vec", *of, "--beside", others)
    out, said, code = evaluator(*command, "--vocabulary", "50", "--report", report)
    assert (out, code, report.exists()) == ("", 2, False)
    assert "vocabulary:all there, vocabulary:50 here" in said
    out, _, code = evaluator(*command, "--report", report)
    assert (code, report.exists()) == (0, True)
    assert f"Topk@3: sg.en.vec is above 1 of 1 English vectors of {others} (shown" in " ".join(out.split())


CELL = re.compile(
    r"\\shortstack\{(\\textbf\{)?(0|1)\.\d{3}\}?(?:\\textsuperscript\{([a-z]+)\})?"
    r"\\\\\\tiny ([01]\.\d+--[01]\.\d+)\}"
)
COLUMN_POINTS, DIGIT, SMALL_DIGIT = 3.3 * 72.27, 4.25, 3.4  # of Computer Modern of 8 and 5 points


def latex_rows(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 22
    assert lines[-1].startswith(r"\par{\footnotesize all languages: ")
    assert lines[0] == "% made by evaluator score"
    assert "measure & language & sg &" in lines[4]
    return [line.removesuffix(r" \\").split(" & ") for line in lines if line.startswith(("Topk", "OddOne"))]


@pytest.mark.slow
def test_a_table_of_three_models_in_five_languages_fits_a_column(score, tmp_path, monkeypatch):
    write_inputs(tmp_path, FIVE)
    monkeypatch.chdir(tmp_path)
    ended = score("--latex", tmp_path / "t.tex")
    assert ended.code == 0
    found = in_json(score("--json"))
    ranked = {(each["language"], each["measure"]): each["models"] for each in found["rankings"]}
    order = [each["model"] for each in ranked["mul", "Topk@3"]]
    named = {each["language"]: each for each in found["kept"]}
    kept = {key: each["models"][0] if each["kind"] in ("only", "best") else "" for key, each in named.items()}
    rows = latex_rows(tmp_path / "t.tex")
    assert [row[1] for row in rows] == [*sorted(FIVE), "all"] * 2
    for measure, language, *cells in rows:
        models = {each["model"]: each for each in ranked["mul" if language == "all" else language, measure]}
        best = kept["mul" if language == "all" else language]
        read = [CELL.fullmatch(cell) for cell in cells]
        assert [each[3] or "" for each in read] == [models[name]["letters"] for name in order], "best first"
        for model, each in zip(order, read, strict=True):
            assert bool(each[1]) == (best == model), "the model to keep is bold"
        width = DIGIT * (len("OddOneOut@3") + 3) + sum(SMALL_DIGIT * len(each[4]) + 6 for each in read) + 12
        assert width <= COLUMN_POINTS
    assert any(r"\textbf" in cell for row in rows for cell in row)


def test_a_command_that_stopped_resumes_with_its_table_and_figure(score, made, tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.reports.render.MOST_FIGURES", 1)
    kept = ("--output", tmp_path / "o.jsonl", "--latex", tmp_path / "t.tex", "--figure", tmp_path / "f.pdf")
    lost = made / "models/sg.en.vec"
    content = lost.read_bytes()
    lost.unlink()
    try:
        assert score(*kept, "--report", tmp_path / "r.html").code == 0
    finally:
        lost.write_bytes(content)
    rows = latex_rows(tmp_path / "t.tex")
    assert len(rows) == 2 * (len(LANGUAGES) + 1), "and the mean over languages"
    ended = score(*kept)
    assert "1 model, 1 result, 0 errors" in ended.out
    again = latex_rows(tmp_path / "t.tex")
    assert sum(one != other for one, other in zip(rows, again, strict=True)) == 4, "the language and the mean"
    score("--latex", tmp_path / "whole.tex")
    whole = {
        tuple(row[:2]): [CELL.fullmatch(cell)[4] for cell in row[2:]]
        for row in latex_rows(tmp_path / "whole.tex")
    }
    for row in again:
        assert [CELL.fullmatch(cell)[4] for cell in row[2:]] == whole[tuple(row[:2])]
    for name, start in (("f.pdf", b"%pdf"), ("r.html", b"<!doctype html>")):
        assert (tmp_path / name).read_bytes().lower().startswith(start)


def test_the_files_never_cost_the_table(score, made, tmp_path, evaluator, monkeypatch):
    """What is wrong with them is said before work starts; what happens afterwards comes after the table."""
    (tmp_path / "mine.tex").write_text("my own", encoding="utf-8")
    monkeypatch.setattr("evaluator.cli.score.scored", lambda *_, **__: pytest.fail("work started"))
    for option, name, problem in (
        ("--latex", "mine.tex", "evaluator did not write it"),
        ("--latex", "none/t.tex", "cannot be written"),
        ("--figure", "f.gif", "a figure ends in"),
        ("--figure", "none/f.pdf", "cannot be written"),
    ):
        ended = score(option, tmp_path / name)
        assert (ended.code, ended.out) == (2, "")
        assert problem in ended.err


def test_help_shows_first_what_people_need(evaluator, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    panels = re.findall(r"╭─ ([^─]+) ─+╮\n(.*?)╰", evaluator("score", "--help").out, re.DOTALL)
    titles = [title for title, _ in panels]
    assert titles[:3] == ["Arguments", "Options", "What to score"]
    first = re.findall(r"^│ \*? +(--[a-z-]+)", dict(panels)["Options"], re.MULTILINE)
    assert len(first) == 11, "ten, and --help"
    assert {"--test", "--measure", "--profile", "--figure", "--latex"} < {*first}
    assert "Machine" in titles


def test_verdicts_in_json_are_those_of_the_screen(made, evaluator, monkeypatch):
    monkeypatch.chdir(made)
    verdicts = set()
    for model in MODELS:
        asked = ("score", f"models/{model}.la.vec", "--test", "sets/la.json")
        printed = evaluator(*asked).out
        for each in in_json(evaluator(*asked, "--json"))["results"][0]["scores"]:
            if each["measure"] not in ("Combined", "Above chance"):
                verdicts.add(each["verdict"])
                assert re.search(rf"^{each['measure']} .* {each['verdict']} *$", printed, re.MULTILINE)
    assert len(verdicts) > 1


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ("score sg.la.vec la.json", "--test la.json"),
        (
            "compare a.vec b.vec",
            "Name a folder; models of one language are compared by `evaluator score a.vec",
        ),
        ("score a.vec", "a language (--test la)"),
        ("a.vec", "evaluator score VECTORS --test la"),
        ("score models/{lang}.vec --test la", "{lang} means nothing in a pattern. Write {language} where"),
        ("score a.vec --test sets/{lang}.json", "sets/{lang}.json: {lang} means nothing in a pattern"),
        ("score {seed}.vec --test la --output s.jsonl", "{seed}.vec: {seed} means nothing in a pattern"),
        ("score . --test la", "all of them as a quoted pattern, './{model}."),
        ("score a.vec --test la --oov right", "Invalid value for '--oov': 'right' is not one of"),
    ],
)
def test_what_newcomers_type_is_told_the_command(evaluator, arguments, advice):
    ended = evaluator(*arguments.split())
    assert ended.code == 2
    assert advice in re.sub(r"[│\s]+", " ", ended.err)


def test_differences_of_two_models_fit_80_columns(made, evaluator, monkeypatch):
    monkeypatch.chdir(made)
    asked = ("score", "models/sg.la.vec", "models/cbow.la.vec", "--test", "sets/la.json")
    _, _, table = evaluator(*asked).out.partition("Differences, cbow.la.vec minus sg.la.vec:\n")
    table, _, closing = table.partition("\n\n")
    assert table
    assert closing.startswith("Keep "), "what is to be done stands last"
    assert closing.count("\n") == 1
    assert max(map(len, table.splitlines())) <= 80
    margin = evaluator(*asked, "--margin", "0.1").out
    assert "sg.la.vec is better" in margin


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
    monkeypatch.setattr("evaluator.cli.score.scored", lambda *_, **__: pytest.fail("work started"))
    models = f"{tmp_path}/{{model}}.{{language}}.vec"
    ended = score("--figure", tmp_path / "f.pdf", models=models)
    assert (ended.code, "a figure shows 10 models, and not 11" in ended.err) == (2, True)


def test_a_model_of_one_language_is_in_the_table_of_all(score, made, tmp_path):
    for name in ("cbow.la", "cbow.de", "sg.la", "sg.de", "alone.la"):
        source = made / f"models/{name.replace('alone', 'glove')}.vec"
        (tmp_path / f"{name}.vec").write_bytes(source.read_bytes())
    _, _, table = score(models=f"{tmp_path}/{{model}}.{{language}}.vec").out.partition("Scores by language")
    head, _, german, latin, together, *_ = (line.split() for line in table.splitlines()[1:])
    assert head == ["sg", "alone", "cbow"]
    assert [german[3:5], together[3:5]] == [["a", "–"]] * 2
    assert "–" not in latin


@pytest.mark.parametrize("number", [1, 3, pytest.param(MOST_SERIES, marks=pytest.mark.slow)])
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


@pytest.mark.parametrize(
    ("first", "second", "one", "other"),
    [
        ("--report", "--latex", "x.html", "./x.html"),
        ("--latex", "--figure", "q.pdf", "q.pdf"),
        ("--latex", "--output", "s.jsonl", "s.jsonl"),
    ],
)
def test_two_outputs_of_one_name_are_refused_before_the_work(
    score, tmp_path, monkeypatch, first, second, one, other
):
    monkeypatch.chdir(tmp_path)
    ended = score(first, one, second, other, "-m", "Topk@3")
    assert (ended.code, ended.out) == (2, "")
    assert all(each in ended.err for each in (first, second, "name one file; name two"))
    assert not list(tmp_path.glob(f"*{one}"))


def test_scores_that_are_kept_are_not_compared(score, tmp_path):
    out = tmp_path / "s.jsonl"
    for option in (["--baseline"], ["--margin", 0.1], ["--details"], ["--csv"]):
        ended = score("--output", out, *option)
        assert (ended.code, "--output keeps the scores of models one by one" in ended.err) == (2, True)
    assert not out.exists()
    for done in ("9 models, 9 results", "nothing to do: 9 models"):
        assert done in score("--output", out, "-m", "Topk@3").out
    (kept,) = read_results(out)
    assert {(each.model, each.language) for each in kept.results} == {
        (model, language) for model in MODELS for language in LANGUAGES
    }


def test_a_language_of_which_hardly_a_word_is_known_is_named(made, evaluator, tmp_path):
    for language in ("la", "de"):
        head, *rows = (made / f"models/sg.{language}.vec").read_text(encoding="utf-8").splitlines()
        if language == "la":
            rows = [f"{'x' * (number % 12 > 0)}{row}" for number, row in enumerate(rows)]
        (tmp_path / f"sg.{language}.vec").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    done = evaluator(
        "score", f"{tmp_path}/{{model}}.{{language}}.vec", "--test", made / "sets", "-m", "Topk@3"
    )
    assert "Few words are known, so that scores say little: sg of la.json." in done.out


@pytest.mark.parametrize("command", ["plan", "items", "verify", "compose"])
def test_commands_that_read_results_tell_vectors(made, evaluator, command):
    done = evaluator(command, made / "models/sg.la.vec")
    assert done.code == (1 if command == "verify" else 2)
    said = "with --test" if command in ("plan", "items") else "holds vectors, not results of evaluator"
    assert said in done.err


def test_plan_and_items_refuse_too_few_and_too_many_models_before_they_score_them(made, evaluator):
    models = [made / "models/sg.la.vec", made / "models/cbow.la.vec", made / "models/sg.la.vec"]
    assert "of 3; name those of one model or two" in evaluator("plan", *models, "--test", "la").err
    assert "of 1; name those of two models or more" in evaluator("items", models[0], "--test", "la").err


def test_a_language_chooses_among_the_models_of_a_pattern(made, evaluator, monkeypatch):
    monkeypatch.chdir(made)
    asked = ("score", "models/{model}.{language}.vec", "--test", "sets")
    shown = json.loads(evaluator(*asked, "--language", "lat", "--json").out)
    assert {each["language"] for each in shown["results"]} == {"la"}
    assert "there are no vectors of te; there are of" in evaluator(*asked, "--language", "te").err
    said = evaluator(*asked, "--language", "latin").err
    assert "'latin' is not the code of a language" in said
    kept = evaluator(*asked, "--language", "la", "--output", "kept.jsonl")
    assert "--details and --language" in kept.err
    runs = evaluator("score", "sg=models/sg.la.vec", "--test", "sets/la.json", "--output", "kept.jsonl")
    assert "leave out sg=" in runs.err


@pytest.mark.parametrize("other", ["sets/la.json", "other/la.json"])
def test_two_test_sets_of_one_name_are_refused(made, evaluator, monkeypatch, other):
    """A ranking is called by the name of its test set: the scores of one would be tested as those of both."""
    monkeypatch.chdir(made)
    (made / "other").mkdir(exist_ok=True)
    (made / "other" / "la.json").write_bytes((made / "sets" / "la.json").read_bytes())
    done = evaluator(
        "score", "models/cbow.la.vec", "models/sg.la.vec", "--test", "sets/la.json", "--test", other
    )
    assert done.code == 2
    assert "two test sets are called 'la.json'; rename one of the files" in done.err
